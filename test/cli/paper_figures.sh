#!/bin/bash
# The table of doc/paper_figures.md is what tools/paper_figures.sh prints.
cd "$2" || exit 2
diff <(sed -n '/^\$ tools/,/^```/p' doc/paper_figures.md | grep -v '^[$`]') \
    <(tools/paper_figures.sh "$1" | sed 's/ *$//')

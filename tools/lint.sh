#!/bin/sh
# What the formatter and clang-tidy (.clang-tidy) have to say: nothing. Takes minutes; a file's name checks it alone.
#   tools/lint.sh --quick JOBS    without the analyzer, which takes nearly all of the time (make check)
set -e
checks=
[ "$1" = --quick ] && checks='--checks=-clang-analyzer-*' && shift
jobs=${1:-2}
if find test tools -name '*.sh' ! -perm -u+x | grep .; then
    echo "these are run by their names: chmod +x"
    exit 1
fi
[ $# -gt 0 ] && shift
files=${*:-$(find src bench -name '*.c' | sort)}
find src bench include examples python test -name '*.[ch]' -print0 |
    xargs -0 clang-format --dry-run --Werror
echo "$files" | tr ' ' '\n' | xargs -P "$jobs" -n 8 clang-tidy -p build --quiet $checks 2>/dev/null # it counts there

#!/bin/sh
# The Python example of README.md prints what README.md says, which is what the shell's example says.
# usage: readme.sh SOURCE PYTHON
cd "$1" || exit 2
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
awk -v work="$work" '/^## From Python$/ { section = 1; next } /^## / { section = 0 }
    section && /^```python$/ { out = work "/code.py"; next }
    section && /^```$/ { out = out == "" ? work "/output" : ""; next }
    section && out != "" { print >out }' README.md
"$2" "$work/code.py" >"$work/printed" || exit 1
diff -u "$work/output" "$work/printed" || exit 1
for figure in $(sed 's/[^0-9., ]//g' "$work/printed"); do
    grep -q -- "$figure" README.md || { echo "README.md has no $figure in the shell's output"; exit 1; }
done

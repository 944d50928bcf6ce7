#!/bin/sh
# The demonstration runs, and so does everything that it says to try next.
. "$2/test/cli/harness"
"$SATOR" show "$SOURCE/examples/gemm.c" >shown 2>message || { grep -q libclang message && echo "SKIP: no libclang" && exit 77; }
cd "$SOURCE" || exit 1
next=$(tools/demo.sh "$SATOR" | sed '1,/^What to try next:/d')
echo "$next" | grep -c "analyze"
echo "$next" | sh -e >/dev/null

#!/bin/sh
# What README.md shows is what the program prints.
. "$2/test/cli/harness"
"$SATOR" show "$SOURCE/examples/gemm.c" >shown 2>message || { grep -q libclang message && echo "SKIP: no libclang" && exit 77; }
awk '/^```console$/ { n++; inside = 1; next } /^```$/ { inside = 0 }
    inside && /^\$ sator / { print substr($0, 9) >(n ".args"); next }
    inside { print >(n ".expected") }' "$SOURCE/README.md"
for args in *.args; do
    name=${args%.args}
    (cd "$SOURCE" && eval "\"\$SATOR\" $(cat "$OLDPWD/$args")") 2>/dev/null | diff -u "$name.expected" - >difference || {
        echo "README.md, example $name: sator $(cat "$args")"
        cat difference
    }
done
ls ./*.args | wc -l

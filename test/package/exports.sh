#!/bin/sh
# The shared library exports what include/sator declares, which is what exports.txt lists: a name that goes breaks
# programs, one that comes is a promise. And the static library has no other global names.
# usage: exports.sh SOURCE SHARED STATIC; UPDATE=1 writes the list
cd "$1" || exit 2
list=test/package/exports.txt
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
nm -D --defined-only "$2" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort -u >"$work/shared"
nm --defined-only --extern-only "$3" | awk 'NF == 3 { print $3 }' | sort -u >"$work/static"
# Declarations: a line of a header that begins with no blank and has "sator_NAME(".
sed -n '/^[A-Za-z].*sator_[a-z0-9_]*(/s/.*\(sator_[a-z0-9_]*\)(.*/\1/p' include/sator/*.h | sort -u >"$work/declared"
[ -n "$UPDATE" ] && cp "$work/shared" "$list"
status=0
for other in shared static declared; do
    diff -u "$list" "$work/$other" || { echo "$other: other names than in $list"; status=1; }
done
exit $status

#!/bin/sh
# Every file that Timeloop, MAESTRO, ZigZag and SCALE-Sim ship, as far as test/reference/outcomes.txt lists it, reads or is
# refused as it says there. The files are theirs: SATOR_REFERENCE names the folder that has timeloop/, maestro/, zigzag/ and
# scalesim/ with them (their inputs under the paths of the list); a file that is not there, or not in the list, fails.
sator=$1
list=$2/test/reference/outcomes.txt
if [ -z "$SATOR_REFERENCE" ]; then
    echo "SKIP: SATOR_REFERENCE names no folder with the other tools' files"
    exit 77
fi
cd "$SATOR_REFERENCE" || exit 2
failed=0
find timeloop maestro zigzag scalesim -type f ! -name 'README*' ! -name 'LICENSE*' | sort | while read -r file; do
    if "$sator" check "$file" >/dev/null 2>"${TMPDIR:-/tmp}/messages.$$"; then
        echo "$file: reads"
    else
        echo "$file: $(grep -m1 'error:' "${TMPDIR:-/tmp}/messages.$$" | sed 's/^[^:]*:\([0-9]*\):[0-9]*: error: /line \1, /')"
    fi
done >"${TMPDIR:-/tmp}/outcomes.$$"
rm -f "${TMPDIR:-/tmp}/messages.$$"
diff "$list" "${TMPDIR:-/tmp}/outcomes.$$" || failed=1
rm -f "${TMPDIR:-/tmp}/outcomes.$$"
# doc/interop.md says how many.
for row in Timeloop MAESTRO ZigZag SCALE-Sim; do
    tool=$(echo $row | tr -d - | tr '[:upper:]' '[:lower:]')
    reads=$(grep -c "^$tool/.*: reads$" "$list")
    all=$(grep -c "^$tool/" "$list")
    grep -q "^| $row | $reads of $all |" "$2/doc/interop.md" || {
        echo "doc/interop.md does not say that $reads of $all files of $row read"
        failed=1
    }
done
exit $failed

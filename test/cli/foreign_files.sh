#!/bin/sh
# Files of other tools read, or are refused, as the list says: our own in their notations (test/foreign/outcomes.txt), and,
# where SATOR_REFERENCE names the folder that has them, all that Timeloop, MAESTRO, ZigZag and SCALE-Sim ship
# (test/foreign/reference_outcomes.txt; they are not ours to distribute). A file that is not in its list fails.
sator=$1
folder=$2/test/foreign
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

# outcomes FOLDER TOOL...: a line a file.
outcomes() (
    cd "$1" || exit 2
    shift
    find "$@" -type f ! -name 'README*' ! -name 'LICENSE*' ! -name counts.csv | LC_ALL=C sort | while read -r file; do
        if "$sator" check "$file" >/dev/null 2>"$work/messages"; then
            echo "$file: reads"
        else
            echo "$file: $(grep -m1 'error:' "$work/messages" | sed 's/^[^:]*:\([0-9]*\):[0-9]*: error: /line \1, /')"
        fi
    done
)

# compare LIST: the outcomes on standard input are those of the list.
compare() {
    cat >"$work/got"
    [ -z "$SATOR_BLESS" ] || cp "$work/got" "$1"
    diff "$1" "$work/got"
}

outcomes "$folder" accelergy maestro scalesim timeloop zigzag | compare "$folder/outcomes.txt" || exit 1
if [ -n "$SATOR_REFERENCE" ]; then
    outcomes "$SATOR_REFERENCE" maestro scalesim timeloop zigzag | compare "$folder/reference_outcomes.txt" || exit 1
fi
# doc/interop.md says how many.
for row in Timeloop MAESTRO ZigZag SCALE-Sim; do
    tool=$(echo $row | tr -d - | tr '[:upper:]' '[:lower:]')
    reads=$(grep -c "^$tool/.*: reads$" "$folder/reference_outcomes.txt")
    all=$(grep -c "^$tool/" "$folder/reference_outcomes.txt")
    grep -q "^| $row | $reads of $all |" "$2/doc/interop.md" || {
        echo "doc/interop.md does not say that $reads of $all files of $row read"
        exit 1
    }
done
exit 0

#!/bin/sh
# Counted instructions of an analysis against those that bench/instructions.txt holds: more than 15 % above them fails.
# Counts are the same on every run of a build, whatever else the machine does. Another compiler counts otherwise: the
# first line names the one that was used, and with another the gate is not closed but says so.
#   tools/gate.sh           compare
#   tools/gate.sh --write REASON    renew the file (make bench-baseline REASON="..."); the reason is its second line
set -e
cd "$(dirname "$0")/.."
rows="0 3 5 10 14 17"
baseline=bench/instructions.txt
compiler=$(cc -dumpfullversion -dumpversion)
count() {
    # shellcheck disable=SC2086
    tools/instructions.sh $rows | tail -n +2
}
if [ "$1" = --write ]; then
    [ -n "$2" ] || { echo "usage: tools/gate.sh --write REASON" >&2; exit 2; }
    { echo "# compiler $compiler"; echo "# $2"; count; } >"$baseline.new"
    mv "$baseline.new" "$baseline"
    cat "$baseline"
    exit 0
fi
command -v valgrind >/dev/null || { echo "SKIP: no valgrind"; exit 77; }
[ "$(sed -n 's/^# compiler //p' "$baseline")" = "$compiler" ] ||
    { echo "the counts of $baseline are of another compiler than $compiler: not compared"; exit 0; }
count | awk -v baseline="$baseline" '
    BEGIN { while ((getline line <baseline) > 0) if (line !~ /^#/) { split(line, part, " "); was[part[1]] = part[2] } }
    !($1 in was) { printf "%s is not in %s\n", $1, baseline; bad = 1; next }
    { n++; change = 100 * ($2 / was[$1] - 1); printf "%-26s %10d %10d %+6.1f %%\n", $1, was[$1], $2, change }
    change > 15 { printf "%s: more than 15 %% above; if there is a reason: make bench-baseline REASON=\"...\"\n", $1; bad = 1 }
    END { exit bad || n == 0 }'

#!/bin/sh
# Instructions of one analysis in closed form, for each dataflow of Table III at full size: unlike times, these are the
# same on every run of a build, whatever else the machine does. The numbers of rows may follow.
#   tools/instructions.sh        all rows
#   tools/instructions.sh 0 13   two of them
# With TIMING=scheduled: of one with the scheduled time.
bench=build/bench/bench_analyze
repeats=10 # of bench_analyze
command -v valgrind >/dev/null || { echo "valgrind is not installed: no instruction counts" >&2; exit 0; }
[ -x "$bench" ] || { echo "there is no $bench: make" >&2; exit 1; }
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
printf '%-26s %12s\n' dataflow instructions
for row in ${*:-$(seq 0 99)}; do
    valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=sator_analyze \
        "$bench" "$([ "$TIMING" = scheduled ] && echo scheduled || echo closed)" "$row" >"$scratch/name" 2>"$scratch/log" || break # past the last row
    awk -v repeats=$repeats -v name="$(cat "$scratch/name")" \
        '/Collected :/ { printf "%-26s %12d\n", name, $4 / repeats }' "$scratch/log"
done

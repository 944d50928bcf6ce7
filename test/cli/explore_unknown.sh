#!/bin/sh
# Results without a figure that is asked for are left out or put last, and a warning says how many: as many as the table
# of all results shows without it.
. "$2/test/cli/harness"
explore() { "$SATOR" explore gemm:i=8,j=8,k=8 --arch systolic-2d-8x8 --vary topology=[systolic-2d,mesh] "$@" >text 2>message; echo "exit $?"; }
query() { "$SATOR" query a.db "$@" >text 2>message; echo "exit $?"; }
# warned WORDS: the only message is "sator: warning: N WORDS"
warned() { [ "$(cat message)" = "sator: warning: $lacking $1" ] || { echo "not '$lacking $1':"; cat message; }; }
explore --db a.db --quiet
sator query a.db --csv | sed 's/"[^"]*"/x/g' >all.csv
lacking=$(awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) at[$i] = i} NR > 1 && $at["energy_pj.total"] == "" {n++} END {print n + 0}' all.csv)
[ "$lacking" -gt 1 ] || echo "the links of the systolic array have an energy now: the test needs another machine"
explore --pareto latency,energy
warned "results have no energy and were left out"
explore --where 'energy < 1e12'
warned "points have no energy and were left out by --where"
grep -c "no_figure.energy  *$lacking left out" text
explore --where 'energy < 1e12' --quiet
cat message
# refused for its PEs, whatever the energy is
explore --where 'energy < 1e12 and pes < 3'
cat message
query --pareto latency,energy
warned "results have no energy and were left out"
query --where 'not edp >= 5 or latency < 0'
cat message
query --where 'edp > 5 or latency < 0'
warned "results have no edp and were left out"
query --sort energy --top 1
warned "results have no energy and were put last"
query --sort latency --top 1
cat message
query --sort energy --quiet
cat message
# totals of each layer's best: the results without energy are passed over while there are others, the total has one
query --per-hardware --sort energy
warned "results have no energy and were chosen last"
query --per-hardware --sort latency
cat message
query --per-hardware --sort energy --quiet
cat message
# no result has these
lacking=$(($(wc -l <all.csv) - 1))
query --sort power
warned "results have no power and were put last"
query --where 'area < 5'
warned "results have no area and were left out"
# a time that is not counted: of two reads that meet, and too many instances to be followed one by one
printf 'sizes: {i: 256, j: 256, k: 256}\nop: "Y[i,j] += A[i,k] * A[k,j]"\n' >joined.yaml
joined() { "$SATOR" explore joined.yaml --arch systolic-2d-8x8 "$@" >text 2>message; echo "exit $?"; }
joined
lacking=$(awk '$1 == "unscheduled" {print $2}' text)
warned "points have no scheduled time and were left out: --timing roofline compares lower bounds"
joined --timing roofline
cat message

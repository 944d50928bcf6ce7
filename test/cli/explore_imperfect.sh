#!/bin/sh
# Mappings whose innermost tiles do not divide: what sator map finds, confirmed by the model; not to be mixed with others.
. "$2/test/cli/harness"
space='gemm:i=97,j=89,k=101 --arch conventional --timing roofline --dataflows optimal --objective latency --quiet'
# shellcheck disable=SC2086
explore() { sator explore $space "$@"; }
latency() { grep -o '"latency_cycles":[^}]*"total":[^0-9]*[0-9]*' | grep -o '[0-9]*$'; }
# Primes: factors that divide leave all 97 x 89 x 101 instances to one PE. 1,010 is the least that an enumeration of all tiles and
# parallel factors finds for the product of the loops' times (tile x temporal factor outside, or extent), 32 x 32 PEs, 256 words
# in each and 64 words a cycle from and to L2: p ways to share k bring p partial sums of each of the 97 x 89 there.
explore --db perfect.db --json | tr -d '\t\n' | latency
explore --db imperfect.db --imperfect --json | tr -d '\t\n' | latency
sator map gemm:i=97,j=89,k=101 --arch conventional --timing roofline --objective latency --imperfect --json | tr -d '\t\n' | latency
explore --imperfect --point 0 --yaml -o best.yaml
sator analyze gemm:i=97,j=89,k=101 --arch conventional --timing roofline --dataflow best.yaml --json | tr -d '\t\n' | latency
# the other kind is another exploration; the same one has nothing left to do
explore --db imperfect.db --resume 2>&1 | grep -A4 error:
explore --db perfect.db --resume --imperfect >/dev/null 2>&1
echo "exit $?"
explore --db imperfect.db --resume --imperfect | sed -n '1s/, [0-9.]* s$//p'
# a job script says it, too
explore --db imperfect.db --imperfect --slurm 2 | grep -c -- --imperfect

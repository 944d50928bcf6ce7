#!/bin/sh
# A triangle of a million accesses, each element read in two ways, is listed; the general engine, which counts the same
# as sums of polynomials, has the same numbers.
. "$2/test/cli/harness"
printf 'sizes: {i: 1030, j: 1030, k: 4}\nop: "C[i,j] += A[k,i] * A[k,j]"\nwhere: "i <= j"\n' >covariance.yaml
for engine in listed general; do
    sator analyze covariance.yaml --arch systolic-2d-8x8 --space 'i%8, j%8' --time 'i/8, j/8, k' --engine $engine \
        --timing roofline --json >$engine.json
    grep -q "\"engine\":.*\"$engine\"" $engine.json || echo "not counted by the $engine engine"
    grep -v '"engine":' $engine.json >$engine.numbers
done
cmp listed.numbers general.numbers

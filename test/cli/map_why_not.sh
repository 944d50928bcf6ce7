#!/bin/sh
# --why-not: all that a mapping breaks, and exit code 3; what sator analyze accepts is legal with the figures that it gives, whether or
# not it is in the space that is searched, and then with what keeps it from there.
. "$2/test/cli/harness"
value() { sed -n "/\"$1\"/,\$s/^[[:space:]]*\"total\":[^0-9]*\([0-9.e+]*\),*\$/\1/p" analyzed | head -n 1; }
why_not() { # the nest's entries, then options; its lines and exit code, against what sator analyze says of it
    printf '%s\n' "$1" >nest.yaml
    shift
    sator map gemm:i=64,j=64,k=64 --arch conventional --why-not nest.yaml "$@" >why
    code=$?
    sed 's/; EDP.*//; s/[0-9.]* pJ, [0-9]* cycles/figures/' why
    echo "exit $code"
    if sator analyze gemm:i=64,j=64,k=64 --arch conventional -d nest.yaml --json >analyzed 2>/dev/null; then
        sed -n 's/^  \([0-9.]*\) pJ, \([0-9]*\) cycles$/\1 \2/p' why | awk -v pj="$(value energy_pj)" -v cycles="$(value latency_cycles)" \
            '{ gap = ($1 - pj) / pj; print (gap * gap < 1e-18 && $2 == cycles ? "as analyzed" : pj " pJ, " cycles " cycles") }'
        [ $code = 0 ] || echo "sator analyze accepts this"
    else
        [ $code = 3 ] || echo "sator analyze refuses this"
    fi
}
nest() { # entries, then options
    entries=$1
    shift
    why_not "$(printf 'loops:\n%s' "$entries")" "$@"
}
good='  - {at: DRAM, for: [k 4, j 8]}
  - {at: PE, parallel: [i 32 -> 0]}
  - {at: L1, for: [i 2, j 8, k 16]}'
nest "$good"
# legal, and left out by constraints
nest "$good" --constraint 'DRAM: order j ... k' --constraint 'L1: k 1' --constraint 'PE: only k' --constraint 'utilization 0.05'
# 2 x 4 x 8 = 64 and 9 x 2 x 4 = 72 cover the loops; PE[7] is the last, and the tiles fit
nest '  - {at: DRAM, for: [k 9, j 8]}
  - {at: PE, for: [k 2], parallel: [i 4 -> 0, i 8 -> 0]}
  - {at: L1, for: [i 2, j 8, k 4]}'
nest '  - {at: DRAM, for: [k 4, j 4, k 2]}
  - {at: PE, parallel: [i 32 -> 0]}
  - {at: L1, for: [i 2, j 16, k 8]}'
# 33 x 2 x 1 covers 64, and the 33rd PE gets nothing: legal
nest '  - {at: DRAM, for: [k 64, j 64]}
  - {at: PE, parallel: [i 33 -> 0]}
  - {at: L1, for: [i 2]}'
# everything at once: k is not covered; A 2 x 48, B 48 x 64, Y 2 x 64 words of 2 bytes in 512 bytes; 128 on 32 PEs
nest '  - {at: PE, for: [j 1], parallel: [i 128 -> 0]}
  - {at: L1, for: [i 2, k 48, j 64]}' --constraint 'L1: k 1'
# no nests
why_not 'space: "PE[i%32, j%32]"
time: "T[i/32, j/32, k]"'
why_not 'space: "PE[i, j%32]"
time: "T[j/32, k]"'
# declared cuts of several memories: each that does not fit
printf 'space: "PE[i%%32, j%%32]"\ntime: "T[i/32, j/32, k]"\ncuts: {L1: {time: 0}, L2: {time: 0}}\n' >cuts.yaml
sator map gemm:i=2048,j=2048,k=2048 --arch conventional --why-not cuts.yaml
echo "exit $?"
# names that are not there are wrong input; a pipe is read once
printf 'space: "PE[i%%32, j%%32]"\ntime: "T[i/32, j/32, k]"\ncuts: {L3: {time: 0}, L9: {time: 0}}\n' >names.yaml
sator map gemm:i=64,j=64,k=64 --arch conventional --why-not names.yaml
echo "exit $?"
printf 'space: "PE[i%%32, j%%32]"\ntime: "T[i/32, j/32, k]"\n' | sator map gemm:i=64,j=64,k=64 --arch conventional --why-not /dev/stdin | sed 's/; .*//; s/[0-9.]* pJ, [0-9]* cycles/figures/'
# 9 x 8 covers 64, as 8 x 8 does
nest '  - {at: DRAM, for: [i 9, j 8, k 8]}
  - {at: L1, for: [i 8, j 8, k 8]}' --imperfect
# skewed: wires serve no skew that is searched. At stamp n PE p has A[n-p], B[p] and Y[n]: 6 + 2 reads, 4 writes at 10 pJ,
# and two sums that wires bring
cat >wires.yaml <<'YAML'
levels:
  - {memory: DRAM, energy_pj: 10}
  - {array: PE, shape: [3], links: [{name: w, map: "PE[i] -> PE[i+1]", interval: 0, energy_pj: 0.1}]}
  - {compute: mac, energy_pj: 0}
YAML
printf 'sizes: {i: 3, j: 2}\nop: "Y[i+j] += A[i] * B[j]"\n' >sums.yaml
printf 'name: nest\nloops:\n  - {at: DRAM, for: [i 3]}\n  - {at: PE, parallel: [j 2 -> 0], skew: 1}\n' >skewed.yaml
sator map sums.yaml --arch wires.yaml --objective energy --why-not skewed.yaml
sator map sums.yaml --arch wires.yaml --objective energy --why-not skewed.yaml --constraint 'PE: skew 0'

#!/bin/sh
# Transposed convolutions: of Y[2*ox + rx] each element tells ox and rx while windows do not overlap, so that stamps fall
# into classes. Executed beside the analysis; and one of 1.6e9 instances, by hand.
. "$2/test/cli/harness"
executed() { # machine, steps, sizes, space, time
    cat >up.yaml <<E
name: up
sizes: {$3}
op: "Y[k, $2*ox + rx, 2*oy + ry] += A[c, ox, oy] * B[k, c, rx, ry]"
E
    sator simulate up.yaml --arch "$1" --space "$4" --time "$5" >out 2>&1 || { echo "$*:"; cat out; }
    sed -n "s/^ *cycles *\([0-9,]* executed, [0-9,]* analysed\).*/$1, $2 ox, $3: \1/p" out
}
for rx in 1 2 3; do # of the last windows overlap
    sizes="k: 5, c: 6, ox: 9, oy: 3, rx: $rx, ry: 2"
    executed plasticine-like 2 "$sizes" 'ox%8, c%8, 0' 'k, oy, rx, ox/8 + ox%8 + c%8, ry'
    executed eyeriss -2 "$sizes" 'k%12, c%14' 'oy, ox + k%12 + c%14, rx, ry'
    executed tpu-8x8 3 "$sizes" 'rx%8, ox%8' 'ry, k, oy + rx%8 + ox%8, c, ox/8'
done
# 28 x 16 x 2 x 512 x 2 runs of two instances at a PE, the last PE 13 steps behind the first: 2 (917,504 + 13) cycles;
# before and after all of them DRAM's 409.6 bits a cycle: 16 (802,816 + 2,097,152) and 16 x 1,605,632 bits
cat >nest.yaml <<E
loops:
  - {at: scratchpad, for: [oy 28, c 16, rx 2, k 512, ry 2]}
  - {at: PE, parallel: [ox 7 -> 0, c 4 -> 1, ox 2 -> 1], skew: [1, 1]}
  - {at: lane, parallel: [c 16 -> 0], skew: [0]}
  - {at: registers, for: [ox 2]}
E
sator analyze unet --layer up1_spread --arch plasticine-like --dataflow nest.yaml |
    sed -n -e '/^    computing/p' -e '/^    waiting.*DRAM/p'
# what has no time cannot be chosen: while this nest had none, the one that was chosen took 2.8 times the EDP
figure() { sed -n 's/^[[:space:]]*"edp":[[:space:]]*\([0-9.e+]*\).*/\1/p' "$1" | head -n 1; }
sator analyze unet --layer up1_spread --arch plasticine-like --set energy_table=45nm -d nest.yaml --json >given.json
sator map unet --layer up1_spread --arch plasticine-like --set energy_table=45nm --json >found.json
awk -v found="$(figure found.json)" -v given="$(figure given.json)" 'BEGIN {
    print "map: " (found > 0 && found <= given * (1 + 1e-9) ? "as good" : found " > " given) }'
exit 0

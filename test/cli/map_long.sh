#!/bin/sh
# Windows that slide 2^32 places: every word crosses once, so the least energy is a sum of footprints and accesses, done by hand
# here; and the model counts the same mapping.
. "$2/test/cli/harness"
cat >machine.yaml <<END
name: machine
levels:
  - {memory: DRAM, energy_pj: {read: 64, write: 32}}
  - {array: PE, shape: [1]}
  - {memory: buffer, capacity_words: 12, energy_pj: {read: 2, write: 1}}
  - {compute: mac, energy_pj: 4}
END
energy() { # its digits from a report in JSON
    sed -n '/energy_pj/,$s/^.*"total":[^0-9]*\([0-9.e+]*\),*$/\1/p' "$1" | head -n 1 | xargs printf '%.0f\n'
}
try() { # name, statement, x, taps, words of the input
    printf 'name: %s\nop: "%s"\nsizes: %s\n' "$1" "$2" "$3" >"$1.yaml"
    sator map "$1.yaml" --arch machine.yaml --objective energy --json >best.json
    grep -o '"proved":.*true' best.json | tr -d '\t'
    sator map "$1.yaml" --arch machine.yaml --objective energy --yaml -o best.yaml
    sator analyze "$1.yaml" --arch machine.yaml -d best.yaml --json >analyzed.json
    # A and B: DRAM to buffer once, read for every instance; Y: partial sums stay in the buffer, written once to DRAM
    least=$(($4 * $5 * (4 + 2 + 2 + 2 + 1) - $4 * 2 + ($6 + $5) * (64 + 1) + $4 * 32))
    test "$(energy best.json)" = $least && test "$(energy analyzed.json)" = $least && echo "$1: $least pJ"
}
n=4294967296
try fir 'Y[x] += A[x + r] * B[r]' "{x: $n, r: 3}" $n 3 $((n + 2))
# two loops of taps: A is touched at x to x + 3
try taps 'Y[x] += A[x + r + s] * B[r, s]' "{x: $n, r: 3, s: 2}" $n 6 $((n + 3))
# every second x, taps three apart: of 2 x + 3 r, r < 2, even places to 2 n - 2 and odd ones from 3 to 2 n + 1
try gaps 'Y[x] += A[2 * x + 3 * r] * B[r]' "{x: $n, r: 2}" $n 2 $((2 * n))

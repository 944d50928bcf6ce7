#!/bin/sh
# Small nests, in each of which one thing decides the cycles or the words: what is executed word by word is what is analysed.
. "$2/test/cli/harness"
nest() { # sizes, statement, dataflow: on machine.yaml
    printf 'sizes: {%s}\nop: "%s"\n' "$1" "$2" >nest.yaml
    printf '%b\n' "$3" >flow.yaml
    sator simulate nest.yaml --arch machine.yaml --dataflow flow.yaml >out 2>&1 || { echo "$*: differs"; cat out; }
    executed=$(sed -n 's/^ *cycles *\([0-9,]*\) executed, .*/\1/p' out)
    analysed=$(sed -n 's/^ *cycles .* executed, \([0-9,-]*\) analysed.*/\1/p' out)
    [ -n "$executed" ] && [ "$executed" = "$analysed" ] || echo "$*: $executed cycles executed, $analysed analysed"
}

# A is read at two places, whose tiles are of two words each or of one and two
cat >machine.yaml <<'END'
levels:
  - {memory: DRAM, bandwidth_bits: 16}
  - {array: PE, shape: [4], links: [{name: back, map: "PE[i] -> PE[i-1]", interval: 2, tensors: [Y]}]}
  - {compute: mac}
END
nest 'i: 4, j: 3, k: 2, l: 4' 'Y[k] += A[i] * A[j]' 'loops:\n  - {at: DRAM, for: [l 4, j 3, i 2]}\n  - {at: PE, parallel: [k 2 -> 0, i 2 -> 0]}'

# A remainder of a remainder is none of the loop: PE 0 has three of seven values, not two
cat >machine.yaml <<'END'
levels:
  - {memory: DRAM, bandwidth_bits: 16}
  - {array: PE, shape: [8]}
  - {memory: L1, bandwidth_bits: 16}
  - {compute: mac}
END
nest 'i: 7, j: 3' 'Y[i] += A[i,j]' 'space: "(i%6)%4"\ntime: "i, j"\ncuts: {L1: {time: 0}}'

# Sums that are three stamps on a link, while L2 holds their words or lets go of them
cat >machine.yaml <<'END'
levels:
  - {memory: DRAM, bandwidth_bits: 16}
  - {memory: L2, bandwidth_bits: 16}
  - {array: PE, shape: [2], links: [{name: on, map: "PE[i] -> PE[i+1]", interval: 3, tensors: [Y]}]}
  - {compute: mac}
END
for cut in 1 2 3; do
    nest 'k: 6, i: 2, j: 2' 'Y[k] += A[i,j]' "space: \"j\"\ntime: \"k, i, j\"\ncuts: {L2: {time: $cut}}"
done

# Links of all PEs but those of one row, which are two boxes of PEs
cat >machine.yaml <<'END'
levels:
  - {memory: DRAM, bandwidth_bits: 16}
  - {array: PE, shape: [6, 3], links: [{name: on, map: "PE[i,k] -> PE[i+1,k] : i != 2", interval: 1}]}
  - {compute: mac}
END
nest 'i: 6, j: 4, k: 3' 'Y[i,k] += A[j] * A[i]' 'space: "i, k"\ntime: "i+j"'

# A ring of wires around PEs of two lanes each: it leads from a lane to the same one of the next PE
cat >machine.yaml <<'END'
levels:
  - {memory: scratchpad, bandwidth_bits: 16}
  - {array: PE, shape: [4], links: [{name: round, map: "PE[i] -> PE[(i+1)%4]", interval: 0}]}
  - {array: lane, shape: [2]}
  - {compute: mac}
END
nest 'i: 2, j: 4, k: 3' 'Y[i,j] += A[i,k] * B[k,j]' 'space: "j, i"\ntime: "k"'

# Stamps whose first row begins below 0
cat >machine.yaml <<'END'
levels:
  - {memory: DRAM, bandwidth_bits: 16}
  - {array: PE, shape: [4], links: [{name: on, map: "PE[i] -> PE[i+1]", interval: 1}]}
  - {compute: mac}
END
for time in '-j, k + i' 'j - i, k'; do
    nest 'i: 4, j: 3, k: 3' 'Y[i,j] += A[i,k] * B[k,j]' "space: \"i\"\ntime: \"$time\""
done
# and rows in which all stamps of one come after what the row outside adds: 3,000 of 3,000 + 3 stamps, too many to be followed
sed 's/, bandwidth_bits: 16//' machine.yaml >free.yaml
for time in 'j, k + i' 'j, j + k + i'; do
    sator analyze gemm:i=4,j=3000,k=3000 --arch free.yaml --space i --time "$time" --work-limit 1000000 --json |
        grep -q '"scheduled":.*[^0-9]9009000,' || echo "$time: not 9,009,000 cycles"
done

# Buses of which the next family merges what the first PEs of the one before fetch: of 2 x 3 PEs five, on i - j three of these, all in row 0
cat >machine.yaml <<'END'
levels:
  - {memory: DRAM, bandwidth_bits: 16}
  - array: PE
    shape: [3, 3]
    multicast:
      - {name: slant, map: "PE[i,j] -> BUS[2*i + j]"}
      - {name: diagonal, map: "PE[i,j] -> BUS[i - j]"}
      - {name: row, map: "PE[i,j] -> BUS[i]"}
  - {compute: mac}
END
nest 'i: 2, j: 3, l: 6' 'Y[i,j] += A[l]' 'space: "i, j"\ntime: "l"'
exit 0

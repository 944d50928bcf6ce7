#!/bin/sh
# Skewed rows over PEs with memories of their own: at each value of the row the busiest PE decides. Small ones whose stamps are
# added up by hand and executed; long ones that only the classes of places can count, by the same sums.
. "$2/test/cli/harness"
cycles() { sator analyze "$@" --timing scheduled --json | sed -n 's/^.*"scheduled":[^0-9n]*\([0-9.nul]*\),*$/\1/p'; }
same() { [ "$2" = "$3" ] || echo "$1: $2, not $3"; }
both() { # what, cycles, the rest: as analysed and as executed
    what=$1 expected=$2
    shift 2
    same "$what" "$(cycles "$@")" "$expected"
    sator simulate "$@" >out 2>&1 || { echo "$what: differs"; cat out; }
    same "$what, executed" "$(sed -n 's/^ *cycles *\([0-9,]*\) executed.*/\1/p' out | tr -d ,)" "$expected"
}
machine() { # bandwidths of the registers, then more of them, of DRAM
    cat >own.yaml <<END
levels:
  - {memory: DRAM$3}
  - {array: PE, shape: [32, 2]}
  - {memory: registers, bandwidth_bits: {$1}$2}
  - {compute: mac}
END
}
flow() { # space, time, the registers' cut
    printf 'space: "%s"\ntime: "%s"\ncuts: {registers: {time: %d}}\n' "$1" "$2" "$3" >flow.yaml
}

# A PE reads A and, but for k = 0, its sum: two cycles. PE i runs in the stamps from 7 i to 7 i + 6, one at a time; or from 5 i on, where
# those with k = 0 run beside others, except for the first
printf 'sizes: {l: 3, i: 4, k: 7}\nop: "Y[l,i] += A[i,k]"\n' >gap.yaml
machine 'read: 16'
for time in '7*i + k' 'k - 7*i'; do
    flow 'i, 0' "l, $time" 0
    both "one at a time, $time" $((3 * 4 * (1 + 6 * 2))) gap.yaml -a own.yaml -d flow.yaml
done
for time in '5*i + k' 'k - 5*i'; do
    flow 'i, 0' "l, $time" 0
    both "two at a time, $time" $((3 * (1 + 21 * 2))) gap.yaml -a own.yaml -d flow.yaml
done
# Registers for one of the two only, which serve half a word a cycle; where it is the sum, none for k = 0
flow 'i, 0' 'l, 7*i + k' 0
machine 'read: 8' ', tensors: [A]'
both "one input" $((3 * 28 * 2)) gap.yaml -a own.yaml -d flow.yaml
# where A's words, seven of each i, have come before all
machine 'read: 8, write: 8' ', tensors: [A]'
both "one input that comes" $((7 * 2 + 3 * 28 * 2)) gap.yaml -a own.yaml -d flow.yaml
# and as words of one bit, each before its stamp
machine 'write: 1' ', transfers: serial, tensors: [A]'
flow 'i, 0' 'l, 7*i + k' 2
both "one bit" $((3 * 28 * (1 + 1))) gap.yaml --set word_bits=1 -a own.yaml -d flow.yaml
flow 'i, 0' 'l, 7*i + k' 0
machine 'read: 8' ', tensors: [Y]'
both "one sum" $((3 * 4 * (1 + 6 * 2))) gap.yaml -a own.yaml -d flow.yaml
# and each transfer takes two cycles more, of none none
machine 'read: 8' ', setup_cycles: 2, tensors: [Y]'
both "one sum, set up" $((3 * 4 * (1 + 6 * 4))) gap.yaml -a own.yaml -d flow.yaml
# Without an array: all 28 words of A come at first, a word a cycle; then reads before each stamp, and the sum's write after it
cat >one.yaml <<END
levels:
  - memory: DRAM
  - {memory: SRAM, bandwidth_bits: {read: 16, write: 16}, overlaps: false}
  - {compute: mac}
END
printf 'space: "PE[]"\ntime: "l, 7*i + k"\ncuts: {SRAM: {time: 0}}\n' >one_flow.yaml
both "no array" $((28 + 3 * 4 * (1 + 1 + 1 + 6 * (2 + 1 + 1)))) gap.yaml -a one.yaml -d one_flow.yaml

# Rows of two loops, too long to be followed otherwise: at first k = 0 at whatever PE runs, in as many stamps as l has values
row=$((1000 * 1000 + 31))
printf 'sizes: {i: 64, k: 1000, l: 1000}\nop: "Y[i,l] += A[i,k,l]"\n' >long.yaml
for step in + -; do
    flow 'i%32, 0' "i/32, 1000*k + l $step i%32" 0
    machine 'read: 16'
    same "a long row, $step" "$(cycles long.yaml -a own.yaml -d flow.yaml)" $((2 * (2 * row - 1000)))
    # each stamp's A and the sum come and the sum is written, all by one port
    flow 'i%32, 0' "i/32, 1000*k + l $step i%32" 2
    machine 'write: 16'
    same "a long row of arrivals, $step" "$(cycles long.yaml -a own.yaml -d flow.yaml)" $((2 * (3 * row - 1000)))
done
# where the last value of k runs at PE 0 alone: the others have no place beside it, 31 stamps after it would have been the last
printf 'sizes: {k: 32001, l: 1000}\nop: "Y[k,l] += A[k,l] * B[k]"\n' >ragged.yaml
flow 'k%32, 0' '1000*(k/32) + l + k%32' 0
machine 'read: 16'
same "a ragged row" "$(cycles ragged.yaml -a own.yaml -d flow.yaml)" $((2 * 1001 * 1000))

# Tiles of A, a word a cycle, arrive at the port that the sums pass, a word a stamp: the first before all, the second beside the
# first run, whose every stamp needs the port
flow 'i%32, 0' 'i/32, 1000*k + l + i%32' 1
machine 'write: 16'
same "tiles beside sums" "$(cycles long.yaml -a own.yaml -d flow.yaml)" $((1000000 + row + 1000000 + row))
sed 's/1000, l: 1000/3, l: 1000/' long.yaml >short.yaml
both "tiles beside sums, short" $((3000 + 3031 + 3000 + 3031)) short.yaml -a own.yaml -d flow.yaml

# What arrives before each stamp, a word in two cycles, leaves in as many at once: of a row's 22 stamps 6 have two PEs, whose words
# leave one after the other and arrive side by side
machine 'write: 8' ', transfers: serial, tensors: [A]' ', bandwidth_bits: {read: 8}'
flow 'i, 0' 'l, 5*i + k' 2
both "serial" $((3 * (16 * 2 + 6 * 4 + 22))) gap.yaml -a own.yaml -d flow.yaml

# A memory and registers in each PE, where a port is not the PEs' own transfers' alone. A's words come to the memory and go on to the
# registers, one by one at its one port
inner() { # the levels inside of the array, then what DRAM holds
    cat >own.yaml <<END
levels:
  - {memory: DRAM$2}
  - {array: PE, shape: [32, 2]}
$1
  - {compute: mac}
END
}
inner '  - {memory: L1, tensors: [A], ports: [{name: p, direction: shared, bandwidth_bits: 16}]}
  - {memory: registers, tensors: [A]}'
printf 'space: "i, 0"\ntime: "l, 5*i + k"\ncuts: {L1: {time: 2}, registers: {time: 2}}\n' >flow.yaml
both "two ways at a port" $((3 * 22 * (1 + 1))) gap.yaml -a own.yaml -d flow.yaml
# where k runs outside of l, each stamp but those of k = 0 alone brings a sum and takes it back
inner '  - {memory: L1, tensors: [Y], bandwidth_bits: {write: 16}}
  - {memory: registers, tensors: [Y]}'
printf 'space: "i, 0"\ntime: "k, 2*i + l"\ncuts: {L1: {time: 2}, registers: {time: 2}}\n' >flow.yaml
both "sums to and fro" $((9 * (1 + 6 * 2))) gap.yaml -a own.yaml -d flow.yaml
printf 'space: "i%%32, 0"\ntime: "i/32, 1000*k + l + i%%32"\ncuts: {L1: {time: 2}, registers: {time: 2}}\n' >flow.yaml
both "sums to and fro in a long row" $((2 * (1000 + 2 * 2031))) short.yaml -a own.yaml -d flow.yaml
# and a memory that has all from the start serves PEs for one tensor and registers for another
printf 'sizes: {i: 64, k: 3, l: 1000}\nop: "Y[i,l] += A[i,k,l] * B[i,k,l]"\n' >inputs.yaml
sed 's/L1: {time: 2}/L1: {time: 0}/' flow.yaml >all.yaml
for tensor in A B; do
    inner "  - {memory: L1, tensors: [A, B], bandwidth_bits: {read: 16}}
  - {memory: registers, tensors: [$tensor]}" ', tensors: [Y]'
    both "registers of $tensor" $((2 * 3031 * 2)) inputs.yaml -a own.yaml -d all.yaml
done

# More kinds of places, along all of four dimensions and six loops, than are told apart: a sum goes on from PE to PE, so that only the
# very first stamp reads no sum beside A
links=$(for d in a+1,b,c,d a,b+1,c,d a,b,c+1,d a,b,c,d+1; do
    printf '{name: "to %s", map: "PE[a,b,c,d] -> PE[%s]", interval: 1, tensors: [Y]}, ' "$d" "$d"
done)
cat >own.yaml <<END
levels:
  - {memory: DRAM}
  - {array: PE, shape: [3, 3, 3, 3], links: [${links%, }]}
  - {memory: registers, bandwidth_bits: {read: 16}}
  - {compute: mac}
END
sizes='a: 3, b: 3, c: 3, d: 3, e: 3, f: 3, g: 3, h: 3, x: 3, y: 3'
printf 'sizes: {%s}\nop: "Y[e,g,x] += A[a,b,c,d,f,h,y]"\n' "$sizes" >many.yaml
flow 'a, b, c, d' '243*e + 81*f + 27*g + 9*h + 3*x + y + a + b + c + d' 0
both "many kinds" $((1 + 2 * 736)) many.yaml -a own.yaml -d flow.yaml

#!/bin/sh
# Domains that are no box, with a loop that no condition joins with others: of its steps that are alike, and of PEs that
# have nothing in common, one is followed. Long ones are added up by hand; shorter ones are executed, stamp by stamp.
. "$2/test/cli/harness"
cycles() { sator analyze "$@" --timing scheduled --json | sed -n 's/^.*"scheduled":[^0-9n]*\([0-9.nul]*\),*$/\1/p'; }
same() { [ "$2" = "$3" ] || echo "$1: $2, not $3"; }
executed() { # what, the rest
    what=$1
    shift
    sator simulate "$@" >out 2>&1 || { echo "$what: differs"; cat out; }
    grep -q 'cycles .* executed, [0-9,]* analysed' out || { echo "$what: not analysed"; cat out; }
}
work() { # values of h, values of d, what else indexes Y
    cat >work.yaml <<END
domain: "{ S[h,q,k,d] : 0 <= h < $1 and 0 <= k <= q < 4 and 0 <= d < $2 }"
reads: "{ S[h,q,k,d] -> A[h,q,d] }"
writes: "{ S[h,q,k,d] -> Y[h,$3d] }"
END
}
cat >plain.yaml <<'END'
levels:
  - {memory: DRAM, bandwidth_bits: {read: 8}}
  - {array: PE, shape: [32]}
  - {compute: mac}
END

# A million steps of d. In each the 10 pairs of q and k take a cycle, but for those of k = 0, which bring a word of A to
# the PE in two cycles, or to 32 of them in 64; no sum is read back.
work 1 1000000 q,k,
same 'one PE' "$(cycles work.yaml -a plain.yaml --space h --time d,q,k)" $((1000000 * (4 * 2 + 6)))
work 32 1000000 q,k,
same '32 PEs' "$(cycles work.yaml -a plain.yaml --space h --time d,q,k)" $((1000000 * (4 * 64 + 6)))
# In tiles of 8, of which the last has 3: a word in every stamp, but 6 of the last tile of 1
work 1 1000003 q,k,
same 'tiles' "$(cycles work.yaml -a plain.yaml --space h --time 'floor(d/8),q,k,d%8')" $((1000003 * 10 * 2))
work 1 1000001 q,k,
same 'a last tile of one' "$(cycles work.yaml -a plain.yaml --space h --time 'floor(d/8),q,k,d%8')" \
    $((1000001 * 10 * 2 - 6))

# Tiles that are loaded meanwhile, links from one to three stamps before, d in two levels, h on PEs and over time
cat >machine.yaml <<'END'
levels:
  - {memory: DRAM, bandwidth_bits: {read: 8, write: 16}}
  - {memory: L2, bandwidth_bits: {read: 24, write: 8}, transfers: overlapped}
  - array: PE
    shape: [4, 4]
    links:
      - {name: next, map: "PE[i,j] -> PE[i,j+1]", interval: 1, tensors: [A]}
      - {name: late, map: "PE[i,j] -> PE[i,j+1]", interval: 3, tensors: [Y]}
  - {memory: L1, bandwidth_bits: {read: 16, write: 8}, transfers: serial}
  - {compute: mac}
END
cat >flow.yaml <<'END'
loops:
  - {at: DRAM, for: [d 12, h 3]}
  - {at: L2, for: [k 4]}
  - {at: PE, parallel: [h 4 -> 0, q 4 -> 1]}
  - {at: L1, for: [d 9]}
END
work 12 108 k,
executed 'levels' work.yaml -a machine.yaml -d flow.yaml
work 12 105 k,
executed 'levels, the last tile shorter' work.yaml -a machine.yaml -d flow.yaml
work 4 60 k,
executed 'skewed inside' work.yaml -a machine.yaml --space 'h%4,q%4' --time 'floor(d/6),k + q%4,d%6'
executed 'wires of a bandwidth' work.yaml -a machine.yaml --space 'h%4,q%4' --time 'd,k + q%4' \
    --set levels.PE.links.next.bandwidth_bits=8

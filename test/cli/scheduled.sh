#!/bin/sh
# The scheduled latency: systolic folds, SCALE-Sim's published totals, the Eyeriss chip's AlexNet, beside their formulas.
. "$2/test/cli/harness"
cycles() { sator analyze "$@" --timing scheduled --json | sed -n 's/^.*"scheduled":[^0-9n]*\([0-9.nul]*\),*$/\1/p'; }
same() { [ "$2" = "$3" ] || echo "$1: $2, not $3"; }

# R x C systolic arrays whose words enter at the edges: "os" output-stationary, "ws" with weights of R C words loaded a row a cycle
machine() { # name, rows, columns, then more of the array and of the levels inside
    cat >"$1.yaml" <<EOF
levels:
  - memory: SRAM
    ports: [{name: weights, tensors: [B], direction: read, bandwidth_bits: $((16 * $3)), granule_bits: $((16 * $2 * $3))}]
  - array: PE
    shape: [$2, $3]
$4    links:
      - {name: east, map: "PE[i,j] -> PE[i,j+1]", tensors: [A]}
      - {name: south, map: "PE[i,j] -> PE[i+1,j]", tensors: [$5]}
$6  - {compute: mac}
EOF
}
for n in 16 32 256; do
    machine os $n $n "" B ""
    sed -i '/weights/d; /ports/d; s/memory: SRAM/{memory: SRAM}/' os.yaml
    got=$(cycles gemm:i=$((3 * n)),j=$((2 * n)),k=70 -a os.yaml --space "i%$n, j%$n" --time "i/$n, j/$n, i%$n + j%$n + k")
    same "output-stationary, $n" "$got" $((3 * 2 * (n + n + 70 - 2)))
    machine ws $n $n "" Y "  - {memory: weights, tensors: [B], transfers: serial}
"
    printf 'space: "k%%%d, j%%%d"\ntime: "k/%d, j/%d, i + k%%%d + j%%%d"\ncuts: {weights: {time: 2}}\n' $n $n $n $n $n $n >ws_flow.yaml
    got=$(cycles gemm:i=90,j=$((2 * n)),k=$((3 * n)) -a ws.yaml -d ws_flow.yaml)
    same "weight-stationary, $n" "$got" $((3 * 2 * (2 * n + n + 90 - 2)))
    # fewer rows than the array has: as many cycles for weights, fewer for the skew, unless words pass through
    got=$(cycles gemm:i=90,j=$n,k=$((n + 5)) -a ws.yaml -d ws_flow.yaml)
    same "weight-stationary, short, $n" "$got" $((2 * n + n + 90 - 2 + n + 5 + n + 90 - 2))
    got=$(cycles gemm:i=90,j=$n,k=$((n + 5)) -a ws.yaml -d ws_flow.yaml --set levels.PE.pass_through=true)
    same "weight-stationary, short, passing, $n" "$got" $((2 * (2 * n + n + 90 - 2)))
done

# 100 x 60 x 75 on 16 x 8
machine os 16 8 "" B ""
sed -i '/weights/d; /ports/d; s/memory: SRAM/{memory: SRAM}/' os.yaml
set -- gemm:i=100,j=60,k=75 -a os.yaml --space 'i%16, j%8' --time 'i/16, j/8, i%16 + j%8 + k'
cycles "$@"
cycles "$@" --set levels.PE.pass_through=true

# SCALE-Sim 2 (Samajdar et al., ISPASS 2020) prints one cycle less: rows, columns, M, N, K, its total; input-stationary is
# weight-stationary with the operands exchanged
scalesim() { # os or ws, rows, columns, i, j, k, the total
    if [ "$1" = os ]; then
        machine os "$2" "$3" "" B ""
        sed -i '/weights/d; /ports/d; s/memory: SRAM/{memory: SRAM}/' os.yaml
        set -- "$@" --space "i%$2, j%$3" --time "i/$2, j/$3, i%$2 + j%$3 + k"
    else
        machine ws "$2" "$3" "" Y "  - {memory: weights, tensors: [B], transfers: serial}
"
        printf 'space: "k%%%d, j%%%d"\ntime: "k/%d, j/%d, i + k%%%d + j%%%d"\ncuts: {weights: {time: 2}}\n' \
            "$2" "$3" "$2" "$3" "$2" "$3" >ws_flow.yaml
        set -- "$@" -d ws_flow.yaml
    fi
    kind=$1 size=i=$4,j=$5,k=$6 total=$7
    shift 7
    same "SCALE-Sim, $kind $size" "$(cycles gemm:"$size" -a "$kind.yaml" --set levels.PE.pass_through=true "$@")" $((total + 1))
}
scalesim os 16 8 100 60 75 5431
scalesim os 16 8 37 29 50 863
scalesim os 16 8 512 32 33 7039
scalesim ws 16 8 64 64 64 3263
scalesim ws 16 8 256 96 363 81143
scalesim ws 16 8 60 100 75 6369
scalesim ws 16 8 29 37 50 1339
scalesim ws 16 8 32 512 33 13439
scalesim ws 32 32 841 128 64 7479
scalesim ws 32 32 144 256 2304 137087
scalesim ws 32 32 3025 96 363 112283

# Eyeriss (JSSC 2017), AlexNet with 4 images, measured 16.5, 39.2, 21.8, 16.0, 10.0 ms: filters serial and partial sums streamed, each 4 words a cycle, one cycle more
# per q S MACs to take a partial sum up. Expected: passes x filter words / 4 + steps x max(p (q S + 1), psum words / 4).
chip() { # cycles an instance, 1 + 1 / (q S) rounded down; the coordinate of a tree
    cat >chip.yaml <<EOF
levels:
  - memory: GLB
    ports:
      - {name: filters, tensors: [B], bandwidth_bits: 64}
      - {name: psums, tensors: [Y], bandwidth_bits: 64}
  - array: PE
    shape: [12, 14]
    multicast: [{map: "PE[i,j] -> BUS[0]", tensors: [B]}]
    reduction: [{map: "PE[i,j] -> TREE[$2,j]", tensors: [Y]}]
  - {memory: filters, tensors: [B], transfers: serial}
  - {memory: psums, tensors: [Y], transfers: streamed}
  - {compute: mac, cycles: $1}
EOF
}
cat >conv.yaml <<EOF
sizes: {n: 4, k: 1, c: 1, oy: 13, ox: 13, ry: 3, rx: 3}
op: "Y[n,k,oy,ox] += A[n,c,oy+ry,ox+rx] * B[k,c,ry,rx]"
EOF
flow() { printf 'space: "%s"\ntime: "%s"\ncuts: {filters: {time: 2}, psums: {time: 4}}\n' "$1" "$2" >chip_flow.yaml; }
ms() { awk -v cycles="$1" -v groups="$2" 'BEGIN { printf "%.1f ms\n", cycles * groups / 200e3 }'; }
# conv1: p 16, q 1, r 1, t 2, a tile of 7 rows at a time; conv2: p 16, q 2, r 1, t 1, in two groups, 14 rows beside 13
sed 's/4, k: 1, c: 1, oy: 13, ox: 13, ry: 3, rx: 3/4, k: 96, c: 3, oy: 55, ox: 55, ry: 11, rx: 11/; s/oy+ry,ox+rx/4*oy+ry,4*ox+rx/' conv.yaml >conv1.yaml
chip 1.0909 0
printf 'space: "ry, oy%%7 + 7*(k/16%%2)"\ntime: "n, oy/7, k/32, c, ox, k%%16"\ncuts: {filters: {time: 4}, psums: {time: 5}}\n' >chip_flow.yaml
got=$(cycles conv1.yaml -a chip.yaml -d chip_flow.yaml)
same conv1 "$got" $((4 * 8 * 3 * 3 * (32 * 121 / 4 + 55 * 16 * 12)))
ms "$got" 1
chip 1.1 i/5
printf 'space: "ry + 5*(oy/14), oy%%14"\ntime: "n, k/16, c/2, ox, k%%16"\ncuts: {filters: {time: 3}, psums: {time: 4}}\n' >chip_flow.yaml
got=$(cycles conv.yaml:k=128,c=48,oy=27,ox=27,ry=5,rx=5 -a chip.yaml -d chip_flow.yaml)
same conv2 "$got" $((4 * 8 * 24 * (16 * 2 * 25 / 4 + 27 * 16 * 11)))
ms "$got" 2
# conv3: p 16, q 4, r 1, t 4; 6 x 64 passes of 64 x 4 x 9 filter words, each 4 x 13 steps of 16 x 13 cycles, 64 x 13 partial sums
chip 1.0833 i/3
flow 'ry + 3*(k/16%4), oy' 'k/64, c/4, n, ox, k%16'
got=$(cycles conv.yaml:k=384,c=256 -a chip.yaml -d chip_flow.yaml)
same conv3 "$got" $((6 * 64 * (64 * 4 * 9 / 4 + 4 * 13 * (16 * 13))))
ms "$got" 1
# conv4 and conv5: p 16, q 3, r 2, t 2; in two groups; 32 filters and 6 channels a pass
chip 1.1111 i/6
for k in 192 128; do
    flow 'ry + 3*(c/3%2) + 6*(k/16%2), oy' 'k/32, c/6, n, ox, k%16'
    got=$(cycles conv.yaml:k=$k,c=192 -a chip.yaml -d chip_flow.yaml)
    same "conv of $k filters" "$got" $((k / 32 * 32 * (32 * 6 * 9 / 4 + 4 * 13 * (16 * 10))))
    ms "$got" 2
done

# A row of 8 words takes 4 cycles to load, 10 with a fixed cost, 14 in granules of 256 bits, 6 at 22.5 bits a cycle; it is used for 8
cat >row.yaml <<EOF
levels:
  - {memory: DRAM, ports: [{name: a, tensors: [A], bandwidth_bits: 32}]}
  - {memory: L1, tensors: [A]}
  - {array: PE, shape: 1}
  - {compute: mac}
EOF
printf 'sizes: {i: 4, k: 8}\nop: "Y[i] += A[i,k] * B[k]"\n' >rows.yaml
printf 'space: 0\ntime: "i, k"\ncuts: {L1: {time: 1}}\n' >rows_flow.yaml
row() { cycles rows.yaml -a row.yaml -d rows_flow.yaml --set levels.L1.transfers="$1" --set levels.DRAM.ports.a.bandwidth_bits="$2" \
    --set levels.DRAM.ports.a.setup_cycles="$3" --set levels.DRAM.ports.a.granule_bits="$4"; }
for kind in serial overlapped streamed; do
    echo "$kind: $(row $kind 32 0 1) $(row $kind 32 6 1) $(row $kind 32 6 256) $(row $kind 22.5 0 1)"
done

# PEs whose own memory has a write port of half a word a cycle. Each of its i makes 2 cycles of updates. PE 2 is idle in
# every other stamp, and takes C and D up again, 4 cycles more; D it shares, so PE 1 reads it back in the first stamp, too:
# 4 + 14, 14, 4 + 2, 2. Where PE 0 is idle instead and each has a D of its own, C comes once: 2 + 14, 14.
printf 'levels:\n  - {array: PE, shape: [4]}\n  - {memory: L0, bandwidth_bits: {read: 64, write: 8}}\n  - {compute: mac}\n' >own.yaml
own() { # the output, extents, the first PE
    printf 'sizes: {i: %s, j: %s}\nop: "%s += C[]"\n' "$2" "$3" "$1" >own_sums.yaml
    cycles own_sums.yaml -a own.yaml --space "$4 + j%3" --time "i/7, j/3" 2>/dev/null
}
same "some come back" "$(own 'D[]' 8 5 0)" $((18 + 14 + 6 + 2))
same "not from PE 0 on" "$(own 'D[j]' 14 3 1)" $((16 + 14))

# Wires of 8 bits a cycle take 2 cycles for a word of 16. Over a link from PE to PE words go in stamps 1 to 7 of 8: 1 + 14. A bus brings one
# word a stamp to all, in 5 stamps. A tree takes a sum away in the second of two stamps, three times: 3 (1 + 2). With two trees of
# 4 bits for halves of the row, side by side, 3 (1 + 4). A roofline names the wires that it leaves out, where words pass.
wires() { # a link, bus or tree, the statement, extents, the time-stamp, the first words of the lines that an execution says
    printf 'levels:\n  - {memory: SRAM}\n  - {array: PE, shape: [4], %s}\n  - {compute: mac}\n' "$1" >wires.yaml
    printf 'sizes: {%s}\nop: "%s"\n' "$3" "$2" >wired.yaml
    cycles wired.yaml -a wires.yaml --space "$4" --time "$5"
    sator simulate wired.yaml -a wires.yaml --space "$4" --time "$5" --json | sed -n 's/^.*"\(cycles\|PE\..*\)":[^0-9]*\([0-9]*\),*$/\1 \2/p'
    sator analyze wired.yaml -a wires.yaml --space "$4" --time "$5" --timing roofline | sed -n 's/^  unknown: \(PE[^ ]*\) (.*/not in the roofline: \1/p'
}
wires 'links: [{name: east, map: "PE[j] -> PE[j+1]", tensors: [A], bandwidth_bits: 8}]' 'Y[j] += A[k] * B[k,j]' 'j: 4, k: 5' j k+j
wires 'links: [{name: west, map: "PE[j] -> PE[j-1]", tensors: [A], bandwidth_bits: 8}]' 'Y[j] += A[k] * B[k,j]' 'j: 4, k: 5' j k+j
wires 'multicast: [{name: row, map: "PE[j] -> BUS[0]", tensors: [A], bandwidth_bits: 8}]' 'Y[j] += A[k] * B[k,j]' 'j: 4, k: 5' j k
wires 'reduction: [{name: sum, map: "PE[k] -> TREE[0]", bandwidth_bits: 8}]' 'Y[i] += A[i,k] * B[k]' 'i: 3, k: 8' k%4 'i, k/4'
wires 'reduction: [{name: sum, map: "PE[k] -> TREE[k/2]", bandwidth_bits: 4}]' 'Y[i] += A[i,k] * B[k]' 'i: 3, k: 8' k%4 'i, k/4'

# Sums below trees (simba-like), windows on PEs behind a bus (conventional): too many instances to be followed one by one, so
# that the analysis counts by classes; an execution counts the same.
for arch in simba-like conventional; do
    set -- conv2d:k=64,c=64,ox=8,oy=8,rx=3,ry=3 -a $arch -d mapped.yaml
    sator map "$1" -a $arch --timing roofline --yaml -o mapped.yaml
    same "mapped on $arch" "$(cycles "$@")" \
        "$(sator simulate "$@" --json | sed -n 's/^.*"cycles":[^0-9]*\([0-9]*\),*$/\1/p')"
done

# Rows that a skewed one joins, and rows inside it, as mappings onto systolic arrays have them; a row that is no multiple of the
# array; and PEs that hold several elements in a stamp: of so many instances, too.
both() { # what, the arguments
    what=$1
    shift
    same "$what" "$(cycles "$@")" "$(sator simulate "$@" --json | sed -n 's/^.*"cycles":[^0-9]*\([0-9]*\),*$/\1/p')"
}
cat >joined.yaml <<'END'
loops:
  - {at: scratchpad, for: [j 2, i 128]}
  - {at: PE, parallel: [k 8 -> 0, j 8 -> 1], skew: [1, 1]}
  - {at: registers, for: [k 16, j 8]}
END
both "joined, with rows inside" gemm:i=128,j=128,k=128 -a tpu-8x8 -d joined.yaml
both "joined" gemm:i=60,j=128,k=300 -a systolic-2d-8x8 --space 'i%8, j%8' --time 'i/8, 300*(j/8) + k + i%8 + j%8'
both "several elements" conv2d:k=30,c=20,ox=56,oy=28,rx=3,ry=3 -a systolic-2d-8x8 --space 'k%8, c%8' --time 'k/8, c/8, oy, k%8 + c%8 + ox'
both "several elements, no skew" conv2d:k=32,c=16,ox=56,oy=28,rx=3,ry=3 -a systolic-2d-8x8 \
    --set levels.PE.shape='[12,28]' --space 'ry + 3*(c%4), oy' --time 'k/16, c/16, ox'

# Sums of which three PEs have parts, without a tree: PE 0 starts from zero, PEs 1 and 2 read back what is there, on top of the
# 4 words of A that every PE gets. A tile of L1 loads in 6 words x 16 bits / 32 a cycle at PE 1, or 18 words / 128 bits of DRAM, and
# stores 6 words in 8 cycles, in 6 stamps; the registers load and store in a cycle each in 12 stamps; 24 are computed.
cat >parts.yaml <<'END'
levels:
  - {memory: DRAM, bandwidth_bits: {read: 128, write: 12}, overlaps: false}
  - array: PE
    shape: [4]
    multicast: [{name: row, map: "PE[i] -> BUS[0]"}]
  - {memory: L1, bypass: [B], bandwidth_bits: {read: 128, write: 32}, transfers: serial}
  - {memory: registers, transfers: serial}
  - {compute: mac}
END
printf 'sizes: {x: 2, y: 2, r: 2, s: 9}\nop: "Y[x,y] += A[x,y,r,s] * B[r,s]"\n' >parted.yaml
printf 'space: s%%3\ntime: s/3, y, x, r\ncuts: {L1: {time: 2}, registers: {time: 3}}\n' >parts_flow.yaml
same "sums in parts" "$(cycles parted.yaml -a parts.yaml -d parts_flow.yaml)" $((6 * (3 + 8) + 12 + 12 + 24))
both "sums in parts, executed" parted.yaml -a parts.yaml -d parts_flow.yaml

# A sum that PEs take up against its skew: none hands it on, and the last column is the first in time. In each of 80 x 80 folds
# 8 x 8 PEs read 640 words of Y and of B, and 64 of A, 8 words a cycle; but the first to touch Y, a column of 8 in every first
# fold of k, starts from zero.
same "against the skew" "$(cycles gemm:i=640,j=640,k=640 -a systolic-2d-8x8 --space 'i%8, k%8' --time 'i/8, k/8, j - k%8')" \
    $((6400 * (2 * 64 * 640 + 64) / 8 - 80 * 8 * 640 / 8))
both "against the skew, executed" gemm:i=16,j=5,k=19 -a systolic-2d-8x8 --space 'i%8, k%8' --time 'i/8, k/8, j - k%8'
# But of PEs that hold a sum in memories of their own all the while, the least starts from zero, though it is not the earliest.
both "against the skew, in memories" gemm:i=2,j=6,k=5 -a conventional --set levels.L1.bandwidth_bits.write=8 \
    --space 'j%3, k%2' --time 'j/3, i, k/2 - k%2'

# A sum that several PEs hold in turn and at once, and in the next row again: it is handed on within a row, from the first to the
# last of them, and begins anew in each. All but the rows of c / 8 = rx = 0 read it back; A and B come for every instance.
of_vgg="conv2d:k=256,c=256,ox=56,oy=56,rx=3,ry=3 -a systolic-2d-8x8 --set levels.scratchpad.bandwidth_bits=16"
same "sums along a row" "$(cycles $of_vgg --space 'k%8, c%8' --time 'k/8, ox, oy, c/8, rx, ry + c%8')" \
    $((2 * 256 * 256 * 56 * 56 * 9 + 256 * 56 * 56 * (32 * 3 - 1)))
both "sums along a row, executed" conv2d:k=3,c=7,ox=2,oy=3,rx=2,ry=3 -a systolic-2d-8x8 --set levels.PE.shape=[3,4] \
    --set levels.scratchpad.bandwidth_bits=16 --space 'k%3, c%4' --time 'c/4, ox, rx, oy, ry + c%4'
# The same where it begins anew within a row, as filters go on before the place in the image does
of_resnet="conv2d:k=512,c=256,ox=7,oy=7,rx=3,ry=3 -a systolic-2d-8x8"
same "sums anew in a row" "$(cycles $of_resnet --set levels.scratchpad.bandwidth_bits=16 --space 'c/16%8, c/2%8' \
    --time 'c/128, k, 98*(3*ry + rx) + 2*(7*oy + ox) + c%2 + c/2%8 + c/16%8')" $((2 * 512 * 256 * 49 * 9 + 512 * 49 * (2 * 9 - 1)))
both "sums anew in a row, executed" conv2d:k=2,c=24,ox=3,oy=4,rx=3,ry=2 -a systolic-2d-8x8 --set levels.PE.shape=[3,2] \
    --set levels.scratchpad.bandwidth_bits=16 --space 'c/4%3, c/2%2' \
    --time 'c/12, k, 24*(3*ry + rx) + 2*(3*oy + ox) + c%2 + c/2%2 + c/4%3'
# and where PEs hold tiles for a while: the first image and filter come before anything runs, the last sums leave after it.
rows_of() { # k, c across and down
    echo "{loops: [{at: scratchpad, for: [c 2, k $1]}, {at: PE, parallel: [c $2 -> 0, c $3 -> 1], skew: [1, 1]}," \
        "{at: registers, for: [ry 3, rx 3, oy 7, ox 7, c 2]}]}" >rows_flow.yaml
}
rows_of 512 8 8
same "sums anew in a row of tiles" "$(cycles $of_resnet -d rows_flow.yaml)" $(((2 * 512 + 14) * 9 * 49 * 2 + 23 + 7))
rows_of 2 3 2
both "sums anew in a row of tiles, executed" conv2d:k=2,c=24,ox=7,oy=7,rx=3,ry=3 -a systolic-2d-8x8 --set levels.PE.shape=[3,2] \
    --set levels.scratchpad.bandwidth_bits=3 -d rows_flow.yaml

# A tree over memories that take up several parts of a sum, one after the other: the first of them reads the old sums back, the
# others start from zero, be they there each time or not (k of 6). Of the 4 kinds of stamps (k outside, k inside: first, later)
# only the first reads no words, of which two take 2 cycles
cat >late.yaml <<'EOF'
levels:
  - memory: DRAM
  - {array: PE, shape: [2], reduction: [{name: sums, map: "PE[i] -> TREE[0]"}]}
  - {memory: L1, tensors: [Y], bandwidth_bits: {read: 16}}
  - {array: lane, shape: [2]}
  - {compute: mac}
EOF
late() { # i, j, k
    cat >late_flow.yaml <<EOF
loops:
  - {at: DRAM, for: [k 2, i $1]}
  - {at: PE, parallel: [k 2 -> 0]}
  - {at: L1, for: [k 2, j $(($2 / 2))]}
  - {at: lane, parallel: [j 2 -> 0]}
EOF
    same "old sums, $1 x $2 x $3" "$(cycles gemm:i=$1,j=$2,k=$3 -a late.yaml -d late_flow.yaml)" $(($1 * $2 / 2 * (1 + 2 + 2 + 2)))
}
late 300 2000 8
late 300 2000 6
late 3 8 6
both "old sums, of fewer, executed" gemm:i=3,j=8,k=6 -a late.yaml -d late_flow.yaml
late 3 8 8
both "old sums, executed" gemm:i=3,j=8,k=8 -a late.yaml -d late_flow.yaml

# Such trees one inside the other, with a memory between: whether a lane's registers read the old sum (2 cycles) is told by all
# that is outside of them. Where k goes on inside them, all do; where it begins, all start from zero at first; later the first
# lane of the first PE does not, or of every PE once k has gone on in L1: 1 + 2 + 2 + 2, and 4 times 2.
chained() { # trees of lanes, bandwidth of DRAM and L1, of registers
    cat >chained.yaml <<EOF
levels:
  - {memory: DRAM$2}
  - {array: PE, shape: [2], reduction: [{name: sums, map: "PE[i] -> TREE[0]"}]}
  - {memory: L1, tensors: [Y]$2}
  - {array: lane, shape: [2, 2], reduction: [{name: parts, map: "lane[i,j] -> TREE[$1]"}]}
  - {memory: registers, tensors: [Y]$3}
  - {compute: mac}
EOF
}
chained_flow() { # i, j
    cat >chained_flow.yaml <<EOF
loops:
  - {at: DRAM, for: [k 2, i $1]}
  - {at: PE, parallel: [k 2 -> 0]}
  - {at: L1, for: [k 2]}
  - {at: lane, parallel: [k 2 -> 0, k 2 -> 1]}
  - {at: registers, for: [k 2, j $2]}
EOF
}
chained 0 '' ', bandwidth_bits: {read: 8}'
chained_flow 300 1000
same "sums below two trees" "$(cycles gemm:i=300,j=1000,k=64 -a chained.yaml -d chained_flow.yaml)" $((300 * 1000 * (7 + 8)))
chained_flow 3 4
for tree in 0 i; do
    chained $tree ', bandwidth_bits: 16' ', bandwidth_bits: {read: 12}'
    for k in 64 51; do
        both "sums below trees, one a $tree, k = $k, executed" gemm:i=3,j=4,k=$k -a chained.yaml -d chained_flow.yaml
    done
done

# A row of PEs that hold one sum all the while and pass it on over wires: it starts at the end that has it from nobody, PE 0
# or PE 2, where k = 0 runs in stamp 0 or 2. Whoever does not start it reads it beside A, a word a cycle: only stamp 0 of
# four may do without.
cat >wire.yaml <<EOF
levels:
  - memory: DRAM
  - {array: PE, shape: [3], links: [{name: on, map: "PE[i] -> PE[i+1]", interval: 0, tensors: [Y]}]}
  - {memory: registers, bandwidth_bits: {read: 16}}
  - {compute: mac}
EOF
printf 'sizes: {i: 1, k: 2, l: 3}\nop: "Y[i] += A[i,k,l]"\n' >passed.yaml
printf 'space: l\ntime: "i, k + l"\ncuts: {registers: {time: 0}}\n' >passed_flow.yaml
same "a sum passed on" "$(cycles passed.yaml -a wire.yaml -d passed_flow.yaml)" 7
same "a sum passed back" "$(cycles passed.yaml -a wire.yaml -d passed_flow.yaml \
    --set 'levels.PE.links.on.map="PE[i] -> PE[i-1]"')" 8
# and in two such rows, one beside the other
printf 'sizes: {i: 1, m: 2, k: 2, l: 3}\nop: "Y[i,m] += A[i,m,k,l]"\n' >passed.yaml
printf 'space: "m, l"\ntime: "i, k + l"\ncuts: {registers: {time: 0}}\n' >passed_flow.yaml
for step in +1:7 -1:8; do
    same "sums passed, $step" "$(cycles passed.yaml -a wire.yaml -d passed_flow.yaml --set levels.PE.shape=[2,3] \
        --set "levels.PE.links.on.map=\"PE[i,j] -> PE[i,j${step%:*}]\"")" "${step#*:}"
done

# An exploration says what an analysis says, and an execution counts; a database of the one timing does not take the other.
space="gemm:i=12,j=8,k=5 --arch systolic-2d-8x8 --set levels.scratchpad.bandwidth_bits=64"
# shellcheck disable=SC2086
sator explore $space --timing scheduled --quiet --db times.db --json |
    sed -n 's/^.*"space": "\([^"]*\)", "time": "\([^"]*\)".*"total": \([0-9]*\)}, "bandwidth.*$/\1|\2|\3/p' >rows
[ "$(wc -l <rows)" -gt 20 ] || echo "few rows: $(wc -l <rows)"
awk 'NR % 17 == 1' rows | while IFS='|' read -r where when total; do
    same "explored, $where, $when" "$total" "$(cycles $space --space "$where" --time "$when")"
    same "executed, $where, $when" "$total" "$(sator simulate $space --space "$where" --time "$when" --json |
        sed -n 's/^.*"cycles":[^0-9]*\([0-9]*\),*$/\1/p')"
done
# shellcheck disable=SC2086
sator explore $space --timing roofline --quiet --db times.db --resume >/dev/null 2>said || sed -n 's/^.*error: //p' said

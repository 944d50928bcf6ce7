#!/bin/sh
# sator convert and show --as: what is written in another tool's notation reads back as the same relations, and what cannot be
# said is refused at its place, with the reason.
sator=$1
fail() { echo "$*"; exit 1; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
relations() { "$sator" analyze "$@" --show relations -q 2>/dev/null | grep -E '^(Domain|Read|Write|Dataflow)[A-Za-z_]* :='; }
refused() { # what the message says, then the command
    said=$1
    shift
    "$sator" "$@" >out 2>messages && fail "not refused: $*"
    grep -q "$said" messages || fail "$*: '$said' is not said: $(cat messages)"
}

cat >machine.yaml <<'EOF2'
name: machine
levels:
  - {memory: DRAM, bandwidth_bits: 64, energy_pj: 200}
  - {memory: L2, capacity_words: 4096, bandwidth_bits: {read: 128, write: 64}, double_buffered: true, energy_pj: {read: 6, write: 7}}
  - {array: PE, shape: [4, 2], multicast: [{name: all, map: "PE[i,j] -> BUS[0]"}], reduction: [{name: sum, map: "PE[i,j] -> TREE[0]"}]}
  - {memory: L1, capacity_words: 64, may_bypass: [B], energy_pj: 1}
  - {compute: mac, energy_pj: 0.5}
EOF2
cat >line.yaml <<'EOF2'
name: line
levels:
  - {memory: L2}
  - {array: PE, shape: [8]}
  - {compute: mac}
EOF2
cat >conv.yaml <<'EOF2'
name: conv
sizes: {n: 2, k: 8, c: 4, oy: 6, ox: 5, ry: 3, rx: 3}
op: "Y[n,k,oy,ox] += A[n,c,2*oy+ry,2*ox+rx] * B[k,c,ry,rx]"
word_bits: {A: 8, B: 8, Y: 8}
EOF2
cat >wide.yaml <<'EOF2'
name: wide
sizes: {i: 16, j: 16, k: 16}
op: "Y[i,j] += A[i,k] * B[k,j]"
word_bits: {A: 32, B: 32, Y: 32}
EOF2
cat >nest.yaml <<'EOF2'
name: nest
loops:
  - {at: DRAM, for: [i 2, j 4]}
  - {at: L2, for: [k 8, i 2]}
  - {at: PE, parallel: [i 2 -> 0, k 2 -> 0, j 2 -> 1]}
  - {at: L1, for: [j 2, i 2], bypass: [B]}
EOF2

# Timeloop: problem, architecture and mapping in one file. The array is called by what it is below.
"$sator" convert gemm:i=16,j=16,k=16 --arch machine.yaml --dataflow nest.yaml --to timeloop -o design.yaml 2>messages ||
    fail "no design: $(cat messages)"
grep -q 'left out: energies' messages || fail "it is not said that energies are left out: $(cat messages)"
"$sator" check design.yaml -q 2>messages || fail "the design does not read back: $(cat messages)"
relations gemm:i=16,j=16,k=16 --arch machine.yaml --dataflow nest.yaml >given
relations design.yaml --arch design.yaml --dataflow design.yaml >back
[ "$(wc -l <given)" = 5 ] || fail "five relations were expected: $(cat given)"
cmp given back || fail "the design has other relations: $(diff given back)"
levels() { "$sator" analyze "$@" -q 2>/dev/null | sed -n '/^Memory levels/,/^$/p' | grep -E ' [ABY]  *(read|write) ' | sed 's/^ *[^ABY]*//' | sort; }
levels gemm:i=16,j=16,k=16 --arch machine.yaml --dataflow nest.yaml >given
levels design.yaml --arch design.yaml --dataflow design.yaml >back
cmp given back || fail "the design has other figures: $(diff given back)"
"$sator" convert conv.yaml --to timeloop -q >problem.yaml || fail "no problem"
"$sator" show problem.yaml | grep -q 'A\[n, c, 2\*oy + ry, 2\*ox + rx\]' || fail "strides are lost: $(cat problem.yaml)"
refused "cannot say 'k + i%8 + j%8'.*without skew" show gemm --as timeloop --arch systolic-2d-8x8 --dataflow gemm/ij-p_j-ijk-t
refused "at which memory each loop stands" convert gemm:i=8,j=8,k=8 --arch line.yaml --space i --time j,k --to timeloop
# Tiles that are ragged are said to be, those that are not are not.
"$sator" analyze gemm:i=15,j=16,k=16 --arch machine.yaml --dataflow nest.yaml -q | grep -q '^ *ragged  *i 2 x 2 x 2 x 2 over 15: last tiles' ||
    fail "ragged tiles are not shown"
"$sator" analyze gemm:i=16,j=16,k=16 --arch machine.yaml --dataflow nest.yaml --json -q | grep -q ragged && fail "whole tiles are ragged"
refused 'ragged tiles' convert gemm:i=15,j=16,k=16 --arch machine.yaml --dataflow nest.yaml --to timeloop
refused 'has 8 layers: choose one' convert alexnet --to timeloop
refused "'A' is accessed several times" convert jacobi2d --to timeloop

# what a machine or a workload says that no other notation has is named, and Sator's own has all of it
cat >busy.yaml <<'EOF2'
name: busy
levels:
  - {memory: DRAM, bandwidth_bits: 64, energy_pj: 1, setup_cycles: 3}
  - {memory: L2, energy_pj: 1, transfers: serial, gating: {A: [A]}}
  - {array: PE, shape: [4, 4], topology: systolic-2d, pass_through: true}
  - {memory: registers, holds: idle, energy_pj: 1}
  - {compute: mac, energy_pj: 1, skipping: [A, B], per_stamp: 1}
control: {instruction_bits: 32, from: DRAM}
EOF2
for format in timeloop maestro scalesim zigzag accelergy; do
    "$sator" convert --arch busy.yaml --to $format 2>messages >/dev/null || fail "$format: no machine: $(cat messages)"
    for what in 'setup_cycles and granule_bits' 'transfers' 'gating' 'pass_through' 'holds: idle' 'skipping' 'per_stamp' 'control'; do
        grep -q "left out: .*$what" messages || fail "$format: it is not said that $what is left out: $(cat messages)"
    done
done
"$sator" convert --arch busy.yaml --to sator >again.yaml 2>messages || fail "no machine"
[ ! -s messages ] || fail "Sator's own notation leaves out something: $(cat messages)"
"$sator" convert --arch again.yaml --to sator | cmp - again.yaml || fail "a machine is another after it was written"
"$sator" convert gemm:i=4,j=4,k=4 --set density='{A: 0.5}' --to timeloop 2>messages >/dev/null
grep -q 'left out: density' messages || fail "it is not said that the density is left out: $(cat messages)"

# MAESTRO: a dataflow of one array dimension is the same in its stamps, too.
"$sator" convert conv.yaml --arch line.yaml --space k --time 'n, oy/2, c, ox, oy%2, ry' --to maestro -q >net.m || fail "no network"
"$sator" show conv.yaml -q | grep op: >given
"$sator" show net.m -q | grep op: | sed 's/^  *//' >back
cmp given back || fail "the layer is another: $(cat back)"
relations conv.yaml --arch line.yaml --space k --time 'n, oy/2, c, ox, oy%2, ry' | grep ^Dataflow >given
relations net.m --layer 1 --arch line.yaml --dataflow net.m | grep ^Dataflow >back
cmp given back || fail "the directives are others: $(cat net.m given back)"
"$sator" convert conv.yaml --arch machine.yaml --space 'k%4, c%2' --time 'k/4, c/2, oy, ox' --to maestro -q >net.m || fail "no network of clusters"
grep -q 'Cluster(2,P)' net.m || fail "no cluster for the second dimension: $(cat net.m)"
"$sator" convert net.m --arch line.yaml --to maestro -q | diff - net.m | grep '^[<>]' | grep -v Network && fail "a second time it is another"
"$sator" convert --arch machine.yaml --to maestro -q | grep -qx 'num_pes: 8' || fail "not 4 x 2 PEs"
refused "cannot say 'i + j + k'.*without skew" show gemm:i=4,j=4,k=4 --as maestro --arch systolic-2d-8x8 --stt '[[1,0,0],[0,1,0],[1,1,1]]'
refused 'neither a convolution nor a product' convert mttkrp --to maestro
refused 'give an architecture' convert gemm --space i --time j --to maestro

# Space-time transformation, both ways.
"$sator" analyze gemm:i=8,j=8,k=8 --arch systolic-2d-8x8 --stt '[[1,0,0],[0,1,0],[1,1,1]]' -q | grep -q 'T\[i + j + k\]' || fail "the matrix is read as another"
[ "$("$sator" show gemm:i=8,j=8,k=8 --as stt --arch systolic-2d-8x8 --space i,j --time i+j+k)" = '[[1,0,0], [0,1,0], [1,1,1]]' ] || fail "the matrix is another"
refused "cannot say 'i%8'.*quotients" show gemm --as stt --arch systolic-2d-8x8 --dataflow gemm/ij-p_j-ijk-t
refused 'at least one is time' analyze gemm --arch systolic-2d-8x8 --stt '[[1,0,0],[0,1,0]]'
refused 'a matrix of whole numbers' analyze gemm --arch systolic-2d-8x8 --stt '[[1,0],[0,1],[1,1]]'

# ZigZag: a file each.
"$sator" convert conv.yaml --to zigzag -q >layers.yaml || fail "no layers"
"$sator" show layers.yaml -q | grep -q 'A\[n, c, 2\*oy + ry, 2\*ox + rx\] \* B\[k, c, ry, rx\]' || fail "the layer is another: $(cat layers.yaml)"
"$sator" convert --arch machine.yaml --to zigzag -q >hardware.yaml || fail "no hardware"
"$sator" show hardware.yaml -q 2>/dev/null >shown
grep -q 'shape: \[4, 2\]' shown && grep 'memory: L2' shown | grep -q 'double_buffered: true' || fail "the hardware is another: $(cat shown)"
# 6 pJ a word of 16 bits is 48 an access of 128
grep 'memory: L2' shown | grep -q 'read: {value: 48, row_bits: 128}' || fail "its energies are others: $(grep L2 shown)"
"$sator" convert conv.yaml --arch machine.yaml --space 'k%4, c%2' --time 'n, k/4, c/2, oy, ox, ry, rx' --to zigzag -q >mapping.yaml || fail "no mapping"
relations conv.yaml --arch machine.yaml --space 'k%4, c%2' --time 'n, k/4, c/2, oy, ox, ry, rx' | grep ^Dataflow >given
relations conv.yaml --arch machine.yaml --dataflow mapping.yaml | grep ^Dataflow >back
cmp given back || fail "the mapping is another: $(cat mapping.yaml given back)"
refused 'not written as\|innermost, and further out is larger' convert conv.yaml --arch line.yaml --space 'k/2' --time 'k%2, oy' --to zigzag

# SCALE-Sim.
printf 'Layer,M,N,K,\nfc,128,512,1536,\n' >gemm.csv
"$sator" convert gemm.csv --to scalesim | cmp - gemm.csv || fail "products are others"
"$sator" convert conv.yaml --to scalesim -q >conv.csv
grep -qx 'conv,13,11,3,3,4,8,2,2,' conv.csv || fail "not (6 - 1) 2 + 3 = 13 rows: $(cat conv.csv)"
"$sator" show conv.csv -q | grep -q 'sizes: {n: 2, k: 8, c: 4, ox: 5, oy: 6, rx: 3, ry: 3}' || fail "the convolution reads back as another"
printf '[architecture_presets]\nArrayHeight: 8\nArrayWidth: 4\nIfmapSramSzkB: 64\nFilterSramSzkB: 32\nOfmapSramSzkB: 16\nBandwidth: 10\n[run_presets]\nInterfaceBandwidth: USER\n' >scale.cfg
"$sator" convert scale.cfg --to scalesim -q >back.cfg 2>/dev/null || fail "no configuration"
"$sator" show scale.cfg -q 2>/dev/null | grep -v '^name' >given
"$sator" show back.cfg -q 2>/dev/null | grep -v '^name' >back
cmp given back || fail "the configuration is another: $(cat back.cfg)"

# C: a function a layer, the same accesses over the same loops, with the widths that types have.
same_in_c() { # workload, its layer's function
    "$sator" convert "$1" --to c -q >nest.c 2>messages || fail "$1 is not written in C: $(cat messages)"
    relations "$1" --arch line.yaml --stt "$3" >given
    relations nest.c --function "$2" --arch line.yaml --stt "$3" >back
    [ "$(wc -l <given)" -ge 4 ] || fail "$1: four relations were expected: $(cat given)"
    cmp given back || fail "$1 in C is something else: $(diff given back)"
    "$sator" convert nest.c --function "$2" --to c -q | cmp - nest.c || fail "$1 in C is written otherwise a second time"
}
if "$sator" check "$2/examples/gemm.c" -q 2>/dev/null; then
    same_in_c conv.yaml conv '[[0,1,0,0,0,0,0],[1,0,0,0,0,0,0],[0,0,1,0,0,0,0],[0,0,0,1,0,0,0],[0,0,0,0,1,0,0],[0,0,0,0,0,1,0],[0,0,0,0,0,0,1]]'
    grep -q 'signed char A\[2\]\[4\]\[13\]\[11\]' nest.c || fail "not 2 x 4 x ((6 - 1) 2 + 3) x 11 words of 8 bits: $(head -1 nest.c)"
    printf 'name: 2 halves\nsizes: {i: 8, j: 6}\nop: "Y[i] += A[(i+j)/2, j%%3]"\nword_bits: {A: 64, Y: 32}\n' >halves.yaml
    same_in_c halves.yaml layer_2_halves '[[1,0],[0,1]]'
    grep -q 'float Y\[8\], double A\[7\]\[3\]' nest.c || fail "not (7 + 5) / 2 + 1 rows: $(head -1 nest.c)"
    "$sator" convert alexnet --to c -q >net.c && "$sator" analyze net.c --function conv3 --arch line.yaml --space 'k%8' --time k/8,n,c,ox,oy,rx,ry -q |
        grep -q '149,520,384 loop instances' || fail "a layer of a network in C is another"
fi
refused "cannot say index 1 of 'A', 'i - 1': it may be negative" convert jacobi2d --to c
printf 'name: triangle\nsizes: {i: 8, j: 8}\nop: "Y[i] += A[i,j]"\nwhere: "j <= i"\n' >triangle.yaml
refused "cannot say the domain of 'triangle'" convert triangle.yaml --to c
refused 'give a workload' convert --arch line.yaml --to c

# Accelergy: a machine without energies gets them back.
"$sator" convert --arch machine.yaml --to accelergy -q >ERT.yaml || fail "no tables"
sed 's/, energy_pj: {[^}]*}//; s/, energy_pj: [0-9.]*//' machine.yaml >bare.yaml
grep -q energy bare.yaml && fail "energies are left: $(cat bare.yaml)"
energy() { "$sator" analyze gemm:i=16,j=16,k=16 --dataflow nest.yaml "$@" --csv -q 2>/dev/null | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "energy_pj") c = i; next } { print $c; exit }'; }
[ -n "$(energy --arch machine.yaml)" ] && [ "$(energy --arch machine.yaml)" = "$(energy --arch bare.yaml --set energy_table=ERT.yaml)" ] ||
    fail "$(energy --arch machine.yaml) pJ are $(energy --arch bare.yaml --set energy_table=ERT.yaml)"

# Words are as wide as those of the Timeloop machine of the same workload: L2's word of 32 bits costs twice that of 16.
"$sator" convert wide.yaml --arch machine.yaml --to accelergy -q >wide.ERT || fail "no tables with a workload"
"$sator" convert wide.yaml --arch machine.yaml --to timeloop -q | grep -q 'datawidth: 32' || fail "no words of 32 bits"
grep -q 'name: read, arguments: {}, energy: 12}' wide.ERT || fail "L2 reads words of another width: $(cat wide.ERT)"
grep -q 'words of 32 bits' wide.ERT || fail "the width is not said: $(cat wide.ERT)"

# What a machine says of tensors, and of one direction, is left out by name.
cat >named.yaml <<'YAML'
name: named
levels:
  - {memory: DRAM}
  - {memory: L2, bandwidth_bits: {read: 128, write: 64}}
  - {array: PE, shape: [8], multicast: [{name: inputs, map: "PE[i] -> BUS[0]", tensors: [A]}], reduction: [{name: sums, map: "PE[i] -> TREE[0]", tensors: [Y]}]}
  - {memory: L1, capacity_words: {A: 64, B: 64, Y: 16}}
  - {compute: mac}
YAML
for format in timeloop maestro; do
    "$sator" convert --arch named.yaml --to $format 2>left >/dev/null
    for what in 'which tensors a bus or tree is for' 'capacities of tensors'; do
        grep -q "$what" left || fail "$format: $what: $(cat left)"
    done
done
grep -q 'bandwidths of writes' left || fail "maestro has one bandwidth: $(cat left)"

# Sator's own notation, and what is wrong on the command line.
"$sator" convert net.m --to sator | "$sator" check - -q && fail "two documents are one"
refused 'no format was named' convert gemm
refused 'no NAME' convert --to timeloop
refused 'go with --as' show gemm --arch line.yaml
exit 0

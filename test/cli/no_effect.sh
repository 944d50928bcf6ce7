#!/bin/sh
# What is accepted and has no effect is said, at its place; what is given twice is an error.
. "$2/test/cli/harness"
said() { # the places and words of a command's messages
    echo "== $1"
    shift
    sator "$@" 2>&1 >/dev/null | grep -E 'error|warning|help|^sator'
}
array() { # an architecture with these wires
    printf 'levels:\n  - {memory: L2}\n  - array: PE\n    shape: [4, 4]\n    %s\n  - {compute: mac}\n' "$1"
}
# wires that join nothing
array 'links: [{name: a, map: "PE[i,j] -> PE[i,j]"}]' >self.yaml
array 'links: [{name: a, map: "PE[i,j] -> PE[i,j]", interval: 2}]' >delay.yaml # what it held two stamps ago is no longer there
array 'links: [{name: a, map: "PE[i,j] -> PE[2*i,j] : i < 1"}]' >row.yaml
array 'links: [{name: a, map: "PE[i,j] -> PE[2*i,j] : i < 2"}]' >rows.yaml # PE[1,j] -> PE[2,j]
array 'links: [{name: a, map: "PE[i,j] -> PE[i,j+1] : i > 3"}]' >out.yaml
array 'links: [{name: a, map: "PE[i,j] -> PE[i+2*j+3,0]"}]' >corner.yaml # PE[0,0] -> PE[3,0]
array 'multicast: [{name: a, map: "PE[i,j] -> BUS[4*i+j]"}]' >alone.yaml
array 'multicast: [{name: a, map: "PE[i,j] -> BUS[3*i+j]"}]' >pair.yaml # PE[0,3] and PE[1,0]
array 'reduction: [{name: a, map: "PE[i,j] -> TREE[0] : i > 4"}]' >nobody.yaml
# wires that lead where another one does, for tensors that it serves; not those of another interval, or of further tensors
array 'links: [{name: a, map: "PE[i,j] -> PE[i,j+1]"}, {name: b, map: "PE[i,j] -> PE[i,j+1]", tensors: [A]}, {name: c, map: "PE[p,q] -> PE[p,1+q]", interval: 0}]' >copies.yaml
array 'multicast: [{name: a, map: "PE[i,j] -> BUS[i]", tensors: [A, B]}, {name: b, map: "PE[i,j] -> BUS[i]", tensors: [B, C]}, {name: c, map: "PE[i,j] -> BUS[i]", tensors: [A]}]
    reduction: [{name: d, map: "PE[i,j] -> TREE[i]"}, {name: e, map: "PE[i,j] -> TREE[i]"}]' >copied.yaml
for file in self delay row rows out corner alone pair nobody copies copied; do
    said $file check $file.yaml
done
# buses for tensors that are never read, trees for tensors that are never written; no word of tensors that are not here
array 'multicast: [{name: a, map: "PE[i,j] -> BUS[i]", tensors: [Y, Z]}, {name: b, map: "PE[i,j] -> BUS[i]", tensors: [Y, B]}]' >buses.yaml
array 'reduction: [{name: a, map: "PE[i,j] -> TREE[i]", tensors: [A, B]}, {name: b, map: "PE[i,j] -> TREE[i]"}]' >trees.yaml
array 'reduction: [{name: a, map: "PE[i,j] -> TREE[i]", tensors: [Y]}]' >tree.yaml
flow="--space i%4,j%4 --time i/4,j/4,k"
for file in buses trees tree; do
    said "analyze $file" analyze gemm:i=4,j=4,k=4 --arch $file.yaml $flow
done
# a name that is a tensor's but for its case, unless it is a tensor's, too
array 'links: [{name: a, map: "PE[i,j] -> PE[i,j+1]", tensors: [a, A]}, {name: b, map: "PE[i,j] -> PE[i+1,j]", tensors: [b, C]}]' >case.yaml
said 'analyze case' analyze gemm:i=4,j=4,k=4 --arch case.yaml $flow
printf 'sizes: {i: 4, j: 4, k: 4}\nop: "A[i,j] += a[i,k] * b[k,j]"\n' >case_of_workload.yaml
said 'analyze another case' analyze case_of_workload.yaml --arch case.yaml $flow
said 'explore trees' explore gemm:i=4,j=4,k=4 --arch trees.yaml --vary 'levels.PE.shape=[[4,4],[2,2]]' --list --top 1
# memories: two buffers of nothing, bandwidths past which all words go, and what is said of tensors that are never held
memory() { # an architecture with this inner memory
    printf 'levels:\n  - {memory: L2}\n  - {array: PE, shape: [4, 4]}\n  - memory: L1\n    %s\n  - {compute: mac}\n' "$1"
}
memory 'double_buffered: true' >halves.yaml
memory 'bandwidth_bits: 64
    ports: [{name: p, bandwidth_bits: 8}, {name: q, tensors: [A], bandwidth_bits: 8}]' >ports.yaml
memory 'bandwidth_bits: 64
    ports: [{name: p, direction: read, bandwidth_bits: 8}]' >writes.yaml # writes still pass there
memory 'tensors: [A, B]
    word_bits: {A: 8, Y: 32}
    may_bypass: [B, Z]
    energy_pj: {read: 1, tensors: {Y: {read: 2}}}' >held.yaml
for file in halves ports writes held; do
    said $file check $file.yaml
done
array 'links: [{name: a, map: "PE[i,j] -> PE[i,j+1]", tensors: []}]' >nothing.yaml
said nothing check nothing.yaml
# sizes of what has no loops; a schedule of a model that has none; cells of no table
said 'sizes of a machine' analyze gemm --arch tree.yaml:i=3 $flow
said 'sizes of a dataflow' analyze gemm --arch tree.yaml --dataflow gemm/ij-p_j-ijk-t:k=4,j=3
said 'tenet scheduled' analyze gemm --arch tree.yaml $flow --model tenet --timing scheduled
said 'cells' analyze gemm --arch tree.yaml $flow --max-cells 30
said 'cells of relations' analyze gemm --arch tree.yaml $flow --show relations --max-cells 30
# loops that index nothing
printf 'name: net\nlayers:\n  - {name: a, sizes: {i: 8, z: 9}, where: "z < 3", op: "Y[i] += A[i]"}\n  - {workload: gemm}\n' >net.yaml
said 'a size' check net.yaml
# a condition that all instances fulfil, as far as ranges tell; not one that only a setting makes true
condition() { # a workload with this "where"
    printf 'name: w\nsizes: {i: 4, j: 6}\nop: "Y[i] += A[i,j]"\nwhere: "%s"\n' "$1"
}
condition 'i < 4 and j - i >= -3 and i + 7 != j' >all.yaml
condition 'j >= i or j <= 5' >either.yaml
condition 'j - i >= -2' >some.yaml
for file in all either some; do
    said "condition $file" check $file.yaml
done
said 'a set size' check some.yaml --set sizes.i=3
# a skew of PEs of which one works
printf 'loops:\n  - {at: L2, for: [i 4, k 4]}\n  - {at: PE, skew: [1, 0]}\n' >skew.yaml
said 'a skew' check skew.yaml
# given twice
said '--dataflow' analyze gemm --arch tree.yaml -d skew.yaml gemm/ij-p_j-ijk-t -d skew.yaml
echo "== a pattern and a name"
sator analyze gemm:i=4,j=4,k=4 --arch tree.yaml -d 'gemm/?j-p*' gemm/ij-p_j-ijk-t 'gemm/k*' -q | sed -n 's/^  (\(..-P\).*/\1/p'
said --arch analyze gemm --arch tree.yaml --arch tree.yaml $flow
said -j analyze gemm --arch tree.yaml $flow -j 2 --threads=3
said --pack explore gemm --arch tree.yaml --pack 1 --pack 2
said -q show gemm -q -q
said --set analyze gemm --arch tree.yaml $flow --set sizes.i=4 --set sizes.j=4 --set sizes.i=8
said 'a size and --set' analyze gemm:i=4 --arch tree.yaml $flow --set sizes.i=8
said --vary explore gemm --arch tree.yaml --vary 'levels.PE.shape=[[4,4]]' --vary 'PE.shape=[[2,2]]'
said '--vary and --set' explore gemm --arch tree.yaml --set 'levels.PE.shape=[4,4]' --vary 'levels.PE.shape=[[2,2]]'
# a loop that leaves the array: where it is put there
printf 'name: nest\nloops:\n  - {at: L2, for: [i 2, k 4]}\n  - at: PE\n    parallel: [i 2 -> 0, j 4 -> 1, i 4 -> 0]\n' >nest.yaml
said 'a nest' analyze gemm:i=16,j=4,k=4 --arch tree.yaml -d nest.yaml
printf 'name: stamp\nspace: "PE[i%%4, j]"\ntime: "T[i/4, k]"\n' >stamp.yaml
said 'a stamp' analyze gemm:i=16,j=5,k=4 --arch tree.yaml -d stamp.yaml
said --space analyze gemm:i=5,j=4,k=4 --arch tree.yaml --space i,j --time k
# in C files: a loop over time is what the file says, and no mistake
if sator show "$SOURCE/examples/gemm.c" 2>&1 | grep -q libclang; then
    echo 'SKIP: libclang'
    exit 77
fi
printf 'void f(int A[8], int Y[8]) { for (int t = 0; t < 5; t++) for (int i = 0; i < 8; i++) Y[i] += A[i]; }\n' >time.c
said 'a loop over time' analyze time.c --arch tree.yaml --space i%4,0 --time t,i/4 --set sizes.t=4
said -D check "$SOURCE/examples/gemm.c" -DN=4 -DM=4 -DN=8

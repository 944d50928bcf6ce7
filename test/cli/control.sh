#!/bin/sh
# Instructions, their fetches and the reordering of outputs (doc/model.md, section 8), with figures counted by hand.
. "$2/test/cli/harness"
cat >machine.yaml <<'EOF'
control: {instruction_bits: 64, reorder: true}
levels:
  - {memory: DRAM, energy_pj: {read: 10, write: 20}}
  - {memory: L1, energy_pj: {read: 1, write: 2}}
  - {array: PE, shape: 2}
  - {compute: mac, energy_pj: 1}
EOF
printf 'space: "i%%2"\ntime: "i/2, k/3, j, k%%3"\ncuts: {L1: {time: 3}}\n' >flow.yaml
control() { sator analyze "$@" --json | sed -n '/"control":/,/}/p' | tr -d '\t\n' && echo; }
terms() { sator analyze "$@" --json | grep -A3 '"component":.*control' | tr -d '\t\n' && echo; }

# L1's stamps are (i/2, k/3, j), 2 x 2 x 3. A's tile is (i/2, k/3): 4 loads. B's is (k/3, j): another one each time, 12. Y's is (i/2, j):
# 12 stores, of which 6 come back, as there are 6. An instruction has 4 words of 10 pJ; 12 outputs take 30 pJ each.
control gemm:i=4,j=3,k=6 -a machine.yaml -d flow.yaml
terms gemm:i=4,j=3,k=6 -a machine.yaml -d flow.yaml
# a last tile that is short: i/2 has 3 values, so 6 + 18 + 9 loads and 18 stores
control gemm:i=5,j=3,k=6 -a machine.yaml -d flow.yaml
# j outside k: A's tile changes each time, 12; B's too; Y's is done before it changes: 6 stores and none comes back
sed 's,k/3\, j,j\, k/3,' flow.yaml >done.yaml
control gemm:i=4,j=3,k=6 -a machine.yaml -d done.yaml
# all in L1 at once: one load of A and of B, one store of Y
control gemm:i=4,j=3,k=6 -a machine.yaml -d flow.yaml --set cuts.L1.time=0
# no L1: a transfer a stamp, of which there are 36; A's rows (i/2, k/3, k%3) are another one in each, as are B's (k/3, j, k%3);
# Y's (i/2, j) stay for 3 stamps: 12 stores, 6 of them come back
sed '/L1/d' machine.yaml >flat.yaml
sed '/cuts/d' flow.yaml >all.yaml
control gemm:i=4,j=3,k=6 -a flat.yaml -d all.yaml
# Y bypasses L1: it is moved stamp by stamp
control gemm:i=4,j=3,k=6 -a machine.yaml -d flow.yaml --set levels.L1.bypass=[Y]

# another memory to fetch from, a price of one's own, no reordering; what show prints is read again
terms gemm:i=4,j=3,k=6 -a machine.yaml -d flow.yaml --set control.from=L1
terms gemm:i=4,j=3,k=6 -a machine.yaml -d flow.yaml --set control.energy_pj=7 --set control.reorder=false
sator show machine.yaml --set control.from=L1 | tee shown.yaml | grep control
terms gemm:i=4,j=3,k=6 -a shown.yaml -d flow.yaml

# text; a network's totals, repeats included: 34 + 3 x 51 instructions, 12 + 3 x 15 words
sator analyze gemm:i=4,j=3,k=6 -a machine.yaml -d flow.yaml | grep '^ *control'
cat >net.yaml <<'EOF'
layers: [{name: a, workload: gemm, sizes: {i: 4, j: 3, k: 6}}, {name: b, workload: gemm, sizes: {i: 5, j: 3, k: 6}, repeat: 3}]
EOF
sator analyze net.yaml -a machine.yaml -d flow.yaml | grep '^ *control'
sator analyze net.yaml -a machine.yaml -d flow.yaml --json | sed -n '/"totals":/,$p' | grep -E '"(instructions|reordered_words)"'
# the search leaves it out; the mapping's own analysis has the same
sator map net.yaml -a machine.yaml --set levels.L1.capacity_words=12 | grep '^ *control'
sator map gemm:i=4,j=3,k=6 -a machine.yaml --set levels.L1.capacity_words=12 --json >mapped.json
sator map gemm:i=4,j=3,k=6 -a machine.yaml --set levels.L1.capacity_words=12 --yaml >found.yaml
sed -n '/"control":/,/}/p' mapped.json | tr -d '\t\n' >mapped
sator analyze gemm:i=4,j=3,k=6 -a machine.yaml --set levels.L1.capacity_words=12 -d found.yaml --json | sed -n '/"control":/,/}/p' | tr -d '\t\n' >analyzed
cmp mapped analyzed
# the proof does without, and says so; another mapping is compared without, too
grep -o 'what control takes[^"]*' mapped.json
sator map gemm:i=4,j=3,k=6 -a machine.yaml --set levels.L1.capacity_words=12 --why-not found.yaml | grep -o 'without control, as good as the best mapping'

# a time-stamp with conditions
sator analyze gemm:i=4,j=3,k=6 -a machine.yaml --space 'i%2' --time '{ S[i,j,k] -> T[0, i/2, j, k] : k < 3; S[i,j,k] -> T[1, i/2, j, k] : k >= 3 }' || echo refused

# other tools have no words for it
sator show machine.yaml --as timeloop 2>&1 | grep -o 'left out: .*'

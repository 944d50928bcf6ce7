#!/bin/sh
# Executions beside their analyses: values, counts, cycles; inputs of every kind; the files of --trace and --events; exit codes.
. "$2/test/cli/harness"
# Output-stationary: folds x (R + C + T - 2) cycles where nothing waits, short folds less (doc/simulate.md).
wide='--set levels.scratchpad.bandwidth_bits=100000'
sator simulate gemm:i=20,j=12,k=9 --arch systolic-2d-8x8 --dataflow gemm/ij-p_j-ijk-t
echo "== cycles of R x C arrays"
for size in 'i=32,j=32,k=10 [16,16] 160' 'i=64,j=32,k=5 [32,32] 134' 'i=100,j=60,k=75 [16,8] 5308'; do
    set -- $size
    sator simulate gemm:$1 --arch systolic-2d-8x8 $wide --set levels.PE.shape=$2 --dataflow gemm/ij-p_j-ijk-t --json >out.json || exit 1
    echo "$2: $(grep '"cycles"' out.json | tr -dc 0-9), must be $3"
done
sator simulate gemm:i=100,j=60,k=75 --arch systolic-2d-8x8 $wide --set levels.PE.shape=[16,8] --set levels.PE.pass_through=true --dataflow gemm/ij-p_j-ijk-t --json |
    sed -n 's/.*"cycles":\t\([0-9]*\),/with pass_through: \1, must be 5432/p'
echo "== C, a domain that is no box, in place"
cat >triangle.c <<'END'
void f(int Y[8][8], int A[8][8], int B[8][8]) {
#pragma scop
    for (int i = 0; i < 8; i++)
        for (int j = 0; j <= i; j++)
            for (int k = 0; k < 8; k++)
                Y[i][j] += A[i][k] * B[k][j];
#pragma endscop
}
END
cat >solve.yaml <<'END'
name: solve
sizes: {i: 6, j: 6}
op: "X[i] += L[i,j] * X[j]"
where: "j < i"
END
equal() { sator simulate "$@" --json | grep -E '"(values|counts)"' | tr -d '\t'; }
equal triangle.c --arch systolic-2d-8x8 --space 'i%8, j%8' --time 'k + i%8 + j%8'
equal solve.yaml --arch systolic-1d --space 'i%8' --time 'j'
# the old value that is read by name is no operand, wherever the sum is
cat >updated.yaml <<END
name: updated
domain: "{ S[i,j,k] : 0 <= i, j, k < 4 }"
reads: ["{ S[i,j,k] -> A[i,k] }", "{ S[i,j,k] -> B[k,j] }", "{ S[i,j,k] -> Y[i,j] }"]
writes: ["{ S[i,j,k] -> Y[i,j] }"]
END
equal updated.yaml --arch systolic-2d-8x8 --space 'k, i' --time 'j'
echo "== stamps that are no sums of digits"
equal gemm:i=6,j=6,k=5 --arch systolic-2d-8x8 --space 'i%8, j%8' --time '(i + j + k)/3, (i + j + k)%3'
echo "== rings of wires"
# A[i,k] goes round within a stamp, and somebody has to fetch it: where the ring is not cut, nobody does. Of B[k,j] no two PEs hold the same.
for wires in 'PE[i] -> PE[(i+1)%4]' 'PE[i] -> PE[(i+3)%4]'; do
    cat >ring.yaml <<END
name: ring
levels:
  - {memory: scratchpad}
  - {array: PE, shape: [4], links: [{name: round, map: "$wires", interval: 0}]}
  - {compute: mac}
END
    equal gemm:i=3,j=4,k=3 --arch ring.yaml --space j --time 'i, k'
done
echo "== a link to two PEs at once"
cat >two.yaml <<END
name: two
levels:
  - {memory: scratchpad}
  - {array: PE, shape: [4], links: [{name: on, map: "{ PE[i] -> PE[j] : i < j and j <= i + 2 }", interval: 1}]}
  - {compute: mac}
END
equal gemm:i=4,j=3,k=3 --arch two.yaml --space i --time 'j, k + i'
echo "== files"
sator simulate gemm:i=6,j=5,k=3 --arch systolic-2d-8x8 --dataflow gemm/ij-p_j-ijk-t --trace t.json --events e.jsonl -o out.txt || exit 1
head -n 1 e.jsonl
wc -l <e.jsonl
# two PEs: A[0,0] goes east, the rest comes from the scratchpad (level 0) into registers (2); it has all from the start
sator simulate gemm:i=1,j=2,k=1 --arch systolic-2d-8x8 --dataflow gemm/ij-p_j-ijk-t --events two.jsonl -o out.txt || exit 1
grep -o '"moves".*' two.jsonl
grep '"ph":"X"' t.json | grep -c '"pid":2' # an instance a PE and stamp
sator simulate gemm:i=6,j=5,k=3 --arch systolic-2d-8x8 --dataflow gemm/ij-p_j-ijk-t --events e.jsonl --cycles 3:4 -o out.txt || exit 1
sed 1d e.jsonl | cut -d, -f1-3
sator simulate gemm:i=4,j=6,k=3 --arch systolic-2d-8x8 --set 'levels.PE.shape=[2,3]' --space 'i%2, j%3' --time 'i/2, j/3, k + i%2 + j%3' \
    --trace t.json -o out.txt || exit 1
grep '"thread_name"' t.json | grep -o '"name":"PE[^"]*"' # a track a PE, the last dimension fastest
named=$(grep -c '"thread_name"' t.json)
[ "$(grep '"thread_name"' t.json | grep -oE '"pid":[0-9]+,"tid":[0-9]+' | sort -u | wc -l)" = "$named" ] || echo "two tracks are one"
echo "== refused"
# The run is over before the first cycle that is asked for; it ends there.
cycles=$(sator simulate gemm:i=6,j=5,k=3 --arch systolic-2d-8x8 --dataflow gemm/ij-p_j-ijk-t --json | tr -d '\t' | sed -n 's/^"cycles":\([0-9]*\),$/\1/p')
for first in $((cycles + 1)) "$cycles"; do
    sator simulate gemm:i=6,j=5,k=3 --arch systolic-2d-8x8 --dataflow gemm/ij-p_j-ijk-t --events e.jsonl --cycles "$first:" -o out.txt 2>&1
    echo "from $first of $cycles on: $(wc -l <e.jsonl) lines"
done
for bad in '--cycles 3:4' '--events e.jsonl --cycles 4:3' '--arch eyeriss' '--dataflow gemm/ij-p_j-ijk-t' '--trace no/such/file'; do
    sator simulate gemm:i=4,j=4,k=4 --arch systolic-2d-8x8 --dataflow gemm/ij-p_j-ijk-t $bad 2>&1 | head -n 1
done
cat >pairs.yaml <<END
name: pairs
domain: "{ S[i] : 0 <= i < 4 }"
reads: ["{ S[i] -> A[a] : i <= a <= i + 1 }"]
writes: ["{ S[i] -> Y[i] }"]
END
sator simulate pairs.yaml --arch systolic-2d-8x8 --space 'i, 0' --time '0' 2>&1 | head -n 1
echo 'sizes: {i: 1, j: 1}' >one.yaml
echo 'op: "Y[i] += A[i,j] * B[j]"' >>one.yaml
sator simulate one.yaml --arch systolic-2d-8x8 --space '0, 0' --time 'i, j' | head -n 1

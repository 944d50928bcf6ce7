#!/bin/sh
# Dataflows that are none, and operations in place: one rule for analyze, map and explore, for YAML and C.
. "$2/test/cli/harness"
cat >seidel.c <<'END'
#define T 4
#define N 18
double A[N][N];
void seidel(void)
{
#pragma scop
    for (int t = 0; t < T; t++)
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                A[i][j] = (A[i - 1][j] + A[i][j - 1] + A[i][j] + A[i][j + 1] + A[i + 1][j]) / 5;
#pragma endscop
}
END
cat >heat.yaml <<'END'
name: heat
sizes: {t: 4, i: 8, j: 8}
op: "A[t+1,i,j] = A[t,i,j] + A[t,i-1,j] + A[t,i+1,j] + A[t,i,j-1] + A[t,i,j+1]"
END
fails() {
    "$@" 2>&1 && echo "exit code 0"
}
echo "== placement"
fails sator analyze gemm:i=8,j=8,k=8 --arch systolic-2d-8x8 --space '{ S[i,j,k] -> PE[i%4,j%4] : i < 4 }' --time k
fails sator analyze gemm:i=8,j=8,k=8 --arch systolic-2d-8x8 --space 'i,j' --time '{ S[i,j,k] -> T[k]; S[i,j,k] -> T[7-k] }'
sator analyze gemm:i=8,j=8,k=4 --arch systolic-2d-8x8 --space '{ S[k,j,i] -> PE[i%4,j%4] }' --time '{ S[i,j,k] -> T[i,j] }' 2>&1 |
    head -8
sator analyze gemm:i=8,j=8,k=4 --arch systolic-2d-8x8 --space '{ S[k,j,i] -> PE[i%4,j%4] }' --time '{ S[i,j,k] -> T[i,j] }' --json 2>err |
    tr -d '\t' | grep -E '^"(space|time)":"'
echo "== orders"
fails sator analyze seidel.c --arch systolic-2d-8x8 --space 'i%8,j%8' --time 't, i/8, j/8'
sator analyze seidel.c --arch systolic-2d-8x8 --space 'i%8,0' --time 't, i/8, i%8 + j' | grep stamps
fails sator analyze heat.yaml --arch systolic-2d-8x8 --space 'i,j' --time '3-t'
sator analyze heat.yaml --arch systolic-2d-8x8 --space 'i,j' --time 't' | grep stamps
echo "== map"
sator map seidel.c --arch conventional | grep -E '^  (order|mapping)'
sator map heat.yaml --arch conventional | grep -E '^  (order|mapping)'
sator map heat.yaml --arch conventional --json | tr -d '\t' | grep '^"order"'
sator map gemm:i=8,j=8,k=8 --arch conventional | grep -c '^  order'
fails sator map seidel.c --arch conventional --constraint 'PE: only i'
fails sator map seidel.c --arch conventional --constraint 'L2: t 2'
echo "== explore"
sator explore heat.yaml --arch systolic-2d-8x8 --top 1 --quiet | grep -o '^  dependence'

/* Matrix multiplication, as one would write it: Sator reads the loop nest between the pragmas.
 * Another size: sator analyze examples/gemm.c -DN=512 ... */
#ifndef N
#define N 256
#endif

void gemm(_Float16 Y[N][N], _Float16 A[N][N], _Float16 B[N][N])
{
#pragma scop
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                Y[i][j] += A[i][k] * B[k][j];
#pragma endscop
}

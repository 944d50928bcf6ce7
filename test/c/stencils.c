/* Sweeps over grids inside a loop over time. */
#define N 20
#define TSTEPS 5

void kernel_jacobi_2d(int tsteps, double A[N][N], double B[N][N])
{
    for (int t = 0; t < tsteps; t++) {
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                B[i][j] = 0.2 * (A[i][j] + A[i][j - 1] + A[i][1 + j] + A[1 + i][j] + A[i - 1][j]);
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                A[i][j] = 0.2 * (B[i][j] + B[i][j - 1] + B[i][1 + j] + B[1 + i][j] + B[i - 1][j]);
    }
}

void kernel_seidel_2d(float A[N][N])
{
    for (int t = 0; t <= TSTEPS - 1; t++)
        for (int i = 1; i <= N - 2; i++)
            for (int j = 1; j <= N - 2; j++)
                A[i][j] = (A[i - 1][j] + A[i][j - 1] + A[i][j] + A[i][j + 1] + A[i + 1][j]) / 5.0;
}

/* Only the sweep is between the pragmas: the loop over time is no loop of the nest. */
void sweep(float A[N][N], float B[N][N])
{
    for (int t = 0; t < TSTEPS; t++) {
#pragma scop
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                B[i][j] = A[i][j] + A[i + 1][j];
#pragma endscop
    }
}

void kernel_fdtd_2d(int tmax, float ex[N][N], float ey[N][N], float hz[N][N], float fict[TSTEPS])
{
    for (int t = 0; t < tmax; t++) {
        for (int j = 0; j < N; j++)
            ey[0][j] = fict[t];
        for (int i = 1; i < N; i++)
            for (int j = 0; j < N; j++)
                ey[i][j] = ey[i][j] - 0.5f * (hz[i][j] - hz[i - 1][j]);
        for (int i = 0; i < N - 1; i++)
            for (int j = 0; j < N - 1; j++)
                hz[i][j] = hz[i][j] - 0.7f * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
    }
}

void run(double A[N][N], double B[N][N])
{
    kernel_jacobi_2d(TSTEPS, A, B);
    kernel_jacobi_2d(TSTEPS, B, A);
}

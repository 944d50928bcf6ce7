/* Linear algebra kernels with constant sizes: one function each, several nests in most. */
#include <math.h>

#define N 40
#define M 30
#define NR 8
#define NQ 10
#define NP 12

double A[N][M], B[M][N], C[N][N], D[N][N], tmp[N][N];
double u1[N], v1[N], u2[N], v2[N], x[N], y[N], z[N], w[N];

void kernel_2mm(double alpha, double beta)
{
    int i, j, k;
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++) {
            tmp[i][j] = 0.0;
            for (k = 0; k < M; ++k)
                tmp[i][j] += alpha * A[i][k] * B[k][j];
        }
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++) {
            D[i][j] *= beta;
            for (k = 0; k < N; ++k)
                D[i][j] += tmp[i][k] * C[k][j];
        }
}

void kernel_mvt(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            x[i] = x[i] + C[i][j] * y[j];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            z[i] = z[i] + C[j][i] * w[j];
}

void kernel_atax(void)
{
    int i, j;
    for (i = 0; i < N; i++)
        y[i] = 0;
    for (i = 0; i < N; i++) {
        w[i] = 0.0;
        for (j = 0; j < N; j++)
            w[i] = w[i] + C[i][j] * x[j];
        for (j = 0; j < N; j++)
            y[j] = y[j] + C[i][j] * w[i];
    }
}

void kernel_syrk(double alpha, double beta)
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j <= i; j++)
            C[i][j] *= beta;
        for (int k = 0; k < M; k++)
            for (int j = 0; j <= i; j++)
                C[i][j] += alpha * A[i][k] * A[j][k];
    }
}

void kernel_trmm(double alpha)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            for (int k = i + 1; k < M; k++)
                B[i][j] += A[k][i] * B[k][j];
            B[i][j] = alpha * B[i][j];
        }
}

void kernel_gemver(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            C[i][j] = C[i][j] + u1[i] * v1[j] + u2[i] * v2[j];
}

void kernel_doitgen(double T[NR][NQ][NP], double S[NP][NP], double sum[NP])
{
    for (int r = 0; r < NR; r++)
        for (int q = 0; q < NQ; q++) {
            for (int p = 0; p < NP; p++) {
                sum[p] = 0;
                for (int s = 0; s < NP; s++)
                    sum[p] += T[r][q][s] * S[s][p];
            }
            for (int p = 0; p < NP; p++)
                T[r][q][p] = sum[p];
        }
}

void kernel_trisolv(double L[N][N])
{
    for (int i = 0; i < N; i++) {
        x[i] = y[i];
        for (int j = 0; j < i; j++)
            x[i] -= L[i][j] * x[j];
        x[i] = x[i] / L[i][i];
    }
}

void kernel_correlation(double data[N][M], double stddev[M], double mean[M], double eps)
{
    for (int j = 0; j < M; j++) {
        stddev[j] = 0.0;
        for (int i = 0; i < N; i++)
            stddev[j] += (data[i][j] - mean[j]) * (data[i][j] - mean[j]);
        stddev[j] /= N;
        stddev[j] = sqrt(stddev[j]);
        stddev[j] = stddev[j] <= eps ? 1.0 : stddev[j];
    }
}

float B[4][6];
void g(float C[4][6], float Z[4], float (*D)[3][5])
{
    for (int i = 0; i < 4; i++)
        for (int j = 0; j <= i + 2; j++)
            Z[i] += B[i][j] * C[i + 1][j - 1] * (*D)[i % 3][j];
}

void f(int n, float *A, float *B)
{
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 9; j++)
            A[i] += B[i * n + j];
}

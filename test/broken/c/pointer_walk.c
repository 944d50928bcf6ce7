void f(float *A, float *B)
{
    for (int i = 0; i < 9; i++)
        *A++ += B[i];
}

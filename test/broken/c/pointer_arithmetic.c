void f(float *A, float *B)
{
    for (int i = 0; i < 9; i++)
        *(A + i) += *B + (B + 1)[i];
}

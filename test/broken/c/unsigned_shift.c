float A[1000], Y[1000];
void f(void)
{
    for (unsigned i = 0; i < 20; i++)
        Y[i] += A[(i - 7) >> 1];
}

float A[1000], Y[1000];
void f(void)
{
    for (int i = 9; i >= 0u; i--)
        Y[i] += A[i];
}

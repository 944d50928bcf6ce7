float A[1000], Y[1000];
void f(void)
{
    for (int i = -5; i < 10u; i++)
        Y[i + 5] += A[i + 5];
}

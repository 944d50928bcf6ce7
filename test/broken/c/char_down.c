float A[1000], Y[1000];
void f(void)
{
    for (signed char i = 0; i > -200; i--)
        Y[i + 200] += A[0];
}

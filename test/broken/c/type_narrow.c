float A[1000], Y[1000];
void f(void)
{
    for (int i = 0; i < 300; i++)
        Y[i] += A[(unsigned char)i] + A[(signed char)(i - 150) + 128];
}

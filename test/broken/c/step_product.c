float A[99], B[99];
void f(void)
{
    for (int i = 1; i < 64; i *= 2)
        A[i] += B[i];
}

float A[9], B[9];
void f(void)
{
    for (unsigned i = 8; i >= 0; i--)
        A[i] += B[i];
}

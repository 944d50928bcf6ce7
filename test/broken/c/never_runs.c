float A[9], B[9];
void f(void)
{
    for (int i = 9; i < 9; i++)
        A[i] += B[i];
}

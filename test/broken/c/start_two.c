float A[9], B[9];
void f(void)
{
    for (int i = 0, j = 8; i < 9; i++)
        A[i] += B[j];
}

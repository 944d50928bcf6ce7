float A[9], B[9];
void f(void)
{
    for (int i = -4; i < 4; i++)
        A[i + 4] += B[i / 2 + 2];
}

float A[9], B[9];
void f(void)
{
    int i;
    for (i = 0; i < 9; i++)
        for (i = 0; i < 4; i++)
            A[i] += B[i];
}

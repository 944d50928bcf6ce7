float A[9], B[9];
void f(void)
{
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 5 && j <= i; j++)
            A[i] += B[j];
}

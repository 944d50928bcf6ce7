float A[99], B[9];
void f(void)
{
    for (int i = 1; i < 9; i++)
        for (int j = 0; j < i * i; j++)
            A[j] += B[i];
}

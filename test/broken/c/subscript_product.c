float A[99], B[99];
void f(void)
{
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 9; j++)
            A[i] += B[i * j];
}

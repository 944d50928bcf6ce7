float A[9], B[9];
void f(void)
{
    for (int i = 0; i < 9; i++) {
        A[i] = 0;
        for (int j = 0; j < 9; j++)
            A[i] += B[j];
    }
}

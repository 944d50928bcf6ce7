float A[9], B[9];
void f(void)
{
    int n = 4;
    n = n + 1;
    for (int i = 0; i < n; i++)
        A[i] += B[i];
}

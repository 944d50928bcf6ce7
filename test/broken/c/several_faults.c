float A[9], B[9];
void f(int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i * i; j++)
            A[i * j] += B[n];
}

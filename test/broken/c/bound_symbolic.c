void f(int n, float A[n], float B[n])
{
    for (int i = 0; i < n; i++)
        A[i] += B[i];
}

float A[N], B[N];
void f(void)
{
    for (int i = 0; i < N; i++)
        A[i] += C[i];
}

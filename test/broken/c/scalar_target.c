float A[9], B[9];
void f(void)
{
    float sum = 0;
    for (int i = 0; i < 9; i++)
        sum += A[i] * B[i];
}

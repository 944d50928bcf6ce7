float A[9], B[9];
float next(float);
void f(void)
{
    for (int i = 0; i < 9; i++)
        A[i] += next(B[i]);
}

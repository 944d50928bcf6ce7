float A[9], B[9];
void f(void)
{
    for (float x = 0; x < 9; x++)
        A[(int)x] += B[0];
}

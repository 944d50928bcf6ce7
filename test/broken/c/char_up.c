float A[999], B[999];
void f(void)
{
    for (signed char i = 0; i < 128; i++)
        A[i] += B[i];
}

float A[9];
void f(void)
{
#pragma scop
    for (int i = 0; i < 9; i++)
        A[i] = 1;
}

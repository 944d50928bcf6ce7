float A[9];
void f(void)
{
    A[0] = 1;
}

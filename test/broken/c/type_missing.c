real A[9];
void f(void)
{
    for (int i = 0; i < 9; i++)
        A[i] += 1;
}

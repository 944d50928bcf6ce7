float A[99], Y[99];
void f(void)
{
    for (int i = 0; i < 99; i++)
        Y[i] += ((char *)A)[i];
}

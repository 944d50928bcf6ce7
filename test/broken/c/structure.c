struct pixel { float r, g; } P[9];
float A[9];
void f(void)
{
    for (int i = 0; i < 9; i++)
        A[i] += P[i].r;
}

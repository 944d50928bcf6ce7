float A[300], Y[300];
static void g(unsigned char n)
{
    for (int i = 0; i < n; i++)
        Y[i] += A[i];
}
int main(void)
{
    g(300);
    return 0;
}

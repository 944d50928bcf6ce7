float A[9], B[9];
void f(void)
{
    int i = 0;
    while (i < 9) {
        for (int j = 0; j < 4; j++)
            A[i] += B[j];
        i++;
    }
}

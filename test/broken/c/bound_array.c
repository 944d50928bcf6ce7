float A[9], B[9];
int row[10];
void f(void)
{
    for (int i = 0; i < 8; i++)
        for (int j = row[i]; j < row[i + 1]; j++)
            A[i] += B[j];
}

float A[9], B[9];
#define MIN(a, b) ((a) < (b) ? (a) : (b))
void f(void)
{
    for (int i = 0; i < 64; i += 8)
        for (int j = i; j < MIN(i + 8, 60); j++)
            A[j] += B[j];
}

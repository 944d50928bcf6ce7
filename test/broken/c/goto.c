float A[9], B[9];
void f(void)
{
    for (int i = 0; i < 9; i++) {
        A[i] += B[i];
        goto out;
    }
out:
    return;
}

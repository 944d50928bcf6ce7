#include "kernels.h"
void f(DATA_TYPE A[N])
{
    for (int i = 0; i < N; i++)
        A[i] += 1;
}

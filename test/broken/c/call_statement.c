#include <stdio.h>
float A[9];
void f(void)
{
    for (int i = 0; i < 9; i++)
        printf("%g", A[i]);
}

/* The macros that kernels in PolyBench's style are written with, as these tests need them. */
#ifndef TEST_POLYBENCH_H
#define TEST_POLYBENCH_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef DATA_TYPE
#define DATA_TYPE double
#endif
#define SCALAR_VAL(x) x
#define SQRT_FUN(x) sqrt(x)

#ifdef POLYBENCH_USE_SCALAR_LB
#define POLYBENCH_LOOP_BOUND(constant, variable) constant
#else
#define POLYBENCH_LOOP_BOUND(constant, variable) variable
#endif

#define POLYBENCH_1D(name, d1, s1) name[d1]
#define POLYBENCH_2D(name, d1, d2, s1, s2) name[d1][d2]
#define POLYBENCH_3D(name, d1, d2, d3, s1, s2, s3) name[d1][d2][d3]
#define POLYBENCH_ARRAY(name) *name
#define POLYBENCH_2D_ARRAY_DECL(name, type, d1, d2, s1, s2) \
    type(*name)[d1][d2] = malloc(sizeof(type) * (d1) * (d2))

#endif

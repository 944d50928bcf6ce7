#!/bin/sh
# Sizes of a C file: from its own calls, from --set, from the argument; a loop's own extent; one nest of several.
. "$2/test/cli/harness"
"$SATOR" check "$SOURCE/examples/gemm.c" >checked 2>message || { grep -q libclang message && echo "SKIP: no libclang" && exit 77; }
instances() { # workload and options -> loop instances
    "$SATOR" analyze "$@" --arch systolic-2d-8x8 --space 'i%8, j%8' --json |
        sed -n 's/.*"instances":[^0-9]*\([0-9]*\),.*/\1/p' | head -1
}
kernels=$SOURCE/test/c
instances "$kernels/gemm.c" -I "$kernels/include" --nest 2 -DSMALL --time 'i/8, j/8, k'
instances "$kernels/gemm.c:ni=16,nj=24,nk=5" -I "$kernels/include" --nest 2 --time 'i/8, j/8, k'
instances "$kernels/gemm.c" --set sizes.i=16 --set sizes.nj=24 --set sizes.nk=5 -I "$kernels/include" --nest 2 --time 'i/8, j/8, k'
instances "$kernels/stencils.c" --function kernel_jacobi_2d --nest 1 --time 't, i/8, j/8'
instances "$kernels/stencils.c" --function kernel_jacobi_2d --nest 1 --set sizes.tsteps=1 --time 'i/8, j/8'
instances "$kernels/blas.c" --function kernel_syrk --nest 2 --time 'i/8, j/8, k'

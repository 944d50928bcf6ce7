#!/bin/sh
# A loop nest in C, its macros on the command line and from stdin, is the same as the einsum.
. "$2/test/cli/harness"
"$SATOR" show "$SOURCE/examples/gemm.c" >shown 2>message || { grep -q libclang message && echo "SKIP: no libclang" && exit 77; }
volumes() { "$SATOR" analyze "$@" --arch systolic-2d-8x8 --dataflow gemm/ij-p_j-ijk-t --csv | cut -d, -f7-; }
volumes "$SOURCE/examples/gemm.c" -DN=24 >from_c
volumes gemm:i=24,j=24,k=24 >from_library
cmp from_c from_library && wc -l <from_c

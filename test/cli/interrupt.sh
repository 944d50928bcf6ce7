#!/bin/sh
# Ctrl-C: what is done is printed, the rest given up at once, exit 130.
. "$2/test/cli/harness"
command -v timeout >/dev/null || { echo "SKIP: no timeout(1)"; exit 77; }
start=$(date +%s)
timeout --preserve-status -s INT -k 60 5 "$SATOR" analyze gemm:i=1000,j=1000,k=1000 --arch mesh-8x8 \
    --dataflow gemm/ij-p_j-ijk-t --space '(i+k)%8, (j+2*k)%8' --time '(i+j)/7, (j+k)/5, i%13 + k%11' \
    --engine general --work-limit 1000000000000 --threads 2 --json >out
echo $?
[ $(($(date +%s) - start)) -lt 40 ] || echo "too late"
sed -n 's/^\t*"name":\t"\((.*)\)",$/\1/p' out

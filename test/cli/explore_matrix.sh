#!/bin/sh
# A point of the affine space is its matrix, row by row, a bit for each loop, the last loop first: what runs across the array, then time.
. "$2/test/cli/harness"
printf 'sizes: {i: 2, j: 2, k: 2, l: 2}\nop: "Y[i,j] += A[i,k,l] * B[k,l,j]"\n' >four.yaml
printf 'sizes: {i: 2, j: 2, k: 2, l: 2, m: 2}\nop: "Y[i,j] += A[i,k,l,m] * B[k,l,j]"\n' >five.yaml
point() { # workload, its rows as binary digits
    number=0
    for row in $2; do
        for bit in $(echo "$row" | sed 's/./& /g'); do
            number=$((2 * number + bit))
        done
    done
    sator explore "$1" --arch systolic-2d-8x8 --set 'levels.PE.shape=[4,4]' --dataflows matrix --points $number:1 --list 2>/dev/null | cut -f 4,5 | tail -1
}
point four.yaml '0001 0010 0100 1000' # i, j, k, l
point four.yaml '1001 0010 0111 1000'
point five.yaml '00001 00010 00100 01000 10000'
point five.yaml '10000 00011 00110 01001 10100'

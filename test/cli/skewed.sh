#!/bin/sh
# Time rows that share a digit, in closed form: the example of doc/counting.md, "Skewed stamps". In the order of T[i+j, j] an element
# B[k,j] follows itself twice, at (i, j) = (1, 0) and (3, 2), on each of 5 PEs; A[i,k] and Y[i,j] never do, and east
# of every PE other elements are used.
. "$2/test/cli/harness"
sator analyze gemm:i=4,j=3,k=5 --arch systolic-1d --space k --time 'i+j, j' --engine closed |
    awk '$1 ~ /^[ABY]$/ && NF > 8 { print $1, "total", $5, "temporal", $6, "spatial", $7, "unique", $8, "footprint", $9 }
         $1 == "stamps" { print $4, "time-stamps" }'
# Ragged tiles: PE[0] has the 4 x 4 points of i < 4, j < 4; PE[1] has A[4..5] for j < 4 and A[0..3] for j = 4.
sator analyze gemm:i=6,j=5,k=1 --arch systolic-1d --space 'i/4 + j/4' --time k |
    awk '/^Memory/ { levels = 1 } levels && $1 == "registers" { mine = 1; print $5, "tile", $7 }
         levels && mine && $2 == "write" { print $1, "tile", $3 }'

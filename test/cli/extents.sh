#!/bin/sh
# Dataflows with the extents of the arrays in place of numbers: the library's use the whole array, whatever its size.
. "$2/test/cli/harness"
used() { # "N of M PEs" under a dataflow of the library
    sator analyze "$@" 2>/dev/null | sed -n 's/^ *utilization.*; \(.*\) are used/\1/p'
}
used gemm:i=4,j=256,k=256 --arch tpu-256x256 --dataflow gemm/kj-p_k-ijk-t
used gemm:i=4,j=256,k=256 --arch tpu-8x8 --dataflow gemm/kj-p_k-ijk-t
used conv2d:k=14,c=3,oy=5,ox=13 --arch eyeriss --dataflow conv2d/kox-p_oy-koxc-t # k on 12 rows, ox on 13 of 14 columns
used gemv:i=100,k=3 --arch systolic-1d --set 'levels.PE.shape=[96]' --dataflow gemv/output-stationary
for dataflow in gemm/ij-p_j-ijk-t gemm/kj-p_k-ijk-t; do # as with the numbers, on every shape
    for shape in 2,3 5,4 1,7; do
        sator show $dataflow | sed "s/shape\.0/${shape%,*}/g; s/shape\.1/${shape#*,}/g" >numbers.yaml
        sator analyze gemm:i=11,j=9,k=10 --arch mesh-8x8 --set "levels.PE.shape=[$shape]" --dataflow $dataflow --json 2>/dev/null >own
        sator analyze gemm:i=11,j=9,k=10 --arch mesh-8x8 --set "levels.PE.shape=[$shape]" --dataflow numbers.yaml --json 2>/dev/null | cmp own -
    done
done
# several arrays: by their names and all together; what is printed are numbers
cat >two.yaml <<'END2'
levels:
  - {memory: L2}
  - {array: PE, shape: [4, 2]}
  - {array: lane, shape: 3}
  - {compute: mac}
END2
sator analyze gemm:i=8,j=8,k=9 --arch two.yaml --space 'i%PE.0, j%PE.1, k%lane.0' --time 'i/PE.0, j/PE.1, k/lane.0' --json | tr -d ' \t\n' |
    grep -o '"space":"[^"]*","time":"[^"]*"'
sator analyze gemm:i=8,j=8,k=9 --arch two.yaml --space 'i%shape.0, j%shape.1, k%shape.2' --time 'i/shape.0, j/shape.1, k/shape.2' --json |
    tr -d ' \t\n' | grep -o '"space":"[^"]*","time":"[^"]*"'
# what is not there, at its place
wrong() {
    sator analyze gemm:i=8,j=8,k=9 --arch two.yaml "$@" 2>&1 | grep -E 'error|help'
}
wrong --space 'i%PE.0, j%PE.2, 0' --time k
wrong --space 'i%PE.0, j%lanes.0, 0' --time k
wrong --space 'i, j, 0' --time 'k, j/shape.3'
printf 'space: "PE[i%%PE.0, j%%mac.0, 0]"\ntime: "T[k]"\n' >mac.yaml
wrong --dataflow mac.yaml

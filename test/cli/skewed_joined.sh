#!/bin/sh
# Joined rows and short tiles of a convolution under a skew, at a size that only closed forms and
# the nest without the skew count; the best mapping's figures are its analysis's.
. "$2/test/cli/harness"
sator map resnet18 --layer conv2_x --arch systolic-2d-8x8 --yaml -o best.yaml
sator map resnet18 --layer conv2_x --arch systolic-2d-8x8 | sed -n '/^  latency/p; /^  EDP/p' >map.txt
sator analyze resnet18 --layer conv2_x --arch systolic-2d-8x8 -d best.yaml |
    sed -n '/^  latency/p; /^  EDP/p' >analysis.txt
diff map.txt analysis.txt && grep -c . map.txt
# B's two rows of 8 words come back from PEs that run ahead: each enters once.
cat >short.yaml <<'END'
name: short
space: "PE[i%8, j%8]"
time: "T[2*(i/8) + k + i%8]"
END
sator analyze gemm:i=512,j=8,k=2 --arch mesh-8x8 -d short.yaml |
    sed -n '/^Volumes/,/^Spatial/s/^  B  *read  *//p' | tr -s ' '

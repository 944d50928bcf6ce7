#!/bin/sh
# Joined rows and short tiles of a convolution under a skew, at a size that only closed forms and
# the nest without the skew count; the best mapping's figures are its analysis's.
. "$2/test/cli/harness"
sator map resnet18 --layer conv2_x --arch systolic-2d-8x8 --timing roofline --yaml -o best.yaml
sator map resnet18 --layer conv2_x --arch systolic-2d-8x8 --timing roofline | sed -n '/^  latency/p; /^  EDP/p' >map.txt
sator analyze resnet18 --layer conv2_x --arch systolic-2d-8x8 -d best.yaml --timing roofline |
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
# Windows across the cut of the scratchpad: 32 stamps, tiles of 8 rows. A tile of A has its 8 x 8 words and those 18 of the
# tile before that late PEs still want, with k + i % 4 >= 5: 3 + 4 + 5 + 6. The fills are those of tiles.
cat >window.yaml <<'END'
name: window
space: "PE[i%4, j%4]"
time: "T[floor((32*floor(i/8) + 16*(floor(i/4)%2) + 8*floor(j/4) + k + i%4 + j%4)/32), 32*floor(i/8) + 16*(floor(i/4)%2) + 8*floor(j/4) + k + i%4 + j%4]"
cuts: {scratchpad: {time: 1}}
END
# Every size: of 512 x 512 x 512 in windows of 64 x 512 stamps a tile of A is 8 x 512 and 7 + 8 + ... + 14, of Y 8 x 512 and 63.
cat >large.yaml <<'END'
name: large
space: "PE[i%8, j%8]"
time: "T[floor((32768*floor(i/8) + 512*floor(j/8) + k + i%8 + j%8)/32768), 32768*floor(i/8) + 512*floor(j/8) + k + i%8 + j%8]"
cuts: {scratchpad: {time: 1}}
END
for case in 'window i=32,j=8,k=8 4' 'large i=512,j=512,k=512 8'; do
    # shellcheck disable=SC2086
    set -- $case
    sator analyze gemm:$2 --arch tpu-256x256 --set "levels.PE.shape=[$3,$3]" -d $1.yaml --timing roofline |
        sed -n '/^  latency/p; /^    compute/p; /^  scratchpad  *1 /,/ Y /p' | tr -s ' '
done
sator simulate gemm:i=32,j=8,k=8 --arch tpu-256x256 --set "levels.PE.shape=[4,4]" -d window.yaml >simulated.txt; echo "simulate: exit $?"

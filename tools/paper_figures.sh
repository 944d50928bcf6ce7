#!/bin/sh
# The reuse factors behind Figure 12 of TENET (ISCA 2021) and the example of its section VI-E, at full size, from
# the published program's own files. usage: tools/paper_figures.sh [build/sator]
sator=${1:-build/sator}
data=test/tenet/published/data

row() { # name, then the arguments of an analysis
    name=$1
    shift
    "$sator" analyze "$@" | awk -v name="$name" '
        /^Volumes/ { inside = 1 }
        /^$/ { inside = 0 }
        inside && ($2 == "read" || $2 == "write") { text = text sprintf("  %s %-9s", $1, $10) }
        END { printf "%-18s%s\n", name, text }'
}

for layer in 1 2 3 4 5; do
    row "AlexNet CONV$layer" "$data/alexnet/experiment/experiment_$layer"
done
for layer in 1_1 2_1 3_1 4_1 5_1; do
    row "VGG16 CONV$layer" "$data/statement/conv${layer}_vgg16.s" --arch "$data/pe_array/pe_8_8.p" \
        --dataflow "$data/mapping/conv2d_ws.m"
done
for layer in 1 2 3 4 5 6 7 8 9; do
    row "GoogLeNet conv$layer" "$data/statement/conv${layer}_googlenet.s" \
        --arch "$data/pe_array/pe_8_8.p" --dataflow "$data/mapping/conv2d_ws.m"
done
for layer in 1 2 3 4 5; do
    row "MobileNet layer$layer" "$data/mobilenet/experiment/experiment_$layer"
done

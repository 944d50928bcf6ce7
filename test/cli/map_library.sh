#!/bin/sh
# Library workloads on library machines: each gets a mapping, or an error that says what is wrong. Searches are stopped at
# once: what is tested is that there is something to search.
. "$2/test/cli/harness"
names() {
    sator list "$1" | sed -n 's/^  \([a-z0-9-]*\) .*/\1/p'
}
try() {
    rm -f best.yaml
    sator map "$1" --arch "$2" --objective latency --budget 0.001 --yaml -o best.yaml 2>err
    [ -s best.yaml ] || echo "$1 on $2: $(head -n 1 err | sed 's/^.*error: //')"
}
for w in gemm:i=16,j=16,k=16 jacobi2d:i=4,j=8; do
    for a in $(names archs); do
        try "$w" "$a"
    done
done
for w in $(names workloads); do
    try "$w" conventional
    case $w in # the general engine counts some of these
    jacobi2d) try "$w:i=16,j=16" multicast-1d-64 ;;
    conv2d-transposed-gather) try "$w" multicast-1d-64 ;;
    conv2d*) try "$w:ox=14,oy=14" multicast-1d-64 ;;
    *) try "$w" multicast-1d-64 ;;
    esac
done

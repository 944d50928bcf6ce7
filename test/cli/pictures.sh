#!/bin/sh
# Pictures of characters, windows of stamps, SVG and pages: what is in them, and what is refused.
. "$2/test/cli/harness"
export LC_ALL=C COLUMNS=60
small="gemm:i=2,j=2,k=4 --arch systolic-2d-8x8 --set levels.PE.shape=[2,2] --space i,j --time i+j+k"
# 6 stamps; the PEs are busy in 4 each; A enters at the left column (4 words a PE), B at the top row, Y once a PE
sator analyze $small --show array
sator analyze $small --show tree
sator analyze gemm --arch systolic-2d-8x8 --dataflow 'gemm/*' --timing roofline --quiet --show roofline
echo "--- a window"
sator analyze gemm --arch systolic-2d-8x8 --set 'levels.PE.shape=[2,2]' --space 'i%2, j%2' --time 'i/2, j/2, i%2 + j%2 + k' \
    --show stamps --from 'T[3,1,10]' --stamps 2
echo "--- SVG"
for picture in machine array roofline energy tree; do
    sator analyze $small --svg $picture | sed -n '1s/ .*//p; $p'
done
# seven links, of which the last has the first one's colour again
{
    printf 'levels:\n  - {memory: DRAM}\n  - array: PE\n    shape: [8]\n    links:\n'
    for n in 0 1 2 3 4 5 6; do echo "      - {name: l$n, map: \"PE[i] -> PE[i+1] : i = $n\", interval: 1}"; done
    echo '  - {compute: mac}'
} >seven.yaml
sator analyze gemm:i=8,j=2,k=4 --arch seven.yaml --space i --time 'j, k+i' --from 1 --stamps 12 --svg array |
    sed -n '/<rect/h; />l[0-9]</{G; s/.*>\(l[0-9]\)<.*fill="\(#[0-9a-f]*\)".*/\1 \2/p; }' | tr '\n' ' '
echo
echo "--- pages"
sator report $small -o page.html && grep -c '"format":"sator-report","version":2' page.html
sator report $small --json | head -c 37 && echo
# README.md's example: 20.97 of 52.50 uJ
sator report "$SOURCE/examples/gemm.c" --arch systolic-2d-8x8 --space 'i%8, j%8' --time 'i/8, j/8, i%8 + j%8 + k' --json |
    grep -o 'scratchpad.read takes [^"]*'
sator explore gemm:i=16,j=16,k=16 --arch systolic-2d-8x8 --timing roofline --quiet --db small.db --top 1 >/dev/null
sator query small.db --html | grep -c '"points":{"rows":'
sator query small.db --show pareto | tail -2
sator query small.db --svg pareto | sed -n '1s/ .*//p; $p'
echo "--- refused"
say() { "$@" 2>&1 >/dev/null | sed -n 1p; }
say sator analyze $small --svg pareto
say sator query small.db --svg array
say sator query small.db --show array
say sator analyze $small --show stamps --from 0,1 --stamps 2
say sator analyze $small --show stamps --from x --stamps 2
say sator analyze $small --show stamps --from 6 --stamps 2
say sator analyze $small --html --json
say sator analyze $small --html --show array
say sator analyze $small --from 3
say sator report gemm --arch systolic-2d-8x8 -d 'gemm/*' --objective energy -o x.html
say sator analyze tenet-fig1 --arch tenet-fig1 -d tenet/fig1 --show roofline

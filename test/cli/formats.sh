#!/bin/sh
# Every YAML block of doc/formats.md is a document that reads without a message, and the tiled nest runs as the page says.
. "$2/test/cli/harness"
awk '/^```yaml$/ { inside = 1; n++; next }
     /^```$/ { inside = 0 }
     inside { print > sprintf("%02d.yaml", n) }' "$SOURCE/doc/formats.md"
for file in *.yaml; do
    sator check "$file"
done
named() { grep -l "^name: $1\$" [0-9]*.yaml; }
machine=$(named systolic-8x8) any=$(named any-array)
sator analyze gemm:i=512,j=512,k=512 --arch "$machine" --dataflow "$(named nest)" --json >nest.json
tr -d ' \n\t' <nest.json | grep -o '"name":"nest","space":"[^"]*","time":"[^"]*"'
tr -d ' \n\t' <nest.json | grep -o '"utilization":{"average":1,'
# one dataflow on arrays of any shape, as the one with their numbers
for shape in 4,4 5,7 12,14 2,9; do
    sator analyze gemm:i=20,j=30,k=6 --arch "$machine" --set "levels.PE.shape=[$shape]" --dataflow "$any" | sed 3d >given
    sator analyze gemm:i=20,j=30,k=6 --arch "$machine" --set "levels.PE.shape=[$shape]" --space "i%${shape%,*}, j%${shape#*,}" \
        --time "i/${shape%,*}, j/${shape#*,}, i%${shape%,*} + j%${shape#*,} + k" | sed 3d >written
    cmp given written
    sed -n 's/^ *space *//p' given
done

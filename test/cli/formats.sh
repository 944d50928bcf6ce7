#!/bin/sh
# Every YAML block of doc/formats.md is a document that reads without a message, and the tiled nest runs as the page says.
. "$2/test/cli/harness"
awk '/^```yaml$/ { inside = 1; n++; next }
     /^```$/ { inside = 0 }
     inside { print > sprintf("%02d.yaml", n) }' "$SOURCE/doc/formats.md"
for file in *.yaml; do
    sator check "$file"
done
sator analyze gemm:i=512,j=512,k=512 --arch 04.yaml --dataflow 08.yaml --json >nest.json
tr -d ' \n\t' <nest.json | grep -o '"name":"nest","space":"[^"]*","time":"[^"]*"'
tr -d ' \n\t' <nest.json | grep -o '"utilization":{"average":1,'

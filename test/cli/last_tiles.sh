#!/bin/sh
# Floyd and Warshall's domain with its hole in tiles of 8, where the last tile has few values: no more work than elsewhere, and every stamp there.
# Time-stamps by hand: with one value in the last tile, all k but the last have all tiles, the last has none of those: 1000 x 126^2 + 125^2.
. "$2/test/cli/harness"
for n in 1000 1001 1002 1003; do
    printf 'sizes: {k: %d, i: %d, j: %d}\nop: "D[i,j] = D[i,j] + D[i,k] + D[k,j]"\nwhere: "i != k and j != k"\n' $n $n $n >warshall.yaml
    sator analyze warshall.yaml --arch mesh-8x8 --space i%8,j%8 --time k,i/8,j/8 --work-limit 80000000 --json >out || echo "exit $?"
    echo "$n: $(sed -n 's/.*"time_stamps":[^0-9]*\([0-9]*\).*/\1/p' out)"
done

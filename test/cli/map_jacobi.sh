#!/bin/sh
# Jacobi-2D by brute force: awk walks through every tiling and order of 8 x 8 points on a machine with one buffer, element by
# element, and the least energy that it finds is the proved optimum.
. "$2/test/cli/harness"
for capacity in 12 24 40 70; do
    cat >machine.yaml <<END
name: machine
levels:
  - {memory: DRAM, energy_pj: {read: 64, write: 32}}
  - {array: PE, shape: [1]}
  - {memory: buffer, capacity_words: $capacity, energy_pj: {read: 2, write: 1}}
  - {compute: alu, energy_pj: 4}
END
    sator map jacobi2d:i=8,j=8 --arch machine.yaml --objective energy --json >best.json
    grep -o '"proved":.*true' best.json | tr -d '\t'
    sed -n '/energy_pj/,$s/^.*"total":[^0-9]*\([0-9.]*\),*$/\1/p' best.json | head -n 1 >mapped
    awk -v capacity="$capacity" '
        # the elements of A that a tile at (x, y) of h x w points touches, into "now"
        function touch(x, y, h, w, i, j) {
            split("", now); words = 0
            for (i = x; i < x + h; i++) for (j = y; j < y + w; j++) {
                now[i "," j]; now[i - 1 "," j]; now[i "," j - 1]; now[i + 1 "," j]; now[i "," j + 1]
            }
            for (element in now) words++
        }
        function walk(h, w, rows_inside, n, k, x, y) {
            split("", before); fills = 0
            n = (8 / h) * (8 / w)
            for (k = 0; k < n; k++) {
                x = rows_inside ? k % (8 / h) : int(k / (8 / w))
                y = rows_inside ? int(k / (8 / h)) : k % (8 / w)
                touch(x * h, y * w, h, w)
                if (words + h * w > capacity) return -1
                for (element in now) if (!(element in before)) fills++
                split("", before)
                for (element in now) before[element]
            }
            # A: read, written, read five times an instance; Y: updated in the buffer, sent up once; 64 instances
            return fills * (64 + 1) + 5 * 64 * 2 + 64 * 1 + 64 * 32 + 64 * 4
        }
        BEGIN {
            for (h = 1; h <= 8; h *= 2) for (w = 1; w <= 8; w *= 2) for (r = 0; r < 2; r++) {
                pj = walk(h, w, r)
                if (pj >= 0 && (best == "" || pj < best)) best = pj
            }
            print best
        }' >walked
    diff mapped walked && echo "$capacity words: $(cat walked) pJ"
done

#!/bin/sh
# Mappings that analyze counts and map does not search: ceilings at every level, another order of loops on a dimension
# of an array. The engine for tiled nests counts them, as do the others; the figures were found by a search of the larger space.
. "$2/test/cli/harness"
rooflines
cat >ceilings.yaml <<'END'
name: ceilings
loops:
  - at: L2
    for: [i 4, j 3, k 101]
  - at: PE
    parallel: [i 32 -> 0, j 32 -> 1]
END
cat >chain.yaml <<'END'
name: remainders at every level
loops:
  - at: DRAM
    for: [i 2, k 3]
  - at: L2
    for: [i 2, j 3, k 5]
  - at: PE
    parallel: [i 5 -> 0, j 7 -> 1]
  - at: L1
    for: [k 7, i 6, j 5]
END
cat >order.yaml <<'END'
name: another order
loops:
  - at: DRAM
    for: [oy 112]
  - at: PE
    parallel: [ox 2 -> 0, k 2 -> 0, c 3 -> 0, ox 14 -> 1]
  - at: registers
    for: [ry 7, rx 7, ox 4, k 32]
END
figures() { sator analyze "$@" | grep -E '^  (latency|EDP)'; }
gemm='gemm:i=97,j=89,k=101 --arch conventional'
conv='resnet18 --layer conv1 --arch eyeriss-tenet --set energy_table=45nm'
# shellcheck disable=SC2086
figures $gemm --set levels.L1.capacity_bytes=6 -d ceilings.yaml --engine tiled
# shellcheck disable=SC2086
sator analyze $conv -d order.yaml --engine tiled | grep -v '^  engine' >order.txt
grep '^  latency' order.txt
# shellcheck disable=SC2086
sator analyze $conv -d order.yaml --engine closed | grep -v '^  engine' | cmp - order.txt && echo "closed agrees on the order"
# remainders at three levels at once: all engines agree on every figure
for engine in closed listed auto; do
    # shellcheck disable=SC2086
    sator analyze $gemm -d chain.yaml --engine tiled | grep -v '^  engine' >tiled.txt
    # shellcheck disable=SC2086
    sator analyze $gemm -d chain.yaml --engine $engine | grep -v '^  engine' | cmp - tiled.txt && echo "$engine agrees"
done
# shellcheck disable=SC2086
sator analyze $gemm -d chain.yaml --engine tiled | grep -E '^  (engine|stamps)'
# what is not of the class is said
sator analyze gemm --arch systolic-2d-8x8 --space 'i%8, j%8' --time 'i/8, j/8, i%8 + j%8 + k' --engine tiled

#!/bin/sh
# --imperfect: the file it writes gives sator analyze the same figures; 17 iterations on 16 PEs take 2 cycles, not 17.
. "$2/test/cli/harness"
figures() { # of every level and tensor, and the totals
    grep -E '"(tile_words|fills|writes|reads|updates|total)":' "$1" | tr -d '\t, '
}
compare() { # a workload with the options that map and analyze share; the objective
    workload=$1 objective=$2
    shift 2
    sator map "$workload" "$@" --imperfect --objective "$objective" --yaml -o best.yaml
    sator map "$workload" "$@" --imperfect --objective "$objective" --json >mapped.json
    sator analyze "$workload" "$@" --dataflow best.yaml --json >analyzed.json
    figures mapped.json | sort >a
    [ "$(grep -c fills a)" -ge 6 ] || echo "$workload $*: too few figures"
    figures analyzed.json | sort >b
    diff a b >/dev/null || { echo "$workload $*:"; diff a b; }
    sator map "$workload" "$@" --imperfect --objective "$objective" --why-not best.yaml | grep -o 'legal'
}
for arch in conventional eyeriss five-level; do
    compare gemm:i=23,j=17,k=29 edp --arch $arch
    compare conv2d-strided:k=5,c=3,ox=7,oy=5,rx=3,ry=3 edp --arch $arch
    compare ttmc:i=7,j=11,k=5 latency --arch $arch
done
cat >small.yaml <<'END'
name: small
levels:
  - {memory: DRAM, energy_pj: {read: 100, write: 100}}
  - {array: PE, shape: [16]}
  - {memory: L1, energy_pj: {read: 1, write: 1}}
  - {compute: mac, energy_pj: 1}
END
for option in --imperfect ''; do
    for strategy in optimal exhaustive; do
        sator map gemm:i=17,j=1,k=1 --arch small.yaml --objective latency --strategy $strategy $option | sed -n 's,^  latency *\([0-9]* cycles\).*,\1,p'
    done
done
# 17 iterations in 6 tiles of 3, on 6 PEs; no number of tiles of 17 iterations is a multiple of 8
constrained() {
    sator map gemm:i=17,j=1,k=1 --arch small.yaml --objective latency --imperfect "$@" | sed -n 's,^  latency *\([0-9]* cycles\).*,\1,p'
}
constrained --constraint 'L1: i 3'
constrained --constraint 'L1: i 8' # 3 tiles
constrained --constraint 'DRAM: i 8'
constrained --constraint 'L1: i 3' --constraint 'DRAM: i 4'
constrained --constraint 'L1: i 18'
sator map gemm --arch simba-like --imperfect
echo "exit $?"

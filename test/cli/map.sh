#!/bin/sh
# A mapping printed as a dataflow file gives sator analyze the same figures; every strategy; what cannot be mapped.
. "$2/test/cli/harness"
rooflines
figures() { # of every level and tensor, and the totals
    grep -E '"(tile_words|fills|writes|reads|updates|total)":' "$1" | tr -d '\t, '
}
compare() { # a workload with the options that map and analyze share; the objective
    workload=$1 objective=$2
    shift 2
    sator map "$workload" "$@" --objective "$objective" --yaml -o best.yaml
    sator map "$workload" "$@" --objective "$objective" --json >mapped.json
    sator analyze "$workload" "$@" --dataflow best.yaml --json >analyzed.json
    figures mapped.json | sort >a
    [ "$(grep -c fills a)" -ge 6 ] || echo "$workload $*: too few figures"
    figures analyzed.json | sort >b
    diff a b >/dev/null || { echo "$workload $*:"; diff a b; }
}
for workload in gemm:i=24,j=18,k=30 conv1d ttmc:i=6,j=10,k=4; do
    for arch in conventional simba-like five-level; do
        compare "$workload" edp --set 'word_bits={A: 8, B: 8, Y: 24}' --arch $arch
    done
done
for workload in conv2d-strided:k=4,c=3,ox=6,oy=6,rx=3,ry=3 conv2d-depthwise:c=3,ox=12,oy=10,rx=3,ry=3 attention-qk:h=2,i=8,j=6,k=4 \
    sddmm:i=6,j=8,k=10; do
    compare $workload edp --arch eyeriss
    compare $workload energy --arch conventional --set 'levels.L2.may_bypass=[A,B,Y]'
    compare $workload latency --arch diannao
    compare $workload latency --arch mesh-8x8
done
sator map gemm:i=24,j=18,k=30 --arch conventional --json | grep -E '"proved"|"strategy"' | tr -d '\t'
sator map gemm:i=6,j=4,k=4 --arch conventional --strategy exhaustive --json | grep -E '"proved"|"strategy"' | tr -d '\t'
sator map gemm:i=24,j=18,k=30 --arch conventional --pareto energy,latency | grep -o 'none beats in both energy and latency, proved'
sator map alexnet --arch simba-like --csv --strategy sunstone --layer conv3 | cut -d, -f1-5
cat >mine.yaml <<'END'
loops:
  - at: DRAM
    for: [j 4]
  - at: PE
    parallel: [i 64 -> 0]
  - at: L1
    for: [i 4, j 64, k 256]
END
sator map gemm --arch conventional --why-not mine.yaml
sator map gemm --arch conventional --constraint 'PE: only i k' --constraint 'L1: k 4' --yaml | grep -A1 'at: L1' | grep -oE '\bk 4\b'
cat >order.yaml <<'END'
loops:
  - at: DRAM
    for: [k 4, j 4]
  - at: PE
    parallel: [i 32 -> 0]
  - at: L1
    for: [i 2, j 16, k 16]
END
sator map gemm:i=64,j=64,k=64 --arch conventional --why-not order.yaml --constraint 'DRAM: order j ... k' --constraint 'L1: k 1' \
    --constraint 'PE: only k' --constraint 'utilization 0.05'
for strategy in optimal sunstone random; do # j outside k, and k innermost, of what stands there
    sator map gemm --arch conventional --strategy $strategy --constraint 'DRAM: order j ... k' \
        --constraint 'L2: k 2, j 1, i 1' --constraint 'L1: k 4' --constraint 'PE: only i' --constraint 'L1: j 4' --yaml >ordered.yaml
    grep -A1 'at: DRAM' ordered.yaml | tail -1
done
cat >tiny.yaml <<'END'
name: tiny
levels:
  - {memory: DRAM, energy_pj: {read: 100, write: 100}}
  - {array: PE, shape: [2, 2]}
  - {memory: L1, capacity_words: 2, energy_pj: {read: 1, write: 1}}
  - {compute: mac, energy_pj: 1}
END
sator map gemm --arch tiny.yaml
echo "exit $?"
sator map gemm --arch conventional --strategy exhaustive
echo "exit $?"
sator map gemm --arch conventional --objective fastest
echo "exit $?"
sator map gemm --arch conventional --constraint 'L1: k 128, i 8, j 8'
echo "exit $?"
sator map gemm --arch conventional --constraint 'utilization 0.9' --constraint 'L1: i 2' --constraint 'PE: only k' --constraint 'L2: order k i'
echo "exit $?"
sator map gemm --arch conventional --constraint 'L2: order k i' --constraint 'L2: order i ... k'
echo "exit $?"
sator map gemm --arch conventional --constraint 'L2: k 8' --constraint 'L2: k 4'
echo "exit $?"
sator map gemm --arch conventional --constraint 'L2: k 32' --constraint 'L1: k 16'
echo "exit $?"
sator map gemm --arch mesh-8x8 --objective latency --yaml >mesh.yaml # diagonal links from the stamp before
sator map gemm --arch mesh-8x8 --objective latency --json | sed -n 's/^.*"total":[^0-9]*\([0-9][0-9]*\),*$/\1/p' >a
sator analyze gemm --arch mesh-8x8 -d mesh.yaml --json | sed -n 's/^.*"total":[^0-9]*\([0-9][0-9]*\),*$/\1/p' | head -n 1 >b
diff a b && [ -s a ] && echo same
sed 's/capacity_words: 2/capacity_words: 6/; s/shape: .2, 2./shape: [4], links: [{map: "PE[i] -> PE[i+1]", interval: 2}]/' tiny.yaml >back.yaml
sator map gemm:i=16,j=16,k=16 --arch back.yaml --objective latency --json | grep -oE '"proved":.*true' | tr -d '\t'
sator map tcl --arch simba-like --budget 0.000001 --json | grep -oE '"proved":.*false' | tr -d '\t' # stopped at once: some mapping, with its gap
# an option that nothing would read is an error
for void in '--samples 5' '--direction top-down' '--strategy sunstone --imperfect' '--strategy random --pareto energy,latency' '--yaml --json'; do
    sator map gemm:i=4,j=4,k=4 --arch conventional $void 2>/dev/null || echo "exit $?"
done

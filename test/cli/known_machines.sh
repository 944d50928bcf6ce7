#!/bin/sh
# Machines of the library against figures of their papers, or figures that follow from their definition by hand, computed; every one has an answer here.
. "$2/test/cli/harness"
command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }
cat >figure.py <<'END'
import json, sys
result = json.load(sys.stdin)
values = []
for path in sys.argv[1:]:
    at = result["results"][0] if "results" in result else result
    for step in path.split("."):
        at = next(x for x in at if x["name"] == step) if isinstance(at, list) else at[step]
    values.append("%.4g" % float(at) if isinstance(at, float) else str(at))
print(" ".join(values))
END
# MACHINE WHAT PATHS ARGUMENTS: figures of an analysis of the machine
answer() {
    machine=$1 what=$2 paths=$3
    shift 3
    # shellcheck disable=SC2086
    echo "$machine, $what: $(sator analyze "$@" --arch "$machine" --json | python3 figure.py $paths)"
}
tops() { # ARCH GEMM: of its fastest mapping
    sator map "gemm:$2" --arch "$1" --timing roofline --objective latency --set word_bits=8 | sed -n 's/^.* MHz, \([0-9.]*\) TOPS.*/\1/p'
}
# TPUv4i (ISCA 2021): 138 TFLOPS; an A100 (white paper): 312 TFLOPS of 108 SMs, 2.89 each; Gemmini: 16x16x2 at 1 GHz
for machine in tpu-v4i-like a100-sm-like gemmini; do
    echo "$machine, TOPS: $(tops $machine i=512,j=512,k=512)"
done
# The first TPU (ISCA 2017): the ridge of its roofline is at 1,350 MACs for each byte of weights, which a batch of 1,350 has
for batch in 1349 1350; do
    sator analyze gemm:i=$batch,j=256,k=256 --arch tpu-v1 --timing roofline --space 'PE[k%256, j%256]' --time 'T[i]' --set word_bits=8 |
        awk -v batch=$batch '/^    compute/ {compute = $2} /DRAM.weights reads/ {weights = $NF; gsub(",", "", compute); gsub(",", "", weights)
            print "tpu-v1, batch " batch ": compute " compute ", weights " weights (weights > compute ? ", bound by weights" : "")
            exit}'
done
# 92 TOPS when nothing else binds
sator analyze gemm:i=65536,j=256,k=256 --arch tpu-v1 --timing roofline --space 'PE[k%256, j%256]' --time 'T[i]' --set word_bits=8 \
    --set 'levels.DRAM.ports=[]' --set 'levels.unified.bandwidth_bits=8192' | sed -n 's/^.* MHz, \([0-9.]*\) TOPS.*/tpu-v1, TOPS: \1/p'
# Its array as links: a skewed run of 1,000 rows takes 1,000 + 255 + 255 cycles, and each word enters once
answer tpu-256x256 'cycles, words of A and Y' 'latency_cycles.compute tensors.A.unique_volume tensors.Y.unique_volume' \
    gemm:i=1000,j=256,k=256 --space 'k%256, j%256' --time 'i + k%256 + j%256' --timing roofline
# Eyeriss (JSSC 2017, Table V), AlexNet with 4 images, 200 MHz: 16.5, 39.2, 21.8, 16.0, 10.0 ms, 154, 135, 156, 156, 156 active PEs
for layer in 1 2 3 4 5; do
    flow=$layer
    [ $layer = 5 ] && flow=4
    answer eyeriss "conv$layer, ms and active PEs" 'ms active_pes' alexnet:n=4 --layer conv$layer -d conv2d/eyeriss-conv$flow --timing scheduled
done
# ISCA 2016, Figure 10, 16 images, 256 PEs, in 10^9 MACs: ALUs 1.69, 3.58, 2.39, 1.79, 1.20; register files 6.75, 14.33, 9.57, 7.18, 4.78
for layer in 1 2 3 4 5; do
    sator map alexnet:n=16 --layer conv$layer --arch eyeriss --set levels.PE.shape=[16,16] --timing roofline --objective energy --json | python3 -c '
import json, sys
part = json.load(sys.stdin)["energy_pj"]["by_component"]
published = [6.75, 14.33, 9.57, 7.18, 4.78]['$layer' - 1]
files = (part["registers.read"] + part["registers.write"]) / 1e9
print("eyeriss, conv'$layer', energy: ALUs %.2f, register files %.2f, %+.1f %%" % (part["mac"] / 1e9, files, 100 * (files / published - 1)))'
done
# TENET (ISCA 2021, section VI-E): AlexNet CONV3, row-stationary: reuse of filters 169, of outputs 144
answer eyeriss-tenet 'reuse' 'tensors.B.reuse_factor tensors.Y.reuse_factor' alexnet-conv3 -d conv2d/ryoy-p_oy-ox-t
# ShiDianNao: an 8x8 tile of outputs and a window of 3x3 need 10x10 inputs, each once for 64 x 9 MACs: 5.76; without FIFO-V 64 x 9 / 240 = 2.4
answer shidiannao-8x8 'reuse of inputs' tensors.A.reuse_factor conv2d -d conv2d/window-stationary
answer shidiannao-8x8 'without FIFO-V' tensors.A.reuse_factor conv2d -d conv2d/window-stationary --set levels.PE.links.up.interval=1
answer shidiannao-8x8 'windows of 5x5' tensors.A.reuse_factor conv2d:rx=5,ry=5 -d conv2d/window-stationary --set levels.PE.links.up.interval=5
# so has a mesh that passes words on in the next stamp only: of every three columns of the window, two come from the neighbour, but at the edge
for machine in mesh-8x8 dyser-like; do
    answer $machine 'reuse of inputs' tensors.A.reuse_factor conv2d -d conv2d/window-stationary
done
# DianNao (ASPLOS 2014): 496 operations a cycle, 256 multiplications and the 15 additions of 16 trees; each neuron's sum leaves as one word of 16
answer diannao 'MACs a cycle, sums that leave' 'macs_per_cycle tensors.Y.reuse_factor' conv2d:k=64,c=16,rx=1,ry=1 -d conv2d/dot-product-16x16 --timing roofline
# NVDLA's sheet: AlexNet's layer 3 takes 32,448 cycles of 2,048 MACs with Winograd's 2.25, so 73,008; GoogLeNet's conv2 75,264, so 169,344
answer nvdla-like 'cycles' latency_cycles.compute alexnet-conv3 --set levels.PE.shape=[32,64] --space 'k%32, c%64' --time 'k/32, oy, c/64, ry, rx, ox'
answer nvdla-like 'cycles' latency_cycles.compute conv2d:k=192,c=64,ox=56,oy=56 --set levels.PE.shape=[32,64] --space 'k%32, c%64' --time 'k/32, oy, c/64, ry, rx, ox'
# MAERI (ASPLOS 2018): neurons of 9 multipliers, 7 of them: 63 of 64; TENET's version of its runs of VGG uses all 63 where 7 divides the rows
answer maeri-64 'utilization' 'utilization.max active_pes' vgg16:n=1 --layer conv5_1 -d conv2d/virtual-neurons
answer maeri-3x3x7 'utilization' 'utilization.max active_pes' vgg16:n=1 --layer conv5_1 -d tenet/maeri
# Sunstone (ISPASS 2023), Table IV: 32x32 PEs of one MAC; 4x4 PEs of 8x8 lanes, a vector's eight products leave as one sum, as do those of four PEs
answer conventional 'MACs a cycle' macs_per_cycle conv2d -d conv2d/weight-stationary --set levels.L2.bandwidth_bits=null --set levels.L1.bandwidth_bits=null --timing roofline
answer simba-like 'MACs a stamp, sums that leave' 'max_active_pes tensors.Y.reuse_factor' conv2d:c=32,rx=1,ry=1 -d conv2d/vector-lanes
# Plasticine (ISCA 2017): 12.3 TFLOPS of 64 units x 16 lanes x 6 stages at 1 GHz; a stage has a sixth; a sum of 16 lanes leaves as one word
answer plasticine-like 'TOPS, sums that leave' 'tops tensors.Y.reuse_factor' gemm:i=64,j=64,k=16 -d gemm/dot-product-3d --timing roofline --set levels.DRAM.bandwidth_bits=null
# eight lanes add up, 4x4 PEs share a word of A in a row and one of B in a column
answer five-level 'reuse' 'tensors.A.reuse_factor tensors.B.reuse_factor tensors.Y.reuse_factor' gemm:i=4,j=4,k=8 -d gemm/dot-product-3d
# doc/model.md, section 5: words of A and B that enter, time-stamps
for machine in systolic-2d-8x8 tpu-8x8; do
    answer $machine 'A, B, stamps' 'tensors.A.unique_volume tensors.B.unique_volume time_stamps' gemm:i=20,j=12,k=9 --space 'i%8, j%8' --time 'i/8, j/8, i%8 + j%8 + k'
done
answer tenet-fig1 'A' 'tensors.A.total_volume tensors.A.reuse_volume tensors.A.unique_volume' tenet-fig1 -d tenet/fig1
# 4 x 10 words of A: in a row of 64 PEs each enters once when it is passed on, once for each of 16 buses of four PEs
answer systolic-1d 'A' tensors.A.unique_volume gemm:i=4,j=64,k=10 --space j --time 'i, k + j'
answer multicast-1d-64 'A' tensors.A.unique_volume gemm:i=4,j=64,k=10 --space j --time 'i, k'
# a word of A for the 8 PEs of a row, of B for the 8 of a column; 64 products leave as one sum
answer multicast-8x8 'reuse' 'tensors.A.reuse_factor tensors.B.reuse_factor' gemm:i=8,j=8,k=10 --space 'i, j' --time k
answer reduction-tree-64 'reuse' tensors.Y.reuse_factor gemm:i=4,j=4,k=64 --space k --time 'i, j'

sator list archs --csv | sed -n '2,$s/^[^,]*,\([^,]*\).*/\1/p' | tr -d '"' >machines
while read -r machine; do
    grep -q "answer $machine \|$machine, \|for machine in .*$machine" "$SOURCE/test/cli/known_machines.sh" || echo "$machine has no known answer"
    # map and analyze both answer, and agree
    sator map gemm:i=24,j=16,k=20 --arch "$machine" --objective latency --yaml -o nest.yaml || echo "$machine has no mapping"
    a=$(sator map gemm:i=24,j=16,k=20 --arch "$machine" --objective latency | sed -n 's/^ *latency *\([0-9,.]*\) cycles.*/\1/p')
    b=$(sator analyze gemm:i=24,j=16,k=20 --arch "$machine" -d nest.yaml | sed -n 's/^ *latency *\([0-9,.]*\) cycles.*/\1/p')
    echo "$a $b" | tr -d , | awk -v machine="$machine" '!($1 > 0 && $1 - $2 < 0.1 && $2 - $1 < 0.1) {print machine ": " $0}'
    # some dataflow of the library fits
    for try in 'gemm gemm' 'conv2d conv2d' 'tenet-fig1 tenet' none; do
        [ "$try" = none ] && echo "$machine refuses every dataflow" && break
        sator analyze "${try% *}" --arch "$machine" -d "${try#* }/*" --csv 2>/dev/null | sed -n 2p | grep -q . && break
    done
done <machines

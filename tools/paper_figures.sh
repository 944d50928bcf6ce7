#!/bin/sh
# Figures of TENET (ISCA 2021) at full size, from the library and the published program's own files, under the
# paper's own equations (--model tenet) and, beside them, Sator's; one of Sunstone (ISPASS 2023). usage: tools/paper_figures.sh [build/sator [FIGURE]]
sator=${1:-build/sator}
figure=${2:-all}
data=test/tenet/published/data

# What control costs: name, then a question about a network; energy, times less than untiled, instructions, shares of them and of reordering
control() {
    name=$1
    shift
    "$sator" "$@" --timing roofline | awk -v name="$name" -v untiled="$untiled" '
        /energy [0-9.]+ mJ/ { sub(/.*energy /, ""); energy = $1 }
        /^  total  / { energy = $2 }
        /^  control/ { instructions = $2; fetch = $7; sub(/.*reordered, /, ""); reorder = $1 }
        END {
            if (untiled == "") print energy
            else printf "%-34s %7.2f %6.1f %12s %8s %9s\n", name, energy, untiled / energy, instructions, fetch, reorder
        }'
}

wanted() {
    [ "$figure" = all ] || [ "$figure" = "$1" ]
}

# Figure 6: name, then an analysis: the latency at four bandwidths under the paper's equations
bandwidths() {
    name=$1
    shift
    "$sator" analyze "$@" --model tenet --bandwidth 64,96,128,160 | awk -v name="$name" '
        /^Roofline by/ { inside = 1 }
        inside && $1 ~ /^[0-9]+$/ { text = text sprintf("  %11s", $4) }
        END { printf "%-26s%s\n", name, text }'
}

# Figures 9 and 11: reuse per loop instance of inputs and of the output, utilization, latency under both models
metrics() {
    name=$1
    shift
    { "$sator" analyze "$@" --model tenet && "$sator" analyze "$@" --timing roofline; } | awk -v name="$name" '
        /^  workload / { tenet = 0 }
        /^  model / { tenet = 1 }
        /^Volumes/ { inside = 1 }
        /^$/ { inside = 0 }
        inside && $2 == "read" && tenet { gsub(",", ""); n = $4; it += $6 / n; is += $7 / n }
        inside && $2 == "write" && tenet { gsub(",", ""); n = $4; ot += $6 / n; os += $7 / n }
        /^  utilization/ { average = $2; most = $8 }
        /^  latency/ { latency[++runs] = $2; sub(/.*bound by /, ""); by[runs] = $0 }
        END {
            printf "%-22s %4.2f %4.2f %4.2f %4.2f  %5.1f %5.1f  %11s %-17s  %11s %s\n", name, it, is, ot, os, most, average,
                latency[1], by[1], latency[2], by[2]
        }'
}

# Figure 10: name, then an analysis: bits per cycle of compute to and from the scratchpad, and between PEs
needs() {
    name=$1
    shift
    "$sator" analyze "$@" --model tenet | awk -v name="$name" '
        /^Bandwidth needed/ { inside = 1 }
        /^$/ { inside = 0 }
        inside && $1 != "tensor" && NF == 3 { text = text sprintf("  %s %8s %8s", $1, $2, $3) }
        END { printf "%-31s%s\n", name, text }'
}

# Figure 12: name, then the arguments of an analysis
row() {
    name=$1
    shift
    "$sator" analyze "$@" | awk -v name="$name" '
        /^Volumes/ { inside = 1 }
        /^$/ { inside = 0 }
        inside && ($2 == "read" || $2 == "write") { text = text sprintf("  %s %-9s", $1, $10) }
        END { printf "%-18s%s\n", name, text }'
}

if wanted 6; then
    for d in kc-p_oy-kcox-t kox-p_oy-koxc-t kc-p_oy-ox-t oyox-p_oy-ox-t; do
        bandwidths "conv2d/$d" conv2d --arch mesh-8x8 --dataflow "conv2d/$d"
    done
    for d in ij-p_j-ijk-t kj-p_k-ijk-t ik-p_k-ijk-t; do
        bandwidths "gemm/$d" gemm --arch mesh-8x8 --dataflow "gemm/$d"
    done
    for d in k-p_i-j-t j-p_i-k-t; do
        bandwidths "gemm/$d" gemm --arch systolic-1d --dataflow "gemm/$d"
    done
fi
if wanted 9; then
    for d in kc-p_oy-kcox-t kox-p_oy-koxc-t kc-p_c-kox-t kc-p_oy-ox-t oyox-p_oy-ox-t; do
        metrics "conv2d/$d" conv2d --arch systolic-2d-8x8 --dataflow "conv2d/$d"
    done
    metrics "conv2d_eyeriss2d.m" conv2d --arch systolic-2d-8x8 --dataflow $data/mapping/conv2d_eyeriss2d.m
    for d in k-p_ox-oy-t c-p_oy-ox-t; do
        metrics "conv2d/$d" conv2d --arch systolic-1d --dataflow "conv2d/$d"
    done
    for d in ij-p_j-ijk-t kj-p_k-ijk-t ik-p_k-ijk-t; do
        metrics "gemm/$d" gemm --arch systolic-2d-8x8 --dataflow "gemm/$d"
    done
    for d in k-p_i-j-t j-p_i-k-t; do
        metrics "gemm/$d" gemm --arch systolic-1d --dataflow "gemm/$d"
    done
    for d in ij-p_j-ijl-t kj-p_j-kjl-t kl-p_l-klj-t; do
        metrics "mttkrp/$d" mttkrp --arch systolic-2d-8x8 --dataflow "mttkrp/$d"
    done
fi
if wanted 10; then
    for m in conv2d_eyeriss2d conv2d_ws; do
        for p in 1d_systolic1 pe_8_8 switch2; do
            needs "$m $p" $data/statement/conv2d.s --arch $data/pe_array/$p.p --dataflow $data/mapping/$m.m
        done
    done
    for p in 1d_systolic1 pe_8_8 switch2; do
        needs "jacobi_os_yxp $p" $data/statement/jacobi2d.s --arch $data/pe_array/$p.p \
            --dataflow $data/mapping/jacobi_os_yxp.m
    done
    for p in 1d_systolic2 systolic switch; do
        needs "matmul_systolic_os $p" $data/statement/matmul.s --arch $data/pe_array/$p.p \
            --dataflow $data/mapping/matmul_systolic_os.m
    done
fi
if wanted 11; then
    for layer in 1 2 3 4 5; do
        metrics "Eyeriss CONV$layer" $data/alexnet/experiment/experiment_$layer
    done
    for layer in 1 2 3 4 5; do
        metrics "MAERI C$layer" $data/maeri/experiment/experiment_$layer
    done
fi
if wanted 12; then
    for layer in 1 2 3 4 5; do
        row "AlexNet CONV$layer" "$data/alexnet/experiment/experiment_$layer"
    done
    for layer in 1_1 2_1 3_1 4_1 5_1; do
        row "VGG16 CONV$layer" "$data/statement/conv${layer}_vgg16.s" --arch "$data/pe_array/pe_8_8.p" \
            --dataflow "$data/mapping/conv2d_ws.m"
    done
    for layer in 1 2 3 4 5 6 7 8 9; do
        row "GoogLeNet conv$layer" "$data/statement/conv${layer}_googlenet.s" \
            --arch "$data/pe_array/pe_8_8.p" --dataflow "$data/mapping/conv2d_ws.m"
    done
    for layer in 1 2 3 4 5; do
        row "MobileNet layer$layer" "$data/mobilenet/experiment/experiment_$layer"
    done
fi
if wanted sunstone; then
    work=$(mktemp -d) || exit 1
    printf 'energy_table: 65nm\nlevels: [{memory: DRAM}, {array: PE, shape: 1}, {compute: mac}]\n' >"$work/untiled.yaml"
    untiled=
    untiled=$(control untiled analyze resnet18 --arch "$work/untiled.yaml" --space 0 --time 'k, oy, ox, c, ry, rx')
    rm -r "$work"
    printf "%-34s %7.2f\n" untiled "$untiled"
    control "conv2d/dot-product-16x16" analyze resnet18 --arch diannao --dataflow conv2d/dot-product-16x16
    control "map, objective energy" map resnet18 --arch diannao --objective energy
fi

#!/bin/sh
# What a search looks at until it has its proof: no more than it was. A bound that is weaker than it should be is a bound still, and no
# other test notices it. Where a change of the search is worth more, the number changes with it.
. "$2/test/cli/harness"
rooflines
effort() { # effort MOST ARGUMENTS: unrollings, tiles, partial orders and mappings looked at
    most=$1
    shift
    sator map "$@" --json | sed -n '/"proved"/p; /"evaluated"/,/"orders"/p' | tr -d '[:space:]"' | tr ',' '\n' | awk -F: -v most="$most" -v what="$*" '
        $1 == "proved" { proved = $2 } $1 != "proved" && $1 != "equal" { sum += $2 }
        END { if (proved != "true" || sum > most * 1.01) print what ": " proved ", looked at " sum ", " most " is known to be enough" }'
}
effort 793 resnet18 --layer conv4_1 --arch conventional
effort 5184 resnet18 --layer fc --arch eyeriss-tenet --set energy_table=45nm # of which 836 without what only engines count under a skew, and some 2500 to start eight skews
effort 4065 resnet18 --layer conv5_1 --arch simba-like
effort 11796 resnet18 --layer conv5_x --arch five-level
effort 59240 resnet18 --layer conv3_1 --arch five-level
effort 6921 resnet18 --layer conv5_1 --arch five-level --set 'levels.L2.may_bypass=[A,B,Y]' --set 'levels.L3.may_bypass=[A,B,Y]'
effort 3530 gemm:i=60,j=48,k=36 --arch systolic-2d-8x8
effort 3640 gemm:i=97,j=89,k=101 --arch conventional --imperfect
effort 6823 resnet18 --layer conv5_1 --arch conventional --imperfect
effort 580 resnet18 --layer conv5_1 --arch eyeriss
effort 3246 resnet18 --layer conv4_downsample --arch conventional --set 'levels.PE.reduction=[{name: sums, map: "PE[i,j] -> TREE[i]", energy_pj: 0.2}]'
effort 39994 unet --layer up4_spread --arch plasticine-like # as above, 33958
effort 14540 resnet18 --layer conv5_1 --arch simba-like --objective latency
effort 27376 gemm:i=96,j=96,k=96 --arch tpu-256x256 --set 'levels.PE.shape=[8,8]' --set levels.scratchpad.capacity_bytes=4096
effort 1108847 mobilenet-v1 --layer conv3_dw --arch tpu-v4i-like --set energy_table=45nm --set levels.HBM.component=dram --set levels.CMEM.component=scratchpad --set levels.VMEM.component=scratchpad # nine times as much while registers that A passes by left PEs at any distance

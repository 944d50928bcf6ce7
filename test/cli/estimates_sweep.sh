#!/bin/sh
# Energies of buffers of 64 KB to 4 MB for ResNet-18, least first (doc/explore.md)
. "$2/test/cli/harness"
"$SATOR" explore resnet18 --arch conventional --set energy=estimate --dataflows optimal --objective energy --quiet \
    --vary L2.capacity_bytes=[65536,131072,262144,524288,1048576,2097152,4194304] --db sweep.db >/dev/null
sator query sweep.db --per-hardware --sort energy_pj.total --csv | sed 's/"[^"]*"/x/g' |
    awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) at[$i] = i} NR > 1 && $1 == "all" {print $at["hardware"]}' | tr '\n' ' '

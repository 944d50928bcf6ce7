#!/bin/sh
# Layers of the library on six machines: the mapping's file, and its space, time and cuts alone, give sator analyze every figure of the mapping.
. "$2/test/cli/harness"
figures() { # of every level and tensor, energies by component, the totals
    grep -E '"(tile_words|fills|writes|reads|updates|total|edp|mac|[A-Za-z0-9]*\.(read|write))":' "$1" | tr -d '\t, ' | sort
}
field() { sed -n "s/^.*\"$1\":[[:space:]]*\"\(.*\)\",*\$/\1/p" mapped.json; }
round_trip() { # NETWORK LAYER ARCH OPTION...
    network=$1 layer=$2 arch=$3
    shift 3
    sator map "$network" --layer "$layer" --arch "$arch" --timing $timing "$@" --json >mapped.json
    printf 'name: relations\nspace: "%s"\ntime: "%s"\ncuts: %s\n' "$(field space)" "$(field time)" "$(field cuts)" >relations.yaml
    sator map "$network" --layer "$layer" --arch "$arch" --timing $timing "$@" --yaml -o nest.yaml
    figures mapped.json >a
    [ "$(grep -c updates a)" -ge 6 ] || echo "$layer on $arch $*: too few figures"
    for form in nest relations; do
        sator analyze "$network" --layer "$layer" --arch "$arch" -d $form.yaml --timing $timing --json >analyzed.json
        figures analyzed.json >b
        diff a b >difference || { echo "$layer on $arch $*, $form:" && head difference; }
    done
}
while read -r network layer; do
    for arch in conventional simba-like eyeriss five-level diannao tpu-8x8; do
        timing=scheduled
        [ "$layer $arch" != "conv6_dw five-level" ] || timing=roofline # a proof by the scheduled time takes a minute
        round_trip "$network" "$layer" $arch
    done
done <<'END'
alexnet conv5
mobilenet-v1 conv6_dw
resnet18 fc
END
timing=scheduled
# buses along rows and along columns, of PEs that are idle at the end: what they spare is as the model says
cat >crossed.yaml <<'MACHINE'
name: crossed
levels:
  - {memory: DRAM, energy_pj: {read: 200, write: 1}}
  - array: PE
    shape: [3, 2]
    multicast: [{name: column, map: "PE[x, y] -> B[x]", energy_pj: 2}, {name: row, map: "PE[x, y] -> B[y]", energy_pj: 2}]
  - {compute: mac, energy_pj: 1}
MACHINE
for size in i=5,j=5,k=2 i=7,j=1,k=4 i=1,j=11,k=3; do
    sator map gemm:$size --arch crossed.yaml --imperfect --json >mapped.json
    sator map gemm:$size --arch crossed.yaml --imperfect --yaml -o nest.yaml
    sator analyze gemm:$size --arch crossed.yaml -d nest.yaml --json >analyzed.json
    figures mapped.json >mapped
    figures analyzed.json >analyzed
    diff mapped analyzed >difference || { echo "gemm:$size, crossed buses:" && head difference; }
done
# What the closed form declines: a strided window in ragged tiles; links along rows that several loops share; crossing buses, and
# more rows of time than it takes; an adder tree over ragged tiles.
drawn="--strategy random --samples 300 --seed"
round_trip resnet18 conv1 conventional --imperfect
round_trip inception-v3 mixed_5c_5x5_2 tpu-8x8 $drawn 4 --imperfect
round_trip dilatednet layer4 five-level $drawn 2
round_trip vgg16 conv3_1 reduction-tree-64 $drawn 3 --imperfect
# wires that form cycles
round_trip vgg16 conv5_1 maeri-3x3x7 --objective latency
round_trip vgg16 conv5_1 maeri-3x3x7 --objective latency $drawn 1

#!/bin/sh
# Each command of "First results" in doc/interop.md, as it stands there, on small files of each tool.
sator=$1
source=$2
fail() { echo "$*"; exit 1; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
sator() { "$sator" "$@"; }

cp "$(find "$source/test/onnx" -name '*.onnx' | sort | head -1)" net.onnx || fail "no model"
cat >design.yaml <<'EOF'
architecture:
  version: 0.4
  nodes:
  - !Component {name: Main, class: DRAM, attributes: {width: 16, datawidth: 16}}
  - !Component {name: Buffer, class: regfile, attributes: {depth: 64, width: 16, datawidth: 16}}
  - !Component {name: MACC, class: intmac}
problem:
  version: 0.4
  shape:
    name: conv1d
    dimensions: [K, R, P]
    data_spaces:
    - {name: Weights, projection: [[[K]], [[R]]]}
    - {name: Inputs, projection: [[[R], [P]]]}
    - {name: Outputs, projection: [[[K]], [[P]]], read_write: True}
  instance: {K: 32, R: 3, P: 16}
mapping:
- {target: Buffer, type: temporal, factors: R3 P1 K2, permutation: RPK}
- {target: Main, type: temporal, factors: R1 P16 K16, permutation: PRK}
EOF
cat >ERT.yaml <<'EOF'
ERT:
  version: '0.4'
  tables:
  - {name: 'top.Main[1..1]', actions: [{name: read, arguments: {}, energy: 100}, {name: write, arguments: {}, energy: 100}]}
  - {name: 'top.Buffer[1..1]', actions: [{name: read, arguments: {}, energy: 1}, {name: write, arguments: {}, energy: 1}]}
  - {name: 'top.MACC[1..1]', actions: [{name: compute, arguments: {}, energy: 0.5}]}
EOF
printf 'Network net { Layer one { Type: GEMM Dimensions { M: 8, N: 8, K: 8 } Dataflow { SpatialMap(1,1) M; TemporalMap(1,1) N; } } }\n' >net.m
printf 'num_pes: 8\nl1_size_cstr: 100\nl2_size_cstr: 3000\n' >hw.m
cat >layers.yaml <<'EOF'
- id: 0
  operator_type: Gemm
  equation: O[i][j]+=I[i][k]*W[k][j]
  dimension_relations: []
  loop_dims: [I, J, K]
  loop_sizes: [8, 8, 8]
  operand_precision: {W: 8, I: 8, O: 8}
EOF
cat >hardware.yaml <<'EOF'
name: hw
memories:
  sram:
    size: 65536
    r_cost: 1
    w_cost: 1
    operands: [I1, I2, O]
    ports: [{name: rw, type: read_write, bandwidth_min: 64, bandwidth_max: 64, allocation: ["I1, tl", "I2, tl", "O, tl", "O, fl"]}]
    served_dimensions: [D1]
operational_array: {unit_energy: 0.5, dimensions: [D1], sizes: [4]}
EOF
printf 'Layer, M, N, K,\nfc, 16, 16, 16,\n' >topology.csv
printf '[architecture_presets]\nArrayHeight: 4\nArrayWidth: 4\nIfmapSramSzkB: 4\nFilterSramSzkB: 4\nOfmapSramSzkB: 4\n' >scale.cfg

awk '/^## First results/ { inside = 1; next } /^## / { inside = 0 } inside && /^\| .*`sator / {
    gsub(/^[^`]*`|`[^`]*$/, ""); print }' "$source/doc/interop.md" >commands
[ "$(wc -l <commands)" = 6 ] || fail "six commands were expected: $(cat commands)"
while read -r command; do
    (eval "$command") >result 2>messages || fail "$command: $(cat messages)"
    grep -q 'cycles' result || fail "$command has no result: $(cat result)"
done <commands
exit 0

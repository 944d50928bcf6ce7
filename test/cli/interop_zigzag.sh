#!/bin/sh
# ZigZag's layers, hardware and mappings, with numbers worked out by hand.
sator=$1
fail() { echo "$*"; exit 1; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2

cat >layers.yaml <<'EOF'
- id: 0
  operator_type: Conv
  equation: O[b][k][ox] += W[k][c][fx] * I[b][c][ix]
  dimension_relations: [ix=2*ox+1*fx]
  loop_dims: [B, K, C, OX, FX]
  loop_sizes: [1, 8, 4, 16, 3]
  operand_precision: {W: 8, I: 8, O: 16, O_final: 8}
  operand_source: {I: 0, W: 0}
- id: 1
  name: pool
  operator_type: Pooling
  equation: O[b][g][ox]+=W[fx]*I[b][g][ix]
  dimension_relations: [ix=2*ox+1*fx]
  loop_dims: [B, G, OX, FX]
  loop_sizes: [1, 8, 8, 2]
  operand_precision: {W: 0, I: 8, O: 16, O_final: 8}
  operand_source: {I: 0, W: 1}
EOF
cat >hardware.yaml <<'EOF'
name: hw
memories:
  reg_W: &one
    size: 8
    r_cost: 0.1
    w_cost: 0.1
    operands: [I2]
    ports:
      - {name: p, type: read_write, bandwidth_min: 8, bandwidth_max: 8, allocation: ["I2, tl", "I2, fh"]}
    served_dimensions: []
  reg_O:
    size: 16
    r_cost: 0.4
    w_cost: 0.8
    operands: [O]
    ports:
      - {name: r, type: read, bandwidth_min: 16, bandwidth_max: 16, allocation: ["O, tl", "O, th"]}
      - {name: w, type: write, bandwidth_min: 16, bandwidth_max: 16, allocation: ["O, fh", "O, fl"]}
    served_dimensions: [D1]
  sram:
    size: 65536
    r_cost: 64
    w_cost: 32
    operands: [I1, I2, O]
    ports:
      - {name: rw, type: read_write, bandwidth_min: 8, bandwidth_max: 64, allocation: ["I1, tl", "I2, tl", "O, tl", "O, fl"]}
    served_dimensions: [D1, D2]
operational_array: {unit_energy: 0.5, unit_area: 1, dimensions: [D1, D2], sizes: [4, 2]}
EOF
cat >mapping.yaml <<'EOF'
- name: default
  spatial_mapping: {D1: ["C, 4"], D2: [["K, 2"]]}
  temporal_ordering: [[OX, 4], [FX, "*"], [OX, "*"], [K, "*"]]
  memory_operand_links: {O: O, W: I2, I: I1}
- name: pool
  spatial_mapping: {D1: ["G, 4"]}
EOF
sed -i 's/\[\["K, 2"\]\]/[[K, 2]]/' mapping.yaml
"$sator" check layers.yaml hardware.yaml mapping.yaml 2>messages | grep -c 'a ZigZag file, nothing wrong' | grep -qx 3 ||
    fail "ZigZag files are not recognised: $(cat messages)"
for said in O_final bandwidth_min unit_area "the mapping of 'pool'" "'reg_O' serves dimensions"; do
    grep -q "$said" messages || fail "it is not said that this is not honoured: $said"
done
"$sator" show layers.yaml 2>/dev/null >shown || fail "the layers are not shown"
grep -q 'op: "Y\[b, k, ox\] += B\[k, c, fx\] \* A\[b, c, 2\*ox + fx\]"' shown || fail "the convolution is another: $(cat shown)"
grep -q 'op: "Y\[b, g, ox\] += A\[b, g, 2\*ox + fx\]"' shown || fail "the constant of the pooling is not left out"
grep -q '{node: "pool", A: "0.O", Y: "1.O"}' shown || fail "where operands come from is lost"
"$sator" show hardware.yaml 2>/dev/null >shown || fail "the hardware is not shown"
# reg_O serves D1, which is not the last dimension: 8 copies at a quarter of the cost. 65536 bits are 8192 bytes.
grep -q 'shape: \[4, 2\]' shown && grep -q 'memory: sram, capacity_bytes: 8192' shown || fail "the machine is another: $(cat shown)"
grep -q 'memory: reg_O.*read: {value: 0.1, row_bits: 16}, write: {value: 0.2, row_bits: 16}' shown || fail "reg_O's part: $(grep reg_O shown)"
"$sator" show mapping.yaml 2>/dev/null >shown || fail "the mapping is not shown"
grep -q 'space: "PE\[c%4, k%2\]"' shown && grep -q 'time: "T\[k/2, ox/4, fx, ox%4\]"' shown || fail "the mapping is another: $(cat shown)"

# 8 x 4 x 16 x 3 = 1536 products on 8 units: 192 steps, at 0.5 pJ: 0.77 nJ.
"$sator" analyze layers.yaml --layer Conv_0 --arch hardware.yaml --dataflow mapping.yaml 2>/dev/null >result || fail "no result"
grep -q 'stamps  *1,536 in 192 time-stamps' result || fail "not 192 steps"
grep -q '^  mac  *1,536  *0.500  *0.77' result || fail "not 0.77 nJ: $(grep mac result)"
# Weights: 8 x 4 x 3 of them, each read from the SRAM once for each of the 4 outer steps of ox.
grep -q '^  sram .* B  *read  *96  *0  *0  *384  *0$' result || fail "not 384 weights are read: $(grep ' B ' result)"

# the smallest of what ZigZag takes, on a model of an exporter's names: tensors meet
"$sator" map gemm:i=8,j=8,k=8 --set word_bits=8 --arch hardware.yaml -q 2>/dev/null | grep -q 'proved optimal' || fail "the library's workloads do not fit"
"$sator" map layers.yaml --arch hardware.yaml --layer Conv_0 --constraint 'D1_D2: only k c' -q 2>/dev/null | grep -q 'proved optimal' ||
    fail "the constraint that the message names is not taken"

# What is shown reads back the same.
for file in layers hardware mapping; do
    "$sator" show $file.yaml -q >once.yaml 2>/dev/null && "$sator" show once.yaml -q >twice.yaml 2>/dev/null || fail "$file does not read back"
    sed "s/^name: once$/name: $file/" twice.yaml | cmp - once.yaml || fail "$file reads back as something else"
done
exit 0

#!/bin/sh
# Timeloop's and SCALE-Sim's files: what they become, with numbers worked out by hand.
sator=$1
fail() { echo "$*"; exit 1; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2

# A one-dimensional convolution with output channels on a memory and a buffer: K = 16 x 2, P = 16 x 1, R = 3 inside.
cat >design.yaml <<'EOF'
architecture:
  version: 0.3
  subtree:
  - name: system
    local:
    - {name: Main, class: SRAM, attributes: {depth: 32768, width: 64, datawidth: 8, technology: 40nm}}
    - {name: Buffer, class: regfile, attributes: {depth: 64, width: 8, datawidth: 8}}
    - {name: MACC, class: intmac, attributes: {width: 8}}
problem:
  version: 0.4
  shape:
    name: conv1d
    dimensions: [K, R, P]
    coefficients: [{name: stride, default: 1}]
    data-spaces:
    - {name: Weights, projection: [[[K]], [[R]]]}
    - {name: Inputs, projection: [[[R], [P, stride]]]}
    - {name: Outputs, projection: [[[K]], [[P]]], read-write: True}
  instance: {K: 32, R: 3, P: 16}
mapping:
- {target: Buffer, type: temporal, factors: R3 P1 K2, permutation: RPK}
- {target: Main, type: temporal, factors: "R=1 P=16 K=16", permutation: PRK}
EOF
"$sator" check design.yaml 2>messages | grep -q 'a Timeloop file, nothing wrong' || fail "a Timeloop file is not recognised"
grep -q 'these are not honoured: technology' messages || fail "it is not said what is not honoured"
"$sator" analyze design.yaml --arch design.yaml --timing roofline --dataflow design.yaml -q 2>/dev/null >result || fail "no result"
# K is outside P: 16 tiles of 2 x 3 weights are read once each; of the inputs, 3 and then one more for each of the other 15
# steps, for each of the 16 tiles of weights: 16 x 18; every output is written once.
grep -q '^  Main  *1  *262,144  *0  *Weights  *read  *96  *0  *0  *96  *0$' result || fail "weights: not 16 x 6"
grep -q '^  *Inputs  *read  *18  *0  *0  *288  *0$' result || fail "inputs: not 16 x (3 + 15)"
grep -q '^  *Outputs  *write  *512  *0  *0  *0  *512$' result || fail "outputs: not 32 x 16"
grep -q 'stamps  *1,536 in 1,536 time-stamps' result || fail "not 32 x 3 x 16 steps"

# The oldest form, apart: 2 x 2 PEs along X and Y, split after the first dimension of the permutation, targets in any order.
cat >arch.yaml <<'EOF'
arch:
  arithmetic: {name: MACs, instances: 4, meshX: 2, word-bits: 16}
  storage:
  - {name: Registers, entries: 64, instances: 4, meshX: 2, word-bits: 16}
  - {name: Buffer, sizeKB: 1, instances: 1, word-bits: 16, bandwidth: 4}
  - {name: DRAM, technology: DRAM, instances: 1, word-bits: 16}
EOF
cat >problem.yaml <<'EOF'
problem: {R: 3, S: 3, P: 4, Q: 4, C: 2, K: 4, N: 1, Wstride: 2, Hstride: 2, Wdilation: 1, Hdilation: 1}
EOF
cat >mapping.yaml <<'EOF'
mapping:
- {target: Registers, type: datatype, keep: [Weights, Outputs], bypass: [Inputs]}
- {target: Registers, type: temporal, factors: R3 S3 P1 Q1 C1 K1 N1, permutation: RSPQCKN}
- {target: Buffer, type: spatial, factors: R1 S1 P1 Q1 C2 K2 N1, permutation: KCRSPQN, split: 1}
- {target: Buffer, type: temporal, factors: R1 S1 P4 Q1 C1 K1 N1, permutation: PRSQCKN}
- {target: DRAM, type: temporal, factors: R1 S1 P1 Q4 C1 K2 N1, permutation: KQRSPCN}
EOF
"$sator" show problem.yaml -q | grep -q 'Inputs\[N, C, R + 2\*P, S + 2\*Q\]' || fail "the strides of a convolution are lost"
"$sator" show arch.yaml -q 2>/dev/null >shown || fail "the architecture is not shown"
grep -q 'memory: Buffer, capacity_words: 512, bandwidth_bits: {read: 64, write: 64}' shown || fail "1 KB is not 512 words of 16 bits"
grep -q 'shape: \[2, 2\]' shown || fail "4 instances with meshX 2 are not 2 x 2"
"$sator" show mapping.yaml -q 2>/dev/null | grep -q 'parallel: \[C 2 -> 1, K 2 -> 0\]' || fail "the split is not honoured"
"$sator" analyze problem.yaml --arch arch.yaml --timing roofline --dataflow mapping.yaml -q 2>/dev/null >result || fail "targets in another order are refused"
grep -q 'stamps  *1,152 in 288 time-stamps' result || fail "not 2 x 4 x 4 x 9 steps of 4 PEs"
"$sator" map problem.yaml --arch arch.yaml --timing roofline --objective latency -q 2>/dev/null | grep -q 'best  *288 cycles' ||
    fail "not 1,152 multiply-accumulates on 4 PEs"
# a single target is one, and a list of none is passed over
asks() {
    { cat arch.yaml; printf 'mapspace: {targets: []}\nconstraints: {targets: %s}\n' "$1"; } >asks.yaml
    "$sator" show asks.yaml 2>&1 >/dev/null | grep -c 'not honoured: constraints on loops'
}
[ "$(asks '[]')" = 0 ] || fail "constraints that are none"
[ "$(asks '[{target: Buffer, type: temporal, factors: C1}]')" = 1 ] || fail "a single constraint is lost"

# Version 0.4 as it is written: tagged nodes, attributes that containers hand down, aliases, constraints at the nodes.
cat >nodes.yaml <<'EOF'
architecture:
  version: 0.4
  nodes:
  - !Container {name: System, attributes: {technology: "40nm", datawidth: 8}}
  - !Component {name: Main, class: DRAM, attributes: {width: 256}}
  - !Component {name: Buffer, class: SRAM, attributes: &sram {depth: 1024, width: 64},
                constraints: {dataspace: {keep: [Inputs], bypass: [Weights]}}}
  - !Container {name: PE, spatial: {meshX: 4, meshY: 2}, constraints: {spatial: {factors: [R=1, P=1]}}}
  - !Component {name: Registers, class: regfile, attributes: {<<: *sram, depth: 8, datawidth: 16},
                constraints: {temporal: {factors: [R=3, "K<=4"], permutation: [R, P]}}}
  - !Component {name: MACC, class: intmac, attributes: {width: 8}}
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
EOF
"$sator" show nodes.yaml 2>messages >shown || fail "tagged nodes are not read"
# 1024 rows of 64 bits are 8192 words of 8; 8 rows of 64 are 32 words of 16
grep -q 'memory: Buffer, capacity_words: 8192, .*bypass: \[Weights\], may_bypass: \[Outputs\]' shown || fail "the buffer is $(grep Buffer shown)"
grep -q 'memory: Registers, capacity_words: 32' shown && grep -A1 'array: PE_fanout' shown | grep -q 'shape: \[4, 2\]' ||
    fail "the PEs are others: $(cat shown)"
grep -q 'constraints on loops' messages && grep -q -e '--constraint nodes.yaml' messages || fail "constraints on loops are not named"
"$sator" map nodes.yaml --arch nodes.yaml --timing roofline --constraint nodes.yaml --objective latency >result 2>messages || fail "constraints of a file are refused"
grep -q 'honoured: K<=4' messages || fail "it is not said which constraint is not honoured"
sed -n '/^Loop nest/,/^Accesses/p' result >nest
sed -n '/Registers holds/,$p' nest | grep -q 'for R in 3' || fail "R=3 is not kept: $(cat nest)"
grep 'parallel on' nest | grep -q 'K' && ! grep 'parallel on' nest | grep -q '[RP] ' || fail "R and P run in parallel: $(cat nest)"

# A product of 8 x 8 x 8 in one buffer of 8-bit words that reads 4 a cycle: 512 words of A, 512 of B and 448 partial sums
# take 368 cycles, whatever a layer's words are; energies of its own ERT are of the same words, 1472 of 2 pJ.
cat >bytes.yaml <<'EOF'
architecture:
  version: 0.4
  nodes:
  - !Component {name: DRAM, class: DRAM, attributes: {datawidth: 8}}
  - !Component {name: GB, class: SRAM, attributes: {depth: 4096, width: 8, datawidth: 8, read_bandwidth: 4}}
  - !Component {name: mac, class: intmac}
problem:
  version: 0.4
  shape:
    name: gemm
    dimensions: [M, N, K]
    data_spaces:
    - {name: A, projection: [[[M]], [[K]]]}
    - {name: B, projection: [[[K]], [[N]]]}
    - {name: Z, projection: [[[M]], [[N]]], read_write: True}
  instance: {M: 8, N: 8, K: 8}
mapping:
- {target: GB, type: temporal, factors: [M=8, N=8, K=8], permutation: [K, N, M]}
- {target: DRAM, type: temporal, factors: [M=1, N=1, K=1], permutation: [K, N, M]}
EOF
cat >ERT.yaml <<'EOF'
ERT:
  version: '0.4'
  tables:
  - {name: "bytes.GB[1..1]", actions: [{name: read, arguments: {}, energy: 2}]}
EOF
"$sator" analyze bytes.yaml --arch bytes.yaml --timing roofline --dataflow bytes.yaml --set energy_table=ERT.yaml >result 2>messages ||
    fail "words of 8 bits are refused: $(cat messages)"
grep -q 'GB reads .* 368$' result || fail "a word is no word: $(grep 'GB reads' result)"
grep -q 'GB.read  *1,472  *2.000 ' result || fail "a word's energy is another: $(grep 'GB.read' result)"

# The same in libconfig's notation, with the search's own constraints.
cat >old.cfg <<'EOF'
# a comment
arch = {
    arithmetic = { name = "MACs"; instances = 4; meshX = 2; word_bits = 16; };
    storage = (
        { name = "Registers"; entries = 64; instances = 4; meshX = 2; word_bits = 16; },
        { name = "Dummy"; entries = 0; instances = 1; },
        { name = "DRAM"; technology = "DRAM"; instances = 1; word_bits = 16; /* no limit */ }
    );
};
mapspace = { constraints = "mine"; constraints_mine = (
    { target = "Registers"; type = "temporal"; factors = "R3 S0"; },
    { target = "Registers"; type = "datatype"; keep = [ "Outputs" ]; bypass = [ "Inputs", "Weights" ]; } ); };
problem = { R=3; S=3; P=4; Q=4; C=2; K=4; N=1; Wstride=2; Hstride=2; };
EOF
"$sator" check old.cfg 2>messages | grep -q 'a Timeloop file, nothing wrong' || fail "libconfig is not read: $(cat messages)"
"$sator" show old.cfg 2>/dev/null | grep -q 'memory: Registers, capacity_words: 64, .*bypass: \[Weights, Inputs\]' || fail "the bypass is lost"
"$sator" map old.cfg --arch old.cfg --timing roofline --constraint old.cfg --objective latency -q 2>/dev/null | sed -n '/Registers holds/,/instance/p' >nest
grep -q 'for R in 3' nest && grep -q 'for S in 3' nest || fail "R3 S0 is not kept: $(cat nest)"

# SCALE-Sim: (224 - 7) / 2 + 1 = 109.5 outputs, rounded up as its formula does; a scratchpad a tensor.
printf 'Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\n' >net.csv
printf 'Conv1, 224, 224, 7, 7, 3, 64, 2,\r\n\nConv2, 56, 56, 1, 1, 64, 256, 1\n' >>net.csv
"$sator" show net.csv -q >shown || fail "a topology is not recognised"
grep -q 'sizes: {n: 1, k: 64, c: 3, ox: 109, oy: 109, rx: 7, ry: 7}' shown || fail "Conv1: $(grep sizes shown)"
grep -q 'sizes: {n: 1, k: 256, c: 64, ox: 56, oy: 56, rx: 1, ry: 1}' shown || fail "Conv2 is another"
printf 'Layer, M, N, K,\nfc, 128, 512, 1536,\n' >gemm.csv
"$sator" show gemm.csv -q | grep -q 'sizes: {i: 128, j: 512, k: 1536}' || fail "products are not read"
printf '[general]\nrun_name = a\n[architecture_presets]\nArrayHeight: 8\nArrayWidth: 4\nIfmapSramSzkB: 64\nFilterSramSzkB: 32\nOfmapSramSzkB: 16\nBandwidth: 10\nDataflow: ws\n[run_presets]\nInterfaceBandwidth: USER\n' >scale.cfg
"$sator" show scale.cfg -q 2>/dev/null >shown || fail "a configuration is not recognised"
grep -q 'shape: \[8, 4\]' shown && grep -q 'memory: filter, capacity_bytes: 32768, double_buffered: true' shown || fail "the machine is another"
# 128 x 512 x 1536 on 32 PEs
"$sator" map gemm.csv --arch scale.cfg --timing roofline --objective latency -q 2>/dev/null | grep -q 'fc .* 3,145,728 ' || fail "a topology is not mapped on a configuration"

# What is shown reads back the same.
for file in problem.yaml arch.yaml net.csv gemm.csv scale.cfg; do
    "$sator" show $file -q >once.yaml 2>/dev/null && "$sator" show once.yaml -q >twice.yaml 2>/dev/null || fail "$file does not read back"
    cmp once.yaml twice.yaml || fail "$file reads back as something else"
done

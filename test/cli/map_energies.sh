#!/bin/sh
# Every machine of the library that the mapper handles has energies, or the message has a remedy that works when it is pasted.
. "$2/test/cli/harness"
rooflines
cat >unnamed.yaml <<'END'
technology_nm: 65
levels:
  - {memory: HBM}
  - {memory: L2, capacity_bytes: 65536}
  - {array: PE, shape: [4, 4], topology: multicast}
  - {memory: rf, capacity_words: 16}
  - {compute: alu}
END
for arch in $(sator list archs --csv | sed -n '2,$s/^[^,]*,\([^,]*\).*/\1/p') unnamed.yaml; do
    if sator map gemm:i=8,j=8,k=8 --arch "$arch" --json >result 2>message; then
        echo "$arch: $(grep -c '"proved":.*true' result)"
        continue
    fi
    remedy=$(sed -n 's/^help: estimates, from a table of the library: //p' message)
    # shellcheck disable=SC2086
    echo "$arch: $(sator map gemm:i=8,j=8,k=8 --arch "$arch" $remedy --json | grep -c '"proved":.*true') with $remedy"
    remedy=$(sed -n 's/^help: without energies: //p' message)
    # shellcheck disable=SC2086
    sator map gemm:i=8,j=8,k=8 --arch "$arch" $remedy --json | grep -q '"proved":.*true' || echo "$arch: not with $remedy"
done
sator map gemm --arch unnamed.yaml || echo "exit $?"
# links of a systolic array are of no use to mappings: said, so that nobody wonders at the utilization
sator map gemm:i=8,j=8,k=8 --arch tpu-256x256 | grep -o 'idle links .*:' | tr -s ' '
sator map gemm:i=8,j=8,k=8 --arch conventional | grep -c 'idle links'
sator map gemm:i=8,j=8,k=8 --arch tpu-256x256 --json | grep '"idle_links"' | tr -d '\t'
# a mapping that is wrong is so before the search for a better one
printf 'loops:\n  - at: PE\n    parallel: [z 2 -> 0]\n' >wrong.yaml
timeout 60 "$SATOR" map tcl --arch simba-like --why-not wrong.yaml || echo "exit $?"
# 14 of 42 instances a PE read 2 words of 16 bits in 640 cycles, each with 2 pJ of leakage
cat >leaky.yaml <<'YAML'
levels:
  - {memory: D, energy_pj: 0, leakage_pj: 2}
  - {array: PE, shape: [3]}
  - {memory: R, energy_pj: 0, bandwidth_bits: 0.7}
  - {compute: mac, energy_pj: 0}
YAML
sator map gemm:i=6,j=7,k=1 --arch leaky.yaml --objective energy | grep -E '^  (energy|latency) '

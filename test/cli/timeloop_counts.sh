#!/bin/sh
# Designs in Timeloop's notation: reads, updates, fills and cycles are those that Timeloop published, or differ by a rule
# of its own that is named (doc/interop.md says how many). test/foreign/counts.py counts them by itself.
sator=$1
folder=$2/test/foreign
python=python3
for candidate in /usr/bin/python3 python3; do
    "$candidate" -c 'import yaml' 2>/dev/null && python=$candidate && have_yaml=1 && break
done
[ -n "$have_yaml" ] || { echo "SKIP: python3-yaml"; exit 77; }
got=$(mktemp) || exit 2
trap 'rm -f "$got"' EXIT
"$python" "$folder/counts.py" "$sator" "$folder/timeloop/counts.csv" "$folder"/timeloop/conv1d_*.yaml "$folder"/timeloop/*_stationary.yaml >"$got" || { cat "$got"; exit 1; }
diff - "$got" <<'END' || { echo "other figures differ than doc/interop.md says"; exit 1; }
conv1d_1level Buffer Weights fills 3 0 given
conv1d_1level Buffer Inputs fills 18 0 given
conv1d_shared_c GlobalBuffer Inputs reads 4544 18432 turns
conv1d_shared_c RegisterFile Inputs fills 4544 18432 turns
conv1d_shared_c RegisterFile Outputs reads 33280 40960 sums
conv1d_shared_c RegisterFile Outputs fills 512 8192 sums
conv1d_spatial_c GlobalBuffer Inputs reads 4544 18432 turns
conv1d_spatial_c RegisterFile Inputs fills 4544 18432 turns
conv1d_spatial_k GlobalBuffer Inputs reads 11264 18432 turns
conv1d_spatial_k RegisterFile Inputs fills 11264 18432 turns
row_stationary DRAM Inputs reads 156579 157296 turns
row_stationary shared_glb Inputs fills 156579 157296 turns
weight_stationary output_reg Outputs reads 3211264 9633792 sums
weight_stationary output_reg Outputs fills 3211264 9633792 sums
13 designs, 274 figures equal, 14 different by a rule, 0 wrong
END
# The mappings that others made, where they are there: every figure is Timeloop's, or another for a rule.
[ -n "$SATOR_REFERENCE" ] || exit 0
"$python" "$folder/counts.py" "$sator" --mappings "$SATOR_REFERENCE/timeloop/inputs/fixed" >"$got" || { grep -v '[0-9] [a-z+]*$' "$got"; exit 1; }
grep '^180 designs, ' "$got"

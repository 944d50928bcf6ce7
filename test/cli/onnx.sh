#!/bin/sh
# ONNX models: multiply-accumulates as published, mappings of all layers, extents as python3-onnx infers them, a file
# of 2 GB read in little time and memory.
sator=$1
models=$2/test/onnx
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
fail() { echo "$*"; exit 1; }

python=python3
for candidate in /usr/bin/python3 python3; do
    "$candidate" -c 'import onnx, yaml' 2>/dev/null && python=$candidate && have_onnx=1 && break
done
"$sator" map "$models/mobilenetv2.onnx" --arch conventional -q >"$work/map" || fail "mobilenetv2 is not mapped"
grep -q 'every layer proved optimal' "$work/map" || fail "not every layer of mobilenetv2 is mapped"
"$sator" show "$models/resnet18.onnx" -q >"$work/resnet18.yaml" || fail "resnet18 is not shown"
"$sator" show "$work/resnet18.yaml" -q | cmp - "$work/resnet18.yaml" || fail "what is shown does not read back the same"
"$sator" show --all-operators "$models/attention_head.onnx" -q | grep -q 'Softmax_6.divide' || fail "softmax is no layer"
"$sator" check - <"$models/resnet18.onnx" >/dev/null 2>&1 || fail "the standard input is not read"
cp "$models/resnet18.onnx" "$work/model"
"$sator" check "$work/model" -q 2>/dev/null || fail "a model without its ending is not recognised"
"$sator" check "$models/resnet18.onnx" -D batch=2 2>"$work/messages" && fail "a dimension that is not there is taken"
grep -q "no dimension of '.*' is called 'batch'" "$work/messages" || fail "it is not said that there is no such dimension"

[ -n "$have_onnx" ] || { echo "SKIP: python3-onnx, python3-yaml"; exit 0; }
"$python" "$models/large.py" "$work/large.onnx" || fail "no large file"
"$python" - "$sator" "$work/large.onnx" <<'EOF' || fail "the large file costs too much"
import resource, subprocess, sys, time
begin = time.time()
subprocess.run([sys.argv[1], "show", "-q", sys.argv[2]], check=True, stdout=subprocess.DEVNULL)
spent, memory = time.time() - begin, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
print(f"large file: {spent:.2f} s, {memory} MB", file=sys.stderr)
sys.exit(spent > 20 or memory > 400)
EOF
equal=$("$python" "$models/extents.py" "$sator" "$models"/*.onnx) || fail "extents differ: $equal"
[ "$equal" -ge 80 ] || fail "only $equal nodes were compared"
data=/usr/share/libonnx-testdata/data
[ -d $data ] || { echo "SKIP: libonnx-testdata"; exit 0; }
equal=$("$python" "$models/extents.py" "$sator" $data/pytorch-*/*/model.onnx $data/node/test_*conv*/model.onnx \
    $data/node/test_gemm*/model.onnx $data/node/test_matmul*/model.onnx 2>&1) || fail "extents differ: $equal"
[ "$equal" -ge 60 ] || fail "only $equal nodes of libonnx-testdata were compared"
# Every model of libonnx-testdata is read, or refused with a message: none crashes.
"$sator" check $data/*/*/model.onnx >"$work/read" 2>"$work/messages"
code=$?
[ $code -le 1 ] || fail "libonnx-testdata: exit code $code"
{ sed -n 's/: network, nothing wrong$//p' "$work/read" && sed -n 's/^\(.*model\.onnx\)[: ].*error: .*/\1/p' "$work/messages"; } | sort -u >"$work/said"
printf '%s\n' $data/*/*/model.onnx | sort | comm -23 - "$work/said" >"$work/silent"
[ ! -s "$work/silent" ] || fail "neither read nor refused with a message: $(cat "$work/silent")"
"$python" "$models/symbolic.py" "$work/symbolic.onnx" || fail "no symbolic model"
"$sator" check "$work/symbolic.onnx" 2>"$work/messages" && fail "symbolic dimensions are guessed"
grep -q "help: give it one: --define 'batch=1'" "$work/messages" || fail "it is not said how to give a dimension a number"
"$sator" show "$work/symbolic.onnx" -D batch=2 -D sequence=128 -q >"$work/shown" || fail "symbolic dimensions are not bound"
grep -q 'sizes: {h: 24, i: 128, j: 128, k: 64}' "$work/shown" || { cat "$work/shown"; fail "attention of 2 x 12 heads is not found"; }
"$sator" check "$work/symbolic.onnx" -D batch=2 -D sequnce=128 2>"$work/messages" && fail "a wrong name is taken"
grep -q "did you mean 'sequence'" "$work/messages" || fail "the nearest dimension is not named"

#!/bin/sh
# A default that is written out changes no figure and is not remarked upon: cuts as they are derived, and every key of a machine that has one.
. "$2/test/cli/harness"
command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }
cat >compare.py <<'PYTHON'
import json, sys

def differences(a, b, path=""):
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(set(a) | set(b)):  # the order of keys says nothing
            yield from differences(a.get(key), b.get(key), path + "." + key)
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, pair in enumerate(zip(a, b)):
            yield from differences(*pair, "%s[%d]" % (path, i))
    elif a != b:
        yield "%s: %s, %s written out" % (path, a, b)

# who declared a cut; what another capacity would do to a cut that follows from it; names of a dataflow
def figures(file):
    result = json.load(open(file))
    result["advice"] = [a for a in result.get("advice", []) if "memory" not in a]
    for key in ("name", "ragged"):
        result["dataflow"].pop(key, None)
    for cut in result["cuts"]:
        del cut["derived"]
    for level in result["levels"]:
        del level["cut_declared"]
    return result

said = list(differences(figures("bare"), figures("written")))
print("\n".join(said[:10]) if said else "same")
PYTHON
cat >flow.py <<'PYTHON'
import json
result = json.load(open("bare"))
print("space: '%s'\ntime: '%s'\ncuts:" % (result["dataflow"]["space"], result["dataflow"]["time"]))
for cut in result["cuts"]:
    print("  %s: {time: %d, space: %d, bypass: []}" % (cut["level"], cut["time"], cut["space"]))
PYTHON
memory() { # of every memory that is named: one buffer, transfers as they are, nothing gated, no figure of a table
    for level; do
        printf -- '--set levels.%s.double_buffered=false --set levels.%s.overlaps=true --set levels.%s.setup_cycles=0 --set levels.%s.granule_bits=1
            --set levels.%s.may_bypass=[] --set levels.%s.transfers={} --set levels.%s.gating={} --set levels.%s.banks=1 --set levels.%s.cell_ports=1 ' \
            "$level" "$level" "$level" "$level" "$level" "$level" "$level" "$level" "$level"
    done
}
same() { # WORKLOAD ARCH DATAFLOW, what the machine has besides; the level that computes is 'mac'
    workload=$1 arch=$2 flow=$3
    shift 3
    echo "== $workload $arch $flow"
    for timing in roofline scheduled; do
        sator analyze "$workload" --arch "$arch" -d "$flow" --json --timing $timing >bare 2>bare.messages || echo "exit $?"
        python3 flow.py >flow.yaml
        sator analyze "$workload" --arch "$arch" -d flow.yaml --json --timing $timing --model sator --engine auto \
            --set levels.mac.cycles=1 --set 'levels.mac.gating=[]' --set 'levels.mac.skipping=[]' --set repeat=1 "$@" >written 2>messages || echo "exit $?"
        cmp -s bare.messages messages || cat messages
        python3 compare.py
    done
}
same gemm:i=512,j=512,k=512 tpu-256x256 gemm/kj-p_k-ijk-t $(memory DRAM scratchpad registers) --set levels.PE.pass_through=false \
    --set 'levels.DRAM.tensors=[A,B,Y]' --set 'levels.PE.word_bits={A: 16, B: 16, Y: 16}' --set 'word_bits={A: 16, B: 16, Y: 16}'
same gemm:i=64,j=1,k=64 systolic-2d-8x8 gemm/ij-p_j-ijk-t $(memory scratchpad registers) --set 'levels.PE.links.east.tensors=[A,B,Y]' \
    --set levels.PE.links.south.interval=1 --set 'levels.scratchpad.bandwidth_bits={read: 128, write: 128}' --set 'levels.PE.multicast=[]'
same conv2d:k=64,c=64,oy=14,ox=14 conventional conv2d/weight-stationary $(memory DRAM L2 L1) --set 'levels.PE.multicast.all.tensors=[A,B]' \
    --set 'levels.DRAM.energy_pj={value: 325, word_bits: 16}' --set 'levels.L1.word_bits={A: 16, B: 16, Y: 16}' --set 'levels.PE.links=[]'
same conv2d:k=64,c=64,oy=14,ox=14 simba-like conv2d/vector-lanes $(memory DRAM L2 L1) --set 'levels.L2.bypass=[B]' --set levels.PE.word_bits=16
same conv2d:k=64,c=64,oy=14,ox=14 diannao conv2d/dot-product-16x16 $(memory DRAM scratchpad registers) \
    --set 'levels.scratchpad.ports=[{name: NBin, tensors: [A], direction: both, bandwidth_bits: {read: 256, write: 256}, setup_cycles: 0},
        {name: SB, tensors: [B], direction: both, bandwidth_bits: 4096, granule_bits: 1}, {name: NBout, bandwidth_bits: 256}]'
same gemm:i=64,j=64,k=64 mesh-8x8 gemm/ik-p_k-ijk-t $(memory scratchpad registers) --set levels.PE.pass_through=false --set 'levels.PE.reduction=[]'
same gemv:i=512,k=512 maeri-64 gemv/reduction $(memory scratchpad registers) --set levels.PE.links.forward.interval=1

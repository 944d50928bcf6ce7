#!/bin/sh
# Several machines at once are each what one alone is: for a layer, for a network, for given dataflows.
. "$2/test/cli/harness"
rooflines
archs="--arch conventional --arch eyeriss --arch tpu-8x8"
# shellcheck disable=SC2086
sator map resnet18 $archs --json >all.json
# shellcheck disable=SC2086
sator map resnet18 --layer conv2_x $archs --json >layer.json
for arch in conventional eyeriss tpu-8x8; do
    sator map resnet18 --arch $arch --json >$arch.json
    sator map resnet18 --layer conv2_x --arch $arch --json >$arch.layer.json
    sator analyze gemm --arch $arch -d 'gemm/k*' --json >$arch.flows.json 2>/dev/null
done
# shellcheck disable=SC2086
sator analyze gemm $archs -d 'gemm/k*' --json >flows.json 2>/dev/null
cat >compare.py <<'END'
import json
def read(path):
    text = json.load(open(path))
    assert text.pop("schema") == 2
    def clean(node):
        if isinstance(node, dict):
            return {k: clean(v) for k, v in node.items() if k not in ("seconds", "arch", "advice")}
        return [clean(x) for x in node] if isinstance(node, list) else node
    return clean(text)
archs = ["conventional", "eyeriss", "tpu-8x8"]
assert read("all.json")["machines"] == [read(a + ".json") for a in archs]
assert read("layer.json")["machines"] == [read(a + ".layer.json") for a in archs]
assert read("flows.json")["results"] == sum([read(a + ".flows.json")["results"] for a in archs], [])
print("the same")
END
python3 compare.py
# tpu-8x8's row below once more, from sets of words that move from PE to PE: a part of its layers here, all of them by hand (machines_words.py)
python3 "$SOURCE/test/cli/machines_words.py" conv4_downsample conv5_downsample fc <tpu-8x8.json
# shellcheck disable=SC2086
sator map resnet18 $archs | sed 's/ *optimal$//'
# a layer of a network, once
# shellcheck disable=SC2086
sator map resnet18 --layer conv2_x $archs --csv | cut -d, -f1,3,7
# a machine that does not take one layer
sator map alexnet --arch shidiannao-8x8 --arch eyeriss 2>/dev/null | grep -E '^  (shidiannao-8x8|eyeriss) ' | sed 's/  */ /g' | cut -d' ' -f2-4,10-
sator analyze alexnet --layer conv3 --arch eyeriss --arch tpu-8x8 --space 'k%8, c%8' --time 'k/8, c/8, ox, oy, rx, ry' |
    sed -n 's/^  \(command line\) *\([a-z0-9-]*\) .*/\1 \2/p'
for wrong in "map gemm --arch eyeriss --arch eyeriss" "map gemm --arch eyeriss --arch tpu-8x8 --yaml" \
    "explore gemm --arch eyeriss --arch tpu-8x8" "map gemm --arch eyeriss --arch tpu-9x9"; do
    # shellcheck disable=SC2086
    sator $wrong 2>&1 | head -1
done

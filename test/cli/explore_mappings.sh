#!/bin/sh
# Mappings as points: each is what sator map finds, its file analyses to the same figures, and neither threads, shards,
# their order, kill -9, a full disk nor a lost rank changes what is found. Layers without a mapping are counted by reason.
. "$2/test/cli/harness"
. "$SOURCE/test/cli/explorations"
form=json
space="gemm:i=16,j=16,k=16 mttkrp:i=8,j=8,k=4,l=8 --arch conventional --timing roofline --dataflows optimal --objective edp --quiet
    --vary L2.bandwidth_bits=16:640:16 --vary L1.capacity_bytes=[4,64,128,256] --set levels.PE.shape=[4,4]"
whole --threads 1 --top 1 >whole.txt
sed -n '1s/, [0-9.]* s$//p;2p' whole.txt
run --db many.db --threads 5 >/dev/null
same many.db
# one point alone: the mapper's own answer, and the model's for its file
sator map gemm:i=16,j=16,k=16 --arch conventional --timing roofline --objective edp --set 'levels.PE.shape=[4,4]' \
    --set levels.L2.bandwidth_bits=32 --set levels.L1.capacity_bytes=64 --json | sed '/"seconds"/d' >map.json
run --point 0 --hardware 5 --json | sed '/"seconds"/d' | cmp - map.json || echo "the point is not what sator map finds"
run --point 0 --hardware 5 --yaml -o best.yaml
edp=$(sator analyze gemm:i=16,j=16,k=16 --arch conventional --timing roofline --dataflow best.yaml --set 'levels.PE.shape=[4,4]' \
    --set levels.L2.bandwidth_bits=32 --set levels.L1.capacity_bytes=64 --csv | awk -F, \
    'NR == 1 {for (i = 1; i <= NF; i++) if ($i == "edp") column = i} NR == 2 {print $column}')
sator query whole.db --csv | grep -c "^\"\{0,1\}gemm[^,]*,5,.*,$edp,"
# why there is none
run --point 0 --hardware 0 --json
echo "exit $?"
"$SATOR" explore gemm --arch maeri-64 --timing roofline --dataflows optimal --objective energy >none.txt
echo "exit $?"
sed -n 2p none.txt
# shards in any order, one of them twice
for i in 1 2 3; do run --db shard$i.db --shard $i/3 >/dev/null; done
sator merge all.db shard3.db shard1.db --quiet
sator merge all.db shard2.db shard1.db --quiet
same all.db
kill_at_random 4 60
# a damaged file
cp whole.db broken.db
printf '%020000d' 0 | dd of=broken.db bs=1 seek=60000 conv=notrunc 2>/dev/null
run --db broken.db --resume >/dev/null 2>&1 && echo "damage was not seen"
# another objective is another exploration
"$SATOR" explore gemm:i=16,j=16,k=16 --arch conventional --timing roofline --dataflows optimal --db other.db --quiet >/dev/null
"$SATOR" explore gemm:i=16,j=16,k=16 --arch conventional --timing roofline --dataflows optimal --db other.db --resume --objective energy \
    2>&1 | grep error:
# a full disk
mkdir small
if mount -t tmpfs -o size=200k none small 2>/dev/null; then
    trap 'umount "$PWD/small" 2>/dev/null' EXIT
    run --db small/a.db >/dev/null 2>full.err && echo "the disk was not full"
    grep -q 'the disk is full' full.err || cat full.err
    mount -o remount,size=64m small || exit 1
    run --db small/a.db --resume >/dev/null
    same small/a.db
    umount small
fi

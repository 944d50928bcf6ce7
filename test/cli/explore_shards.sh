#!/bin/sh
# Shards joined in any order, in several steps, one of them twice, are the whole; whatever the threads.
. "$2/test/cli/harness"
run() { "$SATOR" explore alexnet --arch systolic-2d-8x8 --timing roofline --points 0:700 --batch 32 --quiet "$@" >/dev/null; }
run --db whole.db --threads 3
sator query whole.db --csv >whole.csv
for i in 1 2 3 4; do run --db shard$i.db --shard $i/4 --threads 1; done
sator merge a.db shard3.db shard1.db | sed -n 's/^  missing.*, of/missing of/p'
sator merge b.db shard4.db shard3.db shard2.db shard1.db >/dev/null
sator merge a.db shard2.db shard1.db --quiet
sator merge a.db b.db shard4.db --quiet
for db in a b; do
    sator query $db.db --csv >$db.csv
    cmp whole.csv $db.csv || echo "$db differs"
    sator query $db.db --summary | grep missing
done
[ "$(sator query whole.db --network --sort latency --top 2 --csv)" = \
    "$(sator query b.db --network --sort latency --top 2 --csv)" ] || echo "the best choice differs"
[ "$(wc -l <whole.csv)" -gt 1000 ] || echo "only $(wc -l <whole.csv) results"
# a shard that was interrupted, beside a whole copy of it
cp shard2.db part.db
store_sql part.db 'DELETE FROM batch WHERE batch > 8; DELETE FROM skipped WHERE batch > 8;'
sator query part.db --summary >summary # its percentage is that of its counts
awk '/^  points / {gsub(/[,(]/, ""); if ($2 == 0 || $2 >= $4 || sprintf("%.2f", 100 * $2 / $4) != $6) print}' summary
sator merge c.db part.db shard1.db shard2.db part.db shard3.db shard4.db --quiet
sator query c.db --csv | cmp - whole.csv || echo "c differs"
# a number of shards that no union has is not believed: all is accounted for as one
sator query whole.db --summary | grep -E '^  (points|results) ' >account
for n in 0 -3 1000001; do
    store_sql b.db "UPDATE meta SET value = '$n' WHERE key = 'merged_shards'"
    sator query b.db --summary | grep -E '^  (points|results|missing) ' | cmp - account || echo "$n shards were believed"
done
# other explorations do not mix
"$SATOR" explore alexnet --arch mesh-8x8 --timing roofline --points 0:10 --db other.db --quiet >/dev/null
sator merge a.db other.db && echo "another exploration was taken"
sator merge new.db shard1.db other.db && echo "another exploration was taken"
[ -e new.db ] && echo "half a union was left behind"
true

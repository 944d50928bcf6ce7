#!/bin/sh
# Results of different models do not mix: not in a run that goes on, not in a union, not among ranks; and a database of
# another schema is refused. What the model found beside its numbers is kept: what bounds each result, and the cuts.
. "$2/test/cli/harness"
command -v sqlite3 >/dev/null || { echo "SKIP: no sqlite3"; exit 77; }
space="gemm:i=8,j=8,k=8 --arch systolic-2d-8x8 --timing roofline --quiet --batch 20"
# shellcheck disable=SC2086
run() { "$SATOR" explore $space "$@" >/dev/null; echo "exit $?"; }
run --db one.db --shard 1/2
run --db two.db --shard 2/2
sqlite3 one.db 'SELECT key, value FROM meta WHERE key IN ("model", "timing") ORDER BY key'
sator query one.db --summary | sed -n 's/^  made by .*\(model .*\);.*/\1/p'
for change in "model tenet" "timing cycles" "model_version 1"; do
    cp one.db other.db
    store_sql other.db "UPDATE meta SET value = '${change#* }' WHERE key = '${change% *}'"
    run --db other.db --shard 1/2 --resume
    sator merge union.db two.db other.db --quiet && echo "a mixture of ${change% *}"
    sator merge union.db other.db two.db --quiet && echo "a mixture of ${change% *}"
done
# joined to themselves they stay what they are
sator merge union.db other.db other.db --quiet
sqlite3 union.db 'SELECT value FROM meta WHERE key = "model_version"'
store_sql other.db 'DELETE FROM meta WHERE key = "timing"'
run --db other.db --shard 1/2 --resume
sator query other.db
store_sql one.db 'PRAGMA user_version = 2'
run --db one.db --shard 1/2 --resume
sator query one.db
sator merge last.db two.db one.db
true

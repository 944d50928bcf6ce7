#!/bin/sh
# Runs that are killed at random moments and resumed end with the same results as one that is not, to the byte of the
# exported CSV.
. "$2/test/cli/harness"
options="conv2d:k=16,c=8,ox=16,oy=16,rx=3,ry=3 --arch systolic-2d-8x8 --points 0:12000 --prune none --no-symmetry --quiet"
# shellcheck disable=SC2086
sator explore $options --db whole.db --threads 2 >/dev/null
sator query whole.db --csv >whole.csv
sator query whole.db --summary | sed 1,2d >whole.account
rounds=0
kills=0
while [ $kills -lt 20 ] && [ $rounds -lt 40 ]; do
    rm -f killed.db
    tries=0
    while [ $tries -lt 5 ]; do
        # shellcheck disable=SC2086
        "$SATOR" explore $options --db killed.db --resume --threads $((rounds % 3 + 1)) >/dev/null 2>&1 &
        pid=$!
        sleep "0.$(od -An -N2 -tu2 /dev/urandom | awk '{printf "%03d", 10 + $1 % 700}')"
        kill -9 $pid 2>/dev/null && kills=$((kills + 1))
        wait $pid 2>/dev/null
        tries=$((tries + 1))
    done
    # shellcheck disable=SC2086
    sator explore $options --db killed.db --resume >/dev/null || echo "round $rounds cannot be resumed"
    sator query killed.db --csv | cmp whole.csv - || echo "round $rounds: the results differ"
    sator query killed.db --summary | sed 1,2d | cmp whole.account - || echo "round $rounds: the accounts differ"
    rounds=$((rounds + 1))
done
[ $kills -ge 20 ] || echo "only $kills kills"
[ "$(wc -l <whole.csv)" = 12001 ] || echo "$(wc -l <whole.csv) lines"

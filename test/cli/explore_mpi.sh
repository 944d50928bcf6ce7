#!/bin/sh
# Ranks under mpirun find what one process finds; when one of them is killed, what they stored is not lost.
. "$2/test/cli/harness"
command -v mpirun >/dev/null || { echo "SKIP: no mpirun (openmpi-bin)"; exit 77; }
[ -e "$(dirname "$SATOR")/libsator_mpi.so" ] || { echo "SKIP: built without MPI (libopenmpi-dev)"; exit 77; }
export ASAN_OPTIONS=detect_leaks=0 # Open MPI leaves its own to the end of the process
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
ranks() { mpirun --oversubscribe -n "$@"; }
options="conv2d:k=16,c=8,ox=16,oy=16,rx=3,ry=3 --arch systolic-2d-8x8 --points 0:30000 --prune none --no-symmetry \
    --quiet --threads 1"
# shellcheck disable=SC2086
sator explore $options --db whole.db >/dev/null
sator query whole.db --csv >whole.csv
sator query whole.db --summary | sed 1,2d >whole.account
check() {
    sator query "$1" --csv | cmp whole.csv - || echo "$1: the results differ"
    sator query "$1" --summary | sed 1,2d | cmp whole.account - || echo "$1: the accounts differ"
}
# shellcheck disable=SC2086
ranks 3 "$SATOR" explore $options --db a.db >out 2>err || cat err
grep -c '^30,000 points looked at, 30,000 results' out
check a.db
ls a.db*
# a second run has nothing left to do, whatever the number of ranks
# shellcheck disable=SC2086
ranks 2 "$SATOR" explore $options --db a.db --resume >out 2>err || cat err
check a.db
# one rank is killed
# shellcheck disable=SC2086
ranks 2 "$SATOR" explore $options --db b.db >/dev/null 2>&1 &
launcher=$!
until [ -s b.db.rank1 ] && [ "$(sator query b.db.rank1 --csv 2>/dev/null | wc -l)" -gt 100 ]; do
    kill -0 $launcher 2>/dev/null || break
    sleep 0.02
done
victim=$(ps -o pid= --ppid $launcher | tail -1)
kill -9 "$victim"
wait $launcher && echo "the launcher did not notice"
stored=$(for i in 0 1; do sator query b.db.rank$i --csv | sed 1d; done | wc -l)
[ "$stored" -gt 100 ] || echo "only $stored results are left"
[ "$stored" -lt 30000 ] || echo "the rank was killed too late to show anything"
# the launcher may be gone before its last process is: then that one still holds its file
tries=0
# shellcheck disable=SC2086
until ranks 3 "$SATOR" explore $options --db b.db --resume >/dev/null 2>err; do
    tries=$((tries + 1))
    [ $tries -lt 20 ] && grep -q 'another run is writing' err || { cat err; break; }
    sleep 0.5
done
check b.db
# shellcheck disable=SC2086
ranks 2 "$SATOR" explore $options >/dev/null 2>err && echo "ranks without a database"
grep -q 'error: under mpirun --db has to name a file' err || cat err

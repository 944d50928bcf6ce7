#!/bin/sh
# Mappings under mpirun: the same as from one process, and nothing is lost with a rank.
. "$2/test/cli/harness"
command -v mpirun >/dev/null || { echo "SKIP: no mpirun (openmpi-bin)"; exit 77; }
[ -e "$(dirname "$SATOR")/libsator_mpi.so" ] || { echo "SKIP: built without MPI (libopenmpi-dev)"; exit 77; }
export ASAN_OPTIONS=detect_leaks=0 # Open MPI leaves its own to the end of the process
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
ranks() { mpirun --oversubscribe -n "$@"; }
options="gemm:i=16,j=16,k=16 mttkrp:i=8,j=8,k=4,l=8 --arch conventional --dataflows optimal --objective edp --quiet --threads 1
    --vary L2.bandwidth_bits=16:12800:16 --vary L1.capacity_bytes=[4,64] --set levels.PE.shape=[4,4] --top 1"
# shellcheck disable=SC2086
sator explore $options --db whole.db >/dev/null
sator query whole.db --json >whole.json
sator query whole.db --summary | sed 1,2d >whole.account
check() {
    sator query "$1" --json | cmp whole.json - || echo "$1: the results differ"
    sator query "$1" --summary | sed 1,2d | cmp whole.account - || echo "$1: the accounts differ"
}
# shellcheck disable=SC2086
ranks 3 "$SATOR" explore $options --db a.db >out 2>err || cat err
grep -c '^3,200 points looked at, 1,600 results' out
check a.db
# shellcheck disable=SC2086
ranks 2 "$SATOR" explore $options --db b.db >/dev/null 2>&1 &
launcher=$!
until [ -s b.db.rank1 ] && [ "$(sator query b.db.rank1 --csv 2>/dev/null | wc -l)" -gt 10 ]; do
    kill -0 $launcher 2>/dev/null || break
    sleep 0.02
done
victim=$(ps -o pid= --ppid $launcher | tail -1)
kill -9 "$victim"
wait $launcher && echo "the launcher did not notice"
# the launcher may be gone before its last process is: then that one still holds its file
tries=0
# shellcheck disable=SC2086
until ranks 3 "$SATOR" explore $options --db b.db --resume >/dev/null 2>err; do
    tries=$((tries + 1))
    [ $tries -lt 20 ] && grep -q 'another run is writing' err || { cat err; break; }
    sleep 0.5
done
check b.db

#!/bin/sh
# What a second thread and a second rank gain: the same exploration, about ten seconds of work, with one and two of each,
# three times in turn, the least time of each. For an idle machine with two processors or more; doc/scaling.md quotes it.
#     tools/scaling.sh [SATOR [POINTS]]        default: build/sator 100000
set -e
sator=${1:-build/sator}
points=${2:-100000}
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 # in containers

# seconds of the command, storing included, its report not
run() {
    rm -f "$directory"/*.db*
    start=$(date +%s%N)
    "$@" --db "$directory/a.db" >"$directory/out"
    echo $((($(date +%s%N) - start) / 1000000)) >>"$directory/$name"
    grep -q 'points looked at' "$directory/out"
}
explore() {
    run "$@" explore vgg16-conv3_2 --arch systolic-2d-8x8 --skew 2 --prune none --no-symmetry --points "0:$points" \
        --quiet --top 1
}
least() { sort -n "$directory/$1" | head -1; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN {printf "%.2f", a / b}'; }
row() { # name, milliseconds of one, of two
    printf '%-8s %8.2f s %8.2f s   speed-up %s\n' "$1" "$(ratio "$2" 1000)" "$(ratio "$3" 1000)" "$(ratio "$2" "$3")"
}

load=$(cut -d' ' -f1 /proc/loadavg)
[ "$(awk -v l="$load" 'BEGIN {print l > 0.5}')" = 0 ] || echo "the machine is busy (load $load): these times mean little" >&2
for round in 1 2 3; do
    for n in 1 2; do
        name=threads$n
        explore "$sator" --threads $n
        command -v mpirun >/dev/null || continue
        name=ranks$n
        explore mpirun -n $n "$sator" --threads 1
    done
done
echo "$points points, $(nproc) processors, load $load before; one against two"
row threads "$(least threads1)" "$(least threads2)"
if [ -e "$directory/ranks1" ]; then
    row ranks "$(least ranks1)" "$(least ranks2)"
fi

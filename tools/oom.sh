#!/bin/sh
# Memory runs out: fail the n-th allocation of a dozen commands, once and from there on, and count what comes of it.
#
#     tools/oom.sh [PROGRAM [SAMPLES]]
#
# SAMPLES allocations of each command, evenly spread: 60 where nothing is said; "all" takes an hour. The program is one
# without sanitizers, which have an allocator of their own.
# Every run has to end in one of two ways: with the result that it has without a fault (exit 0), or with nothing on
# stdout, "out of memory" on stderr and exit code 5. Anything else is counted as wrong (another result, or part of one), a
# crash (a signal) or misleading (another exit code or message), and named. A program that calls the library asks again
# after SATOR_NOMEM and may then print the right answer beside exit code 5: it has recovered.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
sator=$(realpath -m "${1:-$root/build/sator}")
build=$(dirname "$sator")
samples=${2:-60}
[ -x "$sator" ] || { echo "SKIP: no program $sator (make)"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
${CC:-cc} -O1 -shared -fPIC -o inject.so "$root/test/faults/inject.c" -ldl || exit 1
${CC:-cc} -O1 -I"$root/include" -o library "$root/test/faults/library.c" -L"$build" -lsator "-Wl,-rpath,$build" || exit 1

own='--space i%8,j%8 --time i/8,j/8,i%8+j%8+k'
explored='explore gemm:i=8,j=8,k=8 --arch systolic-2d-8x8 --quiet --top 3'
for database in 'a.db' '1.db --shard 1/2' '2.db --shard 2/2'; do
    # shellcheck disable=SC2086
    "$sator" $explored --db $database >/dev/null || exit 1
done

# Name, files that are removed before each run, the command.
commands="
closed||analyze gemm --arch systolic-2d-8x8 --dataflow gemm/ij-p_j-ijk-t
general||analyze gemm:i=9,j=7,k=5 --arch systolic-2d-8x8 $own --engine general
tiled||analyze alexnet --layer conv3 --arch eyeriss --dataflow conv2d/*-p_*
c||analyze $root/examples/gemm.c --arch systolic-2d-8x8 $own
json||analyze gemm --arch systolic-2d-8x8 --dataflow gemm/* --json
map||map gemm:i=97,j=89,k=101 --arch conventional --threads 2
imperfect||map gemm:i=13,j=8,k=6 --arch conventional --imperfect --json
explore|new.db|$explored --db new.db
query||query a.db --top 5
merge|m.db|merge m.db 1.db 2.db
simulate||simulate gemm:i=5,j=4,k=3 --arch systolic-2d-8x8 --dataflow gemm/ij-p_j-ijk-t
report||report gemm:i=16,j=16,k=16 --arch systolic-2d-8x8 --dataflow gemm/ij-p_j-ijk-t -o -
show||show resnet18
tenet||analyze $root/test/tenet/published/interconnect_experiment/matmul
"

# The library's own callers see SATOR_NOMEM: cases of test/faults/library.c.
library="closed general relations plan map c simulate explore"
cp "$root/examples/gemm.c" gemm.c || exit 1

total=0 wrong=0 crashes=0 misleading=0 recovered=0

run() # MODE N COMMAND
{
    mode=$1 n=$2
    shift 2
    [ -z "$remove" ] || rm -f "$remove" "$remove"-*
    SATOR_INJECT_COUNT=count LD_PRELOAD=$work/inject.so SATOR_INJECT=memory:$n:$mode "$@" >raw 2>err
    code=$?
    sed "s/[0-9.]* m*s$/SECONDS/" raw >out
    return $code
}

judge() # CODE: the outcome of a run
{
    total=$((total + 1))
    if [ "$1" = 5 ] && grep -q 'out of memory' err; then
        [ -s out ] || return
        cmp -s out expected && [ "$may_recover" = yes ] && recovered=$((recovered + 1)) && return
        wrong=$((wrong + 1)) what=wrong
    elif [ "$1" = 0 ] && cmp -s out expected; then
        return
    elif [ "$1" = 0 ]; then
        wrong=$((wrong + 1)) what=wrong
    elif [ "$1" -ge 128 ]; then
        crashes=$((crashes + 1)) what=crash
    else
        misleading=$((misleading + 1)) what=misleading
    fi
    echo "$name: $what at allocation $n $mode (exit $1): $(tail -1 err | cut -c1-100)"
}

inject() # COMMAND
{
    run once 0 "$@" || { echo "$name: exit $? without a fault: $(head -3 err)"; exit 1; }
    mv out expected
    allocations=$(cat count)
    step=1
    [ "$samples" = all ] || step=$((allocations / samples + 1))
    before=$total
    at=1
    while [ "$at" -le "$allocations" ]; do
        for how in once on; do
            run $how "$at" "$@"
            judge $?
        done
        at=$((at + step))
    done
    echo "$name: $allocations allocations, $((total - before)) injections"
}

may_recover=no
while IFS='|' read -r name remove arguments; do
    [ -n "$name" ] || continue
    set -f
    # shellcheck disable=SC2086
    set -- $arguments
    set +f
    inject "$sator" "$@"
done <<EOF
$commands
EOF
may_recover=yes
for case in $library; do
    name="library $case"
    remove=
    inject ./library "$case"
done
echo "injections $total, wrong $wrong, crashes $crashes, misleading $misleading; recovered $recovered"
[ $((wrong + crashes + misleading)) = 0 ]

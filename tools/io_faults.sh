#!/bin/sh
# Disks that fail: the n-th read, write, fsync or rename of a command fails, once or from there on, or half of a write is
# done and then the disk is full.
#
#     tools/io_faults.sh [PROGRAM [SAMPLES]]      SAMPLES calls of each kind and command: 12 where nothing is said, or all
#
# After each run it is looked at what is left. "lost" counts results that were stored before the run and are not there
# after it, files that are neither the old nor the new one, and explorations that cannot be resumed to the end; "silent"
# runs that exit with 0 and are not complete; "misleading" messages that say nothing of a file, a disk or an error of
# input and output, or that speak of damage; "crashes" signals.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
sator=$(realpath -m "${1:-$root/build/sator}")
samples=${2:-12}
[ -x "$sator" ] || { echo "SKIP: no program $sator (make)"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
${CC:-cc} -O1 -shared -fPIC -o inject.so "$root/test/faults/inject.c" -ldl || exit 1

points='conv2d:k=16,c=8,ox=16,oy=16,rx=3,ry=3 --arch systolic-2d-8x8 --points 0:3000 --prune none --no-symmetry --quiet --top 1'
analysis='gemm:i=8,j=8,k=8 --arch systolic-2d-8x8 --dataflow gemm/ij-p_j-ijk-t'
shard='gemm:i=8,j=8,k=8 --arch systolic-2d-8x8 --quiet --top 1'
total=0 lost=0 silent=0 crashes=0 misleading=0

rows() { "$sator" query "$1" --csv 2>/dev/null | sort; }

# What every command starts from.
# shellcheck disable=SC2086
{
    "$sator" explore $points --db whole.db >/dev/null || exit 1
    "$sator" explore $shard --shard 1/2 --db 1.db >/dev/null || exit 1
    "$sator" explore $shard --shard 2/2 --db 2.db >/dev/null || exit 1
    "$sator" merge both.db 1.db 2.db >/dev/null || exit 1
    "$sator" analyze $analysis >new.txt || exit 1
}
# An exploration that was stopped on its way.
for moment in 0.1 0.2 0.4 0.05 0.8 1.6; do
    rm -f half.db half.db-*
    # shellcheck disable=SC2086
    timeout -s INT $moment "$sator" explore $points --db half.db >/dev/null 2>&1
    stored=$(rows half.db | wc -l)
    [ "$stored" -gt 0 ] && [ "$stored" -lt "$(rows whole.db | wc -l)" ] && break
done
for file in whole half both; do rows $file.db >$file.rows; done
echo old >old.txt
[ "$(wc -l <half.rows)" -lt "$(wc -l <whole.rows)" ] || echo "half.db is whole: what it has is not much of a test"

fresh() { # before each run of a command
    rm -f a.db a.db-* m.db m.db-* out.txt*
    case $name in
    resume) cp half.db a.db ;;
    rewrite) cp old.txt out.txt ;;
    esac
}

complain() # KIND WHAT
{
    echo "$name: $1: $fault $n $mode: $2: exit $code, $(tail -1 err | cut -c1-100)"
}

# What is left after a run that said that it failed, or that it did not ("code").
look()
{
    case $name in
    explore | resume)
        if [ $name = resume ] && [ "$(rows a.db | comm -13 - half.rows | wc -l)" != 0 ]; then
            lost=$((lost + 1))
            complain lost "$(rows a.db | comm -13 - half.rows | wc -l) rows"
        fi
        if [ "$code" = 0 ] && ! rows a.db | cmp -s - whole.rows; then
            silent=$((silent + 1))
            complain silent "$(rows a.db | wc -l) rows"
        fi
        # shellcheck disable=SC2086
        "$sator" explore $points --db a.db --resume >/dev/null 2>err.resume
        if ! rows a.db | cmp -s - whole.rows; then
            lost=$((lost + 1))
            complain lost "cannot be resumed: $(head -1 err.resume)"
        fi
        ;;
    merge)
        if [ "$code" = 0 ] && ! rows m.db | cmp -s - both.rows; then
            silent=$((silent + 1))
            complain silent "$(rows m.db | wc -l) rows"
        fi
        rm -f m.db
        "$sator" merge m.db 1.db 2.db >/dev/null 2>err.merge
        if ! rows m.db | cmp -s - both.rows; then
            lost=$((lost + 1))
            complain lost "cannot be merged again: $(head -1 err.merge)"
        fi
        ;;
    query)
        if [ "$code" = 0 ] && ! sort out | cmp -s - whole.rows; then
            silent=$((silent + 1))
            complain silent ''
        fi
        ;;
    print)
        if [ "$code" = 0 ] && ! cmp -s out new.txt; then
            silent=$((silent + 1))
            complain silent ''
        fi
        ;;
    write | rewrite)
        if [ "$code" = 0 ] && ! cmp -s out.txt new.txt; then
            silent=$((silent + 1))
            complain silent ''
        elif [ $name = rewrite ] && ! cmp -s out.txt new.txt && ! cmp -s out.txt old.txt; then
            lost=$((lost + 1))
            complain lost ''
        elif [ "$(find . -name 'out.txt?*' | wc -l)" != 0 ] && [ "$fault" != name ]; then
            lost=$((lost + 1))
            complain lost "$(find . -name 'out.txt?*') is left over"
        fi
        ;;
    esac
}

run() # FAULT N MODE COMMAND
{
    fault=$1 n=$2 mode=$3
    shift 3
    fresh
    timeout 60 env SATOR_INJECT_COUNT=count "LD_PRELOAD=$work/inject.so" "SATOR_INJECT=$fault:$n:$mode" \
        "$sator" "$@" >out 2>err
    code=$?
}

judge()
{
    total=$((total + 1))
    if [ "$code" -ge 124 ]; then
        crashes=$((crashes + 1))
        complain crash ''
    elif [ "$code" != 0 ] && { grep -q 'damaged' err ||
        ! grep -qiE 'cannot|input/output|disk|no space|failed|i/o' err; }; then
        misleading=$((misleading + 1))
        complain misleading "$(head -1 err | cut -c1-100)"
    fi
    look
}

while IFS='|' read -r name arguments; do
    set -f
    # shellcheck disable=SC2086
    set -- $arguments
    set +f
    for fault in read write short sync name; do
        run $fault 0 once "$@"
        [ "$code" = 0 ] || { echo "$name: exit $code without a fault: $(head -3 err)"; exit 1; }
        calls=$(cat count)
        step=1
        [ "$samples" = all ] || step=$(((calls + samples - 1) / samples))
        at=1
        before=$total
        while [ "$at" -le "$calls" ]; do
            for how in once on; do
                run $fault "$at" $how "$@"
                judge
            done
            at=$((at + step))
        done
        [ "$calls" = 0 ] || echo "$name: $calls of $fault, $((total - before)) faults"
    done
done <<EOF
explore|explore $points --db a.db
resume|explore $points --db a.db --resume
merge|merge m.db 1.db 2.db
query|query whole.db --csv
print|analyze $analysis
write|analyze $analysis -o out.txt
rewrite|analyze $analysis -o out.txt
EOF
echo "faults $total, lost $lost, silent $silent, misleading $misleading, crashes $crashes"
[ $((lost + silent + misleading + crashes)) = 0 ]

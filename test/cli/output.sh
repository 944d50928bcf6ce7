#!/bin/sh
# -o writes all or nothing, and says why when it cannot; a closed pipe is no error.
. "$2/test/cli/harness"
try() { sator "$@"; echo "$?: $*"; }
try list archs -o names
grep -c eyeriss names
chmod 640 names
try list archs --csv -o names
stat -c %a names
head -1 names
ln -s names link
try list networks --csv -o link
readlink link
grep -c '^networks,alexnet,' names
try list -o missing/names
[ ! -e missing ] && echo nothing made
try list -o .
if [ -w /dev/full ]; then
    try list -o /dev/full
    sator list >/dev/full
    echo $?
    # results larger than a buffer, handed on piece by piece: what failed early must not be forgotten
    sator explore gemm --arch systolic-2d-8x8 --db gemm.db --quiet --top 1 >/dev/null
    for format in "" --csv --json "--top 2000 --csv"; do
        # shellcheck disable=SC2086
        sator query gemm.db $format >/dev/full 2>message
        echo "$?: query $format, $(grep -c '^sator: cannot write to the standard output: No space' message) message"
    done
    for format in --list --json "--csv -q"; do
        # shellcheck disable=SC2086
        sator explore gemm --arch systolic-2d-8x8 $format >/dev/full 2>message
        echo "$?: explore $format, $(grep -c '^sator: cannot write to the standard output: No space' message) message"
    done
    rm gemm.db message
else
    exit 77
fi
ls
{ sleep 1; sator list dataflows; echo "$?" >pipe; } | :
cat pipe
sator list archs -o - | grep -c shidiannao

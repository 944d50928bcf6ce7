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
else
    exit 77
fi
ls
{ sleep 1; sator list dataflows; echo "$?" >pipe; } | :
cat pipe
sator list archs -o - | grep -c shidiannao

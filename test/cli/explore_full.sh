#!/bin/sh
# A disk that is full ends the run with a message; what was stored before is safe, and with room the run goes on to the
# same results.
. "$2/test/cli/harness"
. "$SOURCE/test/cli/explorations"
mkdir small
mount -t tmpfs -o size=1m none small 2>/dev/null || { echo "SKIP: no permission to mount a small file system"; exit 77; }
trap 'umount "$PWD/small" 2>/dev/null' EXIT
form=csv
space="conv2d:k=16,c=8,ox=16,oy=16,rx=3,ry=3 --arch systolic-2d-8x8 --timing roofline --points 0:12000 --prune none --no-symmetry --quiet"
whole >/dev/null
run --db small/a.db --threads 1 >/dev/null
echo "exit $?"
sator query small/a.db --summary | grep -c ' done ('
mount -o remount,size=64m small || exit 1
run --db small/a.db --resume >/dev/null
echo "exit $?"
same small/a.db
umount small

#!/bin/sh
# Somebody who reads the database, and takes a break over it, holds the run up but does not end it.
. "$2/test/cli/harness"
options="conv2d:k=16,c=8,ox=16,oy=16,rx=3,ry=3 --arch systolic-2d-8x8 --timing roofline --points 0:40000 --prune none --no-symmetry --quiet \
    --threads 1"
# shellcheck disable=SC2086
"$SATOR" explore $options --db a.db >/dev/null &
run=$!
until [ "$(sator query a.db --csv 2>/dev/null | wc -l)" -gt 100 ]; do
    kill -0 $run 2>/dev/null || break
    sleep 0.02
done
mkfifo pipe
sator query a.db --csv >pipe &
{
    read -r header
    sleep 2 # the pipe is full: the reader waits, in the middle of the table
    kill -0 $run 2>/dev/null && waiting=yes
    cat >/dev/null
} <pipe
wait $run || echo "the run ended with exit code $?"
echo "waited: $waiting, header: ${header%%,*}"
[ "$(sator query a.db --csv | wc -l)" = 40001 ] || echo "results are missing"

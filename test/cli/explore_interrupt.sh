#!/bin/sh
# Ctrl-C stops within a second; all that was evaluated is stored, and the command says how to go on. Exit 130.
. "$2/test/cli/harness"
# (a shell has its background jobs ignore Ctrl-C, and what is told to ignore it does)
env --default-signal=INT "$SATOR" explore vgg16-conv3_2 --arch mesh-8x8 --timing roofline --pack 2 --prune none --no-symmetry --threads 2 \
    --db a.db --top 1 >out 2>err &
pid=$!
sleep 1
start=$(date +%s%N)
kill -INT $pid
wait $pid
echo "exit $?"
# one second by the issue; two here, for a machine that is busy with other tests
[ $((($(date +%s%N) - start) / 1000000)) -lt 2000 ] || echo "it took $((($(date +%s%N) - start) / 1000000)) ms"
grep -c 'The same command with --resume goes on' err
looked=$(sed -n '1s/ points looked at.*//p' out)
stored=$(sator query a.db --summary | sed -n 's/^  points *\([0-9,]*\) of .*/\1/p')
[ -n "$stored" ] && [ "$looked" = "$stored" ] || echo "looked at $looked, stored $stored"
results=$(sator query a.db --csv | sed 1d | wc -l)
[ "$results" -gt 100 ] || echo "only $results results"

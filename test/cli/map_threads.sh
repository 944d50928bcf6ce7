#!/bin/sh
# Threads that search one layer together give the same mapping and the same certificate for any number of them; a budget
# and Ctrl-C stop them all, with the best mapping so far and its gap.
. "$2/test/cli/harness"
compare() { # all figures but the seconds, with one thread and with each number of "others"
    sator map "$@" --threads 1 --json | grep -v '"seconds":' >alone
    [ "$(grep -c '"proved":.*true' alone)" = 1 ] || echo "$*: no proof"
    for threads in $others; do
        sator map "$@" --threads "$threads" --json | grep -v '"seconds":' | cmp alone - || return
    done
    echo "$* is the same"
}
others='2 5'
compare resnet18 --arch eyeriss --layer conv1
compare resnet18 --arch five-level --layer conv5_1
compare resnet18 --arch gemmini --layer conv5_1 --timing scheduled
compare gemm:i=16,j=12,k=10 --arch conventional --strategy exhaustive
sator map resnet18:n=16 --arch five-level --layer conv1 --imperfect --threads 3 --budget 0.5 --json >out
echo "exit $?"
grep -c '"gap":.*[1-9]' out
env --default-signal=INT "$SATOR" map resnet18:n=16 --arch five-level --layer conv1 --imperfect --threads 3 >out 2>err &
pid=$!
sleep 1
start=$(date +%s%N)
kill -INT $pid
wait $pid
echo "exit $?"
[ $((($(date +%s%N) - start) / 1000000)) -lt 20000 ] || echo "it took $((($(date +%s%N) - start) / 1000000)) ms"
grep -c 'no mapping.* is below .*; gap' out

#!/bin/sh
# Threads that search one layer together give the same mapping and the same certificate for any number of them; a budget
# and Ctrl-C stop them all, with the best mapping so far and its gap.
. "$2/test/cli/harness"
compare() { # all figures but the seconds
    for threads in 1 2 5; do
        sator map "$@" --threads $threads --json | grep -v '"seconds":' >json.$threads
    done
    [ "$(grep -c '"proved":.*true' json.1)" = 1 ] || echo "$*: no proof"
    cmp json.1 json.2 && cmp json.1 json.5 && echo "$* is the same"
}
compare resnet18 --arch eyeriss --layer conv1
compare resnet18 --arch five-level --layer conv3_1
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
[ $((($(date +%s%N) - start) / 1000000)) -lt 2000 ] || echo "it took $((($(date +%s%N) - start) / 1000000)) ms"
grep -c 'no mapping.* is below .*; gap' out

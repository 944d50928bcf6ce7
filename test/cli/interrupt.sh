#!/bin/sh
# Ctrl-C: what is done is printed, the rest given up at once, exit 130.
. "$2/test/cli/harness"
command -v timeout >/dev/null || { echo "SKIP: no timeout(1)"; exit 77; }
start=$(date +%s)
timeout --preserve-status -s INT -k 60 5 "$SATOR" analyze gemm:i=1000,j=1000,k=1000 --arch mesh-8x8 \
    --dataflow gemm/ij-p_j-ijk-t --space '(i+k)%8, (j+2*k)%8' --time '(i+j)/7, (j+k)/5, i%13 + k%11' \
    --engine general --work-limit 1000000000000 --threads 2 --json >out
echo $?
[ $(($(date +%s) - start)) -lt 40 ] || echo "too late"
sed -n 's/^\t*"name":\t"\((.*)\)",$/\1/p' out
# an execution whose first tile, 10^11 visits to 14,998 words, is moving in
cat >sliding.yaml <<'END'
name: sliding
sizes: {i: 5000, j: 5000, k: 5000}
op: "Y[i] += A[i + j + k] * B[k]"
END
printf 'levels:\n  - {memory: scratchpad}\n  - {array: PE, shape: [16]}\n  - {compute: mac}\n' >pad.yaml
for signal in INT TERM; do
    start=$(date +%s)
    timeout --preserve-status -s $signal -k 60 3 "$SATOR" simulate sliding.yaml --arch pad.yaml --space 'i%16' --time 'i/16, j, k' --json >out
    echo $?
    [ $(($(date +%s) - start)) -lt 40 ] || echo "too late"
    sed -n 's/^\t*"complete":\t\(.*\)$/complete: \1/p' out
done
# what would not fit is refused before anything moves
sator simulate gemm:i=100000,j=100000,k=100000 --arch pad.yaml --space 'i%16' --time 'i/16, j, k' 2>&1 | sed -n 's/.*error: //p'

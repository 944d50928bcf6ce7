#!/bin/sh
# Tiles that the counting engines give up on: whatever they may spend, nothing is called impossible, or the best, for want of
# a number. Of a mapping that is proved the value is always the same.
. "$2/test/cli/harness"
cat >rounded.yaml <<'END'
sizes: {i: 6, j: 5, k: 4}
op: "Y[i] += A[floor((3*i+5*j+7*k)/11), floor((2*i+3*k)/7), (i+j+k) % 13] * B[i,j]"
END
cat >private.yaml <<'END'
levels:
  - {memory: D, energy_pj: 100}
  - {memory: L2, energy_pj: 10, capacity_words: {A: 40, B: 20, Y: 20}}
  - {array: PE, shape: [2, 2]}
  - {memory: L, energy_pj: 1, capacity_words: {A: 4, Y: 3}, tensors: [A, Y]}
  - {compute: mac, energy_pj: 1}
END
best() { sed -n 's/^  best *\([0-9.e+]*\) .*/\1/p' "$1"; }
sator map rounded.yaml --arch private.yaml >whole.txt || echo "exit $?"
grep -o 'proved optimal' whole.txt
limit=500
proved=0
while [ $limit -lt 40000 ]; do
    sator map rounded.yaml --arch private.yaml --work-limit $limit >some.txt 2>some.err
    code=$?
    case $code.$(cat some.err) in
    0.) if grep -q 'optimal, objective edp: proved optimal$' some.txt; then
            [ "$(best some.txt)" = "$(best whole.txt)" ] || echo "$limit: another optimum"
            proved=$((proved + 1))
        else
            grep -q 'optimal, objective edp: not proved' some.txt || echo "$limit: $(cat some.txt)"
        fi ;;
    3.*"counting takes more than $limit units of work"*"touch of 'A'"*) ;;
    3.*"no mapping of 'rounded' on 'private' was found"*"(--work-limit)"*) ;;
    *) echo "$limit: exit $code: $(cat some.err)" ;;
    esac
    limit=$((limit * 11 / 10))
done
[ $proved -gt 0 ] || echo 'never proved'

#!/bin/sh
# Memories that tensors may bypass: the best choice is the least of all choices made by hand, and sator analyze agrees.
. "$2/test/cli/harness"
rooflines
cat >open.yaml <<'END'
name: open
levels:
  - {memory: DRAM, energy_pj: {read: 60, write: 60}}
  - {memory: L2, capacity_words: 40, energy_pj: {read: 5, write: 5}, may_bypass: [A, B, Y]}
  - {array: PE, shape: [3], multicast: [{map: "PE[i] -> BUS[0]", energy_pj: 0.5}]}
  - {memory: L1, capacity_words: 6, energy_pj: {read: 2, write: 2}, may_bypass: [B]}
  - {compute: mac, energy_pj: 1}
END
edp() {
    sator map gemm:i=6,j=9,k=4 --arch open.yaml --json "$@" | sed -n 's/^.*"value":[^0-9]*\([0-9.e+]*\),*$/\1/p'
}
sed 's/may_bypass: \[[^]]*\]/bypass: []/' open.yaml >fixed.yaml
best=
for l2 in '' A B Y A,B A,Y B,Y A,B,Y; do
    for l1 in '' B; do
        value=$(sator map gemm:i=6,j=9,k=4 --arch fixed.yaml --set "levels.L2.bypass=[$l2]" --set "levels.L1.bypass=[$l1]" \
            --strategy exhaustive --json | sed -n 's/^.*"value":[^0-9]*\([0-9.e+]*\),*$/\1/p')
        best=$(printf '%s\n' $best "$value" | sort -g | head -n 1)
    done
done
for strategy in optimal exhaustive; do
    value=$(edp --strategy $strategy)
    [ "$value" = "$best" ] || echo "$strategy: $value, not $best"
done
sator map gemm:i=6,j=9,k=4 --arch open.yaml --yaml >best.yaml
grep -c bypass best.yaml
value=$(sator analyze gemm:i=6,j=9,k=4 --arch open.yaml -d best.yaml --json | sed -n 's/^.*"edp":[^0-9]*\([0-9.e+]*\),*$/\1/p')
[ "$value" = "$best" ] || echo "analyze: $value, not $best"
sator map gemm:i=6,j=9,k=4 --arch open.yaml --why-not best.yaml | grep -o 'as good as the best mapping'
sator map gemm:i=6,j=9,k=4 --arch open.yaml --json | tr -d '\t\n' | grep -o '"proved":true'

sator analyze gemm:i=6,j=9,k=4 --arch fixed.yaml -d best.yaml --quiet
echo "exit $?"
sator map gemm:i=6,j=9,k=4 --arch fixed.yaml --why-not best.yaml >/dev/null
echo "exit $?"
cat >odd.yaml <<'END'
loops:
  - {at: DRAM, for: [i 6, j 3, k 4]}
  - {at: L2, bypass: [Z]}
  - {at: PE, bypass: [A], parallel: [j 3 -> 0]}
END
sator analyze gemm:i=6,j=9,k=4 --arch open.yaml -d odd.yaml
echo "exit $?"
# A domain that is no box, whose tensors all may bypass what has a slow port: 40 words read and 15 written at 30, 15
# products, in 15 cycles: 1,665 pJ.
cat >corner.yaml <<'END'
name: corner
sizes: {i: 3, j: 2, k: 3}
op: "Y[i,j] += A[i,k] * B[k,j]"
where: "i + j < 3"
END
cat >slow.yaml <<'END'
name: slow
levels:
  - {memory: M0, energy_pj: 30}
  - {memory: M1, energy_pj: 8, bandwidth_bits: {read: 8}, may_bypass: [A, Y, B]}
  - {compute: mac, energy_pj: 1}
END
for strategy in exhaustive optimal; do
    sator map corner.yaml --arch slow.yaml --strategy $strategy | grep -o 'proved optimal\|EDP .* pJ x.*'
done

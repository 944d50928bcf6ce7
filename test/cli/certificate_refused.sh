#!/bin/sh
# What cannot be certified is refused before the search: no mapping is printed. What may be is searched, and so is what is none of that.
. "$2/test/cli/harness"
try() {
    sator map "$@" --certificate no.cert >found 2>message
    echo "$?: $*: $(sed -n '1p' message)"
    touch no.cert
    echo "  $(grep -c '^  mapping ' found) mappings, $(grep -c error: message) errors, $(grep -c '^sator certificate' no.cert) certificates"
    rm -f no.cert
}
sator show gemm:i=4,j=2,k=2 >gemm.yaml
problem="gemm.yaml --arch conventional"
for options in '--strategy random' '--strategy sunstone' --imperfect '--timing scheduled' '--imperfect --constraint L1:k>=2' \
    '--imperfect --timing scheduled' \
    '--strategy exhaustive' '' '--timing roofline'; do
    # shellcheck disable=SC2086
    try $problem $options
done
echo 'the same of two machines, said once; a network of which one layer is covered'
try gemm.yaml --arch conventional --arch eyeriss --strategy random
cat >net.yaml <<'YAML'
layers:
  - {name: even, sizes: {k: 4, c: 2}, op: "Y[k] += A[c] * B[k,c]"}
  - {name: diagonal, sizes: {k: 4, c: 2}, op: "Y[k] += A[c,c] * B[k,c]"}
YAML
try net.yaml --arch conventional
try net.yaml --arch conventional --layer diagonal
try net.yaml --arch conventional --strategy random
echo 'the times of skewed arrays have bounds alone: only by the roofline is all of it proved'
try gemm.yaml --arch tpu-8x8
echo 'a constraint that is none'
# shellcheck disable=SC2086
try $problem --constraint 'utilisation 0.5'
true

#!/bin/sh
# Certificates of the scheduled time, which latencies are unless it is said otherwise: what words wait for, and what waits for words, is part of the
# machine.
. "$2/test/cli/harness"
claim() { # claim FILE: what it says, without the numbers of its parts
    sator check "$1" 2>&1 | sed -E 's/[0-9][0-9.e+]*[0-9]|[0-9]+/N/g'
}
whole() { # whole ARGUMENT...: of what "map" finds a certificate, all of which is verified; its timing and value are map's
    sator map "$@" --set energy_table=45nm --certificate a.cert --json | figures >with
    sator check a.cert | tail -1 | sed -E 's/.* ([0-9]+) of \1 parts verified$/all parts verified/'
    sed -n 's/^timing: /  /p' a.cert
    sator map "$@" --set energy_table=45nm --json | figures >without
    cmp with without
}
figures() {
    grep -E '"(edp|value|scheduled|read|write)"' | tr -d '[:space:]'
}
altered() { # altered COMMAND...: the claim as "sed" makes another of it
    sed "$@" a.cert >other.cert
    claim other.cert
}
cat >net.yaml <<'YAML'
name: net
sizes: {k: 6, c: 4, x: 10, r: 3}
op: "Y[k,x] += A[c,x+r] * B[k,c,r]"
YAML
for arch in conventional simba-like eyeriss five-level; do
    whole net.yaml --arch $arch
done
for objective in latency energy; do
    whole gemm:i=12,j=8,k=20 --arch conventional --objective $objective
done
# transfers of each kind, fixed costs of a transfer and granules of a port, a scratchpad that waits
for kind in serial overlapped streamed; do
    whole gemm:i=12,j=8,k=20 --arch conventional --set "levels.L1.transfers=$kind" --set "levels.L2.transfers={A: serial, Y: $kind}"
done
whole gemm:i=12,j=8,k=20 --arch conventional --set levels.L2.setup_cycles=7 --set levels.L2.granule_bits=96
whole gemm:i=12,j=8,k=20 --arch conventional --set levels.L2.overlaps=false
echo a machine whose transfers take longer, or do not overlap, and one where they cost less
altered 's/bandwidth_bits: {read: 1024/bandwidth_bits: {read: 512/'
altered 's/overlaps: false/overlaps: true/'
echo the value of the roofline, and that of the schedule as one
sator map gemm:i=12,j=8,k=20 --arch conventional --timing roofline --certificate a.cert >/dev/null
altered 's/^objective/timing: scheduled\n&/'
sator map gemm:i=12,j=8,k=20 --arch conventional --certificate a.cert >/dev/null
altered '/^timing: scheduled/d'
altered 's/^timing: scheduled/timing: tomorrow/'
echo a bound that is raised by a thousandth, a part left out, the optimum claimed a thousandth higher
for how in raise drop claim; do
    awk -v how=$how '$2 == "cut" && !done && how != "claim" { done = 1; if (how == "raise") printf "  %s cut %.12g\n", $1, $3 * 1.001; next }
        how == "claim" && $1 == "value:" { printf "value: %.17g\n", $2 * 1.001; next } { print }' a.cert >other.cert
    claim other.cert
done

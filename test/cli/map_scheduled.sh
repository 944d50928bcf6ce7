#!/bin/sh
# Mappings by the time with phases: it is what an analysis and an execution of the mapping say, no less than the best
# roofline, and no more than the time of the mapping that is best by the roofline.
. "$2/test/cli/harness"
figure() { sed -n 's/^.*"'"$1"'":[^0-9n]*\([0-9.nul]*\),*$/\1/p' "$2" | head -n 1; }
for arch in tpu-8x8 gemmini; do
    set -- gemm:i=24,j=20,k=18 --arch $arch --objective latency
    sator map "$@" --yaml -o roofline.yaml
    sator map "$@" --timing scheduled --yaml -o scheduled.yaml
    sator map "$@" --timing scheduled --json >map.json
    sator map "$@" --json >bound.json
    sator analyze gemm:i=24,j=20,k=18 --arch $arch -d roofline.yaml --timing scheduled --json >first.json
    sator analyze gemm:i=24,j=20,k=18 --arch $arch -d scheduled.yaml --timing scheduled --json >best.json
    sator simulate gemm:i=24,j=20,k=18 --arch $arch -d scheduled.yaml --json >run.json
    total=$(figure total map.json)
    [ "$total" = "$(figure scheduled best.json)" ] || echo "$arch: mapped $total, analysed $(figure scheduled best.json)"
    [ "$total" = "$(figure cycles run.json)" ] || echo "$arch: mapped $total, executed $(figure cycles run.json)"
    echo "$(figure total bound.json) $total $(figure scheduled first.json)" |
        awk -v arch=$arch '!($1 <= $2 && $2 <= $3) { print arch ": " $0 }'
    grep -c '"timing":.*"scheduled"' map.json
done
# proved the best, with and without skews, and the same in an analysis, in an execution, and in an exploration of machines
for arch in conventional eyeriss systolic-2d-8x8 tpu-256x256 mesh-8x8 multicast-1d-64 \
    shidiannao-8x8 eyeriss-tenet; do
    conv=conv2d:k=8,c=6,oy=4,ox=4,ry=3,rx=3
    [ $arch != eyeriss-tenet ] || conv=conv2d:k=4,c=3,oy=4,ox=4,ry=3,rx=3 # so many links and skews
    set -- $conv --arch $arch --timing scheduled
    sator map "$@" --json >map.json
    sator map "$@" --yaml -o best.yaml
    sator analyze "$@" -d best.yaml --json >best.json
    sator simulate $conv --arch $arch -d best.yaml --json >run.json
    sator explore "$@" --dataflows optimal --objective edp --db $arch.db --quiet >/dev/null
    total=$(figure total map.json)
    point=$(sator query $arch.db --csv | sed 's/"[^"]*"/x/g' |
        awk -F, 'NR == 1 { while ($(++c) != "latency_cycles.total"); } NR == 2 { print $c }')
    [ "$total" = "$(figure total best.json)" ] || echo "$arch: mapped $total, analysed $(figure total best.json)"
    [ "$total" = "$(figure cycles run.json)" ] || echo "$arch: mapped $total, executed $(figure cycles run.json)"
    [ "$total" = "$point" ] || echo "$arch: mapped $total, explored $point"
    grep -c '"proved":.*true' map.json
done
# short tiles: bounds know phases, the model is asked for times, and nothing is worse than without
for option in '' --imperfect; do
    sator map gemm:i=30,j=50,k=70 --arch conventional --set energy_table=45nm $option --timing scheduled >out$option.txt
done
grep -c 'proved optimal' out--imperfect.txt
cat out.txt out--imperfect.txt | awk '$1 == "best" { v[n++] = $2 } END { print (v[1] <= v[0] ? "no worse" : v[1] " is more than " v[0]) }'
# a nest that is legal on PEs of 6 bytes has its own time; nothing that the search proves is worse
cat >legal.yaml <<'YAML'
name: legal
loops:
  - {at: L2, for: [i 4, j 3, k 101]}
  - {at: PE, parallel: [i 32 -> 0, j 32 -> 1]}
YAML
small='gemm:i=97,j=89,k=101 --arch conventional --set levels.L1.capacity_bytes=6 --imperfect'
sator map $small --why-not legal.yaml | sed -n 's/.*EDP \([0-9.e+]*\).*(\(.*\))/\1 \2/p' | awk '{ print ($1 >= $2 ? "no better" : "better: " $0) }'
sator map $small --json | grep -o '"proved":.*true'
# every mapping by itself: its time depends on orders that traffic does not tell apart
for objective in edp latency; do
    for strategy in optimal exhaustive; do
        sator map gemm:i=4,j=2,k=8 --arch eyeriss --timing scheduled --objective $objective --strategy $strategy --json |
            grep -E '"(value|proved)"' | tr -d '\t' >$strategy.txt
    done
    cmp optimal.txt exhaustive.txt && sed -n 's/^"proved":/&/p' exhaustive.txt
done
sator map gemm --arch tpu-8x8 --timing scheduled --pareto energy,latency || echo refused
# of a domain that is no box the best is of the choice that it was found in: energies know no time
cat >held.yaml <<'YAML'
name: held
levels:
  - {memory: DRAM, energy_pj: 100}
  - {memory: L2, energy_pj: 10, capacity_words: 3, may_bypass: [Y], transfers: streamed}
  - {compute: mac, energy_pj: 1}
YAML
cat >triangle.yaml <<'YAML'
name: triangle
domain: "{ S[x, r] : 0 <= x < 6 and 0 <= r <= x }"
reads: ["{ S[x, r] -> A[x + r] }", "{ S[x, r] -> B[r] }"]
writes: ["{ S[x, r] -> Y[x] }"]
YAML
echo "by hand $((100 * (20 + 20 + 6) + 10 * (2 * 20 + 2 * 21 + 21 + 15) + 21)): 20 words of A and of B, 6 sums, 21 instances"
sator map triangle.yaml --arch held.yaml --objective energy | grep '^  best'
# Two words of 16 bits leave over trees of a bit a cycle, one along each column: the PEs of one row have a tree each.
cat >trees.yaml <<'YAML'
name: trees
levels:
  - {memory: L2, energy_pj: 1}
  - array: PE
    shape: [2, 2]
    reduction: [{name: column, map: "PE[i,j] -> TREE[j]", bandwidth_bits: 1, energy_pj: 1}]
  - {compute: mac, energy_pj: 1}
YAML
printf 'name: two\nsizes: {i: 2}\nop: "Y[i] += A[i]"\n' >two.yaml
sator map two.yaml --arch trees.yaml --objective latency | grep -E 'proved|^  best'
# more groups of transfers than bounds are kept of: what a tile's inner transfers cost is then not bounded anew. Energy is the
# same however time is counted.
cat >groups.yaml <<'END_ARCH'
levels:
  - {memory: DRAM, energy_pj: 10, bandwidth_bits: 1024}
  - {memory: L2, energy_pj: {read: 1, write: 4}, bandwidth_bits: 16, may_bypass: [B]}
  - {array: PE, shape: [2, 2], links: [{tensors: [A, B], map: "PE[i,j] -> PE[i,j+1]", interval: 2, energy_pj: 0.1}]}
  - {memory: L1, energy_pj: {read: 1, write: 4}, bandwidth_bits: 8, capacity_words: {A: 6, B: 5, Y: 3}}
  - {array: lane, shape: [2], links: [{map: "lane[i] -> lane[i-1]", energy_pj: 0.1}]}
  - {memory: L0, energy_pj: {read: 1, write: 4, tensors: {Y: {read: 3, write: 1}}}, bandwidth_bits: 0.7,
     capacity_words: {A: 4, B: 5, Y: 7}, transfers: {A: serial, Y: overlapped}}
  - {array: bit, shape: [2], links: [{tensors: [Y], bandwidth_bits: 4, map: "bit[i] -> bit[i+1]", energy_pj: 0.1}]}
  - {compute: mac, energy_pj: 0, cycles: 1.3}
END_ARCH
printf 'sizes: {i: 2, j: 12, k: 2, l: 8, m: 2}\nop: "Y[l] += A[2*j,k+k,4*k+2*m] * B[fl((j+j)/2)] * C[4*k+2*i]"\n' >groups_op.yaml
for timing in scheduled roofline; do
    sator map groups_op.yaml --arch groups.yaml --timing $timing --objective energy | grep -E '^  (mapping|energy) '
done
# a sum that slides has no phases in closed form, so the model is asked, and nothing is proved; but drawing mappings at random
# must find none that is better
cat >four.yaml <<'END_ARCH'
levels:
  - {memory: M0, energy_pj: {read: 139.12, write: 270.02}, ports: [{name: p, tensors: [Y], direction: shared, bandwidth_bits: 16},
     {name: q, direction: shared, bandwidth_bits: 16}]}
  - {memory: M1, energy_pj: {read: 17.96, write: 28.28}, bandwidth_bits: {read: 16, write: 16}, setup_cycles: 1}
  - {memory: M2, energy_pj: {read: 2.79, write: 5.73}, bandwidth_bits: {read: 16, write: 8}, may_bypass: [Y],
     transfers: overlapped, granule_bits: 64}
  - {array: P2, shape: [3], multicast: [{map: "P2[i] -> X[0]", energy_pj: 0.1}], reduction: [{map: "P2[i] -> X[0]", energy_pj: 0.1}]}
  - {memory: M3, energy_pj: {read: 0.4, write: 0.5}, bandwidth_bits: {read: 64, write: 16}, capacity_words: {A: 4, B: 8, Y: 4},
     bypass: [Y], transfers: overlapped}
  - {compute: mac, energy_pj: 0.5, cycles: 1}
END_ARCH
printf 'sizes: {i: 2, j: 8, k: 2}\nop: "Y[i+j] += A[i,k]*B[j]"\nword_bits: {A: 8, Y: 32}\n' >sliding.yaml
for strategy in optimal exhaustive random; do
    sator map sliding.yaml --arch four.yaml --strategy $strategy --json >$strategy.json
    figure edp $strategy.json
done | tr '\n' ' ' | awk '{ print $1 <= $3, $2 <= $3 }'

# two loops on one dimension, where words take long on a wire: in one cycle only if no PE beside another wants its word of A
cat >slow.yaml <<'YAML'
name: slow
levels:
  - {memory: scratchpad, bandwidth_bits: 1024}
  - array: PE
    shape: [4]
    links: [{name: east, map: "PE[i] -> PE[i+1]", interval: 0, tensors: [A], bandwidth_bits: 1}]
  - {compute: mac, cycles: 1}
YAML
printf 'name: outer\nsizes: {i: 2, j: 2}\nop: "Y[i,j] += A[i] * B[j]"\n' >outer.yaml
for strategy in optimal exhaustive; do
    sator map outer.yaml --arch slow.yaml --objective latency --strategy $strategy |
        sed -n 's/^ *\(parallel.*\)/\1/p; s/^ *mapping *//p; s/^ *\(latency [^,]*\).*/\1/p'
done
# of two dimensions along which A is shared the slow one is for the loop that does not share it: 16 PEs want 4 words, on
# a bus each of one bit a cycle, or over 12 wires
for wires in "multicast: [{map: 'PE[i,j] -> BUS[i]', tensors: [A], bandwidth_bits: 64},
        {map: 'PE[i,j] -> BUS[j]', tensors: [A], bandwidth_bits: 1}]" \
    "links: [{map: 'PE[i,j] -> PE[i,j+1]', interval: 0, tensors: [A], bandwidth_bits: 1},
        {map: 'PE[i,j] -> PE[i+1,j]', interval: 0, tensors: [A], bandwidth_bits: 64}]"; do
    cat >two.yaml <<YAML
name: two
levels:
  - {memory: scratchpad, bandwidth_bits: 1024}
  - array: PE
    shape: [4, 4]
    $wires
  - {compute: mac, cycles: 1}
YAML
    for strategy in optimal exhaustive; do
        sator map gemm:i=4,j=4,k=1 --arch two.yaml --objective latency --strategy $strategy |
            sed -n 's/^ *mapping *//p; s/^ *\(latency [^,]*\).*/\1/p'
    done
done

#!/bin/sh
# Tables of a fixed size, at their limit and one past it: the limit is accepted, one more is refused with the number. The
# tables of the engines are not seen from outside: past them another engine answers, and the answers are known.
. "$2/test/cli/harness"

list() # COUNT TEXT SEPARATOR: TEXT for each number from 0, with the number in place of #
{
    awk -v n="$1" -v text="$2" -v separator="$3" 'BEGIN {
        for (i = 0; i < n; i++) { one = text; gsub(/#/, i, one); printf "%s%s", i ? separator : "", one } }'
}

show() # WHAT COUNT COMMAND: "fine", or the first error
{
    what=$1 n=$2
    shift 2
    "$@" >out 2>err
    code=$?
    case $code in
    0) echo "$what $n: fine" ;;
    *) echo "$what $n: $code, $(grep -v warning: err | sed 's/.*error: //' | head -1 | cut -c 1-110)" ;;
    esac
}

# ---- workloads ----
loops() { # COUNT SIZE
    printf 'sizes: {%s}\nop: "Y[l0] += A[%s]"\n' "$(list "$1" "l#: $2" ', ')" "$(list "$1" 'l#' '+')" >w.yaml
}
for n in 32 33; do
    loops $n 1
    show loops $n sator check w.yaml
    printf 'domain: "{ S[%s] : %s }"\nreads: "{ S[%s] -> A[l0] }"\nwrites: "{ S[%s] -> Y[l0] }"\n' "$(list $n 'l#' ', ')" \
        "$(list $n '0 <= l# < 2' ' and ')" "$(list $n 'l#' ', ')" "$(list $n 'l#' ', ')" >w.yaml
    show 'loops of a domain' $n sator check w.yaml
done
for n in 256 257; do
    printf 'sizes: {i: 4}\nop: "%s"\n' "Y[i] += $(list $((n - 1)) 'A#[i]' ' * ')" >w.yaml
    show tensors $n sator check w.yaml
done
for n in 4096 4097; do
    printf 'sizes: {i: 4}\nop: "Y[i] += A[i]"\nword_bits: %d\n' $n >w.yaml
    show 'bits of a word' $n sator check w.yaml
done
for n in 1099511627776 1099511627777; do
    printf 'sizes: {i: %s}\nop: "Y[i] += A[i]"\n' $n >w.yaml
    show iterations $n sator check w.yaml
done

# ---- YAML ----
for n in 31 32; do # in the document
    printf 'sizes: {i: 4}\nop: "Y[i] += A[i]"\nrepeat: %s%s\n' "$(list $n '[' '')" "$(list $n ']' '')" >w.yaml
    show 'lists in lists' $n sator check w.yaml
done

# ---- architectures ----
arch() { # LEVELS, each a line
    printf 'levels:\n%s\n  - {array: PE, shape: [4]}\n  - {compute: mac}\n' "$1" >a.yaml
}
for n in 30 31; do
    arch "$(list $n '  - {memory: M#}' '\n')"
    show 'levels, and two' $n sator check a.yaml
done
for n in 8 9; do
    printf 'levels:\n  - {memory: M}\n  - {array: PE, shape: [%s]}\n  - {compute: mac}\n' "$(list $n 2 ', ')" >a.yaml
    show 'dimensions of an array' $n sator check a.yaml
done
for n in 1024 1025; do
    printf 'levels:\n  - {memory: M}\n  - array: PE\n    shape: [4]\n    links:\n%s\n  - {compute: mac}\n' \
        "$(list $n '      - {name: east#, map: "PE[i] -> PE[i+1]"}' '\n')" >a.yaml
    show 'links of an array' $n sator check a.yaml
done
for n in 4294967296 4294967297; do
    printf 'levels:\n  - {memory: M}\n  - {array: PE, shape: [%s]}\n  - {compute: mac}\n' $n >a.yaml
    show 'PEs of an array' $n sator check a.yaml
done

for n in 8 9; do
    printf 'energy_table: [%s]\nlevels:\n  - {memory: M}\n  - {array: PE, shape: [4]}\n  - {compute: mac}\n' \
        "$(list $n 45nm ', ')" >a.yaml
    show 'energy tables' $n sator check a.yaml
done

# ---- dataflows ----
flow() { sator analyze gemm:i=4,j=4,k=4 --arch systolic-2d-8x8 "$@"; }
for n in 200 201; do
    show 'brackets in brackets' $n flow --space "$(list $n '(' '')i$(list $n ')' ''), j" --time k
done
for n in 4095 4097; do
    show 'bytes of a stamp' $n flow --space i,j --time "k$(list $((n - 1)) ' ' '')"
done
for n in 64 65; do
    printf 'space: "i, j"\ntime: "%s"\n' "$(list $n k ', ')" >d.yaml
    show 'rows of time' $n flow --dataflow d.yaml
    printf 'loops:\n%s\n  - {at: PE, parallel: ["i 4 -> 0", "j 4 -> 1"]}\n' "$(list $((n - 1)) '  - {at: scratchpad}' '\n')" >d.yaml
    show 'entries of a nest' $n flow --dataflow d.yaml
done
for n in 254 255; do
    printf 'loops:\n  - {at: scratchpad, for: [%s]}\n  - {at: PE, parallel: ["i 4 -> 0", "j 4 -> 1"]}\n' \
        "\"k 4\", $(list $((n - 1)) '"k 1"' ', ')" >d.yaml
    show 'loops of a nest, and two' $n flow --dataflow d.yaml
done

# ---- the mapper ----
for n in 16 17; do
    printf 'sizes: {%s}\nop: "Y[%s] += A[%s]"\n' "$(list $n 'l#: 2' ', ')" "$(list 8 'l#' ', ')" \
        "$(list $n 'l#' ', ' | cut -d, -f9-15)+l15$([ $n = 16 ] || echo +l16)" >w.yaml
    show 'loops to map' $n sator map w.yaml --arch conventional --strategy random --samples 1
done
for n in 12 13; do
    printf 'sizes: {i: 4}\nop: "%s"\n' "Y[i] += $(list $((n - 5)) 'A#[i]' ' * ')" >w.yaml
    show 'tensors to map, and four' $n sator map w.yaml --arch conventional --strategy random --samples 1
    printf 'sizes: {i: 4}\nop: "%s"\n' "Y[i] += A[$(list $((n - 4)) 'i' ', ')]" >w.yaml
    show 'indices to map, and four' $n sator map w.yaml --arch conventional --strategy random --samples 1
    {
        printf 'levels:\n'
        list $((n - 4)) '  - {memory: M#, energy_pj: 1}\n' ''
        printf '  - {array: PE, shape: [4]}\n  - {compute: mac, energy_pj: 1}\n'
    } >a.yaml
    show 'memories to map, and four' $n sator map gemm:i=4,j=4,k=4 --arch a.yaml --strategy random --samples 1
done
printf 'levels:\n  - {memory: M, energy_pj: 1}\n  - {array: PE, shape: [4]}\n  - {compute: mac, energy_pj: 1}\n' >a.yaml
for n in 131071 131072; do # times 2^40
    show '2^40 instances to map' $n sator map gemm:i=1048576,j=1048576,k=$n --arch a.yaml --strategy random --samples 1
done
for n in 1000 1001; do
    show 'skew of a constraint' $n sator map gemm:i=4,j=4,k=4096 --arch systolic-2d-8x8 --constraint "PE: skew 0 $n"
done

map() { sator map "$@" --arch a.yaml --strategy random --samples 1; }
memories() # COUNT KEYS [MORE]: outside four PEs, each with these keys; then, MORE memories
{
    printf 'levels:\n%s\n%s  - {array: PE, shape: [4]}\n  - {compute: mac, energy_pj: 1}\n' \
        "$(list "$1" "  - {memory: M#, energy_pj: 1$2}" '\n')" "$3" >a.yaml
}
for n in 15 16; do # dimensions, beside the memory
    printf 'levels:\n  - {memory: M, energy_pj: 1}\n  - {array: A, shape: [2, 2, 2, 2, 2, 2, 2, 2]}\n' >a.yaml
    printf '  - {array: B, shape: [%s]}\n  - {compute: mac, energy_pj: 1}\n' "$(list $((n - 8)) 2 ', ')" >>a.yaml
    show 'array dimensions to map, beside a memory' $n map gemm:i=4,j=4,k=4
done
printf 'sizes: {i: 4}\nop: "Y[i] += A[i] * B[i] * C[i]"\n' >w.yaml
memories 8 ''
show 'fetches to map, of four accesses' 32 map w.yaml
printf 'sizes: {i: 4}\nop: "Y[i] += A[i] * B[i] * C[i] * D[i]"\n' >w.yaml
memories 1 '' "$(list 7 '  - {memory: L#, energy_pj: 1, bypass: [D]}' '\n')
"
show 'fetches to map, and one' 33 map w.yaml
way='{name: #, tensors: [#], bandwidth_bits: 16}'
ways="$(for t in A B Y; do printf '%s, ' "$way" | sed "s/#/$t/g"; done)"
memories 4 ", ports: [$ways]" '  - {memory: L, energy_pj: 1}
'
show 'ports to map' 24 map gemm:i=4,j=4,k=4
memories 4 ", ports: [$ways]" '  - {memory: L, energy_pj: 1, ports: [{name: a, direction: read, tensors: [A], bandwidth_bits: 16}]}
'
show 'ports to map' 25 map gemm:i=4,j=4,k=4
for n in 10 11; do
    memories 3 ', may_bypass: [A, B, Y]' "  - {memory: L, energy_pj: 1, may_bypass: [$(echo 'A, B' | cut -c 1-$((n * 3 - 29)))]}
"
    sed -i '1a\  - {memory: DRAM, energy_pj: 1}' a.yaml
    show 'choices of what bypasses what' $n map gemm:i=4,j=4,k=4
done
for n in 8 9; do # 16 and 18: there are no 17 loops
    printf 'sizes: {%s, k: 2}\nop: "Y[k] += A[%s]"\n' "$(list $n 'l#: 2' ', ')" "$(list $n 'l#' '+')" >w.yaml
    printf 'levels:\n  - {memory: M, energy_pj: 1}\n  - array: PE\n    shape: [2, 2]\n' >a.yaml
    printf '    multicast: [{map: "PE[x,y] -> BUS[0]", energy_pj: 1}]\n  - {compute: mac, energy_pj: 1}\n' >>a.yaml
    show 'loops of an index over two dimensions that share it' $n map w.yaml
done
printf 'sizes: {%s}\nop: "Y[%s] += A[%s]"\n' "$(list 16 'l#: 2' ', ')" "$(list 8 'l#' ', ')" \
    "$(list 16 'l#' ', ' | cut -d, -f9-)" >w.yaml
memories 1 '' "$(list 2 '  - {array: P#, shape: [4]}' '\n')
"
limits="$(list 16 'l# <= 2' ', ')"
show 'limits on what is parallel' 32 map w.yaml --constraint "P0: $limits" --constraint "P1: $limits"
show 'limits on what is parallel' 33 map w.yaml --constraint "P0: $limits" --constraint "P1: $limits" --constraint 'PE: l0 <= 2'

# ---- explorations ----
space() { sator explore "$@" --quiet --top 1 --points 0:1; }
for n in 16 17; do
    loops $n 1
    show 'loops to explore' $n space w.yaml --arch systolic-1d --skew 0
done
for n in 6 7; do
    loops $n 2
    printf 'levels:\n  - {memory: M}\n  - {array: PE, shape: [%s]}\n  - {compute: mac}\n' "$(list $n 2 ', ')" >a.yaml
    show 'dimensions to explore' $n space w.yaml --arch a.yaml
done
for n in 3 4; do
    show 'loops across a dimension' $n space gemm:i=4,j=4,k=4 --arch systolic-2d-8x8 --pack $n
done
for n in 2 3; do
    show 'skewed dimensions' $n space gemm:i=4,j=4,k=4 --arch systolic-2d-8x8 --skew $n
done
for n in 16 17; do
    show 'figures' $n space gemm:i=4,j=4,k=4 --arch systolic-2d-8x8 --where "$(for t in '' .A .B .Y; do
        for figure in reads writes fills updates tile_words; do echo "levels.scratchpad$t.$figure"; done
    done | head -$n | paste -s -d+) >= 0"
done
for n in 10000 10001; do
    show 'values that vary' $n space gemm:i=4,j=4,k=4 --arch systolic-2d-8x8 --vary "clock_mhz=1:$n:1"
done
for n in 317; do # 317 x 316 > 100,000
    show 'combinations, times 316' $n space gemm:i=4,j=4,k=4 --arch systolic-2d-8x8 --vary "clock_mhz=1:$n:1" \
        --vary "levels.scratchpad.bandwidth_bits=1:316:1"
done
for n in 99 100; do
    show 'brackets of a condition, and one' $n space gemm:i=4,j=4,k=4 --arch systolic-2d-8x8 --where "$(list $n '(' '')latency < 5$(list $n ')' '')"
done
for n in 1000000 1000001; do
    show shards $n sator explore gemm:i=4,j=4,k=4 --arch systolic-2d-8x8 --db x.db --slurm $n
done
for n in 10000 10001; do
    show 'bandwidths' $n flow --dataflow gemm/ij-p_j-ijk-t --bandwidth "1:$n:1"
done

# ---- files of other tools ----
read_as() { # WHAT COUNT: the file that "foreign" is
    show "$@" sator check foreign
}
for n in 64 65; do
    printf 'mapping:\n- {target: M, type: temporal, factors: %s}\n- {target: N, type: temporal, factors: R1}\n' \
        "$(list $n K1 ' ')" >foreign
    read_as 'factors of Timeloop' $n
    printf 'architecture:\n  version: 0.4\n  nodes:\n%s\n' "$(list $n '  - !Container {name: S#, attributes: {datawidth: 8}}' '\n')" >foreign
    printf '  - !Component {name: D, class: DRAM, attributes: {width: 256}}\n  - !Component {name: MACC, class: intmac}\n' >>foreign
    read_as 'containers of Timeloop' $n
done
for n in 31 32 64 65; do # of storage and arithmetic; an array is a level of Sator's
    printf 'arch:\n  arithmetic: {name: MACs}\n  storage:\n%s\n' "$(list $((n - 1)) '  - {name: R#, entries: 16}' '\n')" >foreign
    read_as 'components of Timeloop' $n
done
for n in 28 29; do
    printf 'arch = { arithmetic = { name = "MACs"; }; storage = ( { name = "DRAM"; sizeKB = 1; x = %s1%s; } ); };' \
        "$(list $n '(' '')" "$(list $n ')' '')" >foreign
    read_as 'lists in lists of libconfig, and four' $n
done
for n in 1000 1001; do
    layer='Layer L { Type: CONV Stride { X: 1, Y: 1 } Dimensions { K: 4, C: 4, R: 1, S: 1, Y: 4, X: 4 }'
    printf 'Network n { %s %s Dataflow { SpatialMap(1,1) K; } } }\n' "$(list $n 'Constant c# 4;' ' ')" "$layer" >foreign
    read_as 'constants of MAESTRO' $n
    printf 'Network n { %s Dataflow { SpatialMap(1,1) K; %s } } }\n' "$layer" "$(list $n 'Cluster(1, P);' ' ')" >foreign
    read_as 'clusters of MAESTRO' $n
    printf 'Layer, M, N, K%s\nQ, 4, 4, 4%s\n' "$(list $n ', c#' '')" "$(list $n ', 1' '')" >foreign
    read_as 'columns of SCALE-Sim, and four' $n
done
for n in 64 65; do
    mapping='- name: default\n  spatial_mapping: {D1: [%s]}\n  temporal_ordering:\n%s\n'
    # shellcheck disable=SC2059
    printf -- "$mapping" '"K, 2"' "$(list $n '  - [C, 1]' '\n')" >foreign
    read_as 'loops of ZigZag' $n
    # shellcheck disable=SC2059
    printf -- "$mapping" "$(list $n '"K, 1"' ', ')" '  - [C, 1]' >foreign
    read_as 'loops of ZigZag across an array' $n
done
zigzag() { # MEMORIES PORTS OPERANDS DIMENSIONS
    port="{name: p#, type: read_write, bandwidth_max: 8, allocation: [$(list "$3" '"I#, fh"' ', ')]}"
    memory='  m#: {size: 64, r_cost: 1, w_cost: 1, operands: [OPERANDS], ports: [@], served_dimensions: [DIMS]}'
    dims=$(list "$4" 'D#' ', ')
    printf 'name: n\nmemories:\n%s\n' "$(list "$1" "$memory" '\n' | sed "s/@/$(list "$2" "$port" ', ')/; s/DIMS/$dims/; s/OPERANDS/$(list "$3" 'I#' ', ')/")"
    printf 'operational_array:\n  unit_energy: 1\n  dimensions: [%s]\n  sizes: [%s]\n' "$dims" "$(list "$4" 2 ', ')"
} >foreign
for past in 0 1; do
    zigzag $((30 + past)) 1 3 1
    read_as 'memories of ZigZag, and two levels' $((30 + past))
    zigzag 2 $((16 + past)) 3 1
    read_as 'ports of ZigZag' $((16 + past))
    zigzag 2 1 $((8 + past)) 1
    read_as 'operands of ZigZag' $((8 + past))
    zigzag 2 1 3 $((8 + past))
    read_as 'dimensions of ZigZag' $((8 + past))
done
zigzag 33 1 3 1
read_as 'memories of ZigZag' 33

printf '1 1\n{S[i]: 0<=i<4}\n{S[i]->A[i]}\n{S[i]->Y[i]}\n' >tenet.s
printf '{S[i]->PE[i]}\n{S[i]->T[0]}\n' >tenet.m
printf '{PE[i]: 0<=i<4}\n{PE[i]->PE[i+1]}\n1 1 64 1\n' >tenet.p
for n in 10000 10001; do
    printf 'tenet.s 1\n1\narrays tenet.m\n' >sweep
    printf '%d %s\n' $n "$(list $n tenet.p ' ')" >arrays
    show 'experiments of TENET' $n sator show sweep
done

# ---- engines: unique words, total words and footprint of each tensor, by hand ----
answer() # WHAT COUNT COMMAND
{
    what=$1 n=$2
    shift 2
    "$@" --csv >out 2>err || sed -n 's/.*error: //p' err | head -1
    echo "$what $n: $(sed 's/"[^"]*"/text/g' out | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR > 1 { printf "%s%s %s %s %s", (NR > 2 ? ", " : ""), $at["tensor"], $at["tensor.unique_volume"], $at["tensor.total_volume"], $at["tensor.footprint"] }')"
}
machine() # DIMENSIONS WIRES: an array of two PEs a dimension, or of four
{
    printf 'levels:\n  - {memory: M}\n  - array: PE\n    shape: [%s]\n%s\n  - {compute: mac}\n' "$1" "$2" >a.yaml
}

# 8 instances, each of a value of Y[l0] and of A[l0 + ... ]: sums from 0 to 3
machine 2 ''
for n in 24 25 26 27 28 32; do
    printf 'sizes: {%s}\nop: "Y[l0] += A[%s]"\n' "l0: 2, l1: 2, l2: 2, $(list $n 'l#: 1' ', ' | cut -d, -f4-)" \
        "$(list $n 'l#' '+')" >w.yaml
    answer 'loops counted' $n sator analyze w.yaml --arch a.yaml --space l0 --time "$(list $n 'l#' ', ' | cut -d, -f2-)"
done
# 4 instances, each of an element of its own
machine 4 ''
for n in 8 9 16 17; do
    printf 'sizes: {i: 4}\nop: "Y[i] += A[%s]"\n' "$(list $n i ', ')" >w.yaml
    answer 'indices counted' $n sator analyze w.yaml --arch a.yaml --space i --time 0
done
# 4 PEs, each with n of the n + 3 elements
for n in 32 33; do
    printf 'sizes: {i: 4}\nop: "Y[i] += %s"\n' "$(list $n 'A[i+#]' ' * ')" >w.yaml
    answer 'accesses of a tensor' $n sator analyze w.yaml --arch a.yaml --space i --time 0
done
# 2^n instances on as many PEs, sums from 0 to n
for n in 6 7 8; do
    machine "$(list $n 2 ', ')" ''
    loops $n 2
    answer 'dimensions of space' $n sator analyze w.yaml --arch a.yaml --space "$(list $n 'l#' ', ')" --time 0
done
# 4 PEs that read the same 4 elements, at once or one after the other: the first wire hands on 12 of 16
printf 'sizes: {i: 4, k: 4}\nop: "Y[i] += A[k]"\n' >w.yaml
for n in 4 5 8 9; do
    machine 4 "    multicast:
$(list $n '      - {name: b#, map: "PE[i] -> BUS[0]"}' '\n')"
    answer buses $n sator analyze w.yaml --arch a.yaml --space i --time k
done
for n in 62 63 64 65; do
    machine 4 "    links:
$(list $n '      - {name: l#, map: "PE[i] -> PE[i+1]", interval: 1}' '\n')"
    answer links $n sator analyze w.yaml --arch a.yaml --space i --time i+k
done
# a loop of 2^n iterations in n digits, each element once
machine 2 ''
for n in 8 9; do
    printf 'sizes: {i: %d}\nop: "Y[i] += A[i]"\n' $((1 << n)) >w.yaml
    answer 'digits of a loop' $n sator analyze w.yaml --arch a.yaml --space i%2 \
        --time "$(awk -v n=$n 'BEGIN { for (i = 1; i < n; i++) printf "%s(i/%d)%%2", (i > 1 ? ", " : ""), 2 ^ i }')"
done
# four loops in eight digits each, and one more: 2^32 and 2^33 instances
for n in 4 5; do
    printf 'sizes: {%s}\nop: "Y[l0] += A[%s]"\n' "$(list $n 'l#: 256' ', ' | sed 's/l4: 256/l4: 2/')" "$(list $n 'l#' ', ')" >w.yaml
    answer 'loops of eight digits' $n sator analyze w.yaml --arch a.yaml --space l0%2 \
        --time "$(awk -v n=$n 'BEGIN { for (l = 0; l < n && l < 4; l++) for (i = l == 0; i < 8; i++) printf "(l%d/%d)%%2, ", l, 2 ^ i
            print n == 5 ? "l4" : 0 }')"
done

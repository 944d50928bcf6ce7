#!/bin/sh
# The ends of the integers in every place where a number may stand: each number of inputs of every kind, and every option
# that takes one.
#
#     tools/edges.sh [PROGRAM [VALUE...]]     all ends, or these
#
# Every run has to end by itself with an exit code of the program's: "crashes" counts signals and what a sanitizer stops,
# "hangs" runs of more than five minutes. A program of `cmake --preset asan` shows overflow, too.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
sator=$(realpath -m "${1:-$root/build/sator}")
[ -x "$sator" ] || { echo "SKIP: no program $sator (make)"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
edges="-9223372036854775808 9223372036854775807 9223372036854775808 -9223372036854775809 0 -1 2147483648 4611686018427387904"
[ $# -lt 2 ] || edges=$(shift && echo "$@")
total=0 crashes=0 hangs=0

run() # NAME COMMAND
{
    name=$1
    shift
    total=$((total + 1))
    timeout 300 "$sator" "$@" --work-limit 20000000 >/dev/null 2>err </dev/null
    code=$?
    if [ $code = 124 ]; then
        hangs=$((hangs + 1))
        echo "hangs: $name: $*"
    elif [ $code -ge 125 ] || grep -q 'runtime error\|AddressSanitizer' err; then
        crashes=$((crashes + 1))
        echo "crash: $name (exit $code): $*: $(grep -m1 'runtime error\|ERROR' err)"
    fi
}

# The text FILE with its number N (from 1) replaced by VALUE; exit 1 when it has fewer.
replace() # FILE N VALUE
{
    awk -v wanted="$2" -v value="$3" '
        { line = $0; out = ""
          while (match(line, /[0-9]+/)) {
              before = substr(line, 1, RSTART - 1); number = substr(line, RSTART, RLENGTH)
              if (before !~ /[A-Za-z_.]$/ && ++n == wanted) { number = value; found = 1 }
              out = out before number; line = substr(line, RSTART + RLENGTH)
          }
          print out line }
        END { exit !found }' "$1"
}

"$sator" show gemm:i=4,j=4,k=4 >workload.yaml
"$sator" show conventional >arch.yaml
"$sator" show systolic-2d-8x8 >systolic.yaml
"$sator" show gemm/ij-p_j-ijk-t >dataflow.yaml
"$sator" map gemm:i=4,j=4,k=4 --arch conventional --yaml >mapping.yaml
printf 'void f(void)\n{\n#pragma scop\n    for (int i = 0; i < 4; i += 1)\n        for (int j = 2 * i + 1; j < 9; j++)\n            Y[i + 3] += A[3 * i + j - 2] * 5;\n#pragma endscop\n}\n' >nest.c
for row in 'workload.yaml|analyze FILE --arch systolic-2d-8x8 --dataflow gemm/ij-p_j-ijk-t' 'workload.yaml|map FILE --arch conventional' \
    'arch.yaml|map gemm:i=4,j=4,k=4 --arch FILE' 'systolic.yaml|analyze gemm --arch FILE --dataflow gemm/ij-p_j-ijk-t' \
    'systolic.yaml|simulate gemm:i=4,j=4,k=4 --arch FILE --dataflow gemm/ij-p_j-ijk-t' \
    'dataflow.yaml|analyze gemm --arch systolic-2d-8x8 --dataflow FILE' \
    'mapping.yaml|analyze gemm:i=4,j=4,k=4 --arch conventional --dataflow FILE' 'nest.c|check FILE'; do
    file=${row%%|*}
    for edge in $edges; do
        n=1
        while replace "$file" $n "$edge" >"edge.${file##*.}"; do
            # shellcheck disable=SC2046
            run "number $n of $file is $edge" $(echo "${row#*|}" | sed "s/FILE/edge.${file##*.}/")
            n=$((n + 1))
        done
    done
done

for edge in $edges; do
    run "a size" analyze "gemm:i=$edge" --arch systolic-2d-8x8 --dataflow gemm/ij-p_j-ijk-t
    run "a size" map "gemm:i=$edge,j=3" --arch conventional
    for set in sizes.k "levels.PE.shape" "levels.scratchpad.bandwidth_bits" levels.scratchpad.word_bits levels.PE.links.east.interval \
        clock_mhz levels.scratchpad.capacity_bytes; do
        run "--set" analyze gemm --arch systolic-2d-8x8 --dataflow gemm/ij-p_j-ijk-t --set "$set=$edge"
        run "--set" analyze gemm --arch systolic-2d-8x8 --dataflow gemm/ij-p_j-ijk-t --set "$set=[$edge,$edge]"
    done
    for expression in "i%$edge" "i/$edge" "i*$edge" "i+$edge" "$edge"; do
        run "an expression" analyze gemm --arch systolic-2d-8x8 --space "$expression, j%8" --time "i, j, k"
        run "an expression" analyze gemm --arch systolic-2d-8x8 --space "i%8, j%8" --time "$expression, i/8, j/8, k"
    done
    for option in threads top from stamps layer batch shard points point hardware budget pack skew fold slurm schema nest tenet-interval \
        work-limit max-cells; do
        for form in "$edge" "$edge/$edge" "$edge:$edge"; do
            run "--$option" explore gemm:i=4,j=4,k=4 --arch systolic-2d-8x8 --quiet "--$option" "$form"
        done
        run "--$option" analyze gemm:i=4,j=4,k=4 --arch systolic-2d-8x8 --dataflow 'gemm/*' "--$option" "$edge"
        run "--$option" map gemm:i=4,j=4,k=4 --arch conventional "--$option" "$edge"
        run "--$option" simulate gemm:i=4,j=4,k=4 --arch systolic-2d-8x8 --dataflow gemm/ij-p_j-ijk-t "--$option" "$edge"
    done
    run "--vary" explore gemm:i=4,j=4,k=4 --arch systolic-2d-8x8 --quiet --vary "sizes.k=[4,$edge]"
    run "--where" explore gemm:i=4,j=4,k=4 --arch systolic-2d-8x8 --quiet --where "latency < $edge"
    run "--bandwidth" analyze gemm --arch systolic-2d-8x8 --dataflow gemm/ij-p_j-ijk-t --bandwidth "$edge:$edge:$edge"
done
echo "runs $total, crashes $crashes, hangs $hangs"
[ $((crashes + hangs)) = 0 ]

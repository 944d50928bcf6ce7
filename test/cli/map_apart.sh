#!/bin/sh
# Reads of one tensor that have no formula together, A[i][k] * A[j][k], in a box and in a triangle: the engines count
# each mapping. Of a triangle of 256 x 256 x 128 the search took 30 s, and ended on one PE (5.9e16 pJ x cycles).
. "$2/test/cli/harness"
nest() { # name, rows, columns, condition
    cat >"$1.c" <<E
void $1(float C[$2][$2], float A[$2][$3])
{
    for (int i = 0; i < $2; i++)
        for (int j = 0; j $4; j++)
            for (int k = 0; k < $3; k++)
                C[i][j] += A[i][k] * A[j][k];
}
E
}
nest syrk 256 128 '<= i'
nest gram 32 16 '< 32'
nest small 32 8 '<= i'
cat >square.yaml <<E
loops:
  - {at: DRAM, for: [k 128]}
  - {at: PE, parallel: [i 32 -> 0, j 32 -> 1]}
  - {at: L1, for: [i 8, j 8]}
E
cat >ones.yaml <<E
loops:
  - {at: DRAM, for: [k 16]}
  - {at: PE, parallel: [i 32 -> 0, j 32 -> 1]}
E
cat >lanes.yaml <<E
loops:
  - {at: DRAM, for: [j 16]}
  - {at: PE, parallel: [i 4 -> 0, i 2 -> 1, j 2 -> 1]}
  - {at: L1, for: [i 4, k 128]}
  - {at: lane, parallel: [i 4 -> 0, j 2 -> 0, i 2 -> 1, j 4 -> 1]}
E
figure() { sed -n 's/^[[:space:]]*"edp":[[:space:]]*\([0-9.e+]*\).*/\1/p' "$1" | head -n 1; }
beside() { # nest, machine, mapping
    sator map "$1.c" --arch "$2" --timing roofline --set energy_table=45nm --json >found.json
    sator analyze "$1.c" --arch "$2" --timing roofline --set energy_table=45nm -d "$3.yaml" --json >given.json
    awk -v what="$1 on $2" -v found="$(figure found.json)" -v given="$(figure given.json)" 'BEGIN {
        print what ": " (found > 0 && found <= given * (1 + 1e-9) ? "as good" : found " > " given) }'
}
beside syrk conventional square
beside gram conventional ones
beside syrk simba-like lanes
# many digits of both loops: what the analysis counts happens
cat >digits.yaml <<E
loops:
  - {at: DRAM, for: [i 4]}
  - {at: PE, parallel: [j 2 -> 0, j 4 -> 1]}
  - {at: L1, for: [j 2, k 8]}
  - {at: lane, parallel: [i 2 -> 0, j 2 -> 0, i 4 -> 1]}
E
sator simulate small.c --arch simba-like -d digits.yaml | sed -n -e 's/^  counts *//p' -e 's/^  cycles *//p'
# the same of 4.2 million instances, which no engine counted: half of the square and half of its diagonal
cat >many.yaml <<E
loops:
  - {at: DRAM, for: [i 4]}
  - {at: PE, parallel: [i 2 -> 0, j 2 -> 0, j 4 -> 1]}
  - {at: L1, for: [j 16, k 128]}
  - {at: lane, parallel: [i 4 -> 0, j 2 -> 0, i 8 -> 1]}
E
sator analyze syrk.c --arch simba-like --timing roofline -d many.yaml | sed -n -e 's/^  engine *//p' -e 's/^  stamps *//p'
exit 0

#!/bin/sh
# Figures beside measurements (doc/fidelity.md): the tables that take no time, the JSON, and lines that are no rows.
. "$2/test/cli/harness"
command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }
export SATOR
fidelity() { "$SOURCE/tools/fidelity.sh" "$@"; }
figures() { python3 -c 'import json; [print(k, v) for k, v in json.load(open("out.json")).items() if k != "rows"]'; }
for table in eyeriss scalesim nvdla; do
    fidelity $table --json out.json | tail -2
    figures
done

# VGG-16 layers as other rows of the table; expected: passes x (filter words / 4 + columns x max(p (q S + 1), p t e / 4)) / 200,000
cat >vgg.csv <<'EOF'
layer,n,groups,k_per_group,c,out,filter,stride,processing_ms,n_pass,e,p,q,r,t
narrow,3,1,64,3,224,3,1,36,1,14,16,1,1,4
deep,3,1,512,256,28,3,1,105,1,14,16,4,1,4
folded,1,1,64,64,56,3,1,20,1,28,16,4,1,2
EOF
fidelity eyeriss vgg.csv --json out.json >/dev/null
python3 - <<'EOF'
import json
def ms(passes, filters, columns, p, q, t, e):
    return passes * (filters / 4 + columns * max(p * (q * 3 + 1), p * t * e / 4)) / 200e3
expected = [ms(3 * 16 * 3, 64 * 9, 224, 16, 1, 4, 14), ms(3 * 2 * 8 * 64, 64 * 4 * 9, 28, 16, 4, 4, 14), ms(2 * 2 * 16, 32 * 4 * 9, 56, 16, 4, 2, 28)]
for row, ms in zip(json.load(open("out.json"))["rows"]["eyeriss"], expected):
    if abs(row["model"] - ms) > 1e-9:
        print(row, "expected", ms)
EOF

# SCALE-Sim: vectors, and fewer rows or columns than the array has: folds x (R + C + K - 2) or (2 R + C + M - 2), less 1
cat >vectors.csv <<'EOF'
case,dataflow,rows,cols,M,N,K,total_cycles
column,os,8,4,1,100,4096,102649
fc,is,32,256,1,2,7,319
point,ws,12,4,1,1,1,26
wide,ws,64,8,3,1000,1,17124
EOF
fidelity scalesim vectors.csv | tail -1

# a few rows of the tables that take longer: cycles, and volumes, which are right in all
sed -n '1p; 6p; 40p; 60p' "$SOURCE/test/fidelity/tileflow.csv" >few.csv
fidelity tileflow few.csv
sed '2s/34078720/34078736/' "$SOURCE/test/fidelity/tileflow.csv" | sed -n '1,2p' >other.csv
fidelity tileflow other.csv | grep 'mem_to_buf'

# Gemmini: a tile whose loads decide, one whose commands do. 6 tiles of 128 x 128 x 768: 8 x 48 x 8 commands of 16 rows each;
# their first loads, 196,608 bytes at 9 a cycle, are exposed, and 16,384 bytes of results at 16 after each: 6 x (49,152 + 1,024) + 21,846.
# The other: 28 tiles of 14 x 16 x 16 commands, whose 2 rows take 8 cycles; 72,704 bytes at 9 a cycle before, 7,168 at 16 after
# each: 28 x (28,672 + 448) + 8,079.
cat >rows.csv <<'EOF'
mapping.mapping,prob.C,prob.K,prob.N,prob.P,prob.Q,prob.R,prob.S,target.gemmini_cycle
L3[WIO] K6 - L2[WI] N1 K16X - L1[O] K8 C48 P4 C16X - L0[W] P32,768,768,1,128,1,1,1,305870
L3[WIO] K4 P7 - L2[WI] N1 K16X - L1[O] K16 C16 Q14 C16X - L0[W] P2,256,1024,1,14,14,1,1,770882
EOF
fidelity gemmini rows.csv
cat >wrong.csv <<'EOF'
mapping.mapping,prob.C,prob.K,prob.N,prob.P,prob.Q,prob.R,prob.S,target.gemmini_cycle
L3[WIO] K6 - L2[WI] N1 K16X - L1[O] K8 C48 P4 C16X,768,768,1,128,1,1,1,305870
L3[WIO] K6 - L2[WI] N1 K16X - L1[O] K7 C48 P4 C16X - L0[W] P32,768,768,1,128,1,1,1,305870
L3[WIO] Z6 - L2[WI] N1 K16X - L1[O] K7 C48 P4 C16X - L0[W] P32,768,768,1,128,1,1,1,305870
L3 K6 - L2[WI] N1 K16X - L1[O] K7 C48 P4 C16X - L0[W] P32,768,768,1,128,1,1,1,305870
EOF
fidelity gemmini wrong.csv

# a column that is not there; fields that are no numbers or fit no machine, all of them, and the rows that can be compared
printf 'layer,n\nconv,1\n' >short.csv
fidelity eyeriss short.csv
sed '2s/,7,16,1/,7,16,x/; 3s/,27,16/,16,16/; 4s/4,1,4$/4,1,9/; s/,192,13,3,1,/,192,13,3,0,/' "$SOURCE/test/fidelity/eyeriss.csv" >wrong.csv
fidelity eyeriss wrong.csv
fidelity nothing 2>&1 | grep -c "invalid choice"

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

# a column that is not there; fields that are no numbers or fit no machine, all of them, and the rows that can be compared
printf 'layer,n\nconv,1\n' >short.csv
fidelity eyeriss short.csv
sed '2s/,7,16,1/,7,16,x/; 3s/,27,16/,16,16/; 4s/4,1,4$/4,1,9/; s/,192,13,3,1,/,192,13,3,0,/' "$SOURCE/test/fidelity/eyeriss.csv" >wrong.csv
fidelity eyeriss wrong.csv
fidelity nothing 2>&1 | grep -c "invalid choice"

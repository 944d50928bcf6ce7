#!/bin/sh
# An experiment file of the TENET program alone: AlexNet's CONV3 row-stationary, filter reuse 169, output 144 (section VI-E
# of the paper).
. "$2/test/cli/harness"
sator analyze "$SOURCE/test/tenet/published/data/alexnet/experiment/experiment_3" --csv >out
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "tensor") t = i - NF; else if ($i == "tensor.reuse_factor") f = i - NF }
    NR > 1 && $(NF + t) != "I" { print $(NF + t), $(NF + f) }' out
# A sweep is the comparison of its experiments: the same rows as one by one.
sweep="$SOURCE/test/tenet/published/interconnect_experiment/matmul"
sator analyze "$sweep" --csv >together
sator show "$sweep" >experiments
while read -r mapping array statement; do
    sator analyze "$statement" --arch "$array" --dataflow "$mapping" --csv
done <experiments | awk 'NR == 1 || !/^workload,/' >apart
cmp together apart
wc -l <experiments
sator analyze "$sweep" | awk 'NR == 1 || /switch2/ { print $1, $2 }'
# Beside an architecture it does not say which of its mappings is meant.
sator analyze "$sweep" --arch systolic-2d-8x8 2>message
echo "exit $?"
sed -n "/^help/s|analyze /.*/matmul'|analyze SWEEP'|p" message | uniq
# One whose parts are wrong is an experiment all the same: the messages are about the parts.
printf 'none.m none.p none.s\n' >lost
sator analyze lost 2>message
echo "exit $?"
grep -c 'cannot be found' message
printf 'a.s 1\n1\nlist a.m\n' >sweep
printf '2 a.p b.p\n' >list
printf '1 1\n{S[i]: 0<=i<4}\n{S[i]->A[i]}\n{S[i]->Y[i]}\n' >a.s
printf '{S[i]->PE[i]}\n{S[i]->T[0]}\n' >a.m
printf '{PE[i]: 0<=i<4}\n{PE[i]->PE[i+1]}\n1 1 64 1\n' >a.p
printf '{PE[i]: 0<=i<3}\n{PE[i]->PE[i+1]}\n1 1 64 1\n' >b.p
sator analyze sweep --csv 2>message | cut -d, -f1-3
grep -o 'error: .*' message
# A mapping that is there twice
printf 'a.s 1\n2\nlist a.m a.m\n' >twice
sator check twice 2>&1 >/dev/null | head -n 1

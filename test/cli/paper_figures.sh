#!/bin/bash
# The tables of doc/paper_figures.md are what tools/paper_figures.sh prints.
wrong=0
cd "$2" || exit 2
diff <(sed -n '/^\$ tools/,/^```/p' doc/paper_figures.md | grep -v '^[$`]') \
    <(tools/paper_figures.sh "$1" | sed 's/ *$//') || wrong=1
# what the paper states of its figures, from the tables: latency of a row of figure 9, bits per cycle of one of figure 10
latency() { tools/paper_figures.sh "$sator" 9 | awk -v row="$1" '$1 == row { gsub(",", ""); print $8 }'; }
needs() { tools/paper_figures.sh "$sator" 10 | awk -v row="$1 $2" -v at="$3" '$1 " " $2 == row { gsub(",", ""); printf "%d", $at }'; }
claim() { [ "$1" -lt "$2" ] || { wrong=1 && echo "not so: $3 ($1, $2)"; }; }
sator=$1
ij=$(latency gemm/ij-p_j-ijk-t)
claim "$(latency gemm/ik-p_k-ijk-t)" "$ij" 'IK is faster than IJ'
claim "$(latency gemm/kj-p_k-ijk-t)" "$ij" 'KJ is faster than IJ'
claim "$ij" "$(latency gemm/k-p_i-j-t)" 'two dimensions beat K'
claim "$ij" "$(latency gemm/j-p_i-k-t)" 'two dimensions beat J'
ij=$(latency mttkrp/ij-p_j-ijl-t)
claim "$ij" "$(latency mttkrp/kj-p_j-kjl-t)" 'MTTKRP: IJ is faster than KJ'
claim "$ij" "$(latency mttkrp/kl-p_l-klj-t)" 'MTTKRP: IJ is faster than KL'
claim "$(needs conv2d_eyeriss2d switch2 4)" "$(needs conv2d_eyeriss2d pe_8_8 4)" 'a mesh needs less of the scratchpad'
claim "$(needs conv2d_eyeriss2d pe_8_8 5)" "$(needs conv2d_eyeriss2d switch2 5)" 'a mesh moves more between PEs'
claim "$(needs conv2d_eyeriss2d 1d_systolic1 14)" "$(needs conv2d_eyeriss2d pe_8_8 14)" 'one dimension moves less between PEs'
[ "$(tools/paper_figures.sh "$sator" 11 | grep -c '^MAERI C. .* [0-9]')" -eq 5 ] || { wrong=1 && echo 'MAERI: not all answered'; }
exit $wrong

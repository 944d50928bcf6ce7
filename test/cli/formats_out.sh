#!/bin/sh
# Results for other tools: JSON whose counts are integers, Markdown and LaTeX tables.
sator=$1
fail() { echo "$*"; exit 1; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2

# Schema 2, the default, is schema 1 but for the quotes of counts, and says so first.
"$sator" analyze gemm:i=64,j=64,k=64 --arch tpu-8x8 --dataflow gemm/ij-p_j-ijk-t --json --schema 1 >one.json || fail "no JSON"
"$sator" analyze gemm:i=64,j=64,k=64 --arch tpu-8x8 --dataflow gemm/ij-p_j-ijk-t --json >two.json || fail "no schema 2"
head -2 two.json | tail -1 | grep -q '"schema":	2,' || fail "schema 2 does not say so"
grep -q '"instances":	"262144",' one.json && grep -q '"instances":	262144,' two.json || fail "64^3 instances"
grep -v '"schema"' two.json >rest
sed 's/: *"\(-\{0,1\}[0-9]*\)"\(,\{0,1\}\)$/:	\1\2/; s/:	"\(-\{0,1\}[0-9][0-9]*\)"/:	\1/g' one.json | cmp - rest || fail "schema 2 differs by more than the quotes"
# 2^80 instances: an integer whatever its size
"$sator" analyze gemm:i=1099511627776,j=1099511627776,k=1 --arch systolic-2d-8x8 --space 'i%8, j%8' --time 'i/8, j/8, k' \
    --json --schema 2 2>/dev/null | grep -q '"instances":	1208925819614629174706176,' || fail "2^80 is no integer"
"$sator" map gemm:i=8,j=8,k=8 --arch conventional --json --schema 2 | grep -q '"instances":	512,' || fail "map has no schema 2"
"$sator" explore gemm:i=8,j=8,k=8 --arch tpu-8x8 --top 1 --json --schema 2 -q 2>/dev/null | grep -q '"schema": 2.*"instances": 512,' ||
    { [ "$("$sator" explore gemm:i=8,j=8,k=8 --arch tpu-8x8 --top 1 --json --schema 2 -q | tr -d '\n' | grep -c '"schema": 2.*"instances": 512,')" = 1 ] ||
      fail "explore has no schema 2"; }
"$sator" analyze gemm --arch tpu-8x8 --dataflow 'gemm/*' --schema 2 2>messages && fail "--schema without --json is taken"
grep -q -e '--schema goes with --json' messages || fail "it is not said what --schema needs"
"$sator" map gemm --arch conventional --format md --csv 2>/dev/null && fail "--format and --csv are taken"

cat >bench.yaml <<'EOF'
name: "a_b|c"
sizes: {i: 4, j: 4, k: 4}
op: "Y[i,j] += A[i,k] * B[k,j]"
EOF
cat >array.yaml <<'EOF'
name: "50%_array"
levels: [{memory: M}, {array: PE, shape: [4, 4]}, {compute: mac}]
EOF
"$sator" analyze bench.yaml --arch array.yaml --space 'i, j' --time k --format md >table.md || fail "no Markdown"
# 4 x 4 PEs run 4 stamps; A and B are read 64 times each without a wire, Y is written 16 times
diff - table.md <<'EOF' || fail "another Markdown"
| workload | machine | dataflow | latency (cycles) | bound by | utilization | unique (words) | energy (pJ) | EDP (pJ cycles) |
| --- | --- | --- | ---: | --- | ---: | ---: | ---: | ---: |
| a\_b\|c | 50%\_array | command line | 4 | compute | 1 | 144 | - | - |
EOF
"$sator" analyze bench.yaml --arch array.yaml --space 'i, j' --time k --format tex >table.tex || fail "no LaTeX"
diff - table.tex <<'EOF' || fail "another LaTeX"
% \usepackage{booktabs}
\begin{tabular}{lllrlrrrr}
\toprule
workload & machine & dataflow & latency (cycles) & bound by & utilization & unique (words) & energy (pJ) & EDP (pJ cycles) \\
\midrule
a\_b|c & 50\%\_array & command line & 4 & compute & 1 & 144 & - & - \\
\bottomrule
\end{tabular}
EOF
[ "$("$sator" map alexnet --arch conventional --format md | wc -l)" = 10 ] || fail "alexnet has 8 layers"
"$sator" list networks --format md | grep -q '| networks | resnet50 | ' || fail "the library is no table"

# Explorations: the same rows as a table for a page and for a paper, and % escaped there.
"$sator" explore gemm:i=8,j=8,k=8 --arch tpu-8x8 --db q.db --top 2 --format md -q >out.md || fail "explore has no Markdown"
head -2 out.md | tail -1 | grep -q '^| --- | ---: ' || fail "no line under the header: $(cat out.md)"
[ "$(grep -c '^| gemm |' out.md)" = 2 ] || fail "not two rows: $(cat out.md)"
"$sator" query q.db --top 3 --format tex >out.tex || fail "query has no LaTeX"
[ "$(grep -c '^gemm & .* \\\\$' out.tex)" = 3 ] && grep -q '[0-9] \\% &' out.tex && grep -qx '\\end{tabular}' out.tex || fail "no table: $(cat out.tex)"
"$sator" query q.db --summary --format tex 2>/dev/null && fail "a summary is no table"
exit 0

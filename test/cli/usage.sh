#!/bin/sh
# Every call that is wrong exits 2 and names what is near.
. "$2/test/cli/harness"
try() { sator "$@"; echo "$?: sator $*"; }
try analyse gemm
try analyze gemm --archh eyeriss
try list --nest 2
try analyze gemm --engine closd
try analyze gemm --threads many
try analyze gemm --arch
try analyze gemm --arch eyeriss --json --csv
try analyze gemm --json=yes
try analyze
try analyze gemm conv2d
try analyze gemm --arch eyeriss
try analyze gemm --dataflow gemm/k-p_i-j-t
try analyze gemm --arch eyeriss --space i
try analyze gemm --arch eyeriss --space i --time j --sort latancy
try analyze gemm --arch eyeriss --space i --time j --bandwidth 64,...,128
try analyze gemm --arch eyeriss --space i --time j --bandwidth 64:128
try analyze gemm --arch eyeriss --space i --time j --bandwidth -3
try analyze gemm --arch eyeriss --space i --time j --show relations --json
try analyze - --arch - --space i --time j
try list archz
try check
try show
try -x
try map alexnet --arch conventional --layer zzz # the input is wrong: nothing is mapped
exec 2>/dev/null
try

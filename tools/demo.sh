#!/bin/sh
# A tour: a loop nest in C and a layer of AlexNet, on two architectures each, under dataflows of the TENET paper.
sator=${1:-build/sator}
cd "$(dirname "$0")/.." || exit 1

say() {
    printf '\n%s\n' "$1"
}
# Show a command as one would type it, then run it.
run() {
    printf '\n$ sator'
    for word; do
        case $word in
        *[*\ \(\|\[]*) printf " '%s'" "$word" ;;
        *) printf ' %s' "$word" ;;
        esac
    done
    printf '\n\n'
    "$sator" "$@" || exit 1
}

say "1. A matrix multiplication as it is written in C (examples/gemm.c): one dataflow on an 8x8 systolic array."
sed -n '/#pragma scop/,/#pragma endscop/p' examples/gemm.c
run analyze examples/gemm.c --arch systolic-2d-8x8 --dataflow gemm/ij-p_j-ijk-t

say "2. The dataflows that the TENET paper gives for it, side by side, there and on an array with multicast buses."
run analyze examples/gemm.c --arch systolic-2d-8x8 --dataflow 'gemm/*' --sort latency
run analyze examples/gemm.c --arch multicast-8x8 --dataflow 'gemm/*' --sort latency

say "3. AlexNet's third convolution on Eyeriss (12x14 PEs) and on a TPU-like 8x8 array."
run analyze alexnet --layer conv3 --arch eyeriss --dataflow 'conv2d/*-p_*' --sort edp
run analyze alexnet --layer conv3 --arch tpu-8x8 --dataflow 'conv2d/*-p_*' --sort edp

say "4. Which PE holds what when: a GEMM small enough to look at (Figure 3 of the paper)."
run analyze gemm:i=2,j=2,k=4 --arch systolic-2d-8x8 --set 'levels.PE.shape=[2,2]' \
    --space 'i, j' --time 'i + j + k' --show stamps

say "5. The same on a page: the array stamp by stamp, energy, roofline, and the dataflows compared."
run analyze gemm --arch systolic-2d-8x8 --dataflow 'gemm/*' --show roofline
report=${SATOR_DEMO_REPORT:-$(dirname "$sator")/report.html}
run report gemm --arch systolic-2d-8x8 --dataflow 'gemm/*' --quiet -o "$report"
echo "Open $report in a browser."

cat <<END

What to try next:

  # what is built in, and how an entry is written (change a copy and give its file's name)
  $sator list
  $sator show gemm

  # a dataflow of your own
  $sator analyze examples/gemm.c -DN=512 --arch systolic-2d-8x8 \\
      --space 'i%8, j%8' --time 'i/8, j/8, i%8 + j%8 + k'

  # a whole network: totals, and the best dataflow of each layer
  $sator analyze alexnet --arch tpu-8x8 --dataflow 'conv2d/*-p_*' --sort energy

  # how much scratchpad bandwidth is enough
  $sator analyze gemm --arch tpu-8x8 --dataflow 'gemm/*' --bandwidth 32,64,...,256

  # everything, for programs
  $sator analyze gemm --arch tpu-8x8 --dataflow 'gemm/*' --json

  # one page of the best mappings of a network on two machines
  $sator report alexnet --arch conventional --arch eyeriss -o $(dirname "$report")/alexnet.html

  # all options, an example each
  $sator analyze --help
END

#!/bin/sh
# Text fits the terminal, or as many columns as COLUMNS says: tables go on below with the names of their rows, lines are broken at blanks, and nothing is lost.
. "$2/test/cli/harness"
fits() { # WIDTHS COMMAND
    widths=$1
    shift
    sator "$@" 2>/dev/null | sed 's/[0-9.]* ms of search/SEARCH/; s/, in [0-9.]* m*s$//' >whole
    tr -s ' ' '\n' <whole | sort -u | grep . >whole.words
    for width in $widths; do
        COLUMNS=$width "$SATOR" "$@" 2>/dev/null | sed 's/[0-9.]* ms of search/SEARCH/; s/, in [0-9.]* m*s$//' >fitted
        [ -s fitted ] || echo "$*: nothing"
        # no line is wider, but for a single word that is
        awk -v width="$width" 'length($0) > width && $0 ~ /[^ ] +[^ ]+ *$/ {
            rest = $0
            sub(/^ */, "", rest)
            if (split(rest, words, " ") > 1 && length(words[1]) + length($0) - length(rest) < width - 20) print "too wide: " $0
        }' fitted
        tr -s ' ' '\n' <fitted | sort -u | grep . >fitted.words
        comm -23 whole.words fitted.words | grep -v '^[0-9.]*$' | sed "s/^/lost by $1 at $width: /"
    done
}
sator explore gemm:i=16,j=16,k=16 --arch systolic-2d-8x8 --db points.db --quiet >/dev/null
fits '60 80' query points.db --top 5 --sort edp # a dataflow is 43 wide
fits '40 60 80' analyze alexnet --layer conv3 --arch eyeriss -d conv2d/ryoy-p_oy-ox-t --timing roofline
fits '40 60 80' analyze alexnet --layer conv3 --arch eyeriss -d 'conv2d/*-p_*' --timing roofline
fits '40 60 80' analyze alexnet --arch conventional -d conv2d/weight-stationary --timing roofline
fits '40 60 80' map gemm:i=24,j=16,k=20 --arch conventional
fits '40 60 80' map alexnet --arch conventional --arch eyeriss
fits '40 60 80' list
fits '40 60 80' analyze gemm:i=3,j=3,k=2 --arch systolic-2d-8x8 --space 'i, j' --time 'i + j + k' --show stamps
fits '40 60 80' simulate gemm:i=20,j=12,k=9 --arch systolic-2d-8x8 --dataflow gemm/ij-p_j-ijk-t
COLUMNS=64 "$SATOR" analyze gemm:i=20,j=12,k=9 --arch systolic-2d-8x8 --space 'i%8, j%8' --time 'i/8, j/8, i%8 + j%8 + k' --timing roofline | sed -n '/^Volumes/,/^Spatial/p'

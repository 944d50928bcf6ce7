#!/bin/sh
# Text fits the terminal, or as many columns as COLUMNS says: tables go on below with the names of their rows, lines are broken at blanks, and nothing is lost.
. "$2/test/cli/harness"
fits() { # WIDTH COMMAND
    width=$1
    shift
    sator "$@" 2>/dev/null | sed 's/[0-9.]* ms of search/SEARCH/; s/, in [0-9.]* m*s$//' >whole
    COLUMNS=$width "$SATOR" "$@" 2>/dev/null | sed 's/[0-9.]* ms of search/SEARCH/; s/, in [0-9.]* m*s$//' >fitted
    [ -s fitted ] || echo "$*: nothing"
    # no line is wider, but for a single word that is
    awk -v width="$width" 'length($0) > width && $0 ~ /[^ ] +[^ ]+ *$/ {
        rest = $0
        sub(/^ */, "", rest)
        if (split(rest, words, " ") > 1 && length(words[1]) + length($0) - length(rest) < width - 20) print "too wide: " $0
    }' fitted
    for file in whole fitted; do
        tr -s ' ' '\n' <$file | sort -u | grep . >$file.words
    done
    comm -23 whole.words fitted.words | grep -v '^[0-9.]*$' | sed "s/^/lost by $1 at $width: /"
}
sator explore gemm:i=16,j=16,k=16 --arch systolic-2d-8x8 --db points.db --quiet >/dev/null
for width in 40 60 80; do
    [ $width = 40 ] || fits $width query points.db --top 5 --sort edp # a dataflow is 43 wide
    fits $width analyze alexnet --layer conv3 --arch eyeriss -d conv2d/ryoy-p_oy-ox-t --timing roofline
    fits $width analyze alexnet --layer conv3 --arch eyeriss -d 'conv2d/*-p_*' --timing roofline
    fits $width analyze alexnet --arch conventional -d conv2d/weight-stationary --timing roofline
    fits $width map gemm:i=24,j=16,k=20 --arch conventional
    fits $width map alexnet --arch conventional --arch eyeriss
    fits $width list
    fits $width analyze gemm:i=3,j=3,k=2 --arch systolic-2d-8x8 --space 'i, j' --time 'i + j + k' --show stamps
    fits $width simulate gemm:i=20,j=12,k=9 --arch systolic-2d-8x8 --dataflow gemm/ij-p_j-ijk-t
done
COLUMNS=64 "$SATOR" analyze gemm:i=20,j=12,k=9 --arch systolic-2d-8x8 --space 'i%8, j%8' --time 'i/8, j/8, i%8 + j%8 + k' --timing roofline | sed -n '/^Volumes/,/^Spatial/p'

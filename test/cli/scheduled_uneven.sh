#!/bin/sh
# Loops that run within a stamp at some PEs of a skewed row longer than at others: as long as one of these is active, the
# stamp takes longer. TENET's (KC-P | C,KOX-T), and rows that are skewed the other way, executed beside the analysis.
. "$2/test/cli/harness"
executed() { # machine, sizes, space, time
    sator simulate "conv2d:$2,oy=2,ry=2,rx=1" --arch "$1" --space "$3" --time "$4" >out 2>&1 ||
        { echo "$*:"; cat out; }
    sed -n "s/^ *cycles *\([0-9,]* executed, [0-9,]* analysed\).*/$2: \1/p" out
}
for k in 13 16 40 70; do
    for ox in 1 2 30; do
        executed eyeriss "k=$k,c=17,ox=$ox" 'k%12, c%14' 'oy, c/14, ox + k%12'
    done
done
executed eyeriss k=40,c=3,ox=9 'k%12, c%14' 'oy, c/14, ox + 11 - k%12'
executed eyeriss k=40,c=3,ox=9 'k%12, c%14' 'oy, ox, c/14, 2*(k%12)'
executed conventional k=40,c=3,ox=9 'k%32, c%32' 'oy, c/32, ox + k%32' # PEs with memories
# too many instances to be followed one by one: a figure, which the execution of all of them has, too
for machine in eyeriss conventional; do
    sator analyze conv2d:k=40,c=17,ox=300,oy=9,rx=2,ry=2 -a $machine -d conv2d/kc-p_c-kox-t --timing scheduled --json |
        sed -n 's/^.*"scheduled":[^0-9n]*\([0-9nul]*\),*$/\1/p'
done
executed eyeriss k=10,c=3,ox=7 'k%4, ox%3' 'oy, c, k%4 + ox%3' # two such loops: one by one
exit 0

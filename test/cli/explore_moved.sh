#!/bin/sh
# A nest whose loops begin at 5 is explored as the one whose loops begin at 0: as many points, with the same figures.
. "$2/test/cli/harness"
for low in 0 5; do
    cat >"$low.c" <<END
void f(int Y[12], int A[12][20], int B[20]) {
#pragma scop
    for (int i = $low; i < $low + 6; i++)
        for (int k = $low; k < $low + 5; k++)
            Y[i] += A[i][k] * B[k];
#pragma endscop
}
END
    "$SATOR" explore $low.c --arch systolic-2d-8x8 --quiet --top 1 --db $low.db >/dev/null
    sator query $low.db --csv | sed 's/"[^"]*"/x/g; s/,T\[[^,]*\]/,x/' >$low.csv
done
[ "$(wc -l <0.csv)" -gt 2 ] || cat 0.csv
cmp 0.csv 5.csv || diff 0.csv 5.csv

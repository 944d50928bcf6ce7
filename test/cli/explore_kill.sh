#!/bin/sh
# Runs that are killed at random moments and resumed end with the same results as one that is not, to the byte of the
# exported CSV.
. "$2/test/cli/harness"
. "$SOURCE/test/cli/explorations"
form=csv
space="conv2d:k=16,c=8,ox=16,oy=16,rx=3,ry=3 --arch systolic-2d-8x8 --timing roofline --points 0:12000 --prune none --no-symmetry --quiet"
whole --threads 2 >/dev/null
kill_at_random 5 40
[ "$(wc -l <whole.results)" = 12001 ] || echo "$(wc -l <whole.results) lines"

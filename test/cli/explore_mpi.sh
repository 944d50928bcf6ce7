#!/bin/sh
# Ranks under mpirun find what one process finds; when one of them is killed, what they stored is not lost.
. "$2/test/cli/harness"
. "$SOURCE/test/cli/explorations"
need_mpi
form=csv
space="conv2d:k=16,c=8,ox=16,oy=16,rx=3,ry=3 --arch systolic-2d-8x8 --points 0:30000 --prune none --no-symmetry \
    --quiet --threads 1"
whole >/dev/null
ranks 3 --db a.db >out 2>err || cat err
grep -c '^30,000 points looked at, 30,000 results' out
same a.db
ls a.db*
# a second run has nothing left to do, whatever the number of ranks
ranks 2 --db a.db --resume >out 2>err || cat err
same a.db
kill_rank 100
stored=$(for i in 0 1; do sator query b.db.rank$i --csv | sed 1d; done | wc -l)
[ "$stored" -gt 100 ] || echo "only $stored results are left"
[ "$stored" -lt 30000 ] || echo "the rank was killed too late to show anything"
resume_ranks
ranks 2 >/dev/null 2>err && echo "ranks without a database"
grep -q 'error: under mpirun --db has to name a file' err || cat err

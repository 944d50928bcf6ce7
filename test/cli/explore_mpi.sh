#!/bin/sh
# Ranks under mpirun find what one process finds; when one of them is killed, what they stored is not lost.
. "$2/test/cli/harness"
. "$SOURCE/test/cli/explorations"
need_mpi
form=csv
space="conv2d:k=16,c=8,ox=16,oy=16,rx=3,ry=3 --arch systolic-2d-8x8 --timing roofline --points 0:30000 --prune none --no-symmetry \
    --quiet --threads 1"
whole >/dev/null
ranks 3 --db a.db >out 2>err || cat err
grep -c '^30,000 points looked at, 30,000 results' out
same a.db
ls a.db*
# a second run has nothing left to do, whatever the number of ranks
ranks 2 --db a.db --resume >out 2>err || cat err
same a.db
kill_rank 9000
stored=$(for i in 0 1; do sator query b.db.rank$i --csv | sed 1d; done | wc -l)
[ "$stored" -gt 100 ] || echo "only $stored results are left"
[ "$stored" -lt 30000 ] || echo "the rank was not killed"
# the shell's pattern takes in the journal of a killed writer
cp b.db.rank0 copy.db.rank0
cp b.db.rank1 copy.db.rank1
: >copy.db.rank1-journal
sator merge copy.db copy.db.rank* | sed -n 's/^joined/joined/p'
resume_ranks
ls b.db*
# one process goes on from what ranks left, too, and leaves none of their files
for i in 0 1; do mv copy.db.rank$i c.db.rank$i; done
run --db c.db >/dev/null 2>err && echo "the ranks' files were overlooked"
grep -q "its ranks' files exist already" err || cat err
run --db c.db --resume >/dev/null 2>err || cat err
same c.db
ls c.db*
# stopped in the middle of batches, three times, each time by other ranks; a rank may have ended by itself by then
for n in 3 2 4; do
    : >ranks.pid
    # shellcheck disable=SC2016,SC2086
    mpirun --oversubscribe -n $n sh -c 'echo $$ >>ranks.pid; exec "$@"' rank \
        "$SATOR" explore $space --batch 2000 --db d.db --resume >/dev/null 2>&1 &
    launcher=$!
    until [ "$(wc -l <ranks.pid)" = $n ] || ! kill -0 $launcher 2>/dev/null; do sleep 0.02; done
    sleep 0.3
    while read -r victim; do kill -TERM "$victim" 2>/dev/null; done <ranks.pid
    wait $launcher
    wait_for_ranks
done
run --batch 2000 --db d.db --resume >/dev/null 2>err || cat err
sator query d.db --csv | cmp whole.results -
ls d.db*
ranks 2 >/dev/null 2>err && echo "ranks without a database"
grep -q 'error: under mpirun --db has to name a file' err || cat err

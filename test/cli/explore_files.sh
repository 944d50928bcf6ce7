#!/bin/sh
# Files that are no databases of ours, damaged ones, two runs on one file, a run that is not the database's.
. "$2/test/cli/harness"
run() { "$SATOR" explore gemm:i=16,j=16,k=16 --arch systolic-2d-8x8 --quiet --top 1 "$@" >/dev/null; echo "exit $?"; }
run --db a.db
run --db a.db
run --db a.db --resume
run --db a.db --resume --skew 2
run --db a.db --resume --set levels.scratchpad.bandwidth_bits=64
for pj in '0.3 0.2' '0.2 0.3'; do # of each of two links
    run --db a.db --resume --set "levels.PE.links=[{name: east, map: \"PE[i,j] -> PE[i,j+1]\", interval: 1, energy_pj: ${pj% *}},
        {name: south, map: \"PE[i,j] -> PE[i+1,j]\", interval: 1, energy_pj: ${pj#* }}]"
done
run --db a.db --resume --shard 1/2
echo 'not a database' >text.db
run --db text.db --resume
sator query text.db
sator query nothing.db
printf '' >empty.db
sator query empty.db
run --db empty.db --resume
run --db nowhere/a.db
mkdir directory.db
run --db directory.db
# pages of the middle overwritten
cp a.db broken.db
printf '%09000d' 0 | dd of=broken.db bs=1 seek=41000 conv=notrunc 2>/dev/null
sator query broken.db --csv >/dev/null && sator merge whole.db broken.db >/dev/null && echo "damage was not seen"
# one bit of one byte, anywhere: no command takes the file
for at in 21 5000 20001 30303; do
    cp a.db flipped.db
    byte=$(od -An -tu1 -j $at -N 1 a.db)
    # shellcheck disable=SC2059
    printf "\\$(printf %o $((byte ^ 4)))" | dd of=flipped.db bs=1 seek=$at conv=notrunc 2>/dev/null
    sator query flipped.db >/dev/null 2>&1 && echo "query took a changed byte $at"
    sator merge whole.db flipped.db >/dev/null 2>&1 && echo "merge took a changed byte $at"
    run --db flipped.db --resume 2>/dev/null | grep -q 'exit 1' || echo "--resume took a changed byte $at"
done
# a device is no place for a database
run --db /dev/null --resume
run --db /dev/null
# a second writer
"$SATOR" explore vgg16-conv3_2 --arch mesh-8x8 --prune none --no-symmetry --quiet --db busy.db >/dev/null 2>&1 &
pid=$!
while ! sator query busy.db --summary >/dev/null 2>&1; do sleep 0.05; done
"$SATOR" explore vgg16-conv3_2 --arch mesh-8x8 --prune none --no-symmetry --quiet --db busy.db --resume
echo "exit $?"
sator query busy.db --summary | grep -c ' done '
kill -9 $pid
wait $pid 2>/dev/null
true

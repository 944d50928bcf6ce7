#!/bin/sh
# Mappings under mpirun: the same as from one process. (What is lost with a rank is looked at by explore_mpi.sh.)
. "$2/test/cli/harness"
. "$SOURCE/test/cli/explorations"
need_mpi
form=json
space="gemm:i=16,j=16,k=16 mttkrp:i=8,j=8,k=4,l=8 --arch conventional --timing roofline --dataflows optimal --objective edp --quiet --threads 1
    --vary L2.bandwidth_bits=16:12800:16 --vary L1.capacity_bytes=[4,64] --set levels.PE.shape=[4,4] --top 1"
whole >/dev/null
ranks 3 --db a.db >out 2>err || cat err
grep -c '^3,200 points looked at, 1,600 results' out
same a.db
# nothing is left to do, for one process or several
run --db a.db --resume >/dev/null 2>err || cat err
ranks 2 --db a.db --resume >/dev/null 2>err || cat err
same a.db

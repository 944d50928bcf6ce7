#!/bin/sh
# -o never destroys what the command reads, nor a database, under whatever name; it is refused before any work begins.
. "$2/test/cli/harness"
try() {
    sator "$@" >/dev/null 2>message
    echo "$?: $*: $(sed -n '1{s/^sator: //;p}' message)"
    cmp -s saved.yaml gemm.yaml || echo "the input was destroyed"
}
sator show gemm >gemm.yaml
sator show tpu-8x8 >arch.yaml
cp gemm.yaml saved.yaml
ln -s gemm.yaml soft.yaml
ln gemm.yaml hard.yaml
mkdir folder
try check gemm.yaml -o gemm.yaml
try check gemm.yaml -o ./soft.yaml
try check gemm.yaml -o folder/../hard.yaml
try check gemm.yaml:i=8 -o gemm.yaml
printf 'name: two\nlayers:\n  - {name: one, workload: soft.yaml}\n' >net.yaml
try check net.yaml -o gemm.yaml
try analyze net.yaml -a tpu-8x8 -d gemm/ij-p_j-ijk-t -o hard.yaml
try simulate gemm.yaml:i=4,j=4,k=4 -a tpu-8x8 -d gemm/ij-p_j-ijk-t --trace soft.yaml
try map gemm -a arch.yaml -o arch.yaml
try map gemm -a tpu-8x8 --set energy_table=gemm.yaml -o gemm.yaml
sator explore gemm.yaml:i=8,j=8,k=8 -a tpu-8x8 --db a.db --quiet >/dev/null
cp a.db saved.db
try query a.db -o a.db
try merge b.db a.db -o a.db
try explore gemm.yaml:i=8,j=8,k=8 -a tpu-8x8 --db a.db --resume -o a.db
try list -o a.db
cmp a.db saved.db
# rights are not given away, and other names keep the old text
cp gemm.yaml result
chmod 6755 result
ln result other
sator list networks -o result
stat -c %a result
cmp gemm.yaml other
try list -o result/below
try list -o missing/below
chmod 500 folder
[ "$(id -u)" = 0 ] || { sator list -o folder/result >/dev/null 2>&1 && echo "written into a closed folder"; }
true

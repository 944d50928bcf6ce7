#!/bin/sh
# Every option that names a file for what is written follows the rule of -o: never what the command reads, itself or by way of another input, and never
# what another of them writes.
. "$2/test/cli/harness"
try() {
    sator "$@" >/dev/null 2>message
    echo "$?: $*: $(sed -n '1{s/^sator: //;p}' message)"
    cmp -s saved.yaml gemm.yaml || echo "the input was destroyed"
    rm -f t
}
arch=tpu-8x8 flow=gemm/ij-p_j-ijk-t
sator show gemm:i=4,j=4,k=4 >gemm.yaml
cp gemm.yaml saved.yaml
ln -s gemm.yaml soft.yaml
ln gemm.yaml hard.yaml
mkdir folder
printf 'name: two\nlayers:\n  - {name: one, workload: soft.yaml}\n' >net.yaml
for option in --trace --events -o; do
    try simulate gemm.yaml -a $arch -d $flow $option folder/../hard.yaml
    try simulate net.yaml -a $arch -d $flow $option gemm.yaml
done
for option in --certificate -o; do
    try map gemm.yaml -a $arch $option soft.yaml
    try map net.yaml -a $arch $option hard.yaml
done
echo 'two in one file: one that is there or is not, under several names'
ln -s t link # to what is not there
ln -s link folder/link
run="simulate gemm.yaml -a $arch -d $flow"
# shellcheck disable=SC2086
for pair in '--trace t -o t' '--events t -o ./t' '--trace folder/../t --events t' '--events link -o t' '--trace link --events t'; do
    try $run $pair
    echo here >t
    try $run $pair
done
echo here >t
ln t other
try simulate gemm.yaml -a $arch -d $flow --trace t --events other
cat other
try map gemm.yaml -a $arch --certificate t -o t
try explore gemm.yaml -a $arch --quiet --db t -o t
sator explore gemm.yaml -a $arch --quiet --db a.db >/dev/null
try merge t a.db -o t
ls
echo 'several that are different, or no files'
try simulate gemm.yaml -a $arch -d $flow --trace folder/t --events t -o result
try simulate gemm.yaml -a $arch -d $flow --trace /dev/null --events /dev/null -o /dev/null
try map gemm.yaml -a $arch --certificate folder/t -o t
ls folder
echo 'the standard output has one result'
try simulate gemm.yaml -a $arch -d $flow --events -
try simulate gemm.yaml -a $arch -d $flow --events - --trace - -o result
try map gemm.yaml -a $arch --certificate - -o -
sator simulate gemm.yaml -a $arch -d $flow --events - -o result | head -n 1 | cut -c 1-26
sator map gemm.yaml -a $arch --certificate - -o result | head -n 1
echo 'certificates with other ends of lines'
sator map gemm.yaml -a $arch --certificate unix.cert -o result
sed 's/$/\r/' unix.cert >dos.cert
try check dos.cert
test -e - && echo 'a file is called -'
true

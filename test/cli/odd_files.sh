#!/bin/sh
# Files that are none: pipes, folders, devices, links to nothing, as inputs and as outputs. Every command ends by itself,
# and says what is the matter with which file, or has written all of its result. The last line counts.
. "$2/test/cli/harness"
total=0 silent=0 crashes=0 unsaid=0

try() # EXIT WORD COMMAND: it ends with EXIT and names WORD
{
    expected=$1 word=$2
    shift 2
    total=$((total + 1))
    timeout 60 "$SATOR" "$@" >out 2>err </dev/null
    judge $? "$*"
}

judge() # CODE COMMAND
{
    if [ "$1" -ge 124 ]; then
        crashes=$((crashes + 1))
        echo "$2: ends with $1"
    elif [ "$1" != "$expected" ]; then
        silent=$((silent + 1))
        echo "$2: ends with $1, not $expected: $(head -1 err)"
    elif [ "$1" != 0 ] && ! grep -qF -- "$word" err; then
        unsaid=$((unsaid + 1))
        echo "$2: says nothing of $word: $(head -1 err)"
    fi
}

sator show gemm:i=8,j=8,k=8 >gemm.yaml
sator show systolic-2d-8x8 >arch.yaml
flow=gemm/ij-p_j-ijk-t
sator analyze gemm.yaml -a arch.yaml -d $flow >whole
sator explore gemm.yaml -a arch.yaml --db whole.db --quiet >/dev/null
mkdir folder
mkfifo pipe
ln -s nowhere dangling
ln -s loop loop
printf 'name: a\0b\n' >zeros.yaml
head -c 100 /dev/urandom >noise.yaml
: >empty.yaml
long=$(printf '%0300d' 0).yaml

# ---- inputs ----
for file in folder dangling loop "$long" /dev/null /dev/zero /dev/full zeros.yaml noise.yaml empty.yaml; do
    try 1 "$file" check "$file"
    try 1 "$file" analyze "$file" -a arch.yaml -d $flow
    try 1 "$file" analyze gemm.yaml -a "$file" -d $flow
    try 1 "$file" analyze gemm.yaml -a arch.yaml -d "$file"
    [ "$file" = "$long" ] || try 1 "$file" map gemm.yaml -a arch.yaml --set "energy_table=$file"
    try 1 "$file" query "$file"
    try 1 "$file" merge new.db "$file" whole.db
    rm -f new.db
done
cp gemm.yaml gemm.c
for file in folder.c noise.c; do
    [ $file = folder.c ] && mkdir folder.c || cp noise.yaml noise.c
    try 1 "$file" check "$file"
done
# a pipe is read to its end, once
cat gemm.yaml >pipe &
total=$((total + 1))
timeout 60 "$SATOR" analyze pipe -a arch.yaml -d $flow >out 2>err
expected=0
judge $? 'from a pipe'
sed 's/^ *workload.*//' whole >expected
sed 's/^ *workload.*//' out | cmp -s - expected || echo "a pipe gives another result"
cat gemm.yaml >pipe &
try 0 '' check pipe

# ---- outputs ----
for command in "analyze gemm.yaml -a arch.yaml -d $flow" "map gemm.yaml -a arch.yaml" 'list networks' 'query whole.db' \
    'report gemm.yaml -a arch.yaml -d gemm/ij-p_j-ijk-t' 'show gemm.yaml'; do
    for file in folder /dev/full loop "$long" folder/below/it dangling/it; do
        # shellcheck disable=SC2086
        try 1 "$file" $command -o "$file"
    done
    # shellcheck disable=SC2086
    try 0 '' $command -o /dev/null
    case $command in report*) continue ;; esac # its page is a file
    expected=1 word=write
    total=$((total + 1))
    # shellcheck disable=SC2086
    timeout 60 "$SATOR" $command >/dev/full 2>err
    judge $? "$command >/dev/full"
    total=$((total + 1))
    # shellcheck disable=SC2086
    timeout 60 "$SATOR" $command >&- 2>err
    judge $? "$command >&-"
    # a reader gets all of it
    cat pipe >got &
    # shellcheck disable=SC2086
    try 0 '' $command -o pipe
    wait
    # shellcheck disable=SC2086
    "$SATOR" $command 2>/dev/null | sed 's/[0-9.]* m*s$//' >expected_text
    sed 's/[0-9.]* m*s$//' got | cmp -s - expected_text || echo "$command: a pipe gets another text"
done
for file in folder /dev/full pipe loop "$long" folder/below/it; do
    try 1 "$file" explore gemm.yaml -a arch.yaml --quiet --db "$file"
    try 1 "$file" merge "$file" whole.db
    [ "$file" = pipe ] || try 1 "$file" simulate gemm.yaml -a arch.yaml -d $flow --trace "$file"
done
# a limit on how long files are is said as a full disk is, and leaves nothing half written
sized() # WORD COMMAND
{
    expected=1 word=$1
    total=$((total + 1))
    shift
    (ulimit -f 16 && exec timeout 60 "$SATOR" "$@" >out 2>err </dev/null)
    judge $? "short files: $*"
}
sized 'cannot write long.html: File too large' report gemm.yaml -a arch.yaml -d $flow -o long.html
sized 'cannot write to the standard output: File too large' report gemm.yaml -a arch.yaml -d $flow
sized 'all that was stored before is safe' explore gemm.yaml -a arch.yaml --quiet --db long.db
ls | grep 'long\.html'
"$SATOR" query whole.db --csv | head -1 >/dev/null # what was stored is there
echo "runs $total, silent $silent, crashes $crashes, unsaid $unsaid"

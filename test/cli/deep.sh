#!/bin/sh
# Texts nested as deep as one likes are refused with a message, none fills the stack; what is refused is more than 1,500
# signs deep, where a stack of 8 MiB would be full at about 2,000.
. "$2/test/cli/harness"
nest() { # COUNT BEFORE REPEATED AFTER
    awk -v n="$1" -v before="$2" -v part="$3" -v after="$4" 'BEGIN {
        print "void f(int A[8])\n{\n#pragma scop\nfor (int i = 0; i < 8; i++) {"
        printf "%s", before
        while (n-- > 0) printf "%s", part
        print after "\n}\n#pragma endscop\n}" }' >deep.c
    sator check deep.c >/dev/null 2>message
    echo "$?: $3: $(sed -n '1s/.*error: //p' message | cut -c 1-60)"
}
for n in 1400 100000; do
    nest $n 'A[i] += ' '- ' '1;'
    nest $n 'A[i] += ' '(int)' '1;'
    nest $n 'A[i] += 1' ' + 1' ';'
    nest $n 'A[i] ' '= A[i] ' '= 1;'
    nest $n 'if (i > 0) A[i] += 1; ' 'else if (i > 0) A[i] += 1; ' ''
    nest $n '' 'if (i) ' 'A[i] += 1;'
    nest $n 'A[i] += 1;' 'A[i] += 1;' ''
    nest $n 'A[i] += (' 'i, ' '1);'
done
# what the look at the text takes for a table, and libclang for operators: it crashes, and nothing else does
nest 100000 'A[i] += 1' ', i' ';' | sed 's/libclang .*/libclang/'
# long, not deep
nest 100000 'static int table[] = {' '-1, ' '0}; A[i] += 1;'
nest 100000 '' '/* - - - */ ' 'A[i] += 1;'
# the threads of a search and the program itself, with a quarter of the usual stack
ulimit -s 2048
sator map gemm:i=97,j=89,k=101 --arch conventional --threads 2 --csv | wc -l
sator explore gemm:i=8,j=8,k=8 --arch systolic-2d-8x8 --threads 2 --quiet --top 1 | wc -l

#!/bin/sh
# Every file of test/broken is refused with exactly the messages of the .expect beside it: all of them by one start of
# the program, as files of one command. With SATOR_BLESS=1 the .expect files are written instead, file by file; read the
# difference before you commit it.
sator=$1
cd "$2/test/broken" || exit 2
got=$(mktemp) || exit 2
trap 'rm -f "$got"' EXIT
failed=0
set -- *.yaml
if [ -n "$SATOR_BLESS" ]; then
    for file in "$@"; do
        "$sator" check "$file" >"${file%.yaml}.expect" 2>&1
    done
fi
"$sator" check "$@" >"$got" 2>&1
code=$?
if [ $code != 1 ]; then
    echo "exit code $code, not 1"
    failed=1
fi
for file in "$@"; do
    cat "${file%.yaml}.expect" || echo "$file: nothing is expected of it"
done 2>&1 | diff -u - "$got" || failed=1
for expect in *.expect; do
    if [ ! -f "${expect%.expect}.yaml" ]; then
        echo "$expect: no file is there to be refused"
        failed=1
    fi
done
if [ $# -lt 60 ]; then
    echo "only $# files were found"
    failed=1
fi
exit $failed

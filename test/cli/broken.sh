#!/bin/sh
# Every file of test/broken is refused with exactly the messages of the .expect beside it. With SATOR_BLESS=1 the
# .expect files are written instead; read the difference before you commit it.
sator=$1
cd "$2/test/broken" || exit 2
got=$(mktemp) || exit 2
trap 'rm -f "$got"' EXIT
failed=0
files=0
for file in *.yaml; do
    expect=${file%.yaml}.expect
    "$sator" check "$file" >"$got" 2>&1
    code=$?
    files=$((files + 1))
    if [ $code != 1 ]; then
        echo "$file: exit code $code, not 1"
        failed=1
    fi
    [ -n "$SATOR_BLESS" ] && cp "$got" "$expect"
    diff -u "$expect" "$got" || failed=1
done
for expect in *.expect; do
    if [ ! -f "${expect%.expect}.yaml" ]; then
        echo "$expect: no file is there to be refused"
        failed=1
    fi
done
if [ $files -lt 60 ]; then
    echo "only $files files were found"
    failed=1
fi
exit $failed

#!/bin/sh
# Every broken C file and file of another tool gives exactly the messages beside it, and exit code 1.
# With BLESS=1 the messages are written instead; the difference is to be reviewed.
sator=$1
status=0
number=0
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
for folder in "$2"/test/broken/*/; do
    cd "$folder" || exit 2
    for file in *; do
        case $file in *.expect) continue ;; esac
        "$sator" check "$file" >"$work/out" 2>"$work/messages"
        code=$?
        if grep -q 'cannot read C files\|needs libclang' "$work/messages"; then
            echo "SKIP: libclang, for $folder"
            break
        fi
        [ -n "$BLESS" ] && cp "$work/messages" "$file.expect"
        if [ $code -ne 1 ] || [ -s "$work/out" ]; then
            echo "$folder/$file: exit code $code, expected 1 and no output"
            cat "$work/out"
            status=1
        fi
        if ! diff "$file.expect" "$work/messages" >"$work/diff"; then
            echo "$folder/$file: other messages than expected"
            cat "$work/diff"
            status=1
        fi
        number=$((number + 1))
    done
done
echo "$number files"
[ "$number" -ge 20 ] || status=1
exit $status

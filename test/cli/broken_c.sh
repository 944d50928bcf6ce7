#!/bin/sh
# Every broken C file and file of another tool gives exactly the messages beside it. A folder's are checked by one start
# of the program, as files of one command: exit code 1, and nothing that is fine.
# With BLESS=1 the messages are written instead, file by file; the difference is to be reviewed.
sator=$1
status=0
number=0
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
for folder in "$2"/test/broken/*/; do
    cd "$folder" || exit 2
    set --
    : >"$work/expected"
    for file in *; do
        case $file in *.expect) continue ;; esac
        [ -z "$BLESS" ] || "$sator" check "$file" 2>"$file.expect"
        cat "$file.expect" >>"$work/expected" || status=1
        set -- "$@" "$file"
    done
    "$sator" check "$@" >"$work/out" 2>"$work/messages"
    code=$?
    if grep -q 'cannot read C files\|needs libclang' "$work/messages"; then
        echo "SKIP: libclang, for $folder"
        continue
    fi
    if [ $code -ne 1 ] || [ -s "$work/out" ]; then
        echo "$folder: exit code $code, expected 1 and no output"
        cat "$work/out"
        status=1
    fi
    if ! diff "$work/expected" "$work/messages"; then
        echo "$folder: other messages than expected"
        status=1
    fi
    number=$((number + $#))
done
echo "$number files"
[ "$number" -ge 20 ] || status=1
exit $status

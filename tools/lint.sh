#!/bin/sh
# What the formatter and clang-tidy (.clang-tidy) have to say: nothing. Takes minutes; a file's name checks it alone.
set -e
jobs=${1:-2}
[ $# -gt 0 ] && shift
files=${*:-$(git ls-files 'src/*.c' 'bench/*.c')}
clang-format --dry-run --Werror $(git ls-files '*.c' '*.h' ':!test/c' ':!test/broken')
echo "$files" | tr ' ' '\n' | xargs -P "$jobs" -n 1 clang-tidy -p build --quiet

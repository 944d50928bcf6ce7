#!/bin/sh
# Every header compiles alone, in C; the public ones also in C++.
cd "$1" || exit 2
status=0
for header in $(find src include -name '*.h' ! -path 'src/frontend/c/*'); do
    ${CC:-cc} -std=gnu17 -fsyntax-only -Wall -Wextra -Isrc -Iinclude -x c "$header" || status=1
done
if command -v c++ >/dev/null; then
    for header in include/sator/*.h; do
        c++ -std=c++17 -fsyntax-only -Wall -Wextra -Iinclude -x c++ "$header" || status=1
    done
else
    echo "SKIP: no C++ compiler"
fi
exit $status

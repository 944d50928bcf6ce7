#!/bin/sh
# Every exported function is guarded (src/base/memory.h), or is one of test/package/unguarded.txt, which allocate nothing
# or hand on to one that is guarded: an allocation that fails has a call to leave.
cd "$1" || exit 2
unguarded=$(find src -name '*.c' ! -path 'src/cli/*' ! -path 'src/explore/mpi/*' -exec awk '
    BEGIN { while ((getline line < "test/package/exports.txt") > 0) exported[line] = 1 }
    /^[A-Za-z_].*[( *](sator_[a-z_0-9]*)\(/ && !/;$/ {
        name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name)
        if (name in exported) { inside = name; guarded = 0 }
    }
    /(SATOR|BUILDER)_CALL\(/ { guarded = 1 }
    /^}/ { if (inside != "" && !guarded) print inside; inside = "" }
    ' {} + | LC_ALL=C sort)
listed=$(sed 's/:.*//' test/package/unguarded.txt)
[ "$listed" = "$unguarded" ] && exit 0
printf '%s\n' "$listed" "$unguarded" | LC_ALL=C sort | uniq -u
echo "these begin without SATOR_CALL and are not listed, or are listed and guarded, or are no exported functions"
exit 1

#!/bin/sh
# Fail when a source file includes a header of a folder that src/LAYERS does not allow, or when files include each other
# in a circle, x.c and x.h taken as one.
cd "$1" || exit 2
find src -name '*.[ch]' | sort | xargs awk '
    BEGIN {
        while ((getline line < "src/LAYERS") > 0)
            if (line !~ /^#/ && split(line, part, ":") == 2)
                allowed[part[1]] = " " part[1] " " part[2] " "
    }
    /^#include "/ {
        split(FILENAME, path, "/"); parts = split($2, target, "/"); gsub(/"/, "", target[1])
        if (index(allowed[path[2]], " " target[1] " ") == 0) {
            printf "%s:%d: %s may not include %s\n", FILENAME, FNR, path[2], $2
            bad = 1
        }
        inside = path[2] "/" path[3]
        if (parts == 3 && path[2] == target[1] && inside in allowed && index(allowed[inside], " " target[1] "/" target[2] " ") == 0) {
            printf "%s:%d: %s may not include %s\n", FILENAME, FNR, inside, $2
            bad = 1
        }
    }
    END { exit bad }' || exit 1
circles=$(find src -name '*.[ch]' | sort | xargs awk '
    function unit(path) { sub(/\.[ch]$/, "", path); return path }
    /^#include "/ {
        split($0, part, "\"")
        from = unit(FILENAME); to = unit("src/" part[2])
        if (from != to && (getline line < ("src/" part[2])) >= 0) {
            close("src/" part[2])
            print from, to
        }
    }' | tsort 2>&1 >/dev/null)
if [ -n "$circles" ]; then
    echo "files that include each other in a circle:"
    echo "$circles"
    exit 1
fi

#!/bin/sh
# No line of the documentation is longer than 120 columns, but for rows of tables, which cannot be broken, and what stands
# between fences: what a program reads and prints is as wide as it is.
cd "$1" || exit 2
find . -name '*.md' ! -path './build/*' ! -path '*/node_modules/*' -exec awk '
    FNR == 1 { fenced = 0 }
    /^ *```/ { fenced = !fenced }
    !fenced && !/^ *\|/ { print FILENAME ":" FNR ": " $0 }' {} + |
    LC_ALL=C.UTF-8 grep -E '^[^ ]*: .{121,}$'
[ $? = 1 ]

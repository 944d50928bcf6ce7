#!/bin/sh
# The C program of README.md compiles (the build made it), prints what README.md says, and is what README.md shows.
. "$2/test/cli/harness"
"$(dirname "$1")/examples/extents" >printed || echo "examples/extents fails"
awk '/^## From C$/ { section = 1; next } /^## / { section = 0 }
    section && /^```c$/ { out = "code"; next } section && /^```$/ { out = out == "" ? "output" : ""; next }
    section && out != "" { print >out }' "$SOURCE/README.md"
diff -u output printed
# The code is a passage of the program, line for line.
awk 'NR == FNR { code = code $0 "\n"; next } { file = file $0 "\n" }
    END { print(index(file, code) > 0 ? "shown as it is" : "README.md shows other code than examples/extents.c") }' \
    code "$SOURCE/examples/extents.c"
wc -l <code | tr -d ' '

#!/bin/sh
# The words of a window of stamps are those that the counting engine says of all stamps up to its last, less those before
# its first: for every dataflow of the library, on a machine that takes it (test/tool/windows.py).
exec python3 "$2/test/tool/windows.py" "$1"

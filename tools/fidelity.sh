#!/bin/sh
# The model beside published measurements, row by row (doc/fidelity.md); without a table all of them, and their means go to build/fidelity.json.
# usage: tools/fidelity.sh [--json FILE] [TABLE [FILE.csv]]      with SATOR=PROGRAM if it is not build/sator
root=$(cd "$(dirname "$0")/.." && pwd)
PYTHONDONTWRITEBYTECODE=1 exec python3 "$root/tools/fidelity" "$@"

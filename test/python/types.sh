#!/bin/sh
# The annotations hold, by the strict rules, and those of the stub are the extension's own functions.
# usage: types.sh SOURCE PYTHON
cd "$1/python" || exit 2
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
unset LD_PRELOAD
mypy=""
for candidate in "$2 -m mypy" mypy; do
    $candidate --version >/dev/null 2>&1 && mypy=$candidate && break
done
[ -n "$mypy" ] || { echo "SKIP: no mypy"; exit 77; }
$mypy --strict --config-file ../pyproject.toml --cache-dir "$work" sator

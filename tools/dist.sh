#!/bin/sh
# The sources of the last commit as build/sator-VERSION.tar.gz, the same bytes each time.
set -e
cd "$(dirname "$0")/.."
version=$(sed -n 's/^project(sator VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
git rev-parse HEAD >/dev/null 2>&1 || { echo "make dist needs the repository: these are its sources already" >&2; exit 1; }
[ -z "$(git status --porcelain)" ] || echo "what is not committed is not in the archive" >&2
mkdir -p build
git archive --prefix="sator-$version/" HEAD | gzip -n >"build/sator-$version.tar.gz"
echo "build/sator-$version.tar.gz"

#!/bin/sh
# Debian packages of the sources that make dist wrote, built outside of this folder; then in build/.
#   tools/deb.sh [JOBS [CMAKE OPTION...]]
set -e
cd "$(dirname "$0")/.."
jobs=${1:-2}
[ $# = 0 ] || shift
version=$(sed -n 's/^project(sator VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -xzf "build/sator-$version.tar.gz" -C "$work"
cmake -S "$work/sator-$version" -B "$work/build" -DCMAKE_BUILD_TYPE=Release -DSATOR_TESTS=OFF -DSATOR_PYTHON=OFF \
    -DCMAKE_INSTALL_PREFIX=/usr "$@" >"$work/log" || { cat "$work/log"; exit 1; }
cmake --build "$work/build" -j"$jobs" --target sator sator_shared sator_static >"$work/log" || { cat "$work/log"; exit 1; }
(cd "$work/build" && cpack -G DEB >"$work/log") || { cat "$work/log"; exit 1; }
cp "$work"/build/*.deb build/
(cd build && ls -- *.deb | sed 's|^|build/|')

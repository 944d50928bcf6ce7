#!/bin/sh
# Install the Debian packages that the build needs and the machine lacks; with --check only name them, with --tests also
# those that only `make check` needs (without them those parts are skipped).
# Optional for the program: libopenmpi-dev, for sator explore under mpirun (doc/scaling.md).
packages="gcc make cmake pkg-config libisl-dev libyaml-dev libcjson-dev libsqlite3-dev libclang-dev libcmocka-dev"
if [ "$1" = --tests ]; then
    packages="$packages python3-onnx python3-yaml libonnx-testdata" # what tests compare with
    packages="$packages clang-format clang-tidy" # make lint
    packages="$packages libopenmpi-dev openmpi-bin sqlite3 valgrind man-db groff dpkg-dev fakeroot"
    packages="$packages g++ python3-dev python3-pip python3-numpy python3-pandas python3-matplotlib"
    packages="$packages python3-nbconvert python3-ipykernel mypy"
fi
missing=""
for package in $packages; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
if [ "$1" = --tests ]; then # for the page of sator report; Node may come from elsewhere
    for command in chromium node npm; do
        package=$(echo "$command" | sed 's/^node$/nodejs/')
        command -v "$command" >/dev/null || missing="$missing $package"
    done
fi
[ -z "$missing" ] && exit 0
if [ "$1" = --check ]; then
    echo "missing packages:$missing" >&2
    echo "install them with: apt-get install$missing   (or run 'make demo')" >&2
    exit 1
fi
echo "installing:$missing"
run=""
[ "$(id -u)" = 0 ] || run=sudo
export DEBIAN_FRONTEND=noninteractive
$run apt-get update -qq && $run apt-get install -y -qq --no-install-recommends $missing >/dev/null

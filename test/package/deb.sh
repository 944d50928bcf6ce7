#!/bin/sh
# The archive of sources builds by itself, the Debian packages made of it install into a clean root, and what is there
# runs: the program, its manual pages, its library entries, a C program that is compiled against what was installed.
# usage: deb.sh SOURCE
SOURCE=$1
for tool in git dpkg-deb dpkg-shlibdeps man; do
    command -v "$tool" >/dev/null || { echo "SKIP: no $tool"; exit 77; }
done
git -C "$SOURCE" rev-parse HEAD >/dev/null 2>&1 || { echo "SKIP: not a repository"; exit 77; }
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
fail() {
    echo "$*"
    exit 1
}
version=$(sed -n 's/^project(sator VERSION \([0-9.]*\).*/\1/p' "$SOURCE/CMakeLists.txt")

# A copy of the repository: the test leaves nothing in the user's build folder.
git clone -q --local "$SOURCE" "$work/clone" || fail "git clone"
(cd "$work/clone" && tools/dist.sh) >"$work/out" || fail "make dist: $(cat "$work/out")"
tar -tzf "$work/clone/build/sator-$version.tar.gz" | sed "s|^sator-$version/||" | grep -v '/$' | grep . | sort >"$work/in"
git -C "$work/clone" ls-files | sort | diff - "$work/in" || fail "the archive holds other files than the repository"
# Where the source folder holds what the archive holds and no more, its build is the archive's, which "make" has made.
if [ -f "$SOURCE/build/CPackConfig.cmake" ] &&
    [ "$(git -C "$SOURCE" status --porcelain --ignored | grep -v ' build/$')" = "" ]; then
    packages=$work/packages
    cpack -G DEB --config "$SOURCE/build/CPackConfig.cmake" -B "$packages" >"$work/out" 2>&1 || fail "cpack: $(cat "$work/out")"
else # optimisation is not what is tested
    packages=$work/clone/build
    (cd "$work/clone" && tools/deb.sh 2 -DCMAKE_BUILD_TYPE=Debug -DSATOR_MPI=OFF) >"$work/out" 2>&1 ||
        fail "make deb: $(cat "$work/out")"
fi

root=$work/root
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" && : >"$root/var/lib/dpkg/status"
for package in "$packages"/*.deb; do
    dpkg-deb --info "$package" >"$work/info" || fail "$package is no package"
    grep -q "Version: $version" "$work/info" || fail "$package has another version"
    dpkg-deb --extract "$package" "$root" || fail "$package does not unpack"
done
dpkg-deb --field "$packages"/sator_*.deb Depends | grep -q libisl || fail "sator does not depend on what it links"
library=$(dirname "$(find "$root/usr/lib" -name "libsator.so.$version")")
export LD_LIBRARY_PATH="$library" LC_ALL=C
program=$root/usr/bin/sator
[ "$("$program" --version)" = "sator $version" ] || fail "another version: $("$program" --version)"
"$program" analyze gemm:i=64,j=64,k=64 -a systolic-2d-8x8 -d gemm/ij-p_j-ijk-t >"$work/out" || fail "analyze fails"
# 64 tiles of 8 x 8 outputs, each 64 values of k and 14 stamps of skew, tiles overlapping by none
grep -q '262,144\|262144' "$work/out" || fail "analyze does not say 64 x 64 x 64 instances: $(cat "$work/out")"
for command in "" $("$program" --man | sed -n 's/^\.BR sator\\-\([a-z]*\) (1)$/-\1/p'); do
    page=$root/usr/share/man/man1/sator$command.1
    [ -f "$page" ] || [ -f "$page.gz" ] || fail "no manual page sator$command"
    MANWIDTH=80 man --warnings -l "$page"* 2>"$work/warnings" >/dev/null
    [ -s "$work/warnings" ] && fail "sator$command.1: $(cat "$work/warnings")"
done
cc -std=gnu17 -I"$root/usr/include" "$SOURCE/examples/extents.c" -L"$library" -lsator -o "$work/extents" || fail "extents.c"
[ "$("$work/extents" | wc -l)" -eq 4 ] || fail "extents does not print four lines"

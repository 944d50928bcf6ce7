#!/bin/sh
# What `make install` leaves behind is enough to compile, link and run the examples: by pkg-config and by find_package,
# against the shared and the static library, in C and in C++.
# usage: install.sh SOURCE BUILD FLAGS
SOURCE=$1
BUILD=$2
FLAGS=$3
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
export LC_ALL=C
version=$(sed -n 's/^project(sator VERSION \([0-9.]*\).*/\1/p' "$SOURCE/CMakeLists.txt")
cmake --install "$BUILD" --prefix "$work/usr" >install.log 2>&1 || { cat install.log; exit 1; }
PKG_CONFIG_PATH=$(dirname "$(find "$work/usr" -name sator.pc)")
LD_LIBRARY_PATH=$(dirname "$(find "$work/usr" -name libsator.so)")
export PKG_CONFIG_PATH LD_LIBRARY_PATH
fail() {
    echo "$*"
    exit 1
}
readelf -d "$LD_LIBRARY_PATH/libsator.so" | grep -q "SONAME.*\[libsator\.so\.${version%.*}\]" || fail "the soname is another"
[ "$(pkg-config --modversion sator)" = "$version" ] || fail "pkg-config has another version"

# Scheduled: 524,288 cycles of reads at 128 bits each, and what of filling and draining they do not hide, as "sator
# simulate" carries it out.
cat >expect-built <<'END'
537600 cycles, bound by scratchpad reads
A: 2097152 words, reuse factor 8
B: 2097152 words, reuse factor 8
Y: 65536 words, reuse factor 256
END
# threads.c: of 400, 800, 1200 and 1600 cubed on 8 x 8 PEs, (n/8)^2 tiles of n + 14 stamps, the last tile's end after all
# others overlap by none; words: A and B n^3/8 each, Y n^2.
cat >expect-threads <<'END'
400 x 400 x 400: 16160000 words
800 x 800 x 800: 128640000 words
1200 x 1200 x 1200: 433440000 words
1600 x 1600 x 1600: 1026560000 words
END
run() { # EXAMPLE PROGRAM
    "$2" >out || fail "$2 fails"
    case $1 in
    built) diff -u expect-built out || fail "$2" ;;
    threads) sed 's/ [0-9]* cycles,//' out | diff -u expect-threads - || fail "$2" ;;
    extents) [ "$(wc -l <out)" -eq 4 ] || fail "$2" ;;
    esac
}
compile() { # HOW EXAMPLE COMPILER FLAGS...
    how=$1 example=$2 compiler=$3 source=$4
    shift 4
    # shellcheck disable=SC2086
    $compiler -Wall -Wextra -Werror $FLAGS -o "$example-$how" "$SOURCE/examples/$source" "$@" || fail "$how $source"
    run "$example" "./$example-$how"
}
# shellcheck disable=SC2046
for example in extents threads; do
    compile shared $example "cc -std=gnu17" $example.c $(pkg-config --cflags --libs sator) -pthread
    compile static $example "cc -std=gnu17" $example.c $(pkg-config --cflags sator) "$LD_LIBRARY_PATH/libsator.a" \
        $(pkg-config --static --libs sator | sed 's/-lsator\b//') -pthread
done
# shellcheck disable=SC2046
if command -v c++ >/dev/null; then
    compile shared built "c++ -std=c++17" built.cpp $(pkg-config --cflags --libs sator)
else
    echo "SKIP: no C++ compiler"
fi
# Counts without 128-bit integers.
cat >plain.c <<'END'
#define SATOR_PLAIN_INT
#include <sator/analyze.h>
#include <stdio.h>
#include <string.h>
int main(void)
{
    sator_int value = {.low = 1, .high = 1};
    char text[48];
    int64_t small;
    printf("%s %d\n", sator_int_text(&value, 0, text), sator_int_get(&value, &small));
    printf("%s %d\n", sator_version(), strcmp(sator_version(), SATOR_VERSION));
    return sizeof(struct sator_tensor_result) == 0;
}
END
# shellcheck disable=SC2046,SC2086
cc -Wall -Wextra -Werror $FLAGS plain.c -o plain $(pkg-config --cflags --libs sator) || fail plain.c
[ "$(./plain | tr '\n' ' ')" = "18446744073709551617 0 $version 0 " ] || fail "plain.c: $(./plain)"

mkdir cmake && cat >cmake/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.20)
project(user C)
find_package(sator 0.2 REQUIRED)
foreach(kind sator static)
  add_executable(extents_\${kind} $SOURCE/examples/extents.c)
  target_link_libraries(extents_\${kind} PRIVATE sator::\${kind})
endforeach()
END
cmake -S cmake -B cmake/build -DCMAKE_PREFIX_PATH="$work/usr" -DCMAKE_C_FLAGS="$FLAGS" >cmake.log 2>&1 &&
    cmake --build cmake/build >>cmake.log 2>&1 || { cat cmake.log; fail "find_package"; }
run extents cmake/build/extents_sator
run extents cmake/build/extents_static
echo "installed, compiled and run"

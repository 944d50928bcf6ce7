#!/usr/bin/env bash
# Makes one small change at a time in C files (a comparison, a sign, a term), builds, runs tests, and says which changes no test noticed.
#
#     tools/mutants.sh [-n COUNT] [-s SEED] [-b FOLDER] [-g TARGETS] [-l SECONDS] -t TEST [-t TEST ...] FILE[:FROM-TO] ...
#
#   -n COUNT     so many changes of all that there are, drawn with the seed (all)
#   -s SEED      of the draw (1)
#   -b FOLDER    where the tree is copied to and built (build/mutants); what is built there is used again
#   -g TARGETS   what to build ("sator")
#   -l SECONDS   a test that takes longer has failed (120)
#   -t TEST      a shell command, run in the copied tree with $BUILD; the first that fails has noticed the change
#
# All tests have to pass without a change. Prints a line a change: killed (by which test), survived or unbuilt; then how many. Exit 3 when any survived.
# The tree itself is not touched.
set -u
count=0 seed=1 folder= targets=sator limit=120 tests=()
while getopts n:s:b:g:l:t: option; do
    case $option in
    n) count=$OPTARG ;;
    s) seed=$OPTARG ;;
    b) folder=$OPTARG ;;
    g) targets=$OPTARG ;;
    l) limit=$OPTARG ;;
    t) tests+=("$OPTARG") ;;
    *) sed -n '4,14s/^# \{0,1\}//p' "$0"; exit 2 ;;
    esac
done
shift $((OPTIND - 1))
if [ $# = 0 ] || [ ${#tests[@]} = 0 ]; then
    sed -n '4,14s/^# \{0,1\}//p' "$0"
    exit 2
fi
top=$(cd "$(dirname "$0")/.." && pwd) || exit 1
folder=${folder:-$top/build/mutants}
tree=$folder
export BUILD=$folder/build
mkdir -p "$tree" "$BUILD" || exit 1
(cd "$top" && git ls-files -z | tar -c --null -T - -f -) | tar -x -C "$tree" -f - || exit 1
original=$BUILD/original # of what is changed: the tree may go on changing
for file in "$@"; do
    mkdir -p "$original/$(dirname "${file%%:*}")" && cp "$tree/${file%%:*}" "$original/${file%%:*}" || exit 1
done

# FILE:LINE:COLUMN:OLD:NEW of every change; texts and comments are passed over
sites() {
    local file range
    for file in "$@"; do
        range=${file#*:}
        [ "$range" = "$file" ] && range=1-999999
        awk -v file="${file%%:*}" -v from="${range%-*}" -v to="${range#*-}" '
            BEGIN {
                list = " < : <= ; <= : < ; > : >= ; >= : > ; == : != ; != : == ; && : || ; || : && ; + : - ; - : + ; * : + ; / : * ;"
                n = split(list " += : -= ; -= : += ;fmin(:fmax(;fmax(:fmin(;return false:return true;return true:return false", item, ";")
                for (k = 1; k <= n; k++) {
                    split(item[k], side, ":")
                    old[k] = side[1]
                    new[k] = side[2]
                }
            }
            { # comments and texts become blanks of the same length
                line = $0; code = ""
                for (i = 1; i <= length(line); i++) {
                    c = substr(line, i, 1); two = substr(line, i, 2)
                    if (in_comment) { if (two == "*/") { in_comment = 0; code = code " "; i++ } c = "\002" }
                    else if (two == "/*") { in_comment = 1; c = "\002" }
                    else if (two == "//") { break }
                    else if (in_text) { if (c == "\\") { code = code "\002"; i++ } else if (c == "\"") in_text = 0; c = "\002" }
                    else if (c == "\"") { in_text = 1; c = "\002" }
                    code = code c
                }
            }
            FNR < from || FNR > to || /^#/ { next }
            {
                for (k = 1; k <= n; k++) {
                    for (at = 1; (found = index(substr(code, at), old[k])) > 0; at += found)
                        print file ":" FNR ":" at + found - 1 ":" old[k] ":" new[k]
                }
            }' "$original/${file%%:*}"
    done
}

change() { # change SITE: make it in the tree
    awk -v site="$1" 'BEGIN { split(site, part, ":") }
        FNR == part[2] { print substr($0, 1, part[3] - 1) part[5] substr($0, part[3] + length(part[4])); next } { print }' \
        "$original/${1%%:*}" >"$tree/${1%%:*}"
}

build() {
    # shellcheck disable=SC2086
    cmake --build "$BUILD" --target $targets >"$BUILD/log" 2>&1
}

noticed() { # the first test that fails, by its number; else 0
    local i
    for i in "${!tests[@]}"; do
        if ! (cd "$tree" && timeout "$limit" sh -c "${tests[$i]}") >"$BUILD/out" 2>&1; then
            echo $((i + 1))
            return
        fi
    done
    echo 0
}

cmake -S "$tree" -B "$BUILD" >"$BUILD/log" 2>&1 || exit 1
build || { tail -20 "$BUILD/log"; exit 1; }
first=$(noticed)
[ "$first" = 0 ] || { echo "test $first fails without a change:"; tail -20 "$BUILD/out"; exit 1; }

killed=0 survived=0 unbuilt=0
mapfile -t list < <(sites "$@" | awk -v seed="$seed" 'BEGIN { srand(seed) } { print rand() "\t" $0 }' | sort -g | cut -f2- |
    if [ "$count" -gt 0 ]; then head -n "$count"; else cat; fi | sort -t: -k1,1 -k2,2n)
for site in "${list[@]}"; do
    change "$site"
    if ! build; then
        verdict=unbuilt unbuilt=$((unbuilt + 1))
    else
        by=$(noticed)
        if [ "$by" = 0 ]; then
            verdict=SURVIVED survived=$((survived + 1))
        else
            verdict="killed by $by" killed=$((killed + 1))
        fi
    fi
    IFS=: read -r file line column old new <<<"$site"
    printf '%-44s %-10s -> %-10s %s\n' "$file:$line:$column" "'$old'" "'$new'" "$verdict"
    cp "$original/$file" "$tree/$file"
done
echo "${#list[@]} changes: $killed killed, $survived survived, $unbuilt not built"
[ "$survived" = 0 ] || exit 3

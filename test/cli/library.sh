#!/bin/sh
# Every entry that is listed can be shown, and its file is right.
. "$2/test/cli/harness"
for kind in workloads networks archs dataflows; do
    sator list $kind --csv | tail -n +2 | cut -d, -f2 | sort >names
    [ -s names ] || echo "no $kind"
    (cd "$SOURCE/library/$kind" && find . -name '*.yaml' | sed 's|^\./||; s|\.yaml$||' | sort) | cmp - names
    while read -r name; do
        sator show "$name" >shown || echo "cannot show $name"
        grep -q '^name:' shown || echo "$name has no name"
    done <names
    find "$SOURCE/library/$kind" -name '*.yaml' -exec "$SATOR" check -q {} +
done
sator list --json | grep -c '"workloads"'
sator list energies | grep -c '45nm  '
sator help | cmp - "$(sator --help >help; echo help)" && sator help map | head -1
sator help mapp 2>&1 | head -1

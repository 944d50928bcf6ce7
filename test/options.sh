#!/bin/sh
# Options that the program's messages, the documentation and the examples speak of are rows of src/cli/options.def, which
# has every name once. Other programs' options, and those of this project's own tools, are listed here.
cd "$1" || exit 2
others='all anytime array build case certificates cflags config-settings corners cpus-per-task evaluations job-name library library-scheduled libs name prefix preset requeue scheduled skewed static target test-dir'
awk -v others="$others" '
    function check(line,    name) {
        while (match(line, /(^|[^A-Za-z0-9_<!-])--[a-z][a-z-]*[a-z]/)) {
            name = substr(line, RSTART, RLENGTH)
            sub(/^[^-]*--/, "", name)
            if (!(name in known)) {
                printf "%s:%d: there is no option --%s\n", FILENAME, FNR, name
                bad = 1
            }
            line = substr(line, RSTART + RLENGTH)
        }
    }
    BEGIN {
        n = split(others, part, " ")
        for (i = 1; i <= n; i++)
            known[part[i]] = 1
        while ((getline line < "src/cli/options.def") > 0)
            if (split(line, part, ",") > 2 && line ~ /^OPTION\(/) {
                gsub(/[ "]/, "", part[3])
                if (part[3] in own) {
                    printf "src/cli/options.def: --%s twice\n", part[3]
                    bad = 1
                }
                own[part[3]] = known[part[3]] = 1
            }
    }
    FILENAME ~ /\.[ch]$/ && !/"/ { next } # decrements
    { check($0) }
    END { exit bad }' $(find README.md CONTRIBUTING.md doc examples library python src -name '*.md' -o -name '*.[ch]' -o -name '*.def' \
    -o -name '*.py' -o -name '*.yaml' | grep -v -e '^build' -e '/node_modules/')

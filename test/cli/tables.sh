#!/bin/sh
# Parser, help, manual page and completion come from the same tables: every option is in all of them.
. "$2/test/cli/harness"
sator --man >man
sator --completion bash >completion
bash -n completion || echo "the completion is no bash"
for command in $(sed -n 's/^COMMAND(\([a-z]*\),.*/\1/p' "$SOURCE/src/cli/commands.def"); do
    sator "$command" --help >help.$command || echo "no help for $command"
    sator --help | grep -q "^  $command " || echo "$command is not in the help"
    grep -q "^\.BR sator.-$command (1)\$" man || echo "$command is not in the manual page"
    sator "$command" --man >man.$command || echo "no manual page for $command"
    grep -q "^    $command) words=" completion || echo "$command is not in the completion"
done
n=0
for option in $(sed -n 's/^OPTION([A-Z]*, [a-z_]*, "\([a-z-]*\)",.*, "[^"]\{1,\}",$/\1/p' "$SOURCE/src/cli/options.def"); do
    cat help.* | grep -q -e "--$option" || echo "--$option is in no help"
    cat man.* | tr -d '\\\\' | grep -q "fB--${option}fR" || echo "--$option is in no manual page"
    grep -q -e "--$option " completion || echo "--$option is not in the completion"
    n=$((n + 1))
done
[ $n -gt 20 ] || echo "only $n options found"
grep -c 'e\.g\.' help.list

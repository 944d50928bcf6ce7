#!/bin/sh
# report_bundle.sh SOURCE BUILD: report/bundle/page.html is what report/src makes. Skipped without Node.
set -eu
source=$1
set -- "$2"
. "$source/test/report_modules"
node "$modules/build.mjs" --check

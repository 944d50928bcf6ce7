#!/bin/sh
# report_browser.sh SATOR SOURCE BUILD: reports in headless Chromium (report/test/report.mjs). Skipped without Chromium.
set -eu
source=$2
found=
for path in ${CHROMIUM:-} /usr/bin/chromium /usr/bin/chromium-browser /usr/bin/google-chrome; do
    [ -n "$found" ] || [ ! -x "$path" ] || found=$path
done
if [ -z "$found" ]; then
    echo "SKIP: Chromium is not installed (tools/install-deps.sh --tests)"
    exit 77
fi
sator=$1 build=$3
set -- "$build"
. "$source/test/report_modules"
exec node "$modules/test/report.mjs" "$sator" "$build/report_browser"

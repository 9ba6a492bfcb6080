#!/bin/sh
# report.sh RESULTS [PAGE] - writes doc/performance.md and the picture of growth from the JSON lines of collect.sh.
set -eu
results=${1:?usage: report.sh RESULTS [PAGE]}
here=$(dirname "$0")
page=${2-$here/../doc/performance.md}
python3 "$here/report.py" page "$results" "$(dirname "$page")/pictures/growth.svg" >"$page.part"
mv "$page.part" "$page"

#!/bin/sh
# report.sh RESULTS [DOC] - writes doc/performance.md, the pages of doc/measurements and the picture of growth from the JSON
# lines of collect.sh.
set -eu
results=${1:?usage: report.sh RESULTS [DOC]}
here=$(dirname "$0")
python3 "$here/report.py" pages "$results" "${2-$here/../doc}"

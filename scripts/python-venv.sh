#!/usr/bin/env bash
# python-venv.sh FOLDER [LIST] - a virtual environment of Python in FOLDER with the packages of LIST, from the package index, or of
# python/requirements.txt: what the tests of the Python package, its pages and its wheel need.  It is made once for each state of
# that list; whoever comes while another makes it waits.
#
# Prints nothing when it is there.  Where it cannot be, prints the reason on standard error, in one line, and ends with 77, which
# is a skip to its callers; pip's own words are in FOLDER.log.  A folder that holds some packages only is never used.
set -u
folder=${1:?usage: python-venv.sh FOLDER [LIST]}
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
list=${2:-$top/python/requirements.txt}

skip() {
	echo "$1" >&2
	exit 77
}

python=$(command -v python3) || skip 'python3 is missing'
mkdir -p "$(dirname "$folder")" || exit 1
exec 9>"$folder.lock" || exit 1
flock 9 || exit 1
wanted=$("$python" -c 'import sys; print(sys.executable, sys.version)' && cksum <"$list") || exit 1
[[ ! -f $folder/.made || $(<"$folder/.made") != "$wanted" ]] || exit 0

# What was not to be had a moment ago is not asked for again by each test of one run.
if [[ -f $folder.refused && -n $(find "$folder.refused" -mmin -60) && $(tail -n +2 "$folder.refused") == "$wanted" ]]; then
	skip "$(head -n 1 "$folder.refused")"
fi
refuse() {
	printf '%s\n' "$1" "$wanted" >"$folder.refused"
	skip "$1"
}

rm -rf "$folder" "$folder.refused"
"$python" -m venv "$folder" >"$folder.log" 2>&1 ||
	refuse 'python3 makes no virtual environment (Debian: python3-venv)'
# Not compiled here: what is never imported needs no bytecode.
"$folder/bin/python" -m pip --disable-pip-version-check install --quiet --no-compile --prefer-binary --retries 1 -r "$list" >>"$folder.log" 2>&1 ||
	refuse "the packages of ${list#"$top"/} could not be had from the Python package index"
printf '%s\n' "$wanted" >"$folder/.made"

# lint.sh - sourced by the lints: the folders of source and build, and functions that print TAP.
# shellcheck shell=sh disable=SC2034
src=${CLPAC_TEST_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${CLPAC_TEST_BUILDDIR:-$src}
tap_n=0

# verdict STATUS NAME - one line of TAP; 0 is "ok".
verdict() {
	tap_n=$((tap_n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $tap_n - $2"; else echo "not ok $tap_n - $2"; fi
}

# skip REASON - end a lint that cannot run here, before its first verdict.
skip() {
	echo "1..0 # SKIP $1"
	exit 0
}

# A filter that fails finds no fault, so that a lint would pass: each one is tried before.
tried=$(printf 'b\na\n' | sort | sed 's/a/c/' | grep -v b | tr c d | awk '{ print $1 "e" }' | cut -c1-2 | xargs echo | head -n 1 | uniq |
	tail -n 1 | tr -s d)
found=$(($(find "$src/tests/lint" -name lint.sh | wc -l)))
if [ "$tried" != de ] || [ $found -ne 1 ]; then
	echo 'a filter of this lint does not work (sort, sed, grep, tr, awk, cut, xargs, head, uniq, tail, find or wc)'
	exit 1
fi

# without_comments FILE... - the text with comments blanked, each line after "FILE:LINE:", so that a comment that
# explains a rule does not break it.
without_comments() {
	awk 'FNR == 1 { inside = 0 }
	{
		line = $0; out = ""
		while (line != "") {
			if (inside) {
				i = index(line, "*/")
				if (!i) { line = ""; break }
				line = substr(line, i + 2); inside = 0
			} else {
				i = index(line, "/*"); j = index(line, "//")
				if (j && (!i || j < i)) { out = out substr(line, 1, j - 1); line = "" }
				else if (i) { out = out substr(line, 1, i - 1) " "; line = substr(line, i + 2); inside = 1 }
				else { out = out line; line = "" }
			}
		}
		print FILENAME ":" FNR ":" out
	}' "$@"
}

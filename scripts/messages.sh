#!/usr/bin/env bash
# messages.sh BUILD [TEST...] - lists what the program says on standard error in the tests of tests/flow, or in these of them, in
# BUILD/messages.txt: one line for each message, with N for numbers and FILE for names of files, behind how often it was said.
# Where CLPAC_TEST_MESSAGES names a file, the tests have run, and said what stands there: check.sh does that.
#
# It is to be read as one text, whenever messages were added: one form, a remedy, no two words for one thing.  Internal names, of
# functions, members and enumerators, are looked for: the script ends with 1 where one was said.
set -euo pipefail
build=$(cd "${1:?usage: messages.sh BUILD [TEST...]}" && pwd)
shift
cd "$(dirname "${BASH_SOURCE[0]}")/.."
all=${CLPAC_TEST_MESSAGES-}
if [[ -z $all ]]; then
	(($#)) || set -- tests/flow/tool_*.test
	all=$(mktemp)
	trap 'rm -f "$all"' EXIT
	CLPAC_TEST_MESSAGES=$all make -C "$build" -s check-TESTS check_PROGRAMS= TESTS="$*" >/dev/null ||
		echo 'messages.sh: some tests failed' >&2
fi
[[ -s $all ]] || { echo 'messages.sh: the tests said nothing' >&2; exit 1; }
sed -E "s#/[^ ,:;']*/##g; s#[A-Za-z0-9_.-]+\.(edf|bdf|np[yz]|csv|json|tsv|dat|vhdr|vmrk|eeg|png|svg|ini|conf|txt|bin|raw|fif|set)\b#FILE#g
	s/[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?/N/g" "$all" | LC_ALL=C sort | uniq -c | sort -k 1,1nr -k 2 >"$build/messages.txt"
echo "$build/messages.txt: $(wc -l <"$build/messages.txt") messages, said $(wc -l <"$all") times"
if grep -E 'clpac__|CLPAC_[A-Z]+_[A-Z]+|(^|[ (])(n|edge|separate|joined|tied|min|is|has)_[a-z]+ |[a-z]\[[0-9N]+\] is' "$build/messages.txt" |
	grep -vE ' n_subjects has |is no key of a problem: |CLPAC_(OPENCL_LIBRARY|INSTRUCTION_SET|VECTOR_WIDTH|TEST_)'; then
	echo 'messages.sh: internal names stand in these' >&2
	exit 1
fi

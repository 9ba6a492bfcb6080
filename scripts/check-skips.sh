#!/usr/bin/env bash
# check-skips.sh BUILD [LIST] - judges what one of check.sh's builds skipped by LIST (skips.txt).  Standard input is what make, or a
# script of devices or vendors, printed.  Names every skip that no row allows, and every row marked "always" that none fits; the exit
# status is the number of both, at most 100.
set -u
build=${1:?usage: check-skips.sh BUILD [LIST]}
list=${2:-$(dirname "${BASH_SOURCE[0]}")/skips.txt}

# skips - "TEST|REASON" for each skipped test on standard input, in the words of automake's driver, of check-device.sh, of
# check-devices.sh and of vendors.py.
skips() {
	sed -nE \
		-e 's/^SKIP: (tests\/[^ ]+) [0-9]+ .*# SKIP ?(.*)$/\1|\2/p; t' \
		-e 's/^SKIP: (tests\/[^ ]+) - (.*)$/\1|\2/p; t' \
		-e 's/^SKIP: (tests\/[^ ]+)$/\1|/p; t' \
		-e 's/^SKIP: ([^:]+): (.*)$/\1|\2/p; t' \
		-e 's/^SKIP: (.*)$/\1|/p; t' \
		-e 's/^skipped +(tests\/[^ ]+) +(.*)$/\1|\2/p; t' \
		-e 's/^ok [0-9]+ - (.*) # SKIP (.*)$/\1|\2/p'
}

rows=() happened=() n_wrong=0
while IFS='|' read -r builds when test reason; do
	read -r builds <<<"$builds"
	[[ -n $builds && $builds != \#* && ,$builds, == *,$build,* ]] || continue
	read -r when <<<"$when" && read -r test <<<"$test" && read -r reason <<<"$reason"
	rows+=("$when|$test|$reason")
	happened+=(0)
done <"$list"

while IFS='|' read -r test reason; do
	is_allowed=0
	for i in "${!rows[@]}"; do
		IFS='|' read -r _ test_pattern reason_pattern <<<"${rows[i]}"
		# shellcheck disable=SC2053 # patterns, on purpose
		if [[ $test == $test_pattern && ${reason# } == $reason_pattern ]]; then
			is_allowed=1
			happened[i]=1
		fi
	done
	if ! ((is_allowed)); then
		n_wrong=$((n_wrong + 1))
		echo "$build: skipped, and not in skips.txt: $test: ${reason:-no reason}"
	fi
done < <(skips)

for i in "${!rows[@]}"; do
	if [[ ${rows[i]} == always\|* ]] && ! ((happened[i])); then
		n_wrong=$((n_wrong + 1))
		echo "$build: in skips.txt, and not skipped any more: ${rows[i]#always|}"
	fi
done
exit $((n_wrong < 100 ? n_wrong : 100))

#!/bin/sh
# tools.sh LINT... - shows that a lint whose tool fails does not pass: runs each lint once for every tool that its text names, with
# `false` in that tool's place.  `make check-tools` runs it on all lints.  A SKIP tells which tool it is; scripts/check.sh lets none
# pass that scripts/skips.txt does not name.
src=${CLPAC_TEST_SRCDIR:?run it by make}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
tap_n=0
printf '#!/bin/sh\nexit 1\n' >"$folder/false"
chmod +x "$folder/false"

# play LINT [TOOL] - runs the lint, without a tool where one is named; what it printed is in $folder/printed.
play() {
	rm -rf "${folder:?}/bin" && mkdir "$folder/bin" || exit 1
	(
		case ${2-} in
		'') ;;
		NM | CC | CXX | CLANG | SHELLCHECK | MAN | READELF) export "$2=$folder/false" ;;
		*) cp "$folder/false" "$folder/bin/$2" && PATH=$folder/bin:$PATH ;;
		esac
		sh "$src/tests/support/script.sh" "$src/$1"
	) >"$folder/printed" 2>&1
}

# has_passed - the lint that was played has verdicts, and none of a failure.
has_passed() {
	grep -q '^1\.\.[1-9]' "$folder/printed" && ! grep -q '^not ok' "$folder/printed" &&
		[ "$(sed -n 's/^1\.\.//p' "$folder/printed")" = "$(grep -c '^ok' "$folder/printed")" ]
}

for lint; do
	play "$lint"
	if ! has_passed; then
		tap_n=$((tap_n + 1))
		if grep -q '^1\.\.0 # SKIP' "$folder/printed"; then
			echo "ok $tap_n - $lint # SKIP $(sed -n 's/^1\.\.0 # SKIP //p' "$folder/printed")"
		else
			echo "not ok $tap_n - $lint passes with its tools"
		fi
		continue
	fi
	for tool in NM CC CXX CLANG SHELLCHECK MAN READELF appstreamcli awk cat clang-format-14 cmp comm cp cut diff expand find grep head ls mktemp python3 \
		sed sort tail tr uniq wc xargs; do
		grep -qw -e "$tool" "$src/$lint" "$src/tests/lint/lint.sh" || continue
		play "$lint" "$tool"
		tap_n=$((tap_n + 1))
		if has_passed; then
			sed 's/^/# /' "$folder/printed"
			printf 'not '
		fi
		echo "ok $tap_n - $lint does not pass where $tool fails"
	done
done
echo "1..$tap_n"

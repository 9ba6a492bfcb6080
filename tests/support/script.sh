#!/bin/sh
# script.sh TEST - run a test script for a driver that reads TAP.
#
# Output with a TAP plan ("1..N") is passed on as it is.  Otherwise the exit status is the verdict: 0 passed,
# 77 skipped with the last line of the output as the reason, anything else failed.
test -x "$1" || set -- sh "$@"
name=$(basename "$1" .test)
out=$("$@" 2>&1)
status=$?
if printf '%s\n' "$out" | grep -q '^1\.\.[0-9]'; then
	printf '%s\n' "$out"
	exit $status
fi
case $status in
77)
	printf '%s\n' "$out" | sed '$!s/^/# /; $s/^/1..0 # SKIP /' ;;
0)
	printf '%s\n' "$out" | sed 's/^/# /'
	printf '1..1\nok 1 - %s\n' "$name" ;;
*)
	printf '%s\n' "$out" | sed 's/^/# /'
	printf '1..1\nnot ok 1 - %s (exit status %d)\n' "$name" "$status" ;;
esac

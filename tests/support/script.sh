#!/bin/sh
# script.sh TEST - run a test script for a driver that reads TAP.
#
# A script prints a TAP plan: "1..N" after its verdicts, or "1..0 # SKIP reason" where it cannot run.  One that ends without its
# plan has failed, whatever its exit status is: something ended it before.
name=$(basename "$1" .test)
test -x "$1" || set -- sh "$@"
out=$("$@" 2>&1)
status=$?
if printf '%s\n' "$out" | grep -q '^1\.\.[0-9]'; then
	printf '%s\n' "$out"
	exit $status
fi
printf '%s\n' "$out" | sed 's/^/# /'
printf '1..1\nnot ok 1 - %s (ended without a plan, with exit status %d)\n' "$name" "$status"

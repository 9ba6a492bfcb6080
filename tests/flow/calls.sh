#!/bin/sh
# calls.sh [--sample] [SCRIPT...] - shows that scripts notice each call of the program that fails: runs each of them once for every
# call that it makes, with that call alone failing, and demands that the script fails.  A call fails in two ways: it ends with 70,
# or it does nothing and ends well.  `make check-calls` runs it.  Without a SCRIPT all are meant that call the program.
#
# With --sample each script is run twice: with one way for one of its first six calls and the other way for another, which depend
# on the script's name alone.  Scripts whose first calls take a minute or more are left out then.
#
# Scripts end at their first failure here (tool.sh).  Without --sample a script branches off at each of its calls (branches.sh), so
# that all of them take a few times as long as the script.  A call is tried in a run from the beginning where no branch notices it:
# one in a subshell, one beside others, one of a script without tool.sh, and one that really goes unnoticed.
src=${CLPAC_TEST_SRCDIR:?run it by make}
program=${CLPAC_TEST_PROGRAM:?run it by make}
folder=$(mktemp -d) || exit 1
trap 'chmod -R u+rwx "$folder"; rm -rf "$folder"' EXIT
sample=no
[ "${1-}" != --sample ] || { sample=yes; shift; }
tap_n=0
if [ $# -eq 0 ]; then
	for script in ${CLPAC_TEST_SCRIPTS?run it by make}; do
		case $sample,$script in
		yes,tests/flow/tool_recordings.test | yes,tests/flow/tool_first_run.test) ;;
		no,*/quickstart.test | no,*/readme.test | no,*/tutorial.test | *,tests/flow/tool_*.test) set -- "$@" "$script" ;;
		esac
	done
fi

# A stand-in for the program: it counts its calls, under a lock since several can be made at once.
cat >"$folder/clpac" <<END
#!/bin/sh
exec 9>>'$folder/lock'
flock 9
read -r n <'$folder/n'
n=\$((n + 1))
echo \$n >'$folder/n'
exec 9>&-
read -r failing way <'$folder/failing'
if [ \$n -eq \$failing ]; then
	echo "\$*" >'$folder/failed'
	exit \$way
fi
exec '$program' "\$@"
END
chmod +x "$folder/clpac"

# play SCRIPT CALL STATUS - runs the script with this call of the program ending with the status in place of doing something; no
# call has number 0.  What it printed is in $folder/printed.
play() {
	echo 0 >"$folder/n"
	echo "$2 $3" >"$folder/failing"
	rm -f "$folder/failed"
	CLPAC_TEST_PROGRAM=$folder/clpac CLPAC_TEST_END=failure sh "$src/tests/support/script.sh" "$src/$1" >"$folder/printed" 2>&1
}

# has_failed - the script that was played reported a failure: by a line or by not keeping its plan.
has_failed() {
	grep -Eq '^(not ok|Bail out!)' "$folder/printed"
}

# fails_with SCRIPT CALL STATUS - whether the script fails with it.
fails_with() {
	play "$@"
	has_failed && return
	echo "# $1: call $2 ended with $3 in place of: clpac $(cat "$folder/failed" 2>/dev/null || echo '(it was not made)')"
	return 1
}

# branch_off SCRIPT CONTROL - runs the script with the branches of all its calls, and at this one with a branch without a failing
# call.  Where that branch or the script fails, no branch tells anything, and their files are removed.
branch_off() {
	rm -rf "$folder/said"
	mkdir -p "$folder/said" "$folder/fork"
	echo "$2" >"$folder/control"
	${CC:-cc} -shared -fPIC -o "$folder/branches.so" "$src/tests/flow/branches.c" -ldl || return
	(
		CLPAC_TEST_BRANCHES=$folder CLPAC_TEST_FORK=$folder/fork LD_PRELOAD=$folder/branches.so
		export CLPAC_TEST_BRANCHES CLPAC_TEST_FORK LD_PRELOAD
		play "$1" 0 0
	)
	if has_failed || grep -Esq '^(not ok|Bail out!)' "$folder/said/control" || ! grep -sq '^1\.\.[0-9]' "$folder/said/control"; then
		sed 's/^/# with branches: /' "$folder/printed"
		sed 's/^/# control: /' "$folder/said/control" 2>&1
		rm -rf "$folder/said"
	fi
}

# is_noticed SCRIPT CALL STATUS - whether a branch, or the script by itself, fails with it.
is_noticed() {
	grep -Esq '^(not ok|Bail out!)' "$folder/said/$2.$3" && return
	n_alone=$((n_alone + 1))
	fails_with "$@"
}

# verdict STATUS NAME - one line of TAP.
verdict() {
	tap_n=$((tap_n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $tap_n - $2"; else echo "not ok $tap_n - $2"; fi
}

# sample SCRIPT CALL STATUS - whether the script fails with this call, or where it makes fewer with one of those.
sample() {
	fails_with "$@" >"$folder/said" && return
	n_calls=$(cat "$folder/n")
	if [ -f "$folder/failed" ] || [ "$n_calls" -eq 0 ]; then
		cat "$folder/said"
		return 1
	fi
	fails_with "$1" $((($2 - 1) % n_calls + 1)) "$3"
}

# skips SCRIPT - one line for a script that was played and did not call the program.
skips() {
	tap_n=$((tap_n + 1))
	reason=$(sed -n 's/^1\.\.0 # SKIP //p' "$folder/printed")
	if [ -n "$reason" ]; then
		echo "ok $tap_n - $1 # SKIP $reason"
	else
		echo "not ok $tap_n - $1 does not call the program"
	fi
}

for script; do
	if [ $sample = yes ]; then
		draw=$(printf '%s' "$script" | cksum | cut -d' ' -f1)
		sample "$script" $((draw % 6 + 1)) 70
		status=$?
		if [ "$(cat "$folder/n")" -eq 0 ]; then
			skips "$script"
			continue
		fi
		verdict $status "$script: a call that fails is noticed"
		sample "$script" $((draw / 6 % 6 + 1)) 0
		verdict $? "$script: a call that does nothing is noticed"
		continue
	fi
	play "$script" 0 0
	n_calls=$(cat "$folder/n")
	if has_failed; then
		sed 's/^/# /' "$folder/printed"
		verdict 1 "$script: passes with the program as it is"
		continue
	fi
	if [ "$n_calls" -eq 0 ]; then
		skips "$script"
		continue
	fi
	branch_off "$script" $((n_calls / 2 + 1))
	n_failing=0 n_silent=0 n_alone=0 call=0
	while [ $call -lt "$n_calls" ]; do
		call=$((call + 1))
		is_noticed "$script" $call 70 || n_failing=$((n_failing + 1))
		is_noticed "$script" $call 0 || n_silent=$((n_silent + 1))
	done
	echo "# $script: $n_alone of $((2 * n_calls)) runs from the beginning"
	verdict $n_failing "$script: of $n_calls calls that fail $n_failing go unnoticed"
	verdict $n_silent "$script: of $n_calls calls that do nothing $n_silent go unnoticed"
done
echo "1..$tap_n"

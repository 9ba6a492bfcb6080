# tool.sh - sourced by the tests of the program: an empty working folder, and TAP in a few functions.
# shellcheck shell=sh disable=SC2034
source_folder=${CLPAC_TEST_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
program=${CLPAC_TEST_PROGRAM-}
if [ ! -x "$program" ]; then
	# A build without libzip or Jansson has none; any other has lost it.
	if grep -q '^S\["BUILD_PROGRAM_TRUE"\]="#"' "${CLPAC_TEST_BUILDDIR-.}/config.status"; then
		echo '1..0 # SKIP this build has no program'
		exit 0
	fi
	echo "the program is missing: ${program:-CLPAC_TEST_PROGRAM is not set}"
	exit 1
fi
scratch=$(mktemp -d) || exit 1
# What the test started beside itself, and did not wait for, ends with it: a failing test would leave it to compute for hours.
child=
trap '[ -z "$child" ] || kill -KILL "$child" 2>/dev/null; chmod -R u+rwx "$scratch"; rm -rf "$scratch"' EXIT
work=$scratch/work calls=$scratch/calls
mkdir "$work" "$calls" && cd "$work" || exit 1
: >"$calls/last"
: >"$calls/unnoticed"
: >out
: >err
: >err.whole
# The user's own settings must not decide a verdict.
unset CLPAC_MEMORY CLPAC_CACHE CLPAC_PROBE CLPAC_FFT CLPAC_INSTRUCTION_SET CLPAC_THREADS CLPAC_VECTOR_WIDTH CLPAC_POOL CLPAC_PROFILE CLPAC_OPENCL_LIBRARY NO_COLOR
CLPAC_DEVICE=native
export CLPAC_DEVICE
tap_n=0

# A call of the program that fails is a failure of the test, unless the test says with which code it should end: is_refused and
# ended do.  So is one that ends well and has neither printed nor written anything: what the test reads then is another call's.
# Both are kept in files, since calls are also made in subshells, and end_of_tests tells of them:
#
#     $calls/last        what there is to say of the last call, until the test says that it should be so
#     $calls/unnoticed   the same of calls before it, a line each

# With CLPAC_TEST_BRANCHES each call also fails, beside the test (calls.sh).
branches=
# shellcheck source=/dev/null
[ -z "${CLPAC_TEST_BRANCHES-}" ] || . "$source_folder/tests/flow/branches.sh"

# settle - nobody says any more how the last call should have ended.
settle() {
	if [ -s "$calls/last" ]; then
		cat "$calls/last" >>"$calls/unnoticed"
		: >"$calls/last"
		ends_at_failure
	fi
}

# written ARGUMENT... - tells apart the states of the files that are named by arguments, and of this folder.
written() {
	stat -c '%n %i %.Y' -- . "$@" 2>/dev/null
}

# clpac ARGUMENT... - runs the program, behind the words in $under where there are any; its output goes to `out` and `err`, its
# exit code to $code and the caller.  What it was doing when it took longer than a second depends on the machine; such lines are
# in `err.whole` alone.
clpac() {
	settle
	[ -z "$branches" ] || branch
	before=$(written "$@")
	# shellcheck disable=SC2086 # a list of words
	${under-} "$program" "$@" >out 2>err.whole
	code=$?
	if [ -s err.whole ]; then
		LC_ALL=C grep -aEv '^clpac (run|compare|erpac): (reading |opening the device|computing |correlating )' err.whole >err
	else
		: >err
	fi
	[ -z "${CLPAC_TEST_MESSAGES-}" ] || cat err >>"$CLPAC_TEST_MESSAGES"
	if [ "$code" -ne 0 ]; then
		printf '%s\n' "clpac $* ended with $code: $(tail -n 1 err)" | head -n 1 >"$calls/last"
	elif [ ! -s out ] && [ ! -s err.whole ] && [ "$before" = "$(written "$@")" ]; then
		printf '%s\n' "clpac $* ended well, and printed and wrote nothing" | head -n 1 >"$calls/last"
	fi
	return $code
}

# ended CODE [COMMAND...] - the last call ended with this code, as it should, and the command succeeds.
ended() {
	: >"$calls/last"
	[ "$code" -eq "$1" ] || return 1
	shift
	[ $# -eq 0 ] || "$@"
}

# expect CODE CALL - a call that was not made by the function above, and ended with $code, should have ended with this one.
expect() {
	[ "$code" -eq "$1" ] || echo "$2 ended with $code in place of $1" >>"$calls/unnoticed"
}

# without STREAMS CODE ARGUMENT... - starts the program with these streams closed (">&-"), and demands that it ends with this code.
without() {
	without_streams=$1 without_code=$2
	shift 2
	settle
	sh -c "exec \"\$@\" $without_streams" sh "$program" "$@" >out 2>err
	code=$?
	expect "$without_code" "clpac $*, without $without_streams,"
}

# started ARGUMENT... - starts the program beside the test, as process $child, with its messages in `err.started`.
started() {
	settle
	"$program" "$@" >/dev/null 2>err.started &
	child=$!
}

# awaited CODE - waits for it, and demands that it ends with this code, which is in $code.
awaited() {
	wait "$child" 2>/dev/null
	code=$? child=
	expect "$1" 'a call beside the test'
}

# signalled SIGNAL CODE PATTERN ARGUMENT... - starts the program, sends it the signal when it has said a line that matches, and
# demands that it ends with this code.
signalled() {
	signalled_signal=$1 signalled_code=$2 signalled_pattern=$3
	shift 3
	settle
	: >err
	"$program" "$@" >out 2>err &
	child=$!
	until grep -q "$signalled_pattern" err || ! kill -0 $child 2>/dev/null; do
		sleep 0.01
	done
	kill -"$signalled_signal" $child 2>/dev/null
	wait $child 2>/dev/null
	code=$? child=
	expect "$signalled_code" "clpac $*, which got SIG$signalled_signal,"
}

# killed SIGNAL CODE N PATTERN ARGUMENT... - starts the program, sends it the signal when there are N files whose names match, and
# demands that it ends with this code.
killed() {
	kill_signal=$1 kill_code=$2 kill_n=$3 kill_pattern=$4
	shift 4
	settle
	"$program" "$@" >out 2>err &
	child=$!
	while [ "$(find . -path "$kill_pattern" | wc -l)" -lt "$kill_n" ] && kill -0 $child 2>/dev/null; do
		sleep 0.01
	done
	kill -"$kill_signal" $child 2>/dev/null
	wait $child 2>/dev/null
	code=$? child=
	expect "$kill_code" "clpac $*, killed by SIG$kill_signal,"
}

# built NAME - this build has the feature HAVE_NAME.
built() {
	grep -q "^#define HAVE_$1 1" "${CLPAC_TEST_BUILDDIR-.}/config.h"
}

# has_device PATTERN - the program knows a device whose JSON matches.
has_device() {
	clpac devices --json && grep -q "$1" out
}
pocl='"platform_name": "Portable Computing Language"'

# is NAME COMMAND... - prints one line of TAP: ok when the command succeeds, otherwise followed by the program's messages.
is() {
	is_name=$1
	shift
	tap_n=$((tap_n + 1))
	if "$@"; then
		echo "ok $tap_n - $is_name"
	else
		echo "not ok $tap_n - $is_name"
		echo "# failed: $*; exit code of the program: ${code-none}"
		sed 's/^/# err: /' err
		head -n 20 out | sed 's/^/# out: /'
		ends_at_failure
	fi
	[ ! -s "$calls/unnoticed" ] || ends_at_failure
}

# ends_at_failure - with CLPAC_TEST_END=failure nothing is run behind the first failure.
ends_at_failure() {
	if [ "${CLPAC_TEST_END-}" = failure ]; then
		sed 's/^/not ok - unnoticed: /' "$calls/unnoticed"
		exit 1
	fi
}

# skip_all REASON - ends a test that cannot run here, before its first verdict.
skip_all() {
	settle
	if [ -s "$calls/unnoticed" ]; then
		end_of_tests
	else
		echo "1..0 # SKIP $1"
	fi
	exit 0
}

# bail_out REASON - ends a test that has lost what it needs to go on: a failure.
bail_out() {
	echo "Bail out! $1"
	exit 1
}

# skip_one NAME REASON
skip_one() {
	tap_n=$((tap_n + 1))
	echo "ok $tap_n - $1 # SKIP $2"
}

# use_locale LANGUAGE - sets the locale for the programs that follow, and builds it where the system has none.  When it cannot
# be built the status is not 0 and $why holds the reason.
use_locale() {
	if why=$(sh "$source_folder/tests/support/locale.sh" "$1"); then
		LOCPATH=$why LC_ALL=$1
		export LOCPATH LC_ALL
	else
		why=$(printf '%s' "$why" | tail -n 1)
		return 1
	fi
}

# is_refused CODE PATTERN - the last call ended with this code and one line that matches, and printed nothing else.
is_refused() {
	: >"$calls/last"
	[ "$code" -eq "$1" ] && [ ! -s out ] && [ "$(wc -l <err)" -eq 1 ] && grep -Eq "^clpac( [a-z]+)?: .*($2)" err
}

# is_done - the last call succeeded.
is_done() {
	[ "$code" -eq 0 ]
}

# computed_together N FILE... - the messages of a process each: all of them tell how many recordings they computed, N in all.
computed_together() {
	computed_n=$1
	shift
	sed -n 's/^clpac [a-z]*: [0-9]* recordings: \([0-9]*\) computed.*/\1/p' "$@" |
		awk -v wanted="$computed_n" -v n_files=$# '{ n += $1 } END { exit !(n == wanted && NR == n_files) }'
}

# nothing_is_left STEM - no file name begins with this, hidden temporary files included.
nothing_is_left() {
	[ -z "$(find . -name "$1*" -o -name ".*$1*" | head -n 1)" ]
}

# column NAME FILE.csv CHANNEL PHASE_LO AMPLITUDE_LO - the value in the cell whose edges are within 0.01 Hz of these.
column() {
	awk -F, -v name="$1" -v channel="$3" -v phase="$4" -v amplitude="$5" '
	function near(a, b) { return a - b < 0.01 && b - a < 0.01 }
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["channel"] == channel && near($at["phase_lo_hz"], phase) && near($at["amplitude_lo_hz"], amplitude) {
		print $at[name]; exit
	}' "$2"
}

# highest NAME FILE.csv CHANNEL - "VALUE PHASE_LO AMPLITUDE_LO" of the largest value.
highest() {
	awk -F, -v name="$1" -v channel="$3" '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["channel"] == channel && $at[name] != "" && $at[name] != "NaN" && (!n++ || $at[name] + 0 > best) {
		best = $at[name] + 0
		where = sprintf("%.2f %.2f", $at["phase_lo_hz"], $at["amplitude_lo_hz"])
	}
	END { print best, where }' "$2"
}

# compare A OPERATOR B - compares decimal numbers.
compare() {
	awk -v a="$1" -v b="$3" "BEGIN { exit !(a != \"\" && a + 0 $2 b + 0) }"
}

# npy_header DESCR SHAPE - the start of an .npy file of version 1.0, 128 bytes.
npy_header() {
	printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '$1', 'fortran_order': False, 'shape': $2, }"
}

end_of_tests() {
	settle
	tap_n=$((tap_n + 1))
	if [ -s "$calls/unnoticed" ]; then
		echo "not ok $tap_n - every call of the program ended as the test says"
		sed 's/^/# unnoticed: /' "$calls/unnoticed"
	else
		echo "ok $tap_n - every call of the program ended as the test says"
	fi
	echo "1..$tap_n"
}

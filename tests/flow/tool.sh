# tool.sh - sourced by the tests of the program: an empty working folder, and TAP in a few functions.
# shellcheck shell=sh disable=SC2034
program=${CLPAC_TEST_PROGRAM-}
[ -x "$program" ] || { echo 'the program was not built'; exit 77; }
source_folder=${CLPAC_TEST_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
work=$(mktemp -d) || exit 1
trap 'chmod -R u+rwx "$work"; rm -rf "$work"' EXIT
cd "$work" || exit 1
# The user's own settings must not decide a verdict.
unset CLPAC_MEMORY CLPAC_CACHE CLPAC_PROBE CLPAC_FFT CLPAC_INSTRUCTION_SET CLPAC_THREADS CLPAC_VECTOR_WIDTH CLPAC_POOL NO_COLOR
CLPAC_DEVICE=native
export CLPAC_DEVICE
tap_n=0

# clpac ARGUMENT... - runs the program; its output goes to `out` and `err`, its exit code to $code and the caller.  What it
# was doing when it took longer than a second depends on the machine; such lines are in `err.whole` alone.
clpac() {
	"$program" "$@" >out 2>err.whole
	code=$?
	LC_ALL=C grep -aEv '^clpac (run|compare|erpac): (reading |opening the device|computing |correlating )' err.whole >err
	return $code
}

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
	fi
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
	[ "$code" -eq "$1" ] && [ ! -s out ] && [ "$(wc -l <err)" -eq 1 ] && grep -Eq "^clpac( [a-z]+)?: .*($2)" err
}

# is_done - the last call succeeded.
is_done() {
	[ "$code" -eq 0 ]
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
	echo "1..$tap_n"
}

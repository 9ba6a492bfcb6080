#!/usr/bin/env bash
# check-device.sh TEST... - runs the device tests among TEST on one OpenCL device, measures it, and prints its row for
# doc/devices.md.  `make check-device` calls it in the build folder, in the environment of the tests.
#
# A device test is a program with "opencl" in its name.  From the environment:
#
#     CLPAC_TEST_DEVICE     the device, as for --device; default: the best OpenCL device
#     CLPAC_TEST_FOLDER     the folder for the logs and the row; default: devices
#     CLPAC_TEST_ONLY       folders of tests/ whose programs run, as "contract flow"; default: contract property flow
#     CLPAC_TEST_LEAVE_OUT  programs that cannot run on the device, and why: "NAME=REASON; NAME=REASON"
#     CLPAC_TEST_NO_TAGS    tests with one of these tags are left out (Check's CK_EXCLUDE_TAGS), as "threads long"
#     CLPAC_TEST_FIGURES    no: nothing is measured, as on a simulator
#     CLPAC_TEST_LIMIT_S    the longest time that one program may take; default: 1800
#     CLPAC_TEST_NOTE       a remark for the row
#     CLPAC_TEST_READER     a command that gets the name of a test and fails where the driver's own log reports a fault
#
# The last lines are the row for doc/devices.md, also in FOLDER/row, and "N passed, N failed, N skipped", which counts programs.
# The exit status is 0 when nothing failed and something passed.
set -u

device=${CLPAC_TEST_DEVICE:-backend=opencl}
folder=${CLPAC_TEST_FOLDER:-devices}
only=${CLPAC_TEST_ONLY:-contract property flow}
limit=${CLPAC_TEST_LIMIT_S:-1800}
mkdir -p "$folder" || exit 1
n_passed=0 n_failed=0 skipped=()
export CLPAC_TEST_DEVICE=$device

# value KEY - the key's value in the last line of JSON on standard input.
value() { sed -nE '$s/.*"'"$1"'": ("([^"]*)"|([^,}]*)).*/\2\3/p'; }

# left_out NAME - prints the reason why a test is left out, and fails where there is none.
left_out() {
	local entry
	while IFS= read -r entry; do
		entry=${entry#"${entry%%[! ]*}"}
		[[ ${entry%%=*} == "$1" ]] && { echo "${entry#*=}"; return 0; }
	done < <(tr ';' '\n' <<<"${CLPAC_TEST_LEAVE_OUT-}")
	return 1
}

line() { printf '%-8s %-40s %s\n' "$1" "$2" "$3"; }

fail() {
	n_failed=$((n_failed + 1))
	line FAILED "$1" "$2"
	grep -aE '^not ok|Bail out|error' "$folder/$(basename "$1").log" 2>/dev/null | cut -c 1-400 | head -n 20
}

# run_test PROGRAM - takes the verdict from the plan and the lines: a program that crashes, or runs nothing, has failed.
run_test() {
	local name log status reason n_ok n_not planned started=$SECONDS
	name=$(basename "$1")
	log=$folder/$name.log
	if reason=$(left_out "$name"); then
		skipped+=("$name: $reason")
		line skipped "$1" "$reason"
		return
	fi
	CK_EXCLUDE_TAGS=${CLPAC_TEST_NO_TAGS-} timeout -k 10 "$limit" "./$1" >"$log" 2>&1
	status=$?
	if grep -aqE '^1\.\.0 # SKIP' "$log"; then
		reason=$(sed -nE 's/^1\.\.0 # SKIP //p' "$log")
		skipped+=("$name: $reason")
		line skipped "$1" "$reason"
		return
	fi
	planned=$(sed -nE 's/^1\.\.([0-9]+)$/\1/p' "$log")
	n_ok=$(grep -acE '^ok ' "$log")
	n_not=$(grep -acE '^not ok ' "$log")
	if ((status == 124 || status == 137)); then
		fail "$1" "not done after $limit s"
	elif [[ -z $planned ]] || ((n_ok + n_not != planned || status)); then
		fail "$1" "ended with status $status before it was done"
	elif ((n_not)); then
		fail "$1" "$n_not of $planned"
	elif ((planned == 0)); then
		skipped+=("$name: all of it is left out by its tags")
		line skipped "$1" "all of it is left out by its tags"
	elif [[ -n ${CLPAC_TEST_READER-} ]] && ! $CLPAC_TEST_READER "$name"; then
		fail "$1" "the driver's log tells of trouble"
	else
		n_passed=$((n_passed + 1))
		line passed "$1" "$n_ok tests, $((SECONDS - started)) s"
	fi
}

# A small run of the whole method shows which device it is, and that it computes.
if ! about=$(timeout -k 10 "$limit" bench/run --device "$device" --series 2 --samples 600 --phase 2 --amplitude 3 --surrogates 5 \
	--repetitions 1 --warm-up 0 small 2>"$folder/about.log"); then
	cat "$folder/about.log"
	echo "check-device.sh: nothing could be computed on \"$device\""
	exit 1
fi
name=$(value device <<<"$about") platform=$(value platform <<<"$about") driver=$(value driver <<<"$about")
if [[ $(value backend <<<"$about") != opencl ]]; then
	echo "check-device.sh: \"$device\" is $name, no OpenCL device: set CLPAC_TEST_DEVICE (clpac devices lists them)"
	exit 1
fi
line device "$device" "$name, $platform, driver $driver"
if [[ -n ${CLPAC_TEST_READER-} ]] && ! $CLPAC_TEST_READER bench_run; then
	fail bench/run "the driver's log tells of trouble"
fi

for program; do
	[[ ${program##*/} == *opencl* ]] || continue
	where=$(basename "$(dirname "$program")")
	[[ " $only " == *" $where "* ]] && run_test "$program"
done

stage='not measured' run='not measured'
if [[ ${CLPAC_TEST_FIGURES-} != no ]]; then
	# measure PROGRAM ARGUMENT... - adds the program's line of JSON to the figures.  Slowness is no failure.
	measure() {
		timeout -k 10 120 "$@" >>"$folder/figures.json" 2>"$folder/bench.log" && return
		(($? == 124)) && return
		cat "$folder/bench.log"
		fail "$1" 'see above'
	}
	: >"$folder/figures.json"
	measure bench/surrogates "$device"
	measure bench/run --device "$device" --repetitions 5 default
	milliseconds() { awk -v s="$1" 'BEGIN { if (s == "") print "none in 120 s"; else printf "%.3g ms\n", 1000 * s }'; }
	stage=$(milliseconds "$(grep '"bench": "surrogates"' "$folder/figures.json" | value edge_lists_s)")
	run=$(milliseconds "$(grep '"bench": "run"' "$folder/figures.json" | value seconds)")
	line figures 'surrogate stage, 50x32 bands' "$stage"
	line figures 'workload default' "$run"
fi

verdict="$n_passed passed"
((n_failed == 0)) || verdict+=", **$n_failed failed**"
notes=''
for reason in "${skipped[@]}"; do notes+="; $reason"; done
((${#skipped[@]} == 0)) || verdict+=", ${#skipped[@]} skipped (${notes#; })"
[[ -z ${CLPAC_TEST_ONLY-} ]] || verdict+=" (${CLPAC_TEST_ONLY// /, } alone)"
[[ -z ${CLPAC_TEST_NO_TAGS-} ]] || verdict+="; without tests of: $CLPAC_TEST_NO_TAGS"
[[ -z ${CLPAC_TEST_NOTE-} ]] || verdict+="; $CLPAC_TEST_NOTE"
printf '| %s | %s | %s | %s | %s | %s | %s |\n' "$platform" "$name" "$driver" "$(date -u +%F)" "$verdict" "$stage" "$run" | tee "$folder/row"
echo "$n_passed passed, $n_failed failed, ${#skipped[@]} skipped"
((n_failed == 0 && n_passed > 0))

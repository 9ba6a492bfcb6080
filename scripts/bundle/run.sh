#!/usr/bin/env bash
# run.sh [FOLDER] - measures and tests clpac on this machine's OpenCL device, in ten minutes at most, and leaves what it found in
# FOLDER (default: results).  It travels with what it needs (`make device-bundle`) and asks of the machine bash, coreutils, sed, grep, awk and a driver.
#
#     summary.md      the card, seconds by workload and engine, stages, starts, tests, and what was left out
#     devices.txt     the machine, its driver, and `clpac devices` in full
#     figures.jsonl   the lines of JSON of all benches, each with its step
#     tests.tap       the tests' own lines
#     steps.log       every step: how it ended, its seconds, and what it said on standard error
#     row             the device's row for doc/devices.md (scripts/device-page.sh)
#
# Figures come first, the most wanted before the others, then tests.  Each step has a limit; one that runs out is named, and
# the others go on.  From the environment:
#
#     CLPAC_BUNDLE_DEVICE     the device, as for --device; default: the best of OpenCL
#     CLPAC_BUNDLE_VENDORS    a folder of .icd files in place of the machine's and the bundle's
#     CLPAC_BUNDLE_SCALE      multiplies every limit, that of the whole too: 0.5, 3
#     CLPAC_BUNDLE_WORKLOADS  the workloads (bench/run --list); default: all, the most wanted first
#     CLPAC_BUNDLE_SIZE       options for every workload, as "--series 2 --samples 600"
#     CLPAC_BUNDLE_TESTS      the programs of tests; default: all, the most wanted first
#
# The exit status is 0 when the device gave figures, and no step and no test failed; those that ran out have not.
set -u

# For this script alone: the program takes an unknown CLPAC_ variable for a misspelt option.
export -n CLPAC_BUNDLE_DEVICE CLPAC_BUNDLE_VENDORS CLPAC_BUNDLE_SCALE CLPAC_BUNDLE_WORKLOADS CLPAC_BUNDLE_SIZE CLPAC_BUNDLE_TESTS

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
mkdir -p "${1:-results}" && results=$(cd "${1:-results}" && pwd) || exit 1
device=${CLPAC_BUNDLE_DEVICE:-backend=opencl}
scale=${CLPAC_BUNDLE_SCALE:-1}
read -ra size <<<"${CLPAC_BUNDLE_SIZE-}"
read -ra workloads <<<"${CLPAC_BUNDLE_WORKLOADS:-default small wide fast-sampled recording many long small-0 many-0 default-all small-all default-glm default-gcmi}"
read -ra wanted_tests <<<"${CLPAC_BUNDLE_TESTS-}"
first_tests=(test_laws_opencl test_opencl test_queue_opencl test_fft_opencl test_pool_opencl test_opencl_batch test_opencl_enqueue
	test_enqueue_opencl test_opencl_panels test_memory_laws_opencl test_random_problems_opencl test_store_opencl test_cancel_opencl)

# Work-items of a work-group, to be swept.
groups=(32 64 128 256)

# Seconds, before they are scaled: of all, of the figures, and of what one step may take.
all_s=560 figures_s=340 devices_s=90 figure_s=40 test_s=400

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
summary=$results/summary.md devices=$results/devices.txt figures=$results/figures.jsonl tap=$results/tests.tap steps=$results/steps.log
for file in "$summary" "$devices" "$figures" "$tap" "$steps"; do
	: >"$file" || exit 1
done

scaled() { awk -v s="$scale" -v n="$1" 'BEGIN { n *= s; print n < 1 ? 1 : int(n) }'; }

# --- What the machine lacks -------------------------------------------------------------------------------------------

# use_libraries - the bundle's own libraries, and each of the spare ones that the machine's loader does not find.
use_libraries() {
	local loader name has_grown=1
	loader=$(sed -n 's/^loader //p' "$here/made")
	mkdir -p "$work/lib"
	export LD_LIBRARY_PATH=$here/lib:$work/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
	while ((has_grown)); do
		has_grown=0
		while read -r name; do
			[[ -e $here/spare/$name && ! -e $work/lib/$name ]] || continue
			cp "$here/spare/$name" "$work/lib/" && has_grown=1
		done < <(for file in "$here"/bin/* "$here"/lib/*.so.* "$here"/tests/*; do
			[[ -f $file ]] && LD_TRACE_LOADED_OBJECTS=1 "$loader" "$file" 2>&1
		done | awk '/not found/ { print $1 }' | sort -u)
	done
}

# find_driver - the folder of NVIDIA's OpenCL driver, where the loader does not know it by itself.
find_driver() {
	local folder folders
	IFS=: read -ra folders <<<"${LD_LIBRARY_PATH-}"
	for folder in "${folders[@]}" /usr/local/nvidia/lib64 /usr/local/nvidia/lib /usr/lib/x86_64-linux-gnu /usr/lib64 /usr/lib/wsl/lib \
		/usr/lib/nvidia /usr/lib/aarch64-linux-gnu; do
		[[ -e $folder/libnvidia-opencl.so.1 ]] && { echo "$folder"; return 0; }
	done
	return 1
}

# use_vendors - the machine's drivers, and NVIDIA's if it is there and no file of the machine names it.
use_vendors() {
	local folder
	if [[ -n ${CLPAC_BUNDLE_VENDORS-} ]]; then
		export OCL_ICD_VENDORS=$CLPAC_BUNDLE_VENDORS
		return
	fi
	mkdir -p "$work/vendors"
	cp "${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}"/*.icd "$work/vendors/" 2>/dev/null
	if folder=$(find_driver); then
		export LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$folder
		grep -qs libnvidia-opencl "$work"/vendors/*.icd || cp "$here"/vendors/*.icd "$work/vendors/"
	fi
	export OCL_ICD_VENDORS=$work/vendors
}

# --- Steps ------------------------------------------------------------------------------------------------------------

ran_out=() failed_steps=() not_begun=()
until_s=0 # the end of the phase, in seconds since the start

# say WORD NAME SECONDS [REMARK] - a line about a step, here and in the log.
say() { printf '%4d s  %-8s %-34s %6s s  %s\n' "$SECONDS" "$@" | tee -a "$steps"; }

# limit_of SECONDS - the step's limit, or what is left of its phase; fails when that is nothing.
limit_of() {
	local limit left
	limit=$(scaled "$1")
	left=$((until_s - SECONDS))
	((left >= 2)) || return 1
	echo $((limit < left ? limit : left))
}

microseconds() { echo "${EPOCHREALTIME//[.,]/}"; }
# seconds_since MICROSECONDS - with three decimals.
seconds_since() { awk -v a="$1" -v b="$(microseconds)" 'BEGIN { printf "%.3f", (b - a) / 1e6 }'; }

# figure NAME COMMAND... - adds the command's lines of JSON to the figures, with the step's name and the seconds of its process.
figure() {
	local name=$1 limit status started seconds
	shift
	limit=$(limit_of "$figure_s") || { not_begun+=("$name"); return 1; }
	started=$(microseconds)
	timeout -k 5 "$limit" "$@" >"$work/out" 2>"$work/err"
	status=$?
	seconds=$(seconds_since "$started")
	sed "s/^{/{\"step\": \"$name\", \"process_s\": $seconds, /" "$work/out" >>"$figures"
	ended "$name" "$status" "$seconds" "$limit" "$(value seconds <"$work/out")"
	return "$status"
}

# ended NAME STATUS SECONDS LIMIT [REMARK] - says how a step ended.
ended() {
	case $2 in
	0) say 'done' "$1" "$3" "${5-}" ;;
	124 | 137) say 'ran out' "$1" "$3" "limit $4 s"; ran_out+=("$1") ;;
	*) say FAILED "$1" "$3" "status $2: $(tail -n 1 "$work/err" | cut -c 1-200)"; failed_steps+=("$1") ;;
	esac
	sed 's/^/    /' "$work/err" >>"$steps"
}

# value KEY - the key's value in each line of JSON on standard input; nested ones are text.
value() { sed -nE 's/.*"'"$1"'": ("([^"]*)"|\{([^}]*)\}|([^,}]*)).*/\2\3\4/p'; }

# found STEP KEY - the value in the line of a step; empty where there is none.
found() { grep -F "{\"step\": \"$1\"," "$figures" | head -n 1 | value "$2"; }

# --- The machine ------------------------------------------------------------------------------------------------------

# part TITLE COMMAND... - what a command says, if there is one.
part() {
	printf '\n== %s\n' "$1"
	shift
	command -v "$1" >/dev/null || { echo "no $1"; return; }
	timeout -k 5 "$(scaled 20)" "$@" 2>&1
}

tell_machine() {
	export PATH=$PATH:/usr/local/nvidia/bin
	part 'bundle' cat "$here/made"
	part 'machine' uname -a
	part 'system' sed -n 's/^PRETTY_NAME=//p' /etc/os-release
	part 'processor' sh -c "sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | sort | uniq -c; nproc; sed -n 1,3p /proc/meminfo"
	part 'driver of the kernel' cat /proc/driver/nvidia/version
	part 'nvidia-smi' nvidia-smi
	part 'clocks, power, bus' nvidia-smi -q -d CLOCK,POWER,TEMPERATURE,ECC,COMPUTE,PERFORMANCE
	part 'files of drivers' sh -c "ls -l /usr/local/nvidia/lib64 /usr/lib/x86_64-linux-gnu /usr/lib64 /opt/rocm/lib 2>/dev/null |
		grep -iE 'opencl|libcuda|ptxjit|nvvm|nvptx|rocm|amdocl'"
	part 'vendors of OpenCL' sh -c "grep -H . '$OCL_ICD_VENDORS'/*.icd"
	part 'libraries that were taken from spare/' ls "$work/lib"
}

# tell_devices - the list of devices, and then all that is known of them.  A driver may take long to start for the first time.
tell_devices() {
	local started status limit
	limit=$(limit_of "$devices_s") || return 1
	started=$(microseconds)
	{
		part 'clpac --version' "$here/bin/clpac" --version
		printf '\n== clpac devices\n'
		timeout -k 5 "$limit" "$here/bin/clpac" devices --probe "$limit" 2>&1
		status=$?
		printf '\n== clpac devices --json\n'
		timeout -k 5 "$limit" "$here/bin/clpac" devices --json 2>&1
	} >>"$devices"
	: >"$work/err"
	ended devices "$status" "$(seconds_since "$started")" "$limit"
}

# --- Figures ----------------------------------------------------------------------------------------------------------

# run_workload STEP DEVICE WORKLOAD OPTION... - short ones are repeated more often: a card raises its clocks first.
run_workload() {
	local step=$1 where=$2 workload=$3 often=(--repetitions 7)
	shift 3
	case $workload in
	small* | default) [[ $where == native ]] || often=(--repetitions 31 --warm-up 10) ;;
	recording | many | long) often=(--repetitions 3) ;;
	esac
	figure "$step" "$here/bin/run" --device "$where" --at-most "$(scaled 10)" "${often[@]}" "$@" "${size[@]}" "$workload"
}

# measure_starts - one process without anything compiled, then with clpac's cache alone, then with the driver's too.
measure_starts() {
	local once=(--repetitions 1 --warm-up 0)
	run_workload 'start: nothing compiled' "$device" small --fft vkfft "${once[@]}"
	CUDA_CACHE_DISABLE=1 run_workload "start: clpac's cache" "$device" small --fft vkfft "${once[@]}"
	run_workload 'start: both caches' "$device" small --fft vkfft "${once[@]}"
	run_workload 'start: clFFT, nothing compiled' "$device" small --fft clfft "${once[@]}"
	run_workload 'start: clFFT, both caches' "$device" small --fft clfft "${once[@]}"
}

measure() {
	local workload engine n
	measure_starts
	for workload in "${workloads[@]:0:7}"; do
		for engine in vkfft clfft; do
			run_workload "$workload $engine" "$device" "$workload" --fft "$engine"
		done
	done
	for workload in "${workloads[@]:0:7}"; do
		run_workload "$workload launches" "$device" "$workload" --fft vkfft --launches yes --repetitions 1 --warm-up 1
		run_workload "$workload stages" "$device" "$workload" --fft vkfft --profile yes --repetitions 1 --warm-up 1
	done
	for workload in "${workloads[@]:0:7}"; do
		run_workload "$workload native" native "$workload"
	done
	# These have sizes of their own.
	if ((!${#size[@]})); then
		figure 'surrogate stage' "$here/bin/surrogates" "$device"
		figure 'transforms' "$here/bin/fft" "$device"
	fi
	for workload in "${workloads[@]:7}"; do
		for engine in vkfft clfft; do
			run_workload "$workload $engine" "$device" "$workload" --fft "$engine"
		done
		run_workload "$workload native" native "$workload"
	done
	for workload in "${workloads[@]:0:5}"; do
		for n in "${groups[@]}"; do
			run_workload "$workload, groups of $n" "$device" "$workload" --fft vkfft --group "$n"
		done
	done
}

# --- Tests ------------------------------------------------------------------------------------------------------------

n_passed=0 n_failed=0 n_skipped=0 failed_tests=()
declare -A programs=() # how many ended with each word

# list_tests - names of programs, the most wanted first.
list_tests() {
	local name
	if ((${#wanted_tests[@]})); then
		printf '%s\n' "${wanted_tests[@]}"
		return
	fi
	{
		printf '%s\n' "${first_tests[@]}"
		for name in "$here"/tests/*; do
			[[ -x $name ]] && basename "$name"
		done
	} | awk '!seen[$0]++'
}

# run_test NAME LIMIT - in the background: leaves the program's output, status and seconds in files.
run_test() {
	local started
	started=$(microseconds)
	(cd "$work" && timeout -k 5 "$2" "$here/tests/$1") >"$work/$1.log" 2>&1
	echo "$? $2 $(seconds_since "$started")" >"$work/$1.end"
}

# count_test NAME - a program that crashes, runs out or leaves its plan has failed as a whole.
count_test() {
	local name=$1 log=$work/$1.log status limit seconds n_ok n_not n_skip planned word=passed remark
	read -r status limit seconds <"$work/$name.end"
	n_not=$(grep -acE '^not ok ' "$log")
	n_skip=$(grep -acE '^ok .*# SKIP' "$log")
	n_ok=$(($(grep -acE '^ok ' "$log") - n_skip))
	planned=$(sed -nE 's/^1\.\.([0-9]+)( .*)?$/\1/p' "$log" | tail -n 1)
	remark="$n_ok passed, $n_not failed, $n_skip skipped"
	if grep -aqE '^1\.\.0 # SKIP' "$log"; then
		n_skip=1 word=skipped remark=$(sed -nE 's/^1\.\.0 # SKIP //p' "$log")
	elif ((status == 124 || status == 137)); then
		word='ran out' remark+=" in $limit s"
		ran_out+=("$name")
	elif [[ -z $planned ]] || ((n_ok + n_not + n_skip != planned || status)); then
		word=FAILED remark+=", and ended with status $status before it was done"
		failed_tests+=("$name: ended with status $status")
		n_not=$((n_not + 1))
	elif ((n_not)); then
		word=FAILED
	fi
	while IFS= read -r line; do
		failed_tests+=("$name: $line")
	done < <(grep -aE '^not ok ' "$log" | cut -c 1-300)
	n_passed=$((n_passed + n_ok)) n_failed=$((n_failed + n_not)) n_skipped=$((n_skipped + n_skip))
	programs[$word]=$((${programs[$word]-0} + 1))
	say "$word" "$name" "$seconds" "$remark"
	{
		echo "# $name: $word, $seconds s: $remark"
		# A driver that talks much does not fill what is carried home.
		head -c 400000 "$log"
		echo
	} >>"$tap"
	rm -f "$work/$name.end"
}

# count_ended - counts all tests that have ended.
count_ended() {
	local end
	for end in "$work"/*.end; do
		[[ -e $end ]] && count_test "$(basename "$end" .end)"
	done
}

# run_tests - several at a time, where there are processors for their compilers.
run_tests() {
	local name limit n_running=0 n_beside
	n_beside=$(($(nproc) / 2))
	((n_beside >= 1)) || n_beside=1
	((n_beside <= 8)) || n_beside=8
	export CLPAC_TEST_TAP=1 CLPAC_TEST_SRCDIR=$here CLPAC_TEST_BUILDDIR=$here/bin CLPAC_TEST_DATA=$here/data
	export CLPAC_TEST_PROGRAM=$here/bin/clpac CLPAC_TEST_DEVICE=$device
	while read -r name; do
		[[ -x $here/tests/$name ]] || { not_begun+=("$name"); continue; }
		if ((n_running == n_beside)); then
			wait -n
			n_running=$((n_running - 1))
			count_ended
		fi
		limit=$(limit_of "$test_s") || { not_begun+=("$name"); continue; }
		run_test "$name" "$limit" &
		n_running=$((n_running + 1))
	done < <(list_tests)
	wait
	count_ended
}

# --- The summary ------------------------------------------------------------------------------------------------------

# row CELL... - of a table of Markdown; an empty cell is a dash.
row() {
	local cell
	for cell; do
		printf '| %s ' "${cell:--}"
	done
	echo '|'
}

# rule N - what separates the first row from the others.
rule() { printf '|---%.0s' $(seq "$1"); echo '|'; }

quotient() { awk -v a="$1" -v b="$2" 'BEGIN { if (a != "" && b + 0 > 0) printf "%.3g", a / b }'; }

sum_up_seconds() {
	local workload gpu other native
	row workload 'VkFFT, s' 'clFFT, s' 'native, s' 'native / VkFFT' 'clFFT / VkFFT' 'plan, s' 'highest z: device, native'
	rule 8
	for workload in "${workloads[@]}"; do
		gpu=$(found "$workload vkfft" seconds) other=$(found "$workload clfft" seconds) native=$(found "$workload native" seconds)
		row "$workload" "$gpu" "$other" "$native" "$(quotient "$native" "$gpu")" "$(quotient "$other" "$gpu")" \
			"$(found "$workload vkfft" plan_s)" "$(found "$workload vkfft" highest_z), $(found "$workload native" highest_z)"
	done
}

sum_up_launches() {
	local workload step key cells
	row workload kernels markers flushes finishes waits 'bytes written' 'bytes read' 'on the device, s' 'from first to last, s'
	rule 10
	for workload in "${workloads[@]}"; do
		step="$workload launches" cells=()
		[[ -n $(found "$step" kernels) ]] || continue
		for key in kernels markers flushes finishes waits bytes_written bytes_read device_s device_span_s; do
			cells+=("$(found "$step" "$key")")
		done
		row "$workload" "${cells[@]}"
	done
}

# sum_up_commands - the twelve that took longest, of each workload.
sum_up_commands() {
	local workload
	row workload command launches 's in all' groups 'items of a group'
	rule 6
	for workload in "${workloads[@]}"; do
		grep -F "{\"step\": \"$workload launches\"," "$figures" | head -n 1 | grep -oE '\{"command": [^}]*\}' | head -n 12 |
			sed -E 's/[{}"]//g; s/[a-z_]+: //g' | while IFS=, read -r command n seconds least most items; do
			row "$workload" "$command" "${n# }" "${seconds# }" "${least# } to ${most# }" "${items# }"
		done
	done
}

sum_up_stages() {
	local workload
	row workload 'stages of a run with VkFFT, s'
	rule 2
	for workload in "${workloads[@]}"; do
		[[ -n $(found "$workload stages" stages) ]] &&
			row "$workload" "$(found "$workload stages" stages | tr -d '"')"
	done
}

sum_up_groups() {
	local workload n cells
	row 'workload, s by items of a group' "${groups[@]}" usual
	rule $((${#groups[@]} + 2))
	for workload in "${workloads[@]}"; do
		cells=()
		for n in "${groups[@]}"; do
			cells+=("$(found "$workload, groups of $n" seconds)")
		done
		[[ -z ${cells[0]} ]] || row "$workload" "${cells[@]}" "$(found "$workload vkfft" seconds)"
	done
}

sum_up_starts() {
	local step
	row start 'whole process, s' 'device opened, s' 'plan made, s' 'first run, s'
	rule 5
	sed -nE 's/^\{"step": "(start: [^"]*)".*/\1/p' "$figures" | while IFS= read -r step; do
		row "${step#start: }" "$(found "$step" process_s)" "$(found "$step" open_s)" "$(found "$step" plan_s)" "$(found "$step" seconds)"
	done
}

# list TITLE ITEM... - nothing without items.
list() {
	printf '\n%s: ' "$1"
	shift
	(($#)) || { echo none; return; }
	echo
	printf -- '- %s\n' "$@"
}

sum_up() {
	local any device_name
	any=$(grep -F '"bench": "run"' "$figures" | grep -F '"backend": "opencl"' | head -n 1)
	device_name=$(value device <<<"$any")
	echo "# clpac on ${device_name:-no device of OpenCL}"
	echo
	echo "$(value platform <<<"$any"), driver $(value driver <<<"$any"); $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) processors;"
	echo "$(sed -n 's/^commit //p' "$here/made") of $(sed -n 's/^date //p' "$here/made"), run $(date -u '+%F %H:%M') UTC in $SECONDS s."
	[[ -z ${size[*]} ]] || printf '\nEvery workload was changed: %s.\n' "${size[*]}"
	printf '\n## Seconds, median\n\n'
	sum_up_seconds
	printf '\n## Tests\n\n%d passed, %d failed, %d skipped\n' "$n_passed" "$n_failed" "$n_skipped"
	list 'Failed' "${failed_tests[@]}" "${failed_steps[@]}"
	list 'Ran out of time' "${ran_out[@]}"
	list 'Left out for want of time' "${not_begun[@]}"
	[[ -n $any ]]
}

sum_up_more() {
	printf '\n## Starts\n\n'
	sum_up_starts
	printf '\n## Sizes of groups\n\n'
	sum_up_groups
	printf '\n## Commands of a run with VkFFT\n\n'
	sum_up_launches
	printf '\n## The longest of them\n\n'
	sum_up_commands
	printf '\n## Stages\n\n'
	sum_up_stages
}

# milliseconds SECONDS - as the table of devices has them.
milliseconds() { awk -v s="$1" 'BEGIN { if (s == "") print "not measured"; else printf "%.3g ms\n", 1000 * s }'; }

# device_row - the columns of doc/devices.md; of a device that gave no figure there is none.
device_row() {
	local any cells=() word run='' tests="${programs[passed]-0} passed"
	any=$(grep -F '"bench": "run"' "$figures" | grep -F '"backend": "opencl"' | head -n 1)
	[[ -n $any ]] || return
	for word in FAILED 'ran out' skipped; do
		[[ -z ${programs[$word]-} ]] || tests+=", ${programs[$word]} ${word/FAILED/failed}"
	done
	for word in platform device driver; do
		cells+=("$(value "$word" <<<"$any")")
	done
	((${#size[@]})) || run=$(found 'default vkfft' seconds)
	row "${cells[@]}" "$(date -u +%F)" "$tests" "$(milliseconds "$(found 'surrogate stage' edge_lists_s)")" "$(milliseconds "$run")"
}

# tell_clocks - of the card, warm.
tell_clocks() {
	part 'clocks after the figures' nvidia-smi --query-gpu=clocks.sm,clocks.mem,temperature.gpu,power.draw,clocks_event_reasons.active \
		--format=csv >>"$devices" 2>&1
}

main() {
	local status=0
	# Caches begin empty, so that the first start is one, and leave nothing on the machine.
	export HOME=$work/home XDG_CACHE_HOME=$work/cache CUDA_CACHE_PATH=$work/cuda TMPDIR=${TMPDIR:-/tmp}
	mkdir -p "$HOME" "$XDG_CACHE_HOME" "$CUDA_CACHE_PATH"
	ulimit -c 0 # a driver that crashes leaves no core
	use_libraries
	use_vendors
	tell_machine >>"$devices" 2>&1
	until_s=$(scaled "$figures_s")
	tell_devices
	measure
	tell_clocks
	until_s=$(scaled "$all_s")
	sum_up >"$summary" || status=1 # lest nothing be summed up should the tests be cut short
	sum_up_more >>"$summary"
	run_tests
	sum_up >"$summary"
	((n_failed + ${#failed_steps[@]} == 0)) || status=1
	cat "$summary"
	sum_up_more >>"$summary"
	device_row >"$results/row"
	return "$status"
}

main

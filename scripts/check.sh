#!/usr/bin/env bash
# check.sh [--quick | --full] - installs missing packages, builds clpac and runs all its tests:
#
#     build/        with every available feature: the whole suite
#     build-asan/   without OpenCL, under the address and undefined behaviour sanitizers: the native suite without lints, in
#                   which long sweeps are sampled (tests/support/sweeps.h)
#     build-tsan/   with every feature, under the thread sanitizer: the tests that run several threads
#     devices       the tests of OpenCL devices on implementations that need no hardware, beside PoCL (check-devices.sh)
#     bundle        what is carried to a machine with a card, where none is (check-bundle.sh)
#     cluster       the recipes of doc/cluster.md: Slurm, Open MPI, Snakemake (check-cluster.sh)
#     container     the images of container/, where they can be built (check-container.sh)
#     report        pages of results in a browser, where one is (check-report.sh)
#
# and, from the end of the first on, beside the others at the lowest priority:
#
#     python        the wheel of the Python package, in empty environments, and its pages (check-python.sh)
#     vendors       the kernels through the compilers of three makers of GPUs, without a GPU (check-vendors.sh)
#     distcheck     the tarball builds, passes lints and unit tests, installs, uninstalls
#
# --quick stops after the first; --full samples nothing and leaves out no test of a device that could run there, for hours.
# What was skipped is judged by skips.txt: a skip that it does not allow is a failure, and so is a row of it that is out of date.
# After each of them come the seconds since the start, and those of processor time.  The last line sums up: "N passed, N
# failed, N skipped".  The exit status is 0 only when nothing failed.  CLPAC_CONFIGURE holds more options for configure; CC
# chooses the compiler.
set -u
# shellcheck source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

n_passed=0 n_failed=0 n_skipped=0 venv_process='' python_process='' vendors_process='' distcheck_process=''
read -ra options <<<"${CLPAC_CONFIGURE-}"

# A step that ends before its tests have run counts as one failure.
broken() {
	n_failed=$((n_failed + 1))
	say "FAILED: $1"
}

# count_summary FILE - adds the totals that automake's harness wrote into FILE (a test-suite.log, or the output of make).
count_summary() {
	local key number
	while read -r key number; do
		case $key in
		PASS | XFAIL) n_passed=$((n_passed + number)) ;;
		FAIL | XPASS | ERROR) n_failed=$((n_failed + number)) ;;
		SKIP) n_skipped=$((n_skipped + number)) ;;
		esac
	done < <(sed -nE 's/^# (PASS|XFAIL|FAIL|XPASS|ERROR|SKIP): +([0-9]+)$/\1 \2/p' "$1")
}

# judge_skips BUILD FILE... - counts each skip that skips.txt does not allow, and each row of it that is out of date, as a failure.
# Options of one's own build less, and skip what they will.
judge_skips() {
	if ((${#options[@]})); then
		say "$1: with CLPAC_CONFIGURE nothing says what may be skipped"
		return
	fi
	cat "${@:2}" | "$top/scripts/check-skips.sh" "$1" >&2
	n_failed=$((n_failed + PIPESTATUS[1]))
}

# show_failures FOLDER - the log of every test that did not pass.
show_failures() {
	local trs
	while read -r trs; do
		say "--- ${trs%.trs}.log"
		grep -avE '^(ok |PASS: )' "${trs%.trs}.log" | tail -n 100 >&2
	done < <(find "$1" -name '*.trs' -exec grep -lE '^:test-result: (FAIL|XPASS|ERROR)' {} +)
}

# Tests in which several threads use the pool, its watchers and its store, lists of devices, contexts, or several devices, and the
# program's own threads; the longest come first, so that none is left alone at the end.
thread_tests=(tests/contract/test_context_threads_opencl tests/contract/test_moving_simulated tests/flow/test_several_opencl
	tests/flow/tool_races.test
	tests/property/test_context_threads tests/contract/test_queue_simulated tests/flow/test_several_native
	tests/memory/test_pool_threads tests/memory/test_snapshot tests/contract/test_moving_opencl tests/memory/test_threads
	tests/property/test_plan_threads tests/memory/test_pool_watched tests/contract/test_moving_native tests/memory/test_async_threads
	tests/memory/test_store_threads tests/memory/test_tracker tests/memory/test_store_fetch)

# Sanitizers see what the source says, and more of it where less is optimised away; their builds take half the time with -O1
# and line numbers alone.  The kernels, which run for most of the tests' time, are optimised like other code at -O2.
sanitized=('CFLAGS=-g1 -O1')
sanitized_kernels=KERNEL_OPT_CFLAGS=-O2

# check_in FOLDER WHAT [TEST...] - builds and tests one configured folder, with these tests or all.  Variables for make stand in
# make_variables.
make_variables=()
check_in() {
	local folder=$1 what=$2 before=$n_failed goal=(check)
	shift 2
	# automake builds all check_PROGRAMS before any test, needed or not.
	(($# == 0)) || goal=(check-TESTS TESTS="$*" check_PROGRAMS=)
	# Built before, not in the same call: "all" is a make of its own, and two at once would write the same objects.
	if ! { build_in "$folder" "${make_variables[@]}" &&
		{ (($# == 0)) || make -C "$folder" -s -j"$jobs" "${make_variables[@]}" "$@"; }; }; then
		broken "$what does not build"
		return 1
	fi
	rm -f "$folder/test-suite.log"
	make -C "$folder" -s -j"$jobs" "${make_variables[@]}" "${goal[@]}" >"$folder/check.log" 2>&1
	local status=$?
	if [[ ! -f $folder/test-suite.log ]]; then
		tail -n 100 "$folder/check.log" >&2
		broken "$what: the tests did not run"
		return 1
	fi
	count_summary "$folder/test-suite.log"
	grep -E '^(SKIP|FAIL|XPASS|ERROR): ' "$folder/check.log" | LC_ALL=C sort -u >&2
	if ((n_failed > before)); then
		show_failures "$folder"
	elif ((status)); then
		tail -n 100 "$folder/check.log" >&2
		broken "$what: make ${goal[0]} ended with status $status"
	fi
	judge_skips "$what" "$folder/check.log"
	((n_failed == before))
}

# Runs on the native device give what they gave, byte for byte, whatever the processor; a quarter of a minute of it.
corpus() {
	if make -C "$top/build" -s check-corpus CORPUS='*@native' >"$top/build/corpus.log" 2>&1; then
		n_passed=$((n_passed + 1))
	else
		tail -n 40 "$top/build/corpus.log" >&2
		broken 'make check-corpus on the native device'
	fi
}

# What the program said in the tests of the build is one list, build/messages.txt, in which no internal name stands.
messages() {
	if "$top/scripts/messages.sh" "$top/build" >&2; then
		n_passed=$((n_passed + 1))
	else
		broken 'messages'
	fi
}

# Only the available implementations are tested; a missing one is a SKIP and stops nothing else.  They are not measured, which
# takes minutes on some.
devices() {
	CLPAC_TEST_FIGURES=no "$top/scripts/check-devices.sh" "$top/build" 2>&1 >"$top/build/devices.out" | tee "$top/build/devices.log" >&2
	count_last_line check-devices.sh "$(tail -n 1 "$top/build/devices.out")"
	judge_skips devices "$top/build/devices.log"
}

# The bundle and its rehearsal, on PoCL.
bundle() {
	if (($(grep -cE '^#define HAVE_(OPENCL|VKFFT|CLFFT) 1' "$top/build/config.h") < 3)); then
		n_skipped=$((n_skipped + 1))
		say 'SKIP: bundle: the build lacks OpenCL, VkFFT or clFFT'
		return
	fi
	if ! make -C "$top/build" -s -j"$jobs" device-bundle >&2; then
		broken 'make device-bundle'
		return
	fi
	"$top/scripts/check-bundle.sh" "$top/build" 2>&1 >"$top/build/bundle.out" | tee "$top/build/bundle.log" >&2
	count_last_line check-bundle.sh "$(tail -n 1 "$top/build/bundle.out")"
	judge_skips bundle "$top/build/bundle.log"
}

# begin_venv - fetches Python's packages while everything is built: most of that time is the network's.
begin_venv() {
	nice -n 19 "$top/scripts/python-venv.sh" "$top/build/python/venv" >/dev/null 2>&1 &
	venv_process=$!
}

# begin_beside - builds what several makes at once would build, then starts Python's checks, the compilers and distcheck at the lowest
# priority: they take what the tests leave of the processors.
begin_beside() {
	make -C "$top/build" -s -j"$jobs" build-check-device tests/contract/kernel_text >&2
	nice -n 19 "$top/scripts/check-vendors.sh" "$top/build" >"$top/build/vendors.log" 2>"$top/build/vendors.err" &
	vendors_process=$!
	nice -n 19 "$top/scripts/check-python.sh" "$top/build" >"$top/build/python.log" 2>"$top/build/python.err" &
	python_process=$!
	begin_distcheck
}

end_vendors() {
	wait "$vendors_process"
	vendors_process=''
	cat "$top/build/vendors.err" >&2
	grep -E '^(not ok|ok .*# SKIP|#)' "$top/build/vendors.log" >&2
	count_last_line check-vendors.sh "$(tail -n 1 "$top/build/vendors.log")"
	judge_skips vendors "$top/build/vendors.log" "$top/build/vendors.err"
}

end_python() {
	wait "$python_process"
	python_process=''
	cat "$top/build/python.err" >&2
	grep -E '^(not ok|ok .*# SKIP|#)' "$top/build/python.log" >&2
	count_last_line check-python.sh "$(tail -n 1 "$top/build/python.log")"
	judge_skips python "$top/build/python.log"
}

# checked NAME - runs check-NAME.sh: cluster, the recipes for clusters; container, the images; report, pages of results.
checked() {
	"$top/scripts/check-$1.sh" "$top/build" >"$top/build/$1.log"
	grep -E '^(not ok|ok .*# SKIP|#)' "$top/build/$1.log" >&2
	count_last_line "check-$1.sh" "$(tail -n 1 "$top/build/$1.log")"
	judge_skips "$1" "$top/build/$1.log"
}

# count_last_line SCRIPT LINE - adds the counts that end a script's output.
count_last_line() {
	local passed failed skipped
	read -r passed failed skipped < <(sed -nE 's/^([0-9]+) passed, ([0-9]+) failed, ([0-9]+) skipped$/\1 \2 \3/p' <<<"$2")
	if [[ -z ${skipped-} ]]; then
		broken "$1"
		return 1
	fi
	n_passed=$((n_passed + passed)) n_failed=$((n_failed + failed)) n_skipped=$((n_skipped + skipped))
}

# changed_since STAMP - tells whether a source file is newer than the stamp of the last distcheck that passed, or there is none.
changed_since() {
	[[ ! -f $1 ]] || [[ -n $(find "$top" \( -path "$top/build*" ! -path "$top/build-aux*" -o -path "$top/.git" \
		-o -path "$top/autom4te.cache" -o -path "$top/quickstart" \) -prune -o -type f -newer "$1" -print -quit) ]]
}

begin_distcheck() {
	changed_since "$distcheck_stamp" || return 0
	distcheck_begun=$(mktemp) || return
	nice -n 19 make -C "$top/build" -s -j"$jobs" distcheck >"$top/build/distcheck.log" 2>&1 &
	distcheck_process=$!
}

end_distcheck() {
	if [[ -z $distcheck_process ]]; then
		if changed_since "$distcheck_stamp"; then
			broken 'distcheck did not begin'
		else
			say "distcheck: passed before, and nothing has changed since"
		fi
		return
	fi
	local before=$n_failed status
	wait "$distcheck_process"
	status=$?
	distcheck_process=''
	count_summary "$top/build/distcheck.log"
	if ((status)); then
		tail -n 40 "$top/build/distcheck.log" >&2
		show_failures "$top/build"/clpac-*/
		((n_failed > before)) || broken "make distcheck ended with status $status"
	fi
	judge_skips distcheck "$top/build/distcheck.log"
	if ((n_failed == before)); then
		mv -f "$distcheck_begun" "$distcheck_stamp"
	fi
	rm -f "$distcheck_begun"
}
distcheck_stamp=$top/build/.distcheck-passed distcheck_begun=''

# say_time - the seconds since the start, and those of processor time of all that has ended.
say_time() {
	times >"$times" # not in a subshell, whose children these would be
	say "   $SECONDS s, $(awk -F '[ms ]+' '{ n += 60 * ($1 + $3) + $2 + $4 } END { printf "%.0f", n }' "$times") s of processor time"
}

# What runs in the background, nothing else, would outlive an interruption.
clean_up() {
	rm -f "$times"
	[[ -z $venv_process ]] || kill "$venv_process" 2>/dev/null
	[[ -z $python_process ]] || kill "$python_process" 2>/dev/null
	[[ -z $vendors_process ]] || kill "$vendors_process" 2>/dev/null
	[[ -z $distcheck_process ]] || kill "$distcheck_process" 2>/dev/null
}

main() {
	local quick=0 argument
	for argument; do
		case $argument in
		--quick) quick=1 ;;
		--full) export CLPAC_TEST_SWEEPS=all ;;
		*) say "usage: scripts/check.sh [--quick | --full]"; exit 2 ;;
		esac
	done

	times=$(mktemp) || exit 1
	trap clean_up EXIT
	need_packages "${build_packages[@]}" "${check_packages[@]}" || exit 1

	say "== build: everything that is here"
	if configure_in "$top/build" "${options[@]}"; then
		begin_venv
		export CLPAC_TEST_MESSAGES=$top/build/messages.said
		rm -f "$CLPAC_TEST_MESSAGES"
		check_in "$top/build" build
		messages
		unset CLPAC_TEST_MESSAGES
		corpus
		wait "$venv_process"
		venv_process=''
	else
		broken 'configure'
	fi
	say_time

	if ! ((quick)); then
		if [[ -f $top/build/Makefile ]]; then
			# Before the vendors' compilers are fetched, since this renews the lists of packages.
			need_packages "${device_packages[@]}" || say 'devices: goes on with what is installed'
			begin_beside
		fi

		say "== build-asan: native, under the sanitizers"
		make_variables=("$sanitized_kernels")
		if configure_in "$top/build-asan" "${sanitized[@]}" --enable-sanitizers=address,undefined --without-opencl \
			"${options[@]}"; then
			check_in "$top/build-asan" build-asan
		else
			broken 'configure with sanitizers'
		fi
		say_time

		say "== build-tsan: several threads, under the thread sanitizer"
		if configure_in "$top/build-tsan" "${sanitized[@]}" --enable-sanitizers=thread "${options[@]}"; then
			# PoCL compiles kernels outside of the sanitizer's view: what it made for build/ is taken.
			POCL_CACHE_DIR=$top/build/tests/cache/pocl/kcache check_in "$top/build-tsan" build-tsan "${thread_tests[@]}"
		else
			broken 'configure with the thread sanitizer'
		fi
		make_variables=()
		say_time

		say "== cluster: Slurm, Open MPI, Snakemake"
		[[ ! -x $top/build/clpac ]] || checked cluster
		say_time

		say "== container: Dockerfile, Apptainer"
		[[ ! -x $top/build/clpac ]] || checked container
		say_time

		say "== report: pages of results in Chromium"
		[[ ! -x $top/build/clpac ]] || checked report
		say_time

		say "== devices: other OpenCL implementations; and the bundle"
		if [[ -f $top/build/Makefile ]]; then
			devices
			bundle
		fi
		say_time

		say "== what ran beside: vendors, the compilers of GPUs; python, the wheel; distcheck"
		if [[ -f $top/build/Makefile ]]; then
			end_vendors
			end_python
			end_distcheck
		fi
		say_time
	fi

	echo "$n_passed passed, $n_failed failed, $n_skipped skipped"
	((n_failed == 0))
}

main "$@"

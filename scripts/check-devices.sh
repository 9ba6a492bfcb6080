#!/usr/bin/env bash
# check-devices.sh BUILD [IMPLEMENTATION...] - the device tests on OpenCL implementations that need no hardware, each in a
# process of its own that sees no other installed implementation:
#
#     rusticl    Mesa's, on the CPU (llvmpipe); Debian's mesa-opencl-icd
#     oclgrind   a simulator that reports races, uninitialised values and wrong calls; Debian's oclgrind
#     intel      Intel's CPU runtime, from the Python package index, unpacked in BUILD/devices
#     card       PoCL, which plays a card: a GPU with a GPU's limits (tests/card)
#     together   PoCL, rusticl and the native device in one run: only tests/flow/test_several_opencl
#
# They run contracts, properties and flows, without what the host arranges in the same way for every implementation: PoCL shows
# that in `make check`.  With CLPAC_TEST_SWEEPS=all (check.sh --full) they run it too.  The simulator runs only contracts.  A
# missing implementation is skipped with its reason.  Two implementations run at a time.  The last line sums up: "N passed, N
# failed, N skipped", counting programs and skipped implementations.
# BUILD/devices/NAME holds the logs and the row for doc/devices.md.
set -u
# shellcheck source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

build=$(cd "${1:?usage: check-devices.sh BUILD [IMPLEMENTATION...]}" && pwd) || exit 1
shift
(($#)) || set -- rusticl oclgrind card intel together
n_passed=0 n_failed=0 n_skipped=0

# vendor NAME LIBRARY - makes a folder of vendors with only this library in it.
vendor() {
	mkdir -p "$build/devices/$1/vendors" && echo "$2" >"$build/devices/$1/vendors/$1.icd"
}

# run NAME VARIABLE... - runs the device tests with one implementation and these variables.
run() {
	local name=$1 folder=$build/devices/$1 passed failed skipped
	shift
	if ! env OCL_ICD_VENDORS="$folder/vendors" CLPAC_TEST_FOLDER="$folder" CLPAC_TEST_DEVICE=backend=opencl "$@" \
		make -C "$build" -s run-check-device >"$folder/output" 2>&1; then
		grep -vE '^(passed|skipped|device|FAILED|figures|\|)' "$folder/output" | tail -n 60 >&2
	fi
	grep -E '^(device|skipped|FAILED|figures) ' "$folder/output" >&2
	read -r passed failed skipped < <(sed -nE 's/^([0-9]+) passed, ([0-9]+) failed, ([0-9]+) skipped$/\1 \2 \3/p' "$folder/output" | tail -n 1)
	if [[ -z ${skipped-} ]]; then
		say "$name: nothing was tested"
		failed=1
	fi
	n_passed=$((n_passed + ${passed:-0})) n_failed=$((n_failed + failed)) n_skipped=$((n_skipped + ${skipped:-0}))
}

skip() {
	n_skipped=$((n_skipped + 1))
	say "SKIP: $1: $2"
}

# find_library NAME - the path of an installed library that is not on the loader's paths.
find_library() {
	find /usr/lib /usr/local/lib -name "$1" -print -quit 2>/dev/null
}

check_rusticl() {
	local library
	library=$(find_library 'libRusticlOpenCL.so.1')
	[[ -n $library ]] || { skip rusticl 'not installed (Debian: mesa-opencl-icd)'; return; }
	vendor rusticl "$library" && run rusticl RUSTICL_ENABLE=llvmpipe "${without_arrangement[@]}" \
		CLPAC_TEST_LEAVE_OUT="$(leave_out 'test_opencl_failures=compiles some hundred programs, for two minutes')"
}

# A law stays where an implementation can break it: by its compiler, its arithmetic, its memory objects, its events and queues.
# One of batches, chunks, caps, selections, devices or refusals can be broken by the host alone.
without_arrangement=(CLPAC_TEST_NO_TAGS=arrangement)
[[ ${CLPAC_TEST_SWEEPS-} != all ]] || without_arrangement=()

# leave_out NAME=REASON - the same, or nothing where nothing is left out.
leave_out() {
	[[ ${CLPAC_TEST_SWEEPS-} == all ]] || echo "$1"
}

# Two runs, since both checks at once take longer than each alone.  Transforms of long rows, whose kernels are the engines' own,
# are left out: they take minutes, and with the check for uninitialised values Oclgrind 21.10 computes them wrongly.
check_oclgrind() {
	local library slow='hours of simulation' left_out
	# The reports name samples whose phase is about 1 to 2 and -2 to -1, of an array that is written whole, and none where all
	# phases are smaller.
	local by_value='Oclgrind 21.10 takes some numbers of the caller for unset, by their value'
	library=$(find_library 'liboclgrind-rt-icd.so')
	[[ -n $library ]] || { skip oclgrind 'not installed (Debian: oclgrind)'; return; }
	vendor oclgrind "$library" && vendor oclgrind-uninitialised "$library" || return
	# Oclgrind's checks keep their state per thread and crash in any but the first.
	left_out="test_opencl_failures=its failures are its own; test_context_threads_opencl=several threads"
	left_out+="; test_fft_lengths_opencl=$slow; test_enqueue_opencl=$slow; test_opencl_enqueue=$slow"
	left_out+="; test_opencl_limits=$slow; test_opencl_batch=$slow; test_opencl_ahead=$slow"
	run oclgrind OCLGRIND_DATA_RACES=1 OCLGRIND_CHECK_API=1 OCLGRIND_LOG="$build/devices/oclgrind/reports" \
		CLPAC_TEST_NOTE='races and calls checked' CLPAC_TEST_LEAVE_OUT="$left_out" "${with_oclgrind[@]}"
	run oclgrind-uninitialised OCLGRIND_UNINITIALIZED=1 OCLGRIND_LOG="$build/devices/oclgrind-uninitialised/reports" \
		CLPAC_TEST_NOTE='uninitialised values checked' "${with_oclgrind[@]}" \
		CLPAC_TEST_LEAVE_OUT="$left_out; test_moving_opencl=several threads; test_opencl_panels=$by_value"
}
with_oclgrind=(OCLGRIND_NUM_THREADS=1 OCLGRIND_MAX_ERRORS=10000000 CLPAC_TEST_READER="$top/scripts/oclgrind-verdict.sh"
	CLPAC_TEST_FIGURES=no CLPAC_TEST_ONLY=contract CLPAC_TEST_NO_TAGS='threads long')

# Wheels are unpacked, not installed; the runtime finds its libraries in its own folder.
fetch_intel() {
	local folder=$build/devices/intel/runtime version wheel
	[[ ! -f $folder/libintelocl.so ]] || return 0
	local pip=(python3 -m pip --disable-pip-version-check download -q --only-binary=:all: --no-cache-dir -d "$folder/wheels")
	rm -rf "$folder"
	mkdir -p "$folder/wheels"
	"${pip[@]}" intel-opencl-rt >&2 || return
	version=$(find "$folder/wheels" -name 'intel_opencl_rt-*.whl' | sed -nE 's/.*intel_opencl_rt-([^-]+)-.*/\1/p')
	# The runtime's declared requirements omit the library of the compiler that built it.
	"${pip[@]}" --no-deps "intel-cmplr-lib-rt==$version" >&2 || return
	for wheel in "$folder"/wheels/*.whl; do
		python3 -m zipfile -e "$wheel" "$folder/unpacked" || return
	done
	find "$folder/unpacked" -path '*.data/data/lib/*' -type f ! -name 'libOpenCL*' -exec mv -t "$folder" {} + || return
	rm -rf "$folder/wheels" "$folder/unpacked"
}

check_intel() {
	[[ $(uname -m) == x86_64 ]] || { skip intel 'there is one for x86_64 alone'; return; }
	python3 -m pip --version >/dev/null 2>&1 || { skip intel 'pip is missing (Debian: python3-pip)'; return; }
	fetch_intel || { skip intel 'its packages could not be had from the Python package index'; return; }
	vendor intel "$build/devices/intel/runtime/libintelocl.so" && run intel \
		"${without_arrangement[@]}" \
		CLPAC_TEST_LEAVE_OUT="$(leave_out 'test_opencl_failures=compiles some hundred programs at two seconds each')"
}

# A card has other plans than a CPU, and so other programs, which PoCL compiles for minutes: what no card changes is left out.
check_card() {
	local library layer=$build/tests/card/.libs/card.so left_out='' name
	[[ -f $layer ]] || { skip card 'the headers of layers are missing (Debian: opencl-headers)'; return; }
	library=$(find_library 'libpocl.so.2')
	[[ -n $library ]] || { skip card 'PoCL is not installed (Debian: pocl-opencl-icd)'; return; }
	for name in test_opencl test_opencl_cache test_opencl_failures test_opencl_interop test_fft_lengths_opencl; do
		left_out+="$name=PoCL, in make check: a card changes nothing of it; "
	done
	left_out+="test_laws_opencl=compiles some hundred programs of plans for a card; "
	vendor card "$library" && run card OPENCL_LAYERS="$layer" CLPAC_TEST_CARD_PLAIN=1 CLPAC_TEST_CARD_UNITS=132 \
		CLPAC_TEST_CARD_GROUP=1024 CLPAC_TEST_DEVICE=gpu CLPAC_TEST_FIGURES=no CLPAC_TEST_NOTE='a card played on PoCL' \
		"${without_arrangement[@]}" CLPAC_TEST_LEAVE_OUT="$(leave_out "$left_out")"
}

check_together() {
	local folder=$build/devices/together test=tests/flow/test_several_opencl mesa pocl
	mesa=$(find_library 'libRusticlOpenCL.so.1') pocl=$(find_library 'libpocl.so.2')
	[[ -n $mesa && -n $pocl ]] || { skip together 'PoCL or rusticl is not installed (Debian: pocl-opencl-icd, mesa-opencl-icd)'; return; }
	vendor together "$mesa" && echo "$pocl" >"$folder/vendors/pocl.icd"
	# Three ways to open the devices: each beside native, and both.
	if OCL_ICD_VENDORS=$folder/vendors RUSTICL_ENABLE=llvmpipe XDG_CACHE_HOME=$build/tests/cache \
		timeout -k 10 1800 "$build/$test" >"$folder/output" 2>&1 &&
		(($(grep -c '^ok .*who_computes_a_series' "$folder/output") == 3)); then
		n_passed=$((n_passed + 1))
		say "passed   $test: PoCL, rusticl and native"
	else
		n_failed=$((n_failed + 1))
		say "FAILED   $test: PoCL, rusticl and native"
		tail -n 60 "$folder/output" >&2
	fi
}

# begin NAME - runs one implementation's check in a process of its own; what it says and counts goes into its folder.
# rusticl passes each command from thread to thread, and waits a time slice for each while others compute: with them at the
# same priority it took 188 s where it takes 15.
begin() {
	local folder=$build/devices/$1
	mkdir -p "$folder" && rm -f "$folder/counts" || exit 1
	([[ $1 == rusticl ]] || renice -n 10 -p "$BASHPID" >/dev/null 2>&1
		"check_$1" && echo "$n_passed $n_failed $n_skipped" >"$folder/counts") 2>"$folder/said" &
}

# end NAME - shows what it said, and adds what it counted.
end() {
	local folder=$build/devices/$1 passed failed skipped
	cat "$folder/said" >&2
	if read -r passed failed skipped 2>/dev/null <"$folder/counts"; then
		n_passed=$((n_passed + passed)) n_failed=$((n_failed + failed)) n_skipped=$((n_skipped + skipped))
	else
		n_failed=$((n_failed + 1))
		say "$1: the check ended before its counts"
	fi
}

for implementation; do
	case $implementation in
	rusticl | oclgrind | card | intel | together) ;;
	*)
		say "check-devices.sh: no implementation '$implementation': there are rusticl, oclgrind, card, intel and together"
		exit 2
		;;
	esac
done
# Everything is built before: two makes at once would write the same objects.
make -C "$build" -s -j"$jobs" build-check-device >&2 || exit 1
# Two at a time, since half of this is simulation and compilation in one thread.
trap 'kill $(jobs -p) 2>/dev/null; exit 1' INT TERM
for implementation; do
	while (($(jobs -pr | wc -l) >= 2)); do wait -n; done
	begin "$implementation"
done
wait
for implementation; do end "$implementation"; done
echo "$n_passed passed, $n_failed failed, $n_skipped skipped"
((n_failed == 0))

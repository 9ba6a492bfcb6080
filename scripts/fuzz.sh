#!/usr/bin/env bash
# fuzz.sh - runs the fuzzing targets tests/fuzz/fuzz_NAME.c under libFuzzer with AddressSanitizer and UBSan.
#
#     scripts/fuzz.sh NAME [SECONDS]      one target, for this long (60)
#     scripts/fuzz.sh all [SECONDS]       each of them, one after the other
#     scripts/fuzz.sh NAME INPUT...       replays inputs
#
# Prints a row for doc/reliability.md for each target: how often it ran, how many edges of the code it reached, what it found.
# The exit status is 0 only when nothing was found.  It begins with the inputs of tests/data/fuzz/NAME and the words of
# tests/fuzz/dictionaries/NAME.dict.  All its files are in build-fuzz/: the library for the fuzzer, inputs that reached something
# new, which the next run begins with too, logs, and inputs that failed, which are named in the output.  make check runs the same
# targets on the inputs in the tree, without a fuzzer.
set -euo pipefail
# shellcheck source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$top"

folder=build-fuzz
export ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1
mapfile -t targets < <(find tests/fuzz -name 'fuzz_*.c' ! -name fuzz_input.c ! -name fuzz_numbers.c ! -name fuzz_mutator.c \
	-printf '%f\n' | sed 's/^fuzz_//; s/\.c$//' | LC_ALL=C sort)

is_target() {
	local name
	for name in "${targets[@]}"; do
		[[ $name != "$1" ]] || return 0
	done
	return 1
}

usage() {
	say "usage: scripts/fuzz.sh NAME|all [SECONDS], or scripts/fuzz.sh NAME INPUT...; the names are ${targets[*]}"
	exit 2
}

# The libraries with the fuzzer's counters in them.  Nothing of OpenCL and cairo is reached by a target.
build_libraries() {
	need_packages "${build_packages[@]}" clang || exit 1
	CC=${CLANG:-clang} CFLAGS="-O1 -g -fsanitize=fuzzer-no-link" configure_in "$top/$folder/tree" \
		--enable-sanitizers=address,undefined --without-opencl --without-cairo >&2
	# clang does not know every warning that the makefile turns off for gcc.
	make -C "$folder/tree" -s -j"$jobs" libclpac-base.la libclpac-memory-core.la libclpac-core.la libclpac-io-core.la \
		libclpac-tool-core.la libclpac-native-{baseline,avx2,avx512}.la 2>&1 | grep -E 'error|\*\*\*' >&2 || true
}

# build_target NAME - links the target into build-fuzz/fuzz_NAME.
build_target() {
	local library=$folder/tree/.libs sources=("tests/fuzz/fuzz_$1.c") libraries samplerate
	if [[ $1 == offsets ]]; then
		sources+=(tests/support/offsets_shadow.c)
	else
		sources+=(tests/fuzz/fuzz_input.c tests/fuzz/fuzz_numbers.c tests/fuzz/fuzz_mutator.c)
	fi
	libraries=("$library"/libclpac-{tool-core,io-core,core,native-baseline,native-avx2,native-avx512,memory-core,base}.a)
	read -ra samplerate < <(sed -n 's/^SAMPLERATE_LIBS = //p' "$folder/tree/Makefile") # where this build has it
	"${CLANG:-clang}" -std=c11 -D_GNU_SOURCE -DCLPAC_FUZZ_ALONE -g -O1 -Wall -Wextra -fsanitize=fuzzer,address,undefined \
		-fno-sanitize-recover=all -Iinclude -I"$folder/tree/include" -Isrc -Itests -Itests/support "${sources[@]}" \
		-Wl,--start-group "${libraries[@]}" -Wl,--end-group -lzip -ljansson -lmd "${samplerate[@]}" -lz -ldl -pthread -lm \
		-o "$folder/fuzz_$1"
}

# run_target NAME SECONDS - prints the target's row.
run_target() {
	local name=$1 seconds=$2 corpus=$folder/corpus/$1 log=$folder/$1.log arguments=() runs edges verdict=nothing status=0
	mkdir -p "$corpus"
	arguments=(-max_total_time="$seconds" -max_len=8192 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1
		-artifact_prefix="$folder/$name-" "$corpus")
	[[ ! -d tests/data/fuzz/$name ]] || arguments+=("tests/data/fuzz/$name")
	[[ ! -f tests/fuzz/dictionaries/$name.dict ]] || arguments+=("-dict=tests/fuzz/dictionaries/$name.dict")
	# Each input of the whole program passes some twenty thousand features, whose frequencies are not worth the time to count them.
	[[ $name != program ]] || arguments+=(-entropic=0)
	"$folder/fuzz_$name" "${arguments[@]}" >"$log" 2>&1 || status=$?
	runs=$(sed -nE 's/^stat::number_of_executed_units: +([0-9]+)$/\1/p' "$log" | tail -n 1)
	edges=$(sed -nE 's/^#[0-9]+.* cov: ([0-9]+) .*/\1/p' "$log" | tail -n 1)
	if ((status)); then
		verdict=$(sed -nE "s#.*Test unit written to (.*)#\1#p" "$log" | tail -n 1)
		verdict="${verdict:-it ended with status $status}: $(grep -m1 -E '^SUMMARY|does not hold' "$log" || true)"
		grep -aE 'ERROR:|SUMMARY|does not hold|^ +#[0-9]+ .* in (clpac|tool|LLVMFuzzerTest)' "$log" | head -n 20 >&2 || true
	fi
	printf '| %-11s | %8s | %10s | %5s | %s |\n' "$name" "$seconds s" "${runs:-0}" "${edges:-0}" "$verdict"
	return "$status"
}

(($#)) || usage
chosen=("${targets[@]}")
if [[ $1 != all ]]; then
	is_target "$1" || usage
	chosen=("$1")
fi
shift
build_libraries
for name in "${chosen[@]}"; do
	build_target "$name"
done
if ((${#chosen[@]} == 1)) && [[ $# -gt 0 && -f $1 ]]; then
	exec "$folder/fuzz_${chosen[0]}" -timeout=10 "$@"
fi
[[ ${1:-60} =~ ^[0-9]+$ ]] || usage
failed=0
for name in "${chosen[@]}"; do
	run_target "$name" "${1:-60}" || failed=1
done
exit "$failed"

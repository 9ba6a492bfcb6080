#!/bin/sh
# collect.sh BUILD RESULTS [PART...] - runs the benches of a build and leaves their JSON lines in RESULTS/PART.jsonl,
# from which report.sh writes the pages.  A part that is measured anew replaces its file.
#
#     machine surrogates fft workloads several large recording start growth pool compare every_shift
#                                                                                without PART: all of them
#
# `make bench` in BUILD comes first.  compare and every_shift need the interpreter of peers/setup.sh in BENCH_PYTHON.
# BENCH_DEVICES holds selection strings: native and PoCL by default; BENCH_SEVERAL devices for one run, native+0:0.
set -eu
build=${1:?usage: collect.sh BUILD RESULTS [PART...]}
results=${2:?usage: collect.sh BUILD RESULTS [PART...]}
shift 2
[ $# -gt 0 ] || set -- machine surrogates fft workloads several large recording start growth pool compare every_shift
here=$(dirname "$0")
devices=${BENCH_DEVICES-native platform~portable}
run=$build/bench/run
mkdir -p "$results"

machine() { python3 "$here/report.py" machine "$(sed -n 's/^CC = //p' "$build/Makefile")" "$build/clpac"; }

surrogates() {
	for shape in '2048 512 50 32 200' '2048 512 10 10 200' '20000 2000 50 32 200'; do
		for device in $devices; do
			# shellcheck disable=SC2086 # words on purpose
			"$build/bench/surrogates" "$device" $shape
		done
	done
}

# The transforms of `default` by themselves, before and after the stage that they are a part of.
fft() {
	for device in $devices; do
		line=$("$run" --profile yes --device "$device" --repetitions 15 default)
		length=$(printf '%s\n' "$line" | sed 's/.*"fft_length": \([0-9]*\).*/\1/')
		printf '%s\n' "$line"
		"$build/bench/fft" "$device" "$length" 960
		"$run" --profile yes --device "$device" --repetitions 15 default
	done
}

workloads() {
	for device in $devices; do
		for workload in small-0 small default many-0; do
			"$run" --profile yes --device "$device" --repetitions 15 "$workload"
		done
	done
}

# The native device and PoCL with a core each, and both on all cores.
several() {
	POCL_MAX_PTHREAD_COUNT=1 "$build/bench/several" --threads 1 --series 64 "${BENCH_SEVERAL-native+0:0}" default | sed 's/^{/{"cores": "one each", /'
	"$build/bench/several" --series 64 "${BENCH_SEVERAL-native+0:0}" default | sed 's/^{/{"cores": "the same", /'
}

# Seconds each, and more where the machine is busy.
# `default` is there for the rate of `wide` to be compared with.
large() {
	for device in $devices; do
		"$run" --profile yes --device "$device" --repetitions 5 default
		for workload in fast-sampled wide many long; do
			"$run" --profile yes --device "$device" --warm-up 0 --repetitions 2 "$workload"
		done
	done
}

# amplitude_bands N - the bands of bench/run, each a quarter as wide as its centre, as edges.
amplitude_bands() {
	awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) {
		c = 60 + i * 100 / (n - 1)
		printf "%s%.17g-%.17g", i ? "," : "", c * 0.875, c * 1.125 } }'
}

# Minutes.  Within the machine's memory, within a cap, and the program itself, from a file.
recording() {
	for device in $devices; do
		"$run" --profile yes --device "$device" --warm-up 0 --repetitions 1 recording
	done
	"$run" --profile yes --warm-up 0 --repetitions 1 --memory 300M recording
	"$run" --profile yes --warm-up 0 --repetitions 1 --memory 3G long
	samples=$(mktemp "${TMPDIR:-/tmp}/clpac-bench-XXXXXX")
	"$run" --profile yes --warm-up 0 --repetitions 1 --surrogates 0 --phase 1 --amplitude 1 --write "$samples" recording >/dev/null
	mv "$samples" "$samples.npy"
	python3 "$here/start.py" "$build/clpac" "$samples.npy" 1000 --name recording --cold 1 --repetitions 0 -- \
		--phase 2:20:20 --amplitude "$(amplitude_bands 20)"
	rm -f "$samples.npy"
}

start() {
	samples=$(mktemp "${TMPDIR:-/tmp}/clpac-bench-XXXXXX")
	"$run" --profile yes --repetitions 1 --write "$samples" small >/dev/null
	mv "$samples" "$samples.npy"
	for device in $devices; do
		python3 "$here/start.py" "$build/clpac" "$samples.npy" 512 --device "$device" --cold 3 -- \
			--amplitude "$(amplitude_bands 10)"
	done
	rm -f "$samples.npy"
}

# One size at a time over two decades, the rest as in `small`.
growth() {
	grow() {
		what=$1
		shift
		for n; do "$run" --profile yes --device "$device" --repetitions 5 "--$what" "$n" small; done
	}
	for device in $devices; do
		grow samples 1024 3200 10240 32000 102400
		grow phase 1 3 10 32 100
		grow amplitude 1 3 10 32 100
		grow surrogates 10 32 100 320 1000
		grow series 1 3 10 32 100
	done
}

# Half an hour and more; bench/pool --only takes one scenario of it.
pool() {
	for device in $devices; do
		"$build/bench/pool" --device "$device"
		"$build/bench/pool" --device "$device" --setting default --only S15
	done
}

compare() { "$here/compare.sh" "$run" "${BENCH_PYTHON:?the interpreter of peers/setup.sh}" small-0 small default; }

# Every shift beside 200 of them, and beside tensorpac with 200 of its own on the samples of `default`: in turns, in many short
# rounds, so that a busy moment meets one of them.
every_shift() {
	samples=$(mktemp "${TMPDIR:-/tmp}/clpac-bench-XXXXXX")
	default=$("$run" --device native --repetitions 1 --write "$samples" default)
	mv "$samples" "$samples.npy"
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
		for workload in default default-all default-glm default-gcmi; do
			"$run" --device native --repetitions 3 "$workload"
		done
	done
	"${BENCH_PYTHON:?the interpreter of peers/setup.sh}" "$here/peers/peer.py" tensorpac "$samples.npy" "$default" \
		--repetitions 3 --clpac "$run --device native --paced yes default-all"
	rm -f "$samples.npy"
}

for part; do
	"$part" >"$results/$part.part"
	mv "$results/$part.part" "$results/$part.jsonl"
	echo "$results/$part.jsonl" >&2
done

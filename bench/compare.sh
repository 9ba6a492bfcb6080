#!/bin/sh
# compare.sh RUN PYTHON [WORKLOAD...] - clpac against its peers, taking turns, run by run, on the same samples.
#
# RUN is bench/run of a build, PYTHON the interpreter of peers/setup.sh.  Prints JSON lines: the peer's, ours, and their
# ratio.  Where a peer is too slow it computes fewer series or surrogates, and its time is scaled up (peers/peer.py says how).
#
#     BENCH_DEVICES       selection strings, native and PoCL by default
#     BENCH_PEERS         tensorpac and gpac by default
#     BENCH_REPETITIONS   pairs, 5 by default
#
# A peer that cannot be imported ends it before anything is measured.  A peer that fails is named with its workload and
# device; the others are still measured, and the exit status is 1.
set -eu
run=${1:?usage: compare.sh RUN PYTHON [WORKLOAD...]}
python=${2:?usage: compare.sh RUN PYTHON [WORKLOAD...]}
shift 2
[ $# -gt 0 ] || set -- small-0 small default
here=$(dirname "$0")
samples=$(mktemp "${TMPDIR:-/tmp}/clpac-compare-XXXXXX")
trap 'rm -f "$samples" "$samples.npy"' EXIT

# part PEER WORKLOAD - how much of it the peer is given, and how often.
part() {
	case $1-$2 in
	tensorpac-default) echo --surrogates 20 ;;
	gpac-default) echo --series 4 --surrogates 5 ;;
	*-small-0) echo --repetitions 40 ;; # milliseconds: a busy moment is longer than a run
	tensorpac-wide) echo --series 1 --surrogates 4 ;;
	gpac-wide) echo --series 1 --surrogates 2 ;;
	esac
}

for peer in ${BENCH_PEERS-tensorpac gpac}; do
	"$python" "$here/peers/peer.py" --check "$peer" || {
		echo "compare.sh: $python does not have $peer: peers/setup.sh installs it, BENCH_PEERS leaves it out" >&2
		exit 1
	}
done

n_failed=0
for workload; do
	line=$("$run" --repetitions 1 --write "$samples" "$workload")
	mv "$samples" "$samples.npy"
	for peer in ${BENCH_PEERS-tensorpac gpac}; do
		for device in ${BENCH_DEVICES-native platform~portable}; do
			# shellcheck disable=SC2046 # words on purpose
			"$python" "$here/peers/peer.py" "$peer" "$samples.npy" "$line" --repetitions "${BENCH_REPETITIONS-5}" \
				$(part "$peer" "$workload") --clpac "$run --device $device --paced yes $workload" || {
				echo "compare.sh: $peer failed on $workload beside $device, with exit status $?" >&2
				n_failed=$((n_failed + 1))
			}
		done
	done
	rm -f "$samples.npy"
done
if [ "$n_failed" -gt 0 ]; then
	echo "compare.sh: $n_failed comparisons failed" >&2
	exit 1
fi

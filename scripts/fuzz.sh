#!/usr/bin/env bash
# fuzz.sh - runs a fuzzing target of tests/fuzz/ under libFuzzer with AddressSanitizer and UBSan; needs only clang, and no build.
#
#     scripts/fuzz.sh [TARGET [SECONDS]]      fuzz_TARGET.c (offsets), for this long (60)
#     scripts/fuzz.sh TARGET INPUT...         replays inputs
#
# All its files are in build-fuzz/: the corpus, which grows from run to run, and inputs that failed, named in the output.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${1:-offsets}
shift $(($# < 1 ? $# : 1))

case $target in
offsets) sources=(tests/support/offsets_shadow.c src/pool/offsets.c src/pool/offsets_check.c) ;;
*)
	echo "fuzz.sh: no target '$target': there is offsets" >&2
	exit 2
	;;
esac

clang=${CLANG:-clang}
command -v "$clang" >/dev/null || {
	echo "fuzz.sh: $clang is missing (Debian: clang); make check runs the target on generated input without it" >&2
	exit 1
}

folder=build-fuzz
mkdir -p "$folder/$target"
"$clang" -std=c11 -D_GNU_SOURCE -g -O1 -Wall -Wextra -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
	-Iinclude -Isrc -Itests/support "tests/fuzz/fuzz_$target.c" "${sources[@]}" \
	src/base/error.c src/base/memory.c -lm -o "$folder/fuzz_$target"
if [[ $# -gt 0 && -f $1 ]]; then
	exec "$folder/fuzz_$target" -timeout=10 "$@"
fi
exec "$folder/fuzz_$target" -max_total_time="${1:-60}" -max_len=4096 -timeout=10 -print_final_stats=1 \
	-artifact_prefix="$folder/" "$folder/$target"

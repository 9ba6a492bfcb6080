#!/usr/bin/env bash
# mutate.sh [--seed=N] [--jobs=N] [FILE...] [SECONDS] - plants mistakes in the sources, and tells which of them the tests notice.
# mutate.sh --again [--seed=N] [--jobs=N] [FILE...] - tries those once more that no test noticed, with the tests of today.
#
# The mistakes are drawn at random, by default in all of src/ and cl/, for this long (1200 s): seed and order are the same
# everywhere, the number depends on the machine.  universalmutator makes them; it is fetched from the Python package index into
# build-mutation/venv.  Which tests are run for which file is in tests/mutation.txt.  The tests are those of a copy of the tree,
# build-mutation/tree.
#
# Prints every mistake that no test noticed, and the rows for doc/reliability.md; all mistakes are in build-mutation/log.
# Results are kept in build-mutation/results, and the next run goes on behind them; they count for as long as the file stays
# as it is.
set -euo pipefail
# shellcheck source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$top"

folder=$top/build-mutation version=1.14.1 seed=1 seconds=1200 again=0 workers=$jobs files=()
for argument; do
	case $argument in
	--seed=*) seed=${argument#--seed=} ;;
	--jobs=*) workers=${argument#--jobs=} ;;
	--again) again=1 ;;
	[0-9]*) seconds=$argument ;;
	src/*.c | cl/*.cl) files+=("$argument") ;;
	*)
		say "usage: scripts/mutate.sh [--again] [--seed=N] [--jobs=N] [FILE...] [SECONDS]; a file is one of src/ or cl/"
		exit 2
		;;
	esac
done

need_packages "${build_packages[@]}" "${check_packages[@]}" || exit 1
python3 -c 'import venv, ensurepip' 2>/dev/null || need_packages python3-venv || exit 1
mkdir -p "$folder"
if [[ ! -x $folder/venv/bin/mutate ]]; then
	python3 -m venv "$folder/venv"
	"$folder/venv/bin/pip" --disable-pip-version-check install -q "universalmutator==$version" >&2
fi

# The copy is made anew, and what was built of it stays.  Programs without shared libraries take any object in the place of the right
# one, and comparing objects needs no line numbers.
rm -rf "$folder/source"
mkdir -p "$folder/source" "$folder/tree"
git ls-files -z --cached --others --exclude-standard | tar -c --null -T - | tar -x -C "$folder/source"
(cd "$folder/source" && find . -type f ! -exec cmp -s {} "$folder/tree/{}" \; -print0 | tar -c --null -T - | tar -x -C "$folder/tree")
rm -rf "$folder/source"
[[ -x $folder/tree/configure ]] || (cd "$folder/tree" && autoreconf -fi) >&2
if [[ ! -f $folder/tree/build/Makefile ]]; then
	mkdir -p "$folder/tree/build"
	(cd "$folder/tree/build" && ../configure -q --disable-shared --disable-hardening CFLAGS=-Os) >&2
fi
make -C "$folder/tree/build" -s -j"$jobs" all libclpac-tests.la >&2
"$folder/venv/bin/python" scripts/mutate.py "$folder/tree" "$seconds" "$seed" "$workers" "$again" "${files[@]}" \
	2> >(tee -a "$folder/log" >&2)

#!/usr/bin/env bash
# check-bundle.sh BUILD - rehearses the bundle of a build folder (make device-bundle) where no card is: in a root folder of its own,
# without compiler, headers, Python, network and this tree, on PoCL, which plays a card (tests/card).  Workloads are tiny, and two
# programs stand for the tests.  It needs the right to change the root folder, as root has.
#
# BUILD/bundle-check holds what the two runs left.  The last line is "N passed, N failed, N skipped".
set -u
# shellcheck source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

build=$(cd "${1:?usage: check-bundle.sh BUILD}" && pwd) || exit 1
bundle=$build/device-bundle results=$build/bundle-check layer=$build/tests/card/.libs/card.so
cache=${POCL_CACHE_DIR:-$build/tests/cache/pocl/kcache}
n_passed=0 n_failed=0 n_skipped=0

finish() {
	echo "$n_passed passed, $n_failed failed, $n_skipped skipped"
	((n_failed == 0))
	exit
}

skip() {
	n_skipped=$((n_skipped + 1))
	say "SKIP: bundle: $1"
	finish
}

# verdict STATUS WHAT - counts and says how a part ended.
verdict() {
	if (($1)); then
		n_failed=$((n_failed + 1))
		say "FAILED: bundle: $2"
	else
		n_passed=$((n_passed + 1))
		say "passed: bundle: $2"
	fi
}

# What the bundle asks of a machine.
tools=(bash sh awk basename cat cp cut date dirname env grep head ls mkdir mktemp nproc rm sed seq sort tail tee timeout tr uname uniq)
libc=(libdl.so.2 libpthread.so.0 librt.so.1 libresolv.so.2 libmvec.so.1)
# What PoCL links with, through the linker.
linked=(libgcc.a libgcc_s.so crtbegin.o libc.so libm.so libc_nonshared.a)

# closure FILE... - the files and the libraries that they load, each once.
closure() {
	local file
	for file; do
		echo "$file"
		ldd "$file" 2>/dev/null | awk '$3 ~ "^/" { print $3 } $1 ~ "^/" { print $1 }'
	done | sort -u
}

# add FILE... - the same path in the root folder, as a link where one file system holds both.
add() {
	local file
	for file; do
		mkdir -p "$root$(dirname "$file")"
		cp -rlL "$file" "$root$file" 2>/dev/null || cp -rL "$file" "$root$file" || return
	done
}

# make_root - the tools, the C library, and PoCL, which is here what a card's driver is, with the linker that it calls.  /bin and /lib
# lead to /usr, as on systems of today.
make_root() {
	local name paths=()
	mkdir -p "$root"/{usr/bin,usr/lib,usr/lib64,dev,proc,sys,tmp,bundle,results,cache,vendors} || return
	ln -s usr/bin usr/lib usr/lib64 "$root/" || return
	for name in "${tools[@]}"; do
		paths+=("$(command -v "$name")") || return
	done
	mapfile -t paths < <(closure "${paths[@]}" "$pocl" "$(command -v ld)")
	for name in "${libc[@]}"; do
		paths+=("$(dirname "$pocl")/$name")
	done
	for name in "${linked[@]}"; do
		paths+=("$(realpath -s "$(gcc -print-file-name="$name")")")
	done
	add "${paths[@]}" || return
	for name in /usr/share/pocl "$(dirname "$pocl")/pocl"; do
		[[ ! -d $name ]] || add "$name" || return
	done
	echo "$pocl" >"$root/vendors/pocl.icd"
	cp "$layer" "$root/vendors/card.so" && cp -r "$bundle/." "$root/bundle/"
}

# enter NAME VARIABLE=VALUE... - runs the bundle in the root folder, with no network, in mounts that end with it.
enter() {
	# shellcheck disable=SC2016 # expanded by the inner shell
	root=$root results=$results cache=$cache name=$1 unshare --mount --net "${as_root[@]}" bash -c '
		for folder in dev proc sys; do mount --rbind "/$folder" "$root/$folder" || exit 125; done
		mount --bind "$results" "$root/results" && mount --bind "$cache" "$root/cache" || exit 125
		exec chroot "$root" /usr/bin/env -i PATH=/usr/bin:/bin POCL_CACHE_DIR=/cache OPENCL_LAYERS=/vendors/card.so \
			CLPAC_BUNDLE_VENDORS=/vendors "$@" bash /bundle/run.sh "/results/$name"' - "${@:2}"
}

# is_bare - the root folder has nothing that builds or interprets; PoCL has headers of its own.
is_bare() {
	! find "$root" -path "$root/usr/share/pocl" -prune -o ! -type d \( -name 'gcc*' -o -name cc -o -name 'clang' -o -name 'python*' \
		-o -name '*.h' -o -name '*.la' \) -print | grep .
}

# has_figures - each workload with each engine has its seconds.
has_figures() {
	local workload name
	for workload in default small; do
		for name in vkfft clfft native launches; do
			grep -qE "^\{\"step\": \"$workload $name\".*\"seconds\": [0-9]" "$results/whole/figures.jsonl" || return
		done
		grep -qE "^\| $workload \| [0-9][^|]* \| [0-9][^|]* \| [0-9]" "$results/whole/summary.md" || return
	done
	grep -qE "^\{\"step\": \"default launches\".*\"kernels\": [1-9]" "$results/whole/figures.jsonl"
}

# fits - what is left can be carried home: few files, none of them large.
fits() {
	local n
	n=$(find "$results/whole" -type f | wc -l)
	((n <= 8)) && [[ -z $(find "$results/whole" -size +16M) ]]
}

[[ -x $bundle/run.sh ]] || { verdict 1 "there is none; make device-bundle"; finish; }
[[ -f $layer ]] || skip 'the layer that plays a card is not built'
pocl=$(find /usr/lib /usr/local/lib -name libpocl.so.2 -print -quit 2>/dev/null)
[[ -n $pocl ]] || skip 'PoCL is not here'
as_root=()
((EUID == 0)) || as_root=(--map-root-user)
unshare --mount --net "${as_root[@]}" chroot / true 2>/dev/null || skip 'this user may not change the root folder'

root=$(mktemp -d) || exit 1
trap 'rm -rf --one-file-system "$root"' EXIT
rm -rf "$results"
mkdir -p "$results" "$cache"
make_root || { verdict 1 'the root folder cannot be made'; finish; }
is_bare >&2
verdict $? 'nothing there builds or interprets'

enter whole CLPAC_BUNDLE_SIZE='--series 2 --samples 600 --phase 2 --amplitude 3 --surrogates 5' CLPAC_BUNDLE_SCALE=3 \
	CLPAC_BUNDLE_WORKLOADS='default small' CLPAC_BUNDLE_TESTS='test_queue_opencl test_pool_opencl' >"$results/whole.log" 2>&1
status=$?
((status == 0)) || cat "$results/whole.log" >&2
verdict $status 'every step and test of the small run'
has_figures
verdict $? 'each workload has figures of every engine'
grep -qE '^[1-9][0-9]* passed, 0 failed' "$results/whole/summary.md" 2>/dev/null
verdict $? 'the summary counts tests'
fits
verdict $? 'what it leaves is at most 8 files'

# Ten minutes of 64 channels take longer than a second anywhere: their steps run out, or are not begun, and the tests still run.
enter cut CLPAC_BUNDLE_SCALE=0.03 CLPAC_BUNDLE_WORKLOADS=recording CLPAC_BUNDLE_TESTS=test_queue_opencl >"$results/cut.log" 2>&1
sed -n '/^Ran out of time/,$p' "$results/cut/summary.md" | grep -qx -- '- recording native' && grep -q '^# test_queue_opencl' "$results/cut/tests.tap"
status=$?
((status == 0)) || cat "$results/cut.log" >&2
verdict $status 'steps that run out are named, and the others go on'
finish

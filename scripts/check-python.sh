#!/usr/bin/env bash
# check-python.sh BUILD - checks what a user of Python gets: the wheel of clpac's Python package (wheel.sh), in environments that hold
# nothing else but what it asks for, the pages (docs.sh), whose examples run, and the site of the
# project (site.sh).  What the package computes is held by tests/flow/python_package.test.
#
# Prints TAP, with the seconds of each part; what the network, or this machine, does not give is skipped with the reason.  The last
# line is "N passed, N failed, N skipped".
# shellcheck disable=SC2317 # functions that check calls
set -u
# shellcheck source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
build=$(cd "${1:?usage: check-python.sh BUILD}" && pwd) || exit 1
folder=$build/python venv=$build/python/venv empty=$build/python/empty
# shellcheck source=tap.sh
. "$top/scripts/tap.sh"
# PoCL compiles kernels once for these and all other tests.
export POCL_CACHE_DIR=${POCL_CACHE_DIR:-$build/tests/cache/pocl/kcache}
mkdir -p "$POCL_CACHE_DIR"
# The program's own settings of the user decide nothing.
unset CLPAC_DEVICE CLPAC_CACHE

# build_or_skip WHAT SCRIPT ARGUMENT... - check, but a script that ends with 77 is skipped for the reason in its last line; false
# unless it succeeds.
build_or_skip() {
	local what=$1 begun=$SECONDS
	shift
	"$@" >"$folder/built" 2>&1
	case $? in
	77)
		skipped "$what" "$(tail -n 1 "$folder/built")"
		return 1
		;;
	0)
		check "$what" true
		echo "# $((SECONDS - begun)) s: $what"
		;;
	*)
		check "$what" sh -c "cat '$folder/built'; false"
		return 1
		;;
	esac
}

# The same numbers of the module and of the program that came with it, on the given device.
same_numbers() {
	(
		cd "$empty/run" && "$empty/bin/python" - "$1" <<-'END'
			import subprocess
			import sys

			import clpac
			import numpy as np

			options = dict(phase="5-7,9-11", amplitude="40-60,60-80", surrogates=19, device=sys.argv[1])
			x = np.random.default_rng(3).normal(size=(2, 4000)).astype("float32")
			np.save("x.npy", x)
			words = [word for key, value in options.items() for word in (f"--{key}", str(value))]
			subprocess.run([sys.executable, "-m", "clpac", "run", "x.npy", "--rate", "200", "-q", "-f", "-o", "x.npz", *words], check=True)
			made, wanted = clpac.pac(x, 200, **options), np.load("x.npz")
			[np.testing.assert_array_equal(getattr(made, name), wanted[name]) for name in ("mi", "z", "p", "p_max")]
		END
	)
}

# without_loader COMMAND... - where the system's OpenCL loader holds nothing, in a name space of our own.
without_loader() {
	# shellcheck disable=SC2016 # for the inner shell
	unshare --mount sh -c 'for file; do
		[ "$file" != -- ] || break
		mount --bind /dev/null "$file" || exit 1
		shift
	done; shift; exec "$@"' sh "${loaders[@]}" -- "$@"
}

has_native() {
	"$@" "$empty/bin/clpac" devices | tee "$folder/devices" && grep -q '^\* native ' "$folder/devices"
}

wheel_checks() {
	local wheels=("$folder"/wheel/dist/*.whl) loaders
	rm -rf "$empty"
	check 'it installs into an empty environment' sh -c "python3 -m venv '$empty' &&
		'$empty/bin/python' -m pip --disable-pip-version-check install -q --retries 1 '${wheels[0]}' && mkdir '$empty/run'"
	export XDG_CACHE_HOME=$empty/cache OPENBLAS_NUM_THREADS=1
	check 'its program has the version of this tree' sh -c "'$empty/bin/clpac' --version | grep -x 'clpac $(sed -n 's/^#define PACKAGE_VERSION "\(.*\)"/\1/p' "$build/config.h")'"
	check 'python -m clpac is that program' sh -c "[ \"\$('$empty/bin/python' -m clpac --version)\" = \"\$('$empty/bin/clpac' --version)\" ]"
	check 'it holds no part under the GPL' sh -c "'$empty/bin/clpac' --version | grep -x 'Licence: MIT'"
	check 'program and module have clpac-probe where they look for it' sh -c "
		test -x '$empty'/lib/clpac-memory*/clpac-probe && test -x '$empty'/lib/python*/site-packages/clpac/clpac-memory*/clpac-probe"
	check 'the module gives the numbers of the program' same_numbers native
	if "$empty/bin/clpac" devices | grep -q 'Portable Computing Language'; then
		check '    and on the OpenCL of the system, too' same_numbers platform~portable
		check 'its drivers are tried before' sh -c "! '$empty/bin/clpac' devices | grep untried"
	else
		skipped 'the module on OpenCL' 'PoCL is not here'
	fi
	check 'without a driver there is the native device' has_native env OCL_ICD_VENDORS=/nonexistent
	mapfile -t loaders < <(ldconfig -p | awk '/libOpenCL/ { print $NF }' | xargs -r realpath | sort -u)
	if unshare --mount true 2>/dev/null; then
		check 'without a loader, too' has_native without_loader
		check '    and the module runs' without_loader "$empty/bin/python" -c 'import clpac, numpy; clpac.pac(numpy.random.rand(4000), 200, surrogates=0)'
	else
		skipped 'without a loader' 'this user may not make a name space of mounts'
	fi
	# A figure, not a test: processor time, since other programs run beside this.
	"$empty/bin/python" -c 'import clpac' && "$empty/bin/python" - <<-'END'
		import os, subprocess, sys
		def seconds(what):
		    before = os.times()
		    subprocess.run([sys.executable, "-c", what], check=True)
		    return sum(os.times()[2:4]) - sum(before[2:4])
		whole, others, python = (min(seconds(what) for _ in range(7)) for what in ("import clpac", "import numpy, cffi", ""))
		print("# import clpac: %.3f s of processor time, of which NumPy and cffi %.3f s" % (whole - python, others - python))
	END
}

# static_program EXAMPLE PACKAGE - a program of doc/examples, linked with the static libraries that the wheel is made of, loads
# none of clpac's and runs.
static_program() {
	(
		local flags
		export PKG_CONFIG_PATH=$folder/wheel/prefix/lib/pkgconfig:$folder/wheel/static/prefix/lib/pkgconfig
		rm -rf "$folder/linked" && mkdir "$folder/linked" && cd "$folder/linked" || exit 1
		flags=$(pkg-config --static --cflags --libs "$2") || exit 1
		# shellcheck disable=SC2086 # flags are a list of words
		${CC:-cc} -o program "$top/doc/examples/$1.c" $flags && ! ldd program | grep clpac && ./program
	)
}

mkdir -p "$folder"
why=$("$top/scripts/python-venv.sh" "$venv" 2>&1)
case $? in
0) ;;
77)
	skipped 'wheel and pages' "$why"
	finish
	;;
*)
	check 'a virtual environment is made' sh -c "echo '$why'; false"
	finish
	;;
esac

if build_or_skip 'the wheel builds' "$top/scripts/wheel.sh" "$folder/wheel" "$venv"; then
	wheels=("$folder"/wheel/dist/*.whl)
	echo "# $(wc -c <"${wheels[0]}") bytes: ${wheels[0]##*/}"
	wheel_checks
	check 'a program is linked with the static libraries, and computes' static_program coupling clpac
	check '    and one with that of memory alone' static_program memory/own clpac-memory
fi

build_or_skip 'the pages build: every example runs, every link inside leads somewhere, nothing is fetched' \
	"$top/scripts/docs.sh" "$build" "$venv" && sed 's/^/# /' "$folder/built"
build_or_skip 'the site of all pages builds: every link leads somewhere, nothing is fetched' \
	"$top/scripts/site.sh" "$build" && sed 's/^/# /' "$folder/built"
finish

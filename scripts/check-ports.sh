#!/usr/bin/env bash
# check-ports.sh BUILD [SYSTEM...] - builds clpac for other systems and by other compilers, and runs the tests of tests/unit and
# tests/property there, without OpenCL:
#
#     gcc-O3      all of it at -O3; warnings are errors
#     clang-14    by that compiler; warnings are errors
#     clang-16    the same
#     aarch64     64-bit ARM, tests by qemu's emulator of programs
#     i686        32-bit x86: configure refuses it, with the reason
#     musl        a program without shared libraries, with musl in the place of the GNU C library
#     windows     Windows 10 and later, by mingw-w64: one program, tests by wine
#
# aarch64, musl and Windows are cross-built, with libraries that static-libraries.sh makes from Debian's sources.  An hour or more for
# all of them on two cores: it is for whoever changes what a system gives, and before a release.  BUILD/ports/SYSTEM is the build
# folder of a system, BUILD/ports/SYSTEM.log has what was said.  A system whose tools cannot be had is skipped.  What is printed is
# TAP, and a row of doc/ports.md for each system; the last line sums up: "N passed, N failed, N skipped".
# shellcheck disable=SC2317 # functions that check calls
set -u
# shellcheck source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
build=$(cd "${1:?usage: check-ports.sh BUILD [SYSTEM...]}" && pwd) || exit 1
shift
(($#)) || set -- gcc-O3 clang-14 clang-16 aarch64 i686 musl windows
folder=$build/ports
mkdir -p "$folder" || exit 1
# shellcheck source=tap.sh
. "$top/scripts/tap.sh"

# libraries_for HOST - the libraries for a cross build, once.
libraries_for() {
	local prefix=$folder/$1-libraries/prefix
	"$top/scripts/static-libraries.sh" "$folder/$1-libraries" "$1" || return
	export PKG_CONFIG='pkg-config --static' PKG_CONFIG_LIBDIR=$prefix/lib/pkgconfig
	options+=("--host=$1" "CPPFLAGS=-I$prefix/include" "LDFLAGS=-L$prefix/lib" --disable-shared --enable-static)
}

# make_port SYSTEM OPTION... - configures, builds everything and the tests, runs them, and the program.
make_port() {
	local system=$1
	configure_in "$folder/$system" --without-opencl --disable-dependency-tracking "${@:2}" &&
		build_in "$folder/$system" "${of_make[@]}" &&
		make -C "$folder/$system" -s -j"$jobs" check-host "${of_make[@]}" LOG_COMPILER="$runner" &&
		use_program "$system"
}

# use_program SYSTEM - its program makes a recording and computes it.  Where BUILD has a program, the recording and all arrays are
# those of it, bit by bit, but for the filters' taps, whose sines are the C library's.
use_program() (
	program=$folder/$1/clpac used=$folder/$1-used
	[[ ! -f $program.exe ]] || program=$program.exe
	rm -rf "$used" && mkdir "$used" && cd "$used" || return
	$runner "$program" synth slow-é.npy --seconds 20 && $runner "$program" run slow-é.npy --rate 512 --device native -o here.npz || return
	[[ -x $build/clpac ]] || return 0
	"$build/clpac" synth own.npy --seconds 20 && "$build/clpac" run own.npy --rate 512 --device native -o own.npz &&
		cmp slow-é.npy own.npy && python3 -c '
import sys, zipfile
here, own = (zipfile.ZipFile(name + ".npz") for name in ("here", "own"))
names = sorted(own.namelist())
others = [name for name in names if here.read(name) != own.read(name)] if sorted(here.namelist()) == names else names
sys.exit(", ".join(others) if set(others) - {"taps.npy"} else 0)'
)

# port SYSTEM - in a shell of its own, since each sets what compilers and make read.
port() (
	options=() of_make=() runner=
	export CK_TIMEOUT_MULTIPLIER=1
	case $1 in
	gcc-O3) CC=gcc options=(--enable-werror CFLAGS='-g -O3') ;;
	clang-*) CC=$1 options=(--enable-werror) ;;
	aarch64)
		CC=aarch64-linux-gnu-gcc runner='qemu-aarch64-static -L /usr/aarch64-linux-gnu' CK_TIMEOUT_MULTIPLIER=20
		libraries_for aarch64-linux-gnu || return
		;;
	i686)
		rm -rf "$folder/i686"
		! CC=i686-linux-gnu-gcc configure_in "$folder/i686" --host=i686-linux-gnu &&
			grep 'error: a pointer has less than 64 bits here' "$folder/i686/config.log"
		return
		;;
	musl)
		CC=musl-gcc of_make=(LDFLAGS="-L$folder/x86_64-linux-musl-libraries/prefix/lib -all-static")
		libraries_for x86_64-linux-musl || return
		;;
	windows)
		CC=x86_64-w64-mingw32-gcc-posix runner=$(command -v wine64 || echo /usr/lib/wine/wine64)
		of_make=(LDFLAGS="-L$folder/x86_64-w64-mingw32-libraries/prefix/lib -all-static")
		export WINEDEBUG=-all WINEPREFIX=$folder/wine
		libraries_for x86_64-w64-mingw32 || return
		;;
	esac
	export CC
	make_port "$1" "${options[@]}"
)

# packages_of SYSTEM - Debian's packages for it.
packages_of() {
	case $1 in
	gcc-O3) echo gcc ;;
	clang-*) echo "$1" ;;
	aarch64) echo gcc-aarch64-linux-gnu g++-aarch64-linux-gnu qemu-user-static cmake dpkg-dev ;;
	i686) echo gcc-i686-linux-gnu libc6-dev-i386-cross ;;
	musl) echo musl-tools cmake dpkg-dev ;;
	windows) echo gcc-mingw-w64-x86-64-posix wine64 cmake dpkg-dev ;;
	*) return 1 ;;
	esac
}

for system; do
	packages=$(packages_of "$system") || { say "check-ports.sh: no system $system"; exit 2; }
	# shellcheck disable=SC2086 # a list
	need_packages $packages || { skipped "$system" 'its tools cannot be had'; continue; }
	check "$system" port "$system"
	cp "$folder/said" "$folder/$system.log"
done
finish

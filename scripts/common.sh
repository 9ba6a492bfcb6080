# common.sh - sourced by check.sh and quickstart.sh: the packages to install, and how clpac is built.
# shellcheck shell=bash disable=SC2034 # the lists are for the scripts that source this

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)

# Debian packages to build clpac with all its features and to run it through OpenCL without a GPU.
build_packages=(
	gcc libc6-dev make autoconf automake libtool pkg-config
	librandom123-dev
	opencl-headers ocl-icd-opencl-dev libclfft-dev libvkfft-dev pocl-opencl-icd
	libzip-dev zlib1g-dev libjansson-dev libmd-dev libcairo2-dev libsamplerate0-dev
)
# Packages for the tests, the lints, the second compiler for headers, and the wheel of the Python package.
check_packages=(check g++ clang clang-format-14 shellcheck man-db groff-base binutils abigail-tools appstream python3 python3-pycparser python3-numpy locales
	python3-venv python3-dev cmake dpkg-dev zsh fish)
# Packages of OpenCL implementations beside PoCL that need no hardware (check-devices.sh), and the downloader of a third.
device_packages=(mesa-opencl-icd oclgrind python3-pip)

# Not exported: these variables are for the scripts only, and the program takes an unknown CLPAC_ variable for a misspelt option.
export -n CLPAC_NO_INSTALL CLPAC_CONFIGURE

# An archive of the same files has the same bytes, with the times of --mtime.
tar_options=(--format=ustar --sort=name --owner=0 --group=0 --numeric-owner '--mode=u+rw,go=rX')

say() { printf '%s\n' "$*" >&2; }

# need_packages PACKAGE... - installs the missing ones of these Debian packages.  Without permission (no root, no sudo, or
# CLPAC_NO_INSTALL set) it lists them and fails.  On systems other than Debian configure has the last word.
need_packages() {
	local package missing=() apt=()
	if ! command -v dpkg-query >/dev/null; then
		say "This is no Debian: what is needed is the equivalent of $*"
		return 0
	fi
	for package; do
		# shellcheck disable=SC2016 # a format of dpkg-query
		[[ $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) == *' installed' ]] || missing+=("$package")
	done
	((${#missing[@]})) || return 0
	if [[ -z ${CLPAC_NO_INSTALL-} ]] && command -v apt-get >/dev/null; then
		if ((EUID == 0)); then
			apt=(env DEBIAN_FRONTEND=noninteractive apt-get)
		elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [[ -t 0 ]]; }; then
			apt=(sudo env DEBIAN_FRONTEND=noninteractive apt-get)
		fi
	fi
	if ! ((${#apt[@]})); then
		say "Missing, and not mine to install.  As root:"
		say "    apt-get install --no-install-recommends ${missing[*]}"
		return 1
	fi
	say "Installing ${missing[*]}"
	"${apt[@]}" update -q >&2 && "${apt[@]}" -o DPkg::Lock::Timeout=600 install -q -y --no-install-recommends "${missing[@]}" >&2
}

# installed - the installed versions of everything that configure may find, as one number.  Packages that are not installed,
# or a system without dpkg-query, are no failure.
installed() {
	{ dpkg-query -W "${build_packages[@]}" "${check_packages[@]}" 2>/dev/null || :; } | cksum
}

# configure_in FOLDER OPTION... - configures a build folder once; make itself handles later changes of the build files.
# The folder is configured again when packages were installed or removed, and made anew for other options or another compiler,
# since make would not notice changed flags.
configure_in() {
	local folder=$1
	shift
	local options="$* CC=${CC-} CFLAGS=${CFLAGS-}" was=() now
	now=$(installed)
	[[ -x $top/configure ]] || (cd "$top" && autoreconf -fi) >&2 || return
	[[ ! -f $folder/.configured ]] || mapfile -t was <"$folder/.configured"
	[[ -f $folder/Makefile && ${was[0]-} == "$options" && ${was[1]-} == "$now" ]] && return 0
	[[ ${was[0]-$options} == "$options" ]] || rm -rf "$folder"
	mkdir -p "$folder" && (cd "$folder" && "$top/configure" -q "$@") >&2 || return
	printf '%s\n' "$options" "$now" >"$folder/.configured"
}

# build_in FOLDER [VARIABLE=VALUE...] - builds all; prints only warnings and errors.
build_in() {
	make -C "$1" -s -j"$jobs" "${@:2}" all
}

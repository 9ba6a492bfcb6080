#!/usr/bin/env bash
# check-vendors.sh BUILD [--write] - compiles the kernels with the compilers of NVIDIA, AMD and Intel, without a GPU, and fails
# where a hot kernel (src/coupling/stages/stages.def) needs a stack frame, scratch or spilled registers, for 18, 36 and 128 bins
# (vendors.py).  What it read of a compilation lies in BUILD/vendors/needs, and is not compiled again.  --write puts registers
# and occupancy into doc/measurements/registers.md.
#
# The compilers are unpacked in BUILD/vendors and not installed, since one package would add a driver to every program of the
# machine: Debian's clang-19 with the libraries of both makers, Intel's ocloc, the translator to SPIR-V; and ptxas from the Python
# package index.  One that cannot be had is skipped.  The last line sums up: "N passed, N failed, N skipped".
set -u
# shellcheck source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

build=$(cd "${1:?usage: check-vendors.sh BUILD [--write]}" && pwd) || exit 1
tools=$build/vendors page=()
[[ ${2-} != --write ]] || page=(--write "$top/doc/measurements/registers.md")

# Libraries of LLVM 14 come with the check packages' clang.
packages=(clang-19 libclang-cpp19 libllvm19 libclang-common-19-dev libclc-19 rocm-device-libs
	intel-opencl-icd libigc1 libigdfcl1 libigdgmm12 libopencl-clang14 libllvmspirvlib14 llvm-spirv-14 spirv-tools)
# The last series that compiles for sm_70.
wheel=nvidia-cuda-nvcc-cu12

fetch_packages() {
	local package
	if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
		say 'SKIP: Debian packages: this is no Debian'
		return 0
	fi
	mkdir -p "$tools/root" "$tools/packages" || return
	for package in "${packages[@]}"; do
		[[ ! -f $tools/packages/$package ]] || continue
		if (cd "$tools/packages" && apt-get download -qq "$package" && dpkg-deb -x "$package"_*.deb "$tools/root") >/dev/null 2>&1; then
			rm -f "$tools/packages/$package"_*.deb
			touch "$tools/packages/$package"
		else
			say "SKIP: Debian's $package cannot be had (apt-get update?)"
		fi
	done
}

fetch_wheel() {
	[[ ! -f $tools/packages/$wheel ]] || return 0
	if [[ $(uname -m) != x86_64 ]] || ! python3 -m pip --version >/dev/null 2>&1; then
		say 'SKIP: ptxas: it needs pip and x86_64'
		return 0
	fi
	rm -rf "$tools/nvidia" "$tools/wheels"
	if python3 -m pip --disable-pip-version-check download -q --only-binary=:all: --no-deps --no-cache-dir -d "$tools/wheels" "$wheel" >&2 &&
		python3 -m zipfile -e "$tools"/wheels/*.whl "$tools/nvidia"; then
		find "$tools/nvidia" -name ptxas -exec chmod +x {} +
		touch "$tools/packages/$wheel"
	else
		say "SKIP: $wheel cannot be had from the Python package index"
	fi
	rm -rf "$tools/wheels"
}

make -C "$build" -s tests/contract/kernel_text >&2 || exit 1
fetch_packages && fetch_wheel
exec python3 "$top/scripts/vendors.py" "$tools" "$build/tests/contract/kernel_text" "${page[@]}"

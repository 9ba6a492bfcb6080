#!/usr/bin/env bash
# python-package.sh BUILD VENV - builds the Python package in BUILD/python/site over the shared libraries of a build folder, as
# `pip install` does over installed ones: for its tests and pages.  VENV is python-venv.sh's.  Nothing is built again unless the
# package's sources or the public headers have changed.
set -eu
usage='usage: python-package.sh BUILD VENV'
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$(cd "${1:?$usage}" && pwd)
venv=$(cd "${2:?$usage}" && pwd)
folder=$build/python
mkdir -p "$folder"
exec 9>"$folder/package.lock"
flock 9

# What the module is built from; python/tests are read where they are.
wanted=$({
	cat "$venv/.made"
	find "$top/python" "$top/include" "$build/include" -type f \( -name '*.py' -o -name '*.[ch]' -o -name '*.toml' \) \
		-not -path '*/tests/*' -not -path '*/build/*' -exec cksum {} + | LC_ALL=C sort
} | cksum)
[[ ! -f $folder/site/.made || $(<"$folder/site/.made") != "$wanted" ]] || exit 0

# Headers and .pc files as they are installed, which lead to the libraries that are not.
rm -rf "$folder/root" "$folder/package" "$folder/site"
env -u MAKEFLAGS -u MFLAGS make -s -C "$build" install-data "DESTDIR=$folder/root" >"$folder/package.log" 2>&1 || {
	cat "$folder/package.log" >&2
	exit 1
}
configs=$(dirname "$(find "$folder/root" -name clpac.pc)")
prefix=$(sed -n 's/^prefix=//p' "$configs/clpac.pc")
sed -i -e "s|^prefix=.*|prefix=$folder/root$prefix|" -e "s|^libdir=.*|libdir=$build/.libs|" "$configs"/*.pc

cp -R "$top/python" "$folder/package"
rm -rf "$folder"/package/{build,dist} "$folder"/package/src/*.egg-info
PKG_CONFIG_PATH=$configs LDFLAGS="-Wl,-rpath,$build/.libs" "$venv/bin/python" -m pip --disable-pip-version-check install --quiet --no-deps \
	--no-build-isolation --no-index --target "$folder/site" "$folder/package" >>"$folder/package.log" 2>&1 || {
	tail -n 30 "$folder/package.log" >&2
	exit 1
}
printf '%s\n' "$wanted" >"$folder/site/.made"

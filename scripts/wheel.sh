#!/usr/bin/env bash
# wheel.sh FOLDER VENV - builds, in FOLDER/dist, the sdist of clpac's Python package and, from it, a wheel that needs nothing but
# NumPy and cffi: the module holds the library, and the program clpac and clpac-probe come along.  VENV is python-venv.sh's.
#
#     FOLDER/static     the libraries that clpac needs (static-libraries.sh)
#     FOLDER/clpac      a build of clpac with them, without cairo, clFFT and libsamplerate
#     FOLDER/prefix     where that is installed
#     FOLDER/package    the Python package, with the licences of all that a wheel holds
#
# A library is built again only where its sources have changed.  Two builds of a commit have the same bytes, in any folders.
# Ends with 77 and a reason where something cannot be had.
set -u
# shellcheck source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
usage='usage: wheel.sh FOLDER VENV'
mkdir -p "${1:?$usage}" && folder=$(cd "$1" && pwd) || exit 1
venv=$(cd "${2:?$usage}" && pwd) || exit 1
prefix=$folder/prefix
max_bytes=3700000 # what nobody asked for, as a libcrypto of 1.9 MB, is more than is left

fail() {
	say "wheel.sh: $1"
	exit 1
}

"$top/scripts/static-libraries.sh" "$folder/static" || exit

# The .pc files of a static build name what its libraries need, down to the last.
export PKG_CONFIG='pkg-config --static' PKG_CONFIG_PATH=$prefix/lib/pkgconfig:$folder/static/prefix/lib/pkgconfig
static=$folder/static/prefix
configure_in "$folder/clpac" --prefix="$prefix" --without-cairo --without-clfft --without-samplerate \
	--enable-static --disable-shared --with-pic CFLAGS='-O2 -g0' CPPFLAGS="-I$static/include" LDFLAGS="-L$static/lib" >/dev/null ||
	fail 'configure failed'
# What an earlier version installed, and this one does not, would get into the wheel.
{ build_in "$folder/clpac" && rm -rf "$prefix" && make -C "$folder/clpac" -s install-strip; } >"$folder/install.log" 2>&1 || {
	tail -n 20 "$folder/install.log" >&2
	fail 'clpac does not build'
}

rm -rf "$folder/package" "$folder/dist" "$folder/repaired"
mkdir -p "$folder/package/licenses"
{ cp -R "$top"/python/{src,tests,build_clpac.py,interrupt.[ch],setup.py,pyproject.toml,MANIFEST.in,README.md,requirements.txt} "$folder/package/" &&
	cp "$top/LICENSE" "$folder/package/" && cp "$folder"/static/licenses/* "$folder/package/licenses/"; } || fail 'the package cannot be copied'
find "$folder/package" -name __pycache__ -prune -exec rm -rf {} +

# Files in both have the time of the commit; in a tarball's own tree that of its files.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$top" log -1 --format=%ct 2>/dev/null || date -r "$top/NEWS.md" +%s)}
export SOURCE_DATE_EPOCH

# The wheel is built from the sdist, so that what the sdist lacks is noticed.  Our libraries come first: Debian's Python names the
# folder of the shared ones before all that setup.py asks for.
PATH=$venv/bin:$PATH CLPAC_STATIC=1 LDFLAGS="-s -L$static/lib" "$venv/bin/python" -m build --no-isolation --outdir "$folder/dist" "$folder/package" >"$folder/build.log" 2>&1 || {
	tail -n 30 "$folder/build.log" >&2
	fail 'the wheel does not build'
}
PATH=$venv/bin:$PATH "$venv/bin/auditwheel" repair -w "$folder/repaired" "$folder"/dist/*.whl >"$folder/auditwheel.log" 2>&1 || {
	tail -n 20 "$folder/auditwheel.log" >&2
	fail 'auditwheel refuses the wheel'
}
rm -f "$folder"/dist/*.whl
mv "$folder"/repaired/*.whl "$folder/dist/"
# setuptools gives each file of an sdist the time of its copying.
pack_anew() {
	rm -rf "$folder/sdist" && mkdir "$folder/sdist" && tar -xf "$1" -C "$folder/sdist" &&
		tar "${tar_options[@]}" "--mtime=@$SOURCE_DATE_EPOCH" -C "$folder/sdist" -cf "$folder/sdist.tar" "$(basename "$1" .tar.gz)" &&
		gzip -9nc "$folder/sdist.tar" >"$1"
}
pack_anew "$(echo "$folder"/dist/*.tar.gz)" || fail 'the sdist cannot be packed anew'

wheels=("$folder"/dist/*.whl)
bytes=$(wc -c <"${wheels[0]}")
((bytes <= max_bytes)) || fail "${wheels[0]##*/} has $bytes bytes, more than $max_bytes"
echo "${wheels[0]}"

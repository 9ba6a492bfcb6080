#!/usr/bin/env bash
# static-libraries.sh FOLDER [HOST] - builds what a wheel of clpac holds beside clpac itself, for linking into one shared object:
# static and position independent, which Debian's own static libraries are not.  For another system, HOST, as aarch64-linux-gnu, the
# compiler is CC or HOST-gcc, and what the tests need is built as well.
#
#     zlib libzip jansson libmd                in FOLDER/prefix, with their .pc files
#     check, Random123                         there too, for HOST; the second are headers
#     FOLDER/licenses                          their licences, and those of the headers Random123 and VkFFT
#
# The sources are Debian's of this release, whose checksums apt verifies.  libzip is built without cryptography and without
# compressors but zlib: .npz files are zip files of deflated or stored arrays, and libcrypto alone would be more than half of a
# wheel.  cairo, clFFT and libsamplerate are not among them.
#
# Nothing is built that is there.  Ends with 77 and a reason where sources cannot be had.
set -u
# shellcheck source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
mkdir -p "${1:?usage: static-libraries.sh FOLDER [HOST]}" && folder=$(cd "$1" && pwd) || exit 1
prefix=$folder/prefix log=$folder/log
libraries=(zlib libzip jansson libmd)
host=${2-} of_host=() of_system=()
if [[ -n $host ]]; then
	libraries+=(check)
	export CC=${CC:-$host-gcc}
	[[ $host == *linux-musl ]] || export AR="$host-ar" RANLIB="$host-ranlib"
	of_host=("--host=$host")
	# Numbers as C writes them: the exponents of Windows' own printf have three digits.
	[[ $host != *mingw* ]] || export CFLAGS='-O2 -D__USE_MINGW_ANSI_STDIO=1'
	of_system=(-DCMAKE_SYSTEM_NAME="$([[ $host == *mingw* ]] && echo Windows || echo Linux)" "-DCMAKE_SYSTEM_PROCESSOR=${host%%-*}")
fi

skip() {
	say "$1"
	exit 77
}

# get_sources - unpacks the sources, by lists of packages of our own: the machine's usually name binaries alone.
get_sources() {
	local file options
	options=(-q -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$folder/apt" -o "Dir::State::lists=$folder/lists"
		-o "Dir::Cache=$folder/cache" -o APT::Sandbox::User=root)
	mkdir -p "$folder/apt" "$folder/lists/partial" "$folder/cache/archives/partial" "$folder/sources"
	for file in /etc/apt/sources.list.d/*.sources; do
		[[ ! -f $file ]] || sed 's/^Types:.*/Types: deb-src/' "$file" >"$folder/apt/${file##*/}"
	done
	for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
		[[ ! -f $file ]] || sed -n 's/^deb /deb-src /p' "$file" >"$folder/apt/${file##*/}.list"
	done
	apt-get "${options[@]}" update && (cd "$folder/sources" && apt-get "${options[@]}" source "${libraries[@]}")
}

# source_of LIBRARY - the folder of its unpacked source.
source_of() {
	local found=("$folder/sources/$1"-*/)
	echo "${found[0]%/}"
}

# with_cmake LIBRARY OPTION...
with_cmake() {
	cmake -S "$(source_of "$1")" -B "$folder/$1" -Wno-dev -DCMAKE_BUILD_TYPE=Release "-DCMAKE_INSTALL_PREFIX=$prefix" \
		-DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DBUILD_SHARED_LIBS=OFF "-DCMAKE_PREFIX_PATH=$prefix" "${of_system[@]}" "${@:2}" &&
		cmake --build "$folder/$1" -j"$jobs" && cmake --install "$folder/$1"
}

build() {
	local name off=()
	cp -r "$(source_of zlib)" "$folder/zlib" &&
		(cd "$folder/zlib" && CFLAGS="${CFLAGS--O2} -fPIC" ./configure --static "--prefix=$prefix" && make -j"$jobs" libz.a && make install) &&
		mkdir -p "$folder/libmd" &&
		(cd "$folder/libmd" && "$(source_of libmd)/configure" "${of_host[@]}" "--prefix=$prefix" --with-pic --disable-shared CFLAGS="${CFLAGS--O2}" && make -j"$jobs" install) &&
		with_cmake jansson -DJANSSON_BUILD_DOCS=OFF -DJANSSON_WITHOUT_TESTS=ON -DJANSSON_EXAMPLES=OFF || return
	for name in COMMONCRYPTO GNUTLS MBEDTLS OPENSSL WINDOWS_CRYPTO BZIP2 LZMA ZSTD; do
		off+=("-DENABLE_$name=OFF")
	done
	for name in TOOLS REGRESS EXAMPLES DOC; do
		off+=("-DBUILD_$name=OFF")
	done
	with_cmake libzip "${off[@]}" || return
	[[ -n $host ]] || return 0
	# Debian's .pc file names its own build of the library.
	with_cmake check -DBUILD_TESTING=OFF -DCHECK_ENABLE_TESTS=OFF -DENABLE_SUBUNIT=OFF &&
		sed -i -e 's/-lcheck_pic/-lcheck/' -e 's/-lsubunit//' "$prefix/lib/pkgconfig/check.pc" && rm -f "$prefix"/lib/libcheck.so* &&
		cp -R /usr/include/Random123 "$prefix/include/" || return
	# Check's stand-in for a clock that mingw-w64 has always says 0, and would be linked in the place of the clock.
	[[ $host != *mingw* ]] || "$AR" d "$prefix/lib/libcheck.a" clock_gettime.c.obj
}

copy_licenses() {
	local name
	mkdir -p "$folder/licenses"
	for name in zlib libzip jansson; do
		cp "$(source_of "$name")/LICENSE" "$folder/licenses/$name.txt" || return
	done
	cp "$(source_of libmd)/COPYING" "$folder/licenses/libmd.txt" || return
	for name in random123 vkfft; do
		cp "/usr/share/doc/lib$name-dev/copyright" "$folder/licenses/$name.txt" || return
	done
}

[[ ! -f $folder/.made ]] || exit 0
if ! command -v apt-get >/dev/null || ! command -v dpkg-source >/dev/null; then
	skip "sources are fetched by apt-get and dpkg-source (Debian: dpkg-dev)"
fi
command -v cmake >/dev/null || skip 'cmake is missing'
rm -rf "$folder/sources" "$prefix"
for name in "${libraries[@]}"; do
	rm -rf "${folder:?}/$name"
done
get_sources >"$log" 2>&1 || skip "sources of Debian packages cannot be had"
{ build && copy_licenses; } >>"$log" 2>&1 || {
	tail -n 20 "$log" >&2
	say 'static-libraries.sh: they do not build'
	exit 1
}
touch "$folder/.made"

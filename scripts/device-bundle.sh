#!/usr/bin/env bash
# device-bundle.sh FOLDER [TEST...] - gathers what clpac needs to be measured and tested on a machine that has a card, and no
# compiler, no headers and no network, in FOLDER and FOLDER.tar.gz.  `make device-bundle` calls it in the build folder, after
# it built the programs; TEST are the programs of tests.
#
#     run.sh       the one command (scripts/bundle/run.sh, which tells what comes out)
#     bin/         the program, the benches, and what tries out drivers
#     lib/         libraries whose version decides about figures or results: clpac's own, clFFT, OpenCL's loader
#     spare/       all other libraries; run.sh takes those that the machine lacks
#     vendors/     files that name drivers to OpenCL's loader
#     tests/       the programs of tests, linked here to one shared library of clpac's inside, which each has in itself elsewhere
#     data/        what they read
#     made         what was built: commit, date, compiler, the dynamic loader
#
# The C library is the machine's own: it has to be as new as that of the machine that built the bundle.
set -u -o pipefail

folder=${1:?usage: device-bundle.sh FOLDER [TEST...]}
shift
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd) || exit 1
most_mib=60

end() { printf 'device-bundle.sh: %s\n' "$*" >&2; exit 1; }

# take FILE PATH - a stripped copy.
take() {
	if ! install -m 755 "$1" "$2" || ! strip "$2"; then
		end "$1 cannot be taken"
	fi
}

# needs FILE... - "NAME PATH" for each library that the files load, and what those load; not the C library's own.
needs() {
	local file
	for file; do
		LD_LIBRARY_PATH=$folder/lib ldd "$file" || end "ldd fails for $file"
	done | awk '$2 == "=>" { print $1, $3 == "not" ? "missing" : $3 }' | sort -u |
		grep -vE '^(libc|libm|libdl|libpthread|librt|libresolv|libutil|libanl|libnsl|ld-linux.*)\.so' || :
}

# library NAME - the path of an installed library that is loaded by its name when it is first needed.
library() {
	local path
	path=$(ldconfig -p 2>/dev/null || /sbin/ldconfig -p)
	path=$(awk -v name="$1" '$1 == name && !found { print $NF; found = 1 }' <<<"$path")
	[[ -n $path ]] || end "$1 is not installed"
	realpath "$path"
}

# read_makefile - what the makefile's variables expand to: of the archives, of the compiler, and of each program that is linked here.
declare -A value
read_makefile() {
	local name names=(CC LIBS OPT_CFLAGS) rule='print-them: ;' line
	for name in "${archives[@]}"; do
		names+=("libclpac_${name//-/_}_la_LIBADD")
	done
	for name; do
		name=${name//[\/-]/_}
		names+=("${name}_OBJECTS" "${name}_LDADD")
	done
	for name in "${names[@]}"; do
		rule+=" \$(info $name=\$($name))"
	done
	while IFS= read -r line; do
		value[${line%%=*}]=${line#*=}
	done < <(make -s --no-print-directory --eval="$rule" print-them)
}

# needs_of NAME - the libraries of others that a convenience library asks for.
needs_of() {
	local word
	for word in ${value[libclpac_${1//-/_}_la_LIBADD]}; do
		[[ $word == -* ]] && printf '%s ' "$word"
	done
	echo
}

# The archives that hold clpac's inside; none of them has a main().
inside=(core memory-core base io-core)
archives=("${inside[@]}" tests analysis-core tool-core)

# link_inside - one shared library of them.
link_inside() {
	local name more files=() libraries=()
	for name in "${inside[@]}"; do
		files+=(".libs/libclpac-$name.a")
		read -ra more < <(needs_of "$name")
		libraries+=("${more[@]}")
	done
	# shellcheck disable=SC2086 # words of a makefile
	${value[CC]} -shared -o "$folder/lib/libclpac-inside.so" -Wl,-soname,libclpac-inside.so -Wl,--whole-archive "${files[@]}" \
		-Wl,--no-whole-archive "${libraries[@]}" ${value[LIBS]} || end 'the inside of clpac does not link'
}

# link_program PROGRAM PATH - links a program's objects again, to that library.
link_program() {
	local name=${1//[\/-]/_} word more libraries=()
	for word in ${value[${name}_LDADD]} ${value[LIBS]}; do
		case $word in
		libclpac-*.la)
			word=${word#libclpac-} word=${word%.la}
			[[ " ${inside[*]} " != *" $word "* ]] || continue
			read -ra more < <(needs_of "$word")
			libraries+=(".libs/libclpac-$word.a" "${more[@]}")
			;;
		*) libraries+=("$word") ;;
		esac
	done
	# Some programs define functions in the place of the library's or the driver's.
	# shellcheck disable=SC2086 # words of a makefile
	${value[CC]} -rdynamic -o "$2" ${value[${name}_OBJECTS]} "${libraries[@]}" -L"$folder/lib" -lclpac-inside ||
		end "$1 does not link"
	strip "$2"
}

[[ -x .libs/clpac && -x bench/run ]] || end 'run it in a build folder, by make device-bundle'
for name in OPENCL VKFFT CLFFT; do
	grep -q "^#define HAVE_$name 1" config.h || end "this build lacks one of OpenCL, VkFFT and clFFT, which the bundle measures"
done
rm -rf "${folder:?}" "$folder.tar.gz"
probe_folder=$(sed -n 's/^#define PROBE_FOLDER "\(.*\)"/\1/p' config.h)
mkdir -p "$folder"/{bin,lib/"$probe_folder",spare,vendors,tests} || exit 1
folder=$(cd "$folder" && pwd)

# The program and its own libraries; bench/run has the library in itself, and looks for clpac-probe beside it.
take .libs/clpac "$folder/bin/clpac"
take bench/run "$folder/bin/run"
relinked=(bench/surrogates bench/fft)
read_makefile "${relinked[@]}" "$@"
link_inside
for bench in "${relinked[@]}"; do
	link_program "$bench" "$folder/bin/$(basename "$bench")"
done
take clpac-probe "$folder/lib/$probe_folder/clpac-probe"
cp "$folder/lib/$probe_folder/clpac-probe" "$folder/bin/"
for name in .libs/libclpac*.so.*; do
	[[ -L $name ]] && take "$(realpath "$name")" "$folder/lib/$(basename "$name")"
done

# The loader of OpenCL and clFFT are opened by name.
for name in libOpenCL.so.1 libclFFT.so.2; do
	path=$(library "$name") && take "$path" "$folder/lib/$name" || exit 1
done
echo libnvidia-opencl.so.1 >"$folder/vendors/nvidia.icd"

for program; do
	link_program "$program" "$folder/tests/$(basename "$program")"
done
strip "$folder/lib/libclpac-inside.so"
cp -r "$source/tests/data" "$folder/data" || exit 1

needed=$(needs "$folder"/bin/{clpac,run,surrogates,fft} "$folder"/lib/lib* "$folder"/tests/*) || exit 1
while read -r name path; do
	[[ $path != missing ]] || end "$name is needed and not installed"
	[[ ! -e $folder/lib/$name ]] || continue
	take "$path" "$folder/spare/$name"
done <<<"$needed"

install -m 755 "$source/scripts/bundle/run.sh" "$folder/run.sh" || exit 1
{
	echo "commit $(git -C "$source" describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)"
	echo "date $(date -u '+%F %H:%M') UTC"
	echo "compiler ${value[CC]} ${value[OPT_CFLAGS]}"
	echo "libc $(getconf GNU_LIBC_VERSION)"
	echo "loader $(readelf -l "$folder/bin/clpac" | sed -n 's/.*interpreter: \(.*\)\]/\1/p')"
} >"$folder/made"

tar -C "$(dirname "$folder")" -czf "$folder.tar.gz" "$(basename "$folder")" || exit 1
kib=$(du -sk "$folder" | cut -f 1)
echo "$folder: $((kib / 1024)).$((kib % 1024 * 10 / 1024)) MiB in $(find "$folder" -type f | wc -l) files; $# programs of tests"
((kib <= most_mib * 1024)) || end "it has more than $most_mib MiB"

#!/bin/sh
# installcheck.sh - compile and run programs against the installed headers and libraries, as pkg-config and CMake find them.
# shellcheck disable=SC2086,SC2154 # flags are lists of words; the folders come from make
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
PKG_CONFIG_PATH=$DESTDIR$pkgconfigdir${PKG_CONFIG_PATH+:$PKG_CONFIG_PATH}
export PKG_CONFIG_PATH
[ -z "$DESTDIR" ] || { PKG_CONFIG_SYSROOT_DIR=$DESTDIR; export PKG_CONFIG_SYSROOT_DIR; }
LD_LIBRARY_PATH=$DESTDIR$libdir${LD_LIBRARY_PATH+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
failed() {
	echo "$1"
	exit 1
}

# A program that names a function of each library brings most of a static one with it.
cat >"$folder/main.c" <<'END'
#include <string.h>
#include "expected.h"
#include <clpac/memory/context.h>
#include <clpac/version.h>
#if N_LIBRARIES > 1
#include <clpac/plan.h>
#endif
#if N_LIBRARIES > 2
#include <clpac/plot.h>
#include <clpac/read.h>
#endif
#if N_LIBRARIES > 3
#include <clpac/analysis.h>
#endif
typedef void (*function)(void);
volatile function used[] = {
	(function)clpac_context_open,
#if N_LIBRARIES > 1
	(function)clpac_plan_create,
#endif
#if N_LIBRARIES > 2
	(function)clpac_recording_read, (function)clpac_result_plot,
#endif
#if N_LIBRARIES > 3
	(function)clpac_analysis_run,
#endif
};
int main(void)
{
	clpac_options options;
	clpac_context *context = NULL;
	memset(&options, 0, sizeof options);
	strcpy(options.device, "native");
	const clpac_status status = clpac_context_open(NULL, &options, &context, NULL);
	clpac_context_close(context);
	return status != CLPAC_OK || strcmp(CLPAC_VERSION_STRING, VERSION) != 0;
}
END

# Folders with the static libraries alone, where there are any.
n_static=0
mkdir "$folder/static" || exit 1
for library in "$DESTDIR$libdir"/libclpac*.a; do
	[ ! -e "$library" ] || { ln -s "$library" "$folder/static/" && n_static=$((n_static + 1)); }
done

n=0
for module in clpac-memory clpac clpac-io clpac-analysis; do
	[ -e "$DESTDIR$pkgconfigdir/$module.pc" ] || continue
	n=$((n + 1))
	flags=$($PKG_CONFIG --cflags --libs "$module") || exit 1
	version=$($PKG_CONFIG --modversion "$module") || exit 1
	printf '#define VERSION "%s"\n#define N_LIBRARIES %d\n' "$version" "$n" >"$folder/expected.h"
	# Static libraries alone need what they use named too.
	ls "$DESTDIR$libdir/lib$module".so >"$folder/found" 2>&1 || flags=$($PKG_CONFIG --static --cflags --libs "$module")
	{ $CC $CFLAGS -std=c11 -o "$folder/main" "$folder/main.c" $flags && "$folder/main"; } ||
		failed "a program built with pkg-config $module does not work"
	[ -z "${CXX-}" ] || { $CXX $CXXFLAGS -x c++ -std=c++11 -o "$folder/main" "$folder/main.c" -x none $flags && "$folder/main"; } ||
		failed "a C++ program built with pkg-config $module does not work"
	# pkg-config knows every library that static linking needs besides.
	flags=$($PKG_CONFIG --static --cflags --libs "$module") || exit 1
	{ $CC $CFLAGS -std=c11 -o "$folder/main" "$folder/main.c" -L"$folder/static" $flags && "$folder/main"; } ||
		failed "a program cannot be linked with what pkg-config --static $module says"
	[ "$n_static" -eq 0 ] || ! ldd "$folder/main" | grep libclpac || failed "$module was not linked statically"
done

if command -v cmake >"$folder/found"; then
	cat >"$folder/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.10)
project(installed C)
find_package(clpac ${VERSION} REQUIRED COMPONENTS ${NAMES})
list(GET NAMES -1 last)
add_executable(main main.c)
target_link_libraries(main PRIVATE clpac::${last})
END
	names='' n=0
	for name in memory clpac io analysis; do
		module=clpac-${name#clpac}
		[ -e "$DESTDIR$pkgconfigdir/${module%-}.pc" ] || continue
		names=$names${names:+;}$name
		n=$((n + 1))
		printf '#define VERSION "%s"\n#define N_LIBRARIES %d\n' "$version" "$n" >"$folder/expected.h"
		for suffix in ${n_static:+.a} .so; do
			ls "$DESTDIR$libdir/lib${module%-}$suffix" >"$folder/found" 2>&1 || continue
			rm -rf "$folder/cmake"
			{ CC=$CC CFLAGS=$CFLAGS cmake -S "$folder" -B "$folder/cmake" -Dclpac_DIR="$DESTDIR$libdir/cmake/clpac" \
				-DVERSION="$version" -DNAMES="$names" -DCMAKE_FIND_LIBRARY_SUFFIXES="$suffix" &&
				cmake --build "$folder/cmake" && "$folder/cmake/main"; } >"$folder/out" 2>&1 ||
				{ cat "$folder/out"; failed "a program built with clpac::$name of CMake and lib${module%-}$suffix does not work"; }
		done
	done
	rm -rf "$folder/cmake"
	! cmake -S "$folder" -B "$folder/cmake" -Dclpac_DIR="$DESTDIR$libdir/cmake/clpac" -DVERSION=99.0 -DNAMES=memory >"$folder/out" 2>&1 ||
		failed "CMake takes this version for 99.0"
	echo "installed: a program of each library by pkg-config and by CMake, $n_static of them static"
else
	echo 'SKIP: installed: CMake is not installed'
fi

if [ -e "$DESTDIR$pkgconfigdir/clpac-io.pc" ]; then
	"$DESTDIR$bindir/clpac" --version || exit 1
fi
[ -s "$DESTDIR$mandir/man3/clpac_pool_allocate.3" ] || failed 'no page of clpac_pool_allocate is installed'
"$DESTDIR$bindir/clpac-snapshot" --help >"$folder/help" || exit 1

# The folder of clpac-probe has the number of the library's SONAME, so that two versions live side by side.
if [ -n "$probes" ]; then
	[ -x "$DESTDIR$probeexecdir/clpac-probe" ] || failed "$probeexecdir has no clpac-probe"
	for library in "$DESTDIR$libdir"/libclpac-memory.so.?; do
		[ ! -e "$library" ] || [ "${library##*.so.}" = "${probeexecdir##*clpac-memory-}" ] ||
			failed "$probeexecdir is not the folder of $library"
	done
fi

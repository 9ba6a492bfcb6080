#!/bin/sh
# installcheck.sh - compile and run a program against the installed headers and libraries, found by pkg-config.
# shellcheck disable=SC2086,SC2154 # flags are lists of words; the folders come from make
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
PKG_CONFIG_PATH=$DESTDIR$pkgconfigdir${PKG_CONFIG_PATH+:$PKG_CONFIG_PATH}
export PKG_CONFIG_PATH
[ -z "$DESTDIR" ] || { PKG_CONFIG_SYSROOT_DIR=$DESTDIR; export PKG_CONFIG_SYSROOT_DIR; }
LD_LIBRARY_PATH=$DESTDIR$libdir${LD_LIBRARY_PATH+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH

cat >"$folder/main.c" <<'END'
#include <string.h>
#include <clpac/status.h>
#include <clpac/version.h>
int main(void) { return strcmp(clpac_status_text(CLPAC_OK), "") == 0 || strcmp(CLPAC_VERSION_STRING, VERSION) != 0; }
END
for module in clpac-memory clpac clpac-io clpac-analysis; do
	[ -e "$DESTDIR$pkgconfigdir/$module.pc" ] || continue
	flags=$($PKG_CONFIG --cflags --libs "$module") || exit 1
	version=$($PKG_CONFIG --modversion "$module") || exit 1
	if ! { $CC $CFLAGS -std=c11 -DVERSION="\"$version\"" -o "$folder/main" "$folder/main.c" $flags && "$folder/main"; }; then
		echo "a program built with pkg-config $module does not work"
		exit 1
	fi
	if [ -n "${CXX-}" ] && ! { $CXX $CXXFLAGS -x c++ -std=c++11 -DVERSION="\"$version\"" -o "$folder/main" "$folder/main.c" \
		-x none $flags && "$folder/main"; }; then
		echo "a C++ program built with pkg-config $module does not work"
		exit 1
	fi
	# pkg-config knows every library that static linking needs besides.
	flags=$($PKG_CONFIG --static --cflags --libs "$module") || exit 1
	if ! $CC $CFLAGS -std=c11 -DVERSION="\"$version\"" -o "$folder/main" "$folder/main.c" $flags; then
		echo "a program cannot be linked with what pkg-config --static $module says"
		exit 1
	fi
done
if [ -e "$DESTDIR$pkgconfigdir/clpac-io.pc" ]; then
	"$DESTDIR$bindir/clpac" --version || exit 1
fi
"$DESTDIR$bindir/clpac-snapshot" --help >"$folder/help" || exit 1

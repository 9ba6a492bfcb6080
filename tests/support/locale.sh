#!/bin/sh
# locale.sh LANGUAGE - build a locale that writes numbers as the language does, and print the folder for LOCPATH; the
# locale has the language's name.  Where it cannot be built, print the reason and exit with status 77.
#
# de_DE has a decimal comma; ps_AF a decimal mark of two bytes, U+066B.  All categories but numbers are POSIX, since the
# order of letters alone takes localedef seconds.  The locale is built once and stays in the build tree.
language=$1
[ -n "$CLPAC_TEST_BUILDDIR" ] || { echo 'CLPAC_TEST_BUILDDIR is not set: run it by make check'; exit 77; }
folder=$CLPAC_TEST_BUILDDIR/tests/cache/locales
if [ ! -d "$folder/$language" ]; then
	command -v localedef >/dev/null || { echo 'localedef, which builds locales, is missing'; exit 77; }
	mkdir -p "$folder" && part=$(mktemp -d "$folder/part-XXXXXX") || exit 1
	{
		for category in CTYPE COLLATE MONETARY MESSAGES TIME; do
			printf 'LC_%s\ncopy "POSIX"\nEND LC_%s\n' $category $category
		done
		printf 'LC_NUMERIC\ncopy "%s"\nEND LC_NUMERIC\n' "$language"
	} >"$part/source"
	# The exit status tells nothing: missing categories are warnings, and warnings change it.
	localedef -c -i "$part/source" -f UTF-8 "$part/built" >"$part/said" 2>&1
	if [ ! -f "$part/built/LC_NUMERIC" ]; then
		rm -rf "$part"
		echo "localedef cannot build $language: its sources are missing (Debian: locales)"
		exit 77
	fi
	# Another test may have moved its own locale here first.
	mv -T "$part/built" "$folder/$language" 2>/dev/null
	rm -rf "$part"
fi
printf '%s\n' "$folder"

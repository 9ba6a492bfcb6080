#!/bin/sh
# embed-cl.sh FILE... - writes each OpenCL C file as a 0-terminated array of C string literals, clpac__cl_NAME, and two
# tables of all of them in the order given: clpac__cl_names and clpac__cl_files, 0-terminated too (src/coupling/opencl/kernel_source.c).
#
# One literal per source line keeps the line numbers of a driver's build log true, and no literal passes the 4095 bytes
# that C11 5.2.4.1 grants.  "?" is escaped because -std=c11 reads trigraphs.  The script uses sed, since replacement strings
# of awk lose backslashes.
ids=' '
for f; do
	id=$(basename "$f" | sed 's/\.[^.]*$//; s/[^A-Za-z0-9_]/_/g')
	case $ids in *" $id "*)
		echo "embed-cl.sh: two files would be clpac__cl_$id" >&2
		exit 1 ;;
	esac
	ids="$ids$id "
	printf '/* %s */\nextern const char *const clpac__cl_%s[];\nconst char *const clpac__cl_%s[] = {\n' "$f" "$id" "$id"
	sed 's/\\/\\\\/g; s/"/\\"/g; s/?/\\?/g; s/^/	"/; s/$/\\n",/' "$f" || exit 1
	printf '\t0\n};\n'
done
printf 'extern const char *const clpac__cl_names[];\nconst char *const clpac__cl_names[] = {\n'
for f; do
	printf '\t"%s",\n' "$f"
done
printf '\t0\n};\nextern const char *const *const clpac__cl_files[];\nconst char *const *const clpac__cl_files[] = {\n'
for f; do
	printf '\tclpac__cl_%s,\n' "$(basename "$f" | sed 's/\.[^.]*$//; s/[^A-Za-z0-9_]/_/g')"
done
printf '\t0\n};\n'

#!/usr/bin/env bash
# site.sh BUILD - makes a site of README.md and the pages of doc/ in BUILD/site/pages: Sphinx reads the Markdown as it stands, and
# the manual pages as man shows them.  A link that leads nowhere is an error, and so is what a page would fetch from elsewhere.
# The pictures of doc/gallery.md are drawn anew.  The packages of doc/site/requirements.txt come from the package index, once; where these, or man and col,
# cannot be had the script ends with 77.
set -u
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$(cd "${1:?usage: site.sh BUILD}" && pwd) || exit 1
folder=$build/site
for tool in man col; do
	command -v $tool >/dev/null || { echo "$tool is missing, which shows the manual pages (Debian: man-db, bsdextrautils)" >&2; exit 77; }
done
mkdir -p "$folder" || exit 1
"$top/scripts/python-venv.sh" "$folder/venv" "$top/doc/site/requirements.txt" || exit

rm -rf "$folder/source" "$folder/pages"
mkdir -p "$folder/source/python" && cp "$top"/*.md "$top/LICENSE" "$folder/source" && cp -R "$top/doc" "$folder/source/doc" || exit 1
"$top/scripts/gallery.sh" "$build" >"$folder/log" 2>&1
case $? in
0) cp "$build"/gallery/*.png "$folder/source/doc/pictures/gallery" || exit 1 ;;
77) ;;
*)
	cat "$folder/log" >&2
	exit 1
	;;
esac
cp "$top/doc/site/conf.py" "$folder/source" || exit 1
for page in "$folder"/source/doc/clpac*.[137]; do
	name=$(basename "$page")
	{
		printf '# %s\n\n```text\n' "$name"
		LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=100 man -E UTF-8 -l "$page" 2>/dev/null | col -bx
		printf '```\n'
	} >"$page.md"
	[[ $(wc -l <"$page.md") -gt 10 ]] || { echo "man shows nothing of $name" >&2; exit 1; }
	rm "$page"
	find "$folder/source" -name '*.md' -exec sed -i "s/](\\(\\([a-z]*\\/\\)*\\)$name)/](\\1$name.md)/g" {} +
done
# The list at the side of each page.
{
	printf '\n```{toctree}\n:hidden:\n:titlesonly:\n\ndoc/README\n'
	for page in install tutorial gallery clpac.1 clpac.7 bids cluster devices machines library opencl memory maths tensorpac glossary performance; do
		printf 'doc/%s\n' "$page"
	done
	printf 'doc/decisions/README\ndoc/measurements/README\nCONTRIBUTING\nHACKING\nNEWS\nSECURITY\n```\n'
} >>"$folder/source/README.md"

"$folder/venv/bin/python" -m sphinx -q -W --keep-going -b html -d "$folder/trees" "$folder/source" "$folder/pages" >"$folder/log" 2>&1 || {
	cat "$folder/log" >&2
	exit 1
}
"$folder/venv/bin/python" "$top/scripts/check_pages.py" "$folder/pages"

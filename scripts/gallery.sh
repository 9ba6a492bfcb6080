#!/usr/bin/env bash
# gallery.sh BUILD [--pictures] - runs the commands of doc/gallery.md in BUILD/gallery, in their order, and makes their pictures
# small.  --pictures puts them into doc/pictures/gallery.  Ends with 77 where the build draws nothing.
set -eu
usage='usage: gallery.sh BUILD [--pictures]'
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$(cd "${1:?$usage}" && pwd)
folder=$build/gallery
grep -q '^#define HAVE_CAIRO 1' "$build/config.h" || { echo 'this build draws nothing' >&2; exit 77; }
rm -rf "$folder" && mkdir -p "$folder"
awk '/^```sh$/ { is_in = 1; next } /^```$/ { is_in = 0 } is_in' "$top/doc/gallery.md" >"$folder/commands"
(cd "$folder" && CLPAC_DEVICE=native PATH=$build:$PATH sh -e commands)
sed -n 's/.*](pictures\/gallery\/\(.*\))$/\1/p' "$top/doc/gallery.md" | while read -r name; do
	python3 "$top/scripts/small_png.py" "$folder/$name" "$folder/$name"
done
if [[ ${2-} == --pictures ]]; then
	mkdir -p "$top/doc/pictures/gallery"
	cp "$folder"/*.png "$top/doc/pictures/gallery"
fi

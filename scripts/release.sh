#!/usr/bin/env bash
# release.sh [--quick] [--again] [ADDRESS] - makes what a release of this commit consists of, in release/clpac-VERSION, and pushes nothing.
#
#     clpac-VERSION.tar.gz       the sources, from a clean clone, made twice with the same bytes
#     python/                    Python's sdist and wheel (scripts/wheel.sh)
#     clpac-VERSION-doc.tar.gz   manual pages as text, and the pages of the Python package
#     packaging/                 recipes of conda-forge, Homebrew and Spack with the tarball's checksum and ADDRESS, the folder of the
#                                network where these files will lie; without ADDRESS none
#     SHA256SUMS                 of all these
#     notes.md                   what NEWS.md says of the version
#
# It refuses a tree with changes, a version that the files of the project do not agree on, and a version without news.  Before it
# makes anything it runs `make distcheck`; --quick leaves that out, for a rehearsal.  The last lines say what is left to do.
#
# Two runs on one commit make the same bytes: --again makes everything once more, and fails where a sum is not that in SHA256SUMS.
set -euo pipefail
# shellcheck source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

end() {
	say "release.sh: $1"
	exit 1
}

# versions - "FILE VERSION" for each file that names clpac's version.
versions() {
	echo "configure.ac $(sed -nE 's/^m4_define\(\[clpac_(major|minor|patch)\], \[([0-9]+)\]\)/\2/p' configure.ac | paste -s -d .)"
	echo "python/pyproject.toml $(sed -n 's/^version = "\(.*\)"/\1/p' python/pyproject.toml)"
	echo "CITATION.cff $(sed -n 's/^version: //p' CITATION.cff)"
	echo "codemeta.json $(sed -n 's/^ *"version": "\(.*\)",/\1/p' codemeta.json)"
	echo "packaging/debian/changelog $(sed -nE '1s/^clpac \((.*)-[0-9]+\).*/\1/p' packaging/debian/changelog)"
	echo "packaging/io.github.clpac.clpac.metainfo.xml $(released version)"
	echo "NEWS.md $(sed -nE 's/^## ([0-9.]+).*/\1/p' NEWS.md | head -n 1)"
}

# released ATTRIBUTE - that of the newest release in the metainfo.
released() { sed -n "s/.*<release .*$1=\"\([^\"]*\)\".*/\1/p" packaging/io.github.clpac.clpac.metainfo.xml | head -n 1; }

# dates - "FILE DATE" for each file that names the day of this version; NEWS.md does once it is released.
dates() {
	echo "packaging/debian/changelog $(date -u -d "$(sed -n 's/^ -- .*>  //p' packaging/debian/changelog | head -n 1)" +%F)"
	echo "packaging/io.github.clpac.clpac.metainfo.xml $(released date)"
	sed -nE '/^## /{s/^## [0-9.]+ \(([0-9-]{10})\)$/NEWS.md \1/p;q}' NEWS.md
}

# news VERSION - what NEWS.md says of it.
news() { awk -v heading="## $1" 'index($0, "## ") == 1 { is_in = index($0 " ", heading " ") == 1; next } is_in' NEWS.md; }

is_quick=0 is_again=0
while [[ ${1-} == --quick || ${1-} == --again ]]; do
	[[ $1 == --quick ]] && is_quick=1 || is_again=1
	shift
done
case ${1-} in
'' | *://*) address=${1-} ;;
--versions | --dates) # for the lint
	cd "$top" && "${1#--}"
	exit
	;;
*)
	say "usage: scripts/release.sh [--quick] [--again] [ADDRESS]"
	exit 2
	;;
esac

cd "$top"
[[ -z $(git status --porcelain) ]] || end 'the tree has changes: commit or remove them (git status)'
version=$(versions | awk '!seen[$2]++ { print $2 }')
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || end "these do not agree on a version: $(versions | paste -s -d ,)"
[[ $(dates | cut -d ' ' -f 2 | sort -u | wc -l) -eq 1 ]] || end "these do not agree on a day: $(dates | paste -s -d ,)"
[[ -n $(news "$version") ]] || end "NEWS.md says nothing of $version"
git rev-parse -q --verify "refs/tags/v$version" >/dev/null && end "there is a tag v$version already: raise the version (doc/releases.md)"
need_packages "${build_packages[@]}" "${check_packages[@]}"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
kept=$top/release/clpac-$version
if ((is_again)); then
	[[ -f $kept/SHA256SUMS ]] || end "nothing to compare with is in ${kept#"$top"/}"
	out=$work/again
else
	out=$kept
	rm -rf "$out"
fi
mkdir -p "$out/python"

say "== a clean clone"
git clone -q --no-hardlinks "$top" "$work/clpac"
(cd "$work/clpac" && autoreconf -fi >"$work/log" 2>&1 && mkdir build && cd build && ../configure -q >>"$work/log" 2>&1) || {
	tail -n 20 "$work/log" >&2
	end 'the clone does not configure'
}
if ((!is_quick)); then
	say "== distcheck"
	make -C "$work/clpac/build" -s -j"$jobs" distcheck >"$work/log" 2>&1 || {
		tail -n 40 "$work/log" >&2
		end 'make distcheck failed'
	}
fi

say "== the tarball, twice"
make -C "$work/clpac/build" -s dist >&2 && mv "$work/clpac/build/clpac-$version.tar.gz" "$out/"
make -C "$work/clpac/build" -s dist >&2
cmp "$work/clpac/build/clpac-$version.tar.gz" "$out/clpac-$version.tar.gz" || end 'two tarballs of one commit differ'

if [[ -n $address ]]; then
	say "== recipes"
	sum=$(sha256sum "$out/clpac-$version.tar.gz")
	for recipe in conda/recipe.yaml homebrew/clpac.rb spack/package.py; do
		mkdir -p "$out/packaging/${recipe%/*}"
		sed -e "s|@address@|$address|" -e "s|@version@|$version|" -e "s|@sha256@|${sum%% *}|" "packaging/$recipe" >"$out/packaging/$recipe"
	done
fi

say "== Python"
"$work/clpac/scripts/python-venv.sh" "$work/venv" || end 'what the wheel needs is not to be had'
"$work/clpac/scripts/wheel.sh" "$work/wheel" "$work/venv" >&2 || end 'the wheel does not build'
cp "$work"/wheel/dist/*.whl "$work"/wheel/dist/*.tar.gz "$out/python/"

say "== documents"
make -C "$work/clpac/build" -s -j"$jobs" all >&2
"$work/clpac/scripts/docs.sh" "$work/clpac/build" "$work/venv" >&2 || end 'the pages of the Python package do not build'
mkdir -p "$work/doc/clpac-$version-doc/man"
for page in "$work"/clpac/doc/*.[1-9] "$work"/clpac/build/doc/man3/*.3; do
	MANWIDTH=100 man -l -P cat "$page" 2>/dev/null | col -b >"$work/doc/clpac-$version-doc/man/$(basename "$page").txt"
done
cp -R "$work/clpac/build/python/pages" "$work/doc/clpac-$version-doc/python"
tar "${tar_options[@]}" --mtime="@$(git log -1 --format=%ct)" -C "$work/doc" -c "clpac-$version-doc" |
	gzip -9n >"$out/clpac-$version-doc.tar.gz"

news "$version" >"$out/notes.md"
(cd "$out" && find . -type f -printf '%P\n' | LC_ALL=C sort | xargs sha256sum) >"$work/sums"
mv "$work/sums" "$out/SHA256SUMS"
cat "$out/SHA256SUMS"
if ((is_again)); then
	diff "$kept/SHA256SUMS" "$out/SHA256SUMS" || {
		rm -rf "$kept-again" && mv "$out" "$kept-again"
		end "these are not the bytes of the run before; they are in ${kept#"$top"/}-again"
	}
	say "release.sh: all $(wc -l <"$out/SHA256SUMS") files have the bytes of the run before"
	exit
fi
cat <<-END
	Ready in ${out#"$top"/}.  What is left, by hand:
	    git tag -s v$version && git push origin v$version
	    upload these files with notes.md; python -m twine upload ${out#"$top"/}/python/*
	    raise the versions for what comes next (doc/releases.md)
END

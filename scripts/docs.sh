#!/usr/bin/env bash
# docs.sh BUILD VENV - builds the pages of the Python package in BUILD/python/pages: Sphinx runs every example of the gallery, over
# the libraries of the build folder.  VENV is python-venv.sh's.  Then it follows each link inside the pages, and refuses what a
# browser would fetch from elsewhere when it shows one: fonts, scripts, pictures.  A warning of Sphinx is an error.
set -u
usage='usage: docs.sh BUILD VENV'
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$(cd "${1:?$usage}" && pwd) || exit 1
venv=$(cd "${2:?$usage}" && pwd) || exit 1
folder=$build/python

"$top/scripts/python-package.sh" "$build" "$venv" || exit 1
# The gallery writes pages beside the sources.
rm -rf "$folder/pages-source" "$folder/pages"
cp -R "$top/python/docs" "$folder/pages-source" || exit 1
LD_LIBRARY_PATH=$build/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
PYTHONPATH=$folder/site MPLBACKEND=agg MNE_DONTWRITE_HOME=true XDG_CACHE_HOME=$folder/cache OPENBLAS_NUM_THREADS=1
export LD_LIBRARY_PATH PYTHONPATH MPLBACKEND MNE_DONTWRITE_HOME XDG_CACHE_HOME OPENBLAS_NUM_THREADS
# PoCL compiles kernels once for these and all tests.
export POCL_CACHE_DIR=${POCL_CACHE_DIR:-$build/tests/cache/pocl/kcache}
mkdir -p "$POCL_CACHE_DIR"
unset CLPAC_DEVICE
"$venv/bin/python" -m sphinx -q -W --keep-going -b html -d "$folder/pages-trees" "$folder/pages-source" "$folder/pages" >"$folder/pages.log" 2>&1 || {
	cat "$folder/pages.log" >&2
	exit 1
}
# Sphinx's note for a later build into the same folder, which depends on where that is.
rm -f "$folder/pages/.buildinfo"
"$venv/bin/python" "$top/scripts/check_pages.py" "$folder/pages"

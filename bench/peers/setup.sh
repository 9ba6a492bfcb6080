#!/bin/sh
# setup.sh FOLDER - a virtual environment in FOLDER, outside the source, with the programs that clpac is timed against:
#
#     tensorpac 0.6.5   NumPy, one process per core through joblib
#     gpu-pac           gPAC of the Python package index, on PyTorch, without its torch.compile
#
# and what they import without naming it: matplotlib (tensorpac), psutil (gPAC; it is named for its tests only).
#
# Some 6 GB on x86-64, since the index has PyTorch with CUDA only; PyTorch of another index that pip is configured for
# (PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu) does as well.  CLPAC_PEERS=tensorpac leaves gPAC out.
# Ends at once where all is there, and with an error where a peer cannot be imported in the end.
set -eu
folder=${1:?usage: setup.sh FOLDER}
peers=${CLPAC_PEERS-tensorpac gpac}

python=$folder/bin/python
peer_py=$(dirname "$0")/peer.py

need() { # need PEER PACKAGE...
	peer=$1
	shift
	"$python" "$peer_py" --check "$peer" 2>/dev/null || {
		"$python" -m pip install --quiet "$@"
		"$python" "$peer_py" --check "$peer" || {
			echo "setup.sh: pip installed $*, and yet $peer cannot be imported" >&2
			exit 1
		}
	}
}

[ -x "$python" ] || python3 -m venv "$folder"
for peer in $peers; do
	case $peer in
	tensorpac) need tensorpac tensorpac==0.6.5 matplotlib ;;
	gpac) need gpac gpu-pac==0.3.4 psutil ;;
	*)
		echo "setup.sh: no peer '$peer'; there are tensorpac and gpac" >&2
		exit 2
		;;
	esac
done
"$python" "$peer_py" --versions

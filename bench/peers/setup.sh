#!/bin/sh
# setup.sh FOLDER - a virtual environment in FOLDER, outside the source, with the programs that clpac is timed against:
#
#     tensorpac 0.6.5   NumPy, one process per core through joblib
#     gpu-pac           gPAC of the Python package index, on PyTorch, without its torch.compile
#
# Some 6 GB on x86-64, since the index has PyTorch with CUDA only; PyTorch of another index that pip is configured for
# (PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu) does as well.  CLPAC_PEERS=tensorpac leaves gPAC out.
# Ends at once where all is there.
set -eu
folder=${1:?usage: setup.sh FOLDER}
peers=${CLPAC_PEERS-tensorpac gpac}

need() { # need MODULE PACKAGE...
	module=$1
	shift
	"$folder/bin/python" -c "import $module" 2>/dev/null || "$folder/bin/python" -m pip install --quiet "$@"
}

[ -x "$folder/bin/python" ] || python3 -m venv "$folder"
for peer in $peers; do
	case $peer in
	tensorpac) need tensorpac tensorpac==0.6.5 ;;
	gpac) need gpac gpu-pac==0.3.4 psutil ;; # psutil: imported by gPAC, named by it for its tests only
	*)
		echo "setup.sh: no peer '$peer'; there are tensorpac and gpac" >&2
		exit 2
		;;
	esac
done
"$folder/bin/python" "$(dirname "$0")/peer.py" --versions

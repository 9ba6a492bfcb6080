#!/usr/bin/env bash
# quickstart.sh [FILE [OPTION...]] - from a checkout to a comodulogram.
#
# Installs missing packages, builds, makes a recording with known coupling (a 6 Hz phase that carries an 80 Hz amplitude) or
# takes FILE, runs it on the best device and on PoCL, prints the peak and leaves the pictures in quickstart/.
# OPTIONs go to `clpac run`, such as --rate 1000 for a file that does not hold its rate.
set -euo pipefail
# shellcheck source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

out=$top/quickstart
clpac=$top/build/clpac

# run NAME OPTION... - computes the recording; the run's last sentence stays in NAME.txt, too.
run() {
	local name=$1
	shift
	"$clpac" run "$input" -o "$out/$name.npz" --plot png --csv --force "$@" 2>&1 | tee "$out/$name.txt"
}

# said NAME - the sentence that a run ended with.
said() {
	sed -n '$s/^clpac run: //p' "$out/$1.txt"
}

case ${1-} in
-h | --help)
	sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"
	exit 0 ;;
esac

need_packages "${build_packages[@]}"
say "== building in build/"
configure_in "$top/build"
build_in "$top/build"

mkdir -p "$out"
say "== devices"
"$clpac" devices

if (($#)); then
	input=$1
	shift
else
	say "== a recording with known coupling"
	input=$out/example.npy
	"$clpac" synth "$input" --rate 512 --seconds 60 --phase 6 --amplitude 80 --force
	set -- --rate 512
fi

say "== the main job on the best device"
run best "$@"

say "== the same on PoCL, an OpenCL device that is this CPU"
if run pocl --device 'platform~Portable' "$@"; then
	pocl=$(said pocl)
else
	pocl='not run: see above'
fi

echo "on the best device: $(said best)"
echo "on PoCL:            $pocl"
echo "picture:            $out/best.png"
[[ $pocl != 'not run'* ]]

#!/usr/bin/env bash
# quickstart.sh [FILE [OPTION...]] - from a checkout to a comodulogram.
#
# Installs missing packages, builds, makes a recording with known coupling (a 6 Hz phase that carries an 80 Hz amplitude) or
# takes FILE, runs it on the best device and on PoCL, prints the peak and leaves the pictures in quickstart/.
# OPTIONs go to `clpac run`, such as --rate 1000 for a file that does not hold its rate.
set -eu
# shellcheck source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

out=$top/quickstart
clpac=$top/build/clpac

# peak CSV - the cell with the highest z of a result, or with the highest index where there are no surrogates.
peak() {
	awk -F, '
	# Columns are counted from the right: names of channels may hold commas.
	function field(name) { return $(NF - n_columns + column[name]) }
	function short(text) { return text ~ /[0-9]/ ? sprintf("%.4g", text) : "none" }
	NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; n_columns = NF; next }
	{
		value = field("z") ~ /[0-9]/ ? field("z") : field("mi")
		if (value !~ /[0-9]/ || found && value + 0 <= best) next
		found = 1
		best = value + 0
		channel = $1
		for (i = 2; i <= NF - n_columns + 1; i++) channel = channel "," $i
		where = sprintf("channel %s, phase %s-%s Hz, amplitude %s-%s Hz, modulation index %s, z %s, p %s", channel,
			short(field("phase_lo_hz")), short(field("phase_hi_hz")),
			short(field("amplitude_lo_hz")), short(field("amplitude_hi_hz")),
			short(field("mi")), short(field("z")), short(field("p")))
	}
	END { print found ? where : "none: every cell is empty" }' "$1"
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
"$clpac" run "$input" -o "$out/best.npz" --plot png --csv --force "$@"

say "== the same on PoCL, an OpenCL device that is this CPU"
if "$clpac" run "$input" -o "$out/pocl.npz" --plot png --csv --force --device 'platform~Portable' "$@"; then
	pocl=$(peak "$out/pocl.csv")
else
	pocl='not run: see above'
fi

echo "peak on the best device: $(peak "$out/best.csv")"
echo "peak on PoCL:            $pocl"
echo "picture:                 $out/best.png"
[[ $pocl != 'not run'* ]]

#!/bin/sh
# scripts/check-limits.sh BUILD [LIMITS]: commands of the program under so many limits of address space (164), beside the
# drivers of OpenCL that are installed, whose verdict was kept without a limit.  Each ends with 0 and a whole output, or with
# 69 and none; no signal ends it.  `make check-limits` in a build folder.  Some minutes.
set -eu
build=$(cd "$1" && pwd)
limits=${2-164}
work=$build/limits
rm -rf "$work"
mkdir "$work"
cd "$work"
CLPAC_CACHE=$work/cache
export CLPAC_CACHE
unset CLPAC_DEVICE CLPAC_PROBE OCL_ICD_VENDORS
clpac=$build/clpac

"$clpac" synth a.npy --rate 250 --seconds 20 -q
bands='--rate 250 --phase 4-8 --amplitude 30-45'
for seed in 1 2 3; do
	"$clpac" synth "$seed.npy" --rate 250 --seconds 20 --seed "$seed" -q
	# shellcheck disable=SC2086
	"$clpac" run "$seed.npy" $bands --surrogates 5 -q -o "$seed.npz"
done
"$clpac" devices >devices.txt
# The kernels of OpenCL's devices are compiled once, without a limit.
# shellcheck disable=SC2086
"$clpac" run a.npy $bands --surrogates 5 --device 0:0 -q -o first.npz || echo 'no device 0:0: commands for it are refused'

# one NAME ARGUMENT... - a command under the limit, which writes out/*.
one() {
	name=$1
	shift
	rm -rf out
	mkdir out
	code=0
	(
		# shellcheck disable=SC3045
		ulimit -v "$kib" && exec "$clpac" "$@"
	) >out/stdout 2>err || code=$?
	partial=$(find out -name '.*' -type f; find out -type f -size 0 ! -name stdout)
	case $code in
	0)
		n_done=$((n_done + 1))
		[ -z "$partial" ] || bad="$bad $name:$kib:partial" ;;
	69 | 126 | 127)
		n_refused=$((n_refused + 1))
		rm -f out/stdout
		[ -z "$(find out -type f)" ] || bad="$bad $name:$kib:partial" ;;
	*) bad="$bad $name:$kib:$code" ;;
	esac
}

# sweep NAME ARGUMENT... - the command under all limits, which grow from 60 MB to 4 GB by a factor.
sweep() {
	n_done=0 n_refused=0 bad=
	i=0
	while [ "$i" -lt "$limits" ]; do
		kib=$(awk -v i="$i" -v n="$limits" 'BEGIN { printf "%d", 60000 * exp(log(4000000 / 60000) * i / (n - 1)) }')
		one "$@"
		i=$((i + 1))
	done
	echo "| $1 | $n_done | $n_refused | ${bad:-none} |"
	[ -z "$bad" ] || status=1
}

status=0
echo "| command | done | refused | a signal, another code, or a partial file |"
echo "|---|---|---|---|"
sweep synth synth out/s.npy --rate 250 --seconds 5 -q
sweep info info a.npy --rate 250
sweep devices devices
# shellcheck disable=SC2086
{
	sweep plan plan a.npy $bands
	sweep run run a.npy $bands --surrogates 5 -q -o out/r.npz
	sweep 'run --device 0:0' run a.npy $bands --surrogates 5 --device 0:0 -q -o out/r.npz
	sweep 'run --device cpu' run a.npy $bands --surrogates 5 --device cpu -q -o out/r.npz
	sweep memory memory a.npy $bands --surrogates 5 --trace out/t.csv -q
}
sweep group group 1.npz 2.npz 3.npz -q -o out/g.npz
sweep plot plot 1.npz -o out/p.png -q
exit "$status"

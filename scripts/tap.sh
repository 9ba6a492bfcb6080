# tap.sh - sourced by check-cluster.sh, check-container.sh, check-report.sh and check-python.sh: their lines of TAP, which end with
# "N passed, N failed, N skipped".  $folder is theirs.
# shellcheck shell=bash disable=SC2154
n=0 n_passed=0 n_failed=0 n_skipped=0

skipped() { # skipped WHAT REASON
	n=$((n + 1)) n_skipped=$((n_skipped + 1))
	echo "ok $n - $1 # SKIP $2"
}

finish() {
	echo "$n_passed passed, $n_failed failed, $n_skipped skipped"
	((n_failed == 0))
	exit
}

# check WHAT COMMAND... - one line of TAP; what a failed command printed goes before it.
check() {
	local what=$1 begun=$SECONDS
	shift
	n=$((n + 1))
	if "$@" >"$folder/said" 2>&1; then
		n_passed=$((n_passed + 1))
		echo "ok $n - $what"
	else
		n_failed=$((n_failed + 1))
		sed 's/^/# /' "$folder/said"
		echo "not ok $n - $what"
	fi
	((SECONDS - begun < 5)) || echo "# $((SECONDS - begun)) s: $what"
}

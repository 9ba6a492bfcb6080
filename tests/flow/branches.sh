# branches.sh - sourced by tool.sh where calls.sh asks for it.  At each call of the program the script goes on with that call failing,
# up to its first failure, in a shell of its own (branches.c); then it goes on as if that had not been.
#
#     $branches/fork       the folder that makes a second shell
#     $branches/n          how many calls were made
#     $branches/failing    number and exit status of the call that fails, "0 0" for none
#     $branches/control    number of a call: the first from there on, outside of subshells, whose branch goes on to the end of the
#                          script with no call failing
#     $branches/said       a file CALL.STATUS each, and `control`: what the script printed from there on
# shellcheck shell=sh disable=SC2034,SC2154
branches=$CLPAC_TEST_BRANCHES
unset LD_PRELOAD CLPAC_TEST_BRANCHES

# restore - puts the folder of the test back as it was kept.  A file that no branch has changed stays, since the program knows by
# its number and times that it is the same.
restore() {
	cd "$scratch" || return
	find . -type d ! -perm -700 -exec chmod u+rwx {} \;
	find . -depth | grep -vxFf "$branches/names" | tr '\n' '\0' | xargs -0 rm -rf
	find . ! -type d -cnewer "$branches/kept_at" -print0 >"$branches/changed"
	cd "$branches/kept" && xargs -0 -r cp -af --parents -t "$scratch" <"$branches/changed" && cp -au . "$scratch"
	restored=$?
	cd "$branch_home" && return $restored
}

# branch - makes the branches of the call that comes next.  What runs beside the test would share the folder with them, and where
# the script has limited the sizes of files (ulimit -f) the folder could not be restored, so that there are none then.
branch() {
	[ -z "$child" ] && [ "$(ulimit -f)" = unlimited ] || return
	read -r branch_n <"$branches/n"
	branch_call=$((branch_n + 1)) branch_home=$PWD
	read -r branch_control <"$branches/control"
	branch_ways='70 0'
	[ $branch_call -lt "$branch_control" ] || grep -Esq '^(1\.\.|not ok|Bail out!)' "$branches/said/control" ||
		branch_ways='70 0 control'
	rm -rf "$branches/kept"
	cp -a "$scratch" "$branches/kept"
	(cd "$branches/kept" && find .) >"$branches/names"
	: >"$branches/kept_at"
	for branch_way in $branch_ways; do
		case $branch_way in
		control) branch_said=control ;;
		*) branch_said=$branch_call.$branch_way && echo "$branch_call $branch_way" >"$branches/failing" ;;
		esac
		if cd "$branches/fork" 2>/dev/null; then
			trap - EXIT
			cd "$branch_home" || exit
			branches=
			return
		fi
		mv "$branches/fork/said" "$branches/said/$branch_said"
		echo 0 0 >"$branches/failing"
		echo "$branch_n" >"$branches/n"
		restore || bail_out 'the folder of the test cannot be restored'
	done
}

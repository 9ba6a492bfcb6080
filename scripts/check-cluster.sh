#!/usr/bin/env bash
# check-cluster.sh BUILD - runs the recipes of doc/cluster.md: arrays under a Slurm of one node, which it brings up and ends, shards under
# Open MPI, and the workflow for Snakemake.  What they write is compared, byte for byte, with what one process writes.
#
# Prints TAP, with the seconds of each part; what cannot be had or started here is skipped with the reason.  The last line is
# "N passed, N failed, N skipped".
# shellcheck disable=SC2317 # functions that check calls
set -u
# shellcheck source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
build=$(cd "${1:?usage: check-cluster.sh BUILD}" && pwd) || exit 1
folder=$build/cluster page=$top/doc/cluster.md
# shellcheck source=tap.sh
. "$top/scripts/tap.sh"
rm -rf "$folder" && mkdir -p "$folder/bin" "$folder/slurm" "$folder/run" && cd "$folder/run" || exit 1
ln -s "$build/clpac" "$folder/bin/clpac"
# Variables of a scheduler are those of this test alone, not of a job that it may be in.
while read -r name; do unset "$name"; done < <(compgen -v | grep -E '^(SLURM|SBATCH|OMPI|PMI|CLPAC)_')
export PATH=$folder/bin:$PATH CLPAC_DEVICE=native SLURM_CONF=$folder/slurm/slurm.conf

# recipe FILE - writes the block of the page that follows the line that names the file.
recipe() {
	awk -v name="\`$1\`" 'index($0, name) { is_near = 1 } /^```sh$/ && is_near { inside = 1; next } /^```$/ && inside { exit } inside' \
		"$page" >"$1" && [[ -s $1 ]]
}

# made_once - recordings, and what one process makes of all and of the first by itself, which has no surrogates.
made_once() {
	local i
	mkdir -p data
	for i in 1 2 3 4 5 6; do
		clpac synth "data/$i.npy" --rate 256 --seconds 20 --channels 5 --seed "$i" --quiet || return
	done
	clpac run data --rate 256 -o alone --quiet && clpac run data/1.npy --rate 256 -o one.npz --quiet
}

# same_as_alone FOLDER - each result is there, and no claim.
same_as_alone() {
	local i
	for i in 1 2 3 4 5 6; do
		cmp "alone/$i.npz" "$1/$i.npz" || return
	done
	[[ -z $(find "$1" -name '.*' ! -name '.*.tmp') ]]
}

# --- Slurm ---

pids=()
end_slurm() {
	local pid
	for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null; done
	for pid in "${pids[@]}"; do wait "$pid" 2>/dev/null; done
}
trap end_slurm EXIT

# begin DAEMON ARGUMENT... - starts one in the foreground of a process of ours.
begin() {
	"$@" >"$folder/slurm/$1.out" 2>&1 &
	pids+=("$!")
}

configure_slurm() {
	local host
	host=$(hostname -s)
	(umask 077 && head -c 1024 /dev/urandom >"$folder/slurm/key")
	echo 'CgroupPlugin=cgroup/v1' >"$folder/slurm/cgroup.conf"
	cat >"$SLURM_CONF" <<-END
		ClusterName=check
		SlurmctldHost=$host(127.0.0.1)
		SlurmctldPort=16817
		SlurmdPort=16818
		SlurmUser=root
		AuthType=auth/munge
		AuthInfo=socket=$folder/slurm/munge.socket,cred_expire=5
		CryptoType=crypto/munge
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		JobAcctGatherType=jobacct_gather/none
		AccountingStorageType=accounting_storage/none
		SelectType=select/cons_tres
		SelectTypeParameters=CR_Core_Memory
		DefMemPerCPU=200
		ReturnToService=2
		MpiDefault=none
		SchedulerParameters=sched_interval=2,sched_min_interval=100000,batch_sched_delay=0,bf_interval=2
		StateSaveLocation=$folder/slurm/state
		SlurmdSpoolDir=$folder/slurm/spool
		SlurmctldPidFile=$folder/slurm/slurmctld.pid
		SlurmdPidFile=$folder/slurm/slurmd.pid
		SlurmctldLogFile=$folder/slurm/slurmctld.log
		SlurmdLogFile=$folder/slurm/slurmd.log
		NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=1000
		PartitionName=all Nodes=$host Default=YES MaxTime=10 State=UP
	END
	mkdir -p "$folder/slurm/state" "$folder/slurm/spool"
}

# why_not - the last words of the daemons.
why_not() {
	tail -qn 1 "$folder"/slurm/*.out "$folder"/slurm/*.log 2>/dev/null | tr '\n' ' ' | cut -c 1-300
}

# slurm_is_up - brings it up; 20 s at most, which only a failure takes.
slurm_is_up() {
	local i
	configure_slurm
	begin munged --foreground --force --key-file="$folder/slurm/key" --socket="$folder/slurm/munge.socket" \
		--pid-file="$folder/slurm/munged.pid" --log-file="$folder/slurm/munged.log" --seed-file="$folder/slurm/seed"
	for i in {1..40}; do [[ -S $folder/slurm/munge.socket ]] && break; sleep 0.1; done
	begin slurmctld -D
	begin slurmd -D
	for i in {1..100}; do
		sinfo -h -o %T 2>/dev/null | grep -qx idle && return
		sleep 0.2
	done
	false
}

# ends JOB - waits for all elements of an array, which is no longer known or completed then.
ends() {
	while squeue -h -j "$1" 2>/dev/null | grep -q .; do sleep 0.3; done
}

# requeued - an array over a folder, of which the second element is requeued when it has begun.
requeued() {
	local job
	job=$(sbatch --parsable folder.sh) || return
	until scontrol show job "${job}_2" 2>/dev/null | grep -q JobState=RUNNING; do
		squeue -h -j "$job" 2>/dev/null | grep -q . || break
		sleep 0.1
	done
	scontrol requeue "${job}_2" || return
	ends "$job"
	cat slurm-"$job"_*.out
	scontrol show job "${job}_2" | grep -q 'Restarts=1' && same_as_alone results
}

large() {
	local job
	job=$(sbatch --parsable large.sh) || return
	ends "$job"
	cat slurm-"$job"_*.out
	clpac merge large.shard-*-of-3.npz -o large.npz && cmp one.npz large.npz
}

check_slurm() {
	if ((EUID)); then
		skipped 'recipes of Slurm' 'only root can start Slurm'
	elif ! command -v slurmctld slurmd munged >/dev/null; then
		skipped 'recipes of Slurm' 'the Debian packages slurmctld, slurmd and munge could not be installed'
	elif ! slurm_is_up; then
		skipped 'recipes of Slurm' "Slurm cannot start here: $(why_not)"
	else
		check 'an array over a folder, of which an element is requeued' requeued
		check 'an array of shards of one recording' large
	fi
	end_slurm
	pids=()
}

# --- MPI and Snakemake ---

mpi() {
	OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 sh -e mpi.sh && cmp one.npz mpi.npz
}

snakemake_is_there() {
	[[ -x $build/cluster-venv/bin/snakemake ]] || {
		python3 -m venv "$build/cluster-venv" && "$build/cluster-venv/bin/pip" install --quiet --disable-pip-version-check snakemake==9.27.1
	} >"$folder/said" 2>&1
}

snake() {
	rm -rf results
	cp "$top/doc/examples/cluster/Snakefile" . && PATH=$build/cluster-venv/bin:$PATH sh -e snake.sh && rm -rf .snakemake && same_as_alone results
}

need_packages munge slurmctld slurmd slurm-client openmpi-bin python3-venv >"$folder/packages" 2>&1
for file in folder.sh large.sh mpi.sh snake.sh; do check "doc/cluster.md has $file" recipe "$file"; done
check 'recordings, and what one process makes of them' made_once
check_slurm
if command -v mpirun >/dev/null; then
	check 'shards by mpirun' mpi
else
	skipped 'shards by mpirun' 'the Debian package openmpi-bin could not be installed'
fi
if snakemake_is_there; then
	check 'the workflow for Snakemake' snake
else
	skipped 'the workflow for Snakemake' 'snakemake could not be had from the Python package index'
fi
finish

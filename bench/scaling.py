#!/usr/bin/env python3
"""How far does a folder of recordings scale, shared by processes of `clpac run --skip-existing`?

    scaling.py PROGRAM [--recordings N] [--processes N,N,...] [--seconds S] [--megabytes MB] [--operations N] [--gigabytes GB]
               [--read-done SHARE]

First counts, with strace, what one process asks of the file system for a recording that it computes, finds claimed, or finds done.
Then plays as many processes as are asked for on one file system that answers so many operations per second (of names: open, stat,
link, unlink, rename, list) and moves so many GB per second, each in the order of arrival.  Every process goes through the recordings
in their order, as clpac does.  Prints a row for each number of processes: the time, that of an equal share, and what took the rest.
"""
import argparse
import heapq
import os
import random
import re
import subprocess
import sys
import tempfile

NAMES = "%file,getdents64,fsync,flock"


def counted(program, folder, options):
    """Operations on names for each recording of a folder."""
    log = os.path.join(folder, "log")
    subprocess.run(["strace", "-f", "-y", "-e", "trace=" + NAMES, "-o", log, program, "run", "data", "-o", "results", "--skip-existing", "--quiet",
                    *options], cwd=folder, check=True, stdin=subprocess.DEVNULL)
    with open(log, encoding="utf-8", errors="replace") as lines:
        of_recordings = [line for line in lines if re.search(r"data|results", line) and "execve" not in line]
    return len(of_recordings) / len(os.listdir(os.path.join(folder, "data")))


def measure(program):
    """Operations for a recording that is computed, done, and claimed by another."""
    folder, name = os.path.split(os.path.abspath(program))
    if os.path.exists(os.path.join(folder, ".libs", name)):
        os.environ["LD_LIBRARY_PATH"] = os.path.join(folder, ".libs")
        program = os.path.join(folder, ".libs", name)
    with tempfile.TemporaryDirectory() as scratch:
        os.mkdir(os.path.join(scratch, "data"))
        for i in range(20):
            subprocess.run([program, "synth", f"data/{i:02}.npy", "--rate", "256", "--seconds", "4", "--quiet", "--seed", str(i)], cwd=scratch,
                           check=True)
        options = ["--rate", "256", "--device", "native", "--phase", "4:8:2", "--amplitude", "60:80:2", "--surrogates", "10"]
        computed = counted(program, scratch, options)
        done = counted(program, scratch, options)
        results = os.path.join(scratch, "results")
        for name in os.listdir(results):
            os.unlink(os.path.join(results, name))
        for name in os.listdir(os.path.join(scratch, "data")):  # of another computer, and fresh
            stem = os.path.splitext(name)[0]
            with open(os.path.join(results, f".{stem}.claim"), "w", encoding="utf-8") as claim:
                claim.write("host elsewhere\npid 1\nboot 0\nsince 2026-01-01T00:00:00Z\nrequest \n")
        claimed = counted(program, scratch, options)
    return computed, done, claimed


class FileSystem:
    """Answers one request after the other, names and bytes by themselves."""

    def __init__(self, operations, bytes_per_s):
        self.rates = (operations, bytes_per_s)
        self.free_at = [0.0, 0.0]
        self.busy = [0.0, 0.0]

    def ask(self, now, operations, n_bytes):
        for i, amount in enumerate((operations, n_bytes)):
            takes = amount / self.rates[i]
            begins = max(now, self.free_at[i])
            self.free_at[i] = begins + takes
            self.busy[i] += takes
            now = begins + takes
        return now


def play(n_processes, asked, costs):
    """Seconds until all are done, and how long the file system was busy with names and with bytes."""
    computed, done, claimed = costs
    draw = random.Random(1)
    seconds = [draw.lognormvariate(0, 0.5) * asked.seconds / 1.133 for _ in range(asked.recordings)]  # their mean is asked.seconds
    size = asked.megabytes * 1e6
    disk = FileSystem(asked.operations, asked.gigabytes * 1e9)
    done_at = [None] * asked.recordings  # None: nobody has begun
    queue = [(0.0, p, 0) for p in range(n_processes)]
    heapq.heapify(queue)
    checked, last = 0.0, 0.0
    while queue:
        now, p, i = heapq.heappop(queue)
        if i == asked.recordings:
            last = max(last, now)
        elif done_at[i] is None:
            done_at[i] = float("inf")
            read = disk.ask(now, computed, 2 * size)  # samples, and the checksum
            done_at[i] = read + seconds[i]
            heapq.heappush(queue, (done_at[i], p, i + 1))
        elif done_at[i] <= now:
            checked += size * asked.read_done
            heapq.heappush(queue, (disk.ask(now, done, size * asked.read_done), p, i + 1))
        else:
            heapq.heappush(queue, (disk.ask(now, claimed, 0), p, i + 1))
    return last, sum(seconds) / n_processes, disk.busy, checked


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("--recordings", type=int, default=10000)
    parser.add_argument("--processes", default="1,10,100,1000")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--megabytes", type=float, default=50)
    parser.add_argument("--operations", type=float, default=20000)
    parser.add_argument("--gigabytes", type=float, default=10)
    parser.add_argument("--read-done", type=float, default=0, help="the share of a recording that is read where its result is done")
    asked = parser.parse_args()
    costs = measure(asked.program)
    print("operations on names: %.0f computed, %.0f done, %.0f claimed by another" % costs, file=sys.stderr)
    print(f"{asked.recordings} recordings of {asked.megabytes:g} MB, {asked.seconds:g} s each; {asked.operations:g} operations and "
          f"{asked.gigabytes:g} GB per second\n")
    print("| processes | hours | equal share | share of the time with names | with bytes | bytes read for results that are done |")
    print("|---|---|---|---|---|---|")
    for n in map(int, asked.processes.split(",")):
        took, share, busy, checked = play(n, asked, costs)
        print(f"| {n} | {took / 3600:.3g} | {share / 3600:.3g} | {busy[0] / took:.2g} | {busy[1] / took:.2g} | {checked / 1e12:.3g} TB |", flush=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""How far does a folder of recordings scale, shared by processes of `clpac run --skip-existing`?

    scaling.py PROGRAM [--recordings N] [--processes N,N,...] [--seconds S] [--megabytes MB] [--operations N] [--gigabytes GB]
               [--done SHARE] [--alone]

First counts, with strace, what one process asks of the file system for a recording that it computes, finds claimed, or finds done.
Then plays as many processes as are asked for on one file system that answers so many operations per second (of names: open, stat,
link, unlink, rename, list) and moves so many GB per second, each in the order of arrival.  Every process goes through the recordings
as clpac does; with --alone, as if nobody told the others anything.  Prints a row for each number of processes: the time until the last
result is there, until the last process has ended, and that of an equal share, and what took the rest.
"""
import argparse
import bisect
import heapq
import os
import random
import re
import subprocess
import sys
import tempfile

NAMES = "%file,getdents64,fsync,flock"
NEWS = 2  # operations: open and stat, to read what others told
HELD = 2  # open and lock, to see that a claim is held
TAKING = 6  # of those of a recording that is computed, before the claim is there or another's
LISTED = 1000  # names that one operation lists


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


class Study:
    """Processes on a folder, by what happens next: a process looks for a recording, tries to take it, and has computed it."""

    def __init__(self, n_processes, asked, costs):
        self.asked, self.costs = asked, costs
        self.draw = random.Random(1)
        self.seconds = [self.draw.lognormvariate(0, 0.5) * asked.seconds / 1.133 for _ in range(asked.recordings)]  # mean: asked.seconds
        self.disk = FileSystem(asked.operations, asked.gigabytes * 1e9)
        self.was_done = set(self.draw.sample(range(asked.recordings), int(asked.done * asked.recordings)))
        self.untold = list(range(asked.recordings))  # neither begun nor done, by what processes know
        self.taken, self.running = set(), set()
        self.queue, self.n_events = [], 0
        self.last_result = self.last_end = 0.0
        for process in range(n_processes):
            self.later(self.ask(0, asked.recordings / LISTED), self.look, process)
        self.next = [0] * n_processes
        self.n_lines = 0  # that were told
        self.met = [0] * n_processes  # how many of them each has read or written

    def ask(self, now, operations, n_bytes=0):
        return self.disk.ask(now, operations, n_bytes)

    def later(self, when, what, *of):
        self.n_events += 1
        heapq.heappush(self.queue, (when, self.n_events, what, of))

    def tell(self, process, recording):
        self.n_lines += 1
        self.met[process] += 1
        at = bisect.bisect_left(self.untold, recording)
        if at < len(self.untold) and self.untold[at] == recording:
            del self.untold[at]

    def look(self, now, process):
        self.later(self.ask(now, NEWS), self.choose, process)

    def choose(self, now, process):
        if self.n_lines > self.met[process]:
            self.next[process] = self.draw.randrange(self.asked.recordings)
        self.met[process] = self.n_lines
        if not self.untold:  # each that is being computed is asked about
            self.last_end = max(self.last_end, self.ask(now, HELD * len(self.running)))
            return
        i = self.untold[bisect.bisect_left(self.untold, self.next[process]) % len(self.untold)]
        self.later(self.ask(now, TAKING), self.take, process, i)

    def take(self, now, process, i):
        computed, done, claimed = self.costs
        if i in self.was_done:
            self.tell(process, i)
            self.later(self.ask(now, done - TAKING), self.look, process)
        elif i in self.taken:
            self.next[process] = self.draw.randrange(self.asked.recordings)
            self.later(self.ask(now, max(claimed - TAKING, 0)), self.look, process)
        else:
            self.tell(process, i)
            self.taken.add(i)
            self.running.add(i)
            read = self.ask(now, computed - TAKING - NEWS, 2e6 * self.asked.megabytes)  # samples, and the checksum
            self.later(read + self.seconds[i], self.finish, process, i)

    def finish(self, now, process, i):
        self.running.discard(i)
        self.last_result = now
        self.next[process] = i + 1
        self.look(now, process)

    def play(self):
        while self.queue:
            now, _, what, of = heapq.heappop(self.queue)
            what(now, *of)
        return self.last_result, max(self.last_end, self.last_result)


class Alone(Study):
    """The same, where each process asks about each recording in their order."""

    def __init__(self, n_processes, asked, costs):
        super().__init__(n_processes, asked, costs)
        self.done = set(self.was_done)

    def look(self, now, process):
        computed, done, claimed = self.costs
        i = self.next[process]
        self.next[process] += 1
        if i == self.asked.recordings:
            self.last_end = max(self.last_end, now)
        elif i in self.done:
            self.later(self.ask(now, done), self.look, process)
        elif i in self.taken:
            self.later(self.ask(now, claimed), self.look, process)
        else:
            self.taken.add(i)
            read = self.ask(now, computed, 2e6 * self.asked.megabytes)
            self.later(read + self.seconds[i], self.finish, process, i)

    def finish(self, now, process, i):
        self.done.add(i)
        self.last_result = now
        self.look(now, process)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("--recordings", type=int, default=10000)
    parser.add_argument("--processes", default="1,10,100,1000")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--megabytes", type=float, default=50)
    parser.add_argument("--operations", type=float, default=20000)
    parser.add_argument("--gigabytes", type=float, default=10)
    parser.add_argument("--done", type=float, default=0, help="the share of the recordings that are done before")
    parser.add_argument("--alone", action="store_true", help="nobody tells anything")
    asked = parser.parse_args()
    costs = measure(asked.program)
    print("operations on names: %.0f computed, %.0f done, %.0f claimed by another" % costs, file=sys.stderr)
    print(f"{asked.recordings} recordings of {asked.megabytes:g} MB, {asked.seconds:g} s each; {asked.operations:g} operations and "
          f"{asked.gigabytes:g} GB per second\n")
    print("| processes | hours to the last result | to the last end | equal share | share of the time with names | with bytes |")
    print("|---|---|---|---|---|---|")
    for n in map(int, asked.processes.split(",")):
        study = (Alone if asked.alone else Study)(n, asked, costs)
        result, end = study.play()
        share = sum(s for i, s in enumerate(study.seconds) if i not in study.was_done) / n
        names, moved = (busy / end for busy in study.disk.busy)
        print(f"| {n} | {result / 3600:.3g} | {end / 3600:.3g} | {share / 3600:.3g} | {names:.2g} | {moved:.2g} |", flush=True)


if __name__ == "__main__":
    main()

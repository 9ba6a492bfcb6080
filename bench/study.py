#!/usr/bin/env python3
"""How near is `clpac plan --study` to what then happens?

    study.py PROGRAM

Plans studies and computes them: a folder whole, of all pairs of a recording one shard, and of few channels all of them.  Prints a row
for each: core-seconds, memory and bytes, planned and found.
"""
import json
import os
import resource
import subprocess
import sys
import tempfile

METHOD = ["--rate", "512", "--device", "native"]


def used(command, folder):
    """Core-seconds and peak bytes of a command."""
    process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise subprocess.CalledProcessError(status, command)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def planned(program, folder, words):
    """The page of a study as an object."""
    return json.loads(subprocess.run([program, "plan", *words, *METHOD, "--study", "--json"], cwd=folder, check=True, capture_output=True).stdout)


def row(name, plan, found):
    cells = [f"{p:.3g} / {f:.3g} ({100 * (p / f - 1):+.0f} %)" if p else "" for p, f in zip(plan, found)]
    print("| " + " | ".join([name, *cells]) + " |", flush=True)


def size(folder, start):
    return sum(os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder) if name.startswith(start))


def main():
    program = os.path.abspath(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    print("| study | core-seconds, planned / found | MB a process | MB of results |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "data"))
        for i in range(12):
            subprocess.run([program, "synth", f"data/{i}.npy", "--rate", "512", "--seconds", str(60 + 5 * i), "--channels", "8", "--seed", str(i),
                            "--quiet"], cwd=folder, check=True)
        for name, channels, seconds in (("few.npy", "32", "60"), ("many.npy", "64", "300")):
            subprocess.run([program, "synth", name, "--rate", "512", "--seconds", seconds, "--channels", channels, "--quiet"], cwd=folder, check=True)

        plan = planned(program, folder, ["data"])
        seconds, peak = used([program, "run", "data", "-o", "results", "--quiet", *METHOD], folder)
        row("12 recordings of 8 channels, 60 to 115 s", (3600 * plan["core_hours"], plan["process_bytes"] / 1e6, plan["result_bytes"] / 1e6),
            (seconds, peak / 1e6, size(os.path.join(folder, "results"), "") / 1e6))

        pairs = ["--pairs", "all", "--surrogates", "50"]
        plan = planned(program, folder, ["few.npy", *pairs])
        seconds, _ = used([program, "run", "few.npy", "-o", "few_pac.npz", "--quiet", *METHOD, *pairs], folder)
        row("all pairs of 32 channels, 60 s, undivided", (3600 * plan["core_hours"], 0, plan["result_bytes"] / 1e6),
            (seconds, 0, size(folder, "few_pac.") / 1e6))

        plan = planned(program, folder, ["many.npy", *pairs])
        seconds, peak = used([program, "run", "many.npy", "-o", "many_pac.npz", "--quiet", "--shard", "5/64", *METHOD, *pairs], folder)
        row("all pairs of 64 channels, 300 s: shard 5 of 64", (plan["shard_seconds"], plan["process_bytes"] / 1e6, plan["shard_bytes"] / 1e6),
            (seconds, peak / 1e6, size(folder, "many_pac.shard") / 1e6))


if __name__ == "__main__":
    main()

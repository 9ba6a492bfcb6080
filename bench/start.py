#!/usr/bin/env python3
"""How long does the program take from its start to its end, and how much memory?

    start.py PROGRAM SAMPLES.npy RATE_HZ [--device SELECTION] [--repetitions N] [--cold N] [-- OPTION...]

`clpac run SAMPLES.npy --rate RATE_HZ --surrogates 200 OPTION...`, cold (an empty cache folder, as at the very first run; the program's
own file is in memory by then) and warm (the cache of the run before).  Prints a JSON line: medians in seconds, the highest
resident size of the runs, and what starting /bin/true took on the same machine.  PROGRAM may be libtool's wrapper in a build
folder; what is timed is the program itself.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from statistics import median


def spawn(command, environment):
    """Seconds, and the highest resident size in bytes."""
    started = time.perf_counter()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"start.py: {' '.join(command)}: exit status {process.returncode}")
    return seconds, usage.ru_maxrss * 1024


def middle(values):
    values = list(values)
    return median(values) if values else None


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("samples")
    parser.add_argument("rate_hz")
    parser.add_argument("--device", default="native")
    parser.add_argument("--repetitions", type=int, default=15)
    parser.add_argument("--cold", type=int, default=3)
    parser.add_argument("--name", default="small")
    arguments, options = sys.argv[1:], []
    if "--" in arguments:
        at = arguments.index("--")
        arguments, options = arguments[:at], arguments[at + 1:]
    asked = parser.parse_args(arguments)

    environment = {key: value for key, value in os.environ.items() if not key.startswith("CLPAC_") and key != "CLFFT_CACHE_PATH"}
    folder, name = os.path.split(os.path.abspath(asked.program))
    program = os.path.join(folder, ".libs", name)
    if os.path.exists(program):
        environment["LD_LIBRARY_PATH"] = os.path.join(folder, ".libs")
    else:
        program = asked.program
    with tempfile.TemporaryDirectory() as scratch:
        command = [program, "run", asked.samples, "--rate", asked.rate_hz, "--surrogates", "200", "--device", asked.device,
                   "--quiet", "--force", "-o", os.path.join(scratch, "out.npz")] + options
        cold = []
        for i in range(asked.cold):
            environment["XDG_CACHE_HOME"] = os.path.join(scratch, f"cache{i}")
            cold.append(spawn(command, environment))
        if asked.repetitions and not cold:
            environment["XDG_CACHE_HOME"] = os.path.join(scratch, "cache")
            spawn(command, environment)
        warm, empty = [], []
        for _ in range(asked.repetitions):
            warm.append(spawn(command, environment))
            empty.append(spawn(["/bin/true"], environment)[0])
        with open(os.path.join(scratch, "out.json"), encoding="utf-8") as file:
            report = json.load(file)
    print(json.dumps({
        "bench": "start", "name": asked.name, "selection": asked.device, "device": report.get("device"), "repetitions": asked.repetitions,
        "cold_s": middle(s for s, _ in cold), "warm_s": middle(s for s, _ in warm),
        "warm_min": min((s for s, _ in warm), default=None), "warm_max": max((s for s, _ in warm), default=None),
        "true_s": middle(empty),
        "resident_peak_bytes": max(peak for _, peak in cold + warm), "load": os.getloadavg()[0]}))


if __name__ == "__main__":
    main()

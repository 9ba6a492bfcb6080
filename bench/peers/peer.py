#!/usr/bin/env python3
"""Times a workload in a peer, and clpac beside it.

    peer.py PEER SAMPLES.npy '{"name": "small", "rate_hz": 512, "phase": 10, "amplitude": 10, "surrogates": 200}' [OPTION]...
        --repetitions N          3 by default, after one run that is not counted
        --surrogates N           fewer than the workload has, where the peer is too slow: its time is that without surrogates plus
                                 what N took beyond it, times as many as are missing; the line says so
        --series N               likewise the first N series, whose time is multiplied
        --clpac COMMAND          a `bench/run ... --paced yes WORKLOAD` that computes the same: the two take turns, one run each
    peer.py --versions           names what is installed
    peer.py --check PEER         ends well where the peer can be imported, and says why where it cannot

Prints a JSON line for the peer; with --clpac also the line of bench/run, and one of their ratio.  Samples go in as they are in
memory (float64 for tensorpac, which computes in it; float32 for gPAC) and results come out as NumPy arrays on the host.

tensorpac: idpac (2, 2, 4): the index of Tort et al., surrogates by swapping the two blocks of amplitude at a random cut, which is
a circular shift, and z.  Its filters have clpac's taps and extension.  All cores through joblib (n_jobs=-1).
gPAC: PAC(...) with explicit bands and n_perm, which cuts the amplitude likewise; soft bins; no torch.compile.  Its filters are
made when PAC is, outside the time.
Both draw one shift per surrogate for all series where clpac draws one for each.
"""
import argparse
import json
import os
import shlex
import subprocess
import sys
import time
import warnings
from importlib import metadata
from statistics import median

# Both peers write remarks of their own; those of newer NumPy, SciPy and Python on tensorpac's source are not ours to judge.
warnings.simplefilter("ignore")


def version_of(package):
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def versions(*packages):
    return {p: version_of(p) for p in packages if version_of(p)}


def bands(first_hz, last_hz, n, fraction):
    import numpy as np
    centres = np.linspace(first_hz, last_hz, n)
    return np.c_[centres * (1 - fraction), centres * (1 + fraction)]


def import_tensorpac():
    import scipy.fftpack
    import scipy.fft
    if not hasattr(scipy.fftpack, "helper"):  # gone from newer SciPy; tensorpac 0.6.5 takes its next_fast_len
        scipy.fftpack.helper = scipy.fft
    import tensorpac
    return tensorpac


def import_gpac():
    import gpac
    return gpac


def make_tensorpac(samples, rate_hz, phase, amplitude, n_surrogates):
    """Returns (what to time, versions, threads)."""
    tensorpac = import_tensorpac()
    x = samples.astype("float64")
    pac = tensorpac.Pac(idpac=(2, 2, 4) if n_surrogates else (2, 0, 0), f_pha=phase, f_amp=amplitude, n_bins=18, verbose="error")

    def run():
        found = pac.filterfit(rate_hz, x, n_perm=n_surrogates or 1, n_jobs=-1, random_state=0, verbose="error")
        return pac.pac, found

    return run, versions("tensorpac", "numpy", "scipy", "joblib"), os.cpu_count()


def make_gpac(samples, rate_hz, phase, amplitude, n_surrogates):
    gpac = import_gpac()
    import torch
    pac = gpac.PAC(seq_len=samples.shape[1], fs=rate_hz, pha_range_hz=None, amp_range_hz=None, pha_n_bands=None,
                   amp_n_bands=None, pha_bands_hz=phase.tolist(), amp_bands_hz=amplitude.tolist(),
                   n_perm=n_surrogates or None, compile_mode=False)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    pac = pac.to(device)
    x = samples.astype("float32")[None]

    def run():
        with torch.no_grad():
            found = pac(torch.from_numpy(x).to(device))
            z = found["pac_z"]
            return found["pac"].cpu().numpy(), None if z is None else z.cpu().numpy()

    found = versions("gpu-pac", "torch", "numpy")
    found["device"] = torch.cuda.get_device_name(0) if device == "cuda" else "cpu"
    return run, found, torch.get_num_threads()


PEERS = {"tensorpac": make_tensorpac, "gpac": make_gpac}
IMPORTS = {"tensorpac": import_tensorpac, "gpac": import_gpac}


def check(peer):
    try:
        IMPORTS[peer]()
    except Exception as error:  # whatever a peer's own code raises when it is imported
        sys.exit(f"peer.py: {peer} cannot be imported: {type(error).__name__}: {error}")


def timed(run):
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


class Paced:
    """bench/run waiting for its turns."""

    def __init__(self, command):
        self.process = subprocess.Popen(shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline().strip() != "ready":
            self.process.wait()
            sys.exit(f"peer.py: {command}: it did not become ready")

    def run(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def end(self):
        self.process.stdin.close()
        line = json.loads(self.process.stdout.read())
        self.process.wait()
        return line


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--versions", action="store_true")
    parser.add_argument("--check", choices=sorted(PEERS))
    parser.add_argument("peer", nargs="?", choices=sorted(PEERS))
    parser.add_argument("samples", nargs="?")
    parser.add_argument("workload", nargs="?")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--surrogates", type=int)
    parser.add_argument("--series", type=int)
    parser.add_argument("--clpac")
    asked = parser.parse_args()
    if asked.versions:
        print(json.dumps(versions("tensorpac", "gpu-pac", "torch", "numpy", "scipy", "joblib")))
        return
    if asked.check:
        check(asked.check)
        return
    if not asked.workload:
        parser.error("a peer, samples and a workload are needed")

    import numpy as np
    w = json.loads(asked.workload)
    samples = np.load(asked.samples)
    n_series = min(asked.series or len(samples), len(samples))
    n_surrogates = w["surrogates"] if asked.surrogates is None else min(asked.surrogates, w["surrogates"])
    phase, amplitude = bands(2, 20, w["phase"], 0.25), bands(60, 160, w["amplitude"], 0.125)
    make = PEERS[asked.peer]
    run, made_of, threads = make(samples[:n_series], float(w["rate_hz"]), phase, amplitude, n_surrogates)
    plain = None
    if n_surrogates < w["surrogates"]:
        plain = make(samples[:n_series], float(w["rate_hz"]), phase, amplitude, 0)[0]
        plain()

    def whole():
        without = timed(plain) if plain else 0
        seconds = timed(run)
        if plain:
            seconds = without + (seconds - without) * w["surrogates"] / n_surrogates
        return seconds * len(samples) / n_series

    index, z = run()
    clpac = Paced(asked.clpac) if asked.clpac else None
    theirs, ours, ratios = [], [], []
    for _ in range(asked.repetitions):
        before = clpac.run() if clpac else None
        theirs.append(whole())
        if clpac:
            ours += [before, clpac.run()]
            ratios.append(theirs[-1] / median(ours[-2:]))
    line = {"bench": "peer", "peer": asked.peer, "name": w["name"], "versions": made_of, "threads": threads,
            "series": len(samples), "samples": samples.shape[1], "rate_hz": w["rate_hz"], "phase": w["phase"],
            "amplitude": w["amplitude"], "surrogates": w["surrogates"], "series_done": n_series,
            "surrogates_done": n_surrogates, "repetitions": asked.repetitions, "seconds": median(theirs), "min": min(theirs),
            "max": max(theirs), "highest_index": float(np.nanmax(index)),
            "highest_z": float(np.nanmax(z)) if w["surrogates"] else None, "load": os.getloadavg()[0]}
    print(json.dumps(line), flush=True)
    if clpac:
        ended = clpac.end()
        print(json.dumps(ended))
        print(json.dumps({"bench": "ratio", "peer": asked.peer, "name": w["name"], "backend": ended["backend"],
                          "device": ended["device"], "platform": ended["platform"], "versions": made_of,
                          "threads": threads, "clpac_threads": ended["threads"], "instruction_set": ended["instruction_set"],
                          "engine": ended["engine"], "series_done": n_series, "surrogates_done": n_surrogates,
                          "series": len(samples), "surrogates": w["surrogates"], "peer_s": median(theirs), "clpac_s": median(ours),
                          "clpac_min": min(ours), "peer_min": min(theirs), "plan_s": ended["plan_s"],
                          "ratio": median(ratios), "low": min(ratios), "high": max(ratios), "pairs": len(ratios),
                          "best_ratio": min(theirs) / min(ours), "load": os.getloadavg()[0]}), flush=True)


if __name__ == "__main__":
    main()

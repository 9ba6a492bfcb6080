#!/usr/bin/env python3
"""python.py [--repetitions N] [--no-peers] [--no-large] - what Python adds to a call of the library, and other packages for Python beside it.

All in one process, taking turns, one run each; ratios are medians of the pairs.  The package clpac must be installed in the
interpreter, and for the peers tensorpac and pactools.  Prints lines for doc/measurements/python.md.

overhead   clpac.pac of an array, without cautions, beside clpac_analysis_run on a recording that is made already, with a device
           that is open already; and Plan.run beside clpac_plan_run_samples.  In processor time of the calling thread, with one
           thread, which other work on the machine disturbs the least, and in time.
peers      `small` of bench/workload.c by pac with its cautions, by tensorpac (idpac 2, 2, 4) and by pactools ("tort", which takes
           one series at a time and has no index of a cell's own surrogates but its z), each with 200 surrogates, from an array
           to an array, on all cores where the package can.
copies     the resident memory that 1 GB of float32 samples of 16 channels takes beside themselves."""

import argparse
import statistics
import sys
import time
import warnings

import numpy as np

import clpac
from clpac import _contexts, _options
from clpac._clpac import ffi, lib

warnings.simplefilter("ignore")
RATE_HZ, N_SURROGATES = 512, 200


def samples_of_small():
    """Pink enough: four series of 2048 samples, with coupling in each."""
    draw, t = np.random.default_rng(0), np.arange(2048) / RATE_HZ
    slow = 2 * np.pi * 6 * t + np.cumsum(draw.normal(0, 0.05, (4, 2048)), axis=1)
    made = np.cos(slow) + 0.3 * (1 + np.cos(slow)) * np.sin(2 * np.pi * 80 * t) + draw.normal(0, 0.5, (4, 2048))
    return made.astype(np.float32)


def in_turns(first, second, repetitions, clock):
    """Seconds of both, run by run."""
    pairs = []
    first(), second()
    for _ in range(repetitions):
        at = [clock()]
        for work in (first, second):
            work()
            at.append(clock())
        pairs.append((at[1] - at[0], at[2] - at[1]))
    return pairs


def report(what, pairs):
    ours, theirs = (statistics.median(pair[i] for pair in pairs) for i in range(2))
    best = [min(pair[i] for pair in pairs) for i in range(2)]
    ratio = statistics.median(a / b for a, b in pairs)
    print(f"| {what} | {1e3 * ours:.3f} | {1e3 * theirs:.3f} | {ratio:.3f} | {best[0] / best[1]:.3f} |", flush=True)


def bare_analysis(x, n_jobs):
    """clpac_analysis_run alone."""
    recording, analysis = clpac.read(x, RATE_HZ), _options.Analysis(_options.RUN, {"n_perm": N_SURROGATES})
    contexts = _contexts.contexts_of({"device": "native"}, n_jobs, 1)
    call, out, err = ffi.new("clpac_analysis_call *"), ffi.new("clpac_result **"), ffi.new("clpac_error *")
    call.size, call.contexts, call.n_contexts = ffi.sizeof("clpac_analysis_call"), contexts.pointers, contexts.n
    call.no_cautions = True

    def run():
        assert lib.clpac_analysis_run(analysis.pointer, recording._pointer, call, out, err) == lib.CLPAC_OK
        lib.clpac_result_destroy(out[0])

    return run


def bare_plan(plan, x):
    """clpac_plan_run_samples alone."""
    samples, keep = plan._samples(x)
    out, err = ffi.new("clpac_result **"), ffi.new("clpac_error *")

    def run(keep=keep):
        assert lib.clpac_plan_run_samples(plan._plan, samples, out, err) == lib.CLPAC_OK
        lib.clpac_result_destroy(out[0])

    return run


def overhead(repetitions):
    x = samples_of_small()
    print("| `small`, without cautions | Python, ms | C, ms | ratio | best runs |\n|---|---|---|---|---|")
    for n_jobs, clock, words in ((1, time.thread_time, "one thread, its processor time"), (None, time.perf_counter, "all cores, time")):
        options = dict(device="native", n_jobs=n_jobs, n_perm=N_SURROGATES)
        pairs = in_turns(lambda: clpac.pac(x, RATE_HZ, caution=False, **options), bare_analysis(x, n_jobs), repetitions, clock)
        report(f"`pac` beside `clpac_analysis_run`; {words}", pairs)
        plan = clpac.Plan(shape=x.shape, sfreq=RATE_HZ, **options)
        report(f"`Plan.run` beside `clpac_plan_run_samples`; {words}", in_turns(lambda: plan.run(x), bare_plan(plan, x), repetitions, clock))


def tensorpac_of(x, f_pha, f_amp):
    sys.path.insert(0, __file__.rpartition("/")[0] + "/peers")
    from peer import import_tensorpac

    pac = import_tensorpac().Pac(idpac=(2, 2, 4), f_pha=f_pha, f_amp=f_amp, n_bins=18, verbose="error")
    return lambda: pac.filterfit(RATE_HZ, x.astype(float), n_perm=N_SURROGATES, n_jobs=-1, random_state=0, verbose="error")


def pactools_of(x, f_pha, f_amp):
    import pactools

    def run():
        for row in x.astype(float):
            pactools.Comodulogram(
                fs=RATE_HZ,
                low_fq_range=f_pha.mean(axis=1),
                low_fq_width=2.0,
                high_fq_range=f_amp.mean(axis=1),
                high_fq_width="auto",
                method="tort",
                n_surrogates=N_SURROGATES,
                progress_bar=False,
                random_state=0,
                n_jobs=1,
            ).fit(row)

    return run


def peers(repetitions):
    x = samples_of_small()
    made = clpac.pac(x, RATE_HZ, device="native")
    print("\n| `small`, from array to array | its time, ms | `clpac.pac`, ms | ratio | best runs |\n|---|---|---|---|---|")
    for name, make in (("tensorpac", tensorpac_of), ("pactools", pactools_of)):
        try:
            theirs = make(x, np.array(made.f_pha), np.array(made.f_amp))
            theirs()
            warnings.simplefilter("ignore")  # some set filters of their own
        except ImportError as problem:
            print(f"{name} is left out: {problem}", file=sys.stderr)
            continue
        report(name, in_turns(theirs, lambda: clpac.pac(x, RATE_HZ, device="native"), repetitions, time.perf_counter))


def copies():
    def mib(what):
        with open("/proc/self/status") as file:
            return next(int(line.split()[1]) / 1024 for line in file if line.startswith(what))

    n_channels, n_samples = 16, 16_777_216
    x = np.empty((n_channels, n_samples), np.float32)
    x[:] = np.random.default_rng(0).normal(size=n_samples).astype(np.float32)
    options = dict(f_pha="5-7", f_amp="60-80", n_perm=0, device="native", caution=False, segment=600, hold="64M")
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # the peak begins anew
    before = mib("VmRSS:")
    clpac.pac(x, 1000, **options)
    print(f"\n{x.nbytes / 2**20:.0f} MiB of samples: {mib('VmHWM:') - before:.0f} MiB beside them.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=100)
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--no-large", action="store_true")
    asked = parser.parse_args()
    overhead(asked.repetitions)
    if not asked.no_peers:
        peers(max(asked.repetitions // 20, 3))
    if not asked.no_large:
        copies()


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""cautions.py CLPAC [--maps N] [--seconds S ...] [--kind WORD ...] - which cells cautions mark, in signals with and without coupling.

For each kind of signal and each length: the share of maps with a significant cell (p_max <= 0.05), significant cells a map, the
share of those that are marked (`harmonic`), the 2 %, 50 % and 98 % quantiles of what remains of their index without the shape of
a wave (`remaining`), and the number of channels that each warning counts.  Kinds with "coupled" before them have a fast rhythm or
noise whose gain follows a slow wave, and at most 2 % of their cells should be marked; all others have none, and at least 95 %
should be, or the channel be named.  A CLPAC without `remaining` is shown without it.  Needs numpy.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import numpy

RATE = 500


# --- Parts of signals -------------------------------------------------------------------------------------------------

def band(x, low, high):
    """What a Butterworth filter of order 3, there and back, leaves of each row."""
    at = numpy.fft.rfftfreq(x.shape[-1], 1 / RATE)
    at[0] = at[1] / 2
    gain = 1 / (1 + ((at * at - low * high) / (at * (high - low))) ** 6)
    return numpy.fft.irfft(numpy.fft.rfft(x) * gain, x.shape[-1])


def unit(x):
    return x / x.std(-1, keepdims=True)


class Parts:
    """What signals of n maps of m samples are made of."""

    def __init__(self, n, m, random):
        self.n, self.m, self.random = n, m, random
        slow = numpy.fft.fft(band(self.white(m + 4000), 6.2, 7.8))
        slow[:, 1:(m + 4001) // 2] *= 2
        slow[:, (m + 4000) // 2 + 1:] = 0
        slow = numpy.fft.ifft(slow)[:, 2000:-2000]
        self.phase = numpy.unwrap(numpy.angle(slow))
        self.size = unit(abs(slow))
        self.noise = self.pink()
        self.gain = (1 + numpy.cos(self.phase)) / 2
        self.gamma = unit(band(self.white(), 65, 95))

    def white(self, m=None):
        return self.random.standard_normal((self.n, m or self.m))

    def pink(self):
        at = numpy.fft.rfftfreq(3 * self.m)
        at[0] = at[1]
        parts = self.random.standard_normal((2, self.n, len(at)))
        return unit(numpy.fft.irfft((parts[0] + 1j * parts[1]) / numpy.sqrt(at), 3 * self.m)[:, self.m:2 * self.m])

    def warped(self, rise):
        """A wave that rises in this part of its cycle."""
        place = self.phase / (2 * numpy.pi) % 1
        return -numpy.cos(numpy.pi * numpy.where(place < rise, place / rise, 1 + (place - rise) / (1 - rise)))

    def at_times(self, shape, count, heights=(1,)):
        """Shapes at random times."""
        x = numpy.zeros((self.n, self.m))
        for row in x:
            for t in self.random.integers(0, self.m - len(shape), count):
                row[t:t + len(shape)] += shape * self.random.choice(heights)
        return x


# --- Signals ----------------------------------------------------------------------------------------------------------

def mild(p):
    return numpy.cos(p.phase) + 0.25 * numpy.cos(2 * p.phase - 1) + 0.1 * numpy.cos(3 * p.phase - 1.5)


def two_nested(p):
    slow = unit(band(p.white(), 22, 50))
    return (p.size * numpy.cos(p.phase) + 0.5 * p.noise + 0.25 * p.gain * p.gamma
            + 0.35 * (1 + numpy.cos(p.phase + 1)) / 2 * slow)


def broadband(p):
    return (p.size * numpy.cos(p.phase) + 0.3 * p.noise
            + 0.4 * (1 + 0.6 * numpy.cos(p.phase)) * unit(band(p.white(), 20, 200)))


def nested(p, wave):
    return p.size * wave + 0.8 * p.noise + 0.25 * p.gain * p.gamma


def spike_train(p):
    cycles = numpy.floor(p.phase / (2 * numpy.pi))
    starts = numpy.diff(cycles, axis=1, prepend=cycles[:, :1]) > 0
    kernel = numpy.exp(-numpy.arange(15) / 3)
    return 0.6 * p.noise + 1.5 * numpy.stack([numpy.convolve(row, kernel)[:p.m] for row in starts.astype(float)])


def bump(samples, height):
    return height * numpy.exp(-numpy.linspace(-3, 3, samples) ** 2)


def muscle(p):
    slow = unit(band(p.white(), 1, 3))
    return p.noise + 1.5 * (slow > 1.3) * unit(band(p.white(), 30, 220)) + 2 * slow


def heartbeat(p):
    x = p.noise.copy()
    sharp = numpy.convolve(numpy.r_[numpy.zeros(5), -0.5, 2, 5, -1.5, -0.5, numpy.zeros(5)], [0.3, 0.4, 0.3])
    slow = 0.4 * numpy.exp(-numpy.linspace(-2.5, 2.5, 90) ** 2)
    for row in x:
        t = p.random.integers(0, 300)
        while t < p.m - 300:
            row[t:t + len(sharp)] += sharp
            row[t + 100:t + 190] += slow
            t += int(RATE / 1.2 * (1 + 0.06 * p.random.standard_normal()))
    return x


def steps(p):
    x = p.noise.copy()
    for row in x:
        for t in p.random.integers(0, p.m, 5):
            row[t:] += 100 * p.random.choice([-1, 1])
    return x


KINDS = {
    "pink noise": lambda p: p.noise,
    "coupled: nested, sine": lambda p: nested(p, numpy.cos(p.phase)),
    "coupled: nested, mild harmonics": lambda p: nested(p, mild(p)),
    "coupled: nested, rise 0.42": lambda p: nested(p, p.warped(0.42)),
    "coupled: nested, rise 0.25": lambda p: nested(p, p.warped(0.25)),
    "coupled: two nested": two_nested,
    "coupled: broadband gain": broadband,
    "coupled: pink noise with gain": lambda p: p.size * numpy.cos(p.phase) + (1 + 0.6 * numpy.cos(p.phase)) * p.pink(),
    "rise 0.25": lambda p: p.size * p.warped(0.25) + 0.3 * p.noise,
    "rise 0.1": lambda p: p.size * p.warped(0.1) + 0.3 * p.noise,
    "sawtooth": lambda p: 1.2 * p.size * (p.phase / numpy.pi % 2 - 1) + 0.3 * p.noise,
    "arcs": lambda p: 2 * p.size * abs(numpy.cos(p.phase / 2)) + 0.3 * p.noise,
    "triangle": lambda p: p.size * numpy.arcsin(numpy.cos(p.phase)) + 0.1 * p.noise,
    "square": lambda p: p.size * numpy.tanh(8 * numpy.cos(p.phase)) + 0.3 * p.noise,
    "clipped": lambda p: numpy.clip(1.5 * p.size * numpy.cos(p.phase), -1.2, 1.2) + 0.3 * p.noise,
    "spikes at a phase": spike_train,
    "20 spikes of 60 deviations": lambda p: p.noise + p.at_times(numpy.ones(1), 20, (-60, 60)),
    "30 sharp spikes of 5 deviations": lambda p: p.noise + p.at_times(bump(11, 5), 30),
    "30 sharp spikes of 15 deviations": lambda p: p.noise + p.at_times(bump(11, 15), 30),
    "30 sharp spikes of 50 deviations": lambda p: p.noise + p.at_times(bump(11, 50), 30),
    "30 broad spikes of 8 deviations": lambda p: p.noise + p.at_times(bump(36, 8), 30),
    "heartbeat": heartbeat,
    "muscle on slow deflections": muscle,
    "5 steps of 100 deviations": steps,
}


# --- Table ------------------------------------------------------------------------------------------------------------

def run(program, x):
    with tempfile.TemporaryDirectory() as folder:
        numpy.save(folder + "/x.npy", x.astype(numpy.float32))
        subprocess.run([program, "run", folder + "/x.npy", "-o", folder + "/o.npz", "--rate", str(RATE), "-q",
                        "--no-checksum", "--device", "native", "--checkpoint", "off"], check=True)
        with open(folder + "/o.json") as report:
            return dict(numpy.load(folder + "/o.npz")), json.load(report)["warnings"]


def row(program, kind, n, seconds, seed):
    arrays, warnings = run(program, KINDS[kind](Parts(n, seconds * RATE, numpy.random.default_rng(seed))))
    significant = arrays["p_max"][:, 0] <= numpy.float32(0.05)
    marked = arrays["harmonic"][:, 0] > 0
    of_cells = significant.sum()
    share = "%6.3f" % ((marked & significant).sum() / of_cells) if of_cells else "     -"
    left = "    -    -    -"
    if of_cells and "remaining" in arrays:
        left = "%5.2f%5.2f%5.2f" % tuple(numpy.nanquantile(arrays["remaining"][:, 0][significant], [0.02, 0.5, 0.98]))
    named = ", ".join("%s %d" % (w["kind"], w["count"]) for w in warnings)
    print("%4d s  %-34s %5.2f %6.1f %s %s  %s" % (seconds, kind, significant.any((1, 2)).mean(),
                                                of_cells / n, share, left, named), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", metavar="CLPAC")
    parser.add_argument("--maps", type=int, default=20, help="of each kind and length; 20")
    parser.add_argument("--seconds", type=int, nargs="+", default=[60, 300, 900])
    parser.add_argument("--kind", nargs="+", default=[], help="kinds with one of these words alone")
    parser.add_argument("--seed", type=int, default=77)
    arguments = parser.parse_args()
    if not os.access(arguments.program, os.X_OK):
        sys.exit("cautions.py: %s: no program" % arguments.program)
    print("length  kind                                found  cells marked   2 %  50 % 98 %  channels that are warned of")
    for seconds in arguments.seconds:
        for kind in KINDS:
            if not arguments.kind or any(word in kind for word in arguments.kind):
                row(arguments.program, kind, arguments.maps, seconds, arguments.seed)


if __name__ == "__main__":
    main()

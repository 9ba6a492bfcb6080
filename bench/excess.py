#!/usr/bin/env python3
"""excess.py CLPAC [--recordings N] - how far the excess of an index is from the true one, and how often its interval holds it.

Runs CLPAC on made recordings, of which the cell at 5.25-8.75 and 60-100 Hz is looked at, and prints a table for each measure:

    true       the excess in 100 minutes of the same signal
    mean       that of recordings of 10 and 60 s, on average
    spread     their standard deviation, beside the mean deviation of their surrogates
    held       the share of recordings whose 95 % interval holds the true excess; the share whose interval is above it, and below

The signals: pink noise; a rhythm of 7 Hz whose phase drives 65-95 Hz; the same with coupling that comes and goes by itself, slower
than 1 Hz.  For mvl, ndpac and hr, whose excess depends on the length of a recording, "true" is the mean of all recordings.  Needs
numpy.
"""
import argparse
import tempfile

import numpy

from spreads import RATE, analytic, band, run_made, unit, white

SECONDS, TRUE_SECONDS, MEASURES = (10, 60), 6000, ('mi', 'glm', 'gcmi', 'mvl', 'ndpac')
OF_LENGTH = ('mvl', 'ndpac')
SIGNALS = (('pink noise', 0, False), ('coupled, 0.15', 0.15, False), ('coupled, 0.3', 0.3, False), ('coming and going, 0.3', 0.3, True))


def background(n, m, random):
    """Pink noise above 0.5 Hz and white below, so that its level does not depend on the length; cut from a longer one."""
    at = numpy.fft.rfftfreq(2 * m, 1 / RATE)
    parts = random.standard_normal((2, n, len(at)))
    x = numpy.fft.irfft((parts[0] + 1j * parts[1]) / numpy.sqrt(numpy.maximum(at, 0.5)), 2 * m)
    return unit(x[:, m // 2:m // 2 + m])


def make(depth, comes_and_goes, n, m, random):
    slow = analytic(band(white(n, m + 4000, random), 6.2, 7.8)[:, 2000:-2000])
    phase, size = numpy.angle(slow), numpy.abs(slow) / numpy.abs(slow).std(1, keepdims=True)
    drive = (1 + numpy.cos(phase)) * unit(band(white(n, m, random), 65, 95)) / 2
    if comes_and_goes:
        drive = drive * numpy.clip(unit(band(white(n, m, random), 0.2, 1)) - 0.5, 0, None)
    rhythm = size * numpy.cos(phase) if depth else 0
    return rhythm + 0.8 * background(n, m, random) + depth * drive


def table(clpac, folder, n, signal, random):
    name, depth, comes_and_goes = signal
    options = ('--rate', str(RATE), '--phase', '5.25-8.75', '--amplitude', '60-100', '--measure', ','.join(MEASURES), '--null', 'shift')
    whole = run_made(clpac, folder, make(depth, comes_and_goes, 1, TRUE_SECONDS * RATE, random), *options)
    for seconds in SECONDS:
        found = run_made(clpac, folder, make(depth, comes_and_goes, n, seconds * RATE, random), *options)
        for measure in MEASURES:
            before = '' if measure == 'mi' else measure + '_'
            excess, low, high, chance = (found[before + key].ravel().astype(float)
                                         for key in ('excess', 'excess_lo', 'excess_hi', 'surrogate_std'))
            true = excess.mean() if measure in OF_LENGTH else float(whole[before + 'excess'].ravel()[0])
            true = true if depth else 0.0
            print(f"| {name} | {seconds} s | {measure} | {true:.2e} | {excess.mean():.2e} | {excess.std():.1e} | {chance.mean():.1e} | "
                  f"{((low <= true) & (true <= high)).mean():.3f} | {(true < low).mean():.3f} | {(true > high).mean():.3f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('clpac')
    parser.add_argument('--recordings', type=int, default=200)
    given = parser.parse_args()
    random = numpy.random.default_rng(5)
    print('| signal | length | measure | true | mean | spread | of surrogates | held | above it | below it |')
    print('|---|---|---|---|---|---|---|---|---|---|')
    with tempfile.TemporaryDirectory() as folder:
        for signal in SIGNALS:
            table(given.clpac, folder, given.recordings, signal, random)


if __name__ == '__main__':
    main()

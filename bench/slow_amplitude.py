#!/usr/bin/env python3
"""slow_amplitude.py CLPAC [--recordings N] - what each measure makes of a fast amplitude that follows the amplitude of a slow wave.

A wave of 6 Hz with sharp peaks has its first two harmonics in a phase band of 4-16 Hz, whose amplitude is then highest at the peaks.
A fast amplitude that follows that amplitude, and nothing else, is larger there too.  Prints the share of recordings whose cell at
4-16 and 60-100 Hz has p <= 0.05, 0.05 by chance, and the mean index; with a symmetric wave, whose amplitude knows nothing of the
phase, and with fast amplitudes that follow the phase, for comparison.  Needs numpy.
"""
import argparse
import tempfile

import numpy

from excess import background as pink
from spreads import RATE, analytic, band, run_made, unit, white

SECONDS = 30
MEASURES = ('mi', 'mvl', 'glm', 'gcmi', 'pac-glm')


# --- Signals ----------------------------------------------------------------------------------------------------------

# The fast amplitude as a function of the slow one and of the phase.
DRIVES = {'constant': lambda slow, phase: 1,
          'follows the slow one': lambda slow, phase: slow,
          'falls with the slow one': lambda slow, phase: 1 / (0.3 + slow),
          'follows the phase': lambda slow, phase: 1 + numpy.cos(phase + 2),
          'follows both': lambda slow, phase: slow + 1 + numpy.cos(phase + 2)}
KINDS = (('sine', 'constant'), ('sine', 'follows the slow one'), ('sine', 'follows the phase'), ('peaks', 'constant'),
         ('peaks', 'follows the slow one'), ('peaks', 'falls with the slow one'), ('peaks', 'follows the phase'), ('peaks', 'follows both'))


def make(wave, drive, n, m, random):
    rhythm = analytic(band(white(n, m + 4000, random), 5, 7))[:, 2000:-2000]
    phase, size = numpy.angle(rhythm), abs(rhythm) / abs(rhythm).mean()
    slow = size * (numpy.cos(phase) + (0.5 * numpy.cos(2 * phase) if wave == 'peaks' else 0))
    fast = DRIVES[drive](abs(analytic(band(slow, 4, 16))), phase) * unit(band(white(n, m, random), 65, 95))
    return 2 * slow + 0.4 * pink(n, m, random) + 0.3 * fast


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('clpac')
    parser.add_argument('--recordings', type=int, default=400)
    given = parser.parse_args()
    options = ('--rate', str(RATE), '--phase', '4-16', '--amplitude', '60-100', '--measure', ','.join(MEASURES), '--null', 'shift')
    random = numpy.random.default_rng(8)
    print(f"| wave | fast amplitude | {' | '.join(MEASURES)} | {' | '.join('mean ' + measure for measure in MEASURES)} |")
    print('|---|---|' + '---|' * 2 * len(MEASURES))
    with tempfile.TemporaryDirectory() as folder:
        for wave, drive in KINDS:
            found = run_made(given.clpac, folder, make(wave, drive, given.recordings, SECONDS * RATE, random), *options)
            shares = [f"{(found['p' if measure == 'mi' else measure + '_p'] <= 0.05).mean():.3f}" for measure in MEASURES]
            means = [f'{found[measure].mean():.1e}' for measure in MEASURES]
            print(f"| {wave} | {drive} | {' | '.join(shares)} | {' | '.join(means)} |", flush=True)


if __name__ == '__main__':
    main()

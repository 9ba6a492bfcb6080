#!/usr/bin/env python3
"""evoked.py CLPAC [--fewer N] - how often a run of epochs finds coupling in responses that have none, by null and number of epochs.

Runs CLPAC on made channels whose events evoke a wave of 6 Hz and a burst of 75 Hz of its own phase, in pink noise at 250 Hz: both
are locked to the event, and neither to the other.  Prints the share of 400 maps that have a cell with p_max <= 0.05, for epochs
that are pooled and for epochs with indices of their own, by the null that CLPAC takes if it is asked for none (with its name) and
by those that it is asked for; then the same where a rhythm of 5 to 7 Hz that ignores the events drives noise of 60 to 90 Hz, which is to be found.

--fewer N makes N times fewer maps.  All of it takes some five minutes.  The exit status is 1 where the null that CLPAC takes by
itself finds coupling in more than 0.07 of the maps without, of 20 epochs or more.  Needs numpy.  Decision 0098 (doc/decisions) has its table.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

import numpy

from calibration import LEVEL, RATE, coupled, noise

CHANNELS, EVERY_S = 100, 2.5
NULLS = (None, 'shift', 'trials')


def evoked(n, seconds, onsets, random):
    """Pink noise and, 0.1 to 0.6 s behind each onset, a wave with the same phase each time and a burst with another phase each time."""
    x = noise('pink', n, seconds * RATE, random)
    x /= x.std(axis=1, keepdims=True)
    at = numpy.arange(int(0.8 * RATE)) / RATE
    slow, fast = (numpy.exp(-((at - 0.35) / width) ** 2) for width in (0.2, 0.05))
    for onset in onsets:
        first = int(round(onset * RATE))
        size = numpy.exp(0.3 * random.standard_normal((n, 2)))
        phase = random.uniform(0, 2 * numpy.pi, (n, 1))
        x[:, first:first + len(at)] += 3 * size[:, :1] * slow * numpy.cos(2 * numpy.pi * 6 * at)
        x[:, first:first + len(at)] += 1.5 * size[:, 1:] * fast * numpy.cos(2 * numpy.pi * 75 * at + phase)
    return x


def write(folder, x, onsets):
    numpy.save(os.path.join(folder, 'made_ieeg.npy'), x.astype('float32'))
    with open(os.path.join(folder, 'made_events.tsv'), 'w', encoding='ascii') as table:
        table.write('onset\tduration\ttrial_type\n' + ''.join(f'{onset}\t0\tgo\n' for onset in onsets))


def run(clpac, folder, null, options):
    """The share of maps with a cell of p_max <= 0.05, and the null that was taken."""
    out = os.path.join(folder, 'out.npz')
    subprocess.run([clpac, 'run', os.path.join(folder, 'made_ieeg.npy'), '--rate', str(RATE), '--events', 'go', '--window', '0:1.2', '--phase', '4:16:4',
                    '--amplitude', '60:110:4', '-o', out, '--force', '--quiet', '--device', 'native', *options,
                    *(['--null', null] if null else [])], check=True)
    with numpy.load(out) as result:
        found = re.search(r'null=(\S+)', str(result['problem']))
        return (result['p_max'] <= LEVEL).any((-2, -1)).mean(), found.group(1) if found else 'shift'


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split(' - ')[0])
    parser.add_argument('clpac')
    parser.add_argument('--fewer', type=int, default=1)
    asked = parser.parse_args()
    worst = 0
    print(f'| made of | epochs | index | by itself | {" | ".join(NULLS[1:])} |\n|---|---|---|---|{"---|" * len(NULLS[1:])}')
    with tempfile.TemporaryDirectory() as folder:
        for kind in ('evoked, no coupling', 'coupling of 0.25'):
            for n_epochs in (6, 10, 20, 40, 80):
                for options in (['--pool'], []):
                    if not options and n_epochs < 20:
                        continue
                    shares, taken = {null: [] for null in NULLS}, ''
                    n_channels = CHANNELS if options else max(1, CHANNELS // n_epochs)
                    for turn in range(max(1, 4 // asked.fewer)):
                        random = numpy.random.default_rng([n_epochs, turn])
                        seconds = int(n_epochs * EVERY_S) + 8
                        onsets = numpy.round(3 + EVERY_S * numpy.arange(n_epochs) + random.uniform(0, 1, n_epochs), 3)
                        x = (evoked(n_channels, seconds, onsets, random) if kind.startswith('evoked') else
                             coupled(n_channels, seconds, 0.25, random))
                        write(folder, x, onsets)
                        for null in NULLS:
                            share, name = run(asked.clpac, folder, null, ['--seed', str(turn), *options])
                            shares[null].append(share)
                            taken = taken if null else name
                    mean = {null: numpy.mean(of) for null, of in shares.items()}
                    if kind.startswith('evoked') and n_epochs >= 20:
                        worst = max(worst, mean[None])
                    print(f'| {kind} | {n_epochs} | {"of all epochs" if options else "of each"} | {mean[None]:.3f} ({taken}) | '
                          + ' | '.join(f'{mean[null]:.3f}' for null in NULLS[1:]) + ' |', flush=True)
    sys.exit(bool(worst > 0.07))


if __name__ == '__main__':
    main()

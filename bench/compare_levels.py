#!/usr/bin/env python3
"""compare_levels.py CLPAC [--maps N] - whether a comparison of conditions is right where both have the same coupling.

Makes channels of pink noise with a rhythm of 5 to 7 Hz that drives noise of 60 to 90 Hz in both conditions alike, and runs `clpac compare`
on conditions with unequal numbers of epochs, and on two recordings of unequal length.  Each channel is a map.  Prints the share of
maps with a cell at p_max <= 0.05, and of p of the coupled cell the shares up to 0.05, 0.25, 0.5 and 0.75 and the
Kolmogorov-Smirnov distance from uniform, with the distance that one of a hundred uniform samples exceeds.

--maps N is 400 otherwise, which takes some two minutes.  The exit status is 1 where a distance exceeds that, or a share of p_max is more
than three standard errors from 0.05.  Needs numpy.  Decision 0052 (doc/decisions) has its table.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import numpy

from calibration import LEVEL, RATE, coupled

BANDS = ['--phase', '4:16:4', '--amplitude', '60:110:4']
AT = (0.05, 0.25, 0.5, 0.75)
DEPTH, WINDOW_S = 0.4, 2


def call(clpac, *words):
    subprocess.run([clpac, *words, '--force', '--quiet'], check=True)


def read(path):
    with numpy.load(path) as result:
        return result['p_max'][:, 0], result['p'][:, 0]


def of_epochs(clpac, folder, n_maps, counts, options):
    """Conditions of one recording, mixed in time."""
    random = numpy.random.default_rng(list(counts))
    order = random.permutation(['go'] * counts[0] + ['stop'] * counts[1])
    path, out = os.path.join(folder, 'made_ieeg.npy'), os.path.join(folder, 'out.npz')
    numpy.save(path, coupled(n_maps, (WINDOW_S + 1) * len(order) + 6, DEPTH, random).astype('float32'))
    with open(os.path.join(folder, 'made_events.tsv'), 'w', encoding='ascii') as table:
        table.write('onset\tduration\ttrial_type\n')
        table.writelines(f'{3 + (WINDOW_S + 1) * i}\t0\t{name}\n' for i, name in enumerate(order))
    call(clpac, 'compare', path, '--rate', str(RATE), '--events', 'go,stop', '--window', f'0:{WINDOW_S}', '--device', 'native',
         '--permutations', '1000', '-o', out, *BANDS, *options)
    return read(out)


def of_recordings(clpac, folder, n_maps, seconds, options):
    """Two recordings, in segments of one length."""
    random, results = numpy.random.default_rng(list(seconds)), []
    for name, length in zip(('first', 'second'), seconds):
        path = os.path.join(folder, name + '.npy')
        results.append(os.path.join(folder, name + '.npz'))
        numpy.save(path, coupled(n_maps, length, DEPTH, random).astype('float32'))
        call(clpac, 'run', path, '--rate', str(RATE), '--segment', '4', '--device', 'native', '-o', results[-1], '--surrogates',
             '30' if 'z' in options else '0', *BANDS)
    out = os.path.join(folder, 'out.npz')
    call(clpac, 'compare', *results, '--permutations', '1000', '-o', out, *options)
    return read(out)


ROWS = (('12 and 48 epochs, means', of_epochs, (12, 48), []),
        ('12 and 48 epochs, pooled', of_epochs, (12, 48), ['--pool']),
        ('30 and 30 epochs, pooled', of_epochs, (30, 30), ['--pool']),
        ('40 s and 160 s, means', of_recordings, (40, 160), []),
        ('40 s and 160 s, z', of_recordings, (40, 160), ['--value', 'z']))


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split(' - ')[0])
    parser.add_argument('clpac')
    parser.add_argument('--maps', type=int, default=400)
    asked = parser.parse_args()
    error, most, is_wrong = (LEVEL * (1 - LEVEL) / asked.maps) ** 0.5, 1.63 / asked.maps ** 0.5, False
    print(f'{asked.maps} maps; a share of 0.05 has a standard error of {error:.3f}, and a distance is below {most:.3f} in 99 of 100 samples\n')
    print('| conditions | p_max <= 0.05 | ' + ' | '.join(f'p <= {at}' for at in AT) + ' | distance |\n' + '|---' * (len(AT) + 3) + '|')
    with tempfile.TemporaryDirectory() as folder:
        for name, make, sizes, options in ROWS:
            p_max, p = make(asked.clpac, folder, asked.maps, sizes, options)
            share = (p_max <= LEVEL).any((1, 2)).mean()
            ordered = numpy.sort(p[:, 0, 1])  # 4 to 8 Hz, 75 to 85 Hz or so
            steps = numpy.arange(len(ordered) + 1) / len(ordered)
            distance = max((ordered - steps[:-1]).max(), (steps[1:] - ordered).max())
            is_wrong = is_wrong or distance > most or abs(share - LEVEL) > 3 * error
            print(f'| {name} | {share:.3f} | ' + ' | '.join(f'{(ordered <= at).mean():.3f}' for at in AT) + f' | {distance:.3f} |',
                  flush=True)
    sys.exit(bool(is_wrong))


if __name__ == '__main__':
    main()

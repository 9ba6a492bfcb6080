#!/usr/bin/env python3
"""group_nulls.py CLPAC [--studies N] - how often a comparison of subjects with 0 finds coupling that is not there, and that is.

Makes studies of 5, 10 and 20 subjects, 20 s at 250 Hz of pink noise with a rhythm of 5 to 7 Hz and noise of 60 to 90 Hz whose
amplitude follows it by a depth, runs CLPAC on each subject, and prints the share of studies that have a cell with p_max <= 0.05
by `clpac group`: with the subjects' own surrogates (--keep-surrogates), and without them by flipped signs of z, above 0 and of
either sign.  Each study is a channel, so that one call compares a subject of all of them.

--studies N is 400 otherwise, which takes some three minutes.  The exit status is 1 where the level by surrogates is more than three
standard errors outside of 0.03 to 0.07.  Needs numpy.  Decision 0101 (doc/decisions) has its table.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import numpy

from calibration import LEVEL, RATE, coupled

SECONDS = 20
BANDS = ['--phase', '4:16:4', '--amplitude', '60:110:4']
DEPTHS = {5: 0.25, 10: 0.18, 20: 0.12}


def run(clpac, folder, name, x, seed):
    """Two results of a subject: with surrogates, and the same without."""
    path, out = os.path.join(folder, 'made.npy'), os.path.join(folder, f'{name}.npz')
    numpy.save(path, x.astype('float32'))
    subprocess.run([clpac, 'run', path, '--rate', str(RATE), '-o', out, '--force', '--quiet', '--device', 'native', '--seed', str(seed),
                    '--keep-surrogates', *BANDS], check=True)
    bare = os.path.join(folder, f'{name}-bare.npz')
    with numpy.load(out) as result:
        numpy.savez(bare, **{key: result[key] for key in result.files if key != 'surrogates'})
    return out, bare


def share(clpac, folder, results, side):
    out = os.path.join(folder, 'group.npz')
    subprocess.run([clpac, 'group', *results, '-o', out, '--force', '--quiet', '--side', side, '--permutations', '2000'], check=True,
                   stderr=subprocess.DEVNULL)
    with numpy.load(out) as result:
        return (result['p_max'] <= LEVEL).any((-2, -1)).mean()


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split(' - ')[0])
    parser.add_argument('clpac')
    parser.add_argument('--studies', type=int, default=400)
    asked = parser.parse_args()
    worst, error = 0, (LEVEL * (1 - LEVEL) / asked.studies) ** 0.5
    print(f'{asked.studies} studies; a share of 0.05 has a standard error of {error:.3f}\n')
    print('| subjects, depth | surrogates, above 0 | surrogates, both signs | z, above 0 | z, both signs |\n|---|---|---|---|---|')
    with tempfile.TemporaryDirectory() as folder:
        for n, depth in [(n, 0) for n in DEPTHS] + list(DEPTHS.items()):
            made = []
            for i in range(n):
                random = numpy.random.default_rng([n, i, int(1000 * depth)])
                made.append(run(asked.clpac, folder, f's{i}', coupled(asked.studies, SECONDS, depth, random), 100 * n + i))
            shares = [share(asked.clpac, folder, [pair[kind] for pair in made], side)
                      for kind in (0, 1) for side in ('greater', 'both')]
            if not depth:
                worst = max([worst] + [max(0.03 - level, level - 0.07) for level in shares[:2]])
            print(f'| {n}, {depth} | ' + ' | '.join(f'{level:.3f}' for level in shares) + ' |', flush=True)
    sys.exit(bool(worst > 3 * error))


if __name__ == '__main__':
    main()

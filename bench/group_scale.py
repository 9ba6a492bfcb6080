#!/usr/bin/env python3
"""group_scale.py CLPAC [--fewer N] - which value of a subject finds the most in a comparison of subjects, and which finds what is
not there.

Runs CLPAC on studies of 12 subjects made of noise with a rhythm (bench/calibration.py), one recording or two of each, and
prints a table: the share of 60 studies that have a cell with p_max <= 0.05, by signs flipped in 1000 ways, for five
values of a subject's cell:

    index      the modulation index
    z          its distance from the mean of its surrogates, in their deviations: what `clpac group` compares by default
    standardized   what p_max compares within a map
    excess     the index less the mean of its surrogates
    log ratio  the logarithm of the index over the mean of its surrogates

--fewer N makes a number of studies that is N times smaller.  All of it takes some five minutes.  A comparison with 0 has two
rows, for differences of either sign and for values above 0.  Needs numpy.
Decision 0059 (doc/decisions) has its table.
"""
import argparse
import tempfile

import numpy

from calibration import LEVEL, coupled, run

STUDIES, SUBJECTS, FLIPS = 60, 12, 1000
VALUES = ('index', 'z', 'standardized', 'excess', 'log ratio')
# Rhythm, what the row is called, and the recordings of a subject: seconds, depth of coupling, and level of the background.
ROWS = (
    ((1.6, 2.4), '0 against 0', [(30, 0, 1)]),
    ((1.6, 2.4), '0.15 against 0', [(30, 0.15, 1)]),
    ((1.6, 2.4), '0 and 0.2', [(30, 0, 1), (30, 0.2, 1)]),
    ((1.6, 2.4), '0.3 and 0.5', [(30, 0.3, 1), (30, 0.5, 1)]),
    ((1.6, 2.4), '0 and 0, twice the background in one', [(30, 0, 1), (30, 0, 2)]),
    ((5, 7), '0 against 0', [(30, 0, 1)]),
    ((5, 7), '0.15 against 0', [(30, 0.15, 1)]),
    ((5, 7), '0 and 0.2', [(30, 0, 1), (30, 0.2, 1)]),
    ((5, 7), '0.3 and 0.5', [(30, 0.3, 1), (30, 0.5, 1)]),
    ((5, 7), '0 and 0, 8 s and 16 s', [(8, 0, 1), (16, 0, 1)]),
    ((5, 7), '0.4 and 0.4, 8 s and 16 s', [(8, 0.4, 1), (16, 0.4, 1)]),
)


class Recordings:
    """The values of recordings that several rows compare, computed once."""
    def __init__(self, clpac, folder, n_studies):
        self.clpac, self.folder, self.n_studies, self.known = clpac, folder, n_studies, {}

    def values(self, rhythm, seconds, depth, times):
        """Each value of all cells that count for p_max: (study, subject, cell).  The background of a subject is his own."""
        key = rhythm, seconds, depth, times
        if key not in self.known:
            n = self.n_studies * SUBJECTS
            level = numpy.exp(0.3 * numpy.random.default_rng(1).standard_normal((n, 1))) * times
            seed = 2 + len(self.known)
            series = coupled(n, seconds, depth, numpy.random.default_rng(seed), *rhythm, level)
            r = run(self.clpac, self.folder, series, seed)
            counts = r['valid'].astype(bool)
            index, mean, z, standardized = (r[name][:, counts].astype('float64').reshape(self.n_studies, SUBJECTS, -1)
                                        for name in ('mi', 'surrogate_mean', 'z', 'standardized'))
            self.known[key] = dict(zip(VALUES, (index, z, standardized, index - mean, numpy.log(index / mean))))
        return self.known[key]


def least_p(values, is_sided):
    """The least p_max of each study by |t| or t, which rise with the correlation: values (study, subject, cell)."""
    unit = values / numpy.sqrt((values ** 2).sum(1, keepdims=True))
    signs = numpy.random.default_rng(0).choice((-1.0, 1.0), (FLIPS, SUBJECTS))
    signs[0] = 1
    r = (signs @ study for study in unit)
    highest = numpy.stack([(of_study if is_sided else abs(of_study)).max(1) for of_study in r])
    return (highest >= highest[:, :1] - 1e-12).mean(1)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split(' - ')[0])
    parser.add_argument('clpac')
    parser.add_argument('--fewer', type=int, default=1)
    options = parser.parse_args()
    print(f'| coupling | {" | ".join(VALUES)} |\n|---|{"---|" * len(VALUES)}')
    with tempfile.TemporaryDirectory() as folder:
        known = Recordings(options.clpac, folder, STUDIES // options.fewer)
        for rhythm, name, recordings in ROWS:
            sides = [known.values(rhythm, *recording) for recording in recordings]
            is_paired = len(sides) > 1
            for is_sided in (False,) if is_paired else (False, True):
                cells = []
                for value in VALUES:
                    values = sides[-1][value] - sides[0][value] if is_paired else sides[0][value]
                    is_comparable = is_paired or value != 'index'  # an index is above 0 whatever there is
                    cells.append(f'{(least_p(values, is_sided) <= LEVEL).mean():.2f}' if is_comparable else '-')
                side = ', above 0' if is_sided else ''
                print(f'| {rhythm[0]:g} to {rhythm[1]:g} Hz: {name}{side} | {" | ".join(cells)} |', flush=True)


if __name__ == '__main__':
    main()

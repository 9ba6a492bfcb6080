#!/usr/bin/env python3
"""calibration.py CLPAC [PAGE] - how often clpac finds coupling in noise that has none.

Runs CLPAC with default bands and 200 surrogates over 2000 series each of white, pink and random-walk noise, 2, 8 and 30 s
at 250 Hz, and prints a page (doc/measurements/calibration.md), or writes it to PAGE: the share of maps with any cell at
p_max <= 0.05, which must be 0.05, the share with any cell at p <= 0.05, and the share of cells at p <= 0.05.  Takes some
minutes.  The exit status is 1 where a share of p_max is more than three standard errors from 0.05.  Needs numpy.
"""
import os
import subprocess
import sys
import tempfile

import numpy

N_SERIES, RATE, SURROGATES, LEVEL = 2000, 250, 200, 0.05


def noise(kind, n_samples, random):
    """N_SERIES series: white, with a spectrum that falls as 1/f, or the running sum of white noise."""
    white = random.standard_normal((N_SERIES, n_samples))
    if kind == 'random walk':
        return numpy.cumsum(white, axis=1)
    if kind == 'pink':
        spectrum = numpy.fft.rfft(white)
        spectrum[:, 1:] /= numpy.sqrt(numpy.arange(1, spectrum.shape[1]))
        return numpy.fft.irfft(spectrum, n_samples)
    return white


def shares(clpac, folder, kind, seconds, seed):
    """Runs one set of series: the shares of maps by p_max, of maps by p, and of cells by p."""
    path, out = os.path.join(folder, 'noise.npy'), os.path.join(folder, 'out.npz')
    random = numpy.random.default_rng(seed)
    numpy.save(path, noise(kind, seconds * RATE, random).astype('float32'))
    subprocess.run([clpac, 'run', path, '--rate', str(RATE), '--surrogates', str(SURROGATES), '--seed', str(seed),
                    '-o', out, '--force', '--quiet'], check=True)
    with numpy.load(out) as result:
        p, p_max = result['p'][:, 0], result['p_max'][:, 0]
    # In single precision, as p is.
    level = numpy.float32(LEVEL)
    return ((p_max <= level).any((1, 2)).mean(), (p <= level).any((1, 2)).mean(), (p <= level).mean())


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    # With 200 surrogates the levels are multiples of 1/201: the largest that is not above 0.05 is 10/201.
    exact = int(LEVEL * (SURROGATES + 1)) / (SURROGATES + 1)
    error = (exact * (1 - exact) / N_SERIES) ** 0.5
    lines, worst = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for kind in ('white', 'pink', 'random walk'):
            for seconds in (2, 8, 30):
                maps, uncorrected, cells = shares(sys.argv[1], folder, kind, seconds, len(lines) + 1)
                away = (maps - exact) / error
                worst = max(worst, abs(away))
                lines.append(f'| {kind} | {seconds} s | {maps:.4f} | {away:+.1f} | {uncorrected:.3f} | {cells:.4f} |')
    version = subprocess.run([sys.argv[1], '--version'], capture_output=True, text=True, check=True).stdout.split('\n')[0]
    page = f'''# Calibration: coupling found where there is none

{version}; made by `bench/calibration.py`: {N_SERIES} series of noise for each row, {RATE} Hz, default bands, {SURROGATES} surrogates.
A share of maps by p_max has a standard error of {error:.4f} about {exact:.4f}, the largest level up to {LEVEL} that {SURROGATES} surrogates
give; *away* counts these errors. The last two columns show why p of single cells must not be outlined.

| noise | length | maps with any p_max <= {LEVEL} | away | maps with any p <= {LEVEL} | cells with p <= {LEVEL} |
|---|---|---|---|---|---|
''' + '\n'.join(lines) + '\n'
    if len(sys.argv) == 3:
        with open(sys.argv[2], 'w', encoding='utf-8') as file:
            file.write(page)
    else:
        print(page, end='')
    return 1 if worst > 3 else 0


if __name__ == '__main__':
    sys.exit(main())

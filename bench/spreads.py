#!/usr/bin/env python3
"""spreads.py CLPAC [--part PART] [--maps N] [--rate HZ] [RECORDING ...] - what p_max finds, by the spread that divides a cell before the
highest of its map is taken, and how often it finds something in noise.

    coupled      the share of maps with a significant cell where coupling is, for each rule: a rhythm of 7 Hz whose phase drives
                 65-95 Hz, alone; beside an uncoupled bursty rhythm of 135-165 Hz, which widens the null of some amplitude bands
                 and of no others; and driving all that lies above 20 Hz, so that coupling fills half the map
    level        the share of maps with a significant cell in noise of six kinds, which must be 0.05, with its standard error, for
                 maps of all cells, of one row, of one column and of 2 x 2
    recordings   the number of significant cells of each RECORDING, for each rule

The column "clpac" is p_max of the program; all others are made here from the indices and surrogates that it keeps.  A rule is
exact if it treats the observed map and its surrogates alike (decision 0028); all of these are.  Needs numpy.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import numpy

RATE, SURROGATES = 500, 200
LEVEL = numpy.float32(0.05)
# With 200 surrogates the levels are multiples of 1/201: the largest that is not above 0.05 is 10/201.
EXACT = int(0.05 * (SURROGATES + 1)) / (SURROGATES + 1)


# --- Signals ----------------------------------------------------------------------------------------------------------

def band(x, low, high):
    """What a Butterworth filter of order 3, there and back, leaves of each row."""
    at = numpy.fft.rfftfreq(x.shape[-1], 1 / RATE)
    at[0] = at[1] / 2
    gain = 1 / (1 + ((at * at - low * high) / (at * (high - low))) ** 6)
    return numpy.fft.irfft(numpy.fft.rfft(x) * gain, x.shape[-1])


def unit(x):
    return x / x.std(-1, keepdims=True)


def white(n, m, random):
    return random.standard_normal((n, m))


def power_law(n, m, exponent, random):
    """Noise with a spectrum that falls as 1 / f^exponent, cut out of a longer one."""
    at = numpy.fft.rfftfreq(2 * m)
    at[0] = at[1]
    parts = random.standard_normal((2, n, len(at)))
    return unit(numpy.fft.irfft((parts[0] + 1j * parts[1]) * at ** (-exponent / 2), 2 * m)[:, m // 2:m // 2 + m])


def analytic(x):
    spectrum = numpy.fft.fft(x)
    m = x.shape[-1]
    spectrum[..., 1:(m + 1) // 2] *= 2
    spectrum[..., m // 2 + 1:] = 0
    return numpy.fft.ifft(spectrum)


def bursts(n, m, random):
    """An uncoupled rhythm of 135 to 165 Hz that comes and goes."""
    size = numpy.clip(unit(band(white(n, m, random), 0.5, 4)) - 1, 0, None)
    return size * unit(band(white(n, m, random), 135, 165))


def coupled(kind, n, m, depth, random):
    slow = analytic(band(white(n, m + 4000, random), 6.2, 7.8)[:, 2000:-2000])
    phase, size = numpy.angle(slow), numpy.abs(slow) / numpy.abs(slow).std(1, keepdims=True)
    low, high = (20, 240) if kind == 'half the map' else (65, 95)
    x = size * numpy.cos(phase) + 0.8 * power_law(n, m, 1, random)
    x += depth * (1 + numpy.cos(phase)) / 2 * unit(band(white(n, m, random), low, high))
    return x + 0.5 * bursts(n, m, random) if kind == 'bursty' else x


def autoregressive(n, m, random):
    """Resonances of 10 and 70 Hz: poles of radius 0.98."""
    at = numpy.exp(-2j * numpy.pi * numpy.fft.rfftfreq(2 * m))
    gain = 1
    for hz in (10, 70):
        gain = gain / (1 - 2 * 0.98 * numpy.cos(2 * numpy.pi * hz / RATE) * at + 0.98 ** 2 * at ** 2)
    return unit(numpy.fft.irfft(numpy.fft.rfft(white(n, 2 * m, random)) * gain, 2 * m)[:, :m])


NOISE = {'white': lambda n, m, random: white(n, m, random),
         'pink': lambda n, m, random: power_law(n, m, 1, random),
         '1/f^2': lambda n, m, random: power_law(n, m, 2, random),
         'random walk': lambda n, m, random: numpy.cumsum(white(n, m, random), axis=1),
         'bursty': lambda n, m, random: power_law(n, m, 1, random) + 0.5 * bursts(n, m, random),
         'AR with rhythms': autoregressive}


# --- Rules ------------------------------------------------------------------------------------------------------------

def usual(v, axis, eighths):
    """The value that so many eighths of those of each row or column lie below, which are all but NaN."""
    ordered = numpy.sort(v, axis)
    there = numpy.maximum(numpy.isfinite(v).sum(axis, keepdims=True), 1)
    return numpy.take_along_axis(ordered, (there - 1) * eighths // 8, axis)


def two_way(v, q, turns=10):
    """log v as the sum of a row and a column, each the q-quantile of what the other leaves."""
    rest, row, column = numpy.log(v), 0, 0
    for _ in range(turns):
        a = numpy.nanquantile(rest, q, axis=-1, keepdims=True)
        row, rest = row + a, rest - a
        b = numpy.nanquantile(rest, q, axis=-2, keepdims=True)
        column, rest = column + b, rest - b
    return numpy.exp(row + column)


def both_bands(v, eighths=3):
    """What is usual for the phase band, times what most cells of the amplitude band are wider than is usual for theirs."""
    of_phase = usual(v, -1, 1)
    wider = numpy.where(numpy.isfinite(v).sum(-2, keepdims=True) > 1, numpy.fmax(usual(v / of_phase, -2, eighths), 1), 1)
    return numpy.minimum(v, of_phase * wider)


RULES = {'own': lambda v: v,
         'row': lambda v: numpy.minimum(v, usual(v, -1, 1)),
         'two-way 0.5': lambda v: numpy.minimum(v, two_way(v, 0.5)),
         'both 0.3': lambda v: numpy.minimum(v, numpy.maximum(usual(v, -1, 1), two_way(v, 0.3))),
         'both 0.5': lambda v: numpy.minimum(v, numpy.maximum(usual(v, -1, 1), two_way(v, 0.5))),
         'both bands, 1/8': lambda v: both_bands(v, 1),
         'both bands': both_bands}


def p_max(index, surrogates, rule, valid):
    x = numpy.concatenate([index[:, None], surrogates], 1).astype(float)
    x[:, :, ~valid] = numpy.nan
    v = x.var(1)
    t = (x - x.mean(1, keepdims=True)) / numpy.sqrt(rule(v))[:, None]
    highest = numpy.nanmax(t[:, 1:], (2, 3))
    return (1 + (highest[:, :, None, None] >= t[:, :1]).sum(1)) / (x.shape[1])


# --- The program ------------------------------------------------------------------------------------------------------

def run(clpac, folder, path, *options):
    out = os.path.join(folder, 'out.npz')
    subprocess.run([clpac, 'run', path, '-o', out, '--force', '--quiet', '--device', 'native', *options], check=True)
    with numpy.load(out) as result:
        return {name: result[name] for name in result.files}


def run_made(clpac, folder, x, *options):
    path = os.path.join(folder, 'made.npy')
    numpy.save(path, x.astype('float32'))
    return run(clpac, folder, path, '--rate', str(RATE), *options)


def by_rules(r):
    """p_max of all maps by each rule, and by the program: (map, phase, amplitude)."""
    shape = (-1,) + r['mi'].shape[-2:]
    index, valid = r['mi'].reshape(shape), r['valid'].astype(bool)
    surrogates = r['surrogates'].reshape((len(index), -1) + shape[1:])
    p = {name: p_max(index, surrogates, rule, valid) for name, rule in RULES.items()}
    p['clpac'] = r['p_max'].reshape(shape)
    return {name: numpy.where(valid, p[name], 2) for name in p}


def row_of(first, cells):
    print('| ' + ' | '.join([first, *cells]) + ' |', flush=True)


def coupled_part(clpac, folder, n):
    names = [*RULES, 'clpac']
    print(f'\nShares of {n} maps with a cell of p_max <= 0.05 where coupling is\n')
    row_of('signal, depth', names)
    row_of('---', ['---'] * len(names))
    target = numpy.zeros((10, 10), bool)
    target[1:4, 0:4] = True  # phases 4, 6, 8 Hz and amplitudes up to 93 Hz
    random = numpy.random.default_rng(77)
    for kind in ('plain', 'bursty', 'half the map'):
        for depth in (0.10, 0.12, 0.14) if kind != 'half the map' else (0.15, 0.20, 0.25):
            x = coupled(kind, n, 30 * RATE, depth, random)
            p = by_rules(run_made(clpac, folder, x, '--keep-surrogates'))
            row_of(f'{kind} {depth:.2f}', [f'{(p[k][:, target] <= LEVEL).any(1).mean():.2f}' for k in names])


SHAPES = {'10 x 10': [], '1 x 10': ['--phase', '5-7'], '10 x 1': ['--amplitude', '60-90'],
          '2 x 2': ['--phase', '4-6,6-8', '--amplitude', '60-80,80-100']}


def level_part(clpac, folder, n):
    error = (EXACT * (1 - EXACT) / n) ** 0.5
    print(f'\nShares of {n} maps of noise, 4 s, with a cell of p_max <= 0.05: {EXACT:.4f} (standard error {error:.4f}) if p_max '
          'is exact\n')
    row_of('noise', list(SHAPES))
    row_of('---', ['---'] * len(SHAPES))
    worst = 0
    for seed, kind in enumerate(NOISE):
        x, cells = NOISE[kind](n, 4 * RATE, numpy.random.default_rng(seed)), []
        for options in SHAPES.values():
            p = run_made(clpac, folder, x, '--seed', str(seed + 1), *options)['p_max'][:, 0]
            share = (p <= LEVEL).any((1, 2)).mean()
            worst = max(worst, abs(share - EXACT) / error)
            cells.append(f'{share:.4f} ({(share - EXACT) / error:+.1f})')
        row_of(kind, cells)
    return worst


def recordings_part(clpac, folder, paths, options):
    names = [*RULES, 'clpac']
    print('\nSignificant cells\n')
    row_of('recording', [*names, 'cells'])
    row_of('---', ['---'] * (len(names) + 1))
    for path in paths:
        p = by_rules(run(clpac, folder, path, '--keep-surrogates', *options))
        row_of(os.path.basename(path), [str((p[k] <= LEVEL).sum()) for k in names] + [str((p['clpac'] <= 1).sum())])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split(' - ')[0])
    parser.add_argument('clpac')
    parser.add_argument('recordings', nargs='*')
    parser.add_argument('--part', choices=('coupled', 'level', 'recordings'))
    parser.add_argument('--rate', help='of recordings that do not tell theirs, in Hz')
    parser.add_argument('--maps', type=int, default=600, help='of each row; ten times as many of noise')
    asked = parser.parse_intermixed_args()
    worst = 0
    with tempfile.TemporaryDirectory() as folder:
        if asked.part in (None, 'coupled'):
            coupled_part(asked.clpac, folder, asked.maps)
        if asked.part in (None, 'level'):
            worst = level_part(asked.clpac, folder, 10 * asked.maps)
        if asked.recordings and asked.part in (None, 'recordings'):
            recordings_part(asked.clpac, folder, asked.recordings, ['--rate', asked.rate] if asked.rate else [])
    sys.exit(worst > 4)


if __name__ == '__main__':
    main()

#!/usr/bin/env python3
"""calibration.py CLPAC [PAGE] [--part PART] [--null NULL] [--fewer N] - how often clpac finds coupling in noise that has none, and
how often it finds coupling that is there.

Runs CLPAC with default bands and 200 surrogates at 250 Hz and prints a page (doc/measurements/calibration.md), or
writes it to PAGE:

    noise    2000 series each of white, pink and random-walk noise, 2, 8 and 30 s: the share of maps with any cell at
             p_max, p_cluster and q <= 0.05, which must be 0.05 (q: at most), and the shares of cells by p and by the
             gamma tail
    nulls    400 maps of pink noise with each null (--null picks one): the same shares; and 400 segments in which an
             evoked response ties bursts to a phase, without any other coupling
    measures 2000 series of pink noise, 2 s, and 8 s for shifts, with each measure and each null: the share of maps with any
             cell at p_max <= 0.05
    family   500 runs of 4 channels with noise in common: the share of runs with any cell at p_max and
             p_cluster <= 0.05
    erpac    400 channels of pink noise with 40 trials about events that nothing follows: the share of channels with any
             cell and time at p_max <= 0.05
    gamma    the gamma tail of 200 surrogates beside p of 20 000, for 30 series with weak coupling
    power    the share of 200 series with weak coupling that are found, at the same share of false positives among 200
             without; and the same by tensorpac's maximum statistic, where tensorpac can be imported
             (bench/peers/setup.sh)
    scales   the same series once more: p_max from one set of indices and surrogates by one scale of a cell after the other, for
             rhythms of four frequencies, which shows what makes the difference; and both statistics of tensorpac's indices

--merge FILE puts the sections of FILE, printed earlier by some of the parts, into PAGE, those of one null row by row.

--part runs one of them, --null one null of that part, --no-peer leaves tensorpac out of scales, --fewer N divides the numbers of series by N.  All of it takes some ten minutes.  The exit
status is 1 where a share of p_max or p_cluster is more than three standard errors from 0.05.  Needs numpy.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'peers'))
RATE, SURROGATES, LEVEL = 250, 200, 0.05
# With 200 surrogates the levels are multiples of 1/201: the largest that is not above 0.05 is 10/201.
EXACT = int(LEVEL * (SURROGATES + 1)) / (SURROGATES + 1)
TAILS = (1e-2, 1e-3, 1e-4)


def noise(kind, n_series, n_samples, random):
    """White, with a spectrum that falls as 1/f, or the running sum of white noise."""
    white = random.standard_normal((n_series, n_samples))
    if kind == 'random walk':
        return numpy.cumsum(white, axis=1)
    if kind == 'pink':
        spectrum = numpy.fft.rfft(white)
        spectrum[:, 1:] /= numpy.sqrt(numpy.arange(1, spectrum.shape[1]))
        return numpy.fft.irfft(spectrum, n_samples)
    return white


def band(n_series, n_samples, low, high, random):
    """Noise of one band with deviation 1: a real and an imaginary part."""
    spectrum = numpy.fft.fft(random.standard_normal((n_series, n_samples)))
    at = numpy.fft.fftfreq(n_samples, 1 / RATE)
    analytic = numpy.fft.ifft(spectrum * ((at >= low) & (at <= high)))
    return analytic / analytic.real.std(axis=1, keepdims=True)


def coupled(n_series, seconds, depth, random, low=5, high=7, level=1):
    """Pink noise with a rhythm of 5 to 7 Hz, whose phase drives the amplitude of noise at 60 to 90 Hz by `depth`; level is the
    deviation of the pink noise, a number or a column of them."""
    n_samples = seconds * RATE
    background = noise('pink', n_series, n_samples, random)
    background /= background.std(axis=1, keepdims=True)
    slow, fast = band(n_series, n_samples, low, high, random), band(n_series, n_samples, 60, 90, random).real
    return level * background + 0.7 * slow.real + 0.3 * (1 + depth * numpy.cos(numpy.angle(slow))) * fast


def run(clpac, folder, series, seed, *options):
    """The arrays of a run, one segment: (channel, phase, amplitude)."""
    path, out = os.path.join(folder, 'noise.npy'), os.path.join(folder, 'out.npz')
    numpy.save(path, series.astype('float32'))
    subprocess.run([clpac, 'run', path, '--rate', str(RATE), '--seed', str(seed), '-o', out, '--force', '--quiet',
                    *options], check=True)
    with numpy.load(out) as result:
        return {name: result[name][:, 0] if result[name].ndim > 3 else result[name] for name in result.files}


def any_of(maps, level=LEVEL):
    """Which maps have a cell at the level, in single precision as p is."""
    return (maps <= numpy.float32(level)).any((1, 2))


class Shares:
    """Shares that must be EXACT, and how far the worst one is off in standard errors."""
    worst = 0

    @classmethod
    def text(cls, found, must=True):
        error = (EXACT * (1 - EXACT) / len(found)) ** 0.5
        away = (found.mean() - EXACT) / error
        if must:
            cls.worst = max(cls.worst, abs(away))
        return f'{found.mean():.4f} ({away:+.1f})'


def noise_part(clpac, folder, fewer):
    n = 2000 // fewer
    error = (EXACT * (1 - EXACT) / n) ** 0.5
    lines, tails = [], []
    for kind in ('white', 'pink', 'random walk'):
        for seconds in (2, 8, 30):
            seed = len(lines) + 1
            r = run(clpac, folder, noise(kind, n, seconds * RATE, numpy.random.default_rng(seed)), seed,
                    '--surrogates', str(SURROGATES), '--clusters', '0.05', '--gamma')
            p = r['p']
            lines.append(f"| {kind} | {seconds} s | {Shares.text(any_of(r['p_max']))} | "
                         f"{Shares.text(any_of(r['p_cluster']))} | "
                         f"{any_of(r['q_bh']).mean():.4f} | {any_of(r['q_by']).mean():.4f} | {any_of(p).mean():.3f} | "
                         f"{(p <= numpy.float32(LEVEL)).mean():.4f} |")
            over = (f"{(r['p_gamma'] <= a).mean() / a:.2f}" for a in TAILS)
            tails.append(f'| {kind} | {seconds} s | ' + ' | '.join(over) + ' |')
    return f'''## Noise

{n} series of noise for each row, {p.shape[1]} x {p.shape[2]} cells, {SURROGATES} surrogates, clusters of cells in their highest 0.05. Shares of maps with any cell
at p_max or p_cluster <= {LEVEL} have a standard error of {error:.4f} about {EXACT:.4f}, the largest level up to {LEVEL} that {SURROGATES} surrogates
give; how many of these errors each is off stands in parentheses. A share by q must not be above {LEVEL}; it is small where surrogates are
few, since q of a lone cell is the number of cells over {SURROGATES + 1} at least. The last two columns show why p of single cells must not be outlined.

| noise | length | p_max | p_cluster | q_bh | q_by | maps with any p <= {LEVEL} | cells with p <= {LEVEL} |
|---|---|---|---|---|---|---|---|
''' + '\n'.join(lines) + '''

The share of cells with p_gamma up to a level, over that level, for the same series: 1 is right, more is too many. p itself cannot be
below 1/201 with 200 surrogates.

| noise | length | 0.01 | 0.001 | 0.0001 |
|---|---|---|---|---|
''' + '\n'.join(tails) + '\n'


NULLS = ('shift', 'shift=all', 'trials', 'blocks', 'phases')
LONG, SHORT, SEGMENTS = 8, 2, 40


def evoked(n_channels, n_segments, random):
    """Pink noise in whose segments a wave of 6 Hz and bursts at 75 Hz come at the same times, those of the segment."""
    n_samples = SHORT * RATE
    t = numpy.arange(n_samples) / RATE - SHORT / 2
    slow = numpy.cos(2 * numpy.pi * 6 * t)
    response = numpy.exp(-(t / 0.6) ** 2) * (slow + 0.6 * (1 + slow) * numpy.cos(2 * numpy.pi * 75 * t))
    background = noise('pink', n_channels * n_segments, n_samples, random)
    background /= background.std(axis=1, keepdims=True)
    return (background + 2 * response).reshape(n_channels, n_segments * n_samples)


def null_maps(clpac, folder, series, seed, null, segment):
    """p, p_max and p_cluster of each map: (map, phase, amplitude)."""
    path, out = os.path.join(folder, 'noise.npy'), os.path.join(folder, 'out.npz')
    numpy.save(path, series.astype('float32'))
    many = ('--null', null) if null == 'shift=all' else ('--null', null, '--surrogates', str(SURROGATES))
    subprocess.run([clpac, 'run', path, '--rate', str(RATE), '--seed', str(seed), '--segment', str(segment), '-o', out,
                    '--force', '--quiet', '--clusters', '0.05', *many], check=True)
    with numpy.load(out) as result:
        return {name: result[name].reshape(-1, *result[name].shape[2:]) for name in ('p', 'p_max', 'p_cluster')}


def nulls_part(clpac, folder, fewer):
    n, lines, locked = 400 // fewer, [], []
    n_channels = max(1, n // SEGMENTS)
    for null in NULLS if wanted_null is None else (wanted_null,):
        segment, seed = (SHORT, 70) if null == 'trials' else (LONG, 71)
        random = numpy.random.default_rng(seed)
        series = noise('pink', n_channels * SEGMENTS if null == 'trials' else n, segment * RATE, random)
        if null == 'trials':
            series = series.reshape(n_channels, -1)
        r = null_maps(clpac, folder, series, seed, null, segment)
        p = r['p']
        found = [(p <= numpy.float32(level)).mean() for level in (LEVEL, 0.01)]
        lines.append(f"| {null} | {len(p)} of {segment} s | {Shares.text(any_of(r['p_max']), null == 'shift')} | "
                     f"{Shares.text(any_of(r['p_cluster']), null == 'shift')} | {found[0]:.4f} | {found[1]:.4f} |")
        r = null_maps(clpac, folder, evoked(n_channels, SEGMENTS, numpy.random.default_rng(72)), 72, null, SHORT)
        locked.append(f"| {null} | {any_of(r['p_max']).mean():.3f} | {any_of(r['p_cluster']).mean():.3f} | "
                      f"{(r['p'] <= numpy.float32(LEVEL)).mean():.3f} |")
    return f'''## The nulls

Pink noise, {SURROGATES} surrogates, or every shift; maps for each row as it says, those of trials in {n_channels} channels of {SEGMENTS} segments. Shares of maps with any
cell at p_max or p_cluster <= {LEVEL}, with their distance from {EXACT:.4f} in standard errors ({(EXACT * (1 - EXACT) / n) ** 0.5:.4f} for {n} maps), and of cells by p.

| null | maps | p_max | p_cluster | cells with p <= {LEVEL} | cells with p <= 0.01 |
|---|---|---|---|---|---|
''' + '\n'.join(lines) + f'''

The same shares of {n_channels * SEGMENTS} segments of {SHORT} s in which an evoked response puts a slow wave and bursts at the same times after the segment's
beginning. The amplitude follows the phase in each of them, and no oscillation drives another: only permuted segments have the response too.

| null | p_max | p_cluster | cells with p <= {LEVEL} |
|---|---|---|---|
''' + '\n'.join(locked) + '\n'


LONG_SHIFTS = f'shift, {LONG} s'
MEASURES = ('mi', 'hr', 'mvl', 'dpac', 'ndpac', 'glm', 'gcmi', 'plv')


def measures_part(clpac, folder, fewer):
    n, lines = 2000 // fewer, []
    n_channels = max(1, n // SEGMENTS)
    path, out = os.path.join(folder, 'noise.npy'), os.path.join(folder, 'out.npz')
    for null in (*NULLS, LONG_SHIFTS) if wanted_null is None else (wanted_null,):
        seed = 80 + (*NULLS, LONG_SHIFTS).index(null)
        seconds, word = (LONG, 'shift') if null == LONG_SHIFTS else (SHORT, null)
        series = noise('pink', n_channels * SEGMENTS, seconds * RATE, numpy.random.default_rng(seed))
        numpy.save(path, series.reshape(n_channels, -1).astype('float32'))
        many = () if word == 'shift=all' else ('--surrogates', str(SURROGATES))
        subprocess.run([clpac, 'run', path, '--rate', str(RATE), '--seed', str(seed), '--segment', str(seconds), '-o', out,
                        '--measure', ','.join(MEASURES), '--null', word, '--force', '--quiet', *many], check=True)
        with numpy.load(out) as r:
            p_max = [r[f'{m}_p_max' if i else 'p_max'] for i, m in enumerate(MEASURES)]
        found = [any_of(p.reshape(-1, *p.shape[2:])) for p in p_max]
        lines.append(f"| {null} | " + ' | '.join(Shares.text(f, null == LONG_SHIFTS) for f in found) + ' |')
    return f'''## The measures

{n_channels * SEGMENTS} series of pink noise of {SHORT} s for each row, or {LONG} s as it says, in {n_channels} channels of {SEGMENTS} segments; {SURROGATES} surrogates, or every shift. Shares of maps with any
cell at p_max <= {LEVEL}, with their distance from {EXACT:.4f} in standard errors ({(EXACT * (1 - EXACT) / (n_channels * SEGMENTS)) ** 0.5:.4f}). The measures of a row have the same series and draws.
Shifts are exact where a series has many cycles of its phase. 2 s have four of the slowest band: there plv finds too much with shifts and blocks, since they join
ends that do not fit ([short series](../maths.md)). Permuted segments err to the safe side.

| null | {' | '.join(MEASURES)} |
|---|{'---|' * len(MEASURES)}
''' + '\n'.join(lines) + '\n'


wanted_null = None


def family_part(clpac, folder, fewer):
    n_runs, n_channels, seconds = 500 // fewer, 4, 2
    random = numpy.random.default_rng(30)
    found = {name: numpy.zeros(n_runs, bool) for name in ('p_max', 'p_cluster', 'own p_max')}
    for i in range(n_runs):
        common, own = noise('pink', 1, seconds * RATE, random), noise('pink', n_channels, seconds * RATE, random)
        r = run(clpac, folder, common + own, i, '--surrogates', str(SURROGATES), '--clusters', '0.05', '--family', 'run',
                '--share-shifts', '--device', 'native')
        for name in ('p_max', 'p_cluster'):
            found[name][i] = any_of(r[name]).any()
        # The largest standardized statistic of each map orders its cells as p_max of the map does.
        reached = [(r['maxima'][c, 0] >= statistic).sum() for c, statistic in enumerate(highest_standardized(r))]
        found['own p_max'][i] = (1 + min(reached)) / (1 + SURROGATES) <= LEVEL
    return f'''## One family over several channels

{n_runs} runs of {n_channels} channels, {seconds} s, pink noise of which half is common to all, {SURROGATES} surrogates with shared shifts, `--family run`. Shares of runs
with any cell in any channel; as above. Corrected map by map, any of the {n_channels} channels would have one in {found['own p_max'].mean():.3f} of the runs.

| p_max | p_cluster |
|---|---|
| {Shares.text(found['p_max'])} | {Shares.text(found['p_cluster'])} |
'''


def erpac_part(clpac, folder, fewer):
    n, trials, apart_s = 400 // fewer, 40, 1.5
    path, table, out = (os.path.join(folder, name) for name in ('noise.npy', 'events.tsv', 'out.npz'))
    series = noise('pink', n, int((trials + 3) * apart_s * RATE), numpy.random.default_rng(75))
    numpy.save(path, series.astype('float32'))
    with open(table, 'w') as events:
        events.write('onset\tduration\ttrial_type\n')
        events.writelines(f'{(i + 2) * apart_s:g}\t0\tgo\n' for i in range(trials))
    subprocess.run([clpac, 'erpac', path, '--rate', str(RATE), '--seed', '75', '--events', 'go', '--events-from', table,
                    '--window', '-0.2:0.5', '--step', '0.05', '--surrogates', str(SURROGATES), '-o', out, '--force',
                    '--quiet'], check=True)
    with numpy.load(out) as result:
        p_max, p = result['p_max'], result['p']
    found = (p_max <= numpy.float32(LEVEL)).reshape(n, -1).any(1)
    return f'''## Event-related coupling

{n} channels of pink noise, {trials} trials about events that nothing follows, {p[0].size} cells and times each, {SURROGATES} permutations. The share of channels with
any cell and time at p_max <= {LEVEL}, and of cells by p.

| p_max | cells with p <= {LEVEL} |
|---|---|
| {Shares.text(found)} | {(p <= numpy.float32(LEVEL)).mean():.4f} |
'''


def highest_standardized(r):
    """Of the observed maps: doc/maths.md."""
    all_of_them = SURROGATES + 1
    away = (r['mi'] - r['surrogate_mean']).astype('float64')
    squares = r['surrogate_std'].astype('float64') ** 2 * SURROGATES + away ** 2 * SURROGATES / all_of_them
    scale = numpy.sqrt(spreads(squares / all_of_them, r['valid'].astype(bool)))
    return numpy.nanmax(away * SURROGATES / all_of_them / scale, (1, 2)) - 1e-6


def spreads(variances, valid):
    """What standardized statistics are divided by, squared, of maps (map, phase, amplitude): doc/maths.md.  NaN where a cell does not count."""
    counted = numpy.where(valid, variances, numpy.nan)
    n = valid.sum(1)[None, :, None] + numpy.zeros_like(variances[..., :1], int)
    usual = numpy.take_along_axis(numpy.sort(counted, 2), numpy.maximum(n - 1, 0) // 8, 2)
    ratios = counted / usual
    rows = valid.sum(0)[None, None, :] + numpy.zeros_like(variances[:, :1], int)
    wider = numpy.take_along_axis(numpy.sort(ratios, 1), 3 * numpy.maximum(rows - 1, 0) // 8, 1)
    return numpy.minimum(counted, usual * numpy.where(rows > 1, numpy.maximum(wider, 1), 1))


def gamma_part(clpac, folder, fewer):
    n, many = max(2, 30 // fewer), 20000
    series = coupled(n, 8, 0.5, numpy.random.default_rng(40))
    few = run(clpac, folder, series, 41, '--surrogates', str(SURROGATES), '--gamma')
    exact = run(clpac, folder, series, 42, '--surrogates', str(many), '--gamma')
    lines = []
    for high, low in ((0.1, 0.01), (0.01, 0.001), (0.001, 5 / many)):
        cells = (exact['p'] <= high) & (exact['p'] > low)
        for name, r in ((SURROGATES, few), (many, exact)):
            ratio = r['p_gamma'][cells] / exact['p'][cells]
            found = [f'{q:.2f}' for q in numpy.quantile(ratio, (0.05, 0.5, 0.95))] if cells.any() else ['-'] * 3
            lines.append(f"| {low:g} to {high:g} | {cells.sum()} | {name} | {' | '.join(found)} |")
    return f'''## The gamma tail beside many surrogates

{n} series of 8 s with weak coupling; p of {many} surrogates, and p_gamma of {SURROGATES} and of {many} over it: 1 is right, less is too sure. What {many}
surrogates leave is the error of the shape; what {SURROGATES} add is that of the estimated deviation.

| p of {many} | cells | surrogates of p_gamma | 5 % | median | 95 % |
|---|---|---|---|---|---|
''' + '\n'.join(lines) + '\n'


def by_tensorpac(series, bands):
    """The least corrected p of each series, by tensorpac's maximum statistic; None where it cannot be imported."""
    try:
        import peer
        tensorpac = peer.import_tensorpac()
    except Exception as error:  # whatever its own code raises when it is imported
        print(f'calibration.py: tensorpac is left out: {error}', file=sys.stderr)
        return None
    pac = tensorpac.Pac(idpac=(2, 2, 0), f_pha=bands[0], f_amp=bands[1], n_bins=18, verbose='error')
    least = []
    for first in range(0, len(series), 20):
        pac.filterfit(RATE, series[first:first + 20].astype('float64'), n_perm=SURROGATES, n_jobs=1,
                      random_state=first, verbose='error')
        for i in range(pac.pac.shape[2]):
            p = pac._infer_pvalues(pac.pac[..., i], pac.surrogates[..., i], p=LEVEL, mcp='maxstat')
            least.append(p.min())
    return numpy.array(least)


def power_part(clpac, folder, fewer):
    n, seconds, depths = 200 // fewer, 8, (0.4, 0.6, 0.8)
    sets = [coupled(n, seconds, depth, numpy.random.default_rng(50 + i)) for i, depth in enumerate((0, *depths))]
    ours = [run(clpac, folder, s, 60 + i, '--surrogates', str(SURROGATES), '--clusters', '0.05')
            for i, s in enumerate(sets)]
    bands = ours[0]['phase_bands_hz'], ours[0]['amplitude_bands_hz']
    least = {f'clpac, {name}': [r[name].min((1, 2)) for r in ours] for name in ('p_max', 'p_cluster')}
    theirs = [by_tensorpac(s, bands) for s in sets]
    if theirs[0] is not None:
        least["tensorpac, maximum of the index"] = theirs
    lines = []
    for name, sets_of in least.items():
        false = (sets_of[0] <= numpy.float32(LEVEL)).mean()
        # The level at which a twentieth of the series without coupling are found; ties at it count in part.
        order = numpy.sort(sets_of[0])
        level = order[int(LEVEL * n)]
        below, at = (order < level).mean(), (order == level).mean()
        part = (LEVEL - below) / at
        lines.append(f'| {name} | {false:.3f} | ' + ' | '.join(
            f'{(s < level).mean() + part * (s == level).mean():.2f}' for s in sets_of[1:]) + ' |')
    left_out = '' if theirs[0] is not None else ' tensorpac was not there.'
    return f'''## Power

{n} series of {seconds} s for each column: pink noise with a rhythm of 5 to 7 Hz whose phase drives the amplitude of noise at 60 to 90 Hz by the depth
named. The share of series found where each program finds {LEVEL} of the {n} series of depth 0; the first column is what it finds among those at
p <= {LEVEL}. The same bands, the index of Tort et al. and {SURROGATES} circular shifts in both; tensorpac has its own filters, and its correction takes the
maximum of the index itself over the cells.{left_out} A share of 0.5 has a standard error of {0.5 / n ** 0.5:.3f}.

| program | depth 0, p <= {LEVEL} | {' | '.join(f'depth {d}' for d in depths)} |
|---|---|{'---|' * len(depths)}
''' + '\n'.join(lines) + '\n'


def indices_of(clpac, folder, series, seed):
    """Indices (series, phase, amplitude) and surrogates (series, surrogate, phase, amplitude)."""
    r = run(clpac, folder, series, seed, '--surrogates', str(SURROGATES), '--keep-surrogates')
    return r['mi'].astype('float64'), r['surrogates'].reshape(len(series), SURROGATES, *r['mi'].shape[1:]).astype('float64')


def indices_of_tensorpac(series, bands):
    try:
        import peer
        tensorpac = peer.import_tensorpac()
    except Exception as error:  # whatever its own code raises when it is imported
        print(f'calibration.py: tensorpac is left out: {error}', file=sys.stderr)
        return None
    pac = tensorpac.Pac(idpac=(2, 2, 0), f_pha=bands[0], f_amp=bands[1], n_bins=18, verbose='error')
    index, surrogates = [], []
    for first in range(0, len(series), 20):
        pac.filterfit(RATE, series[first:first + 20].astype('float64'), n_perm=SURROGATES, n_jobs=1, random_state=first,
                      verbose='error')
        index.append(numpy.moveaxis(pac.pac, -1, 0))
        surrogates.append(numpy.moveaxis(pac.surrogates, -1, 0))
    return numpy.concatenate(index), numpy.concatenate(surrogates)


def lowest_p(indices, place, scale):
    """p_max of the highest cell of each map; place and scale of cells from all maps of a series, observed and surrogates."""
    everything = numpy.concatenate([indices[0][:, None], indices[1]], 1)
    away = ((everything - place(everything)[:, None]) / scale(everything)[:, None]).max((2, 3))
    return (1 + (away[:, 1:] >= away[:, :1] - 1e-9).sum(1)) / (1 + SURROGATES)


def found_at(least, level=LEVEL):
    """The shares of sets of series that are found where a twentieth of the first set is; ties count in part."""
    order = numpy.sort(least[0])
    limit = order[int(level * len(order))]
    below, at = (order < limit).mean(), (order == limit).mean()
    part = (level - below) / at
    return [(s < limit).mean() + part * (s == limit).mean() for s in least[1:]]


RHYTHMS = ((1.6, 2.4), (5, 7), (10, 12), (17, 21))


def scales_part(clpac, folder, fewer):
    n, seconds, depth = 200 // fewer, 8, 0.6
    none = indices_of(clpac, folder, coupled(n, seconds, 0, numpy.random.default_rng(50)), 60)
    usual = numpy.concatenate([none[0][:, None], none[1]], 1).std((0, 1))
    zero, one = (lambda a: 0 * a.mean(1)), (lambda a: 1 + 0 * a.mean(1))
    mean = lambda a: a.mean(1)  # noqa: E731
    ways = (('its mean off, over its own deviation', mean, lambda a: a.std(1)),
            ('its mean off, over the deviation that it has in series without coupling', mean, lambda a: usual + 0 * a.mean(1)),
            ('its mean off, over what is usual for its bands: p_max', mean,
             lambda a: numpy.sqrt(spreads(a.var(1), numpy.ones(a.shape[2:], bool)))),
            ('over its mean', zero, mean),
            ('its mean off', mean, one),
            ('the index itself', zero, one))
    rows = {name: [[], ''] for name, _, _ in ways}
    spread = []
    for i, (low, high) in enumerate(RHYTHMS):
        sets = [coupled(n, seconds, d, numpy.random.default_rng(90 + 2 * i + (d > 0)), low, high) for d in (0, depth)]
        both = [indices_of(clpac, folder, s, 90 + i) for s in sets]
        cell = numpy.unravel_index(both[1][0].mean(0).argmax(), usual.shape)
        spread.append([b[1].std(1).mean(0)[cell] for b in both])
        for name, place, scale in ways:
            least = [lowest_p(b, place, scale) for b in both]
            rows[name][0].append(f'{found_at(least)[0]:.2f}')
            rows[name][1] += f' {(least[0] <= LEVEL).mean():.3f}'
    lines = [f'| {name} | {" | ".join(row[0])} |{row[1]} |' for name, row in rows.items()]
    wider = ', '.join(f'{b / a:.2f}' for a, b in spread)
    page = f'''## What p_max compares

{n} series of {seconds} s with coupling of depth {depth} to a rhythm of the frequency named, and as many with the rhythm and no coupling; {SURROGATES} shifts. All
rows have the same indices and surrogates, those of clpac, and differ in what is done to a cell before the highest of the map is taken. Every row but
the second is exact, since it takes the observed map and all surrogates alike. Shares as under power; the last column is
what is found without coupling at p <= {LEVEL}, for each frequency.

| cell | {' | '.join(f'{low:g} to {high:g} Hz' for low, high in RHYTHMS)} | without coupling |
|---|{'---|' * len(RHYTHMS)}---|
''' + '\n'.join(lines) + f'''

In the most coupled cell the deviation of the surrogates is {wider} times that without coupling: a rhythm stays in step with itself for some
cycles, so that a shift by nearly whole cycles keeps much of the coupling. Divided by that deviation the coupled cell is low because it is coupled. The index itself is divided
by nothing and pays for it where the rhythm is fast, since the cells of slow phases then decide. The second row has the deviation of series without coupling, which
nobody knows; the third comes near to it.
'''
    theirs = [None]
    if wanted_peer:
        bands = numpy.load(os.path.join(folder, 'out.npz'))
        bands = bands['phase_bands_hz'], bands['amplitude_bands_hz']
        theirs = [indices_of_tensorpac(coupled(n, seconds, d, numpy.random.default_rng(92 + (d > 0))), bands) for d in (0, depth)]
    if theirs[0] is not None:
        found = [found_at([lowest_p(t, place, scale) for t in theirs])[0] for _, place, scale in (ways[0], ways[-1])]
        page += f'''
Of the indices that tensorpac computes from the series of 5 to 7 Hz, {found[0]:.2f} are found by their own deviations and {found[1]:.2f} by the index itself.
'''
    return page


wanted_peer = True
PARTS = {'noise': noise_part, 'nulls': nulls_part, 'measures': measures_part, 'family': family_part, 'erpac': erpac_part,
         'gamma': gamma_part, 'power': power_part,
         'scales': scales_part}


def sections_of(text):
    """(heading, text) of each section, the page's beginning without one."""
    parts = text.split('\n## ')
    return [('', parts[0])] + [(p.split('\n')[0], '## ' + p.rstrip('\n') + '\n') for p in parts[1:]]


def merge(printed, page):
    """The page with sections that were printed before; of a section with other rows in its first table, the rows."""
    old = dict(sections_of(page))
    for heading, text in sections_of(printed):
        rows = {line.split(' | ')[0]: line for line in text.split('\n') if line.startswith('| ')}
        there = old.get(heading, '').split('\n')
        if not heading or heading not in old or all(line.split(' | ')[0] in rows for line in there if line.startswith('| ')):
            old[heading] = old[''] if not heading else text
            continue
        lines = [rows.pop(line.split(' | ')[0], line) for line in there]
        last = max(i for i, line in enumerate(lines) if line.startswith('| '))
        old[heading] = '\n'.join(lines[:last + 1] + list(rows.values()) + lines[last + 1:])
    order = [heading for heading in HEADINGS if heading in old]
    return '\n'.join([old[''].rstrip('\n') + '\n'] + [old[heading] for heading in order])


HEADINGS = ('Noise', 'The nulls', 'The measures', 'One family over several channels', 'Event-related coupling',
            'The gamma tail beside many surrogates', 'Power', 'What p_max compares')


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('clpac')
    parser.add_argument('page', nargs='?')
    parser.add_argument('--part', choices=PARTS)
    parser.add_argument('--null', choices=(*NULLS, LONG_SHIFTS))
    parser.add_argument('--merge')
    parser.add_argument('--no-peer', action='store_true')
    parser.add_argument('--fewer', type=int, default=1)
    wanted = parser.parse_args()
    global wanted_null, wanted_peer
    wanted_null, wanted_peer = wanted.null, not wanted.no_peer
    if wanted.merge:
        with open(wanted.merge, encoding='utf-8') as file, open(wanted.page, 'r+', encoding='utf-8') as page:
            merged = merge(file.read(), page.read())
            page.seek(0)
            page.truncate()
            page.write(merged)
        return 0
    said = subprocess.run([wanted.clpac, '--version'], capture_output=True, text=True, check=True).stdout
    version = said.split('\n')[0]
    pages = [f'# Calibration: coupling found where there is none, and where there is\n\n{version}; made by '
             f'`bench/calibration.py`: {RATE} Hz, default bands.\n']
    with tempfile.TemporaryDirectory() as folder:
        for name, part in PARTS.items():
            if wanted.part in (None, name):
                pages.append(part(wanted.clpac, folder, wanted.fewer))
    page = '\n'.join(pages)
    if wanted.page:
        with open(wanted.page, 'w', encoding='utf-8') as file:
            file.write(page)
    else:
        print(page, end='')
    return 1 if Shares.worst > 3 else 0


if __name__ == '__main__':
    sys.exit(main())

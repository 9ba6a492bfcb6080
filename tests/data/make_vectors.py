#!/usr/bin/env python3
"""Makes the JSON files beside it from the double-precision reference of the method.  Needs numpy and scipy; no test does.

    make_vectors.py REFERENCE.py VECTORS DATA

REFERENCE.py  the reference: bands(), firwin_taps(), quadrature(), analytic(), bin_index(), modulation_index(),
              comodulogram()
VECTORS       folder with closed_form.json, filters.json, published.json, comodulogram_ecog.json, comodulogram_short.json,
              all_shifts_short.json, which are computed again where they can be, compared, and copied
DATA          folder with the recordings that the comodulograms are of

Random cases come from a fixed seed, so that the files come out the same, up to the last digits of another scipy.
Series are whole numbers, as an amplifier counts, so that every program reads the same samples.
"""
import importlib.util
import json
import pathlib
import shutil
import sys

import numpy as np
from scipy.optimize import brentq, minimize_scalar
from scipy.signal import freqz
from scipy.stats import false_discovery_control, gamma

HERE = pathlib.Path(__file__).parent


def load_reference(path):
    spec = importlib.util.spec_from_file_location("reference", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write(name, about, **content):
    """One array of numbers per line keeps the files readable and their differences small."""
    text = json.dumps({"about": about, **content}, separators=(",", ":"))
    text = text.replace("},{", "},\n{").replace(":[{", ":[\n{").replace(",\"", ",\n\"")
    (HERE / name).write_text(text + "\n")


def check_same(name, got, wanted, relative=1e-9):
    worst = np.max(np.abs(np.asarray(got) - np.asarray(wanted)) / np.maximum(np.abs(wanted), 1e-300))
    if not worst <= relative:
        sys.exit(f"{name}: computed again, it differs by {worst:g}")


def copy_given(ref, vectors, data):
    for name in ["closed_form", "filters", "published", "comodulogram_ecog", "comodulogram_short",
                 "all_shifts_short"]:
        shutil.copyfile(vectors / f"{name}.json", HERE / f"{name}.json")

    for f in json.loads((HERE / "filters.json").read_text())["filters"]:
        taps = ref.firwin_taps(f["rate_hz"], f["band_hz"], f["order"])
        assert np.max(np.abs(taps - f["taps"])) < 1e-12, f["band_hz"]

    short = json.loads((HERE / "comodulogram_short.json").read_text())
    x = np.load(data / "neurodsp_m1_pd/sample_data_1.npy").ravel()[:2000]
    mi, surrogates = ref.comodulogram(x, 1000, short["phase_bands_hz"], short["amplitude_bands_hz"],
                                      shifts=short["shifts"])
    check_same("comodulogram_short.json", mi, short["mi"])
    check_same("comodulogram_short.json", surrogates, short["surrogates"])

    ecog = json.loads((HERE / "comodulogram_ecog.json").read_text())
    x = np.load(data / "pacpy_exampledata/exampledata.npy").ravel()
    case = ecog["cases"][0]
    mi, _ = ref.comodulogram(x, 1000, ecog["phase_bands_hz"], ecog["amplitude_bands_hz"], 18, case["average"] == "mean",
                             case["hilbert"], case["edge"])
    check_same("comodulogram_ecog.json", mi, case["mi"])


def coupled_series(rng, n, rate, phase_hz, amplitude_hz, depth=0.8):
    """Narrow-band noise whose amplitude follows a slower one, in wide noise: whole numbers of a few hundred."""
    t = np.arange(n) / rate
    drift = np.cumsum(rng.normal(size=n)) * 0.05
    slow = 2 * np.pi * phase_hz * t + drift
    fast = 2 * np.pi * amplitude_hz * t + np.cumsum(rng.normal(size=n)) * 0.05
    x = np.cos(slow) + (1 + depth * np.cos(slow)) * np.cos(fast) + 0.7 * rng.normal(size=n)
    return np.round(150 * x).astype(int)


def make_bands(ref):
    cases = []
    for text, use in [("2:20:10", "phase"), ("60:160:10", "amplitude"), ("1.5:7:4", "phase"), ("30:30:1", "amplitude"),
                      ("30:160:12", "amplitude"), ("4-8,8-13,13-30", "phase"), ("0.1-0.7,1e1-2.5e1", "phase")]:
        bands = ref.bands(text + "/40" if use == "amplitude" else text, 1 / 4)
        cases.append({"text": text, "use": use, "bands_hz": bands.tolist()})
    write("bands.json", "Bands by bands(text, 1/4) of the reference; those of amplitude are 40 Hz wide, to carry phases up to 20 Hz",
          cases=cases)


def make_bandwidth(ref):
    """Half-power edges of |H|^2, walking from its peak."""
    cases = []
    for rate, band, order in [(512, [1.5, 2.5], 1023), (512, [7.5, 12.5], 204), (512, [52.5, 67.5], 54),
                              (1000, [13, 30], 230), (1000, [140, 180], 42), (512, [1.5, 2.5], 340),
                              (250, [60, 90], 24)]:
        taps = ref.firwin_taps(rate, band, order)
        gain = lambda f: abs(freqz(taps, worN=[f], fs=rate)[1][0]) ** 2
        f = np.linspace(0, rate / 2, 40001)
        g = np.abs(freqz(taps, worN=f, fs=rate)[1]) ** 2
        peak = int(np.argmax(g))
        around = (f[max(peak - 1, 0)], f[min(peak + 1, len(f) - 1)])
        level = -minimize_scalar(lambda v: -gain(v), bounds=around, method="bounded", options={"xatol": 1e-9}).fun / 2
        edges = []
        for steps in (range(peak, 0, -1), range(peak, len(f) - 1)):
            edge = 0.0 if steps.step == -1 else rate / 2
            for i in steps:
                if g[i + steps.step] < level:
                    ends = f[min(i, i + steps.step)], f[max(i, i + steps.step)]
                    edge = brentq(lambda v: gain(v) - level, *ends, xtol=1e-12)
                    break
            edges.append(edge)
        cases.append({"rate_hz": rate, "band_hz": band, "order": order, "bandwidth_hz": edges,
                      "gain_at_lo": gain(band[0]), "gain_at_hi": gain(band[1])})
    write("bandwidth.json", "Where |H|^2, the response applied, falls to half its peak, and its values at the band's edges; "
          "scipy.signal.freqz of firwin taps", cases=cases)


def make_analytic(ref, rng):
    cases = []
    for n, rate, band, cycles, scope in [
            (61, 100, [8, 14], 3, "local"), (61, 100, [8, 14], 3, "trimmed"), (64, 100, [20, 35], 6, "local"),
            (97, 250, [10, 20], 3, "trimmed"), (128, 250, [60, 90], 6, "local"), (101, 250, [60, 90], 6, "trimmed"),
            (75, 250, [4, 8], 3, "local"), (101, 250, [4, 8], 3, "local")]:
        x = coupled_series(rng, n, rate, 9, 70) + (30000 if n == 101 else 0)
        z = ref.analytic(x, rate, [band], cycles, scope)[0]
        order = ref.order_of(rate, band[0], cycles, n)
        half = ref.quadrature(ref.firwin_taps(rate, band, order))[order:]
        cases.append({"rate_hz": rate, "band_hz": band, "cycles": cycles, "hilbert": scope,
                      "order": order, "taps_re": half.real.tolist(), "taps_im": half.imag.tolist(),
                      "x": x.tolist(), "re": z.real.tolist(), "im": z.imag.tolist()})
    write("analytic.json", "Analytic signal of one band of short series by analytic() of the reference, and the analytic filter's "
          "taps 0 .. order, by quadrature()", cases=cases)


def make_problems(ref, rng):
    cases = []
    for n, rate, phase, amplitude, bins, average, scope, edge, shifts in [
            (257, 250, [[4, 8], [8, 13]], [[30, 45], [60, 90]], 18, "mean", "local", 0, [0, 1, 100, 256]),
            (257, 250, [[4, 8], [8, 13]], [[30, 45], [60, 90]], 18, "mean", "trimmed", 0, [0, 1, 100, 256]),
            (400, 250, [[6, 10]], [[40, 60], [60, 90], [80, 110]], 12, "sum", "local", 20, [7, 359]),
            (401, 250, [[6, 10], [9, 15], [12, 20]], [[60, 90]], 7, "sum", "trimmed", 31, [7, 338]),
            (509, 512, [[7.5, 12.5]], [[52.5, 67.5], [70, 90]], 64, "mean", "local", 0, [17, 250, 508]),
            (256, 512, [[10, 20]], [[60, 90]], 2, "mean", "local", 0, [1, 128]),
            (139, 100, [[3, 5]], [[20, 30], [30, 45]], 18, "mean", "local", 0, [3, 70])]:
        x = coupled_series(rng, n, rate, phase[0][0] + 1.5, sum(amplitude[-1]) / 2)
        mi, surrogates = ref.comodulogram(x, rate, phase, amplitude, bins, average == "mean", scope, edge, shifts)
        z = [(mi - surrogates.mean(axis=0)) / surrogates.std(axis=0, ddof=ddof) for ddof in (0, 1)]
        p = (1 + (surrogates >= mi).sum(axis=0)) / (1 + len(shifts))
        cases.append({"rate_hz": rate, "phase_bands_hz": phase, "amplitude_bands_hz": amplitude, "bins": bins,
                      "average": average, "hilbert": scope, "edge": edge, "shifts": shifts, "x": x.tolist(),
                      "mi": mi.tolist(), "surrogates": surrogates.tolist(),
                      "z_ddof_0": z[0].tolist(), "z_ddof_1": z[1].tolist(), "p": p.tolist()})
    write("problems.json", "Whole problems on short series by comodulogram() of the reference; mi[phase][amplitude], "
          "surrogates[shift][phase][amplitude]; cycles 3 and 6", cases=cases)


def make_corrections(rng):
    """p are those of 200 surrogates, in single precision, as results hold them."""
    coupled = np.r_[np.full(7, 1), rng.integers(1, 30, 9), rng.integers(1, 202, 84)]
    sets = [coupled, rng.integers(1, 202, 37), np.full(12, 40), np.array([1]), np.array([201, 1]), np.arange(201, 0, -1)]
    cases = []
    for counts in sets:
        p = (counts / 201).astype("float32").astype("float64")
        cases.append({"p": p.tolist(), "bh": false_discovery_control(p, method="bh").tolist(),
                      "by": false_discovery_control(p, method="by").tolist()})
    tails = []
    for shape in [0.01, 0.5, 1, 3.7, 8.5, 40, 1000, 1e6]:
        for reach in [1e-3, 0.5, 0.9, 1, 1.1, 2, 5, 20]:
            tail = gamma.sf(shape * reach, shape)
            if tail > 1e-290:
                tails.append([3e-4 * reach, 3e-4, 3e-4 / shape ** 0.5, tail])
    write("corrections.json", "p adjusted by scipy.stats.false_discovery_control; value, mean, deviation and upper tail by "
          "scipy.stats.gamma.sf", discoveries=cases, tails=tails)


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    ref, vectors, data = load_reference(sys.argv[1]), pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    copy_given(ref, vectors, data)
    make_bands(ref)
    make_bandwidth(ref)
    make_analytic(ref, np.random.default_rng(1))
    make_problems(ref, np.random.default_rng(2))
    make_corrections(np.random.default_rng(3))


if __name__ == "__main__":
    main()

"""Each option of each kind of analysis means the same to the program and to the package: one .npz, byte for byte.

The rows are those of tests/flow/test_analysis_options.c, which holds the C library against the program.
"""

import pathlib
import re
import shlex
import warnings

import numpy as np
import pytest

import clpac
from clpac import _options
from conftest import coupled

TABLE = pathlib.Path(__file__).parents[2] / "tests/flow/test_analysis_options.c"
N_SUBJECTS = 6
BASES = {
    "run": "phase=5-7,9-11 amplitude=40-60,60-80 surrogates=19 device=native",
    "erpac": "events=go window=-0.5:1 phase=5-7,9-11 amplitude=40-60,60-80 surrogates=19 step=0.25 device=native",
    "compare": "events=go,stop window=-0.5:1 phase=5-7,9-11 amplitude=40-60,60-80 device=native permutations=50",
    "group": "",
    "epochs": "permutations=50",
}
EVENTS = (
    "onset\tduration\ttrial_type\n2\t0\tgo\n4\t0\tstop\n6\t0\tgo\n8.5\t0\tstop\n9.7\t0\tgo\n11\t0\tgo\n"
    "12.5\t1\tBAD jump\n15\t0\tstop\n17\t0.5\tgo left\n19\t0\tgo\n21\t0\tstop\n23\t0\tgo\n"
    "25\t0\tstop\n27\t0\tgo\n"
)


def rows():
    if not TABLE.exists():
        return []
    text = TABLE.read_text()
    found = [
        (kind.lower(), name, value, others, "NPY")
        for kind, name, value, others in re.findall(
            r'^\t(RUN|ERPAC|COMPARE|EPOCHS|GROUP)\("([^"]*)", "([^"]*)", "([^"]*)", (?:true|false)\)', text, re.M
        )
    ]
    found += [
        (kind.lower(), name, value, others, source)
        for kind, name, value, others, source in re.findall(
            r'\{CLPAC_ANALYSIS_(\w+), "([^"]*)", "([^"]*)", "([^"]*)", (?:true|false), (\w+), false\}', text
        )
    ]
    return found


ROWS = rows()


def read_line(line):
    """Words of a line of text, in their order."""
    return {word.partition("=")[0]: word.partition("=")[2] if "=" in word else "yes" for word in shlex.split(line)}


def options_of(kind, name, value, others):
    options = read_line(BASES[kind])
    if kind in ("run", "erpac", "compare"):
        options["rate"] = "200"
    for key, other in {**read_line(others), name: value}.items():
        options.pop(key, None)
        if other != "":
            options[key] = other
    return options


def as_words(options):
    return [f"--{key}" if value == "yes" else f"--{key}={value}" for key, value in options.items()]


NUMBERS = {"rate", "resample", "start", "stop", "bins", "surrogates", "min_shift", "seed", "ddof", "step", "permutations"}
NUMBERS |= {"clusters"}
FLAGS = {"yes": True}


def as_keywords(options):
    """As a Python user writes them: numbers are numbers, and flags are True."""
    made = {}
    for key, value in options.items():
        key = key.replace("-", "_")
        made[key] = FLAGS.get(value, float(value) if key in NUMBERS else value)
    return made


@pytest.fixture(scope="module")
def recordings(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recordings")
    (folder / "x_events.tsv").write_text(EVENTS)
    x = coupled()
    flat = x.copy()
    flat[1, 1960:1990] = 0.25
    np.save(folder / "x_eeg.npy", x)
    (folder / "flat").mkdir()
    (folder / "flat/x_events.tsv").write_text(EVENTS)
    np.save(folder / "flat/x_eeg.npy", flat)
    np.savez(folder / "x_eeg.npz", data=x, other=coupled(seed=6))
    np.ascontiguousarray(x.T).tofile(folder / "x_eeg.raw")
    return {
        "NPY": folder / "x_eeg.npy",
        "FLAT": folder / "flat/x_eeg.npy",
        "NPZ": folder / "x_eeg.npz",
        "RAW": folder / "x_eeg.raw",
    }


def written(program, folder, name, line, x):
    """A result of the program, of two measures."""
    np.save(folder / f"{name}_eeg.npy", x)
    path = folder / f"{name}.npz"
    program("run", folder / f"{name}_eeg.npy", "-q", "-o", path, *as_words(read_line(line)))
    return path


@pytest.fixture(scope="module")
def subjects(program, tmp_path_factory):
    folder = tmp_path_factory.mktemp("subjects")
    line = BASES["run"] + " rate=200 measure=mi,mvl"
    return [written(program, folder, f"s{i}", line, coupled(seed=20 + i)) for i in range(N_SUBJECTS)]


@pytest.fixture(scope="module")
def epochs(program, tmp_path_factory):
    folder = tmp_path_factory.mktemp("epochs")
    (folder / "e_events.tsv").write_text(EVENTS)
    line = BASES["run"] + " rate=200 measure=mi,mvl events=go,stop window=-0.5:1"
    return written(program, folder, "e", line, coupled())


def compute(kind, path, options, subjects):
    if kind == "group":
        n_first = N_SUBJECTS // 2 if options.get("paired") else N_SUBJECTS
        return clpac.group(subjects[:n_first], subjects[n_first:] or None, **options)
    function = {"run": clpac.pac, "erpac": clpac.erpac}.get(kind, clpac.compare)
    return function(path, **options)


@pytest.mark.skipif(not ROWS, reason="the table of options is in the sources of clpac, and these are not there")
@pytest.mark.parametrize(
    "kind, name, value, others, source", ROWS, ids=[f"{row[0]}-{row[1]}" for row in ROWS]
)
def test_an_option_means_the_same_to_the_program_and_to_python(
    program, recordings, subjects, epochs, tmp_path, kind, name, value, others, source
):
    options = options_of(kind, name, value, others)
    keywords = as_keywords(options)
    path = epochs if kind == "epochs" else recordings[source]
    if kind == "group":
        n_first = N_SUBJECTS // 2 if "paired" in options else N_SUBJECTS
        operands = [*subjects[:n_first], *(["--with", *subjects[n_first:]] if n_first < N_SUBJECTS else [])]
    else:
        operands = [path]
    command = {"epochs": "compare"}.get(kind, kind)
    done = program(
        command, *operands, "-q", "-f", "-o", tmp_path / "a.npz", *as_words(options), may_refuse=True
    )
    if done.returncode != 0:
        with pytest.raises((clpac.ArgumentError, clpac.UnsupportedError)) as caught:
            compute(kind, path, keywords, subjects)
        assert "--" not in str(caught.value)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", clpac.ClpacWarning)
        compute(kind, path, keywords, subjects).to_npz(tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


@pytest.mark.skipif(not ROWS, reason="the table of options is in the sources of clpac, and these are not there")
def test_every_option_has_a_row():
    numbers = {"run": _options.RUN, "erpac": _options.ERPAC, "compare": _options.COMPARE, "group": _options.GROUP}
    for kind, number in numbers.items():
        have = {name.replace("-", "_") for row_kind, name, *_ in ROWS if row_kind == kind or (row_kind == "epochs" and kind == "compare")}
        assert set(_options.names(number)) <= have, kind
    assert len(ROWS) > 130

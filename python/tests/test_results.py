"""What a result is: its arrays, forms and pictures."""

import copy
import json
import pickle
import warnings

import numpy as np
import pytest

import clpac
from conftest import RATE, coupled

OPTIONS = dict(phase="5-7,9-11", amplitude="40-60,60-80", surrogates=19, device="native")
WORDS = [f"--{key}={value}" for key, value in OPTIONS.items()] + [f"--rate={RATE}", "-q", "-f"]


@pytest.fixture(scope="module")
def made():
    return clpac.pac(coupled(), RATE, measure=["mi", "glm"], names=["Cz", "Pz", "Oz"], **OPTIONS)


@pytest.fixture(scope="module")
def by_program(program, tmp_path_factory):
    folder = tmp_path_factory.mktemp("program")
    np.save(folder / "x.npy", coupled())
    program("run", folder / "x.npy", "-o", folder / "x.npz", *WORDS, "--measure=mi,glm", "--csv", "--plot=png,svg")
    return folder


def test_names_of_arrays(made):
    assert {"mi", "z", "p", "p_max", "maxima", "surrogate_mean"} <= set(made.arrays)
    assert made.index is not None and made.shape == (3, 1, 2, 2)
    np.testing.assert_array_equal(made.index, made.mi)
    np.testing.assert_array_equal(made.preferred_phase, made.preferred_phase_rad)
    np.testing.assert_array_equal(made.excess, (made.mi.astype(float) - made.surrogate_mean).astype("float32"))
    assert (made.excess_lo <= np.maximum(made.excess, 0)).all() and (made.excess <= made.excess_hi).all()
    with pytest.raises(AttributeError, match="holds no surrogates; it holds mi"):
        made.surrogates
    with pytest.raises(clpac.ArgumentError):
        made.get_data("nothing")


def test_further_measures(made, by_program):
    wanted = np.load(by_program / "x.npz")
    assert made.measures == ["mi", "glm"]
    glm = made.of("glm")
    assert glm.measure == "glm" and glm.ch_names == ["Cz", "Pz", "Oz"]
    np.testing.assert_array_equal(glm.glm, wanted["glm"])
    np.testing.assert_array_equal(glm.z, wanted["glm_z"])
    with pytest.raises(AttributeError):
        glm.mi
    with pytest.raises(clpac.ArgumentError, match="no plv"):
        made.of("plv")


def _with_format(source, target, number):
    """A copy of a result whose format has another number, or, where that is None, no number."""
    with np.load(source) as file:
        arrays = {name: file[name] for name in file.files}
    assert arrays.pop("format_version") == np.uint32(1)
    np.savez(target, **arrays, **({} if number is None else {"format_version": np.uint32(number)}))


def test_a_newer_format_is_refused_and_older_ones_are_read(by_program, tmp_path):
    wanted = clpac.load(by_program / "x.npz")
    for number in (None, 0, 1):
        _with_format(by_program / "x.npz", tmp_path / "old.npz", number)
        np.testing.assert_array_equal(clpac.load(tmp_path / "old.npz").z, wanted.z)
    _with_format(by_program / "x.npz", tmp_path / "new.npz", 2)
    with pytest.raises(clpac.FormatError, match="a result of format 2, .* reads formats 0 to 1: read it with a newer"):
        clpac.load(tmp_path / "new.npz")


def test_saved_loaded_copied_and_pickled_results_are_the_same(made, tmp_path):
    made.save(tmp_path / "a.npz")
    with pytest.raises(FileExistsError):
        made.save(tmp_path / "a.npz")
    others = [clpac.load(tmp_path / "a.npz"), pickle.loads(pickle.dumps(made)), copy.deepcopy(made), made.copy()]
    for other in others:
        assert other.sentence == made.sentence and other.problem == made.problem
        assert other.provenance == made.provenance and other.cautions == made.cautions
        for name in made.arrays:
            np.testing.assert_array_equal(other.get_data(name), made.get_data(name))
    assert pickle.loads(pickle.dumps(made.of("glm"))).measure == "glm"


def test_files_are_those_of_the_program(made, by_program, tmp_path):
    same = clpac.pac(by_program / "x.npy", RATE, measure="mi,glm", **OPTIONS)
    same.to_npz(tmp_path / "x.npz")
    same.to_csv(tmp_path / "x.csv")
    assert (tmp_path / "x.npz").read_bytes() == (by_program / "x.npz").read_bytes()
    assert (tmp_path / "x.csv").read_bytes() == (by_program / "x.csv").read_bytes()
    wanted = json.loads((by_program / "x.json").read_text())
    for key in ("identity", "problem", "parameters", "shape", "peaks", "bands"):
        assert same.report[key] == wanted[key]


def test_a_page_is_that_of_the_program(made, by_program, program, tmp_path):
    clpac.load(by_program / "x.npz").to_html(tmp_path / "page.html", title="x")
    program("report", by_program / "x.npz", "-o", tmp_path / "x.html")
    mine, wanted = [(tmp_path / name).read_text() for name in ("page.html", "x.html")]
    assert mine.count("<path") == wanted.count("<path") > 0
    for text in (mine, wanted):
        assert "<title>" in text and "http://" not in text.replace("http://www.w3.org/", "")
    with pytest.raises(FileExistsError):
        made.to_html(tmp_path / "page.html")
    made.to_html(tmp_path / "page.html", overwrite=True)
    assert "<h2" in (tmp_path / "page.html").read_text()


def test_merged_shards_are_the_whole(program, by_program, tmp_path):
    words = ["run", by_program / "x.npy", "--rate", str(RATE), "--surrogates", "9", "--device", "native", "-q"]
    program(*words, "-o", tmp_path / "whole.npz")
    for number in (1, 2):
        program(*words, "-o", tmp_path / "x.npz", "--shard", f"{number}/2")
    paths = sorted(tmp_path.glob("x.shard-*.npz"))
    assert len(paths) == 2
    clpac.merge(paths).to_npz(tmp_path / "merged.npz")
    assert (tmp_path / "merged.npz").read_bytes() == (tmp_path / "whole.npz").read_bytes()
    with pytest.raises(clpac.FormatError, match="no shard of 2 has the channels"):
        clpac.merge(paths[:1])
    with pytest.raises(clpac.ArgumentError, match="no shard is given"):
        clpac.merge([])


def test_the_program_draws_the_same_picture(by_program, tmp_path):
    same = clpac.pac(by_program / "x.npy", RATE, measure="mi,glm", **OPTIONS)
    picture = same.plot(engine="clpac")
    assert picture.data == (by_program / "x.png").read_bytes()
    assert picture._repr_png_() == picture.data and picture._repr_svg_() is None
    same.plot(engine="clpac", path=tmp_path / "x.svg")
    assert (tmp_path / "x.svg").read_bytes() == (by_program / "x.svg").read_bytes()
    assert same.plot(engine="clpac", format="svg").data == (by_program / "x.svg").read_bytes()


@pytest.mark.parametrize(
    "options, words",
    [
        (dict(channel=1), ["--channel=1"]),
        (dict(alpha=0.5, cmap="grey"), ["--alpha=0.5", "--cmap=grey"]),
        (dict(vmin=-1, vmax=5), ["--vmin=-1", "--vmax=5"]),
        (dict(grid=True), ["--grid"]),
        (dict(arrows=True), ["--arrows"]),
        (dict(smooth=True), ["--smooth"]),
        (dict(population=True), ["--population"]),
        (dict(width=89), ["--width=89"]),
    ],
)
def test_options_of_pictures(program, by_program, tmp_path, options, words):
    program("plot", by_program / "x.npz", "-q", "-f", "-o", tmp_path / "a.svg", *words)
    made = clpac.load(by_program / "x.npz").plot(engine="clpac", format="svg", **options)
    assert made.data == (tmp_path / "a.svg").read_bytes()


def test_spectra_are_kept_for_a_page(tmp_path):
    x = np.random.default_rng(3).standard_normal((2, 5000))
    words = {"f_pha": "4-8", "f_amp": "40-80", "device": "native"}
    plain = clpac.pac(x, 250, n_perm=0, **words)
    kept = clpac.pac(x, 250, n_perm=0, spectra=True, **words)
    assert "spectra" not in plain.provenance
    (spectra,) = kept.provenance["spectra"]
    # White noise of variance 1 has 2 / 250 in each hertz, -21 dB.
    assert [len(one) for one in spectra["db"]] == [len(spectra["hz"])] * 2
    assert abs(np.mean(spectra["db"]) - 10 * np.log10(2 / 250)) < 0.5
    pages = []
    for one in (plain, kept):
        one.to_html(tmp_path / "page.html", overwrite=True)
        pages.append((tmp_path / "page.html").read_text().count('class="spectrum"'))
    assert pages == [0, 3]
    events = np.array([[250 * i, 0, 1 + i % 2] for i in range(1, 19)])
    about = {"events": events, "event_id": {"a": 1, "b": 2}, "tmin": 0, "tmax": 0.8, "spectra": True}
    compared = clpac.compare(x, 250, "8-12", "40-80", device="native", permutations=20, **about)
    assert len(compared.provenance["spectra"]) == 1


def test_the_head_is_drawn_with_positions(made):
    with pytest.raises(clpac.ArgumentError, match="needs 4 channels with a place"):
        made.plot(engine="clpac", format="svg", topography=True, positions={})


def test_matplotlib_draws_on_axes_that_are_given(made):
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    matplotlib.use("agg")
    from matplotlib import pyplot

    figure = made.plot()
    titles = [axes.get_title() for axes in figure.axes if axes.get_title()]
    assert titles == ["Comodulogram", "Compared with surrogates", "Amplitude by phase"]
    assert "Channel" in figure._suptitle.get_text() and "Peak at 5" in figure._suptitle.get_text()
    own, axes = pyplot.subplots()
    assert made.plot(axes, channel="Pz", what="index") is own
    mesh = axes.collections[0]
    np.testing.assert_array_equal(np.asarray(mesh.get_array()).reshape(2, 2), made.mi[1, 0].T)
    with pytest.raises(clpac.ArgumentError, match="what"):
        made.plot(axes, what="nothing")
    with pytest.raises(clpac.ArgumentError, match="3 panels"):
        made.plot(pyplot.subplots(1, 2)[1])
    for figure in (own, *map(pyplot.figure, pyplot.get_fignums())):
        figure.canvas.draw()
    pyplot.close("all")


def test_other_forms(made, by_program):
    xarray = pytest.importorskip("xarray", reason="xarray is not installed")
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    data = made.to_xarray()
    assert isinstance(data, xarray.Dataset)
    assert data.mi.dims == ("channel", "epoch", "phase", "amplitude")
    assert float(data.mi.sel(channel="Pz", phase=6, amplitude=50)[0]) == made.mi[1, 0, 0, 0]
    frame = made.to_dataframe()
    assert isinstance(frame, pandas.DataFrame)
    assert len(frame) == 12 and frame.channel.iloc[0] == "Cz"
    np.testing.assert_allclose(frame.mi.to_numpy(np.float32), made.mi.ravel(), rtol=1e-6)


def test_what_people_see(made):
    assert "peak in channel" in repr(made)
    html = made._repr_html_()
    assert "<table>" in html and "Cz, Pz, Oz" in html and "peak" in html
    peak = made.peak()
    assert peak.phase == (5, 7) and peak.p_max <= 0.0501
    assert made.peak("Pz").channel == 1
    assert made.peak(2, 0).channel == 2
    assert "mi" in dir(made)


def test_cautions_are_warned_of_once_each():
    t = np.arange(6000) / RATE
    saw = 2 * (6 * t % 1) - 1 + np.random.default_rng(0).normal(0, 0.05, 6000)
    saw[3000] += 500
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = clpac.pac(np.stack([saw, saw]), RATE, **OPTIONS)
    texts = [str(one.message) for one in caught if issubclass(one.category, clpac.CautionWarning)]
    assert texts and len(texts) == len(set(texts))
    assert "jump" in made.cautions
    assert all(one.filename == __file__ for one in caught)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bare = clpac.pac(coupled(), RATE, caution=False, **OPTIONS)
    assert "harmonic" not in bare.arrays


def test_pairs_by_indices(program, tmp_path):
    x = coupled()
    np.save(tmp_path / "x.npy", x)
    program("run", tmp_path / "x.npy", "-o", tmp_path / "x.npz", *WORDS, "--pairs=0>1,2>0")
    made = clpac.pac(x, RATE, indices=([0, 2], [1, 0]), **OPTIONS)
    assert made.pairs == [("0", "1"), ("2", "0")] and made.ch_names == ["0>1", "2>0"]
    made.to_npz(tmp_path / "y.npz")
    assert (tmp_path / "x.npz").read_bytes() == (tmp_path / "y.npz").read_bytes()
    named = clpac.pac(x, RATE, names=["A", "B", "C"], indices=(["A", "C"], ["B", "A"]), **OPTIONS)
    assert named.pairs == [("A", "B"), ("C", "A")]
    np.testing.assert_array_equal(named.mi, made.mi)
    with pytest.raises(clpac.ArgumentError, match="as many of each"):
        clpac.pac(x, RATE, indices=([0], [1, 2]), **OPTIONS)


def test_made_recordings_are_those_of_the_program(program, tmp_path):
    program("synth", tmp_path / "x.npy", "--rate=256", "--seconds=4", "--channels=2", "--phase=8", "--seed=3", "-q")
    made = clpac.synth(rate=256, seconds=4, channels=2, phase=8, seed=3)
    np.testing.assert_array_equal(made.get_data(), np.load(tmp_path / "x.npy"))
    assert made.sfreq == 256
    with pytest.raises(clpac.ArgumentError, match="strength"):
        clpac.synth(strength=3)


@pytest.mark.parametrize("function", [clpac.pac, clpac.compare])
def test_an_option_that_there_is_not_is_refused_with_the_nearest(function):
    with pytest.raises(clpac.ArgumentError, match="no option n_prem; did you mean n_perm?"):
        function(coupled(), RATE, n_prem=20)
    with pytest.raises(clpac.ArgumentError, match="no option nonsense$"):
        function(coupled(), RATE, nonsense=3)


def test_devices_and_parts(program):
    found = clpac.devices()
    listed = json.loads(program("devices", "--json").stdout)["devices"]
    assert [(one.selection, one.name) for one in found] == [(one["selection"], one["name"]) for one in listed]
    assert found[0].selection == "native" and found[0].name
    assert any("native kernels" in line for line in clpac.parts())
    assert clpac.__version__ == clpac.version()


def test_forecast():
    assert clpac.forecast(coupled(), RATE, device="native", n_perm=10)


# --- Plans ---


def test_a_plan_gives_the_numbers_of_pac_and_is_run_many_times():
    x, y = coupled(), coupled(seed=9)
    options = dict(f_pha="5-7,9-11", f_amp="40-60,60-80", n_perm=19)
    with clpac.Plan(shape=x.shape, sfreq=RATE, device="native", names=["a", "b", "c"], **options) as plan:
        for samples in (x, y, np.asfortranarray(x), x[:, ::-1], x.astype(float)):
            made = plan.run(samples)
            wanted = clpac.pac(samples, RATE, device="native", caution=False, **options)
            for name in ("mi", "z", "p_max"):
                np.testing.assert_array_equal(made.get_data(name), wanted.get_data(name))
        assert made.ch_names == ["a", "b", "c"]
        again = clpac.Plan(made.problem, device="native")
        np.testing.assert_array_equal(again.run(x).z, plan.run(x).z)
        with pytest.raises(clpac.ArgumentError, match="the plan is for"):
            plan.run(x[:2])
        shares = []
        plan.run(x, progress=shares.append)
        assert "layout" in plan.explain() or plan.explain()
    with pytest.raises(clpac.ClpacError, match="closed"):
        plan.run(x)


def test_a_plan_of_epochs_takes_any_strides():
    x = coupled(n_samples=9000).reshape(3, 3, 3000)
    epochs = x.swapaxes(0, 1)
    plan = clpac.Plan(shape=epochs.shape, sfreq=RATE, device="native", f_pha="5-7", f_amp="40-60", n_perm=9)
    made = plan.run(epochs)
    np.testing.assert_array_equal(made.mi, plan.run(epochs.copy()).mi)
    np.testing.assert_array_equal(made.mi, clpac.pac(epochs, RATE, device="native", f_pha="5-7", f_amp="40-60", n_perm=9).mi)


def test_functions_of_the_library_that_are_called_are_declared():
    import pathlib
    import re

    from clpac._clpac import lib

    names = set()
    for path in pathlib.Path(clpac.__file__).parent.glob("*.py"):
        names |= set(re.findall(r"\blib\.(\w+)", path.read_text()))
    with_opencl = {"clpac_context_from_opencl", "clpac_plan_enqueue_opencl", "clpac_buffer_opencl"}
    has_opencl = hasattr(lib, "clpac_context_from_opencl")
    missing = {name for name in names if not hasattr(lib, name) and (has_opencl or name not in with_opencl)}
    assert len(names) > 100 and not missing


def test_a_table_is_that_of_the_program(by_program, program, tmp_path):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    path = tmp_path / "sub-01" / "ses-2" / "x.npz"
    path.parent.mkdir(parents=True)
    path.write_bytes((by_program / "x.npz").read_bytes())
    middles = np.load(path)["phase_bands_hz"].mean(axis=1), np.load(path)["amplitude_bands_hz"].mean(axis=1)
    roi = f"one={middles[0][0]}-{middles[0][0]},{middles[1].min()}-{middles[1].max()}"
    for words, options in ((["--roi", roi, "--alpha", "0.3"], {"roi": roi, "alpha": 0.3}), ([], {})):
        program("table", path, "-o", tmp_path / "t.csv", "-f", *words)
        frame, wanted = clpac.table([path], **options), pandas.read_csv(tmp_path / "t.csv")
        assert list(frame.columns) == list(wanted.columns)
        assert len(frame) == len(wanted) > 0
        assert set(frame.subject) == {"sub-01"} and set(frame.session) == {"ses-2"} and set(frame.task) == {""}
        for name in frame.columns.difference(["task", "run", "condition", "channel"]):
            if frame[name].dtype.kind in "fi":
                np.testing.assert_array_equal(frame[name], wanted[name])
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    frame.to_parquet(tmp_path / "t.parquet")
    pandas.testing.assert_frame_equal(pandas.read_parquet(tmp_path / "t.parquet"), frame)
    assert list(clpac.table([clpac.load(path)]).result) == ["1"] * len(frame)
    assert list(clpac.table([clpac.load(path)], names=["sub-7_pac.npz"]).subject) == ["sub-7"] * len(frame)
    with pytest.raises(clpac.ArgumentError, match="roi none=1-2,3-4: give a name|no cell in the region none"):
        clpac.table([path], "none=1-2,3-4")
    with pytest.raises(clpac.ArgumentError, match="alpha 2"):
        clpac.table([path], roi, alpha=2)
    with pytest.raises(clpac.ArgumentError, match="names: 2 names of 1 results"):
        clpac.table([path], names=["a", "b"])


def test_a_group_keeps_the_spectra_of_its_recordings(tmp_path):
    subjects = [clpac.pac(coupled(seed=seed), RATE, spectra=True, **OPTIONS) for seed in (1, 2, 3)]
    made = clpac.group(subjects)
    (spectra,) = made.provenance["spectra"]
    each = np.array([subject.provenance["spectra"][0]["db"] for subject in subjects], float)
    np.testing.assert_allclose(spectra["db"], each.mean(axis=0), atol=0.06)
    np.testing.assert_allclose(spectra["deviation_db"], each.std(axis=0, ddof=1), atol=0.11)
    assert [one["used_s"] for one in made.provenance["recordings"]] == [[30, 30]] * 3
    made.to_html(tmp_path / "group.html")
    assert "Spectra of 3 recordings" in (tmp_path / "group.html").read_text()

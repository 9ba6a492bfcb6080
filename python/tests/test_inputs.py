"""Each kind of input gives the numbers that the program gives of the same samples in a file."""

import warnings

import numpy as np
import pytest

import clpac
from conftest import RATE, coupled

OPTIONS = dict(phase="5-7,9-11", amplitude="40-60,60-80", surrogates=19)
WORDS = [f"--{key}={value}" for key, value in OPTIONS.items()] + ["--device=native", f"--rate={RATE}", "-q", "-f"]


@pytest.fixture(scope="module")
def by_program(program, tmp_path_factory):
    """The arrays that the program makes of samples."""
    folder = tmp_path_factory.mktemp("program")

    def run(x, *words, events=None):
        np.save(folder / "x_eeg.npy", x)
        (folder / "x_events.tsv").unlink(missing_ok=True)
        if events:
            (folder / "x_events.tsv").write_text(events)
        program("run", folder / "x_eeg.npy", "-o", folder / "x.npz", *WORDS, *words)
        return dict(np.load(folder / "x.npz"))

    return run


def assert_same(made, wanted, *names):
    for name in names or ("mi", "z", "p", "p_max"):
        np.testing.assert_array_equal(made.get_data(name), wanted[name], err_msg=name)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i2", "i4", "u1", "f2", "i8", ">f4", ">i2"])
def test_types_of_samples(by_program, dtype):
    x = (coupled() * 40 + 120).astype(dtype)
    wanted = by_program(np.asarray(x, np.float64 if np.dtype(dtype).itemsize > 2 and dtype[-2] != "f" or dtype == "f8" else np.float32))
    assert_same(clpac.pac(x, RATE, device="native", **OPTIONS), wanted, "mi", "p")


def test_epochs_of_an_array(by_program):
    x = coupled(n_samples=9000).reshape(3, 3, 3000).swapaxes(0, 1).copy()
    wanted = by_program(x)
    made = clpac.pac(x, RATE, device="native", **OPTIONS)
    assert made.shape == (3, 3, 2, 2)
    assert_same(made, wanted)
    # A view of the same epochs that lies otherwise.
    turned = np.moveaxis(np.ascontiguousarray(np.moveaxis(x, 0, 1)), 1, 0)
    assert_same(clpac.pac(turned, RATE, device="native", **OPTIONS), wanted)


def test_one_series(by_program):
    x = coupled()[0]
    assert_same(clpac.pac(x, RATE, device="native", **OPTIONS), by_program(x))


def test_an_array_is_not_written_and_may_be_read_only(by_program):
    x = coupled()
    before = x.copy()
    x.flags.writeable = False
    assert_same(clpac.pac(x, RATE, device="native", **OPTIONS), by_program(before))
    np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize(
    "wrong, says",
    [
        (np.zeros((2, 2, 2, 100)), "dimensions"),
        (np.zeros((100, 2)), "transpose"),
        (np.zeros(100, complex), "real numbers"),
        (np.array(["a", "b"]), "real numbers"),
        (np.zeros((2, 1000)), "constant|value|one value"),
    ],
)
def test_wrong_arrays_are_refused(wrong, says):
    with pytest.raises((clpac.ArgumentError, clpac.FormatError), match=says), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clpac.pac(wrong, RATE, device="native", n_perm=0, f_pha="5-7", f_amp="40-60")


def test_names_and_picks(by_program):
    x = coupled()
    wanted = by_program(x, "--channels=2,0")
    made = clpac.pac(x, RATE, names=["Cz", "Pz", "Oz"], picks=["Oz", "Cz"], device="native", **OPTIONS)
    assert made.ch_names == ["Oz", "Cz"]
    assert_same(made, wanted)


def test_bands_are_arrays_or_texts(by_program):
    x = coupled()
    made = clpac.pac(x, RATE, [(5, 7), (9, 11)], np.array([[40, 60], [60, 80]]), n_perm=19, device="native")
    assert_same(made, by_program(x))
    np.testing.assert_array_equal(made.f_pha, [[5, 7], [9, 11]])
    np.testing.assert_array_equal(made.f_amp, [[40, 60], [60, 80]])


def test_one_option_under_two_names_is_refused():
    with pytest.raises(clpac.ArgumentError, match="f_pha and phase"):
        clpac.pac(coupled(), RATE, f_pha="5-7", phase="5-7")


# --- xarray, pandas ---


def test_xarray(by_program):
    xarray = pytest.importorskip("xarray", reason="xarray is not installed")
    x = coupled()
    data = xarray.DataArray(
        x.T,
        dims=("time", "channel"),
        coords={"time": np.arange(x.shape[1]) / RATE, "channel": ["Cz", "Pz", "Oz"]},
        attrs={"units": "uV"},
    )
    made = clpac.pac(data, device="native", **OPTIONS)
    assert made.ch_names == ["Cz", "Pz", "Oz"]
    assert clpac.read(data).units == ["uV"] * 3
    assert_same(made, by_program(x))
    with pytest.raises(clpac.ArgumentError, match="called time"):
        clpac.pac(data.rename(time="y"), RATE)
    with pytest.raises(clpac.ArgumentError, match="equally spaced"):
        clpac.pac(data.assign_coords(time=np.arange(x.shape[1]) ** 2.0))


def test_pandas(by_program):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    x = coupled()
    frame = pandas.DataFrame(x.T, columns=["Cz", "Pz", "Oz"])
    wanted = by_program(x)
    assert_same(clpac.pac(frame, RATE, device="native", **OPTIONS), wanted)
    with pytest.raises(clpac.ArgumentError, match="sfreq"):
        clpac.pac(frame)
    timed = frame.set_index(pandas.to_timedelta(np.arange(x.shape[1]) / RATE, unit="s"))
    made = clpac.pac(timed, device="native", **OPTIONS)
    assert made.ch_names == ["Cz", "Pz", "Oz"]
    assert_same(made, wanted)
    assert_same(clpac.pac(frame["Cz"], RATE, device="native", **OPTIONS), by_program(x[0]))
    with pytest.raises(clpac.ArgumentError, match="text"):
        clpac.pac(frame.assign(text="a"), RATE)


# --- MNE ---


@pytest.fixture(scope="module")
def mne():
    return pytest.importorskip("mne", reason="MNE is not installed")


EVENTS = "onset\tduration\ttrial_type\n" + "".join(
    f"{onset}\t{seconds}\t{text}\n"
    for onset, seconds, text in [(2, 0, "go"), (5, 0, "stop"), (9, 0, "go"), (12, 1, "BAD_jump"), (16, 0, "stop"), (20, 0, "go")]
)


@pytest.fixture
def raw(mne):
    x = coupled().astype(float)
    info = mne.create_info(["Cz", "Pz", "EOG"], RATE, ["eeg", "eeg", "eog"])
    made = mne.io.RawArray(x * 1e-6, info, verbose="error")
    made.set_annotations(
        mne.Annotations([2, 5, 9, 12, 16, 20], [0, 0, 0, 1, 0, 0], ["go", "stop", "go", "BAD_jump", "stop", "go"])
    )
    return made


def test_raw_takes_signals_of_the_brain_in_volts_without_bad_time(raw, by_program):
    made = clpac.pac(raw, device="native", **OPTIONS)
    assert made.ch_names == ["Cz", "Pz"]
    assert made.n_stretches.tolist() == [[2], [2]]
    assert clpac.read(raw).units == ["V"] * 3
    assert clpac.read(raw).kinds == ["eeg", "eeg", "eog"]
    x = raw.get_data()
    assert_same(made, by_program(x, "--channels=0,1", events=EVENTS))
    kept = clpac.pac(raw, device="native", reject_by_annotation=False, **OPTIONS)
    assert_same(kept, by_program(x, "--channels=0,1", "--keep-bad", events=EVENTS))


def test_bad_channels_are_left_out(raw):
    raw.info["bads"] = ["Cz"]
    assert clpac.read(raw).bads == ["Cz"]
    assert clpac.pac(raw, device="native", **OPTIONS).ch_names == ["Pz"]
    assert clpac.pac(raw, device="native", picks=["Cz"], **OPTIONS).ch_names == ["Cz"]


def test_raw_that_begins_later_has_its_annotations_in_place(raw, by_program):
    cropped = raw.copy().crop(1.0, 25.0)
    made = clpac.pac(cropped, device="native", events=["go", "stop"], tmin=-0.5, tmax=1.5, **OPTIONS)
    whole = clpac.read(cropped)
    assert [a.description for a in whole.annotations][:2] == ["go", "stop"]
    assert whole.annotations[0].onset == pytest.approx(1.0)
    assert made.conditions == ["go", "stop", "go", "stop", "go"]


def test_events_of_raw_by_text_and_as_an_array(mne, raw, by_program):
    wanted = by_program(raw.get_data(), "--channels=0,1", "--events=go,stop", "--window=-0.5:1.5", events=EVENTS)
    made = clpac.pac(raw, device="native", events=["go", "stop"], tmin=-0.5, tmax=1.5, **OPTIONS)
    assert_same(made, wanted)
    table, names = mne.events_from_annotations(raw, event_id={"go": 1, "stop": 2}, verbose="error")
    raw.annotations.delete([i for i, a in enumerate(raw.annotations) if not a["description"].startswith("BAD")])
    made = clpac.pac(raw, device="native", events=table, event_id=names, tmin=-0.5, tmax=1.5, **OPTIONS)
    assert sorted(set(made.conditions)) == ["go", "stop"]
    assert_same(made, wanted)


def test_epochs_are_filtered_each_alone(mne, raw, by_program):
    raw.annotations.delete([3])
    events, names = mne.events_from_annotations(raw, verbose="error")
    epochs = mne.Epochs(raw, events, names, -1, 2, baseline=None, preload=True, picks="eeg", verbose="error")
    made = clpac.pac(epochs, device="native", **OPTIONS)
    assert made.conditions == ["go", "stop", "go", "stop", "go"]
    assert made.shape == (2, 5, 2, 2)
    wanted = by_program(epochs.get_data(copy=True))
    np.testing.assert_array_equal(made.mi, wanted["mi"])
    # A part of each epoch, and one index for each condition.
    pooled = clpac.pac(epochs, device="native", tmin=0, tmax=1.5, pool=True, **OPTIONS)
    assert pooled.conditions == ["go", "stop"]
    assert clpac.compare(epochs, device="native", permutations=20, f_pha="5-7", f_amp="40-60").effect.shape == (2, 1, 1, 1)


def test_evoked_is_refused_with_the_reason(mne, raw):
    events, names = mne.events_from_annotations(raw, verbose="error")
    evoked = mne.Epochs(raw, events, names, -1, 2, baseline=None, verbose="error").average()
    with pytest.raises(clpac.UnsupportedError, match="locked to the event"):
        clpac.pac(evoked)


def test_files_that_others_read(mne, raw, tmp_path):
    path = tmp_path / "x_raw.fif"
    raw.save(path, fmt="double", verbose="error")
    made = clpac.pac(path, device="native", **OPTIONS)
    assert_same(made, {name: clpac.pac(raw, device="native", **OPTIONS).get_data(name) for name in ("mi", "z", "p")}, "mi", "z", "p")
    (tmp_path / "x.fif").write_bytes(b"nothing")
    with pytest.raises(clpac.FormatError, match="MNE"):
        clpac.read(tmp_path / "x.fif")


def test_a_missing_file_is_pythons_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        clpac.read(tmp_path / "x.edf")
    with pytest.raises(clpac.FileMissingError):
        clpac.load(tmp_path / "x.npz")


def test_a_missing_package_is_asked_for_by_name(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "xarray", None)
    made = clpac.pac(coupled()[:1], RATE, device="native", **OPTIONS)
    with pytest.raises(ImportError, match=r"pip install 'clpac\[xarray\]'"):
        made.to_xarray()


def test_a_recording_serves_many_analyses(signal, tmp_path):
    np.save(tmp_path / "x.npy", signal)
    recording = clpac.read(tmp_path / "x.npy", RATE)
    assert recording.ch_names == ["0", "1", "2"]
    assert recording.sfreq == RATE
    assert recording.duration == signal.shape[1] / RATE
    np.testing.assert_array_equal(recording.get_data(), signal)
    np.testing.assert_array_equal(recording.get_data([2]), signal[2:])
    both = [clpac.pac(recording, device="native", **OPTIONS).mi for _ in range(2)]
    np.testing.assert_array_equal(*both)
    assert recording.info()["channels"][0]["name"] == "0"
    with pytest.raises(clpac.ArgumentError, match="rate"):
        clpac.pac(recording, 100, device="native", **OPTIONS)

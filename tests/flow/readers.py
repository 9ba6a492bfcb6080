"""EDF, BDF, BrainVision, EEGLAB, MATLAB 7.3 and NWB as clpac reads them, beside MNE, pyedflib and h5py: run by readers.test, prints TAP.

Each file is made here, with pyedflib, SciPy, GNU Octave or byte by byte, and read three times: samples, names, rates, units and annotations have to
be those of the others."""
import ctypes
import datetime
import os
import re
import shutil
import subprocess
import sys
import tempfile

import h5py
import mne
import numpy as np
import pyedflib
import scipy.io

mne.set_log_level("ERROR")


class Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("native_code", ctypes.c_int), ("text", ctypes.c_char * 1024), ("rest", ctypes.c_uint64 * 64)]


class Channel(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("unit", ctypes.c_char_p), ("unusable", ctypes.c_char_p), ("rate_hz", ctypes.c_double),
                ("n_samples", ctypes.c_size_t), ("type", ctypes.c_int), ("samples", ctypes.c_void_p), ("kind", ctypes.c_int)]


class Annotation(ctypes.Structure):
    _fields_ = [("onset", ctypes.c_double), ("seconds", ctypes.c_double), ("text", ctypes.c_char_p)]


library = ctypes.CDLL("libclpac-io.so.0")
library.clpac_recording_channel.restype = ctypes.POINTER(Channel)
library.clpac_recording_annotation.restype = ctypes.POINTER(Annotation)
library.clpac_recording_n_channels.restype = library.clpac_recording_n_annotations.restype = ctypes.c_size_t


def read(path):
    """Channels as (name, unit, rate, samples), and annotations as (onset, seconds, text)."""
    recording, error = ctypes.c_void_p(), Error()
    if library.clpac_recording_read(os.fsencode(path), None, ctypes.byref(recording), ctypes.byref(error)):
        raise RuntimeError(error.text.decode())
    channels, annotations = [], []
    for i in range(library.clpac_recording_n_channels(recording)):
        c = library.clpac_recording_channel(recording, ctypes.c_size_t(i)).contents
        of = ctypes.c_float if c.type == 0 else ctypes.c_double
        samples = np.ctypeslib.as_array(ctypes.cast(c.samples, ctypes.POINTER(of)), (c.n_samples,)).astype(float)
        channels.append((c.name.decode(), c.unit.decode(), c.rate_hz, samples))
    for i in range(library.clpac_recording_n_annotations(recording)):
        a = library.clpac_recording_annotation(recording, ctypes.c_size_t(i)).contents
        annotations.append((a.onset, a.seconds, a.text.decode()))
    library.clpac_recording_destroy(recording)
    return channels, sorted(annotations)


def same_samples(ours, theirs):
    """Within a rounding of double, which both make several of: the digits of an offset of the largest sample are lost."""
    assert ours.shape == theirs.shape, (ours.shape, theirs.shape)
    worst = np.abs(ours - theirs).max()
    assert worst <= 16 * np.finfo(float).eps * np.abs(theirs).max(), worst


def same_annotations(ours, theirs):
    assert [text for *_, text in ours] == [text for *_, text in theirs], (ours, theirs)
    for mine, other in zip(ours, theirs):
        # EDF+ writes times in steps of 100 ns.
        assert abs(mine[0] - other[0]) <= 1e-7 and abs(mine[1] - other[1]) <= 1e-7, (mine, other)


def by_pyedflib(path, ours):
    channels, annotations = ours
    with pyedflib.EdfReader(path) as file:
        assert [c[0] for c in channels] == file.getSignalLabels()
        assert [c[1] for c in channels] == [file.getPhysicalDimension(i) for i in range(file.signals_in_file)]
        for i, (_, _, rate, samples) in enumerate(channels):
            assert rate == file.getSampleFrequency(i), (rate, file.getSampleFrequency(i))
            same_samples(samples, file.readSignal(i))
        onsets, durations, texts = file.readAnnotations()
    same_annotations(annotations, sorted((float(o), max(float(d), 0), t) for o, d, t in zip(onsets, durations, texts)))


def by_mne(path, ours, reader):
    channels, annotations = ours
    raw = reader(path, preload=True)
    assert [c[0] for c in channels] == raw.ch_names, (channels, raw.ch_names)
    for i, (_, unit, rate, samples) in enumerate(channels):
        assert rate == raw.info["sfreq"]
        same_samples(samples, raw.get_data(i)[0] * {"uV": 1e6, "\xb5V": 1e6, "mV": 1e3, "V": 1}[unit])
    same_annotations(annotations, sorted((float(a["onset"]), float(a["duration"]), a["description"]) for a in raw.annotations))


def noise(n, seed):
    return np.random.default_rng(seed).standard_normal(n)


def write_edf(path, kind, rates, annotations=()):
    bits = 24 if kind in (pyedflib.FILETYPE_BDF, pyedflib.FILETYPE_BDFPLUS) else 16
    with pyedflib.EdfWriter(path, len(rates), file_type=kind) as file:
        file.setStartdatetime(datetime.datetime(2020, 2, 3, 4, 5, 6))
        for i, rate in enumerate(rates):
            file.setSignalHeader(i, {"label": f"EEG {'Fp1 Cz O2 T10'.split()[i]}", "dimension": ("uV", "mV")[i % 2], "sample_frequency": rate,
                                     "physical_max": 300.5 + i, "physical_min": -200.25 * (i + 1), "digital_max": 2 ** (bits - 1) - 1,
                                     "digital_min": -(2 ** (bits - 1)), "transducer": "", "prefilter": ""})
        file.writeSamples([40 * noise(20 * rate, 7 + i) for i, rate in enumerate(rates)])
        for annotation in annotations:
            file.writeAnnotation(*annotation)


def write_brainvision(stem, ending=".vhdr", code="INT_16", orientation="MULTIPLEXED", names=("Fz", "Cz"), data_name=None):
    numbers = (1000 * noise(5000 * len(names), 3)).reshape(len(names), 5000)
    kind = {"INT_16": "<i2", "INT_32": "<i4", "IEEE_FLOAT_32": "<f4"}[code]
    if ending == ".ahdr":
        numbers = np.vstack([numbers, np.full(5000, 77)])
    with open(stem + ".eeg", "wb") as file:
        file.write((numbers.T if orientation == "MULTIPLEXED" else numbers).astype(kind).tobytes())
    base = os.path.basename(stem)
    with open(stem + ending, "w", encoding="utf-8") as file:
        file.write(f"Brain Vision Data Exchange Header File Version 1.0\n\n[Common Infos]\nCodepage=UTF-8\nDataFile={data_name or base + '.eeg'}\n"
                   f"MarkerFile={base}.vmrk\nDataFormat=BINARY\nDataOrientation={orientation}\nNumberOfChannels={len(names)}\n"
                   f"SamplingInterval=2000\nDataPoints=5000\n\n[Binary Infos]\nBinaryFormat={code}\n\n[Channel Infos]\n")
        file.writelines(f"Ch{i + 1}={name},,{(0.1, 0.5, 1)[i % 3]},\xb5V\n" for i, name in enumerate(names))
    with open(stem + ".vmrk", "w", encoding="utf-8") as file:
        file.write(f"Brain Vision Data Exchange Marker File, Version 1.0\n\n[Common Infos]\nCodepage=UTF-8\nDataFile={base}.eeg\n\n[Marker Infos]\n"
                   "Mk1=New Segment,,1,1,0,20200203040506000000\nMk2=Stimulus,S  1,487,1,0\nMk3=Comment,a\\1b,1201,250,0\n")
    return stem + ending


EDFS = [
    ("EDF", "a.edf", pyedflib.FILETYPE_EDF, [256, 256, 256], ()),
    ("EDF of several rates", "b.edf", pyedflib.FILETYPE_EDF, [256, 100, 512], ()),
    ("EDF+ with annotations", "c.edf", pyedflib.FILETYPE_EDFPLUS, [250, 250],
     ((0.5, -1, "go"), (1.25, 2.5, "Sleep stage 2"), (7.0001, 0.5, "caf\xe9 \u03b1"))),
    ("EDF+ of several rates", "d.edf", pyedflib.FILETYPE_EDFPLUS, [128, 512], ((3, 1, "x"),)),
    ("BDF", "a.bdf", pyedflib.FILETYPE_BDF, [512, 512, 512, 512], ()),
    ("BDF+ with annotations", "c.bdf", pyedflib.FILETYPE_BDFPLUS, [2048, 2048], ((0.125, 0.25, "stop"),)),
]
BRAINVISIONS = [
    ("BrainVision of 16 bits", {}),
    ("BrainVision, channel by channel", {"orientation": "VECTORIZED", "names": ("Fz", "Cz", "Pz")}),
    ("BrainVision of 32 bits", {"code": "INT_32"}),
    ("BrainVision of floats", {"code": "IEEE_FLOAT_32", "names": ("Fz", "Cz", "\xfc")}),
    ("BrainVision's .ahdr", {"ending": ".ahdr"}),
]


def check_edf(folder, name, kind, rates, annotations):
    path = os.path.join(folder, name)
    write_edf(path, kind, rates, annotations)
    ours = read(path)
    assert len(ours[0]) == len(rates) and len(ours[1]) == len(annotations)
    by_pyedflib(path, ours)
    # MNE brings channels of several rates to one.
    if len(set(rates)) == 1:
        by_mne(path, ours, mne.io.read_raw_bdf if name.endswith(".bdf") else mne.io.read_raw_edf)


def check_brainvision(folder, options):
    path = write_brainvision(os.path.join(folder, "made"), **options)
    ours = read(path)
    by_mne(path, (ours[0], [a for a in ours[1] if not a[2].startswith("New Segment")]), read_brainvision)


def read_brainvision(path, preload):
    raw = mne.io.read_raw_brainvision(path, preload=preload)
    # Segments are left out on both sides; what lasts one sample is an instant to clpac, and \\1 a comma.
    kept = [i for i, a in enumerate(raw.annotations) if not a["description"].startswith("New Segment")]
    raw.set_annotations(mne.Annotations(raw.annotations.onset[kept], [d if d > 1.5 / raw.info["sfreq"] else 0 for d in raw.annotations.duration[kept]],
                                        [raw.annotations.description[i].replace("\\1", ",") for i in kept], orig_time=raw.annotations.orig_time))
    return raw


def eeglab(samples, n_trials, events, **more):
    """A data set as EEGLAB keeps it: its events' latencies count from 1, through all trials."""
    channels = np.zeros(len(samples), dtype=[("labels", object), ("type", object), ("theta", object)])
    for i in range(len(samples)):
        channels[i] = (("Fz", "Cz", "Eye")[i], ("EEG", "EEG", "EOG")[i], 12.5)
    listed = np.zeros(len(events), dtype=[("type", object), ("latency", object), ("duration", object), ("urevent", object)])
    for i, event in enumerate(events):
        listed[i] = (*event, float(i + 1))
    return {"setname": "made", "nbchan": float(len(samples)), "trials": float(n_trials), "pnts": float(samples.shape[1]), "srate": 250.0,
            "xmin": 0.0, "xmax": (samples.shape[1] - 1) / 250, "data": samples, "icaact": np.zeros((0, 0)), "icawinv": np.zeros((0, 0)),
            "icasphere": np.zeros((0, 0)), "icaweights": np.zeros((0, 0)), "chanlocs": channels, "event": listed, "epoch": np.zeros((0, 0)), **more}


def check_eeglab(folder, is_flat, is_packed, is_beside):
    path = os.path.join(folder, "made.set")
    samples = (20 * noise(3 * 2000, 9)).reshape(3, 2000).astype(np.float32)
    events = [("go", 11.0, 0.0), ("boundary", 700.5, 120.0), ("caf\xe9", 1250.0, 50.0)]
    data_set = eeglab(samples, 1, events)
    if is_beside:
        samples.T.tofile(os.path.join(folder, "made.fdt"))
        data_set["data"] = "made.fdt"
    scipy.io.savemat(path, data_set if is_flat else {"EEG": data_set}, appendmat=False, do_compression=is_packed)
    ours, raw = read(path), mne.io.read_raw_eeglab(path, preload=True)
    assert [c[0] for c in ours[0]] == raw.ch_names and [c[2] for c in ours[0]] == [raw.info["sfreq"]] * 3
    for i, channel in enumerate(ours[0]):
        same_samples(channel[3], raw.get_data(i)[0] * 1e6)
    # To clpac a boundary is an instant; MNE gives it the time that was cut out.
    theirs = [(float(a["onset"]), 0 if a["description"] == "boundary" else float(a["duration"]), a["description"]) for a in raw.annotations]
    same_annotations(ours[1], sorted(theirs))


def check_eeglab_trials(folder):
    path = os.path.join(folder, "made.set")
    samples = 20 * noise(3 * 100 * 7, 11).reshape(3, 100, 7)
    events = [("go", 100.0 * i + 11, 0.0) for i in range(7)]
    data_set = eeglab(samples, 7, events)
    data_set["event"] = rows({**{n: data_set["event"][n] for n in data_set["event"].dtype.names}, "epoch": np.arange(1.0, 8)})
    data_set["epoch"] = rows({"event": np.arange(1.0, 8), "eventlatency": [40.0] * 7, "eventtype": ["go"] * 7})
    scipy.io.savemat(path, {"EEG": data_set}, appendmat=False)
    ours, theirs = read(path), mne.io.read_epochs_eeglab(path).get_data() * 1e6
    for i, channel in enumerate(ours[0]):
        same_samples(channel[3].reshape(7, 100), theirs[:, i])
    assert [a[0] for a in ours[1]] == [(100 * i + 10) / 250 for i in range(7)]


def rows(columns):
    made = np.zeros(len(next(iter(columns.values()))), dtype=[(name, object) for name in columns])
    for name, values in columns.items():
        made[name] = list(values)
    return made


OCTAVE = """
EEG = struct("setname", "x", "nbchan", 2, "pnts", 300, "trials", 1, "srate", 200, "xmin", 0);
EEG.data = single(reshape(1:600, 2, 300)); EEG.icaweights = [];
EEG.chanlocs = struct("labels", {"Fz", "Cz"}, "type", {"EEG", ""});
EEG.event = struct("type", {"go", 7}, "latency", {11, 151}, "duration", {0, 20});
x = reshape(1:600, 2, 300) / 8; labels = {"Fz", "Cz"}; fs = 200; note = "text"; s = struct("a", {1, 2});
save("-v7", "7.set", "EEG"); save("-v6", "6.set", "EEG");
save("-v7", "7.mat", "note", "x", "labels", "fs", "s"); save("-v6", "6.mat", "note", "x", "labels", "fs", "s");
"""


def check_octave(folder):
    """Octave stores whole numbers of a double array in few bytes."""
    subprocess.run(["octave-cli", "-q", "--norc", "--eval", OCTAVE], cwd=folder, check=True, capture_output=True)
    numbers = np.arange(1, 601).reshape(300, 2).T
    for name in ("7.set", "6.set", "7.mat", "6.mat"):
        channels, annotations = read(os.path.join(folder, name))
        assert [c[:3] for c in channels] == [(n, "uV" if "set" in name else "", 200) for n in ("Fz", "Cz")], (name, channels)
        for i, channel in enumerate(channels):
            assert np.array_equal(channel[3], numbers[i] / (8 if "mat" in name else 1)), name
        assert annotations == ([(0.05, 0.0, "go"), (0.75, 0.1, "7")] if "set" in name else []), (name, annotations)


def write_matlab(path, samples, **how):
    """What MATLAB's save -v7.3 writes: arrays the other way round, texts as numbers, cells as references."""
    with h5py.File(path, "w", userblock_size=512) as file:

        def add(to, name, kind, data, **how):
            made = to.create_dataset(name, data=data, **how)
            made.attrs["MATLAB_class"] = np.bytes_(kind)
            return made

        add(file, "x", {"f8": "double", "f4": "single", "i2": "int16"}[samples.dtype.str[1:]], samples.T, **how)
        add(file, "fs", "double", [[250.0]])
        texts = [add(file, f"#refs#/{i}", "char", np.array([[ord(c)] for c in f"E{i}"], "u2")) for i in range(len(samples))]
        add(file, "labels", "cell", np.array([[text.ref] for text in texts], h5py.ref_dtype))
    with open(path, "r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\0\2IM")


def check_matlab(folder, kind, is_of_trials):
    path = os.path.join(folder, "made.mat")
    shape = (5, 100, 7) if is_of_trials else (3, 1000)
    samples = (100 * noise(int(np.prod(shape)), 17)).reshape(shape).astype(kind)
    chunk = (3, 33, 5) if is_of_trials else (33, 2)
    for how in ({}, {"chunks": True}, {"chunks": chunk, "compression": "gzip"},
                {"chunks": chunk, "compression": "gzip", "shuffle": True, "fletcher32": True}, {"chunks": chunk, "fletcher32": True}):
        write_matlab(path, samples, **how)
        channels, _ = read(path)
        assert [c[:3] for c in channels] == [(f"E{i}", "", 250) for i in range(shape[0])], channels
        expected = samples.transpose(0, 2, 1) if is_of_trials else samples
        for channel, of in zip(channels, expected.reshape(shape[0], -1)):
            assert np.array_equal(channel[3], of.astype(float)), (how, kind)


def write_nwb(path, samples, libver=None, times=None, **how):
    with h5py.File(path, "w", libver=libver) as file:
        file.attrs["nwb_version"] = "2.7.0"
        series = file.create_group("acquisition/ES")
        series.attrs["neurodata_type"] = "ElectricalSeries"
        data = series.create_dataset("data", data=samples, **how)
        data.attrs.update(conversion=1e-6, offset=0.5, unit="volts")
        labels = [f"L{i}" for i in range(samples.shape[1])]
        file.create_dataset("general/extracellular_ephys/electrodes/label", data=labels, dtype=h5py.string_dtype())
        series.create_dataset("electrodes", data=np.arange(samples.shape[1])[::-1])
        if times is None:
            series.create_dataset("starting_time", data=0.0).attrs["rate"] = 1000.0
        else:
            series.create_dataset("timestamps", data=times)


def check_nwb(folder):
    path = os.path.join(folder, "made.nwb")
    samples = (1000 * noise(20000, 19)).reshape(5000, 4).astype("i2")
    for how in ({}, {"chunks": (512, 3), "compression": "gzip", "shuffle": True}, {"libver": ("earliest", "v110")},
                {"libver": "v108", "chunks": (512, 4)}, {"times": np.arange(5000) / 1000 + 3}):
        write_nwb(path, samples, **how)
        channels, _ = read(path)
        assert [c[:3] for c in channels] == [(f"L{3 - i}", "V", 1000) for i in range(4)], channels
        for i, channel in enumerate(channels):
            same_samples(channel[3], samples[:, i] * 1e-6 + 0.5)


def check_unread(folder):
    """What is not read is named, and what is said to help does."""
    samples = (1000 * noise(20000, 19)).reshape(5000, 4).astype("i2")
    for how in ({"libver": "latest", "chunks": (512, 4)}, {"chunks": (512, 4), "compression": "lzf"}):
        path = os.path.join(folder, "made.nwb")
        write_nwb(path, samples, **how)
        try:
            read(path)
        except RuntimeError as error:
            command = re.search('python3 -c "(.*?)" makes x.npy', str(error)).group(1)
        subprocess.run([sys.executable, "-c", command.replace("NAME", "acquisition/ES/data")], cwd=folder, check=True)
        channels, _ = read(os.path.join(folder, "x.npy"))
        assert len(channels) == 4 and all(np.array_equal(c[3], of) for c, of in zip(channels, samples.T)), how


def check_filled_gaps(folder):
    """Programs that make EDF of EDF+D fill its gaps: with zeros, the lowest or highest digit, or the last value.  These are flat runs."""
    for name, fill in (("zero", 0), ("lowest", -32768), ("highest", 32767), ("held", None)):
        path = os.path.join(folder, name + ".edf")
        digits = np.round(3000 * noise(250 * 30, 5)).astype(np.int32)
        digits[2500:3000] = digits[2499] if fill is None else fill
        with pyedflib.EdfWriter(path, 1, file_type=pyedflib.FILETYPE_EDFPLUS) as file:
            file.setSignalHeader(0, {"label": "EEG Cz", "dimension": "uV", "sample_frequency": 250, "physical_max": 500, "physical_min": -400,
                                     "digital_max": 32767, "digital_min": -32768, "transducer": "", "prefilter": ""})
            file.writeSamples([digits], digital=True)
        told = subprocess.run([os.environ["CLPAC_TEST_PROGRAM"], "info", path], check=True, capture_output=True, text=True).stdout
        assert f"{9.996 if fill is None else 10:.3f}  to     12.000" in told, (name, told)
        assert "run leaves out 1 flat stretch" in told, (name, told)


def main():
    cases = [(name, lambda folder, rest=rest: check_edf(folder, *rest)) for name, *rest in EDFS]
    cases += [(name, lambda folder, options=options: check_brainvision(folder, options)) for name, options in BRAINVISIONS]
    cases += [(f"EEGLAB, {'fields as variables' if flat else 'one struct'}, {'compressed' if packed else 'plain'}, samples {'beside' if beside else 'within'}",
               lambda folder, how=(flat, packed, beside): check_eeglab(folder, *how)) for flat in (0, 1) for packed in (0, 1) for beside in (0, 1)]
    cases.append(("trials of EEGLAB", check_eeglab_trials))
    cases.append(("files of GNU Octave", check_octave))
    cases += [(f"MATLAB 7.3, {kind}{', trials' if trials else ''}", lambda folder, how=(kind, trials): check_matlab(folder, *how))
              for kind in ("f8", "f4", "i2") for trials in (0, 1)]
    cases += [("Neurodata Without Borders", check_nwb), ("HDF5 that is not read", check_unread)]
    cases.append(("gaps of EDF+ that other programs filled are left out", check_filled_gaps))
    print(f"1..{len(cases)}")
    for number, (name, check) in enumerate(cases, 1):
        if check is check_octave and not shutil.which("octave-cli"):
            print(f"ok {number} - {name} # SKIP octave-cli is missing (Debian: octave)")
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(folder)
                print(f"ok {number} - {name}")
            except Exception as error:  # pylint: disable=broad-except
                print(f"not ok {number} - {name}\n# {type(error).__name__}: {str(error)[:600]}".replace("\n\n", "\n"))


main()

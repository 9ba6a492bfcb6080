"""What an analysis takes: arrays, labelled arrays, objects of MNE, paths."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._errors import ArgumentError, ClpacError, FormatError, UnsupportedError
from ._options import RUN, Analysis
from ._recording import Recording, of_array, open_path

READING = ("rate", "raw", "array", "resample", "events_from", "event_column", "annotations")
_OWN_ENDINGS = (".npy", ".npz", ".csv", ".tsv", ".txt", ".edf", ".bdf", ".vhdr", ".vmrk", ".eeg")


def package_of(data: Any) -> str:
    """The package of an object's class, without an import."""
    for kind in type(data).__mro__:
        name = kind.__module__.partition(".")[0]
        if name in ("mne", "xarray", "pandas", "pyopencl", "neo"):
            return name
    return ""


def recording_of(
    data: Any,
    sfreq: float | None = None,
    names: Sequence[str] | None = None,
    reading: dict[str, Any] | None = None,
    events: Any = None,
    event_id: dict[str, int] | None = None,
) -> Recording:
    """A recording of whatever it is."""
    given = [name for name in READING if name != "rate" and (reading or {}).get(name) is not None]
    if isinstance(data, Recording):
        given = [name for name in given if name != "resample"]
    if given and not isinstance(data, (str, bytes, os.PathLike)):
        raise ArgumentError(f"{given[0]} is about files, and the data are in memory; leave it out")
    if isinstance(data, Recording):
        return data
    if isinstance(data, (str, bytes, os.PathLike)):
        return _of_path(data, sfreq, reading or {})
    package = package_of(data)
    if package == "mne":
        from ._mne import of_mne

        return of_mne(data, names, events, event_id)
    if package == "xarray":
        return _of_xarray(data, sfreq, names)
    if package == "pandas":
        return _of_pandas(data, sfreq, names)
    made = of_array(data, sfreq, names)
    if isinstance(events, np.ndarray):
        from ._mne import add_events

        add_events(made, events, event_id, float(sfreq or 0), 0)
    return made


# --- Files ---


def _of_path(path: Any, sfreq: float | None, reading: dict[str, Any]) -> Recording:
    options = {name: value for name, value in reading.items() if value is not None}
    if sfreq is not None:
        options["rate"] = sfreq
    analysis = Analysis(RUN, options)
    try:
        return open_path(analysis, path)
    except (FormatError, UnsupportedError, IsADirectoryError) as problem:
        if options.get("raw") or os.fsdecode(path).lower().endswith(_OWN_ENDINGS):
            raise
        return _by_others(os.fsdecode(path), problem)


def _by_others(path: str, problem: ClpacError | OSError) -> Recording:
    """Formats that others read: MNE first, then neo, where they are installed."""
    try:
        import mne
    except ImportError:
        mne = None
    if mne is not None:
        from ._mne import of_mne

        try:
            return _renamed(of_mne(mne.io.read_raw(path, verbose="error"), None, None, None), path)
        except Exception:  # a reader of a damaged file may raise anything
            pass
    try:
        import neo
    except ImportError:
        neo = None
    if neo is not None:
        try:
            return _renamed(_of_neo(neo, path), path)
        except Exception:
            pass
    tried = [name for name, module in (("MNE", mne), ("neo", neo)) if module is not None]
    hint = (
        f"{' and '.join(tried)} cannot read it either"
        if tried
        else "MNE and neo read more formats: pip install 'clpac[mne]' or 'clpac[neo]'"
    )
    raise FormatError(f"{problem}; {hint}") from problem


def _renamed(recording: Recording, path: str) -> Recording:
    recording.name = path
    recording._file = os.fsencode(path)
    return recording


def _of_neo(neo: Any, path: str) -> Recording:
    """The first signal of the first segment, in the unit that it has."""
    segment = neo.io.get_io(path).read_segment()
    if not segment.analogsignals:
        raise ValueError("no signal")
    signal = segment.analogsignals[0]
    channels = signal.array_annotations.get("channel_names")
    return of_array(
        np.asarray(signal.magnitude).T,
        float(signal.sampling_rate.rescale("Hz").magnitude),
        None if channels is None else [str(name) for name in channels],
        units=str(signal.dimensionality),
        what="neo",
    )


# --- Labelled arrays ---

_TIMES = ("time", "times", "t", "sample", "samples")
_CHANNELS = ("channel", "channels", "ch", "ch_name", "ch_names", "sensor", "electrode", "space")
_EPOCHS = ("epoch", "epochs", "trial", "trials", "segment", "segments")


def _rate_of(times: Any, what: str) -> float:
    """The rate of equally spaced times in seconds, or of the kind of numpy's datetimes."""
    stamps = np.asarray(times)
    if stamps.dtype.kind in "mM":
        stamps = (stamps - stamps[0]) / np.timedelta64(1, "ns") * 1e-9
    if stamps.dtype.kind not in "fiu" or len(stamps) < 2:
        raise ArgumentError(f"sfreq: the times of {what} tell no sampling rate; give it in Hz")
    seconds = stamps.astype(float)
    step = (seconds[-1] - seconds[0]) / (len(seconds) - 1)
    if not step > 0 or np.max(np.abs(np.diff(seconds) - step)) > 0.01 * step:
        raise ArgumentError(f"the times of {what} are not equally spaced; bring them to one rate")
    rate = 1 / step
    # Times are rounded: 0.001953 s are 512 Hz.
    nearest = round(rate)
    return float(nearest) if nearest and abs(rate - nearest) < 1e-6 * rate else rate


def _of_xarray(data: Any, sfreq: float | None, names: Sequence[str] | None) -> Recording:
    if not hasattr(data, "dims") or not hasattr(data, "to_dataset"):
        raise ArgumentError("xarray: give a DataArray, as dataset['name']")
    time = next((d for d in data.dims if str(d).lower() in _TIMES), None)
    if time is None:
        raise ArgumentError(f"xarray: no dimension of {tuple(data.dims)} is called time")
    epoch = next((d for d in data.dims if str(d).lower() in _EPOCHS), None)
    channel = next((d for d in data.dims if str(d).lower() in _CHANNELS), None)
    order = [d for d in (epoch, channel, time) if d is not None]
    if len(order) != data.ndim:
        others = [d for d in data.dims if d not in order]
        raise ArgumentError(f"xarray: what is the dimension {others[0]!r}?  Call it channel, epoch or time")
    if epoch is not None and channel is None:
        data = data.expand_dims("channel", axis=1)
        order = [epoch, "channel", time]
    if sfreq is None and time in data.coords:
        sfreq = _rate_of(data.coords[time].values, "the DataArray")
    if names is None and channel is not None and channel in data.coords:
        names = [str(name) for name in data.coords[channel].values]
    return of_array(
        data.transpose(*order).values,
        sfreq,
        names,
        units=str(data.attrs.get("units", data.attrs.get("unit", ""))),
        what="xarray",
    )


def _of_pandas(data: Any, sfreq: float | None, names: Sequence[str] | None) -> Recording:
    frame = data.to_frame() if hasattr(data, "to_frame") and data.ndim == 1 else data
    texts = [str(name) for name, kind in frame.dtypes.items() if kind.kind not in "fiub"]
    if texts:
        raise ArgumentError(f"pandas: column {texts[0]} holds no numbers; leave it out")
    if sfreq is None:
        index = frame.index
        if type(index).__name__ == "RangeIndex":
            raise ArgumentError("sfreq: the index of the DataFrame counts samples and tells no rate; give it in Hz")
        sfreq = _rate_of(index.to_numpy(), "the DataFrame")
    names = [str(name) for name in frame.columns] if names is None else names
    return of_array(frame.to_numpy().T, sfreq, names, what="pandas")

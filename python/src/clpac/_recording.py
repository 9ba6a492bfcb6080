"""Recordings: from files, and of samples in memory, which are not copied."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ._calls import Listener, run
from ._clpac import ffi, lib
from ._errors import ArgumentError, check, new_error, taken_text, text_of
from ._options import RUN, Analysis

_VALUE_TYPES = {
    np.dtype(np.int16): lib.CLPAC_VALUE_INT16,
    np.dtype(np.int32): lib.CLPAC_VALUE_INT32,
    np.dtype(np.float32): lib.CLPAC_VALUE_FLOAT32,
    np.dtype(np.float64): lib.CLPAC_VALUE_FLOAT64,
}
KINDS = {text_of(lib.clpac_channel_kind_name(i)): i for i in range(lib.CLPAC_KIND_COUNT)}


class Annotation(NamedTuple):
    """A stretch of time that somebody marked: onset and duration in seconds, and a text."""

    onset: float
    duration: float
    description: str


class Recording:
    """Channels of samples, with their names, units and rates, and annotations.

    Made by :func:`clpac.read` and of whatever :func:`clpac.pac` takes.  Samples of a file stay in it until they are
    needed; samples in memory stay where they are, and must not change while the recording lives.

    Attributes
    ----------
    name : str
        What texts call it: its path, or what it was made of.
    """

    def __init__(self, pointer: Any, name: str, keep: Sequence[Any] = ()) -> None:
        self._pointer = ffi.gc(pointer, lib.clpac_recording_destroy)
        self._keep = list(keep)  # arrays whose samples are borrowed
        self._lock = threading.Lock()  # one thread at a time loads samples
        self.name = name
        self._file: bytes | None = None  # that it was read from
        # Options of an analysis of it unless others are given, as the events of epochs.
        self._standard: dict[str, Any] = {}

    def _channels(self) -> list[Any]:
        n = lib.clpac_recording_n_channels(self._pointer)
        return [lib.clpac_recording_channel(self._pointer, i) for i in range(n)]

    @property
    def format(self) -> str:
        """The format of the file, or what the recording was made of."""
        return text_of(lib.clpac_recording_format(self._pointer))

    @property
    def ch_names(self) -> list[str]:
        """Names of the channels."""
        return [text_of(channel.name) for channel in self._channels()]

    @property
    def units(self) -> list[str]:
        """Units of the channels; "" where unknown."""
        return [text_of(channel.unit) for channel in self._channels()]

    @property
    def kinds(self) -> list[str]:
        """What the channels recorded, as "eeg"; "" where unknown."""
        return [text_of(lib.clpac_channel_kind_name(channel.kind)) for channel in self._channels()]

    @property
    def bads(self) -> list[str]:
        """Names of the channels that are marked as bad."""
        return [text_of(channel.name) for channel in self._channels() if channel.bad != ffi.NULL]

    @property
    def sfreq(self) -> float | None:
        """Sampling rate in Hz; None where unknown, or where channels differ."""
        rates = {channel.rate_hz for channel in self._channels()}
        return rates.pop() if len(rates) == 1 and rates != {0.0} else None

    @property
    def duration(self) -> float:
        """Seconds of the longest channel, without gaps."""
        return float(lib.clpac_recording_seconds(self._pointer))

    @property
    def annotations(self) -> list[Annotation]:
        """Annotations, in the order of the file."""
        found = []
        for i in range(lib.clpac_recording_n_annotations(self._pointer)):
            one = lib.clpac_recording_annotation(self._pointer, i)
            found.append(Annotation(one.onset_seconds, one.seconds, text_of(one.text)))
        return found

    def get_data(self, picks: Iterable[int | str] | None = None) -> np.ndarray[Any, Any]:
        """Samples in physical units.

        Parameters
        ----------
        picks : sequence of int or str, optional
            Numbers or names of channels; all by default.  They must be of one length.

        Returns
        -------
        ndarray, shape (n_channels, n_times)
            A copy.
        """
        names = self.ch_names
        chosen = list(range(len(names))) if picks is None else [number_of(pick, names, "picks") for pick in picks]
        numbers = ffi.new("size_t[]", chosen)
        with self._lock:
            run(lambda err: lib.clpac_recording_load(self._pointer, numbers, len(chosen), err))
            try:
                rows = [self._row(number) for number in chosen]
            finally:
                lib.clpac_recording_unload(self._pointer, numbers, len(chosen))
        lengths = {len(row) for row in rows}
        if len(lengths) > 1:
            raise ArgumentError(f"picks: channels of {sorted(lengths)} samples are no array; pick those of one length")
        return np.stack(rows) if rows else np.empty((0, 0), np.float32)

    def _row(self, number: int) -> np.ndarray[Any, Any]:
        channel = lib.clpac_recording_channel(self._pointer, number)
        dtype = np.dtype(np.float32 if channel.type == lib.CLPAC_FLOAT32 else np.float64)
        if channel.samples == ffi.NULL or not channel.n_samples:
            return np.full(channel.n_samples, np.nan, dtype)
        step = max(channel.stride, 1)
        n = ((channel.n_samples - 1) * step + 1) * dtype.itemsize
        return np.frombuffer(ffi.buffer(ffi.cast("char *", channel.samples), n), dtype)[::step].copy()

    def info(self, **options: Any) -> dict[str, Any]:
        """What ``clpac info --json`` prints: channels, gaps, flat samples, annotations.

        Parameters
        ----------
        **options
            Those of ``clpac info``: reject, keep_bad, keep_flat.
        """
        return json.loads(self._contents(options, True))

    def _contents(self, options: dict[str, Any], as_json: bool) -> str:
        analysis, out = Analysis(RUN, options), ffi.new("char **")
        call, name = ffi.new("clpac_analysis_call *"), ffi.new("char[]", self.name.encode())
        call.size, call.name = ffi.sizeof("clpac_analysis_call"), name
        with self._lock:
            run(
                lambda err: lib.clpac_analysis_contents(analysis.pointer, self._pointer, call, as_json, out, err),
                Listener(),
            )
        return taken_text(out[0])

    def __repr__(self) -> str:
        names, rate = self.ch_names, self.sfreq
        shown = ", ".join(names[:4]) + (", ..." if len(names) > 4 else "")
        return (
            f"<clpac.Recording of {self.format}: {len(names)} channels ({shown})"
            f"{f', {self.duration:g} s at {rate:g} Hz' if rate else ''}>"
        )


def number_of(pick: int | str, names: list[str], option: str) -> int:
    if isinstance(pick, str):
        if pick not in names:
            raise ArgumentError(f"{option}: there is no channel {pick!r}; the recording has {', '.join(names[:20])}")
        return names.index(pick)
    if not -len(names) <= int(pick) < len(names):
        raise ArgumentError(f"{option}: there is no channel {pick}; the recording has {len(names)}")
    return int(pick) % len(names)


def empty(what: str) -> Any:
    err, out = new_error(), ffi.new("clpac_recording **")
    check(lib.clpac_recording_create(what.encode(), out, err), err)
    return out[0]


def _as_values(samples: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """An array of a type that the library reads: itself, where it is of one."""
    if samples.dtype in _VALUE_TYPES and samples.dtype.isnative:
        return samples
    if samples.dtype.kind not in "fiub":
        raise ArgumentError(f"an array of {samples.dtype}: give real numbers")
    small = samples.dtype.itemsize <= (4 if samples.dtype.kind == "f" else 2)
    return samples.astype(np.float32 if small else np.float64)


def of_array(
    data: Any,
    sfreq: float | None,
    names: Sequence[str] | None = None,
    *,
    units: Sequence[str] | str = "",
    what: str = "array",
    first_seconds: Sequence[float] | None = None,
) -> Recording:
    """A recording of an array (times,), (channels, times) or (epochs, channels, times), whose samples stay there.

    Epochs are joined for each channel, which copies them unless they lie one after the other already.
    """
    samples = np.asarray(data)
    if sfreq is None or not float(sfreq) > 0:
        raise ArgumentError(f"sfreq: {what} does not hold its sampling rate; give it in Hz")
    rate = float(sfreq)
    if samples.ndim == 1:
        samples = samples[np.newaxis]
    n_epochs = 0
    if samples.ndim == 3:
        n_epochs, n_channels, n_times = samples.shape
        samples = np.moveaxis(samples, 0, 1).reshape(n_channels, n_epochs * n_times)
    if samples.ndim != 2:
        raise ArgumentError(
            f"{what} has {samples.ndim} dimensions: give (times,), (channels, times) or (epochs, channels, times)"
        )
    per_epoch = samples.shape[1] // max(n_epochs, 1)
    if len(samples) > max(per_epoch, 1):
        raise ArgumentError(
            f"{what} has {len(samples)} channels of {per_epoch} samples: times stand last; transpose it"
        )
    samples = _as_values(samples)
    if names is not None and len(names) != len(samples):
        raise ArgumentError(f"names: {len(names)} names of {len(samples)} channels")
    made = Recording(empty(what), what, keep=[samples])
    err, borrowed = new_error(), ffi.new("clpac_borrowed *")
    borrowed.size = ffi.sizeof("clpac_borrowed")
    borrowed.n = samples.shape[1]
    borrowed.type = _VALUE_TYPES[samples.dtype]
    borrowed.step = samples.strides[1] if samples.shape[1] > 1 else 0
    address = samples.__array_interface__["data"][0]
    for c in range(len(samples)):
        borrowed.first = ffi.cast("void *", address + c * samples.strides[0])
        name = str(c) if names is None else str(names[c])
        unit = units if isinstance(units, str) else units[c]
        check(
            lib.clpac_recording_borrow_channel(made._pointer, name.encode(), unit.encode(), rate, borrowed, err), err
        )
    if n_epochs > 1:
        seconds = per_epoch / rate
        add_stretches(made, [i * seconds for i in range(n_epochs)], seconds)
    return made


def add_stretches(recording: Recording, onsets: Sequence[float], seconds: float) -> None:
    """Each of equally long epochs is a stretch of its own: what happened between two of them is unknown."""
    err, stretch = new_error(), ffi.new("clpac_stretch *")
    stretch.seconds = seconds
    for i, onset in enumerate(onsets):
        stretch.onset_seconds, stretch.first_seconds = onset, i * seconds
        check(lib.clpac_recording_add_stretch(recording._pointer, stretch, err), err)


def annotate(recording: Recording, onset: float, seconds: float, text: str) -> None:
    err = new_error()
    check(lib.clpac_recording_add_annotation(recording._pointer, onset, seconds, text.encode(), err), err)


def set_kind(recording: Recording, channel: int, kind: str, bad: str | None = None) -> None:
    err, why = new_error(), ffi.NULL if bad is None else ffi.new("char[]", bad.encode())
    check(lib.clpac_recording_set_kind(recording._pointer, channel, KINDS[kind], why, err), err)


def open_path(analysis: Analysis, path: Any) -> Recording:
    """A recording in a file, read as the options of an analysis say."""
    name, out = os.fsencode(path), ffi.new("clpac_recording **")
    run(lambda err: lib.clpac_analysis_open(analysis.pointer, name, out, err))
    recording = Recording(out[0], os.fsdecode(name))
    recording._file = name
    return recording

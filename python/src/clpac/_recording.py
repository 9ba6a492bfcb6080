"""Recordings: from files, and of samples in memory, which are not copied."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._clpac import ffi, lib
from ._errors import ArgumentError, check, new_error, text_of

_VALUE_TYPES = {
    np.dtype(np.int16): lib.CLPAC_VALUE_INT16,
    np.dtype(np.int32): lib.CLPAC_VALUE_INT32,
    np.dtype(np.float32): lib.CLPAC_VALUE_FLOAT32,
    np.dtype(np.float64): lib.CLPAC_VALUE_FLOAT64,
}


class Recording:
    """Channels of samples, with what belongs to them."""

    def __init__(self, pointer: Any, name: str | None = None, keep: Sequence[Any] = ()) -> None:
        self._pointer = ffi.gc(pointer, lib.clpac_recording_destroy)
        self._keep = list(keep)  # arrays whose samples are borrowed
        self._lock = threading.Lock()  # one thread at a time loads samples
        self.name = name

    @property
    def ch_names(self) -> list[str]:
        """Names of the channels."""
        n = lib.clpac_recording_n_channels(self._pointer)
        return [text_of(lib.clpac_recording_channel(self._pointer, i).name) for i in range(n)]


def empty(what: str) -> Any:
    err, out = new_error(), ffi.new("clpac_recording **")
    check(lib.clpac_recording_create(what.encode(), out, err), err)
    return out[0]


def of_array(data: Any, sfreq: float | None, names: Sequence[str] | None = None, unit: str = "") -> Recording:
    """A recording of an array (times,), (channels, times) or (epochs, channels, times), whose samples stay there."""
    samples = np.asarray(data)
    if sfreq is None:
        raise ArgumentError("sfreq: an array does not hold its sampling rate; give it in Hz")
    if samples.ndim == 1:
        samples = samples[np.newaxis]
    n_epochs = 1
    if samples.ndim == 3:
        n_epochs, n_channels, n_times = samples.shape
        samples = np.moveaxis(samples, 0, 1).reshape(n_channels, n_epochs * n_times)
    if samples.ndim != 2:
        raise ArgumentError(
            f"an array of {samples.ndim} dimensions: give (times,), (channels, times) or (epochs, channels, times)"
        )
    if samples.dtype.newbyteorder("=") not in _VALUE_TYPES or not samples.dtype.isnative:
        if samples.dtype.kind not in "fiub":
            raise ArgumentError(f"an array of {samples.dtype}: give real numbers")
        exact = samples.dtype.kind == "f" and samples.dtype.itemsize <= 4 or samples.dtype.itemsize <= 2
        samples = samples.astype(np.float32 if exact else np.float64)
    if names is not None and len(names) != len(samples):
        raise ArgumentError(f"names: {len(names)} names of {len(samples)} channels")
    made = Recording(empty("array"), keep=[samples])
    err, borrowed = new_error(), ffi.new("clpac_borrowed *")
    borrowed.size = ffi.sizeof("clpac_borrowed")
    borrowed.n = samples.shape[1]
    borrowed.type = _VALUE_TYPES[samples.dtype]
    borrowed.step = samples.strides[1]
    address = samples.__array_interface__["data"][0]
    for c in range(len(samples)):
        borrowed.first = ffi.cast("void *", address + c * samples.strides[0])
        name = str(c) if names is None else str(names[c])
        check(
            lib.clpac_recording_borrow_channel(
                made._pointer, name.encode(), unit.encode(), float(sfreq), borrowed, err
            ),
            err,
        )
    if n_epochs > 1:
        _add_epochs(made, n_epochs, samples.shape[1] // n_epochs / float(sfreq))
    return made


def _add_epochs(recording: Recording, n: int, seconds: float) -> None:
    """Each epoch is a stretch of its own: what happened between two of them is unknown."""
    err, stretch = new_error(), ffi.new("clpac_stretch *")
    stretch.seconds = seconds
    for i in range(n):
        stretch.onset_seconds = stretch.first_seconds = i * seconds
        check(lib.clpac_recording_add_stretch(recording._pointer, stretch, err), err)


def is_path(data: Any) -> bool:
    return isinstance(data, (str, bytes, os.PathLike))

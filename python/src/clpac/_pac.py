"""Results."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._clpac import ffi, lib
from ._errors import text_of

_WHICH = {text_of(lib.clpac_array_name(i)): i for i in range(lib.CLPAC_ARRAY_COUNT)}


def _nothing(pointer: Any) -> None:
    pass


class PAC:
    """Phase-amplitude coupling: an index for each channel, epoch, phase band and amplitude band, and its statistics."""

    def __init__(self, pointer: Any) -> None:
        self._pointer = ffi.gc(pointer, lib.clpac_result_destroy)
        self._shape = lib.clpac_result_get_shape(pointer)

    def _view(self, address: Any, dtype: Any, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
        """An array of memory of the result, which lives as long as the array."""
        owner = self._pointer
        n = int(np.prod(shape)) * np.dtype(dtype).itemsize
        kept = ffi.gc(ffi.cast("char *", address), lambda _, owner=owner: None)
        return np.frombuffer(memoryview(ffi.buffer(kept, n)).toreadonly(), dtype).reshape(shape)

    def _array(self, which: int) -> np.ndarray[Any, Any] | None:
        address = lib.clpac_result_array(self._pointer, which, ffi.NULL)
        if address == ffi.NULL:
            return None
        dimensions = ffi.new("size_t[5]")
        n = lib.clpac_array_dimensions(self._shape, which, dimensions)
        return self._view(address, np.float32, tuple(dimensions[i] for i in range(n)))

    @property
    def measure(self) -> str:
        """The measure of the indices, as "mi"."""
        return text_of(lib.clpac_measure_text(lib.clpac_result_measure(self._pointer)))

    @property
    def f_pha(self) -> np.ndarray[Any, Any]:
        """Phase bands in Hz, (n, 2)."""
        address = lib.clpac_result_phase_bands(self._pointer)
        return self._view(address, np.float64, (self._shape.n_phase_bands, 2))

    @property
    def f_amp(self) -> np.ndarray[Any, Any]:
        """Amplitude bands in Hz, (n, 2)."""
        address = lib.clpac_result_amplitude_bands(self._pointer)
        return self._view(address, np.float64, (self._shape.n_amplitude_bands, 2))

    @property
    def ch_names(self) -> list[str]:
        """Names of the channels, or of the pairs as "PHASE>AMPLITUDE"."""
        return [text_of(lib.clpac_result_channel_name(self._pointer, i)) for i in range(self._shape.n_channels)]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        measure = self.measure
        which = lib.CLPAC_MI if name == measure else _WHICH.get(name)
        if which is None or (which == lib.CLPAC_MI and name != measure):
            raise AttributeError(f"a result of {measure} has no {name}")
        array = self._array(which)
        if array is None:
            raise AttributeError(f"this result does not hold {name}")
        return array

    def __repr__(self) -> str:
        sentence = text_of(lib.clpac_result_sentence(self._pointer))
        shape = self._shape
        return sentence or (
            f"PAC of {shape.n_channels} channels, {shape.n_segments} epochs, "
            f"{shape.n_phase_bands} x {shape.n_amplitude_bands} bands"
        )


def cautions_of(pac: PAC) -> set[str]:
    """The texts of a result's warnings."""
    report = lib.clpac_result_report(pac._pointer)
    return {text_of(report.warnings[k].text) for k in range(lib.CLPAC_WARN_KIND_COUNT) if report.warnings[k].count}

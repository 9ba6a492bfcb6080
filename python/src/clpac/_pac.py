"""Results."""

from __future__ import annotations

import html
import json
import os
import tempfile
from typing import Any, Literal, NamedTuple

import numpy as np

from ._calls import run
from ._clpac import ffi, lib
from ._errors import ArgumentError, check, new_error, text_of
from ._optional import need

Array = np.ndarray[Any, Any]

_WHICH = {text_of(lib.clpac_array_name(i)): i for i in range(lib.CLPAC_ARRAY_COUNT)}
_MEASURES = {text_of(lib.clpac_measure_text(i)): i for i in range(lib.CLPAC_MEASURE_COUNT)}
# Arrays under a second name.
_ALIASES = {"preferred_phase": "preferred_phase_rad"}
_DIMENSIONS: dict[int, dict[int, tuple[str, ...]]] = {
    3: {
        lib.CLPAC_PEAK_DISTRIBUTION: ("channel", "epoch", "bin"),
        lib.CLPAC_MAXIMA: ("channel", "epoch", "surrogate"),
        lib.CLPAC_CLUSTER_MAXIMA: ("channel", "epoch", "surrogate"),
        lib.CLPAC_ASYMMETRY: ("channel", "epoch", "phase"),
        lib.CLPAC_PHASE_NONUNIFORMITY: ("channel", "epoch", "phase"),
        lib.CLPAC_PHASE_PEAK_DB: ("channel", "epoch", "phase"),
    },
    4: {lib.CLPAC_BIN_COUNTS: ("channel", "epoch", "phase", "bin")},
    5: {
        lib.CLPAC_SURROGATES: ("channel", "epoch", "surrogate", "phase", "amplitude"),
        lib.CLPAC_DISTRIBUTION: ("channel", "epoch", "phase", "amplitude", "bin"),
    },
}
_CELLS = ("channel", "epoch", "phase", "amplitude")


class Peak(NamedTuple):
    """The cell of the highest standardized statistic; numbers are NaN where the result lacks their array.

    ``channel`` and ``epoch`` are numbers, ``phase`` and ``amplitude`` bands in Hz, (2,) each.
    """

    channel: int
    epoch: int
    phase: tuple[float, float]
    amplitude: tuple[float, float]
    value: float
    z: float
    p: float
    p_max: float
    preferred_phase: float
    mean_vector: float


class PAC:
    """Phase-amplitude coupling: an index for each channel, epoch, phase band and amplitude band, and its statistics.

    Arrays are attributes with the names that they have in files, read-only float32, and live as long as somebody holds
    them.  Which of them a result has, depends on its options; :attr:`arrays` lists them.

    Attributes
    ----------
    mi : ndarray, shape (n_channels, n_epochs, n_pha, n_amp)
        The modulation index; of another measure, its name is that of the attribute: ``glm``, ``mvl`` ...
    index : ndarray, shape (n_channels, n_epochs, n_pha, n_amp)
        The same under one name for all measures.
    z, p, p_max : ndarray, shape (n_channels, n_epochs, n_pha, n_amp)
        Comparison with surrogates: in their deviations; p of the cell alone; p corrected over the cells of a map.
    excess, excess_lo, excess_hi : ndarray, shape (n_channels, n_epochs, n_pha, n_amp)
        What the index is above the mean of its surrogates, and the ends of its 95 % interval; NaN for hr.
    phase_nonuniformity : ndarray, shape (n_channels, n_epochs, n_pha)
        The share of samples that would have to lie in other phase bins for all bins to hold as many.
    phase_peak_db : ndarray, shape (n_channels, n_epochs, n_pha)
        The height of the spectrum's peak above its 1/f background, where there is coupling; NaN elsewhere.
    preferred_phase : ndarray, shape (n_channels, n_epochs, n_pha, n_amp)
        Phase of the largest amplitude, in radians.
    f_pha, f_amp : ndarray, shape (n, 2)
        Bands in Hz.
    """

    def __init__(self, pointer: Any, owner: Any = None) -> None:
        # A further measure belongs to the result that it is of.
        self._pointer = ffi.gc(pointer, lib.clpac_result_destroy) if owner is None else pointer
        self._owner = self._pointer if owner is None else owner
        self._shape = lib.clpac_result_get_shape(pointer)
        self._file: bytes | None = None  # of the recording, where it was read from one: tables name it

    # --- Arrays ---

    def _view(self, address: Any, dtype: Any, shape: tuple[int, ...]) -> Array:
        """An array of memory of the result, which lives as long as the array."""
        owner = self._owner
        n = int(np.prod(shape)) * np.dtype(dtype).itemsize
        kept = ffi.gc(ffi.cast("char *", address), lambda _, owner=owner: None)
        return np.frombuffer(memoryview(ffi.buffer(kept, n)).toreadonly(), dtype).reshape(shape)

    def _which(self, name: str) -> int | None:
        name = _ALIASES.get(name, name)
        if name in ("index", self.measure):
            return lib.CLPAC_MI
        return None if name == "mi" else _WHICH.get(name)

    def _array(self, which: int) -> Array | None:
        address = lib.clpac_result_array(self._pointer, which, ffi.NULL)
        if address == ffi.NULL:
            return None
        dimensions = ffi.new("size_t[5]")
        n = lib.clpac_array_dimensions(self._shape, which, dimensions)
        return self._view(address, np.float32, tuple(dimensions[i] for i in range(n)))

    def __getattr__(self, name: str) -> Array:
        if name.startswith("_"):
            raise AttributeError(name)
        which = self._which(name)
        array = None if which is None else self._array(which)
        if array is None:
            raise AttributeError(
                f"this result of measure {self.measure} holds no {name}; it holds {', '.join(self.arrays)}"
            )
        return array

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.arrays, "index"]

    @property
    def arrays(self) -> list[str]:
        """Names of the arrays that the result holds."""
        null, held = ffi.NULL, []
        for name, which in _WHICH.items():
            if lib.clpac_result_array(self._pointer, which, null) != null:
                held.append(self.measure if which == lib.CLPAC_MI else name)
        return held

    def get_data(self, name: str = "index") -> Array:
        """An array by its name, by default the index.

        Parameters
        ----------
        name : str
            One of :attr:`arrays`.

        Returns
        -------
        ndarray of float32
            Read-only, (n_channels, n_epochs, n_pha, n_amp) of indices and their statistics.
        """
        try:
            return self.__getattr__(name)
        except AttributeError as problem:
            raise ArgumentError(str(problem)) from None

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """Numbers of channels or pairs, epochs, phase bands, amplitude bands."""
        s = self._shape
        return s.n_channels, s.n_segments, s.n_phase_bands, s.n_amplitude_bands

    @property
    def f_pha(self) -> Array:
        """Phase bands in Hz, (n_pha, 2)."""
        return self._view(
            lib.clpac_result_phase_bands(self._pointer), np.float64, (self._shape.n_phase_bands, 2)
        )

    @property
    def f_amp(self) -> Array:
        """Amplitude bands in Hz, (n_amp, 2)."""
        return self._view(
            lib.clpac_result_amplitude_bands(self._pointer), np.float64, (self._shape.n_amplitude_bands, 2)
        )

    @property
    def cell_bands(self) -> Array | None:
        """Amplitude bands of the cells in Hz, (n_pha, n_amp, 2), where they are tied to the phase; else None."""
        address = lib.clpac_result_cell_bands(self._pointer)
        return None if address == ffi.NULL else self._view(address, np.float64, (*self.shape[2:], 2))

    @property
    def valid(self) -> Array:
        """Whether a cell may be a peak and counts for p_max, (n_pha, n_amp)."""
        return self._view(lib.clpac_result_valid(self._pointer), np.uint8, self.shape[2:]).view(bool)

    @property
    def n_empty_bins(self) -> Array:
        """Phase bins without a sample, (n_channels, n_epochs, n_pha)."""
        return self._view(lib.clpac_result_empty_bins(self._pointer), np.uint32, self.shape[:3])

    @property
    def onsets(self) -> Array:
        """Onsets of the epochs in seconds, (n_epochs,); of ERPAC the times about the event."""
        return self._view(
            lib.clpac_result_segment_onsets(self._pointer), np.float64, (self._shape.n_segments,)
        )

    times = onsets

    @property
    def used_seconds(self) -> Array:
        """Seconds that indices come from, (n_channels, n_epochs)."""
        return self._view(lib.clpac_result_used_seconds(self._pointer), np.float64, self.shape[:2])

    @property
    def n_stretches(self) -> Array:
        """Number of stretches that these lie in, (n_channels, n_epochs); of ERPAC the trials."""
        return self._view(lib.clpac_result_n_stretches(self._pointer), np.uint32, self.shape[:2])

    # --- What it is of ---

    @property
    def ch_names(self) -> list[str]:
        """Names of the channels, or of the pairs as "PHASE>AMPLITUDE"."""
        return [text_of(lib.clpac_result_channel_name(self._pointer, i)) for i in range(self._shape.n_channels)]

    @property
    def pairs(self) -> list[tuple[str, str]] | None:
        """Of pairs, the channels whose phase and whose amplitude were taken; else None."""
        found = []
        for i in range(self._shape.n_channels):
            both = [lib.clpac_result_pair_channel(self._pointer, i, use) for use in (lib.CLPAC_PHASE, lib.CLPAC_AMPLITUDE)]
            if ffi.NULL in both:
                return None
            found.append((text_of(both[0]), text_of(both[1])))
        return found

    @property
    def conditions(self) -> list[str | None]:
        """The condition of each epoch; None where there is none."""
        found = [lib.clpac_result_condition(self._pointer, i) for i in range(self._shape.n_segments)]
        return [None if one == ffi.NULL else text_of(one) for one in found]

    @property
    def measure(self) -> str:
        """The measure of the indices, as "mi"."""
        return text_of(lib.clpac_measure_text(lib.clpac_result_measure(self._pointer)))

    @property
    def measures(self) -> list[str]:
        """All measures of the run."""
        found = ffi.new("clpac_measure[]", lib.CLPAC_MEASURE_COUNT)
        n = lib.clpac_result_measures(self._pointer, found)
        return [text_of(lib.clpac_measure_text(found[i])) for i in range(n)]

    def of(self, measure: str) -> PAC:
        """The indices of another measure of the same run, and their statistics.

        Parameters
        ----------
        measure : str
            One of :attr:`measures`.

        Returns
        -------
        PAC
            A view of this result.
        """
        found = lib.clpac_result_of(self._pointer, _MEASURES[measure]) if measure in _MEASURES else ffi.NULL
        if found == ffi.NULL:
            raise ArgumentError(f"measure: the result holds {', '.join(self.measures)}, and no {measure}")
        of_measure = PAC(found, self._owner)
        of_measure._file = self._file
        return of_measure

    @property
    def problem(self) -> str:
        """What was computed, in one line."""
        return text_of(lib.clpac_result_problem(self._pointer))

    @property
    def sentence(self) -> str:
        """What the result says, in a sentence."""
        return text_of(lib.clpac_result_sentence(self._pointer))

    @property
    def provenance(self) -> dict[str, Any]:
        """How the result came about: request, part of the recording, computer, build."""
        text = text_of(lib.clpac_result_provenance(self._pointer))
        return json.loads(text) if text else {}

    @property
    def report(self) -> dict[str, Any]:
        """Everything that the program writes as OUT.json: parameters, device, memory, times, warnings, peaks."""
        return json.loads(self._written(lib.clpac_result_write_json, "report.json"))

    @property
    def cautions(self) -> dict[str, str]:
        """Warnings of the run by their kind, as "harmonic": reasons not to believe it, and what was left out."""
        report = lib.clpac_result_report(self._pointer)
        return {
            text_of(lib.clpac_warning_kind_text(k)): text_of(report.warnings[k].text)
            for k in range(lib.CLPAC_WARN_KIND_COUNT)
            if report.warnings[k].count
        }

    def peak(self, channel: int | str | None = None, epoch: int | None = None) -> Peak | None:
        """The cell of the highest standardized statistic, which has the lowest p_max; None where no cell has a value.

        Parameters
        ----------
        channel : int or str, optional
            A channel; by default, the peak is that of the whole result.
        epoch : int, optional
            An epoch of it.
        """
        if epoch is not None:
            found = lib.clpac_result_series_peak(self._pointer, self.channel_number(channel or 0), epoch)
        else:
            number = ffi.cast("size_t", -1) if channel is None else self.channel_number(channel)
            found = lib.clpac_result_peak(self._pointer, number)
        if not found.found:
            return None
        amplitude = lib.clpac_result_cell_band(self._pointer, found.phase, found.amplitude)
        lo, hi = self.f_pha[found.phase].tolist()
        return Peak(
            found.channel,
            found.segment,
            (lo, hi),
            (amplitude.lo_hz, amplitude.hi_hz),
            found.mi,
            found.z,
            found.p,
            found.p_max,
            found.preferred_phase,
            found.mean_vector,
        )

    def channel_number(self, channel: int | str) -> int:
        """The number of a channel, by its name or number."""
        names = self.ch_names
        if isinstance(channel, str):
            if channel not in names:
                raise ArgumentError(f"channel: there is no {channel!r}; there are {', '.join(names[:20])}")
            return names.index(channel)
        if not -len(names) <= int(channel) < len(names):
            raise ArgumentError(f"channel: there is no {channel}; there are {len(names)}")
        return int(channel) % len(names)

    # --- Other forms ---

    def _dimensions(self, which: int, n: int) -> tuple[str, ...]:
        return _DIMENSIONS.get(n, {}).get(which, _CELLS)

    def to_xarray(self) -> Any:
        """An xarray.Dataset of the arrays, with names of channels and centres of bands as coordinates."""
        xarray = need("xarray", "to_xarray", "xarray")
        variables = {}
        for name in self.arrays:
            which = self._which(name)
            array = self._array(which) if which is not None else None
            if which is not None and array is not None:
                variables[name] = (self._dimensions(which, array.ndim), array)
        coordinates: dict[str, Any] = {
            "channel": self.ch_names,
            "phase": ("phase", self.f_pha.mean(axis=1), {"units": "Hz"}),
            "amplitude": ("amplitude", self.f_amp.mean(axis=1), {"units": "Hz"}),
            "onset": ("epoch", self.onsets, {"units": "s"}),
        }
        if any(condition is not None for condition in self.conditions):
            coordinates["condition"] = ("epoch", [condition or "" for condition in self.conditions])
        return xarray.Dataset(variables, coordinates, {"problem": self.problem, "sentence": self.sentence})

    def to_dataframe(self) -> Any:
        """A pandas.DataFrame with a row for each cell, as the program writes OUT.csv."""
        pandas = need("pandas", "to_dataframe", "pandas")
        import io

        text = self._written(lib.clpac_result_write_csv, "cells.csv", self._file)
        return pandas.read_csv(io.BytesIO(text), dtype={"channel": str})

    def _written(self, writer: Any, name: str, file: bytes | None = None) -> bytes:
        """What a writer of the library writes, without a file."""
        kept = ffi.NULL if file is None else ffi.new("char[]", file)
        return written(
            lambda options, err: writer(self._pointer, name.encode(), options, err), "clpac_write_options", input_name=kept
        )

    def _write(self, writer: Any, path: Any, overwrite: bool, file: bytes | None = None) -> None:
        options = ffi.new("clpac_write_options *")
        options.size, options.overwrite = ffi.sizeof("clpac_write_options"), overwrite
        kept = ffi.NULL if file is None else ffi.new("char[]", file)
        options.input_name = kept
        name = os.fsencode(path)
        run(lambda err: writer(self._pointer, name, options, err))

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Writes the result with everything that it holds, as .npz that :func:`clpac.load` and the program read.

        Parameters
        ----------
        path : path
            The file; it appears at once and whole.
        overwrite : bool
            Whether to replace a file that is there.
        """
        self._write(lib.clpac_analysis_save, path, overwrite)

    def to_npz(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Writes what the program writes as OUT.npz, byte for byte."""
        self._write(lib.clpac_result_write_npz, path, overwrite)

    def to_json(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Writes what the program writes as OUT.json."""
        self._write(lib.clpac_result_write_json, path, overwrite)

    def to_csv(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Writes a line for each cell, as the program's OUT.csv."""
        self._write(lib.clpac_result_write_csv, path, overwrite, self._file)

    def to_html(self, path: str | os.PathLike[str], *, title: str | None = None, overwrite: bool = False) -> None:
        """Writes a page about the result, HTML in one file, as ``clpac report`` does.

        With ``spectra=True``, the functions that compute keep what the page shows of the channels' spectra.

        Parameters
        ----------
        path : path
            The file; it appears at once and whole.  It can be read without scripts and asks nothing of any other place.
        title : str
            What stands above the result; the name of the file without its ending, by default.
        overwrite : bool
            Whether to replace a file that is there.
        """
        stem = os.path.splitext(os.path.basename(os.fspath(path)))[0]
        text = ffi.new("char[]", (stem if title is None else title).encode())
        names, results = ffi.new("char *[]", [text]), ffi.new("clpac_result *[]", [self._pointer])

        def write(_: Any, file: bytes, options: Any, err: Any) -> Any:
            return lib.clpac_analysis_page(results, names, 1, file, options, err)

        self._write(write, path, overwrite)

    def copy(self) -> PAC:
        """A result of its own with the same content."""
        return _restore(self._saved(), self.measure)

    def _saved(self) -> bytes:
        whole = lib.clpac_result_of(self._pointer, _MEASURES[self.measures[0]])
        return written(
            lambda options, err: lib.clpac_analysis_save(whole, b"result.npz", options, err), "clpac_write_options"
        )

    def __copy__(self) -> PAC:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> PAC:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self._saved(), self.measure)

    # --- For people ---

    def plot(
        self,
        ax: Any = None,
        *,
        engine: Literal["matplotlib", "clpac"] = "matplotlib",
        **options: Any,
    ) -> Any:
        """Draws the comodulogram, the map of z with significant cells outlined, and the amplitude by phase at the peak.

        Parameters
        ----------
        ax : matplotlib Axes or sequence of them, optional
            Where to draw: one panel on one (``what`` names it), or as many as there are.  By default a new figure.
        engine : {"matplotlib", "clpac"}
            Who draws.  "clpac" gives the program's picture, byte for byte.
        **options
            ``channel``, ``epoch``, ``alpha``, ``vmin``, ``vmax``, ``cmap``, ``title`` for both; ``what`` ("index", "z"
            or "histogram") for matplotlib; ``path``, ``format``, ``cell``, ``arrows``, ``grid``, ``time``, ``smooth``,
            ``population``, ``topography``, ``width``, ``overwrite`` for clpac, in the words of ``clpac plot``, and
            ``positions``: of channels by name, (x, y, z) with x to the right ear, y to the nose and z upwards, seen from
            the middle of the head, for ``topography``.

        Returns
        -------
        matplotlib Figure or clpac.Picture
            With ``path``, None.
        """
        from . import _plot

        if engine == "clpac":
            if ax is not None:
                raise ArgumentError("ax: the program's pictures are files; leave it out, or draw with matplotlib")
            return _plot.by_clpac(self, **options)
        if engine != "matplotlib":
            raise ArgumentError(f"engine: {engine!r} is neither 'matplotlib' nor 'clpac'")
        return _plot.by_matplotlib(self, ax, **options)

    def __repr__(self) -> str:
        s = self._shape
        what = f"{s.n_channels} channels, {s.n_segments} epochs, {s.n_phase_bands} x {s.n_amplitude_bands} bands"
        return f"<clpac.PAC: {self.sentence or what}>"

    def _repr_html_(self) -> str:
        rows = [("channels", ", ".join(self.ch_names[:8]) + (", ..." if self._shape.n_channels > 8 else ""))]
        if self._shape.n_segments > 1:
            rows.append(("epochs", str(self._shape.n_segments)))
        for name, bands in (("phase", self.f_pha), ("amplitude", self.f_amp)):
            rows.append((name, f"{len(bands)} bands, {bands.min():g} to {bands.max():g} Hz"))
        rows.append(("measure", ", ".join(self.measures)))
        peak = self.peak()
        if peak is not None:
            rows.append(
                (
                    "peak",
                    f"{self.ch_names[peak.channel]}: {peak.phase[0]:g}-{peak.phase[1]:g} Hz, "
                    f"{peak.amplitude[0]:.4g}-{peak.amplitude[1]:.4g} Hz, {self.measure} {peak.value:.3g}, "
                    f"z {peak.z:.3g}, p_max {peak.p_max:.2g}",
                )
            )
        rows += [(f"caution: {kind.replace('_', ' ')}", text) for kind, text in self.cautions.items()]
        cells = "".join(
            f"<tr><th style='text-align:left'>{html.escape(name)}</th>"
            f"<td style='text-align:left'>{html.escape(value)}</td></tr>"
            for name, value in rows
        )
        return f"<div class='clpac-pac'><p>{html.escape(self.sentence)}</p><table>{cells}</table></div>"


class _Collector:
    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.handle = ffi.new_handle(self)


@ffi.def_extern(error=False)
def clpac_py_write(user: Any, data: Any, n: int) -> bool:
    ffi.from_handle(user).parts.append(bytes(ffi.buffer(data, n)))
    return True


def written(write: Any, options_type: str, **members: Any) -> bytes:
    """The bytes of a file that the library would write."""
    collector, options = _Collector(), ffi.new(options_type + " *", members)
    options.size = ffi.sizeof(options_type)
    options.write, options.write_user = lib.clpac_py_write, collector.handle
    run(lambda err: write(options, err))
    return b"".join(collector.parts)


def _restore(saved: bytes, measure: str) -> PAC:
    """A result from the bytes of its file."""
    with tempfile.TemporaryDirectory(prefix="clpac-") as folder:
        path = os.path.join(folder, "result.npz")
        with open(path, "wb") as file:
            file.write(saved)
        made = load(path)
    return made if made.measure == measure else made.of(measure)


def load(path: str | os.PathLike[str]) -> PAC:
    """Reads a result that :meth:`PAC.save` or the program wrote.

    Parameters
    ----------
    path : path
        An .npz.

    Returns
    -------
    PAC
        What is written of it is, byte for byte, what was written of the result that was saved.
    """
    out, name = ffi.new("clpac_result **"), os.fsencode(path)
    run(lambda err: lib.clpac_analysis_load(name, out, err))
    return PAC(out[0])


def as_result(data: Any) -> PAC:
    """A result, or the one in a file."""
    return data if isinstance(data, PAC) else load(data)

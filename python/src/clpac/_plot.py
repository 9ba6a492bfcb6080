"""Pictures of results: by matplotlib, with the look of the program's, and the program's own."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from ._calls import run
from ._clpac import ffi, lib
from ._errors import ArgumentError, text_of
from ._optional import need
from ._pac import PAC, written

COLOURS = {
    "viridis": lib.CLPAC_VIRIDIS,
    "viridis-reversed": lib.CLPAC_VIRIDIS_REVERSED,
    "grey": lib.CLPAC_GREY,
    "grey-reversed": lib.CLPAC_GREY_REVERSED,
}
_MATPLOTLIB_COLOURS = {
    "viridis": "viridis",
    "viridis-reversed": "viridis_r",
    "grey": "gray",
    "grey-reversed": "gray_r",
}


class Picture:
    """A picture as a file would hold it, shown by notebooks.

    Attributes
    ----------
    data : bytes
        The file.
    format : str
        "png", "svg" or "pdf".
    """

    def __init__(self, data: bytes, format: str) -> None:
        self.data, self.format = data, format

    def _repr_png_(self) -> bytes | None:
        return self.data if self.format == "png" else None

    def _repr_svg_(self) -> str | None:
        return self.data.decode() if self.format == "svg" else None

    def __repr__(self) -> str:
        return f"<clpac.Picture: {self.format}, {len(self.data)} bytes>"


def by_clpac(
    pac: PAC,
    path: str | os.PathLike[str] | None = None,
    *,
    format: str = "png",
    channel: int | str | None = None,
    epoch: int | None = None,
    alpha: float = 0.05,
    vmin: float | None = None,
    vmax: float | None = None,
    cmap: str = "viridis",
    title: str | None = None,
    cell: tuple[float, float] | None = None,
    arrows: bool = False,
    grid: bool = False,
    time: bool = False,
    smooth: bool = False,
    population: bool = False,
    topography: bool = False,
    positions: Mapping[str, Any] | None = None,
    width: float = 0.0,
    overwrite: bool = False,
) -> Picture | None:
    """The program's picture: a file, or without a path its bytes."""
    if cmap not in COLOURS:
        raise ArgumentError(f"cmap: {cmap!r} is none of {', '.join(COLOURS)}")
    if (vmin is None) != (vmax is None):
        raise ArgumentError("vmin and vmax: give both, or none of them")
    number, segment = _series(pac, channel, epoch)
    members = {
        "size": ffi.sizeof("clpac_plot_options"),
        "channel": number,
        "segment": segment,
        "significance": alpha,
        "overwrite": overwrite,
        "colours": COLOURS[cmap],
        "lowest": vmin or 0.0,
        "highest": vmax or 0.0,
        "grid": grid,
        "over_time": time,
        "arrows": arrows,
        "smooth": smooth,
        "population": population,
        "topography": topography,
        "width_mm": width,
    }
    keep = []
    if title is not None:
        keep.append(ffi.new("char[]", title.encode()))
        members["title"] = keep[-1]
    if positions is not None:
        nowhere = (float("nan"),) * 3
        places = [tuple(map(float, positions.get(name, nowhere))) for name in pac.ch_names]
        keep.append(ffi.new("clpac_position[]", places))
        members["positions"] = keep[-1]
    if cell is not None:
        phase, amplitude = _nearest(pac, cell)
        members.update(has_cell=True, cell_phase=phase, cell_amplitude=amplitude)
    if path is not None:
        options, name = ffi.new("clpac_plot_options *", members), os.fsencode(path)
        run(lambda err: lib.clpac_result_plot(pac._pointer, name, options, err))
        return None
    name = f"result.{format}".encode()
    data = written(
        lambda options, err: lib.clpac_result_plot(pac._pointer, name, options, err), "clpac_plot_options", **members
    )
    del keep
    return Picture(data, format)


def _series(pac: PAC, channel: int | str | None, epoch: int | None) -> tuple[Any, int]:
    if channel is None and epoch is None:
        return ffi.cast("size_t", -1), 0
    if channel is None:
        peak = pac.peak()
        channel = peak.channel if peak else 0
    number = pac.channel_number(channel)
    if epoch is None:
        best = pac.peak(number)
        epoch = best.epoch if best else 0
    if not 0 <= epoch < pac.shape[1]:
        raise ArgumentError(f"epoch: there is no {epoch}; there are {pac.shape[1]}, counted from 0")
    return number, epoch


def _nearest(pac: PAC, cell: tuple[float, float]) -> tuple[int, int]:
    """The cell whose centres are nearest to two frequencies."""
    phase, amplitude = (
        int(np.argmin(np.abs(bands.mean(axis=1) - hz))) for bands, hz in zip((pac.f_pha, pac.f_amp), cell)
    )
    return phase, amplitude


# --- By matplotlib ---


def _edges(centres: Any) -> Any:
    """Edges of cells midway between their centres."""
    if len(centres) == 1:
        half = max(0.5, 0.1 * centres[0])
        return np.array([centres[0] - half, centres[0] + half])
    middle = (centres[1:] + centres[:-1]) / 2
    return np.concatenate([[2 * centres[0] - middle[0]], middle, [2 * centres[-1] - middle[-1]]])


class _Series:
    """What is drawn: one channel in one epoch."""

    def __init__(self, pac: PAC, channel: int | str | None, epoch: int | None, alpha: float) -> None:
        number, segment = _series(pac, channel, epoch)
        if not isinstance(number, int):
            best = pac.peak()
            number, segment = (best.channel, best.epoch) if best else (0, 0)
        self.pac, self.channel, self.epoch, self.alpha = pac, number, segment, alpha
        found = lib.clpac_result_series_peak(pac._pointer, number, segment)
        self.peak = (found.phase, found.amplitude) if found.found else None
        self.found = found
        held = pac.arrays
        self.is_comparison = "t" in held
        self.index = self.map("effect" if self.is_comparison else "index")
        self.z = self.map("t" if self.is_comparison else "z")
        self.p, self.is_corrected = self.map("p_max"), True
        if self.p is None:
            self.p, self.is_corrected = self.map("p"), False
        self.harmonic = self.map("harmonic")

    def map(self, name: str) -> Any:
        which = self.pac._which(name)
        array = None if which is None else self.pac._array(which)
        return None if array is None else array[self.channel, self.epoch]

    @property
    def distribution(self) -> Any:
        shares = self.map("peak_distribution")
        if shares is None or not np.isfinite(np.nansum(shares)) or not np.nansum(shares) > 0:
            return None
        return shares / np.nansum(shares)

    def title(self) -> str:
        name = self.pac.ch_names[self.channel]
        pairs = self.pac.pairs
        text = f"Channel {name}" if pairs is None else "Phase of {}, amplitude of {}".format(*pairs[self.channel])
        if self.pac.shape[1] > 1:
            text += f", segment {self.epoch}"
        condition = self.pac.conditions[self.epoch]
        return text + (f", {condition}" if condition else "")

    def subtitle(self) -> str:
        if self.peak is None:
            return "No cell is defined"
        f, pac = self.found, self.pac
        amplitude = lib.clpac_result_cell_band(pac._pointer, f.phase, f.amplitude)
        lo, hi = pac.f_pha[f.phase]
        word = "effect" if self.is_comparison else text_of(
            lib.clpac_measure_abbreviation(lib.clpac_result_measure(pac._pointer))
        )
        value = float(self.index[self.peak])
        text = (
            f"Peak at {lo:.3g}\N{EN DASH}{hi:.3g} Hz / {amplitude.lo_hz:.3g}\N{EN DASH}{amplitude.hi_hz:.3g} Hz: "
            f"{word} {value:.3g}"
        )
        if self.z is not None:
            text += f", {'t' if self.is_comparison else 'z'} {float(self.z[self.peak]):.3g}"
        if self.p is not None:
            text += f", {'p_max' if self.is_corrected else 'p'} {float(self.p[self.peak]):.2g}"
        if np.isfinite(f.preferred_phase):
            text += f", preferred phase {np.degrees(f.preferred_phase):.0f}\N{DEGREE SIGN}"
        return text


def _outline(axes: Any, chosen: Any, x: Any, y: Any) -> None:
    """Lines round the cells that are chosen, black on white."""
    n_x, n_y = chosen.shape
    padded = np.zeros((n_x + 2, n_y + 2), bool)
    padded[1:-1, 1:-1] = chosen
    lines = []
    for i in range(n_x + 1):
        for j in range(n_y):
            if padded[i, j + 1] != padded[i + 1, j + 1]:
                lines.append([(x[i], y[j]), (x[i], y[j + 1])])
    for i in range(n_x):
        for j in range(n_y + 1):
            if padded[i + 1, j] != padded[i + 1, j + 1]:
                lines.append([(x[i], y[j]), (x[i + 1], y[j])])
    from matplotlib.collections import LineCollection

    for width, colour in ((3.0, "black"), (1.5, "white")):
        axes.add_collection(LineCollection(lines, colors=colour, linewidths=width, capstyle="projecting", zorder=3))


def _norm_of(values: Any, p: Any, alpha: float, vmin: float | None, vmax: float | None) -> Any:
    """From 0, or the lowest value below it, to the highest, with the lowest significant one in the middle."""
    from matplotlib.colors import Normalize, TwoSlopeNorm

    finite = values[np.isfinite(values)]
    lowest = min(0.0, float(finite.min())) if finite.size else 0.0
    highest = float(finite.max()) if finite.size else 1.0
    if vmin is None and vmax is None and p is not None:
        with np.errstate(invalid="ignore"):
            significant = values[np.asarray(p <= alpha) & np.isfinite(values)]
        if significant.size and lowest < significant.min() < highest:
            return TwoSlopeNorm(float(significant.min()), lowest, highest)
    return Normalize(lowest if vmin is None else vmin, highest if vmax is None else vmax)


def _draw_map(axes: Any, series: _Series, what: str, cmap: str, vmin: float | None, vmax: float | None) -> None:
    values = series.z if what == "z" else series.index
    x = _edges(series.pac.f_pha.mean(axis=1))
    y = _edges(series.pac.f_amp.mean(axis=1))
    norm = _norm_of(values, series.p if what == "z" else None, series.alpha, vmin, vmax)
    mesh = axes.pcolormesh(x, y, values.T, cmap=_MATPLOTLIB_COLOURS.get(cmap, cmap), norm=norm)
    axes.set_xlabel("phase frequency (Hz)")
    axes.set_ylabel("amplitude frequency (Hz)")
    bar = axes.figure.colorbar(mesh, ax=axes)
    null = "" if series.is_comparison else _null_of(series.pac)
    if what == "z":
        axes.set_title("t" if series.is_comparison else f"Compared with surrogates{null}", fontweight="bold")
        bar.set_label("t" if series.is_comparison else "z-score")
    else:
        axes.set_title("Effect" if series.is_comparison else "Comodulogram", fontweight="bold")
        bar.formatter.set_powerlimits((-2, 3))
        bar.set_label(
            "difference"
            if series.is_comparison
            else text_of(lib.clpac_measure_words(lib.clpac_result_measure(series.pac._pointer)))
        )
    for i, j in np.argwhere(~series.pac.valid):
        axes.fill(
            [x[i], x[i + 1], x[i + 1], x[i]], [y[j], y[j], y[j + 1], y[j + 1]], fill=False, hatch="////", linewidth=0
        )
    if series.harmonic is not None:
        marked = np.argwhere(series.harmonic > 0)
        axes.plot(
            series.pac.f_pha.mean(axis=1)[marked[:, 0]],
            series.pac.f_amp.mean(axis=1)[marked[:, 1]],
            linestyle="none",
            marker=".",
            color="white",
            markeredgecolor="black",
            markersize=5,
        )
    if what == "z" and series.p is not None:
        with np.errstate(invalid="ignore"):
            chosen = np.asarray(series.p <= series.alpha)
        if chosen.any():
            _outline(axes, chosen, x, y)
            from matplotlib.patches import Patch

            name = "p_max" if series.is_corrected else "p"
            axes.legend(
                handles=[Patch(facecolor="none", edgecolor="black", label=f"{name} \N{LESS-THAN OR EQUAL TO} {series.alpha:g}")],
                loc="upper center",
                bbox_to_anchor=(0.5, -0.2),
                frameon=False,
            )
    if series.peak is not None:
        centre = (
            series.pac.f_pha.mean(axis=1)[series.peak[0]],
            series.pac.f_amp.mean(axis=1)[series.peak[1]],
        )
        axes.plot(*centre, "o", markersize=6, markerfacecolor="none", markeredgecolor="black", markeredgewidth=2.5)
        axes.plot(*centre, "o", markersize=6, markerfacecolor="none", markeredgecolor="white", markeredgewidth=1)


def _null_of(pac: PAC) -> str:
    """Random shifts are the usual null, and any other is named."""
    for word in pac.problem.split():
        key, _, value = word.partition("=")
        if key == "null" and value != "shift":
            return f", {value}"
    return ""


def _draw_histogram(axes: Any, series: _Series) -> None:
    shares = series.distribution
    if shares is None:
        raise ArgumentError("what: the result holds no amplitudes by phase")
    n = len(shares)
    width = 360 / n
    centres = -180 + width * (np.arange(2 * n) + 0.5)
    axes.bar(centres, np.tile(shares, 2), width=width, color="#31688e", edgecolor="white", linewidth=0.6)
    axes.axhline(1 / n, color="black", linestyle="--", linewidth=1, label="uniform")
    degrees = np.linspace(-180, 540, 361)
    top = np.nanmax(shares)
    axes.plot(degrees, top * (1.2 + 0.1 * np.cos(np.radians(degrees))), color="0.5", label="cos(phase)")
    axes.set_xlim(-180, 540)
    axes.set_xticks([-180, 0, 180, 360, 540])
    axes.set_ylim(0, 1.35 * top)
    axes.set_xlabel("phase (degrees)")
    axes.set_ylabel("share of amplitude")
    axes.set_title("Amplitude by phase", fontweight="bold")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncol=2, frameon=False)


def by_matplotlib(
    pac: PAC,
    ax: Any = None,
    *,
    what: str | None = None,
    channel: int | str | None = None,
    epoch: int | None = None,
    alpha: float = 0.05,
    vmin: float | None = None,
    vmax: float | None = None,
    cmap: str = "viridis",
    title: str | None = None,
) -> Any:
    """The panels of a series on axes that are given, or on a new figure."""
    pyplot = need("matplotlib.pyplot", "plot", "matplotlib")
    if not 0 < alpha <= 1:
        raise ArgumentError(f"alpha: {alpha} is not above 0 and at most 1")
    series = _Series(pac, channel, epoch, alpha)
    held = ["index", *(["z"] if series.z is not None else []), *(["histogram"] if series.distribution is not None else [])]
    if what is not None and what not in held:
        raise ArgumentError(f"what: {what!r} is none of {', '.join(held)}")
    if ax is None:
        panels = held if what is None else [what]
        figure, made = pyplot.subplots(1, len(panels), figsize=(4.2 * len(panels), 3.8), squeeze=False, layout="constrained")
        axes = list(made[0])
        figure.suptitle(
            f"{series.title() if title is None else title}\n{series.subtitle()}", x=0.02, ha="left", fontsize="medium"
        )
    else:
        axes = list(np.ravel(np.asarray(ax, dtype=object)))
        panels = [what or ("z" if series.z is not None else "index")] if len(axes) == 1 else held
        if len(axes) != len(panels):
            raise ArgumentError(f"ax: there are {len(panels)} panels ({', '.join(panels)}), and {len(axes)} axes")
        figure = axes[0].figure
    for one, panel in zip(axes, panels):
        if panel == "histogram":
            _draw_histogram(one, series)
        else:
            limits = (vmin, vmax) if panel == "z" or series.z is None else (None, None)
            _draw_map(one, series, panel, cmap, *limits)
    return figure

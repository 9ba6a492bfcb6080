"""Recordings with known coupling."""

from __future__ import annotations

from typing import Literal

from ._calls import run
from ._clpac import ffi, lib
from ._options import as_text
from ._recording import Recording


def synth(
    *,
    rate: float | None = None,
    seconds: float | None = None,
    channels: int | None = None,
    phase: float | None = None,
    amplitude: float | None = None,
    strength: float | None = None,
    noise: float | None = None,
    driver: Literal["noise", "sine", "sawtooth"] | None = None,
    seed: int | None = None,
) -> Recording:
    """Makes a recording in which the phase of a slow oscillation drives the amplitude of a fast one, as ``clpac synth``.

    Parameters
    ----------
    rate : float
        Sampling rate in Hz [512].
    seconds : float
        Length [60].
    channels : int
        Number of channels, each with oscillations and noise of its own [1].
    phase, amplitude : float
        Frequencies of the slow and the fast oscillation in Hz [6, 80].
    strength : float
        Of the coupling, from 0 to 1 [0.8].
    noise : float
        Root mean square of pink noise, relative to the slow oscillation [1.5].
    driver : {"noise", "sine", "sawtooth"}
        The slow wave: narrow-band noise, a pure line, or a sawtooth without any fast oscillation ["noise"].
    seed : int
        The same seed gives the same samples everywhere [42].

    Returns
    -------
    Recording
        Its samples are those of the program's file: ``synth(seed=1).get_data()``, float32 of (channels, times).
    """
    options = {
        "rate": rate,
        "seconds": seconds,
        "channels": channels,
        "phase": phase,
        "amplitude": amplitude,
        "strength": strength,
        "noise": noise,
        "driver": driver,
        "seed": seed,
    }
    words = [f"{name}={as_text(name, value)}" for name, value in options.items() if value is not None]
    text, out = " ".join(words).encode(), ffi.new("clpac_recording **")
    run(lambda err: lib.clpac_analysis_synth(text, out, err))
    return Recording(out[0], "synth")

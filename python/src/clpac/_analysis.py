"""Analyses of recordings."""

from __future__ import annotations

from typing import Any

from ._calls import Listener, run
from ._clpac import ffi, lib
from ._errors import check, new_error
from ._options import RUN, Analysis
from ._pac import PAC, cautions_of
from ._recording import Recording, is_path, of_array


def _open(analysis: Analysis, data: Any, sfreq: float | None, names: Any) -> Recording:
    if isinstance(data, Recording):
        return data
    if not is_path(data):
        return of_array(data, sfreq, names)
    import os

    if sfreq is not None:
        analysis.set("rate", repr(float(sfreq)))
    path, out = os.fsencode(data), ffi.new("clpac_recording **")
    run(lambda err: lib.clpac_analysis_open(analysis.pointer, path, out, err))
    return Recording(out[0], os.fsdecode(path))


def _compute(function: Any, analysis: Analysis, recording: Recording, progress: Any, stacklevel: int) -> PAC:
    listener = Listener(progress)
    sink, call = listener.sink(), ffi.new("clpac_analysis_call *")
    call.size, call.sink = ffi.sizeof("clpac_analysis_call"), sink
    out = ffi.new("clpac_result **")
    with recording._lock:
        run(lambda err: function(analysis.pointer, recording._pointer, call, out, err), listener)
    made = PAC(out[0])
    listener.warn(cautions_of(made), stacklevel + 1)
    return made


def pac(
    data: Any,
    sfreq: float | None = None,
    f_pha: Any = None,
    f_amp: Any = None,
    *,
    n_perm: int | None = None,
    random_state: int | None = None,
    names: Any = None,
    progress: Any = None,
    **options: Any,
) -> PAC:
    """Phase-amplitude coupling of each channel of a recording."""
    analysis = Analysis(
        RUN, {"f_pha": f_pha, "f_amp": f_amp, "n_perm": n_perm, "random_state": random_state, **options}
    )
    return _compute(lib.clpac_analysis_run, analysis, _open(analysis, data, sfreq, names), progress, 2)

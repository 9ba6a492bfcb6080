"""Analyses: what the program's commands compute."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from . import _options
from ._calls import Listener, Progress, as_progress
from ._calls import run as call_library
from ._clpac import ffi, lib
from ._contexts import OPTIONS as DEVICE_OPTIONS
from ._contexts import contexts_of
from ._errors import ArgumentError, taken_text
from ._inputs import READING, package_of, recording_of
from ._optional import need
from ._options import COMPARE, ERPAC, GROUP, RUN, Analysis
from ._pac import PAC, as_result
from ._recording import Recording, number_of


def _window_options(options: dict[str, Any], tmin: float | None, tmax: float | None) -> None:
    """tmin and tmax are of epochs where there are events, and else of the recording."""
    if tmin is None and tmax is None:
        return
    if options.get("events") is not None:
        window = options.get("window")
        if isinstance(window, (tuple, list)):  # the whole of the epochs
            tmin = window[0] if tmin is None else tmin
            tmax = window[1] if tmax is None else tmax
        elif window is not None:
            raise ArgumentError("window, and tmin or tmax, are one option; give one of them")
        if tmin is None or tmax is None:
            raise ArgumentError("tmin and tmax: epochs need both, in seconds from their event")
        options["window"] = (tmin, tmax)
    else:
        for name, value in (("start", tmin), ("stop", tmax)):
            if value is not None and options.get(name) is not None:
                raise ArgumentError(f"{name}, and tmin or tmax, are one option; give one of them")
            if value is not None:
                options[name] = value


def _indices_options(options: dict[str, Any], indices: Any, recording: Recording) -> None:
    if indices is None:
        return
    if options.get("pairs") is not None:
        raise ArgumentError("indices and pairs are one option; give one of them")
    phases, amplitudes = (np.atleast_1d(part).tolist() for part in indices)
    if len(phases) != len(amplitudes):
        raise ArgumentError(f"indices: {len(phases)} phases and {len(amplitudes)} amplitudes; give as many of each")
    names = recording.ch_names
    options["pairs"] = [
        tuple(number_of(one, names, "indices") for one in pair) for pair in zip(phases, amplitudes)
    ]


class _Request:
    """One analysis of one recording, made of what the caller gave."""

    def __init__(
        self,
        kind: int,
        data: Any,
        sfreq: float | None,
        options: dict[str, Any],
        *,
        names: Sequence[str] | None = None,
        indices: Any = None,
        tmin: float | None = None,
        tmax: float | None = None,
        event_id: dict[str, int] | None = None,
        reject_by_annotation: bool = True,
        device: Any = None,
        n_jobs: int | None = None,
        stacklevel: int,
    ) -> None:
        allowed = _options.names(kind)
        if options.get("rate") is not None:
            if sfreq is not None:
                raise ArgumentError("sfreq and rate are one option; give one of them")
            sfreq = options["rate"]
        options = {**options, "rate": sfreq}
        reading = {name: options.get(name) for name in READING if name != "rate"}
        events = options.get("events")
        self.recording = recording_of(data, sfreq, names, reading, events, event_id)
        if reading["resample"] is not None:  # from that rate, which the file may not hold
            options["rate"] = None
        if isinstance(events, np.ndarray):
            options["events"] = None
        for name, value in self.recording._standard.items():
            if options.get(name) is None and name in allowed:
                options[name] = value
        _window_options(options, tmin, tmax)
        _indices_options(options, indices, self.recording)
        if not reject_by_annotation:
            options["keep_bad"] = True
        of_devices = {"device": device, **{name: options.pop(name, None) for name in DEVICE_OPTIONS if name != "device"}}
        self.analysis = Analysis(kind, options)
        self.contexts = contexts_of(of_devices, n_jobs, stacklevel + 1)


def _compute(
    function: Any,
    analysis: Analysis,
    source: Any,
    *,
    progress: Any,
    stacklevel: int,
    contexts: Any = None,
    name: str | None = None,
    caution: bool = True,
    spectra: bool = False,
) -> PAC:
    with as_progress(progress) as tell:
        listener = Listener(tell)
        sink, call = listener.sink(), ffi.new("clpac_analysis_call *")
        call.size, call.sink = ffi.sizeof("clpac_analysis_call"), sink
        call.no_cautions, call.keep_spectra = not caution, spectra
        if contexts is not None:
            call.contexts, call.n_contexts = contexts.pointers, contexts.n
        if name is not None:
            text = ffi.new("char[]", name.encode("utf-8", "surrogateescape"))
            call.name = text
        out = ffi.new("clpac_result **")
        call_library(lambda err: function(analysis.pointer, source, call, out, err), listener)
    made = PAC(out[0])
    listener.warn(set(made.cautions.values()), stacklevel + 1)
    return made


def _of_recording(function: Any, request: _Request, progress: Any, caution: bool, spectra: bool, stacklevel: int) -> PAC:
    recording = request.recording
    with recording._lock:
        made = _compute(
            function,
            request.analysis,
            recording._pointer,
            progress=progress,
            stacklevel=stacklevel + 1,
            contexts=request.contexts,
            name=recording.name,
            caution=caution,
            spectra=spectra,
        )
        made._file = recording._file
        return made


def pac(
    data: Any,
    sfreq: float | None = None,
    f_pha: Any = None,
    f_amp: Any = None,
    *,
    n_perm: int | None = None,
    measure: str | Sequence[str] | None = None,
    null: str | None = None,
    indices: Any = None,
    names: Sequence[str] | None = None,
    picks: Any = None,
    events: Any = None,
    event_id: dict[str, int] | None = None,
    tmin: float | None = None,
    tmax: float | None = None,
    pool: bool = False,
    sliding: Any = None,
    reject_by_annotation: bool = True,
    random_state: int | None = None,
    device: Any = None,
    n_jobs: int | None = None,
    caution: bool = True,
    spectra: bool = False,
    progress: bool | Progress | None = None,
    **options: Any,
) -> PAC:
    """Phase-amplitude coupling of each channel of a recording, or of pairs of channels, as ``clpac run``.

    Parameters
    ----------
    data : ndarray, mne.io.Raw, mne.Epochs, xarray.DataArray, pandas.DataFrame, Recording or path
        Arrays are (n_times,), (n_channels, n_times) or (n_epochs, n_channels, n_times), of any strides; float32 and
        float64 are read where they lie.  MNE's data are in volts, and stay so; its bad channels and the time of its BAD
        annotations are left out, and channels that are no signals of the brain.  A DataFrame has a column for each
        channel.
    sfreq : float, optional
        Sampling rate in Hz, of data that hold none.
    f_pha, f_amp : str or array-like of shape (n, 2), optional
        Bands for phase and amplitude in Hz, as an array of edges or a text: ``"2:20:10"`` are ten centres from 2 to 20.
        By default ``"2:20:10"`` and ``"60:160:10"``.
    n_perm : int, optional
        Surrogates of each series; 0: the index alone.  By default 200.
    measure : str or sequence of str, optional
        "mi" (default), "hr", "mvl", "dpac", "ndpac", "glm", "gcmi", "plv", "pac-glm".
    null : str, optional
        What surrogates are: "shift" (default), "shift=all", "trials", "blocks", "phases".
    indices : tuple of two array-like, optional
        Channels whose phase, and channels whose amplitude is taken, by number or name, as in mne-connectivity.
    names : sequence of str, optional
        Names of the channels of an array.
    picks : str or sequence, optional
        Channels: numbers, names, patterns, types.  By default all signals of the brain that are not bad.
    events : str, sequence, dict or ndarray of shape (n, 3), optional
        One index for each epoch about these events: texts of annotations or patterns of them, ``{"name": "pattern"}``,
        or MNE's array.
    event_id : dict, optional
        Names of the codes of such an array.
    tmin, tmax : float, optional
        With ``events``, an epoch in seconds from its event; else the part of the recording to use.
    pool : bool
        One index for each condition, of the sums over its epochs.
    sliding : float or (float, float), optional
        One index for each window of so many seconds, one every so many.
    reject_by_annotation : bool
        Whether to leave out the time of BAD annotations.
    random_state : int, optional
        Seed; by default 42.
    device : str, optional
        "native", "gpu", "0:1", "gpu+native", ...; by default the best.  An open device is kept for later calls.
    n_jobs : int, optional
        Threads of the native device; by default one for each core.
    caution : bool
        Whether to look for reasons not to believe the result: harmonics of sharp waves, jumps, mains.
    spectra : bool
        Whether to keep the spectrum of each channel, in ``.provenance``, for a page (:meth:`PAC.to_html`).
    progress : bool or callable, optional
        True: a bar of tqdm.  A function is called with the share that is done, from 0 to 1, ten times a second; where it
        returns False, the call ends with :class:`Cancelled`.
    **options
        All other options of ``clpac run`` in its words: ``phase_channels``, ``edge``, ``bins``, ``keep_surrogates``,
        ``clusters``, ``memory``, ``hold`` ...

    Returns
    -------
    PAC

    Examples
    --------
    >>> import clpac
    >>> x = clpac.synth(seconds=20, seed=1)
    >>> found = clpac.pac(x, device="native", n_perm=50)
    >>> found.mi.shape
    (1, 1, 10, 10)
    """
    given = {
        "f_pha": f_pha,
        "f_amp": f_amp,
        "n_perm": n_perm,
        "measure": measure,
        "null": null,
        "picks": picks,
        "events": events,
        "pool": pool,
        "sliding": sliding,
        "random_state": random_state,
        **options,
    }
    if package_of(data) == "pyopencl":
        return _on_device(data, sfreq, names, given, (indices, tmin, tmax, event_id, device, n_jobs))
    request = _Request(
        RUN,
        data,
        sfreq,
        given,
        names=names,
        indices=indices,
        tmin=tmin,
        tmax=tmax,
        event_id=event_id,
        reject_by_annotation=reject_by_annotation,
        device=device,
        n_jobs=n_jobs,
        stacklevel=2,
    )
    return _of_recording(lib.clpac_analysis_run, request, progress, caution, spectra, 2)


def _on_device(data: Any, sfreq: float | None, names: Any, given: dict[str, Any], others: tuple[Any, ...]) -> PAC:
    """Of an array on a device the problem is computed as it stands."""
    if any(one is not None for one in others):
        raise ArgumentError(
            "an array on a device is computed there, whole: leave indices, tmin, tmax, event_id, device and n_jobs out"
        )
    from ._opencl import pac_of

    options = {name: value for name, value in given.items() if value is not None and value is not False}
    return pac_of(data, sfreq, names, options)


def erpac(
    data: Any,
    sfreq: float | None = None,
    f_pha: Any = None,
    f_amp: Any = None,
    *,
    events: Any = None,
    event_id: dict[str, int] | None = None,
    tmin: float | None = None,
    tmax: float | None = None,
    step: float | None = None,
    n_perm: int | None = None,
    indices: Any = None,
    names: Sequence[str] | None = None,
    picks: Any = None,
    reject_by_annotation: bool = True,
    random_state: int | None = None,
    device: Any = None,
    n_jobs: int | None = None,
    spectra: bool = False,
    progress: bool | Progress | None = None,
    **options: Any,
) -> PAC:
    """Coupling about an event, across trials, at each point in time, as ``clpac erpac``.

    Parameters
    ----------
    data, sfreq, f_pha, f_amp, event_id, indices, names, picks, reject_by_annotation, device, n_jobs, spectra, progress
        As for :func:`pac`.
    events : str, dict or ndarray
        The event, or several under one name: ``{"all": "go*"}``.
    tmin, tmax : float
        A trial, in seconds from its event.
    step : float, optional
        Seconds from one point in time to the next; by default 0.01.
    n_perm : int, optional
        Permutations of trials; by default 200.
    random_state : int, optional
        Seed; by default 42.
    **options
        All other options of ``clpac erpac``.

    Returns
    -------
    PAC
        ``.rho`` of shape (n_channels, n_points, n_pha, n_amp), from 0 to 1; ``.p``, ``.p_max``; ``.times`` in seconds.
    """
    given = {
        "f_pha": f_pha,
        "f_amp": f_amp,
        "n_perm": n_perm,
        "picks": picks,
        "events": events,
        "step": step,
        "random_state": random_state,
        **options,
    }
    request = _Request(
        ERPAC,
        data,
        sfreq,
        given,
        names=names,
        indices=indices,
        tmin=tmin,
        tmax=tmax,
        event_id=event_id,
        reject_by_annotation=reject_by_annotation,
        device=device,
        n_jobs=n_jobs,
        stacklevel=2,
    )
    return _of_recording(lib.clpac_analysis_erpac, request, progress, True, spectra, 2)


def compare(
    data: Any,
    sfreq: float | None = None,
    f_pha: Any = None,
    f_amp: Any = None,
    *,
    conditions: str | Sequence[str] | None = None,
    events: Any = None,
    event_id: dict[str, int] | None = None,
    tmin: float | None = None,
    tmax: float | None = None,
    value: str | None = None,
    side: str | None = None,
    permutations: int | None = None,
    indices: Any = None,
    names: Sequence[str] | None = None,
    picks: Any = None,
    reject_by_annotation: bool = True,
    random_state: int | None = None,
    device: Any = None,
    n_jobs: int | None = None,
    spectra: bool = False,
    progress: bool | Progress | None = None,
    **options: Any,
) -> PAC:
    """Two conditions of a recording, or of a result with epochs, cell by cell, as ``clpac compare``.

    Parameters
    ----------
    data : PAC, or what :func:`pac` takes
        A result of :func:`pac` with events, or a recording.  A path that ends in .npz is tried as a result first.
    sfreq, f_pha, f_amp, events, event_id, tmin, tmax, indices, names, picks, reject_by_annotation, device, n_jobs, spectra, progress
        As for :func:`pac`.
    conditions : sequence of two str, optional
        The conditions: the first less the second.
    value : {"index", "z"}, optional
        What to compare; by default the index.
    side : {"both", "greater", "less"}, optional
        Differences to look for.
    permutations : int, optional
        Permutations of labels; by default 10000.
    random_state : int, optional
        Seed; by default 42.
    **options
        All other options of ``clpac compare``.

    Returns
    -------
    PAC
        ``.effect``, ``.t``, ``.p``, ``.p_max``, ``.p_cluster``, each (n_channels, 1, n_pha, n_amp).
    """
    given = {
        "f_pha": f_pha,
        "f_amp": f_amp,
        "conditions": conditions,
        "events": events,
        "value": value,
        "side": side,
        "permutations": permutations,
        "picks": picks,
        "random_state": random_state,
        **options,
    }
    result = _result_or_none(data)
    if result is not None:
        if sfreq is not None:
            raise ArgumentError("sfreq is about a recording, and the epochs are computed already; leave it out")
        return _compute(
            lib.clpac_analysis_compare_epochs,
            Analysis(COMPARE, given),
            result._pointer,
            progress=progress,
            stacklevel=2,
        )
    request = _Request(
        COMPARE,
        data,
        sfreq,
        given,
        names=names,
        indices=indices,
        tmin=tmin,
        tmax=tmax,
        event_id=event_id,
        reject_by_annotation=reject_by_annotation,
        device=device,
        n_jobs=n_jobs,
        stacklevel=2,
    )
    return _of_recording(lib.clpac_analysis_compare, request, progress, True, spectra, 2)


def _result_or_none(data: Any) -> PAC | None:
    if isinstance(data, PAC):
        return data
    if not isinstance(data, (str, bytes, os.PathLike)) or not os.fsdecode(data).endswith(".npz"):
        return None
    try:
        with np.load(data) as file:
            is_result = "phase_bands_hz" in file.files
    except (OSError, ValueError):
        return None
    return as_result(data) if is_result else None


def group(
    first: Iterable[Any],
    second: Iterable[Any] | None = None,
    *,
    paired: bool = False,
    names: Sequence[str] | None = None,
    value: str | None = None,
    side: str | None = None,
    permutations: int | None = None,
    random_state: int | None = None,
    progress: bool | Progress | None = None,
    **options: Any,
) -> PAC:
    """Statistics over subjects, as ``clpac group``.

    Parameters
    ----------
    first : sequence of PAC or path
        A result of each subject, at least two.
    second : sequence of PAC or path, optional
        Those of a second group, or with ``paired`` the second result of each.  Without it, the first are compared with 0.
    paired : bool
        Whether both are the same subjects, in the same order.
    names : sequence of str, optional
        Names of the subjects for texts, of both groups one after the other.
    value : {"z", "index", "excess"}, optional
        What to compare; by default z.  The excess is the index less the mean of its surrogates.
    side : {"both", "greater", "less"}, optional
        Differences to look for.
    permutations : int, optional
        Permutations; by default 10000.
    random_state : int, optional
        Seed; by default 42.
    progress : bool or callable, optional
        As for :func:`pac`.
    **options
        All other options of ``clpac group``: measure, channel, clusters, family.

    Returns
    -------
    PAC
        ``.effect``, ``.t``, ``.p``, ``.p_max``, ``.p_cluster``.
    """
    given = {
        "paired": paired,
        "value": value,
        "side": side,
        "permutations": permutations,
        "random_state": random_state,
        **options,
    }
    analysis = Analysis(GROUP, given)
    groups = [list(first), [] if second is None else list(second)]
    texts = list(names) if names is not None else [_subject_name(one) for one in groups[0] + groups[1]]
    if len(texts) != len(groups[0]) + len(groups[1]):
        raise ArgumentError(f"names: {len(texts)} names of {len(groups[0]) + len(groups[1])} subjects")
    n_first = len(groups[0])
    subjects = [_subjects(groups[0], texts[:n_first]), _subjects(groups[1], texts[n_first:])]

    def compute(pointer: Any, source: Any, call: Any, out: Any, err: Any) -> int:
        second_group = ffi.NULL if second is None else subjects[1][0]
        return lib.clpac_analysis_group(pointer, subjects[0][0], second_group, call, out, err)

    return _compute(compute, analysis, None, progress=progress, stacklevel=2)


def _subjects(members: Sequence[Any], names: Sequence[str | None]) -> tuple[Any, Any]:
    """A clpac_subjects, and what it points to."""
    results = [as_result(one) for one in members]
    pointers = ffi.new("clpac_result *[]", [one._pointer for one in results])
    words = [ffi.new("char[]", os.fsencode(name or str(number + 1))) for number, name in enumerate(names)]
    array = ffi.new("char *[]", words)
    subjects = ffi.new(
        "clpac_subjects *",
        {
            "size": ffi.sizeof("clpac_subjects"),
            "results": ffi.cast("clpac_result *const *", pointers),
            "names": ffi.cast("char *const *", array),
            "n": len(results),
        },
    )
    return subjects, (results, pointers, words, array)


def table(
    results: Iterable[Any],
    roi: str | None = None,
    *,
    alpha: float | None = None,
    names: Sequence[str] | None = None,
) -> Any:
    """A table of results for statistics, as ``clpac table``.

    Parameters
    ----------
    results : sequence of PAC or path
        Any number of results.
    roi : str, optional
        Regions of interest, each with the range of the phase and of the amplitude in Hz, as
        ``"theta-gamma=4-8,30-80,alpha-gamma=8-12,30-80"``; by default the table has a row for each cell.
    alpha : float, optional
        Cells of p_max up to this are significant; by default 0.05.
    names : sequence of str, optional
        Paths in the place of those of the results, whose BIDS entities are the columns subject, session, task and run.

    Returns
    -------
    pandas.DataFrame
        The columns of ``clpac table``.  Its ``to_parquet`` writes Parquet where pyarrow is installed
        (``pip install 'clpac[parquet]'``).
    """
    pandas = need("pandas", "table", "pandas")
    import io

    members = list(results)
    texts = list(names) if names is not None else [_subject_name(one) for one in members]
    if len(texts) != len(members):
        raise ArgumentError(f"names: {len(texts)} names of {len(members)} results")
    if alpha is not None and not 0 < alpha <= 1:
        raise ArgumentError(f"alpha {alpha:g}: it must be above 0 and at most 1")
    subjects, kept = _subjects(members, texts)
    regions = ffi.NULL if roi is None else ffi.new("char[]", roi.encode())
    out = ffi.new("char **")
    call_library(lambda err: lib.clpac_analysis_table(subjects, regions, alpha or 0, out, err))
    del kept  # the library has read it
    csv = taken_text(out[0])
    words = ["result", "subject", "session", "task", "run", "channel", "condition", "measure", "region"]
    # A channel may be called NA, and a file have no subject: texts are as they are, and only numbers may be missing.
    names_of_numbers = [name for name in csv.partition("\n")[0].split(",") if name not in words]
    missing = dict.fromkeys(names_of_numbers, ["", "NaN"])
    return pandas.read_csv(io.StringIO(csv), dtype=dict.fromkeys(words, str), keep_default_na=False, na_values=missing)


def merge(paths: Iterable[str | os.PathLike[str]], *, progress: bool | Progress | None = None) -> PAC:
    """Puts the shards of a recording together, as ``clpac merge``.

    Parameters
    ----------
    paths : sequence of path
        Results of ``clpac run --shard``, from 1/N to N/N, in any order.
    progress : bool or callable, optional
        As for :func:`pac`.

    Returns
    -------
    PAC
        The result of the undivided run.
    """
    names = [ffi.new("char[]", os.fsencode(path)) for path in paths]
    array = ffi.new("char *[]", names)

    def compute(pointer: Any, source: Any, call: Any, out: Any, err: Any) -> int:
        return lib.clpac_analysis_merge(ffi.cast("char *const *", array), len(names), ffi.NULL, call, out, err)

    return _compute(compute, Analysis(GROUP, {}), None, progress=progress, stacklevel=2)


def _subject_name(one: Any) -> str | None:
    return os.fsdecode(one) if isinstance(one, (str, bytes, os.PathLike)) else None


def read(
    data: Any,
    sfreq: float | None = None,
    *,
    names: Sequence[str] | None = None,
    raw: str | None = None,
    array: str | None = None,
    resample: float | None = None,
    events_from: str | None = None,
    event_column: str | None = None,
    annotations: str | None = None,
) -> Recording:
    """Reads a recording: what clpac reads itself, and everything else through MNE or neo where they are installed.

    Parameters
    ----------
    data : path, or what :func:`pac` takes
        .npy, .npz, CSV, EDF, EDF+, BDF, BDF+, BrainVision, bare samples; others go to MNE, then to neo.
    sfreq : float, optional
        Sampling rate in Hz, for files that hold none.
    names : sequence of str, optional
        Names of the channels of an array.
    raw : str, optional
        The file holds bare samples: "f4:8" are eight channels of float32 side by side.
    array : str, optional
        The array of an .npz to read.
    resample : float, optional
        Brings every channel to this rate in Hz.
    events_from : str, optional
        "file", "table", or the path of a table of events; by default the table beside the file, where there is one.
    event_column : str, optional
        The column of that table that names events; by default ``trial_type``, else ``value``.
    annotations : path, optional
        A file whose annotations are joined, as a hypnogram; "none" for none.

    Returns
    -------
    Recording
    """
    reading = {"raw": raw, "array": array, "resample": resample}
    reading.update(events_from=events_from, event_column=event_column, annotations=annotations)
    return recording_of(data, sfreq, names, reading)


def forecast(data: Any, sfreq: float | None = None, f_pha: Any = None, f_amp: Any = None, **options: Any) -> dict[str, Any]:
    """How :func:`pac` would compute, as ``clpac plan --json``: devices, layout, memory, time.

    Parameters
    ----------
    data, sfreq, f_pha, f_amp, **options
        As for :func:`pac`.

    Returns
    -------
    dict
    """
    import json

    from ._errors import taken_text

    taken = {name: options.pop(name) for name in _REQUEST_WORDS if name in options}
    request = _Request(RUN, data, sfreq, {"f_pha": f_pha, "f_amp": f_amp, **options}, stacklevel=2, **taken)
    call, out = ffi.new("clpac_analysis_call *"), ffi.new("char **")
    name = ffi.new("char[]", request.recording.name.encode("utf-8", "surrogateescape"))
    call.size, call.name = ffi.sizeof("clpac_analysis_call"), name
    call.contexts, call.n_contexts = request.contexts.pointers, request.contexts.n
    with request.recording._lock:
        call_library(
            lambda err: lib.clpac_analysis_forecast(
                request.analysis.pointer, request.recording._pointer, call, True, out, err
            )
        )
    return json.loads(taken_text(out[0]))


_REQUEST_WORDS = ("names", "indices", "tmin", "tmax", "event_id", "reject_by_annotation", "device", "n_jobs")

"""Plans: made once for a problem, run any number of times on new data."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ._calls import Listener, Progress, as_progress
from ._calls import run as call_library
from ._clpac import ffi, lib
from ._contexts import Contexts, contexts_of
from ._errors import ArgumentError, ClpacError, check, new_error, taken_text, text_of
from ._inputs import package_of
from ._options import as_text
from ._pac import PAC

# Keywords beside those of a problem's text.
_KEYS = {
    "measure": "measures",
    "f_pha": "phase",
    "f_amp": "amplitude",
    "n_perm": "surrogates",
    "random_state": "seed",
    "sfreq": "rate",
    "n_channels": "channels",
    "n_epochs": "segments",
    "n_times": "samples",
}


def _problem_text(problem: str, options: Mapping[str, Any]) -> str:
    """A problem as a line of text; keywords take the place of its words."""
    words = {}
    for word in problem.split():
        key, _, value = word.partition("=")
        words[key] = value
    for keyword, value in options.items():
        key = _KEYS.get(keyword, keyword)
        if value is None:
            continue
        if value is True or value is False:
            words[key] = "yes" if value else "no"
        else:
            words[key] = str(as_text(key, value))
    return " ".join(f"{key}={value}" for key, value in words.items())


class Plan:
    """Memory, filters and layout for one problem on one device, for many runs on data of the same shape.

    Nothing is chosen, left out or cautioned here: each run computes what the problem says, of the samples as they are.
    For everything else there is :func:`pac`.

    Parameters
    ----------
    problem : str, optional
        A problem in one line, as :attr:`PAC.problem` and the program record it.
    shape : tuple of int, optional
        (n_times,), (n_channels, n_times) or (n_epochs, n_channels, n_times) of the data to come.
    sfreq : float, optional
        Sampling rate in Hz.
    f_pha, f_amp : str or array-like of shape (n, 2), optional
        Bands in Hz.
    n_perm, random_state : int, optional
        Surrogates and their seed; by default 200 and 42.
    device : str, optional
        As for :func:`pac`; one device.
    n_jobs : int, optional
        Threads of the native device.
    strategy : str, optional
        Trade of memory for time; it changes no number.
    keep_flat : bool, optional
        Computes series with a stretch at one value, as where data is missing, which else give NaN and a warning.
    names : sequence of str, optional
        Names of the channels.
    **options
        Other words of a problem: bins, measures, null, edge, ...

    Examples
    --------
    >>> import numpy as np, clpac
    >>> x = np.random.default_rng(0).normal(size=(4, 2048)).astype("f4")
    >>> with clpac.Plan(shape=x.shape, sfreq=512, n_perm=20, device="native") as plan:
    ...     plan.run(x).mi.shape
    (4, 1, 10, 10)
    """

    def __init__(
        self,
        problem: str | None = None,
        *,
        shape: Sequence[int] | None = None,
        sfreq: float | None = None,
        f_pha: Any = None,
        f_amp: Any = None,
        n_perm: int | None = None,
        random_state: int | None = None,
        device: Any = None,
        n_jobs: int | None = None,
        memory: Any = None,
        strategy: str | None = None,
        keep_flat: bool = False,
        names: Sequence[str] | None = None,
        **options: Any,
    ) -> None:
        given = {"sfreq": sfreq, "f_pha": f_pha, "f_amp": f_amp, "n_perm": n_perm, "random_state": random_state, **options}
        if problem is None and n_perm is None and "surrogates" not in options:
            given["n_perm"] = 200
        if problem is None and random_state is None and "seed" not in options:
            given["random_state"] = 42  # as in pac
        if shape is not None:
            sizes = tuple(int(n) for n in shape)
            if not 1 <= len(sizes) <= 3:
                raise ArgumentError("shape: give (n_times,), (n_channels, n_times) or (n_epochs, n_channels, n_times)")
            sizes = (1,) * (3 - len(sizes)) + sizes
            given.update(n_epochs=sizes[0], n_channels=sizes[1], n_times=sizes[2])
        err = new_error()
        copy = ffi.new("clpac_problem_copy **")
        check(lib.clpac_problem_read(_problem_text(problem or "", given).encode(), copy, err), err)
        self._copy = ffi.gc(copy[0], lib.clpac_problem_destroy)
        self._problem = lib.clpac_problem_get(self._copy)
        self._names = None if names is None else [ffi.new("char[]", str(name).encode()) for name in names]
        if isinstance(device, Contexts):
            self._contexts = device
        else:
            self._contexts = contexts_of({"device": device, "memory": memory}, n_jobs, 2)
        text, settings = f"strategy={strategy}" if strategy else "", ffi.new("clpac_plan_options **")
        check(lib.clpac_plan_options_read(text.encode(), settings, err), err)
        plan_options = ffi.gc(settings[0], lib.clpac_plan_options_free)
        plan_options.keep_flat = keep_flat
        # The progress function is the plan's, and hears of whichever run is under way.
        self._relay = _Relay()
        self._handle = ffi.new_handle(self._relay)
        plan_options.progress, plan_options.progress_user = lib.clpac_py_plan_progress, self._handle
        out = ffi.new("clpac_plan **")
        call_library(lambda e: lib.clpac_plan_create(self._contexts.pointers[0], self._problem, plan_options, out, e))
        self._plan: Any = ffi.gc(out[0], lib.clpac_plan_destroy)
        complete = lib.clpac_plan_problem(self._plan)
        self.shape = (complete.n_segments, complete.n_channels, complete.n_samples)

    @property
    def problem(self) -> str:
        """The problem in one line, with every default filled in."""
        text, err = ffi.new("char **"), new_error()
        check(lib.clpac_problem_write(lib.clpac_plan_problem(self._open()), text, err), err)
        return taken_text(text[0])

    @property
    def left_out(self) -> str:
        """Which bands of ranges do not fit the rate; "" for none."""
        text = lib.clpac_problem_left_out(self._copy)
        return "" if text == ffi.NULL else text_of(text)

    def explain(self) -> str:
        """Device, layout and memory, for people."""
        text, err = ffi.new("char **"), new_error()
        check(lib.clpac_plan_explain(self._open(), text, err), err)
        return taken_text(text[0])

    def _open(self) -> Any:
        if self._plan is None:
            raise ClpacError("the plan is closed")
        return self._plan

    def run(self, data: Any, *, progress: bool | Progress | None = None) -> PAC:
        """Computes.

        Parameters
        ----------
        data : ndarray or pyopencl.array.Array
            Of the plan's shape, any strides; float32 and float64 are read where they lie.  An array on an OpenCL device
            is brought here.
        progress : bool or callable, optional
            As for :func:`pac`.

        Returns
        -------
        PAC
        """
        plan = self._open()
        if package_of(data) == "pyopencl":
            data = data.get()
        samples, keep = self._samples(np.asarray(data))
        out = ffi.new("clpac_result **")
        with as_progress(progress) as tell:
            listener = Listener(tell)
            self._relay.listener = listener if tell is not None else None
            try:
                call_library(lambda err: lib.clpac_plan_run_samples(plan, samples, out, err), listener)
            finally:
                self._relay.listener = None
        del keep
        return PAC(out[0])

    __call__ = run

    def _samples(self, data: np.ndarray[Any, Any]) -> tuple[Any, list[Any]]:
        """Samples as the library takes them, and what must live as long."""
        x = data.reshape((1,) * (3 - data.ndim) + data.shape) if data.ndim < 3 else data
        if x.shape != self.shape:
            raise ArgumentError(f"data: the plan is for {self.shape} (epochs, channels, times), these are {x.shape}")
        if x.dtype not in (np.float32, np.float64) or not x.dtype.isnative:
            x = x.astype(np.float32 if x.dtype.itemsize <= 2 else np.float64)
        size = x.itemsize
        step = x.strides[2] if x.shape[2] > 1 else size
        fits = step > 0 and step % size == 0 and (x.shape[0] == 1 or (x.strides[0] > 0 and x.strides[0] % step == 0))
        if not fits or x.__array_interface__["data"][0] % size:
            x = np.ascontiguousarray(x)
            step = size
        base = x.__array_interface__["data"][0]
        channels = ffi.new("void *[]", [ffi.cast("void *", base + c * x.strides[1]) for c in range(x.shape[1])])
        samples = ffi.new("clpac_samples *")
        samples.type = lib.CLPAC_FLOAT32 if size == 4 else lib.CLPAC_FLOAT64
        samples.channels = ffi.cast("void *const *", channels)
        samples.sample_stride = step // size
        keep: list[Any] = [x, channels]
        if x.shape[0] > 1:
            starts = ffi.new("size_t[]", [e * x.strides[0] // step for e in range(x.shape[0])])
            samples.segment_starts = starts
            keep.append(starts)
        if self._names is not None:
            names = ffi.new("char *[]", self._names)
            samples.names = ffi.cast("char *const *", names)
            keep.append(names)
        return samples, keep

    def close(self) -> None:
        """Gives the plan's memory back.  Results stay."""
        if self._plan is not None:
            ffi.release(self._plan)
            self._plan = None

    def __enter__(self) -> Plan:
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<clpac.Plan: {'closed' if self._plan is None else self.problem}>"


class _Relay(threading.local):
    """Stands for the listener of the run that a thread has under way."""

    listener: Listener | None = None

    def tell(self, share: float) -> bool:
        return True if self.listener is None else self.listener.tell(share)

"""Open devices, which calls share: opening one takes longer than a short run."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Mapping
from typing import Any

from ._calls import Listener, logger, run
from ._clpac import ffi, lib
from ._errors import ClpacWarning, check, new_error, text_of
from ._options import RUN, Analysis

# Options about devices, which open contexts have already.
OPTIONS = ("device", "memory", "fft", "probe", "threads")

_lock = threading.Lock()
_open: dict[tuple[Any, ...], Contexts] = {}
_opening = threading.local()


class Contexts:
    """One open device, or several that share the work."""

    def __init__(self, pointers: Any, n: int) -> None:
        self.pointers, self.n = pointers, n
        self._owned = [ffi.gc(pointers[i], lib.clpac_context_close) for i in range(n)]


_LEVELS = {lib.CLPAC_LOG_WARNING: 30, lib.CLPAC_LOG_INFO: 20, lib.CLPAC_LOG_DEBUG: 10}


@ffi.def_extern()
def clpac_py_log(user: Any, level: int, text: Any) -> None:
    said = text_of(text)
    # Warnings of runs are in their reports as well, which are told.
    if level == lib.CLPAC_LOG_WARNING and getattr(_opening, "texts", None) is not None:
        _opening.texts.append(said)
    else:
        logger.log(min(_LEVELS.get(level, 10), 20), "%s", said)


def base_options(n_jobs: int | None) -> Any:
    """Settings of the environment, as the program takes them, and the number of threads."""
    options, err = ffi.new("clpac_options *"), new_error()
    options.size = ffi.sizeof("clpac_options")
    check(lib.clpac_options_from_environment(options, err), err)
    options.threads = options.threads if n_jobs is None else max(n_jobs, 0)
    options.log = lib.clpac_py_log
    return options


def _open_new(wanted: Mapping[str, Any], n_jobs: int | None, stacklevel: int) -> Contexts:
    analysis = Analysis(RUN, wanted)
    listener, call = Listener(), ffi.new("clpac_analysis_call *")
    sink = listener.sink()
    call.size, call.sink = ffi.sizeof("clpac_analysis_call"), sink
    options = base_options(n_jobs)
    pointers, n = ffi.new("clpac_context *[]", lib.CLPAC_MAX_DEVICES), ffi.new("size_t *")
    _opening.texts = []
    try:
        run(lambda err: lib.clpac_analysis_contexts(analysis.pointer, call, options, pointers, n, err), listener)
    finally:
        texts, _opening.texts = _opening.texts, None
    for text in dict.fromkeys(texts):
        warnings.warn(text, ClpacWarning, stacklevel=stacklevel + 1)
    listener.warn(set(), stacklevel + 1)
    return Contexts(pointers, n[0])


def contexts_of(wanted: Mapping[str, Any], n_jobs: int | None, stacklevel: int) -> Contexts:
    """The devices that these options name, opened by the first call that asks for them, in the environment of that time."""
    key = (n_jobs, *(wanted.get(name) for name in OPTIONS))
    with _lock:
        found = _open.get(key)
        if found is None:
            found = _open[key] = _open_new(wanted, n_jobs, stacklevel + 1)
    return found


def _forget() -> None:
    """In a forked child: what the parent has open on a device is the parent's."""
    global _lock
    _lock = threading.Lock()
    _open.clear()


os.register_at_fork(after_in_child=_forget)

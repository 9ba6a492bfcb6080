"""Calls that may take long: progress, warnings, Ctrl-C, and the end of the interpreter."""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from ._clpac import ffi, lib
from ._errors import ArgumentError, CautionWarning, ClpacWarning, check, new_error, text_of
from ._optional import need

logger = logging.getLogger("clpac")
logger.addHandler(logging.NullHandler())

Progress = Callable[[float], Any]

_in_flight: set[Any] = set()
_state = {"is_ending": False}


@contextlib.contextmanager
def as_progress(progress: bool | Progress | None) -> Iterator[Progress | None]:
    """The function that hears of progress: none, the caller's, or that of a bar."""
    if progress is None or progress is False:
        yield None
    elif progress is True:
        with need("tqdm.auto", "progress=True", "tqdm").tqdm(
            total=100, unit="%", bar_format="{l_bar}{bar}| {elapsed}<{remaining}"
        ) as bar:
            yield lambda share: bar.update(100 * share - bar.n) or True
            bar.update(100 - bar.n)
    elif callable(progress):
        yield progress
    else:
        raise ArgumentError(f"progress: {progress!r} is neither True nor a function")


class Listener:
    """Hears what one call of the library has to tell."""

    def __init__(self, progress: Progress | None = None) -> None:
        self.progress = progress
        self.exception: BaseException | None = None
        self.warnings: dict[str, int] = {}
        self.handle = ffi.new_handle(self)

    def sink(self) -> Any:
        return ffi.new(
            "clpac_analysis_sink *",
            {
                "size": ffi.sizeof("clpac_analysis_sink"),
                "user": self.handle,
                "warn": lib.clpac_py_warn,
                "note": lib.clpac_py_note,
                "phase": lib.clpac_py_phase,
                "progress": lib.clpac_py_progress,
            },
        )

    def tell(self, share: float) -> bool:
        """Whether to go on."""
        if self.exception is not None or _state["is_ending"]:
            return False
        try:
            return self.progress is None or self.progress(share) is not False
        except BaseException as exception:  # KeyboardInterrupt is raised here, too
            self.exception = exception
            return False

    def warn(self, cautions: set[str], stacklevel: int) -> None:
        """Each warning once."""
        for text, count in self.warnings.items():
            kind = CautionWarning if text in cautions else ClpacWarning
            warnings.warn(text + (f" ({count} times)" if count > 1 else ""), kind, stacklevel=stacklevel + 1)


@ffi.def_extern()
def clpac_py_warn(user: Any, count: int, text: Any) -> None:
    listener, said = ffi.from_handle(user), text_of(text)
    listener.warnings[said] = listener.warnings.get(said, 0) + count


@ffi.def_extern()
def clpac_py_note(user: Any, text: Any) -> None:
    logger.info("%s", text_of(text))


@ffi.def_extern()
def clpac_py_phase(user: Any, text: Any) -> None:
    logger.debug("%s", text_of(text))


@ffi.def_extern(error=False)
def clpac_py_progress(user: Any, at: Any) -> bool:
    return ffi.from_handle(user).tell(at.share)


@ffi.def_extern(error=False)
def clpac_py_plan_progress(user: Any, done: int, total: int) -> bool:
    return ffi.from_handle(user).tell(min(done / total, 1.0) if total else 0.0)


def _hears_signals() -> bool:
    return (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )


def run(work: Callable[[Any], int], listener: Listener | None = None) -> None:
    """Runs a call of the library, which gets a clpac_error and returns its status.

    Ctrl-C ends it within a tenth of a second or so, and is KeyboardInterrupt then.
    """
    err, made = new_error(), ffi.new("clpac_cancel **")
    check(lib.clpac_cancel_create(made, err), err)
    cancel = ffi.gc(made[0], lib.clpac_cancel_destroy)  # _end may hold it longer than this call
    hears, before = False, lib.clpac_cancel_use(cancel)
    _in_flight.add(cancel)
    try:
        if _state["is_ending"]:
            lib.clpac_cancel_set(cancel)
        hears = _hears_signals() and lib.clpac_py_interrupt_begin(cancel)
        status = work(err)
    finally:
        if hears:
            lib.clpac_py_interrupt_end()
        lib.clpac_cancel_use(before)
        _in_flight.discard(cancel)
    if listener is not None and listener.exception is not None:
        raise listener.exception
    check(status, err)


def _end() -> None:
    """Ends the calls of daemon threads, which would otherwise come back to an interpreter that is gone."""
    _state["is_ending"] = True
    patience_s = 10
    until = time.monotonic() + patience_s
    while _in_flight and time.monotonic() < until:
        for cancel in list(_in_flight):
            lib.clpac_cancel_set(cancel)
        time.sleep(0.005)


atexit.register(_end)
os.register_at_fork(after_in_child=_in_flight.clear)

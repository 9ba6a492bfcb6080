"""Options of analyses: from keywords to the words of the program."""

from __future__ import annotations

import difflib
import functools
import numbers
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ._clpac import ffi, lib
from ._errors import ArgumentError, check, new_error, text_of

RUN, ERPAC, COMPARE, GROUP = (
    lib.CLPAC_ANALYSIS_RUN,
    lib.CLPAC_ANALYSIS_ERPAC,
    lib.CLPAC_ANALYSIS_COMPARE,
    lib.CLPAC_ANALYSIS_GROUP,
)

# Keywords of the field beside the program's words.
ALIASES = {
    "f_pha": "phase",
    "f_amp": "amplitude",
    "n_perm": "surrogates",
    "random_state": "seed",
    "picks": "channels",
}


@functools.cache
def names(kind: int) -> tuple[str, ...]:
    """The options of a kind of analysis as keywords, in the order of the program's help."""
    found: list[str] = []
    option = ffi.new("clpac_analysis_option *")
    option.size = ffi.sizeof("clpac_analysis_option")
    while lib.clpac_analysis_option_get(kind, len(found), option):
        found.append(text_of(option.name).replace("-", "_"))
    return tuple(found)


def is_band_list(value: Any) -> bool:
    return isinstance(value, (np.ndarray, list, tuple)) and np.ndim(value) == 2


def _number(value: Any) -> str:
    """The shortest text that reads as the same number."""
    if isinstance(value, numbers.Integral):
        return str(int(value))
    value = float(value)
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def _word(value: Any) -> str:
    return _number(value) if isinstance(value, numbers.Real) else str(value)


def as_text(name: str, value: Any) -> str | None:
    """A value as the program's word for it; None where the option keeps its default."""
    if value is None or value is False:
        return None
    if value is True:
        return "yes"
    if type(value) is str:
        return value
    if name == "pairs" and not isinstance(value, str):
        return ",".join(f"{phase}>{amplitude}" for phase, amplitude in value)
    if name in ("phase", "amplitude") and not isinstance(value, (str, numbers.Real)):
        bands = np.asarray(value, float)
        if bands.ndim == 1 and bands.shape == (2,):
            bands = bands[None]
        if bands.ndim != 2 or bands.shape[1] != 2:
            raise ArgumentError(f"{name}: give bands as an array of shape (n, 2), in Hz, or a text as 2:20:10")
        return ",".join(f"{_number(lo)}-{_number(hi)}" for lo, hi in bands.tolist())
    if name in ("window", "segment", "sliding") and isinstance(value, (tuple, list)):
        return ":".join(_number(part) for part in value)
    if isinstance(value, Mapping):
        return ",".join(f"{key}={_word(pattern)}" for key, pattern in value.items())
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        return ",".join(_word(part) for part in value)
    return _word(value)


class Analysis:
    """A clpac_analysis, made of keywords."""

    def __init__(self, kind: int, options: Mapping[str, Any]) -> None:
        err, out = new_error(), ffi.new("clpac_analysis **")
        check(lib.clpac_analysis_read(b"", out, err), err)
        self.kind = kind
        self.pointer = ffi.gc(out[0], lib.clpac_analysis_destroy)
        given: dict[str, str] = {}
        for keyword, value in options.items():
            name = ALIASES.get(keyword, keyword)
            if name not in names(kind):
                near = difflib.get_close_matches(keyword, [*names(kind), *ALIASES], n=1)
                raise ArgumentError(f"there is no option {keyword}" + (f"; did you mean {near[0]}?" if near else ""))
            if value is not None and name in given:
                raise ArgumentError(f"{given[name]} and {keyword} are one option; give one of them")
            if value is not None:
                given[name] = keyword
            text = as_text(name, value)
            if text is not None:
                self.set(name, text)

    def set(self, name: str, text: str) -> None:
        err = new_error()
        word = name.replace("_", "-").encode()
        check(lib.clpac_analysis_set(self.pointer, word, text.encode(), err), err)

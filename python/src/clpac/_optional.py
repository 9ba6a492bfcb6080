"""Packages that are needed for some kinds of data alone."""

from __future__ import annotations

import importlib
from typing import Any


def need(module: str, what: str, extra: str) -> Any:
    """Imports a package, or says how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError as problem:
        name = module.partition(".")[0]
        raise ImportError(f"{what} needs {name}, which is not installed: pip install 'clpac[{extra}]'") from problem

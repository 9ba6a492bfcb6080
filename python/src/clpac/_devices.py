"""The devices of this machine."""

from __future__ import annotations

import functools
import json
from typing import Any

from ._calls import run
from ._clpac import ffi, lib
from ._contexts import base_options
from ._errors import taken_text, text_of


class Device:
    """A device that clpac can compute on.

    Attributes
    ----------
    selection : str
        What names it: "native", "0:1".
    name, platform, driver : str
        As the driver tells.
    facts : dict
        All that is known of it, as ``clpac devices --json`` prints it.
    """

    def __init__(self, facts: dict[str, Any]) -> None:
        self.facts = facts
        self.name = str(facts.get("name", ""))
        self.platform = str(facts.get("platform_name", ""))
        self.driver = str(facts.get("driver", ""))
        self.selection = str(facts.get("selection", ""))

    def __repr__(self) -> str:
        return f"<clpac.Device {self.selection}: {self.name}>"


def devices() -> list[Device]:
    """The devices of this machine: the processor itself, and those of OpenCL's drivers.

    Returns
    -------
    list of Device
        Each may be named by its ``selection`` as ``device`` of :func:`pac`.
    """
    options, out = base_options(None), ffi.new("clpac_device_list **")
    options.device = b"all"  # for the best device alone no driver is entered where it is the processor
    run(lambda err: lib.clpac_devices_find_for(options, out, err))
    found = ffi.gc(out[0], lib.clpac_devices_destroy)
    text = ffi.new("char **")
    run(lambda err: lib.clpac_devices_json(found, text, err))
    return _read(json.loads(taken_text(text[0])))


def _read(facts: dict[str, Any]) -> list[Device]:
    return [Device(one) for one in facts["devices"]]


def parts() -> list[str]:
    """What this build consists of: kernels, OpenCL, FFT engines and their versions, a line each."""
    lines = []
    for function in (lib.clpac_parts, lib.clpac_io_parts):
        text = ffi.new("char **")
        run(functools.partial(function, text))
        lines += taken_text(text[0]).splitlines()
    return lines


def version() -> str:
    """The version of the C library."""
    return text_of(lib.clpac_version())

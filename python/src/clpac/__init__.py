"""Phase-amplitude coupling of brain recordings, on any OpenCL device and on plain CPUs.

The numbers are those of the program clpac, bit by bit: an analysis here is the same analysis there, and its options have
the same names.
"""

from typing import TYPE_CHECKING, Any

from ._analysis import compare, erpac, forecast, group, merge, pac, read, table
from ._devices import Device, devices, parts, version
from ._errors import (
    ArgumentError,
    Cancelled,
    CautionWarning,
    ClpacError,
    ClpacWarning,
    DeviceError,
    DeviceMemoryError,
    FileError,
    FileMissingError,
    FileThereError,
    ForkedError,
    FormatError,
    OutOfMemoryError,
    UnsupportedError,
)
from ._pac import PAC, Peak, load
from ._plan import Plan
from ._plot import Picture
from ._recording import Annotation, Recording
from ._synth import synth

if TYPE_CHECKING:
    from ._opencl import Pool
    from ._sklearn import PACTransformer

__version__ = version()


def __getattr__(name: str) -> Any:
    """What needs other packages is imported when it is asked for."""
    if name == "PACTransformer":
        from ._sklearn import PACTransformer

        return PACTransformer
    if name == "Pool":
        from ._opencl import Pool

        return Pool
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "PAC",
    "PACTransformer",
    "Annotation",
    "ArgumentError",
    "Cancelled",
    "CautionWarning",
    "ClpacError",
    "ClpacWarning",
    "Device",
    "DeviceError",
    "DeviceMemoryError",
    "FileError",
    "FileMissingError",
    "FileThereError",
    "ForkedError",
    "FormatError",
    "OutOfMemoryError",
    "Peak",
    "Picture",
    "Plan",
    "Pool",
    "Recording",
    "UnsupportedError",
    "compare",
    "devices",
    "erpac",
    "forecast",
    "group",
    "load",
    "merge",
    "pac",
    "parts",
    "read",
    "synth",
    "table",
    "version",
]

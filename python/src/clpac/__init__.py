"""Phase-amplitude coupling of brain recordings, on any OpenCL device and on plain CPUs."""

from ._analysis import pac
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
from ._pac import PAC
from ._recording import Recording

__all__ = [
    "PAC",
    "ArgumentError",
    "Cancelled",
    "CautionWarning",
    "ClpacError",
    "ClpacWarning",
    "DeviceError",
    "DeviceMemoryError",
    "FileError",
    "FileMissingError",
    "FileThereError",
    "ForkedError",
    "FormatError",
    "OutOfMemoryError",
    "Recording",
    "UnsupportedError",
    "pac",
]

"""Errors of the library as exceptions, one class for each thing that a caller can do about it."""

from __future__ import annotations

import errno
from typing import Any

from ._clpac import ffi, lib


class ClpacError(Exception):
    """Any error of clpac.

    Attributes
    ----------
    status : str
        What kind of error it is, as "wrong argument".
    option : str
        The option or argument to correct; "" where the text alone tells.
    native_code : int
        The driver's or the system's own code; 0 where there is none.
    wanted_bytes, available_bytes : int
        Where memory was too small: what was asked for, and what there was.
    """

    status: str = ""
    option: str = ""
    native_code: int = 0
    wanted_bytes: int = 0
    available_bytes: int = 0

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self.args, self.__dict__


class ArgumentError(ClpacError, ValueError):
    """An argument is wrong; the text names it, and says what is allowed."""


class OutOfMemoryError(ClpacError, MemoryError):
    """The computer has no memory left for this."""


class DeviceMemoryError(OutOfMemoryError):
    """The device, or what clpac may use of it, is too small."""


class DeviceError(ClpacError, RuntimeError):
    """No device fits, a driver failed, or a kernel could not be built."""


class ForkedError(DeviceError):
    """What was opened on a device before a fork belongs to the parent process."""


class FormatError(ClpacError, ValueError):
    """The content of a file does not fit its format, or gives no value."""


class FileError(ClpacError, OSError):
    """A file cannot be read or written."""


class FileMissingError(FileError, FileNotFoundError):
    """A file is not there."""


class FileThereError(FileError, FileExistsError):
    """A file is there already; give overwrite=True to replace it."""


class UnsupportedError(ClpacError, NotImplementedError):
    """This build, this device or this analysis cannot do it."""


class Cancelled(ClpacError):
    """A progress function returned False.  After Ctrl-C it is KeyboardInterrupt."""


class ClpacWarning(UserWarning):
    """Something that may make a result other than expected."""


class CautionWarning(ClpacWarning):
    """A reason not to believe a result."""


_CLASSES: dict[int, type[ClpacError]] = {
    lib.CLPAC_ERROR_ARGUMENT: ArgumentError,
    lib.CLPAC_ERROR_NO_MEMORY: OutOfMemoryError,
    lib.CLPAC_ERROR_NO_DEVICE_MEMORY: DeviceMemoryError,
    lib.CLPAC_ERROR_NO_DEVICE: DeviceError,
    lib.CLPAC_ERROR_DEVICE: DeviceError,
    lib.CLPAC_ERROR_BUILD: DeviceError,
    lib.CLPAC_ERROR_FORMAT: FormatError,
    lib.CLPAC_ERROR_IO: FileError,
    lib.CLPAC_ERROR_UNSUPPORTED: UnsupportedError,
    lib.CLPAC_ERROR_CANCELLED: Cancelled,
    lib.CLPAC_ERROR_FORKED: ForkedError,
}
_FILE_CLASSES: dict[int, type[FileError]] = {errno.ENOENT: FileMissingError, errno.EEXIST: FileThereError}


def text_of(pointer: Any) -> str:
    """A text of the library, which stays the library's."""
    return ffi.string(pointer).decode("utf-8", "replace")


def taken_text(pointer: Any) -> str:
    """A text that the library gave, which is freed."""
    try:
        return text_of(pointer)
    finally:
        lib.clpac_text_free(pointer)


def error_of(status: int, err: Any) -> ClpacError:
    """The exception for a status and what the library wrote about it."""
    kind = _CLASSES.get(status, ClpacError)
    if status == lib.CLPAC_ERROR_IO:
        kind = _FILE_CLASSES.get(err.native_code, FileError)
    made = kind(text_of(err.text))
    made.status = text_of(lib.clpac_status_text(status))
    made.option = text_of(err.member).replace("-", "_")
    made.native_code = err.native_code
    made.wanted_bytes = err.wanted_bytes
    made.available_bytes = err.available_bytes
    if isinstance(made, OSError):
        made.errno = err.native_code
    return made


def check(status: int, err: Any) -> None:
    """Raises where a call failed."""
    if status != lib.CLPAC_OK:
        raise error_of(status, err)


def new_error() -> Any:
    return ffi.new("clpac_error *")

"""The C interface, whose declarations are those of the library's headers."""

from typing import Any

ffi: Any
lib: Any

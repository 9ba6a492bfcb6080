"""python -m clpac: the program clpac, which came with the package in a wheel, or is found in PATH."""

import os
import shutil
import sys
from importlib import metadata


def find_program() -> str | None:
    """The path of the program; None where there is none."""
    try:
        files = metadata.files("clpac") or []
    except metadata.PackageNotFoundError:
        files = []
    for file in files:
        path = os.path.abspath(file.locate())
        if file.parts[-2:] == ("bin", "clpac") and os.access(path, os.X_OK):
            return path
    return shutil.which("clpac")


def main() -> None:
    path = find_program()
    if not path:
        sys.exit("python -m clpac: the program clpac is not there: install clpac, or its wheel, which has it")
    os.execv(path, [path, *sys.argv[1:]])


if __name__ == "__main__":
    main()

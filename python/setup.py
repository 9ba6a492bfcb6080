"""What pyproject.toml cannot say: cffi builds the C interface, and a wheel that holds the library brings its programs along."""

import glob
import os
import shutil
import subprocess

from setuptools import setup
from setuptools.command.build_py import build_py


def variable(name):
    """The folder of an installed clpac, as pkg-config knows it."""
    return subprocess.check_output(["pkg-config", f"--variable={name}", "clpac-analysis"], text=True).strip()


class BuildWithProbe(build_py):
    """Puts clpac-probe where the library looks for it: in its folder beside the module that holds the library."""

    def run(self):
        super().run()
        for path in probes:
            folder = os.path.join(self.build_lib, "clpac", os.path.basename(os.path.dirname(path)))
            os.makedirs(folder, exist_ok=True)
            shutil.copy2(path, folder)


def taken(path):
    """A copy of a file below build/, whose files are in no sdist: setuptools wants relative paths."""
    folder = os.path.join("build", "programs")
    os.makedirs(folder, exist_ok=True)
    return shutil.copy2(path, folder)


probes, programs = [], []
if os.environ.get("CLPAC_STATIC") == "1":
    # clpac looks for clpac-probe in ../lib.
    probes = glob.glob(os.path.join(variable("libdir"), "clpac-memory*", "clpac-probe"))
    programs = [("bin", [taken(os.path.join(variable("prefix"), "bin", "clpac"))])]
    programs += [(os.path.join("lib", os.path.basename(os.path.dirname(path))), [taken(path)]) for path in probes]

setup(cffi_modules=["build_clpac.py:ffi"], cmdclass={"build_py": BuildWithProbe}, data_files=programs)

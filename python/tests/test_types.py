"""Types of the package hold, by mypy; every public function says in numpydoc what it takes and gives."""

import inspect
import pathlib
import re
import subprocess
import sys

import pytest

import clpac

HERE = pathlib.Path(__file__).parents[1]


def test_mypy_finds_nothing(tmp_path):
    pytest.importorskip("mypy", reason="mypy is not installed")
    if not (HERE / "mypy.ini").exists():
        pytest.skip("mypy.ini is in the sources of clpac, and these are not there")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", HERE / "mypy.ini", "--cache-dir", tmp_path, HERE / "src/clpac"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout


def public():
    for name in clpac.__all__:
        if name == "PACTransformer":
            pytest.importorskip("sklearn", reason="scikit-learn is not installed")
        made = getattr(clpac, name)
        yield name, made
        if inspect.isclass(made):
            for own, member in vars(made).items():
                if not own.startswith("_") and inspect.isfunction(member):
                    yield f"{name}.{own}", member


def test_everything_public_is_there_and_documented():
    n = 0
    for name, made in public():
        n += 1
        text = inspect.getdoc(made)
        assert text, name
        if not inspect.isfunction(made):
            continue
        described = " ".join(re.findall(r"^([\w*][\w*, ]*)(?: :.*)?$", text, re.M))
        for parameter in inspect.signature(made).parameters.values():
            if parameter.name != "self" and "Parameters" in text:
                assert parameter.name in described, f"{name}: {parameter.name}"
    assert n > 50
    assert set(clpac.__all__) <= {*dir(clpac), "PACTransformer", "Pool"}

"""The Python of the README files runs as it is written."""

import pathlib
import re

import numpy as np
import pytest

import clpac

PACKAGE = pathlib.Path(__file__).parents[1]
PAGES = [PACKAGE / "README.md", PACKAGE.parent / "README.md"]


@pytest.mark.parametrize("page", PAGES, ids=["package", "project"])
def test_the_python_of_a_page_runs(page, tmp_path, monkeypatch):
    if not page.exists():
        pytest.skip("there is no README.md beside the package")
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    np.save("example.npy", clpac.synth(seconds=10, channels=2).get_data())
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, str(page), "exec"), {})
    if "savefig" in "".join(blocks):
        assert (tmp_path / "example.png").stat().st_size > 10_000

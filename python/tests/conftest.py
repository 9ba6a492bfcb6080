"""What tests share: the program beside which the package is held, and made recordings."""

import os
import shutil
import subprocess

import numpy as np
import pytest

RATE = 200


@pytest.fixture(scope="session")
def program():
    """Runs the program clpac with words; CLPAC_TEST_PROGRAM names another one than that of PATH."""
    path = os.environ.get("CLPAC_TEST_PROGRAM") or shutil.which("clpac")
    if not path:
        pytest.skip("the program clpac is not there: set CLPAC_TEST_PROGRAM")

    def run(*words, may_refuse=False):
        done = subprocess.run([path, *map(str, words)], capture_output=True, text=True)
        assert done.returncode == 0 or may_refuse, done.stderr
        return done

    return run


@pytest.fixture(autouse=True, scope="session")
def cache(tmp_path_factory):
    """Compiled kernels and verdicts are the tests' own."""
    os.environ.setdefault("CLPAC_CACHE", str(tmp_path_factory.mktemp("cache")))


def coupled(n_channels=3, n_samples=6000, seed=5):
    """Channels of float32 in which the phase at 6 Hz drives the amplitude at 55 Hz."""
    draw = np.random.default_rng(seed)
    t = np.arange(n_samples) / RATE
    made = np.empty((n_channels, n_samples), np.float32)
    for c in range(n_channels):
        slow = 2 * np.pi * 6 * t + np.cumsum(draw.normal(0, 0.05, n_samples))
        fast = (1 + 0.8 * np.cos(slow)) * np.sin(2 * np.pi * 55 * t + draw.uniform(0, 6))
        made[c] = np.cos(slow) + fast + draw.normal(0, 0.5, n_samples)
    return made


@pytest.fixture(scope="session")
def signal():
    return coupled()

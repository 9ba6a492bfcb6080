"""clpac.pac of arrays gives what the program gives of the same samples in a file."""

import numpy as np
import pytest

import clpac

OPTIONS = dict(phase="5-7,9-11", amplitude="40-60,60-80", surrogates=19, device="native")
RATE = 200


def words(options):
    return [word for key, value in options.items() for word in (f"--{key.replace('_', '-')}", value)]


@pytest.fixture(scope="module")
def wanted(program, signal, tmp_path_factory):
    folder = tmp_path_factory.mktemp("wanted")
    np.save(folder / "x.npy", signal)
    program("run", folder / "x.npy", "--rate", RATE, "-q", "-o", folder / "x_pac.npz", *words(OPTIONS))
    return dict(np.load(folder / "x_pac.npz"))


@pytest.mark.parametrize("name", ["mi", "z", "p", "p_max", "surrogate_mean", "surrogate_std", "preferred_phase_rad"])
def test_an_array_gives_the_numbers_of_the_program(signal, wanted, name):
    made = clpac.pac(signal, RATE, **OPTIONS)
    np.testing.assert_array_equal(getattr(made, name), wanted[name])
    assert getattr(made, name).dtype == np.float32


def views(x):
    yield "sample by sample", np.asfortranarray(x)
    yield "every second of more", np.repeat(x, 2, axis=1)[:, ::2]
    yield "backwards", x[:, ::-1].copy()[:, ::-1]
    yield "in a record", np.rec.fromarrays([x, x], names="a,b").a


@pytest.mark.parametrize("which", range(4))
def test_samples_may_lie_anywhere(signal, wanted, which):
    name, view = list(views(signal))[which]
    np.testing.assert_array_equal(clpac.pac(view, RATE, **OPTIONS).mi, wanted["mi"], err_msg=name)


def test_arrays_outlive_their_result(signal):
    made = clpac.pac(signal, RATE, **OPTIONS)
    mi, before = made.mi, made.mi.copy()
    del made
    for _ in range(20):
        clpac.pac(signal[:1], RATE, **OPTIONS)
    np.testing.assert_array_equal(mi, before)
    with pytest.raises(ValueError):
        mi[0] = 0


def test_an_array_needs_its_rate(signal):
    with pytest.raises(clpac.ArgumentError, match="sfreq"):
        clpac.pac(signal)


def test_a_wrong_option_is_named(signal):
    with pytest.raises(clpac.ArgumentError, match="bins") as caught:
        clpac.pac(signal, RATE, bins=1)
    assert caught.value.option == "bins"


def test_an_unknown_option_has_its_nearest(signal):
    with pytest.raises(clpac.ArgumentError, match="surrogates"):
        clpac.pac(signal, RATE, surrogate=3)

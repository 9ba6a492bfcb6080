"""Arrays of pyopencl stay on their device, and take their memory from clpac's pool."""

import gc

import numpy as np
import pytest

import clpac
from conftest import RATE, coupled

cl = pytest.importorskip("pyopencl", reason="pyopencl is not installed")
import pyopencl.array  # noqa: E402

FEW = dict(f_pha="5-7,9-11", f_amp="40-60,60-80", n_perm=19)


@pytest.fixture(scope="module")
def queue():
    try:
        devices = [device for platform in cl.get_platforms() for device in platform.get_devices()]
    except cl.Error as problem:
        pytest.skip(f"no driver of OpenCL: {problem}")
    fit = [device for device in devices if "Portable" in device.platform.name] or devices
    if not fit:
        pytest.skip("no device of OpenCL")
    return cl.CommandQueue(cl.Context(fit[:1]))


@pytest.mark.parametrize("shape", [(6000,), (3, 6000), (3, 3, 2000)])
def test_an_array_on_a_device_gives_the_numbers_of_the_host(queue, shape):
    x = coupled(3 if len(shape) > 1 else 1).reshape(shape)
    made = clpac.pac(cl.array.to_device(queue, x), RATE, **FEW)
    wanted = clpac.Plan(shape=shape, sfreq=RATE, device="native", **FEW).run(x)
    assert made.shape == wanted.shape and made.problem == wanted.problem
    for name in ("mi", "z", "p", "p_max", "surrogate_mean", "preferred_phase"):
        np.testing.assert_allclose(made.get_data(name), wanted.get_data(name), rtol=2e-4, atol=2e-5, err_msg=name)
    np.testing.assert_array_equal(made.f_pha, wanted.f_pha)
    np.testing.assert_array_equal(made.valid, wanted.valid)


def test_views_on_a_device_are_read_where_they_lie(queue):
    x = coupled()
    whole = cl.array.to_device(queue, np.repeat(x, 2, axis=1))
    made = clpac.pac(whole[1:, ::2], RATE, names=["A", "B"], **FEW)
    np.testing.assert_array_equal(made.mi, clpac.pac(cl.array.to_device(queue, x[1:].copy()), RATE, **FEW).mi)
    assert made.ch_names == ["A", "B"]


def test_what_a_device_does_not_do_is_refused(queue):
    x = cl.array.to_device(queue, coupled())
    with pytest.raises(clpac.ArgumentError, match="float32"):
        clpac.pac(x.astype(np.float64), RATE)
    with pytest.raises(clpac.ArgumentError, match="sfreq"):
        clpac.pac(x)
    with pytest.raises(clpac.ArgumentError, match="tmin"):
        clpac.pac(x, RATE, tmin=1)
    with pytest.raises(clpac.ArgumentError):
        clpac.pac(x, RATE, events="go")


def test_a_pool_gives_memory_to_arrays_and_takes_it_back(queue):
    pool = clpac.Pool(queue)
    ones = cl.array.empty(queue, 1000, np.float32, allocator=pool)
    ones.fill(1)
    assert (ones + ones).get().tolist() == [2] * 1000
    for _ in range(50):
        made = cl.array.zeros(queue, 1 << 16, np.float32, allocator=pool)
        assert not made.get().any()
    del made
    gc.collect()
    x = cl.array.empty(queue, (1, 6000), np.float32, allocator=pool)
    x.set(coupled(1))
    np.testing.assert_allclose(
        clpac.pac(x, RATE, **FEW).mi, clpac.Plan(shape=(1, 6000), sfreq=RATE, device="native", **FEW).run(coupled(1)).mi, rtol=1e-4
    )


def test_memory_that_was_given_back_is_given_out_again(queue):
    pool = clpac.Pool(queue)
    before = pool.statistics()
    for _ in range(100):
        assert pool(1 << 20).size >= 1 << 20
    gc.collect()
    after = pool.statistics()
    assert after["active_buffers"] == before["active_buffers"]
    assert after["allocated_bytes"] - before["allocated_bytes"] < 16 << 20

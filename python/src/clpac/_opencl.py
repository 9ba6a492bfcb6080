"""Arrays of pyopencl, which stay on their device, and an allocator of clpac for them."""

from __future__ import annotations

import functools
import json
import threading
from collections import OrderedDict
from typing import Any

from ._calls import run
from ._clpac import ffi, lib
from ._contexts import Contexts, base_options
from ._errors import ArgumentError, UnsupportedError, check, new_error, taken_text
from ._optional import need
from ._pac import PAC
from ._plan import Plan

_MOST_CONTEXTS = 8
_lock = threading.Lock()
# By queue; the queue is kept, so that its number stays its own.
_contexts: OrderedDict[int, tuple[Contexts, Any]] = OrderedDict()


def _needs_opencl() -> None:
    if not hasattr(lib, "clpac_context_from_opencl"):
        raise UnsupportedError("this build of clpac has no OpenCL: build it with OpenCL's headers")


def contexts_on(queue: Any) -> Contexts:
    """An open device on the application's queue."""
    _needs_opencl()
    with _lock:
        found = _contexts.get(queue.int_ptr)
        if found is not None:
            _contexts.move_to_end(queue.int_ptr)
            return found[0]
        pointers, options = ffi.new("clpac_context *[]", 1), base_options(None)
        run(
            lambda err: lib.clpac_context_from_opencl(
                ffi.cast("cl_context", queue.context.int_ptr),
                ffi.cast("cl_device_id", queue.device.int_ptr),
                ffi.cast("cl_command_queue", queue.int_ptr),
                options,
                pointers,
                err,
            )
        )
        made = Contexts(pointers, 1)
        _contexts[queue.int_ptr] = made, queue
        if len(_contexts) > _MOST_CONTEXTS:
            _contexts.popitem(last=False)
        return made


# Arrays that a run on the device writes; q_bh and its like are finished on the host from whole results.
_ALWAYS = ("CLPAC_MI", "CLPAC_PREFERRED_PHASE", "CLPAC_MEAN_VECTOR", "CLPAC_PEAK_DISTRIBUTION")
_WITH_SURROGATES = (
    "CLPAC_Z",
    "CLPAC_P",
    "CLPAC_SURROGATE_MEAN",
    "CLPAC_SURROGATE_STD",
    "CLPAC_P_MAX",
    "CLPAC_MAXIMA",
    "CLPAC_STANDARDIZED",
)


def pac_of(data: Any, sfreq: float | None, names: Any, options: dict[str, Any]) -> PAC:
    """Coupling of an array on a device: its samples are read there, and the results alone come to the host."""
    cl = need("pyopencl", "an array of pyopencl", "opencl")
    array = need("pyopencl.array", "an array of pyopencl", "opencl")
    if not isinstance(data, array.Array):
        raise ArgumentError(f"{type(data).__name__} of pyopencl: give an Array")
    if data.dtype != "float32":
        raise ArgumentError(f"an array of {data.dtype} on a device: give float32")
    if data.ndim > 3 or data.ndim < 1:
        raise ArgumentError("give (n_times,), (n_channels, n_times) or (n_epochs, n_channels, n_times)")
    queue = data.queue
    if queue is None:
        raise ArgumentError("the array has no queue: give array.with_queue(queue)")
    if sfreq is None:
        raise ArgumentError("sfreq: an array does not hold its sampling rate; give it in Hz")
    strides = [0] * (3 - data.ndim) + [stride // 4 for stride in data.strides]
    if strides[2] <= 0 or min(strides) < 0:
        raise ArgumentError("an array on a device is read forwards: give one of strides above 0")
    plan = Plan(shape=data.shape, sfreq=sfreq, device=contexts_on(queue), names=names, **options)
    wanted = lib.clpac_plan_problem(plan._plan)
    held = [getattr(lib, name) for name in _ALWAYS + (_WITH_SURROGATES if wanted.n_surrogates else ())]
    made = _result_for(wanted, held, names)
    job, kept = ffi.new("clpac_opencl_run *"), []
    job.samples.memory = ffi.cast("cl_mem", data.base_data.int_ptr)
    job.samples.offset = data.offset
    job.sample_stride, job.channel_stride, job.segment_stride = strides[2], strides[1], strides[0]
    for which in held:
        room = made._array(which)
        if room is None:
            continue
        buffer = cl.Buffer(queue.context, cl.mem_flags.READ_WRITE, room.nbytes)
        job.arrays[which].memory = ffi.cast("cl_mem", buffer.int_ptr)
        kept.append((which, buffer))
    run(lambda err: lib.clpac_plan_enqueue_opencl(plan._plan, job, ffi.NULL, err))
    n = ffi.new("size_t *")
    for which, buffer in kept:
        address = lib.clpac_result_array(made._pointer, which, n)
        cl.enqueue_copy(queue, ffi.buffer(address, 4 * n[0]), buffer)
    plan.close()
    return made


def _result_for(problem: Any, held: list[int], names: Any) -> PAC:
    """A result with room for what a run writes, and with what it is of."""
    err, shape, out = new_error(), ffi.new("clpac_result_shape *"), ffi.new("clpac_result **")
    shape.n_channels, shape.n_segments = problem.n_channels, problem.n_segments
    shape.n_phase_bands, shape.n_amplitude_bands = problem.n_phase_bands, problem.n_amplitude_bands
    shape.n_bins, shape.n_surrogates = problem.n_bins, problem.n_surrogates
    check(lib.clpac_result_create(shape, sum(1 << which for which in held), out, err), err)
    made = PAC(out[0])
    if problem.n_measures:
        if lib.clpac_result_measure(out[0]) != problem.measures[0]:
            check(lib.clpac_result_set_measure(out[0], problem.measures[0], err), err)
    size = ffi.sizeof("clpac_band")
    ffi.memmove(lib.clpac_result_phase_bands(out[0]), problem.phase_bands, size * problem.n_phase_bands)
    ffi.memmove(lib.clpac_result_amplitude_bands(out[0]), problem.amplitude_bands, size * problem.n_amplitude_bands)
    valid = lib.clpac_result_valid(out[0])
    for p in range(problem.n_phase_bands):
        for a in range(problem.n_amplitude_bands):
            is_valid = problem.allow_narrow or lib.clpac_cell_is_valid(
                problem.phase_bands[p], problem.amplitude_bands[a]
            )
            valid[p * problem.n_amplitude_bands + a] = is_valid
    for i, name in enumerate(names or ()):
        check(lib.clpac_result_set_channel_name(out[0], i, str(name).encode(), err), err)
    text = ffi.new("char **")
    check(lib.clpac_problem_write(problem, text, err), err)
    try:
        check(lib.clpac_result_set_problem(out[0], text[0], err), err)
    finally:
        lib.clpac_text_free(text[0])
    return made


class Pool:
    """Memory of clpac as an allocator of pyopencl: ``pyopencl.array.zeros(queue, n, "f4", allocator=pool)``.

    Memory that was given back is kept and given out again, in the pool that runs on the same queue use, so that both
    share what the device has.

    Parameters
    ----------
    queue : pyopencl.CommandQueue
        In order; commands of clpac and of the application run in the order in which they are put.
    """

    def __init__(self, queue: Any) -> None:
        self._cl = need("pyopencl", "Pool", "opencl")
        self._contexts = contexts_on(queue)
        self._pool = lib.clpac_context_pool(self._contexts.pointers[0])

    def allocate(self, n_bytes: int) -> Any:
        """Memory of so many bytes, given back when nobody holds it.

        Parameters
        ----------
        n_bytes : int

        Returns
        -------
        pyopencl.Buffer
        """
        err, out = new_error(), ffi.new("clpac_buffer **")
        check(lib.clpac_pool_allocate(self._pool, max(int(n_bytes), 1), b"pyopencl", out, err), err)
        buffer = out[0]
        handle = lib.clpac_buffer_opencl(buffer)
        made = self._cl.Buffer.from_int_ptr(int(ffi.cast("uintptr_t", handle)), retain=True)
        with _lock:
            # The pool lives as long as its memory.
            _given.setdefault(made.int_ptr, []).append((buffer, self._contexts))
        made.__class__ = _given_class(self._cl)
        return made

    __call__ = allocate

    def statistics(self) -> dict[str, Any]:
        """The pool's numbers at this moment, as ``clpac memory`` prints them: bytes in use, kept, asked for, peaks."""
        now, text, err = ffi.new("clpac_pool_statistics *"), ffi.new("char **"), new_error()
        lib.clpac_pool_measure(self._pool, now, ffi.sizeof("clpac_pool_statistics"))
        check(lib.clpac_pool_statistics_json(now, text, err), err)
        return json.loads(taken_text(text[0]))


# Buffers that pools gave away, by the number of their memory.
_given: dict[int, list[tuple[Any, Contexts]]] = {}


@functools.cache
def _given_class(cl: Any) -> Any:
    """A Buffer that tells when nobody holds it any more; pyopencl's own has neither weak references nor attributes."""

    class PoolBuffer(cl.Buffer):  # type: ignore[misc]
        __slots__ = ()

        def __del__(self) -> None:
            buffers = _given.get(self.int_ptr)
            if buffers:
                lib.clpac_buffer_release(buffers.pop()[0])

    return PoolBuffer

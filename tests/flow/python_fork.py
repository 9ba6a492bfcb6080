"""Children of Python's multiprocessing, forked and spawned: run by python_fork.test, prints TAP.

A child gets what the parent has open, as a module with an open context gets it."""
import ctypes
import multiprocessing
import sys

OK, FORKED = 0, 12
MANY_SECONDS = 300  # until a child that hangs is given up


class Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("native_code", ctypes.c_int), ("text", ctypes.c_char * 1024), ("member", ctypes.c_char * 48),
                ("line", ctypes.c_uint64), ("wanted_bytes", ctypes.c_uint64), ("available_bytes", ctypes.c_uint64),
                ("reserved", ctypes.c_uint64 * 4)]


class Band(ctypes.Structure):
    _fields_ = [("lo", ctypes.c_double), ("hi", ctypes.c_double)]


library = ctypes.CDLL("libclpac.so.0")
memory = ctypes.CDLL("libclpac-memory.so.0")
for function in (library.clpac_problem_get, memory.clpac_context_pool):
    function.restype = ctypes.c_void_p
library.clpac_result_array.restype = ctypes.POINTER(ctypes.c_float)
N = 2048
SAMPLES = (ctypes.c_float * N)(*[(i * 7919 % 1000) / 1000 for i in range(N)])
PROBLEM = b"rate=512 channels=1 segments=1 samples=2048 phase=4-8 amplitude=40-80 surrogates=20"


def checked(status, error):
    if status != OK:
        raise RuntimeError(f"{status}: {error.text.decode()}")


def open_context(selection):
    context, error = ctypes.c_void_p(), Error()
    checked(memory.clpac_context_open_selected(None, selection, ctypes.c_uint64(0), None, ctypes.byref(context), ctypes.byref(error)), error)
    return context


def make_plan(context):
    copy, plan, error = ctypes.c_void_p(), ctypes.c_void_p(), Error()
    checked(library.clpac_problem_read(PROBLEM, ctypes.byref(copy), ctypes.byref(error)), error)
    problem = ctypes.c_void_p(library.clpac_problem_get(copy))
    checked(library.clpac_plan_create(context, problem, None, ctypes.byref(plan), ctypes.byref(error)), error)
    library.clpac_problem_destroy(copy)
    return plan


def run(plan):
    """The z of a run as bytes, or the status."""
    result, error, n = ctypes.c_void_p(), Error(), ctypes.c_size_t()
    status = library.clpac_plan_run(plan, SAMPLES, ctypes.byref(result), ctypes.byref(error))
    if status != OK:
        return status
    array = library.clpac_result_array(result, 1, ctypes.byref(n))
    values = ctypes.string_at(array, 4 * n.value)
    library.clpac_result_destroy(result)
    return values


def compute(context):
    plan = make_plan(context)
    values = run(plan)
    library.clpac_plan_destroy(plan)
    return values


opened = {}  # what a forked child finds


def work(_):
    """In a child: with the parent's context where there is one, and with one of its own."""
    own = open_context(b"native")
    answers = [compute(own)]
    memory.clpac_context_close(own)
    if opened:
        answers += [compute(opened["context"]), run(opened["plan"])]
    return answers


def close_all(_):
    library.clpac_plan_destroy(opened["plan"])
    memory.clpac_context_close(opened["context"])
    return "closed"


n_verdicts = 0


def verdict(holds, name):
    global n_verdicts
    n_verdicts += 1
    print(f"{'ok' if holds else 'not ok'} {n_verdicts} - {name}", flush=True)


def answers_of(method, function):
    with multiprocessing.get_context(method).Pool(2) as pool:
        return pool.map_async(function, range(4)).get(MANY_SECONDS)


def main():
    before = answers_of("fork", work)
    opened["context"] = open_context(b"native")
    opened["plan"] = make_plan(opened["context"])
    wanted = run(opened["plan"])
    verdict(isinstance(wanted, bytes) and all(answer == [wanted] for answer in before), "children forked before anything is open compute the same")
    verdict(all(answer == [wanted, wanted, FORKED] for answer in answers_of("fork", work)),
            "forked children compute the same in their own context and in the parent's, and are refused its plan")
    verdict(answers_of("fork", close_all) == ["closed"] * 4, "forked children close what the parent has open")
    verdict(all(answer == [wanted] for answer in answers_of("spawn", work)), "spawned children compute the same")
    verdict(run(opened["plan"]) == wanted, "the parent's plan computes the same as before")
    print(f"1..{n_verdicts}")


if __name__ == "__main__":
    sys.exit(main())

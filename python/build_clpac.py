"""Builds clpac._clpac, the C interface of an installed clpac, with cffi.

The declarations are the installed public headers as the C compiler sees them, so that no table here can differ from the
library; the compiler checks each layout once more when the module is built.

pkg-config finds the library: set PKG_CONFIG_PATH where it lies in a folder of its own.  With CLPAC_STATIC=1 the module
holds the static libraries, as in a wheel; otherwise it needs the shared ones where it runs.
"""

import os
import re
import shlex
import subprocess

import cffi

HEADERS = [
    "analysis.h",
    "cautions.h",
    "compare.h",
    "devices.h",
    "erpac.h",
    "estimate.h",
    "group.h",
    "plan.h",
    "plot.h",
    "problem.h",
    "read.h",
    "signal.h",
    "version.h",
    "write.h",
    "memory/buffer.h",
    "memory/cancel.h",
    "memory/pool.h",
    "memory/statistics.h",
]
OPENCL_HEADERS = ["opencl.h"]  # installed where clpac was built with OpenCL

# Declarations of OpenCL that the headers of clpac use.
OPENCL_TYPES = """
typedef struct _cl_context *cl_context;
typedef struct _cl_device_id *cl_device_id;
typedef struct _cl_command_queue *cl_command_queue;
typedef struct _cl_mem *cl_mem;
typedef struct _cl_event *cl_event;
typedef uint32_t cl_uint;
"""

# Functions of the package that the library calls, and those of interrupt.c.
OWN = """
extern "Python" void clpac_py_warn(void *user, size_t count, const char *text);
extern "Python" void clpac_py_note(void *user, const char *text);
extern "Python" void clpac_py_phase(void *user, const char *text);
extern "Python" bool clpac_py_progress(void *user, const clpac_analysis_progress *progress);
extern "Python" bool clpac_py_plan_progress(void *user, size_t done, size_t total);
extern "Python" void clpac_py_log(void *user, clpac_log_level level, const char *text);
extern "Python" bool clpac_py_write(void *user, const void *data, size_t bytes);
bool clpac_py_interrupt_begin(clpac_cancel *cancel);
bool clpac_py_interrupt_end(void);
"""

is_static = os.environ.get("CLPAC_STATIC") == "1"


def package(*what):
    command = ["pkg-config", *(["--static"] if is_static else []), *what, "clpac-analysis"]
    try:
        return shlex.split(subprocess.check_output(command, text=True))
    except (OSError, subprocess.CalledProcessError) as problem:
        raise SystemExit(
            "clpac, the C library, is not found: install it, and set PKG_CONFIG_PATH to its folder lib/pkgconfig"
        ) from problem


def include(headers):
    return "".join(f"#include <clpac/{header}>\n" for header in headers)


def is_opencl_installed():
    folder = package("--variable=includedir")[0]
    return all(os.path.exists(os.path.join(folder, "clpac", header)) for header in OPENCL_HEADERS)


def declarations(source):
    """The declarations of clpac's own headers, out of all that the compiler sees of a source."""
    command = [*shlex.split(os.environ.get("CC", "cc")), "-E", *package("--cflags"), "-xc", "-"]
    seen = subprocess.run(command, input=source, text=True, stdout=subprocess.PIPE, check=True).stdout
    kept, is_ours = [], False
    for line in seen.splitlines(True):
        place = re.match(r'# \d+ "([^"]+)"', line)
        if place:
            is_ours = "/clpac/" in place[1]
        elif is_ours:
            kept.append(line)
    return re.sub(r"__attribute__\s*\(\(.*?\)\)", "", "".join(kept)).replace("_Bool", "bool")


def make():
    with_opencl = is_opencl_installed()
    source = "#define CL_TARGET_OPENCL_VERSION 120\n" + include(HEADERS + (OPENCL_HEADERS if with_opencl else []))
    ffi = cffi.FFI()
    ffi.cdef((OPENCL_TYPES if with_opencl else "") + declarations(source) + OWN)
    ffi.set_source(
        "clpac._clpac",
        source + '#include "interrupt.h"\n',
        sources=["interrupt.c"],
        include_dirs=[os.path.dirname(os.path.abspath(__file__)), *(flag[2:] for flag in package("--cflags-only-I"))],
        extra_link_args=package("--libs") + (["-Wl,--exclude-libs,ALL", "-Wl,--gc-sections"] if is_static else []),
        py_limited_api=True,
        define_macros=[("Py_LIMITED_API", "0x030a0000")],
    )
    return ffi


ffi = make()

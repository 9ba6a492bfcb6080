#!/usr/bin/env python3
"""declarations.py BUILD - what the public headers declare, as a C parser reads them, all together.  Prints TAP: they can be
read, no function is declared twice, and each pointer that one takes has a row in the tables of the rule for NULL
(tests/*/null_*.def), as each row has a pointer; each handle of a pool's buffer, queue or event has a row in the table
of stale handles (tests/contract/handles.def), and each option of pools and stores in tests/memory/extremes.def.

Needs pycparser (Debian: python3-pycparser), and skips all where it is missing.  $CC preprocesses."""
import glob
import os
import re
import subprocess
import sys
import tempfile

try:
    from pycparser import c_ast, c_parser
except ImportError:
    print("1..0 # SKIP pycparser is missing (Debian: python3-pycparser)")
    sys.exit(0)

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
HANDLES = ["cl_context", "cl_device_id", "cl_command_queue", "cl_event", "cl_mem"]
# In place of the system's headers, which are written in more than C.
SYSTEM = {
    "stddef.h": "typedef unsigned long size_t; typedef long ptrdiff_t;\n#define NULL ((void *)0)",
    "stdbool.h": "#define bool _Bool",
    "stdint.h": "typedef unsigned char uint8_t; typedef unsigned uint32_t; typedef unsigned long uint64_t;"
                "typedef long int64_t;\n#define UINT64_MAX 0xffffffffffffffffu\n#define SIZE_MAX UINT64_MAX",
    "CL/cl.h": "typedef unsigned cl_uint;" + "".join(f"typedef struct _{handle} *{handle};" for handle in HANDLES),
}
POOL_HANDLES = ["clpac_buffer", "clpac_queue", "clpac_event"]
n_verdicts = 0


def verdict(faults, name):
    global n_verdicts
    n_verdicts += 1
    for fault in faults:
        print(f"# {fault}")
    print(f"{'not ok' if faults else 'ok'} {n_verdicts} - {name}")


def preprocessed(build):
    headers = sorted(glob.glob(f"{TOP}/include/clpac/**/*.h", recursive=True) + [f"{build}/include/clpac/version.h"])
    with tempfile.TemporaryDirectory() as system:
        for name, text in SYSTEM.items():
            path = os.path.join(system, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            guard = re.sub(r"\W", "_", name).upper()
            with open(path, "w") as file:
                file.write(f"#ifndef FAKE_{guard}\n#define FAKE_{guard}\n{text}\n#endif\n")
        command = os.environ.get("CC", "cc").split() + ["-E", "-P", "-nostdinc", "-I", system, "-I", f"{TOP}/include",
                                                        "-I", f"{build}/include", "-x", "c", "-"]
        return subprocess.run(command, input="".join(f'#include "{header}"\n' for header in headers), text=True,
                              check=True, capture_output=True).stdout


def is_pointer(parameter):
    kind = parameter.type
    if isinstance(kind, (c_ast.PtrDecl, c_ast.ArrayDecl)):
        return True
    return isinstance(kind.type, c_ast.IdentifierType) and kind.type.names[0] in HANDLES


def pointers_of(function):
    parameters = function.type.args.params if function.type.args else []
    return [p.name for p in parameters if not isinstance(p, c_ast.EllipsisParam) and p.name not in (None, "err") and is_pointer(p)]


def leads_to_handle(parameter):
    kind = parameter.type
    while isinstance(kind, (c_ast.PtrDecl, c_ast.ArrayDecl)):
        kind = kind.type
    return isinstance(kind, c_ast.TypeDecl) and isinstance(kind.type, c_ast.IdentifierType) and kind.type.names[0] in POOL_HANDLES


def handles_of(function):
    parameters = function.type.args.params if function.type.args else []
    return [p.name for p in parameters if not isinstance(p, c_ast.EllipsisParam) and p.name and leads_to_handle(p)]


def members_of(struct, prefix=""):
    for member in struct.decls:
        kind = member.type
        if isinstance(kind, c_ast.TypeDecl) and isinstance(kind.type, c_ast.Struct):
            yield from members_of(kind.type, f"{prefix}{member.name}.")
        elif prefix + member.name != "size":
            yield prefix + member.name


def main(build):
    try:
        tree = c_parser.CParser().parse(preprocessed(build))
    except Exception as error:  # pycparser's own differ from version to version
        verdict([str(error).replace("\n", " ")], "the public headers are read together by a C parser")
        print(f"1..{n_verdicts}")
        return
    verdict([], "the public headers are read together by a C parser")

    functions = [d for d in tree.ext if isinstance(d, c_ast.Decl) and isinstance(d.type, c_ast.FuncDecl)]
    names = [d.name for d in functions]
    verdict([f"declared {names.count(name)} times: {name}" for name in sorted(set(names)) if names.count(name) > 1]
            or ([] if len(names) > 100 else [f"only {len(names)} functions were found"]), "no function is declared twice")

    tables = "".join(open(table).read() for table in glob.glob(f"{TOP}/tests/*/null_*.def"))
    rows = re.findall(r"^(?:NEEDS|EMPTY|FINE|FREE)\((\w+), (\w+),", tables, re.M)
    without = re.findall(r"^NONE\((\w+),", tables, re.M)
    wanted = [(d.name, pointer) for d in functions for pointer in pointers_of(d)]
    verdict([f"no row for {function}: {pointer}" for function, pointer in wanted if (function, pointer) not in rows] +
            [f"no row for {d.name}" for d in functions if not pointers_of(d) and d.name not in without],
            "each pointer that a public function takes has a row in the tables of the rule for NULL")
    verdict([f"no such parameter: {function}: {pointer}" for function, pointer in rows if (function, pointer) not in wanted] +
            [f"is no function without pointers: {name}" for name in without
             if name not in names or name in (function for function, _ in wanted)],
            "each row of these tables has its parameter")
    table = open(f"{TOP}/tests/contract/handles.def").read()
    rows = re.findall(r"^(?:REFUSED|EMPTY|IGNORED|OUT|TRUSTED)\((\w+), (\w+)[,)]", table, re.M)
    wanted = [(d.name, handle) for d in functions for handle in handles_of(d)]
    verdict([f"no row for {function}: {handle}" for function, handle in wanted if (function, handle) not in rows] +
            ([] if len(wanted) > 30 else [f"only {len(wanted)} handles were found"]),
            "each buffer, queue and event that a public function takes has a row in the table of stale handles")
    table = open(f"{TOP}/tests/memory/extremes.def").read()
    structs = {d.name: d.type.type for d in tree.ext if isinstance(d, c_ast.Typedef) and isinstance(d.type, c_ast.TypeDecl)
               and isinstance(d.type.type, c_ast.Struct) and d.type.type.decls}
    verdict([f"no row for {struct}.{member}" for macro, struct in [("POOL", "clpac_pool_options"), ("STORE", "clpac_store_options")]
             for member in members_of(structs[struct]) if not re.search(rf"^{macro}\({member},", table, re.M)],
            "each option of pools and stores has a row in the table of numbers at the ends of their types")
    print(f"1..{n_verdicts}")


main(sys.argv[1])

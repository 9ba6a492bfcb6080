#!/usr/bin/env python3
"""abi.py BUILD - the binary interface of the libraries in BUILD/.libs as sorted lines: functions with their types, and the
sizes, members and offsets of the types in public headers.  abidw (Debian: abigail-tools) reads them from debugging information.

    abi.py BUILD                 prints the lines
    abi.py BUILD --against FILE  compares them with FILE and explains the differences; the exit status is 1 where there are any,
                                 and 77 where the interface cannot be read on this machine
"""
import glob
import os
import platform
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml

LIBRARIES = "libclpac-memory.so", "libclpac.so", "libclpac-io.so", "libclpac-analysis.so"
TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")


def skip(why):
    print(why)
    sys.exit(77)


def defined_names():
    """Structures and enumerations whose members applications see."""
    text = "".join(open(header).read() for header in glob.glob(f"{TOP}/include/clpac/**/*.h", recursive=True))
    return set(re.findall(r"\b(?:struct|enum|union) (clpac_\w+)\s*\{", text))


class Types:
    def __init__(self, root):
        self.by_id = {element.get("id"): element for element in root.iter() if element.get("id")}

    def name(self, id):
        element = self.by_id[id]
        kind, inner = element.tag, element.get("type-id")
        if kind == "pointer-type-def":
            return self.name(inner).rstrip() + ("*" if self.name(inner).endswith("*") else " *")
        if kind == "qualified-type-def":
            words = [word for word in ("const", "volatile", "restrict") if element.get(word) == "yes"]
            inside = self.name(inner)
            return f"{inside} {' '.join(words)}" if inside.endswith("*") else f"{' '.join(words)} {inside}"
        if kind == "array-type-def":
            lengths = "".join(f"[{part.get('length')}]" for part in element.findall("subrange"))
            return self.name(inner) + lengths
        if kind == "function-type":
            return self.signature(element, "(*)")
        return element.get("name")

    def signature(self, function, name):
        parameters = ["..." if p.get("is-variadic") else self.name(p.get("type-id")) for p in function.findall("parameter")]
        return f"{self.name(function.find('return').get('type-id'))} {name}({', '.join(parameters) or 'void'})"


def describe(library, defined):
    text = subprocess.run(["abidw", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--exported-interfaces-only",
                           library],
                          check=True, capture_output=True, text=True).stdout
    root = xml.fromstring(text)
    types = Types(root)
    # The private interface between the libraries (clpac__) is no part of it: exports.test holds it.
    exported = {name for symbol in root.iter("elf-symbol") if not (name := symbol.get("name")).startswith("clpac__")}
    lines = set()
    for function in root.iter("function-decl"):
        if function.get("elf-symbol-id") in exported:
            lines.add("function " + types.signature(function, function.get("name")))
    described = {line.split("(")[0].split()[-1].lstrip("*") for line in lines}
    if exported - described:
        skip(f"{library} has no debugging information (configure with CFLAGS=-g): {min(exported - described)} is not described")
    for enum in root.iter("enum-decl"):
        if enum.get("name") in defined:
            for value in enum.findall("enumerator"):
                lines.add(f"enum {enum.get('name')} {value.get('name')} = {value.get('value')}")
    for struct in list(root.iter("class-decl")) + list(root.iter("union-decl")):
        name = struct.get("name")
        if name not in defined or not struct.get("size-in-bits"):
            continue
        lines.add(f"struct {name}: {int(struct.get('size-in-bits')) // 8} bytes")
        for member in struct.findall("data-member"):
            variable = member.find("var-decl")
            offset = int(member.get("layout-offset-in-bits") or 0) // 8
            lines.add(f"struct {name} at {offset:6}: {types.name(variable.get('type-id'))} {variable.get('name')}")
    return lines


def version_info():
    return re.search(r"-version-info (\S+)", open(f"{TOP}/Makefile.am").read()).group(1)


def main():
    build = sys.argv[1]
    if not shutil.which("abidw"):
        skip("abidw is missing (Debian: abigail-tools)")
    if platform.machine() != "x86_64":
        skip("sizes and offsets are recorded for x86_64 alone")
    libraries = [f"{build}/.libs/{name}" for name in LIBRARIES]
    config = open(f"{build}/config.h").read()
    if not all(map(os.path.exists, libraries)) or "#define HAVE_OPENCL 1" not in config:
        skip("the interface is that of a build with OpenCL and the program")
    defined = defined_names()
    lines = [f"version-info {version_info()}"] + sorted(set().union(*(describe(library, defined) for library in libraries)))
    if "--against" not in sys.argv:
        print("\n".join(lines))
        return 0
    recorded = open(sys.argv[sys.argv.index("--against") + 1]).read().splitlines()
    gone, new = [x for x in recorded[1:] if x not in set(lines)], [x for x in lines[1:] if x not in set(recorded)]
    for line in gone:
        print("- " + line)
    for line in new:
        print("+ " + line)
    if gone:
        print("Applications built against the recorded interface break.  Where it was released: -version-info in Makefile.am\n"
              "becomes current + 1:0:0, and NEWS.md says so.  Then, in the build folder: make abi")
    elif new:
        print("Applications keep working.  Where the recorded interface was released: -version-info in Makefile.am becomes\n"
              "current + 1:0:age + 1.  Then, in the build folder: make abi")
    elif recorded[0] != lines[0]:
        print(f"recorded is {recorded[0]}, now it is {lines[0]}: make abi")
        return 1
    return 1 if gone or new else 0


if __name__ == "__main__":
    sys.exit(main())

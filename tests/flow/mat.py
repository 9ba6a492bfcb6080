#!/usr/bin/env python3
"""mat.py OUT.mat OUT.npz - reads a .mat file of version 5 by its description (MAT-File Format, The MathWorks), with nothing of
clpac, and tells which variables are not those of the .npz: name, dimensions, and each value at the same place."""
import itertools
import struct
import sys
import zipfile

FORMATS = {1: "b", 2: "B", 4: "H", 5: "i", 6: "I", 7: "f", 9: "d", 13: "Q"}


def element(data, at):
    """The type and bytes of an element, and the place behind it."""
    kind, n = struct.unpack_from("<II", data, at)
    return kind, data[at + 8:at + 8 + n], at + 8 + (n + 7) // 8 * 8


def numbers(kind, content):
    return struct.unpack(f"<{len(content) // struct.calcsize(FORMATS[kind])}{FORMATS[kind]}", content)


def matrix(content):
    """Name, class, dimensions, and values in the order of the file; a cell's are matrices."""
    _, flags, at = element(content, 0)
    kind, sizes, at = element(content, at)
    dimensions = numbers(kind, sizes)
    _, name, at = element(content, at)
    group = struct.unpack("<I", flags[:4])[0]
    values = []
    if group & 255 == 1:
        while at < len(content):
            _, inner, at = element(content, at)
            values.append(matrix(inner))
    else:
        kind, inner, at = element(content, at)
        values = numbers(kind, inner)
    if at != len(content):
        sys.exit(f"{name}: {len(content) - at} bytes are left")
    return name.decode(), group, dimensions, values


def text(units):
    return struct.pack(f"<{len(units)}H", *units).decode("utf-16-le")


def npy(content):
    """Type, dimensions and values of an .npy file."""
    start = 10 + struct.unpack("<H", content[8:10])[0]
    head = eval(content[10:start])  # a dictionary that clpac wrote
    kind, body = head["descr"], content[start:]
    if kind[1] == "U":
        width = int(kind[2:])
        n = len(body) // 4 // width
        return kind, head["shape"], [body[i * 4 * width:(i + 1) * 4 * width].decode("utf-32-le").rstrip("\0") for i in range(n)]
    letter = {"f4": "f", "f8": "d", "u4": "I", "u8": "Q", "b1": "B"}[kind[1:]]
    return kind, head["shape"], struct.unpack(f"<{len(body) // struct.calcsize(letter)}{letter}", body)


def is_same(a, b):
    return a == b or (a != a and b != b)


with open(sys.argv[1], "rb") as file:
    data = file.read()
if not data.startswith(b"MATLAB 5.0 MAT-file") or data[124:128] != b"\x00\x01IM":
    sys.exit("no header of a .mat file")
variables, at = {}, 128
while at < len(data):
    kind, content, at = element(data, at)
    if kind != 14:
        sys.exit(f"an element of type {kind}")
    name, *rest = matrix(content)
    variables[name] = rest
n_values = 0
with zipfile.ZipFile(sys.argv[2]) as archive:
    for member in archive.namelist():
        name = member.split(".")[0].replace("-", "_")
        if name not in variables:
            sys.exit(f"{name} is missing")
        group, dimensions, values = variables.pop(name)
        if not member.endswith(".npy"):
            n_values += len(values) > 0 and text(values) == archive.read(member).decode()
            continue
        kind, shape, expected = npy(archive.read(member))
        if kind[1] == "U":
            found = [text(one[3]) for one in values] if group & 255 == 1 else [text(values)]
            if found != expected or (group & 255 == 1) != (len(shape) == 1):
                sys.exit(f"{name}: {found} in place of {expected}")
            n_values += len(found)
            continue
        if tuple(dimensions) != (tuple(shape) + (1, 1))[:max(len(shape), 2)]:
            sys.exit(f"{name}: {dimensions} in place of {shape}")
        if (group & 0x200 != 0) != (kind[1] == "b"):
            sys.exit(f"{name}: logical, or not")
        # The first dimension runs fastest there, the last one here.
        for k, index in enumerate(itertools.product(*(range(d) for d in reversed(shape)))):
            place = 0
            for i, size in zip(reversed(index), shape):
                place = place * size + i
            if not is_same(values[k], expected[place]):
                sys.exit(f"{name}{index}: {values[k]} in place of {expected[place]}")
            n_values += 1
if variables:
    sys.exit("too much: " + " ".join(variables))
print(n_values, "values")

#!/usr/bin/env python3
"""Makes a picture of clpac small enough for a page: half as wide and high, with at most 256 colours.

    scripts/small_png.py IN.png OUT.png

Reads what cairo writes (8 bits each of RGB or RGBA, not interlaced); needs no packages."""
import collections
import struct
import sys
import zlib


def read(path):
    """Rows of bytes, the width, and the bytes of a pixel."""
    with open(path, 'rb') as file:
        data = file.read()
    at, packed = 8, b''
    while at < len(data):
        n, kind = struct.unpack('>I4s', data[at:at + 8])
        if kind == b'IHDR':
            width, height, depth, colour, _, _, interlaced = struct.unpack('>IIBBBBB', data[at + 8:at + 21])
        elif kind == b'IDAT':
            packed += data[at + 8:at + 8 + n]
        at += n + 12
    if depth != 8 or colour not in (2, 6) or interlaced:
        sys.exit('%s: not a picture of clpac' % path)
    step = 4 if colour == 6 else 3
    raw, rows, above = zlib.decompress(packed), [], bytearray(width * step)
    for y in range(height):
        begin = y * (width * step + 1)
        kind, row = raw[begin], bytearray(raw[begin + 1:begin + 1 + width * step])
        for i, value in enumerate(row):
            left = row[i - step] if i >= step else 0
            corner = above[i - step] if i >= step else 0
            guess = left + above[i] - corner
            paeth = min((abs(guess - p), k, p) for k, p in enumerate((left, above[i], corner)))[2]
            row[i] = (value + (0, left, above[i], (left + above[i]) // 2, paeth)[kind]) & 255
        rows.append(row)
        above = row
    return rows, width, step


def shrink(rows, width, step):
    """Rows of colours, each the mean of two by two pixels in 32 levels."""
    small = []
    for a, b in zip(rows[::2], rows[1::2]):
        line = []
        for x in range(0, (width - 1) * step, 2 * step):
            sums = [a[x + c] + a[x + step + c] + b[x + c] + b[x + step + c] for c in range(3)]
            line.append(tuple(min((s // 4 + 4) // 8 * 8, 255) for s in sums))
        small.append(line)
    return small


def write(path, rows):
    counts = collections.Counter(colour for row in rows for colour in row)
    palette = [colour for colour, _ in counts.most_common(256)]
    place = {colour: i for i, colour in enumerate(palette)}
    for colour in counts:
        if colour not in place:
            place[colour] = min(range(len(palette)), key=lambda i: sum((p - c) ** 2 for p, c in zip(palette[i], colour)))
    raw = b''.join(b'\0' + bytes(place[colour] for colour in row) for row in rows)

    def chunk(kind, content):
        return struct.pack('>I', len(content)) + kind + content + struct.pack('>I', zlib.crc32(kind + content))
    with open(path, 'wb') as file:
        file.write(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', len(rows[0]), len(rows), 8, 3, 0, 0, 0))
                   + chunk(b'PLTE', bytes(v for colour in palette for v in colour))
                   + chunk(b'IDAT', zlib.compress(raw, 9)) + chunk(b'IEND', b''))


write(sys.argv[2], shrink(*read(sys.argv[1])))

"""A bar chart as a PNG, with nothing but zlib and struct."""

import struct
import zlib

HEIGHT, BAR, GAP = 200, 32, 12
PAPER, AXIS, POSITIVE, NEGATIVE = (255, 255, 255), (90, 90, 90), (52, 112, 190), (222, 132, 48)
MOST_BARS = 100


def _chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def encode_png(rows, width):
    """A PNG of rows of RGB bytes."""
    head = struct.pack(">IIBBBBB", width, len(rows), 8, 2, 0, 0, 0)
    pixels = zlib.compress(b"".join(b"\0" + bytes(row) for row in rows), 9)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head) + _chunk(b"IDAT", pixels) + _chunk(b"IEND", b"")


def bar_chart(values):
    """One bar for each value, scaled to the largest; negative ones hang below the axis. The first hundred are drawn."""
    values = values[:MOST_BARS]
    top, bottom = max(0, *values, 0), min(0, *values, 0)
    scale = (HEIGHT - 1) / ((top - bottom) or 1)
    axis = round(top * scale)
    width = GAP + len(values) * (BAR + GAP)
    rows = [bytearray(bytes(PAPER) * width) for _ in range(HEIGHT)]
    for place, value in enumerate(values):
        left = GAP + place * (BAR + GAP)
        end = axis - round(value * scale)
        for y in range(min(axis, end), max(axis, end)):
            rows[y][left * 3 : (left + BAR) * 3] = bytes(POSITIVE if value >= 0 else NEGATIVE) * BAR
    rows[axis][:] = bytes(AXIS) * width
    return encode_png(rows, width)

"""Pictures of RGB bytes: PNG (8 bits, not interlaced) and binary PPM in, PNG out."""

import struct
import zlib
from dataclasses import dataclass

SIGNATURE = b"\x89PNG\r\n\x1a\n"
MOST_PIXELS = 16_000_000
CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}  # by PNG colour type
GREY, PALETTE, GREY_ALPHA, RGBA = 0, 3, 4, 6


class BadPicture(Exception):
    """Bytes that are no picture this module reads."""


@dataclass
class Picture:
    width: int
    height: int
    rgb: bytes  # row by row


def decode(content):
    if content.startswith(SIGNATURE):
        return _decode_png(content)
    if content.startswith(b"P6"):
        return _decode_ppm(content)
    raise BadPicture("it is neither a PNG nor a binary PPM (P6)")


def _checked(width, height):
    if not 0 < width * height <= MOST_PIXELS:
        raise BadPicture(f"{width}x{height} pixels are none or too many")


def _decode_ppm(content):
    words, at = [], 2
    while len(words) < 3:
        while at < len(content) and (content[at : at + 1].isspace() or content[at : at + 1] == b"#"):
            at = content.find(b"\n", at) + 1 if content[at : at + 1] == b"#" else at + 1
        end = at
        while end < len(content) and content[end : end + 1].isdigit():
            end += 1
        if end == at:
            raise BadPicture("the PPM's head is broken")
        words.append(int(content[at:end]))
        at = end
    width, height, most = words
    _checked(width, height)
    pixels = content[at + 1 :]
    if most != 255 or len(pixels) < width * height * 3:
        raise BadPicture("the PPM is not 8 bits deep, or is cut")
    return Picture(width, height, pixels[: width * height * 3])


def _chunks(content):
    at = len(SIGNATURE)
    while at + 12 <= len(content):
        size, kind = struct.unpack_from(">I4s", content, at)
        body = content[at + 8 : at + 8 + size]
        check = content[at + 8 + size : at + 12 + size]
        if len(check) != 4 or zlib.crc32(kind + body) != struct.unpack(">I", check)[0]:
            raise BadPicture("the PNG is damaged")
        yield kind, body
        at += 12 + size


def _inflate(packed, want):
    unpacker = zlib.decompressobj()
    try:
        raw = unpacker.decompress(packed, want)  # no more than the head says: no bomb unpacks
    except zlib.error as problem:
        raise BadPicture(f"the PNG is damaged ({problem})") from None
    if len(raw) != want:
        raise BadPicture("the PNG is cut")
    return raw


def _decode_png(content):
    head, palette, packed = None, b"", []
    for kind, body in _chunks(content):
        if kind == b"IHDR":
            head = struct.unpack(">IIBBBBB", body)
        elif kind == b"PLTE":
            palette = body
        elif kind == b"IDAT":
            packed.append(body)
    if head is None or head[2] != 8 or head[3] not in CHANNELS or head[6] != 0:
        raise BadPicture("only PNGs of 8 bits a channel, not interlaced, are read")
    width, height, _, colour = head[:4]
    _checked(width, height)
    stride = width * CHANNELS[colour]
    raw = _inflate(b"".join(packed), height * (stride + 1))
    return Picture(width, height, _to_rgb(_unfilter(raw, stride, height, CHANNELS[colour]), colour, palette))


def _unfilter(raw, stride, height, channels):
    out, above = bytearray(), bytes(stride)
    for y in range(height):
        kind = raw[y * (stride + 1)]
        line = bytearray(raw[y * (stride + 1) + 1 : (y + 1) * (stride + 1)])
        if kind > 4:
            raise BadPicture("the PNG is damaged (filter)")
        if kind:
            _undo(kind, line, above, channels)
        out += line
        above = line
    return bytes(out)


def _undo(kind, line, above, channels):
    for x in range(len(line)):
        left = line[x - channels] if x >= channels else 0
        corner = above[x - channels] if x >= channels else 0
        guess = {1: left, 2: above[x], 3: (left + above[x]) // 2}.get(kind)
        line[x] = (line[x] + (_paeth(left, above[x], corner) if guess is None else guess)) & 255


def _paeth(left, up, corner):
    guess = left + up - corner
    by_left, by_up, by_corner = abs(guess - left), abs(guess - up), abs(guess - corner)
    if by_left <= by_up and by_left <= by_corner:
        return left
    return up if by_up <= by_corner else corner


def _to_rgb(pixels, colour, palette):
    if colour == PALETTE:
        if pixels and max(pixels) * 3 + 2 >= len(palette):
            raise BadPicture("the PNG is damaged (palette)")
        return b"".join(palette[each * 3 : each * 3 + 3] for each in pixels)
    if colour in (GREY, GREY_ALPHA):
        grey = pixels if colour == GREY else pixels[::2]
        return bytes(channel for value in grey for channel in (value, value, value))
    if colour == RGBA:
        rgb = bytearray(len(pixels) // 4 * 3)
        for channel in range(3):
            rgb[channel::3] = pixels[channel::4]
        return bytes(rgb)
    return pixels


def shrink(picture, size):
    """At most `size` pixels on the longest side: each pixel is the mean of those that it stands for."""
    longest = max(picture.width, picture.height)
    if longest <= size:
        return picture
    width, height = (max(1, side * size // longest) for side in (picture.width, picture.height))
    out = bytearray()
    for y in range(height):
        rows = range(y * picture.height // height, (y + 1) * picture.height // height)
        for x in range(width):
            first, last = x * picture.width // width * 3, (x + 1) * picture.width // width * 3
            for channel in range(3):
                parts = [picture.rgb[row * picture.width * 3 + first + channel : row * picture.width * 3 + last : 3] for row in rows]
                out.append(sum(map(sum, parts)) // sum(map(len, parts)))
    return Picture(width, height, bytes(out))


def _chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def encode_png(picture):
    stride = picture.width * 3
    lines = b"".join(b"\0" + picture.rgb[y * stride : (y + 1) * stride] for y in range(picture.height))
    head = struct.pack(">IIBBBBB", picture.width, picture.height, 8, 2, 0, 0, 0)
    return SIGNATURE + _chunk(b"IHDR", head) + _chunk(b"IDAT", zlib.compress(lines, 9)) + _chunk(b"IEND", b"")

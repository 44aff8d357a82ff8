#!/usr/bin/env python3
"""Writes tests/corpus/data: small pictures, sounds and tables, and expected.npz: what NumPy says is in each, by the file's name.
tests/test_data.c compares them, the fuzzer starts from them.

  tools/corpus_data.py         needs NumPy and Pillow (Debian: python3-numpy, python3-pil); Pillow reads every PNG that it can, too
"""
import gzip
import io
import os
import shutil
import struct
import wave
import zipfile
import zlib

import numpy as np
from PIL import Image

ROOT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests", "corpus", "data")
expected = {}


def save(name, data, array):
    expected[name] = array
    with open(os.path.join(ROOT, name), "wb") as f:
        f.write(data)


# ** PNG: every colour type, depth, filter and interlacing, by the specification; and what Pillow writes **

PASSES = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
SAMPLES = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def packed_rows(x, depth):
    """(H,W,samples) -> a list of bytes, a row each."""
    rows = x.reshape(x.shape[0], -1)
    if depth == 16:
        return [r.astype(">u2").tobytes() for r in rows]
    if depth == 8:
        return [r.astype("u1").tobytes() for r in rows]
    bits = ((rows[:, :, None] >> np.arange(depth - 1, -1, -1)) & 1).reshape(len(rows), -1)
    return [np.packbits(b.astype("u1")).tobytes() for b in bits]


def paeth(a, b, c):
    p = a + b - c
    pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
    return a if pa <= pb and pa <= pc else b if pb <= pc else c


def filtered(rows, step, kind):
    """Row i is filtered by (kind + i) modulo 5."""
    out, above = b"", None
    for i, row in enumerate(rows):
        k, line = (kind + i) % 5, bytearray()
        for j, v in enumerate(row):
            a = row[j - step] if j >= step else 0
            b = above[j] if above else 0
            c = above[j - step] if above and j >= step else 0
            line.append((v - [0, a, b, (a + b) // 2, paeth(a, b, c)][k]) % 256)
        out += bytes([k]) + line
        above = row
    return out


def png(x, kind, depth, interlaced, palette=b"", clear=b"", parts=1, level=9):
    step = max(1, SAMPLES[kind] * depth // 8)
    if interlaced:
        raw = b""
        for i, (x0, y0, dx, dy) in enumerate(PASSES):
            part = x[y0::dy, x0::dx]
            if part.size:
                raw += filtered(packed_rows(part, depth), step, i)
    else:
        raw = filtered(packed_rows(x, depth), step, 1)
    data, head = zlib.compress(raw, level), struct.pack(">IIBBBBB", x.shape[1], x.shape[0], depth, kind, 0, 0, interlaced)
    size = -(-len(data) // parts)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"tEXt", b"Title\0a test")
            + (chunk(b"PLTE", palette) if palette else b"") + (chunk(b"tRNS", clear) if clear else b"")
            + b"".join(chunk(b"IDAT", data[i:i + size]) for i in range(0, len(data), size)) + chunk(b"IEND", b""))


def decoded(x, kind, depth, palette=b"", clear=b""):
    """What a reader makes of samples (H,W,samples): (C,H,W)."""
    if kind == 3:
        table = np.frombuffer(palette, "u1").reshape(-1, 3)
        alpha = np.full(len(table), 255, "u1")
        alpha[:len(clear)] = np.frombuffer(clear, "u1")
        y = np.concatenate([table, alpha[:, None]], 1)[x[:, :, 0]] if clear else table[x[:, :, 0]]
        return y.transpose(2, 0, 1)
    y = x * (255 // (2 ** depth - 1)) if depth < 8 else x
    if clear:
        key = np.frombuffer(clear, ">u2")
        alpha = np.where((x == key).all(2), 0, 65535 if depth == 16 else 255)
        y = np.concatenate([y, alpha[:, :, None]], 2)
    return y.astype("u2" if depth == 16 else "u1").transpose(2, 0, 1)


def check_pillow(name, data, array, depth):
    """Pillow has 8 bits a channel, but for grey; it keeps transparent colours apart."""
    image = Image.open(io.BytesIO(data))
    if array.dtype == np.uint16 and array.shape[0] != 1:
        return
    if array.shape[0] == 1:
        got = np.asarray(image.convert("I") if depth == 16 else image.convert("L"))[None]
    else:
        got = np.asarray(image.convert({2: "LA", 3: "RGB", 4: "RGBA"}[array.shape[0]])).transpose(2, 0, 1)
    if array.shape[0] == 2 and image.mode != "LA":
        return
    assert (got == array).all(), name


def pngs():
    random = np.random.RandomState(1)
    for kind, depths in ((0, (1, 2, 4, 8, 16)), (2, (8, 16)), (3, (1, 2, 4, 8)), (4, (8, 16)), (6, (8, 16))):
        for depth in depths:
            x = random.randint(0, 2 ** depth, (7, 5, SAMPLES[kind]))
            x[3:] = x[3]
            palette = random.bytes(3 * 2 ** depth) if kind == 3 else b""
            clears = [b""]
            if kind == 3:
                clears.append(random.bytes(2 ** depth - 1))
            if kind in (0, 2):
                clears.append(x[3, 2].astype(">u2").tobytes())
            for clear in clears:
                for interlaced in (0, 1):
                    name = "k%d_%d%s%s.png" % (kind, depth, "_clear" if clear else "", "_adam7" if interlaced else "")
                    data = png(x, kind, depth, interlaced, palette, clear, 1 + interlaced, 9 * (depth != 4))
                    save(name, data, decoded(x, kind, depth, palette, clear))
                    check_pillow(name, data, expected[name], depth)
    one = np.array([[[7]]])
    save("one_adam7.png", png(one, 0, 8, 1), decoded(one, 0, 8))
    ramp = (np.add.outer(np.arange(40), np.arange(60))[:, :, None] * np.array([1, 2, 3]) % 256).astype("u1")
    for mode in ("1", "L", "LA", "RGB", "RGBA", "P"):
        image = Image.fromarray(ramp).convert(mode)
        out = io.BytesIO()
        image.save(out, "PNG", optimize=True)
        y = np.asarray(image.convert({"1": "L", "P": "RGB"}.get(mode, mode)))
        save("pillow_%s.png" % mode, out.getvalue(), (y[None] if y.ndim == 2 else y.transpose(2, 0, 1)).astype("u1"))
    out = io.BytesIO()
    deep = (np.add.outer(np.arange(20), np.arange(30)) * 1337 % 65536).astype("u2")
    Image.fromarray(deep).save(out, "PNG")
    save("pillow_16.png", out.getvalue(), deep[None])


# ** Netpbm **

def pnms():
    random = np.random.RandomState(2)
    bits, grey, rgb = random.randint(0, 2, (3, 11)), random.randint(0, 256, (3, 5)), random.randint(0, 256, (3, 5, 3))
    deep = random.randint(0, 65536, (3, 5, 3))
    black = ((1 - bits) * 255).astype("u1")[None]
    words = "\n".join(" ".join(map(str, r)) for r in grey)
    save("text.pbm", ("P1 # bits\n11 3\n%s\n" % "\n".join("".join(map(str, r)) for r in bits)).encode(), black)
    save("bytes.pbm", b"P4\n11 3\n" + np.packbits(bits.astype("u1"), axis=1).tobytes(), black)
    save("text.pgm", ("P2\n# a comment\n5 3\n255\n%s\n" % words).encode(), grey.astype("u1")[None])
    save("bytes.pgm", b"P5 5 3 255\n" + grey.astype("u1").tobytes(), grey.astype("u1")[None])
    few = grey % 8
    save("few.pgm", b"P5\n5 3\n7\n" + few.astype("u1").tobytes(), np.round(few * 255 / 7).astype("u1")[None])
    save("text.ppm", ("P3\n5 3\n255\n%s" % " ".join(map(str, rgb.ravel()))).encode(), rgb.astype("u1").transpose(2, 0, 1))
    save("bytes.ppm", b"P6\n5\n3\n255\n" + rgb.astype("u1").tobytes(), rgb.astype("u1").transpose(2, 0, 1))
    save("deep.ppm", b"P6\n5 3\n65535\n" + deep.astype(">u2").tobytes(), deep.astype("u2").transpose(2, 0, 1))
    rgba = random.randint(0, 256, (3, 5, 4)).astype("u1")
    save("rgba.pam", b"P7\nWIDTH 5\nHEIGHT 3\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n" + rgba.tobytes(), rgba.transpose(2, 0, 1))
    for name in ("bytes.pgm", "bytes.ppm", "bytes.pbm"):
        got = np.asarray(Image.open(os.path.join(ROOT, name)).convert("RGB" if name.endswith("ppm") else "L"))
        assert (got == expected[name].transpose(1, 2, 0).reshape(got.shape)).all(), name


# ** WAV: the wave module for PCM; floats and extensible headers by their documentation **

def riff(fmt, data, extra=b""):
    body = b"WAVEfmt " + struct.pack("<I", len(fmt)) + fmt + extra + b"data" + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def wavs():
    random = np.random.RandomState(3)
    for width in (1, 2, 3, 4):
        k = random.randint(-2 ** (8 * width - 1), 2 ** (8 * width - 1), (9, 2), dtype="i8")
        raw = (k + 128).astype("u1").tobytes() if width == 1 else b"".join(int(v).to_bytes(width, "little", signed=True) for v in k.ravel())
        out = io.BytesIO()
        with wave.open(out, "wb") as w:
            w.setnchannels(2)
            w.setsampwidth(width)
            w.setframerate(8000)
            w.writeframes(raw)
        save("pcm%d.wav" % (8 * width), out.getvalue(), (k / 2.0 ** (8 * width - 1)).astype("f4"))
    for width in (4, 8):
        x = random.randn(7, 1).astype("f%d" % width)
        fmt = struct.pack("<HHIIHHH", 3, 1, 44100, 44100 * width, width, 8 * width, 0)
        save("float%d.wav" % (8 * width), riff(fmt, x.tobytes(), b"LIST" + struct.pack("<I", 3) + b"abc\0"), x.astype("f4"))
    k = random.randint(-2 ** 15, 2 ** 15, (5, 3))
    guid = struct.pack("<H", 1) + b"\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71"
    fmt = struct.pack("<HHIIHHHHI", 0xFFFE, 3, 48000, 48000 * 6, 6, 16, 22, 16, 7) + guid
    save("extensible.wav", riff(fmt, k.astype("<i2").tobytes()), (k / 32768).astype("f4"))


# ** IDX and CSV **

def idxs():
    random = np.random.RandomState(4)
    for code, kind in ((8, "u1"), (9, "i1"), (11, "i2"), (12, "i4"), (13, "f4"), (14, "f8")):
        x = (random.randn(3, 2, 4) * 50).astype("i1").astype(kind)
        data = struct.pack(">BBBBIII", 0, 0, code, 3, *x.shape) + x.astype(">" + kind).tobytes()
        save("%s.idx" % kind, data, x)
        if kind in ("u1", "i4"):
            save("%s.idx.gz" % kind, gzip.compress(data, mtime=0), x)
    named = io.BytesIO()
    with gzip.GzipFile("named.idx", "wb", fileobj=named, mtime=0) as f:
        f.write(data)
    save("named.idx.gz", named.getvalue(), x)


def csvs():
    random = np.random.RandomState(5)
    numbers = ["0", "-1", "+2.5", "1e3", "-1.5E-3", ".5", "7.", "3.4028235e38", "1e-45", "0.1", "123456789.123456789", "  4 ", "1e400",
               "16777217", "0.3000000000000000166"]
    rows = [[numbers[random.randint(len(numbers))] for _ in range(4)] for _ in range(12)]
    rows[2][1] = rows[5][3] = ""
    rows[3][0] = "nan"
    text = "\n".join(",".join(r) for r in rows) + "\n"
    for name, t in (("plain.csv", text), ("crlf.csv", "\ufeff" + text.replace("\n", "\r\n")), ("end.csv", text[:-1])):
        save(name, t.encode(), np.genfromtxt(io.StringIO(text), delimiter=",").astype("f4"))
    semicolons = text.replace(",", ";")
    save("semicolon.txt", semicolons.encode(), np.genfromtxt(io.StringIO(semicolons), delimiter=";").astype("f4"))
    quoted = '"a, b","c ""d""",e\n"1","2",3\n4,"5","6"\n'
    save("quoted.txt", quoted.encode(), np.array([[1, 2, 3], [4, 5, 6]], "f4"))


def fuzzer_rows():
    """Rows of pictures for tests/fuzz_data.c, which makes PNGs of them."""
    for i, (kind, depth) in enumerate(((0, 1), (0, 16), (2, 8), (3, 4), (4, 8), (6, 16))):
        for interlaced in (0, 1):
            x = np.arange(12 * SAMPLES[kind]).reshape(4, 3, SAMPLES[kind]) % 2 ** depth
            step = max(1, SAMPLES[kind] * depth // 8)
            parts = [x[y0::dy, x0::dx] for x0, y0, dx, dy in PASSES] if interlaced else [x]
            rows = b"".join(filtered(packed_rows(p, depth), step, i) for p in parts if p.size)
            palette, clear = (bytes(range(48)), b"\1\2") if kind == 3 else (b"", b"")
            with open(os.path.join(ROOT, "rows%d_%d_%d" % (kind, depth, interlaced)), "wb") as f:
                f.write(bytes([0xF0, 3, 4, depth, kind, interlaced, len(palette) // 3, len(clear), 5]) + palette + clear + rows)


def main():
    shutil.rmtree(ROOT, ignore_errors=True)
    os.makedirs(ROOT)
    pngs()
    pnms()
    wavs()
    idxs()
    csvs()
    fuzzer_rows()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        for name, x in expected.items():
            data = io.BytesIO()
            np.lib.format.write_array(data, np.ascontiguousarray(x))
            z.writestr(zipfile.ZipInfo(name + ".npy", (1980, 1, 1, 0, 0, 0)), data.getvalue(), zipfile.ZIP_DEFLATED)
    with open(os.path.join(ROOT, "expected.npz"), "wb") as f:
        f.write(out.getvalue())


if __name__ == "__main__":
    main()

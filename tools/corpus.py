#!/usr/bin/env python3
"""Writes tests/corpus: small files of every format that tiny.h reads, made by NumPy and zipfile; .safetensors by the
few lines below, as their format is documented. tests/test_io.c knows what is in them; the fuzzers start from them.

  tools/corpus.py              needs NumPy
"""
import io
import json
import os
import shutil
import struct
import zipfile
import zlib

import numpy as np

ROOT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests", "corpus")
KINDS = ["b1", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"]
SAFE = {"b1": "BOOL", "i1": "I8", "u1": "U8", "i2": "I16", "u2": "U16", "i4": "I32", "u4": "U32", "i8": "I64", "u8": "U64",
        "f2": "F16", "f4": "F32", "f8": "F64"}


def ramp(kind, *shape):
    """0, 1, 2 .. ; of signed and float dtypes from -2 on; bools alternate."""
    n = int(np.prod(shape))
    x = np.arange(n) % 2 if kind == "b1" else np.arange(n) - (2 if kind[0] in "if" else 0)
    return x.reshape(shape).astype(kind)


def npy(x, version=None):
    out = io.BytesIO()
    np.lib.format.write_array(out, x, version=version)
    return out.getvalue()


def safetensors(tensors, metadata=None, pad=8):
    """tensors: {name: (dtype, shape, bytes)}"""
    header, at = {}, 0
    if metadata:
        header["__metadata__"] = metadata
    for name, (dtype, shape, data) in tensors.items():
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [at, at + len(data)]}
        at += len(data)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % pad)
    return struct.pack("<Q", len(text)) + text + b"".join(data for _, _, data in tensors.values())


def archive(entries, method):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as z:
        for name, data in entries.items():
            z.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data, method)
    return out.getvalue()


def save(path, data):
    path = os.path.join(ROOT, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)


def main():
    shutil.rmtree(ROOT, ignore_errors=True)
    for k in KINDS:
        save("npy/%s.npy" % k, npy(ramp(k, 2, 3)))
        if k[1] != "1":
            save("npy/big_%s.npy" % k, npy(ramp(k, 2, 3).astype(">" + k)))
    save("npy/fortran.npy", npy(np.asfortranarray(ramp("f4", 2, 3, 2))))
    save("npy/scalar.npy", npy(ramp("f4", 1).reshape(())))
    save("npy/empty.npy", npy(ramp("f4", 0, 3)))
    save("npy/line.npy", npy(ramp("i4", 5)))
    save("npy/v2.npy", npy(ramp("f4", 2, 3), (2, 0)))
    save("npy/v3.npy", npy(ramp("f4", 2, 3), (3, 0)))
    save("npy/complex.npy", npy(np.zeros(2, "c8")))
    save("npy/record.npy", npy(np.zeros(2, [("x", "f4")])))
    save("npy/text.npy", npy(np.array(["ab"])))

    files = {k + ".npy": npy(ramp(k, 2, 3)) for k in ("f4", "u1", "b1")}
    save("npz/stored.npz", archive(files, zipfile.ZIP_STORED))
    save("npz/deflated.npz", archive(files, zipfile.ZIP_DEFLATED))
    save("npz/long.npz", archive({"long.npy": npy(ramp("i4", 700) * 7 % 64)}, zipfile.ZIP_DEFLATED))
    out = io.BytesIO()
    np.savez(out, a=ramp("f4", 3), b=ramp("i8", 2, 1))
    save("npz/savez.npz", out.getvalue())
    save("npz/empty.npz", archive({}, zipfile.ZIP_STORED))
    save("npz/folder.npz", archive({"x/": b"", "x/y.npy": npy(ramp("f4", 2))}, zipfile.ZIP_STORED))
    save("npz/lzma.npz", archive({"x.npy": npy(ramp("f4", 2))}, zipfile.ZIP_LZMA))
    raw = bytes(i * i % 251 for i in range(16 * 10 + 15))
    for name, level, strategy in (("stored", 0, 0), ("fixed", 9, zlib.Z_FIXED), ("dynamic", 9, 0), ("huffman", 9, 2)):
        z = zlib.compressobj(level, zlib.DEFLATED, -15, 9, strategy)
        save("npz/%s.deflate" % name, b"D" + bytes([10]) + z.compress(raw) + z.flush())

    ramps = {k: (SAFE[k], (2, 3), ramp(k, 2, 3).tobytes()) for k in KINDS}
    save("safetensors/all.safetensors", safetensors(ramps, {"format": "pt"}))
    save("safetensors/bf16.safetensors", safetensors({"x": ("BF16", (2,), struct.pack("<HH", 0x3F80, 0xC000))}))
    save("safetensors/fp8.safetensors", safetensors({"x": ("F8_E4M3", (2,), b"\x38\xc0"), "y": ("F8_E5M2", (2,), b"\x3c\xc0")}))
    save("safetensors/odd.safetensors", safetensors({"a": ("U8", (1,), b"\x07"), "b": ramps["f4"]}, pad=1))
    save("safetensors/empty.safetensors", safetensors({}))
    save("safetensors/sizes.safetensors", safetensors({"scalar": ("F32", (), struct.pack("<f", 1.5)), "none": ("I64", (0, 3), b"")}))
    text = '{"\\u00e9\\ud83d\\ude00\\n":{"shape":[1],"extra":[{"a":-1.5e3,"b":null}],"dtype":"U8","data_offsets":[0,1]} } '
    save("safetensors/escapes.safetensors", struct.pack("<Q", len(text)) + text.encode() + b"\x09")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""files: NumPy reads what tiny.h writes, and tiny.h what NumPy writes, bit for bit; .safetensors likewise, by the few
lines below and by the safetensors package where it is installed."""
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
for python in ("python3", "/usr/bin/python3"):
    try:
        import numpy as np
        break
    except ImportError:
        if os.path.realpath(sys.executable) != os.path.realpath(python) and os.path.exists("/usr/bin/python3"):
            os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
        print("0 passed, 1 failed")
        sys.exit("NumPy is missing")

# Copies every tensor of an archive or array into others: copy IN OUT..
PROGRAM = r"""
%s
#include "%s/src/all.c"
int main(int argc, char **argv) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "INTERP";
  tiny_ctx *t = tiny_open(&d);
  enum { MOST = 100 };
  tiny_tensor *x[MOST];
  const char *name[MOST];
  int n = 0;
  if (strstr(argv[1], ".npy")) { name[0] = "x"; x[n++] = tiny_load_npy(t, argv[1]); }
  else {
    tiny_archive *a = tiny_archive_open(t, argv[1]);
    for (; n < tiny_archive_count(a) && n < MOST; n++) { name[n] = tiny_archive_name(a, n); x[n] = tiny_archive_get(a, name[n]); }
  }
  for (int i = 2; i < argc; i++)
    if (strstr(argv[i], ".npy")) tiny_save_npy(x[0], argv[i]); else tiny_save(argv[i], name, x, n);
  if (tiny_status(t)) puts(tiny_error(t));
  const int failed = tiny_status(t) != TINY_OK;
  tiny_close(t);
  return failed;
}
"""
counts = {True: 0, False: 0}


def check(ok, what):
    counts[bool(ok)] += 1
    if not ok:
        print("failed: " + what)


def build(folder, name, defines):
    source = os.path.join(folder, name + ".c")
    with open(source, "w") as f:
        f.write(PROGRAM % (defines, ROOT))
    subprocess.run(["cc", "-std=c11", "-w", source, "-o", os.path.join(folder, name), "-lm", "-lpthread"], check=True)
    return os.path.join(folder, name)


def copy(program, *paths):
    p = subprocess.run([program, *paths], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
    check(p.returncode == 0, "%s: %s" % (os.path.basename(paths[0]), p.stdout))


def same(a, b):
    return a.dtype.newbyteorder("=") == b.dtype.newbyteorder("=") and a.shape == b.shape and \
        np.array_equal(np.ascontiguousarray(a.astype(a.dtype.newbyteorder("<"))).view(np.uint8).ravel(),
                       np.ascontiguousarray(b.astype(b.dtype.newbyteorder("<"))).view(np.uint8).ravel())


KINDS = ["b1", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"]
NAMES = dict(zip(KINDS, ["BOOL", "I8", "U8", "I16", "U16", "I32", "U32", "I64", "U64", "F16", "F32", "F64"]))


def arrays(rng):
    """Random values of every dtype in many shapes and orders."""
    out = {}
    for k in KINDS:
        for j, shape in enumerate([(), (1,), (7,), (3, 5), (2, 3, 4), (0, 4), (2, 1, 0), (33, 17)]):
            n = int(np.prod(shape, dtype=int))
            x = rng.bytes(n * int(k[1]))
            x = np.frombuffer(x, "<" + k).reshape(shape) if k != "b1" else (np.frombuffer(x, "u1") % 2 == 1).reshape(shape)
            if k[0] == "f":                       # a NaN's other bits get lost where values are computed, not copied
                x = np.where(np.isnan(x), np.array(np.nan, x.dtype), x)
            if j % 3 == 1:
                x = x.astype(">" + k) if k[1] != "1" else x
            if j % 2 == 0:
                x = np.asfortranarray(x)
            out["%s %d" % (k, j)] = x
    return out


def write_safetensors(path, tensors):
    header, at, blobs = {"__metadata__": {"by": "test"}}, 0, []
    for name, x in tensors.items():
        data = np.ascontiguousarray(x).astype(x.dtype.newbyteorder("<")).tobytes()
        header[name] = {"dtype": NAMES[x.dtype.kind + str(x.dtype.itemsize)], "shape": list(x.shape), "data_offsets": [at, at + len(data)]}
        blobs.append(data)
        at += len(data)
    text = json.dumps(header).encode()
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + b"".join(blobs))


def read_safetensors(path):
    with open(path, "rb") as f:
        data = f.read()
    n = struct.unpack("<Q", data[:8])[0]
    header, body, out = json.loads(data[8:8 + n]), data[8 + n:], {}
    spans = sorted(e["data_offsets"] for name, e in header.items() if name != "__metadata__")
    check(all(a[1] == b[0] for a, b in zip(spans, spans[1:])) and spans[0][0] == 0 and spans[-1][1] == len(body), "offsets without gaps")
    for name, e in header.items():
        if name == "__metadata__":
            continue
        kind = next(k for k, v in NAMES.items() if v == e["dtype"])
        begin, end = e["data_offsets"]
        check((8 + n + begin) % int(kind[1]) == 0, "alignment of " + name)
        out[name] = np.frombuffer(body[begin:end], "<" + kind if kind != "b1" else "?").reshape(e["shape"])
    return out


def main():
    rng = np.random.RandomState(random.Random(3).randrange(1 << 30))
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TINY_CACHE"] = os.path.join(folder, "cache")
        at = lambda name: os.path.join(folder, name)
        plain = build(folder, "copy", "")
        wide = build(folder, "wide", "#define TN_ZIP_LIMIT 200\n#define TN_ZIP_COUNT 5")     # the 64-bit extension everywhere
        some = arrays(rng)
        for name, x in some.items():
            np.save(at("in.npy"), x)
            copy(plain, at("in.npy"), at("out.npy"))
            check(same(np.load(at("out.npy")), x), "npy " + name)
        np.savez(at("stored.npz"), **some)
        np.savez_compressed(at("packed.npz"), **some)
        write_safetensors(at("in.safetensors"), some)
        for program in (plain, wide):
            for source in ("stored.npz", "packed.npz", "in.safetensors"):
                copy(program, at(source), at("out.npz"), at("out.safetensors"))
                z, s = np.load(at("out.npz")), read_safetensors(at("out.safetensors"))
                for got, what in ((z, "npz"), (s, "safetensors")):
                    check(sorted(got) == sorted(some), "%s -> %s: names" % (source, what))
                    for name, x in some.items():
                        check(same(got[name], x), "%s -> %s: %s" % (source, what, name))
        try:
            import safetensors.numpy
            for name, x in safetensors.numpy.load_file(at("out.safetensors")).items():
                check(same(x, some[name]), "the safetensors package reads " + name)
        except ImportError:
            pass
        big = {"x": rng.standard_normal((300, 1000)).astype("f4"), "y": (rng.standard_normal(70000) * 3).astype("i4")}
        np.savez_compressed(at("big.npz"), **big)
        copy(plain, at("big.npz"), at("out.npz"))
        for name, x in big.items():
            check(same(np.load(at("out.npz"))[name], x), "big " + name)
    print("%d passed, %d failed" % (counts[True], counts[False]))
    return counts[False] != 0


if __name__ == "__main__":
    sys.exit(main())

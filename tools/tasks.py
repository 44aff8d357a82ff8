#!/usr/bin/env python3
# tasks: bench/tasks, ten tasks written for four libraries.
#   tools/tasks.py                 counts the programs' lines, as Markdown
#   tools/tasks.py run LIBRARY     runs a library's programs and checks what they print; LIBRARY: tiny, torch, tinygrad, ggml
#                                  TINYGRAD=folder and GGML=folder say where their sources are (GGML/build holds the built one)
#   tools/tasks.py files           writes build/tasks/block.*, the weights in each library's format
#   tools/tasks.py record          writes bench/tasks/block.safetensors, by PyTorch
import json, os, struct, sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TASKS = os.path.join(TOP, "bench/tasks")
BUILD = os.path.join(TOP, "build/tasks")


# The weights of the task "block": numbers of PyTorch, kept in the repository.

def record():
    import torch
    sys.path.insert(0, os.path.join(TASKS, "block"))
    from torch_block import Block
    torch.manual_seed(1)
    block, x = Block().eval(), torch.randn(2, 16, 32)
    with torch.no_grad():
        arrays = dict(block.state_dict(), x=x, y=block(x))
    header, data = {}, b""
    for name, a in arrays.items():
        raw = a.contiguous().numpy().tobytes()
        header[name] = {"dtype": "F32", "shape": list(a.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(os.path.join(TASKS, "block.safetensors"), "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + data)


# name -> (shape, bytes of f32)
def arrays_of(path):
    raw = open(path, "rb").read()
    n = struct.unpack("<Q", raw[:8])[0]
    header = json.loads(raw[8:8 + n])
    return {k: (v["shape"], raw[8 + n + v["data_offsets"][0]:8 + n + v["data_offsets"][1]]) for k, v in header.items()}


# GGUF, version 3 (ggml's docs/gguf.md): dims from the fastest, data aligned to 32 bytes.
def write_gguf(path, arrays):
    text = lambda s: struct.pack("<Q", len(s)) + s.encode()
    head, data = b"GGUF" + struct.pack("<IQQ", 3, len(arrays), 0), b""
    for name, (shape, raw) in arrays.items():
        head += text(name) + struct.pack("<I", len(shape)) + struct.pack(f"<{len(shape)}Q", *reversed(shape))
        head += struct.pack("<IQ", 0, len(data))
        data += raw + b"\0" * (-len(raw) % 32)
    with open(path, "wb") as f: f.write(head + b"\0" * (-len(head) % 32) + data)


def write_pt(path, arrays):
    try: import torch
    except ImportError: return
    torch.save({k: torch.frombuffer(bytearray(raw), dtype=torch.float32).reshape(shape)
                for k, (shape, raw) in arrays.items()}, path)


def files():
    os.makedirs(BUILD, exist_ok=True)
    arrays = arrays_of(os.path.join(TASKS, "block.safetensors"))
    write_gguf(os.path.join(BUILD, "block.gguf"), arrays)
    write_pt(os.path.join(BUILD, "block.pt"), arrays)


if __name__ == "__main__":
    {"record": record, "files": files}[sys.argv[1]]()

#!/usr/bin/env python3
"""Writes tiny.h and its companions from src/. The rooms stand in it verbatim, between marks, in reading order; a table
at the end tells at which line.

  tools/amalgamate.py                           write every header
  tools/amalgamate.py --check                   exit 1 and name what differs when a checked-in header is stale
  tools/amalgamate.py --where tiny.h LINE..     the source line behind each line of a header: src/base/text.c:12
  tools/amalgamate.py --split tiny.h OUTDIR     restore the files that a header was made of, byte for byte

The result depends on the contents of the sources alone: no dates, no paths of this machine.
"""
import hashlib
import os
import re
import sys
import textwrap

# One row a file: its name, the list of its rooms, the list of its public parts, its manual, the prefix of its macros.
# Headers that have both lists share TINY_IMPLEMENTATION: defined once, it brings the implementation of each header
# included after it. Without rooms it is a header of another language's implementation, which has no public parts.
HEADERS = [
    ("tiny.h", "src/all.c", "src/api/api.h", "src/api/manual.txt", "TINY"),
    ("tiny_cl.h", "src/cl/all.c", "src/cl/api.h", "src/cl/manual.txt", "TINY_CL"),
    ("tiny_cuda.h", "src/cuda/all.c", "src/cuda/api.h", "src/cuda/manual.txt", "TINY_CUDA"),
    ("tiny_nv.h", "src/nv/all.c", "src/nv/api.h", "src/nv/manual.txt", "TINY_NV"),
    ("tiny_amd.h", "src/amd/all.c", "src/amd/api.h", "src/amd/manual.txt", "TINY_AMD"),
    ("tiny_metal.h", None, "src/metal/api.h", "src/metal/manual.txt", "TINY_METAL"),
    ("tiny_metal.m", "src/metal/all.m", None, None, "TINY_METAL"),
]
VERSION = ("src/api/core.h", r'#define TINY_VERSION "(.*)"')
LICENSE = "LICENSE"
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WIDTH = 110

INCLUDE = re.compile(r'#include "([^"]+)"\n')
MARK = re.compile(r"(?:// )?---- (begin|end) (\S+) ----\n")


def stop(message):
    sys.exit("amalgamate: " + message)


def read(path):
    try:
        with open(os.path.join(ROOT, path), encoding="utf-8", newline="") as f:
            text = f.read()
    except OSError as e:
        stop("%s: %s" % (path, e.strerror))
    if not text.endswith("\n") or "\r" in text:
        stop("%s: must end with a newline and hold no carriage return" % path)
    for number, line in enumerate(text.splitlines(True), 1):
        if MARK.fullmatch(line):
            stop("%s:%d: looks like a mark of the amalgamation" % (path, number))
    return text


def marked(path, text, comment="// "):
    return "%s---- begin %s ----\n%s%s---- end %s ----\n" % (comment, path, text, comment, path)


def rooms_of(list_path):
    """The rooms named by the #include lines of a list, in order."""
    folder = os.path.dirname(list_path)
    return [folder + "/" + m.group(1) for line in read(list_path).splitlines(True) if (m := INCLUDE.fullmatch(line))]


def expanded(list_path):
    """The list with each #include line replaced by the room it names."""
    folder, out = os.path.dirname(list_path), []
    for line in read(list_path).splitlines(True):
        m = INCLUDE.fullmatch(line)
        out.append(marked(folder + "/" + m.group(1), read(folder + "/" + m.group(1))) if m else line)
    return "".join(out)


def first_sentence(text):
    """Of a head comment `// hash: what it is for.`, without the room's name."""
    words = []
    for line in text.splitlines():
        if not line.startswith("//") or not line[2:].strip():
            break
        words.append(line[2:].strip())
    sentence = re.split(r"(?<=[^.])\.(?=\s|$)", " ".join(words))[0]
    return re.sub(r"^[\w ./]+: ", "", sentence)


def contents(name, paths, text):
    """A table of line, file and purpose. text: all that stands in the header above the table."""
    line_of = {m.group(2): i + 2 for i, line in enumerate(text.splitlines(True))
               if (m := MARK.fullmatch(line)) and m.group(1) == "begin"}
    column = max(len(p) for p in paths) + 2
    out = ["Where things stand in %s\n\n" % name]
    for path in paths:
        head = "%7d  %s" % (line_of[path], path.ljust(column))
        out.append(textwrap.fill(first_sentence(read(path)), WIDTH, initial_indent=head,
                                 subsequent_indent=" " * (column + 9)) + "\n")
    return "".join(out)


def public_part(api_path, manual, manual_path, prefix):
    return (marked(manual_path, manual, "") + "*/\n"
            + "#ifndef %s_H\n#define %s_H\n" % (prefix, prefix)
            + marked(api_path, expanded(api_path))
            + "#endif // %s_H\n\n" % prefix)


def implementation(list_path, prefix, source_id):
    return ("// The implementation, for the one file that defines TINY_IMPLEMENTATION. It compiles as C and as C++; "
            + "the\n// functions above are extern \"C\" there, so both kinds of files link with it. "
            + "(TINY_STATIC: all is static.)\n"
            + "#if defined(TINY_IMPLEMENTATION) && !defined(%s_IMPLEMENTATION_DONE)\n" % prefix
            + "#define %s_IMPLEMENTATION_DONE\n" % prefix
            + "#ifndef TINY_AMALGAMATED\n  #define TINY_AMALGAMATED\n#endif\n"
            + '#define %s_SOURCE_ID "%s"\n' % (prefix.replace("TINY", "TN", 1), source_id)
            + marked(list_path, expanded(list_path))
            + "#endif // TINY_IMPLEMENTATION\n\n")


def file_of_its_own(name, list_path, prefix):
    """The implementation that no header holds: it is compiled by itself, with tiny.h and its header beside it."""
    return ("The implementation of %s.h. It is compiled by itself, and finds tiny.h and %s.h beside it.\n*/\n"
            % ((os.path.splitext(name)[0],) * 2)
            + "#undef TINY_IMPLEMENTATION\n#include \"tiny.h\"\n#include \"%s.h\"\n" % os.path.splitext(name)[0]
            + "#ifndef TINY_AMALGAMATED\n  #define TINY_AMALGAMATED\n#endif\n"
            + marked(list_path, expanded(list_path)) + "\n")


def amalgamated(header):
    name, list_path, api_path, manual_path, prefix = header
    public, rooms = rooms_of(api_path) if api_path else [], rooms_of(list_path) if list_path else []
    version = re.search(VERSION[1], read(VERSION[0])).group(1)
    lists = [path for path in (api_path, list_path) if path]
    source_id = hashlib.sha256("".join(map(read, lists + public + rooms)).encode()).hexdigest()
    manual, licence = read(manual_path) if manual_path else "", read(LICENSE)
    for path, text in ((manual_path, manual), (LICENSE, licence)):
        if "*/" in text or "/*" in text:
            stop("%s: holds a comment mark, which would end the comment it stands in" % path)

    text = ("/* %s %s, source %s\n\n" % (name, version, source_id)
            + "This file is written by tools/amalgamate.py from src/ and never edited by hand.\n\n")
    if api_path:
        text += public_part(api_path, manual, manual_path, prefix)
    if api_path and list_path:
        text += implementation(list_path, prefix, source_id)
    elif list_path:
        text += file_of_its_own(name, list_path, prefix)
    text += "/*\n" + marked(LICENSE, licence, "")
    return text + ("\n" + contents(name, public + rooms, text + "\n") if public + rooms else "") + "*/\n"


def pieces(text):
    """What a header was made of: {path: text}, and for each line of the header (path, line in path) or None."""
    open_files, files, origin = [], {}, []
    for line in text.splitlines(True):
        m = MARK.fullmatch(line)
        origin.append(None)
        if m and m.group(1) == "begin":
            if open_files:                                      # a room within its list: the list holds an #include
                folder = os.path.dirname(open_files[-1]) + "/"
                files[open_files[-1]].append('#include "%s"\n' % m.group(2)[len(folder):])
            open_files.append(m.group(2))
            files[m.group(2)] = []
        elif m and (not open_files or open_files.pop() != m.group(2)):
            stop("the marks do not nest at: %s" % line.strip())
        elif not m and open_files:
            files[open_files[-1]].append(line)
            origin[-1] = (open_files[-1], len(files[open_files[-1]]))
    if open_files:
        stop("no end mark for %s" % open_files[-1])
    return {path: "".join(lines) for path, lines in files.items()}, origin


def load(path):
    try:
        with open(path, encoding="utf-8", newline="") as f:
            return f.read()
    except OSError as e:
        stop("%s: %s" % (path, e.strerror))


def write():
    for header in HEADERS:
        with open(os.path.join(ROOT, header[0]), "w", encoding="utf-8", newline="") as f:
            f.write(amalgamated(header))


def check():
    stale = 0
    for header in HEADERS:
        path = os.path.join(ROOT, header[0])
        want, have = amalgamated(header), load(path) if os.path.exists(path) else ""
        if want == have:
            continue
        stale = 1
        new, old = pieces(want)[0], pieces(have)[0]
        differ = sorted(p for p in set(new) | set(old) if new.get(p) != old.get(p))
        print("%s is stale, run tools/amalgamate.py: %s" % (header[0], ", ".join(differ) or "the text between the rooms differs"))
    return stale


def where(path, lines):
    origin = pieces(load(path))[1]
    for line in lines:
        if not 1 <= line <= len(origin):
            stop("%s has %d lines" % (path, len(origin)))
        if not origin[line - 1]:
            stop("line %d was written by the amalgamation itself" % line)
        print("%s:%d" % origin[line - 1])
    return 0


def split(path, out):
    for name, text in pieces(load(path))[0].items():
        target = os.path.normpath(os.path.join(out, name))
        if os.path.isabs(name) or os.path.relpath(target, out).startswith(".."):
            stop("%s: outside of %s" % (name, out))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="utf-8", newline="") as f:
            f.write(text)
    return 0


def main(args):
    if not args:
        return write()
    if args == ["--check"]:
        return check()
    if len(args) >= 3 and args[0] == "--where" and all(line.isdigit() for line in args[2:]):
        return where(args[1], [int(line) for line in args[2:]])
    if len(args) == 3 and args[0] == "--split":
        return split(args[1], args[2])
    print(__doc__.strip(), file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

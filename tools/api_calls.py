#!/usr/bin/env python3
"""Writes tests/api_calls.h from the declarations in src/api/: one call of every public function, for tests that call them all.

  tools/api_calls.py            write it
  tools/api_calls.py --check    exit 1 when the file does not read as it would be written now

In a call, H(i) is the i-th tensor that the function takes, L(i) a list of two, O(i) room for results, N(i, d) the i-th number or enum with its
default d, C(i) one that counts the elements of a list, D(i, d) the i-th double, T(d) a text, P(d) a path. What a call takes besides (contexts, optimisers, programs ..) the test makes: see tests/test_calls.c.
"""
import os
import re
import sys

from api import PARTS

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OUT = os.path.join(ROOT, "tests/api_calls.h")

# Functions that a table cannot call, and why.
LEFT_OUT = {
    "tiny_open": "makes the context", "tiny_close": "ends it", "tiny_finish": "ends it",
    "tiny_fail": "is an error", "tiny_parallel": "calls back", "tiny_realloc": "wants memory of its own", "tiny_log_line": "takes no tensor", "tiny_bytes_add": "wants a backend's bytes", "tiny_archive_close": "ends what others use", "tiny_loader_close": "ends what others use", "tiny_load_csv_from": "reads as many bytes as it is told",
    "tiny_sequential": "reads as many stages as it is told", "tiny_sequential_params": "reads as many stages as it is told", "tiny_sequential_free": "reads as many stages as it is told",
    "tiny_program_digest": "takes bytes", "tiny_program_free": "ends what others use", "tiny_program_call": "takes memory by the program's shapes", "tiny_program_input": "takes no tensor", "tiny_program_output": "takes no tensor", "tiny_uop_print": "takes nodes, which belong to no tensor", "tiny_uop_simplify": "takes nodes",
    "tiny_uop_eval": "takes nodes", "tiny_uop_new": "takes nodes",
    "tiny_version": "takes nothing", "tiny_now_ns": "takes nothing", "tiny_build_options": "takes nothing",
    "tiny_profile_rows": "calls back", "tiny_program_call": "reads as many addresses as the program takes", "tiny_program_call_for": "reads as many addresses as the program takes", "tiny_cancel": "is for what runs meanwhile",
    "tiny_trace_begin": "writes what all others do", "tiny_trace_end": "ends what is not begun", "tiny_profile_end": "ends what others use",
}
MADE = {"tiny_params", "tiny_optim", "tiny_ema", "tiny_scaler", "tiny_program", "tiny_archive", "tiny_loader", "tiny_views", "tiny_plateau", "tiny_recurrent_layer"}   # by the test
OWNERS = MADE - {"tiny_views", "tiny_plateau"}             # these belong to a context
LISTS_IN = {"tiny_clip_grad_norm", "tiny_clip_grad_value", "tiny_scaler_unscale"}          # tiny_tensor **grads that are read as well
ENUMS = {"tiny_dtype": "TINY_F32"}
TEXTS = {"path": '"build/api_calls.npz"'}
FIELDS = {"tiny_kernel_desc": ['name = "k"', 'source = "k"', "dtype = TINY_F32"], "tiny_save_desc": ["names = the_names", 'format = "npz"'],
    "tiny_ship_desc": ["names = the_names"], "tiny_export_desc": ["names = the_names"]}
TEXT_OF = {"tiny_einsum": '"ij,jk"'}


def declarations():
    """[(return type, name, [parameter])], {struct: [(member, stars)]}"""
    found, structs = [], {}
    for part in PARTS:
        text = open(os.path.join(ROOT, "src/api", part), encoding="utf-8").read()
        text = re.sub(r"//[^\n]*", "", text)
        for m in re.finditer(r"typedef struct (\w+) \{(.*?)\} \1;", text, re.S):
            members = []
            for line in re.findall(r"\b(tiny_tensor\b[^;]*);", m.group(2)):
                const_list = "*const *" in line
                for one in line.replace("tiny_tensor", "", 1).replace("*const *", "**").split(","):
                    name = one.replace("*", "").strip()
                    members.append((name, 2 if const_list or one.count("*") == 2 else 1))
            structs[m.group(1)] = members
        for m in re.finditer(r"^TINY_API\s+([\w\s*]+?)(tiny_\w+)\(([^;]*?)\)\s*;", text, re.M | re.S):
            arguments, depth, one = [], 0, ""
            for c in re.sub(r"\s+", " ", m.group(3)) + ",":
                if c == "," and not depth:
                    if one.strip() not in ("", "void"):
                        arguments.append(one.strip())
                    one = ""
                    continue
                depth += (c == "(") - (c == ")")
                one += c
            found.append((re.sub(r"\s+", " ", m.group(1)).strip(), m.group(2), arguments))
    return found, structs


class Call:
    def __init__(self, result, name, arguments, structs):
        self.result, self.name, self.structs = result, name, structs
        self.handles = self.numbers = self.reals = self.rooms = self.owners = 0
        self.before, self.text = [], []
        self.lists = any(re.match(r"tiny_tensor \*|const int64_t \*", a) and ("**" in a or "*const" in a or "int64" in a) for a in arguments) or any(a.startswith("const int *") for a in arguments)
        for i, a in enumerate(arguments):
            self.text.append(self.argument(i, a))

    def handle(self, many=1):
        self.handles += many
        return self.handles - many

    def number(self, type_, default):
        self.numbers += 1
        text = "N(%d, %s)" % (self.numbers - 1, default)
        return text if type_ == "int64_t" else "(%s)%s" % (type_, text)

    def struct(self, at, type_):
        name = "a%d" % at
        self.before.append("%s %s;" % (type_, name))
        self.before.append("memset(&%s, 0, sizeof %s);" % (name, name))
        for member, stars in self.structs.get(type_, []):
            if stars == 1:
                self.before.append("%s.%s = H(%d);" % (name, member, self.handle()))
            else:
                self.before.append("%s.%s = L(%d);" % (name, member, self.handle(2)))
                self.before.append("%s.n = 2;" % name)
        self.before += ["%s.%s;" % (name, x) for x in FIELDS.get(type_, [])]
        return "&" + name

    def argument(self, at, a):
        m = re.match(r"(.*?)(\w+)(\[\w*\])?$", a)
        type_, name, array = m.group(1).strip(), m.group(2), m.group(3)
        bare = type_.replace("const", "").replace("*", "").strip()
        if bare == "tiny_ctx":
            self.owners += 1
            return "w->t"
        if bare == "tiny_tensor":
            if "*const *" in type_ or (type_.count("*") == 2 and self.name in LISTS_IN):
                return "L(%d)" % self.handle(2)
            if type_.count("*") == 2:
                self.rooms += 1
                return "O(%d)" % (self.rooms - 1)
            return "H(%d)" % self.handle()
        if bare in MADE:
            self.owners += bare in OWNERS
            return "the_%s(w)" % bare[5:]
        if type_ == "tiny_shape":
            return "the_shape(w, %d)" % at
        if type_ == "double":
            self.reals += 1
            return "D(%d, 0.5)" % (self.reals - 1)
        if type_ in ("int", "int64_t", "size_t", "uint64_t"):
            if name in ("n", "m") and self.lists:
                self.numbers += 1
                return "C(%d)" % (self.numbers - 1)
            return self.number(type_, "2" if name in ("n", "m") else "0" if name in ("axis", "dim") else "1")
        if type_ == "tiny_writer":
            return "the_writer()"
        if "*" not in type_ and not array:
            return self.number(type_, ENUMS.get(type_, "0"))
        if bare == "char" and type_.startswith("const"):
            if type_.count("*") == 2:
                return "the_names"
            return "P(%s)" % TEXTS[name] if name in TEXTS else "T(%s)" % TEXT_OF.get(self.name, '"a"')
        if bare in ("void", "char", "unsigned char"):
            return "w->bytes" if bare == "void" else "(%s *)w->bytes" % bare
        if bare in ("int64_t", "double", "int"):
            return {"int64_t": "w->longs", "double": "w->reals", "int": "w->ints"}[bare]
        if bare == "tiny_uop":
            return "NULL"
        if bare.startswith("tiny_") and type_.count("*") == 1:
            return self.struct(at, bare)
        raise SystemExit("%s: what is %s?" % (self.name, a))

    def write(self):
        call = "%s(%s)" % (self.name, ", ".join(self.text))
        kind = {"tiny_tensor *": "give_tensor(w, %s)", "tiny_code": "give_code(w, %s)", "int": "give_number(w, %s)"}.get(self.result)
        if self.result.endswith("*") and not kind:
            kind = "give_pointer(w, %s)"
        if self.result.endswith("_layer"):
            call = "%s made = %s;\n  tiny%s_free(&made)" % (self.result, call, self.result[4:])
        call = (kind or ("%s" if self.result == "void" or self.result.endswith("_layer") else "(void)%s")) % call + ";"
        lines = "".join("  %s\n" % b for b in self.before)
        return "static void call_%s(world *w) {\n  (void)w;\n%s  %s\n}\n" % (self.name, lines, call)


def page():
    found, structs = declarations()
    head = "// api_calls: a call of every public function. Written by tools/api_calls.py from src/api/; not edited by hand.\n"
    body, rows = "", ""
    for result, name, arguments in found:
        if name in LEFT_OUT:
            continue
        call = Call(result, name, arguments, structs)
        body += call.write()
        rows += '  {"%s", call_%s, %d, %d, %d, %d},\n' % (name, name, call.handles, call.owners, call.numbers, call.rooms)
    for name, why in LEFT_OUT.items():
        if name not in [f[1] for f in found]:
            raise SystemExit("%s is no function" % name)
        head += "// Not here: %s, which %s.\n" % (name, why)
    table = "// tensors, owners of tensors, numbers, rooms for results\n"
    table += "static const struct api_call { const char *name; void (*call)(world *w); int handles, owners, numbers, rooms; } api_calls[] = {\n"
    return head + body + table + rows + "};\n"


def main():
    text = page()
    if "--check" in sys.argv:
        same = os.path.exists(OUT) and open(OUT, encoding="utf-8").read() == text
        print("%d passed, %d failed" % (same, not same))
        if not same:
            print("tests/api_calls.h is not what tools/api_calls.py writes: run it")
        return not same
    open(OUT, "w", encoding="utf-8").write(text)
    return 0


sys.exit(main())

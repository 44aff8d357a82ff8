#!/usr/bin/env python3
"""Writes tiny.hpp, the C++17 wrapper of tiny.h: src/cpp/tiny.hpp.in, and what the declarations in src/api/ make of themselves.

  tools/hpp.py            write tiny.hpp and tests/hpp_calls.h, which uses once each of what was written
  tools/hpp.py --check    exit 1 when one of them does not read as it would be written now

Every public function is written by the rules below, or named in tiny.hpp.in, or left out for a reason: another one ends this tool.
"""
import os
import re
import sys

from api import PARTS

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HAND = os.path.join(ROOT, "src/cpp/tiny.hpp.in")
OUT = os.path.join(ROOT, "tiny.hpp")
CALLS = os.path.join(ROOT, "tests/hpp_calls.h")

BACKEND = "is for those who write devices, in C's words"
HOST = "works on the host's memory, in C's words"
LEFT_OUT = {
    "tiny_ctx_of": "a Tensor knows", "tiny_views_": "works on structs of its own", "tiny_uop_": "works on nodes, which belong to no Tensor",
    "tiny_op_name": "works on nodes", "tiny_bytes_add": BACKEND, "tiny_realloc": BACKEND, "tiny_log_line": BACKEND, "tiny_fail": BACKEND, "tiny_parallel": BACKEND, "tiny_compiler_of": BACKEND, "tiny_renderer_of_language": BACKEND, "tiny_backend_named": BACKEND,
    "tiny_program_digest": HOST, "tiny_profile_rows": "calls back, in C's words", "tiny_finish": "a Context closes itself",
    "tiny_sequential_": "works on tiny_stage", "tiny_sequential": "a function of layers is shorter: [&](Tensor x) { return out(in(x).relu()); }",
}
NAMES = {"shape_of": "shape", "dtype_of": "dtype", "nelem_of": "nelem", "device_of": "device"}
ALSO = {"tiny_shape_of", "tiny_shape_now", "tiny_read", "tiny_from"}     # written by the rules, and used in tiny.hpp.in
# Where TINY_AXES may stand in the place of an axis.
AXES = set("sum prod amax amin aminmax mean var std var_mean std_mean nansum nanmean any all count_nonzero norm squeeze".split())
BOOLS = set("keepdim descending largest right train hard upper unit complete full log_input log_target zero_infinity accumulate include_self density "
            "equal_nan swap xy replacement align_corners relu bias strict".split())
ARRAYS = {"rnn", "gru", "lstm"}                            # w points to several
WITHOUT = {"max_pool": "max_pool_with_indices", "adaptive_max_pool": "adaptive_max_pool_with_indices"}      # PyTorch gives the value alone

# What trailing arguments are if nothing is said: of one function, or of all that have a parameter of that name.
DEFAULTS = {
    ("*", "keepdim"): "false", ("*", "correction"): "1", ("*", "descending"): "false", ("*", "largest"): "true", ("*", "right"): "false", ("*", "r"): "TINY_MEAN",
    ("*", "eps"): "0", ("*", "rtol"): "0", ("*", "d"): None, ("*", "w"): "Tensor()", ("*", "b"): "Tensor()", ("*", "bias"): "Tensor()", ("*", "weight"): "Tensor()",
    ("*", "weights"): "Tensor()", ("*", "pos_weight"): "Tensor()", ("*", "how"): None, ("*", "norm"): "TINY_FFT_BACKWARD", ("*", "include_self"): "true",
    ("*", "accumulate"): "false", ("*", "equal_nan"): "false", ("*", "diagonal"): "0", ("*", "density"): "false", ("*", "stride"): "0", ("*", "pad"): "0",
    ("*", "train"): "true", ("*", "upper"): "false", ("*", "padding"): "-1", ("*", "swap"): "false", ("*", "zero_infinity"): "false", ("*", "strides"): "nullptr",
    ("norm_layer_new", "groups"): "0", ("*", "h0"): "Tensor()", ("*", "c0"): "Tensor()", ("*", "positions"): "Tensor()", ("*", "offsets"): "Tensor()", ("*", "before"): "Tensor()", ("*", "after"): "Tensor()",
    ("isclose", "rtol"): "1e-5", ("isclose", "atol"): "1e-8", ("allclose", "rtol"): "1e-5", ("allclose", "atol"): "1e-8", ("argmax", "axis"): "TINY_ALL", ("argmin", "axis"): "TINY_ALL",
    ("max", "axis"): "TINY_ALL", ("min", "axis"): "TINY_ALL", ("median", "axis"): "TINY_ALL", ("nanmedian", "axis"): "TINY_ALL", ("mode", "axis"): "-1", ("kthvalue", "axis"): "-1",
    ("quantile", "axis"): "TINY_ALL", ("nanquantile", "axis"): "TINY_ALL", ("quantile_by", "axis"): "TINY_ALL", ("nanquantile_by", "axis"): "TINY_ALL", ("sort", "axis"): "-1",
    ("argsort", "axis"): "-1", ("topk", "axis"): "-1", ("norm", "p"): "2", ("dist", "p"): "2", ("cdist", "p"): "2", ("normalize", "p"): "2", ("normalize", "axis"): "1",
    ("cosine_similarity", "axis"): "1", ("pairwise_distance", "p"): "2", ("glu", "axis"): "-1", ("flatten", "first"): "0", ("flatten", "last"): "-1", ("slice", "stop"): "TINY_END",
    ("slice", "step"): "1", ("slice_scatter", "stop"): "TINY_END", ("slice_scatter", "step"): "1", ("pad", "value"): "0", ("diagonal", "a"): "0", ("diagonal", "b"): "1",
    ("diag_embed", "a"): "-2", ("diag_embed", "b"): "-1", ("cat", "axis"): "0", ("stack", "axis"): "0", ("repeat_interleave", "axis"): "TINY_ALL", ("rot90", "turns"): "1",
    ("rot90", "a"): "0", ("rot90", "b"): "1", ("arange", "step"): "1", ("dropout", "p"): "0.5", ("addcmul", "value"): "1", ("addcdiv", "value"): "1", ("elu", "alpha"): "1",
    ("celu", "alpha"): "1", ("leaky_relu", "slope"): "0.01", ("hardtanh", "lo"): "-1", ("hardtanh", "hi"): "1", ("hardshrink", "lambda"): "0.5", ("softshrink", "lambda"): "0.5",
    ("softplus", "beta"): "1", ("softplus", "threshold"): "20", ("smooth_l1_loss", "beta"): "1", ("huber_loss", "delta"): "1", ("fft", "n"): "0", ("fft", "axis"): "-1",
    ("ifft", "n"): "0", ("ifft", "axis"): "-1", ("rfft", "n"): "0", ("rfft", "axis"): "-1", ("irfft", "n"): "0", ("irfft", "axis"): "-1", ("fftfreq", "step"): "1",
    ("rfftfreq", "step"): "1", ("diff", "n"): "1", ("diff", "axis"): "-1", ("matrix_norm", "order"): "TINY_NORM_FRO", ("cond", "order"): "TINY_NORM_2",
    ("qr", "complete"): "false", ("meshgrid", "xy"): "false", ("gumbel_softmax", "tau"): "1", ("gumbel_softmax", "hard"): "false", ("gumbel_softmax", "axis"): "-1",
    ("cov", "fweights"): "Tensor()", ("cov", "aweights"): "Tensor()", ("bincount", "least"): "0", ("clamp_to", "hi"): "Tensor()", ("complex", "im"): "Tensor()",
    ("local_response_norm", "alpha"): "1e-4", ("local_response_norm", "beta"): "0.75", ("local_response_norm", "k"): "1", ("margin_ranking_loss", "margin"): "0",
    ("hinge_embedding_loss", "margin"): "1", ("cosine_embedding_loss", "margin"): "0", ("triplet_margin_loss", "margin"): "1", ("triplet_margin_loss", "p"): "2",
    ("multi_margin_loss", "p"): "1", ("multi_margin_loss", "margin"): "1", ("ctc_loss", "blank"): "0", ("kl_div", "log_target"): "false", ("gaussian_nll_loss", "full"): "false",
    ("poisson_nll_loss", "log_input"): "true", ("poisson_nll_loss", "full"): "false", ("embedding_bag", "mode"): "TINY_MEAN", ("kaiming_uniform", "slope"): "0",
    ("multinomial", "replacement"): "false", ("trapezoid", "step"): "1", ("trapezoid", "axis"): "-1", ("cumulative_trapezoid", "step"): "1", ("cumulative_trapezoid", "axis"): "-1",
    ("trapezoid", "x"): "Tensor()", ("cumulative_trapezoid", "x"): "Tensor()",
}
for name in AXES: DEFAULTS[name, "axis"] = "TINY_ALL"


class Function:
    def __init__(self, guards, section, result, name, parameters):
        self.guards, self.section, self.result, self.name, self.short = guards, section, result, name, name[5:]
        self.parameters = parameters                       # [(type, name)]


def functions():
    """Every public function, with the switches that it stands behind and the mark of its section."""
    found = []
    for part in PARTS:
        guards, section, pending = [], "", ""
        for line in open(os.path.join(ROOT, "src/api", part), encoding="utf-8"):
            line = line.rstrip("\n")
            if m := re.search(r">>(\w+)$", line): section = m.group(1)
            line = re.sub(r"\s*//.*", "", line)
            if m := re.match(r"\s*#\s*if(.*)", line): guards.append(m.group(1).replace("ndef", "").strip() if "TINY_NO_" in line else "")
            elif re.match(r"\s*#\s*endif", line): guards.pop()
            if not (pending or line.startswith("TINY_API")): continue
            pending = (pending + " " + line.strip()).strip()
            if not pending.endswith(";"): continue
            m = re.match(r"TINY_API\s+(.*?)\b(tiny_\w+)\((.*)\);$", pending)
            pending = ""
            parameters, depth, one = [], 0, ""
            for c in m.group(3) + ",":
                if c == "," and not depth:
                    if one.strip() not in ("", "void"):
                        p = re.match(r"(.*?)(\w+|\.\.\.)(\[\w*\])?$", one.strip())
                        parameters.append((re.sub(r"\s+", " ", p.group(1)).strip(), p.group(2)) if p else ("a function", one.strip()))
                    one = ""
                    continue
                depth += (c == "(") - (c == ")")
                one += c
            found.append(Function(tuple(g for g in guards if g), section, re.sub(r"\s+", " ", m.group(1)).strip(), m.group(2), parameters))
    return found


class Wrap:
    """A function in C++: parameters [(type, name, default)], the arguments of C's call, where its context comes from, its further results."""
    def __init__(self, f, tail=0):
        self.f, self.parameters, self.arguments, self.homes, self.outs, self.used, self.text = f, [], [], [], [], [], False
        waits = list(f.parameters)
        self.creates = bool(waits) and waits[0][0] == "tiny_ctx *" and f.result == "tiny_tensor *"
        while waits: self.parameter(waits)
        if self.creates:
            dtypes = [p for p in self.parameters if p[0] == "tiny_dtype"]
            self.parameters = [p for p in self.parameters if p[0] != "tiny_dtype"] + [(t, n, "TINY_F32") for t, n, _ in dtypes]
        for i in range(len(self.parameters) - 1, -1, -1):       # only trailing ones have a default
            if self.parameters[i][2] is None:
                self.parameters[:i] = [(t, n, None) for t, n, _ in self.parameters[:i]]
                break

    def default(self, type_, name):
        value = DEFAULTS.get((self.f.short, name), DEFAULTS.get(("*", name)))
        if name == "bias" and type_ == "bool": return "true"
        if value == "Tensor()" and type_ != "const Tensor &": return None
        if type_.startswith("const tiny_") and type_.endswith("_desc &") and "kernel" not in type_ and "pool" not in type_ and "save" not in type_: return type_[6:-2] + "()"
        return value

    def add(self, type_, name, argument, use):
        self.parameters.append((type_, name, self.default(type_, name)))
        self.arguments.append(argument)
        self.used.append((type_, name, use))

    def parameter(self, waits):
        type_, name = waits.pop(0)
        bare = type_.replace("const", "").replace("*", "").strip()
        counted = bool(waits) and waits[0][0] == "int" and waits[0][1] in ("n", "m")
        if bare == "tiny_ctx":
            self.homes.append(name)
            return self.add("const Context &", name, name + ".get()", "t")
        if type_ == "tiny_tensor *const *" and counted:
            count = waits.pop(0)
            self.homes.append(name)
            self.add("const List &", name, "%s.get(), %s.size()" % (name, name), "{x, x}")
            return None
        if type_ == "char *" and name == "out" and waits and waits[0] == ("size_t", "nbytes"):
            waits.pop(0)
            self.text = True                               # text as from snprintf: a string
            self.arguments += ["out", "nbytes"]
            return None
        if type_ == "int *": return self.add("int &", name, "&" + name, "number")
        if type_ == "tiny_tensor **":
            self.outs.append(name)
            self.arguments.append("&" + name)
            return None
        if bare == "tiny_tensor" and type_.count("*") == 1:
            self.homes.append(name)
            return self.add("const Tensor &", name, name + ".get()", "x")
        if type_ == "tiny_shape": return self.add("const Shape &", name, name, "{1, 1}")
        if type_ == "int" and name == "axis" and self.f.short in AXES: return self.add("const Axes &", name, name + ".get()", "{0, -1}")
        if type_ == "int" and name in BOOLS: return self.add("bool", name, name, "true")
        if type_ in ("const int *", "const int64_t *") and counted:
            waits.pop(0)
            return self.add("const std::vector<%s> &" % bare.replace("int64_t", "std::int64_t"), name, "%s.data(), static_cast<int>(%s.size())" % (name, name), "{0, 0}")
        if type_ in ("int", "int64_t", "uint64_t", "size_t", "double"):
            return self.add({"int64_t": "std::int64_t", "uint64_t": "std::uint64_t", "size_t": "std::size_t"}.get(type_, type_), name, name, "0.5" if type_ == "double" else "1")
        if type_ in ("const void *", "void *"): return self.add(type_, name, name, "bytes")
        if type_ == "const int64_t *": return self.add("const std::int64_t *", name, name, "nullptr")
        if type_ == "const char *": return self.add(type_, name, name, '"a"')
        if type_ == "tiny_writer": return self.add(type_, name, name, "tiny_writer()")
        if re.fullmatch(r"tiny_\w+", type_): return self.add(type_, name, name, "static_cast<%s>(1)" % type_)
        if re.fullmatch(r"const tiny_\w+ \*", type_):
            if self.f.short in ARRAYS and name == "w": return self.add(type_, name, name, "nullptr")
            return self.add("const %s &" % bare, name, "&" + name, "%s()" % bare)
        if re.fullmatch(r"tiny_\w+ \*", type_): return self.add(bare + " &", name, "&" + name, "made_" + bare)
        raise SystemExit("%s: what is %s %s? Write it in src/cpp/tiny.hpp.in, or leave it out in tools/hpp.py" % (self.f.name, type_, name))

    def returns(self, outs):
        if self.text: return "std::string"
        if self.f.result == "tiny_tensor *": return "std::tuple<%s>" % ", ".join(["Tensor"] * (len(outs) + 1)) if outs else "Tensor"
        return {"tiny_shape": "Shape", "int64_t": "std::int64_t", "uint64_t": "std::uint64_t"}.get(self.f.result, self.f.result)

    def body(self, me=None, plain=False):
        """Lines. me: the parameter that is the object; plain: further results are not wanted."""
        outs = [] if plain else self.outs
        own = {me + ".get()": "get()"} if me else {}
        arguments = [own.get(a, a) for a in self.arguments]
        arguments = ["nullptr" if plain and a[1:] in self.outs and a[0] == "&" else "&%s_" % a[1:] if a[0] == "&" and a[1:] in outs else a for a in arguments]
        call = "%s(%s)" % (self.f.name, ", ".join(arguments))
        homes = ["*this" if h == me else h for h in self.homes]
        if self.text: call = "detail::text([&](char *out, std::size_t nbytes) { return %s; })" % call
        home = next((("home()" if h == "*this" else h + ".home()") for h in homes), None)
        if self.f.result == "tiny_tensor *":
            if not outs: return ["return give(%s);" % ", ".join([call] + homes)]
            lines = ["tiny_tensor *%s;" % ", *".join("%s_ = nullptr" % o for o in outs), "const Tensor y_ = give(%s);" % ", ".join([call] + homes)]
            return lines + ["return std::make_tuple(y_, %s);" % ", ".join("Give::own(%s_, y_.home())" % o for o in outs)]
        if self.f.result == "tiny_code": return ["return detail::checked(%s, %s);" % (call, home or "detail::Home_()")]
        if self.f.result == "void": return [call + ";"] + (["detail::check(%s);" % home] if home else [])
        if self.text and home: return ["const std::string y_ = %s;" % call, "detail::check(%s);" % home, "return y_;"]
        if home is None or self.f.result not in ("double", "int64_t"): return ["return %s;" % call]
        something = ", true" if self.f.short in ("item", "item_i64") else ""       # what an empty Tensor does not have
        return ["const %s y_ = %s;" % (self.returns([]), call), "detail::check(%s%s);" % (home, something), "return y_;"]

    def list(self, defaults=True, but=None):
        return ", ".join("%s%s%s%s" % (t, "" if t[-1] in "&*" else " ", n, " = " + d if defaults and d is not None else "") for t, n, d in self.parameters if n != but)

    def uses(self, but=None):
        use = {n: u for _, n, u in self.used}
        return ", ".join(use[n] for _, n, _ in self.parameters if n != but)


def guarded(rows):
    """Texts behind the switches of their functions: [(guards, section, text)]."""
    text, open_, mark = "", (), None
    for guards, section, one in rows:
        if guards != open_:
            text += "#endif\n" * len(open_) + "".join("#ifndef %s\n" % g for g in guards)
            open_ = guards
        if section != mark: text += "%s// >>%s\n" % ("  " if one.startswith("  ") else "", section)
        mark = section
        text += one
    return text + "#endif\n" * len(open_)


def named(f):
    """In parentheses what windows.h has macros of arguments for."""
    name = NAMES.get(f.short, f.short)
    return "(%s)" % name if name in ("min", "max") else name


def layers(all_, rows, calls):
    for f in all_:
        m = re.match(r"(tiny_\w+_layer)$", f.result)
        if not m: continue
        struct, kind = m.group(1), f.name[:-len("_new")]
        title = "".join(w.capitalize() for w in kind[5:].split("_"))
        base = "".join(w.capitalize() for w in struct[5:].split("_"))
        w = Wrap(f)
        w.parameters = [(t, n + "_", d) for t, n, d in w.parameters]
        w.used = [(t, n + "_", u) for t, n, u in w.used]
        arguments = [re.sub(r"\b(%s)\b" % "|".join(n for _, n in f.parameters), r"\1_", a) for a in w.arguments]
        make = "%s(%s)" % (f.name, ", ".join(arguments))
        calls.append((f.guards, "%s made(%s);" % (title, w.uses())))
        if title != base:
            rows.append((f.guards, f.section, "class %s : public %s {\npublic:\n  %s(%s)\n      : %s(%s, t_.home()) { detail::check(where()); }\n};\n" % (title, base, title, w.list(), base, make)))
            continue
        forward = next(g for g in all_ if g.name == struct + "_forward")
        h = Wrap(Function(f.guards, f.section, forward.result, forward.name, forward.parameters[1:]))
        body = [l.replace(forward.name + "(", forward.name + "(this, ") for l in h.body()]
        calls.append((f.guards, "{ %s one(%s); one(%s); Params p(t); one.params(p, \"a\"); }" % (title, w.uses(), h.uses())))
        text = "class %s : public detail::Owned<%s, %s_free> {\npublic:\n" % (title, struct, struct)
        text += "  %s(%s)\n      : Owned(%s, t_.home()) { detail::check(where()); }\n" % (title, w.list(), make)
        text += "  %s operator()(%s) const {\n%s  }\n" % (h.returns(h.outs), h.list(), "".join("    %s\n" % l for l in body))
        text += "  tiny_code params(Params &p, const char *prefix) const {\n    return detail::checked(%s_params(this, &p, prefix), where());\n  }\n" % struct
        text += "protected:\n  using Owned::Owned;\n};\n"
        rows.append((f.guards, f.section, text))


OPERATORS = [("+", "add", "add"), ("-", "sub", "rsub"), ("*", "mul", "mul"), ("/", "div", "rdiv"), ("%", "remainder", "rremainder"), ("<", "lt", "gt"), (">", "gt", "lt"),
             ("<=", "le", "ge"), (">=", "ge", "le"), ("==", "eq", "eq"), ("!=", "ne", "ne")]


def operators():
    text = ""
    for sign, name, reverse in OPERATORS:
        text += "inline Tensor operator%s(const Tensor &a, const Tensor &b) { return a.%s(b); }\n" % (sign, name)
        text += "inline Tensor operator%s(const Tensor &a, double b) { return a.%s_scalar(b); }\n" % (sign, name)
        text += "inline Tensor operator%s(double a, const Tensor &b) { return b.%s_scalar(a); }\n" % (sign, reverse)
        if sign in "+-*/%":
            text += "inline Tensor &operator%s=(Tensor &a, const Tensor &b) { return a = a %s b; }\n" % (sign, sign)
            text += "inline Tensor &operator%s=(Tensor &a, double b) { return a = a %s b; }\n" % (sign, sign)
    return text


def left_out(f):
    return next((why for name, why in LEFT_OUT.items() if f.name == name or (name.endswith("_") and f.name.startswith(name))), None)


def pages():
    all_ = functions()
    hand = open(HAND, encoding="utf-8").read()
    code = re.sub(r"//[^\n]*", "", hand)
    declared, defined, made, calls = [], [], [], []
    for f in all_:
        if left_out(f) or (re.search(r"\b%s\b" % f.name, code) and f.name not in ALSO) or re.match(r"tiny_\w+_layer_", f.name): continue
        w = Wrap(f)
        me = f.parameters[0][1] if f.parameters and f.parameters[0][0] in ("tiny_tensor *", "const tiny_tensor *") else None
        ways = [(WITHOUT.get(f.short, named(f)), False)] + ([(named(f), True)] if f.short in WITHOUT else [])
        for name, plain in ways:
            result, body = w.returns([] if plain else w.outs), w.body(me, plain)
            gap = "" if result[-1] in "*&" else " "
            one = "{ %s }" % body[0] if len(body) == 1 else "{\n%s}" % "".join("  %s\n" % l for l in body)
            if me:
                declared.append((f.guards, f.section, "  %s%s%s(%s) const;\n" % (result, gap, name, w.list(but=me))))
                defined.append((f.guards, f.section, "inline %s%s%s(%s) const %s\n" % (result, gap, "(Tensor::%s)" % name[1:-1] if name[0] == "(" else "Tensor::" + name, w.list(False, me), one)))
                calls.append((f.guards, ("" if result == "void" else "(void)") + "%s(%s);" % ("(x.%s)" % name[1:-1] if name[0] == "(" else "x." + name, w.uses(me))))
            else:
                defined.append((f.guards, f.section, "inline %s%s%s(%s) %s\n" % (result, gap, name, w.list(), one)))
                calls.append((f.guards, "%stiny::%s(%s);" % ("" if result == "void" else "(void)", name, w.uses())))
    layers(all_, made, calls)
    for f in all_:
        if re.match(r"tiny_\w+_layer_", f.name) and not re.search(r"_(new|forward|params|free)$", f.name): raise SystemExit("%s: what does it do with a layer?" % f.name)
    for name in LEFT_OUT:
        if not any(f.name.startswith(name) for f in all_): raise SystemExit("%s is no function" % name)
    text = hand
    for mark, what in (("@METHODS@", guarded(declared)), ("@FUNCTIONS@", guarded(defined)), ("@OPERATORS@", operators()), ("@LAYERS@", guarded([((), s, t) for g, s, t in made]))):
        text = text.replace(mark + "\n", what)
    uses = "// hpp_calls: each function of tiny.hpp that tools/hpp.py has written, once: to be compiled, not run. Written by it.\n"
    uses += "using namespace tiny;\ninline void hpp_calls(const Context &t, const Tensor &x) {\n  char bytes[8] = {0};\n  int number = 0;\n"
    uses += "#ifndef TINY_NO_NN\n  tiny_batch_norm_state made_tiny_batch_norm_state = tiny_batch_norm_state();\n#endif\n  tiny_profile_row made_tiny_profile_row = tiny_profile_row();\n  (void)bytes;\n  (void)number;\n"
    for guards, one in calls:
        uses += "".join("#ifndef %s\n" % g for g in guards) + "  %s\n" % ("{ %s }" % one if " made(" in one else one) + "#endif\n" * len(guards)
    return {OUT: text, CALLS: uses + "}\n"}


def main():
    stale = 0
    for path, text in pages().items():
        if "--check" not in sys.argv: open(path, "w", encoding="utf-8").write(text)
        elif not os.path.exists(path) or open(path, encoding="utf-8").read() != text:
            print("%s is not what tools/hpp.py writes: run it" % os.path.relpath(path, ROOT))
            stale = 1
    if "--check" in sys.argv: print("%d passed, %d failed" % (not stale, stale))
    return stale


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""frames: the deepest chain of calls fits the 64 KiB that the manual promises to calling threads. tiny.h is built by
gcc and clang, at -O0 and -O2 (tests/whole.c); the frames and the calls are what the compilers themselves report. Recursion is allowed
where a table below says how deep it goes and why; calls through pointers where a table says what they reach.

  tests/test_frames.py [-v]        -v: the deepest chain of each build"""
import collections
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILT = os.path.join(ROOT, "build/whole")

# Bytes. STACK less what a thread has before its first call: its descriptor and thread-local memory at the top, and in
# older C libraries the guard page at the bottom.
STACK, THREAD = 64 << 10, 8 << 10
# No frame of ours is larger: two paths or a stack of views, and a little more. What is larger lies in scratch memory.
FRAME = 9 << 10
# What lies below a call that leaves the library: the first call of a function goes through the dynamic linker, which
# saves all vector registers (3 KiB with AVX-512). printf to an unbuffered stream has a buffer of BUFSIZ on the stack.
OUTSIDE = 4 << 10
OUTSIDE_MORE = {"vsnprintf": 6 << 10, "snprintf": 6 << 10, "fprintf": 14 << 10, "fputs": 14 << 10, "fputc": 14 << 10,
                "fwrite": 6 << 10, "qsort": 6 << 10, "strtod": 6 << 10, "dlopen": 10 << 10, "dlsym": 6 << 10,
                "KERNEL": 20 << 10,        # local memory up to TN_STACK_NBYTES, and what the compiler spills
                "SHARDS": 0,               # see INDIRECT
                "HOST": 8 << 10}           # an allocator, a log or a pool of the caller's

# Functions that may be on the stack more than once: how many times, and what bounds it.
RECURSION = {
    "tn_match_apply": (2, "the body of a rule rewrites with tn_rules_symbolic alone, whose bodies rewrite nothing"),
    "tn_rules_use": (4, "sets that use sets"),
    "tn_pat_parse": (24, "TN_MAX_PATTERN: the patterns are the library's own"),
    "tn_array_write": (16, "TINY_MAX_DIMS"),
    "tn_scan": (13, "2^60 elements in blocks of 32"),
    "tn_chain_dot": (32, "TN_MAX_CHAIN_DOT operands"),
    "tn_einsum_tree": (8, "TN_EINSUM_BEST operands"),
    "tn_dft": (12, "each stage divides the length by 64 or so; one by way of a power of two"),
    "tn_cost_since_loads": (13, "TN_NUMBER_DEPTH"),
    "tn_json_skip": (65, "TN_JSON_DEPTH"),
    "tn_uop_make_with": (2, "a position, which extents are made of, is 0-d and has none"),
    "tn_assign_value": (2, "a part of a SHARD is no SHARD"),
    "tn_position_from": (16, "TN_POSITION_NODES"),
    "tn_position_now": (16, "TN_POSITION_NODES"),
    "tn_eval_position": (16, "TN_POSITION_NODES"),
    "tn_position_scale": (3, "products and sums of a constant are made with one"),
    "tn_position_add": (2, "sums of a constant are made with one"),
    "tn_position_divide": (3, "products and sums of a constant are made with one"),
    "tn_made_contiguous": (2, "what is made whole is not made whole again"),
    "tn_whole": (2, "of what is expanded"),
    "tn_isa_sort": (32, "it halves"),
    "tn_x86_lanes_at_once": (4, "a choice reads its condition, which reads a load or NEG, each fused with the one"),
    "tn_x86_made_of": (4, "as tn_x86_lanes_at_once"),
    "tn_x86_is_high": (2, "of what a BROADCAST repeats"),
    "tn_x86_expand": (4, "TN_X86_EXPANSIONS"),
    "tn_x86_ready": (24, "TN_X86_EXPANSIONS, of right sides of tn_x86_rules that are 6 deep"),
    "tn_x86_inner": (24, "as tn_x86_ready"),
    "tn_x86_as_wide": (4, "a BROADCAST has an instruction: in each of TN_X86_EXPANSIONS it is the last"),
    "tn_x86_write": (6, "of the list's node, in each of TN_X86_EXPANSIONS, when what it reads is ready, and of one lane"),
    "tn_x86_compute": (2, "a vector's, and one of its lanes, in tn_x86_by_lanes"),
    "tn_x86_compute_parts": (2, "as tn_x86_compute"),
    "tn_x86_by_lanes": (1, "of a vector, into scalars"),
    "tn_event_end": (3, "a trace that cannot be written tells the error once, and ends"),
    "tn_event_error": (3, "as tn_event_end"),
    "tn_plain_survey": (24, "each finds a helper that was not found before, or not so: TN_PLAIN_HELPERS"),
}
# Bodies of these are what a rule's body may set in motion: they must not rewrite themselves.
SYMBOLIC = ["tn_rules_" + x for x in ("symbolic", "fold", "arithmetic", "bool", "compare", "cast", "divmod")]

# They call what their caller names: a call of them is a call of that.
CALLERS = {"tn_guard", "tn_guard_cancellable", "tn_process_protect", "tn_remake", "tn_open_ranges", "tn_sink_file", "tn_sink_save"}
# Other calls through pointers, by what stands in the source line: functions they reach, by name and folder. Only such
# are meant whose address is taken somewhere.
FORMULAS = r"tn_(?!unary|asked|binary_operator|compare|logic|addc|along|scan_along|log_of_sum|rules)\w+"
INDIRECT = [
    (r"\balloc\.fn\(|log\.fn\(|to\.fn\(", "HOST", ""),
    (r"progress\.fn\(|l->d\.fetch\(|\brow\(user, ", "HOST", ""),
    (r"\bs->apply\(", r"tiny_(?:relu|gelu|silu|mish|softplus|erf|lgamma)", "tensor/"),     # or the host's own
    (r"watch->fn\(", r"tn_(?:warm|progress)_watch", "runtime/"),
    (r"\bread\(&s, what", r"tn_npy_load|tn_(?:picture|wav|idx|csv)_read", "io/"),
    (r"\bwrite\(&s, what|\bpath, write, what", r"tn_(?:npy|picture|wav|idx|csv)_write\w*", "io/"),
    (r"\bhow(?:\[i\])?\(t, u, ", r"tn_\w+", "tensor/augment.c"),
    (r"r->groups_by\(r\)", "HOST", ""),    # bench/count.h has one; here it is NULL
    (r"host->fn\(", r"HOST|tn_pool_guest_task", "runtime/"),
    (r"g->task\(", r"tn_(?!pool_guest)\w*task\w*", "runtime/|ir/"),
    (r"tn_guard\(t, fn, arg\)", "tn_guard", "base/"),         # of tn_guard_cancellable, whose calls are known
    (r"\bguard\(t, (tn_\w+)", r"\1|tn_guard_cancellable", "runtime/"),
    (r"tn_budget_cut : tn_budget_whole", "tn_budget_cut|tn_budget_whole", "runtime/"),
    (r"ir->interpret\(", "tn_custom_interpret", "runtime/"),
    (r"\btask\(", r"tn_\w*task\w*", "runtime/|ir/"),
    (r"call->kernel\(", "KERNEL", ""),
    (r"thread->fn\(", r"tn_(?:pool|queue)_work", "runtime/"),
    (r"u->(?:happens|ends)\(|\bends\(c, ", r"tn_\w+_later_\w+", "runtime/"),
    (r"(?:backend|_fallback|b)->(\w+)\(", r"tn_(?:cpu|interp|null)_\1\w*", "runtime/"),
    (r"\br->(kernel|module)\(", r"tn_(?:cstyle|llvm|cpu_builtin)_\1", "render/|runtime/cpu"),
    (r"target->(moves|spill|fixed|takes|pure)\(", r"tn_x86_(?:\1\w*|is_there\w*)", "isa/"),
    (r"ir->release\(", "tn_storage_release", "runtime/"),
    (r"device_name\(", "tn_device_name", "runtime/"),
    # SHARDs are roots of tensors' graphs: operators alone, at the top of the stack, make nodes over them, no rule does.
    (r"over_shards\(", "SHARDS", ""),
    (r"tn_opt_kinds\[o->kind\]\.apply\(", r"tn_opt_\w+", "codegen/opts.c"),
    (r"language->limits\(", r"tn_null_(?:host|webgpu)", "runtime/null.c"),
    (r"language->renderer\(", r"tn_null_(?:llvm|wgsl)|tn_lang_\w+", "runtime/null.c|render/"),
    (r"pass->run\(", r"tn_pass_\w+", "codegen/pipeline.c"),
    (r"\bwanted\((?:u|all\.u\[i\])\)", r"tn_is_\w+", "codegen/"),
    (r"\b(?:set|fn)\(t, 0, NULL", "REGISTER", ""),
    (r"rule->fn\(", r"tn_rules_\w+", ""),
    (r"->buffer\(", r"tn_\w*buffer\w*", "runtime/|ir/"),
    (r"tn_exp_falling_of : tn_exp_of", "tn_exp_falling_of|tn_exp_of", "rules/"),
    (r"\bformula\(t, op", r"tn_\w+", "tensor/scan.c"),
    (r"\bpower\(t, ", r"tn_exp\w*", "tensor/|ir/"),
    (r"\bformula\(", FORMULAS, "tensor/|ir/"),
    (r"\.update\(u\)", r"tn_update_\w+", "tensor/optim.c"),
    (r"units_allowed\(", r"tn_os_\w+", "base/"),
    (r"keys\[i\]\.read\(r\)", r"tn_(?:npy|safe)_read\w*|tn_(?:npy|safe)_(?!entry|key|open|load|write|describe)\w+", "io/"),
]
REGISTERS = re.compile(r"tn_rule_\w+|tn_rules_(begin|use|end|add)")


def read_source():
    """Functions by the folder/file that defines them, and those whose address is taken."""
    home, taken = {}, set()
    text = []
    for folder, _, names in os.walk(os.path.join(ROOT, "src")):
        for name in names:
            if name.endswith(".c"):
                body = open(os.path.join(folder, name), encoding="utf-8").read()
                text.append(body)
                for f in re.findall(r"^(?:TINY_API |static )[^;{}=]*?\b(t(?:n|iny)_\w+)\(", body, re.M):
                    home[f] = os.path.basename(folder) + "/" + name
                for f in re.findall(r"^RULES\((\w+)", body, re.M):
                    home[f] = os.path.basename(folder) + "/" + name
                    taken.add(f)
    for f in re.findall(r"\b(t(?:n|iny)_\w+)\b(?!\s*\()", "\n".join(text)):
        if f in home:
            taken.add(f)
    return home, taken


class Graph:
    """Functions: frame, calls, and where they go through pointers: (function in the source, file, line)."""
    def __init__(self, name):
        self.name, self.frame = name, {}
        self.calls, self.indirect = collections.defaultdict(set), collections.defaultdict(set)
        self.dynamic, self.named = [], collections.defaultdict(set)        # named: calls of CALLERS


def build(name):
    """Makes build/whole/NAME.o, with the reports beside it."""
    done = subprocess.run(["make", "-s", "build/whole/%s.o" % name], cwd=ROOT, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, universal_newlines=True)
    if done.returncode:
        sys.exit("%s\n0 passed, 1 failed" % done.stdout[-3000:])


def text_of(name):
    with open(os.path.join(BUILT, name), encoding="utf-8") as f:
        return f.read()


def plain(name):
    """gcc's clones: tn_x.part.0, tn_x.constprop.1 and so on stay apart; files before local names go."""
    return name.rsplit(":", 1)[-1]


def base(name):
    return name.split(".", 1)[0]


def read_gcc(level):
    build("gcc" + level)
    g = Graph("gcc " + level)
    for line in text_of("gcc%s.ci" % level).splitlines():
        node = re.match(r'node: \{ title: "([^"]*)" label: "([^"]*)"', line)
        if node:
            label = node[2].split("\\n")
            size = re.match(r"(\d+) bytes \((.*)\)", label[2]) if len(label) > 2 else None
            if size:
                g.frame[plain(node[1])] = int(size[1])
                if size[2] not in ("static", "dynamic,bounded"):
                    g.dynamic.append(plain(node[1]))
            continue
        edge = re.match(r'edge: \{ sourcename: "([^"]*)" targetname: "([^"]*)"(?: label: "([^"]*)")?', line)
        if edge and edge[2] == "__indirect_call":
            file, at, _ = edge[3].rsplit(":", 2)
            g.indirect[plain(edge[1])].add((os.path.join(ROOT, file), int(at)))
        elif edge and base(plain(edge[2])) in CALLERS and edge[3]:
            file, at, _ = edge[3].rsplit(":", 2)
            g.named[plain(edge[1])].add((plain(edge[2]), os.path.join(ROOT, file), int(at)))
        elif edge:
            g.calls[plain(edge[1])].add(plain(edge[2]))
    return g


def read_clang(level):
    build("clang" + level)
    g = Graph("clang " + level)
    for line in text_of("clang%s.su" % level).splitlines():
        where, size, kind = line.split("\t")
        g.frame[where.rsplit(":", 1)[1]] = int(size) + 8           # clang leaves out the return address
        if kind != "static":
            g.dynamic.append(where.rsplit(":", 1)[1])
    text = text_of("clang%s.ll" % level)
    scope, place, file = {}, {}, {}
    for m in re.finditer(r'^!(\d+) = (?:distinct )?!(\w+)\((.*)\)$', text, re.M):
        fields = dict(re.findall(r'(\w+): ("[^"]*"|[^,]+)', m[3]))
        if m[2] == "DILocation":
            place[m[1]] = (int(fields["line"]), fields["scope"][1:])
        elif m[2] == "DIFile":
            name = fields["filename"].strip('"')
            file[m[1]] = name if os.path.isabs(name) else os.path.join(ROOT, name)
        elif "file" in fields:
            scope[m[1]] = fields["file"][1:]
    name = None
    for line in text.split("\n"):
        if line.startswith("define "):
            name = re.search(r'@"?([\w.$]+)"?\(', line)[1]
        elif line.startswith("}"):
            name = None
        elif name and re.search(r"\b(?:call|invoke)\b", line):
            callee = re.search(r"\bcall\b.*? ([@%])\"?([\w.$]+)\"?\(", line)
            if not callee:
                continue
            at = re.search(r"!dbg !(\d+)", line)
            row, of = place[at[1]] if at else (0, None)
            if callee[1] == "@":
                if callee[2] in CALLERS:
                    g.named[name].add((callee[2], file[scope[of]], row))
                elif not callee[2].startswith("llvm.") or callee[2].startswith(("llvm.mem", "llvm.sin", "llvm.cos")):
                    g.calls[name].add(callee[2])
                continue
            g.indirect[name].add((file[scope[of]], row))
    return g


LINES = {}


def line_of(file, at):
    if file not in LINES:
        LINES[file] = open(file, encoding="utf-8").read().split("\n")
    text = LINES[file]
    return " ".join(x.strip() for x in text[max(0, at - 2):at]), text[at - 1].strip()


def resolve(g, problems):
    """Every call through a pointer becomes calls of what it may reach."""
    home, taken = read_source()
    sets = {f for f in g.frame if f in taken and f.startswith("tn_rules_")}
    g.frame["REGISTER"] = max([g.frame[f] for f in sets] or [0])
    g.calls["REGISTER"] = {f for f in g.frame if REGISTERS.fullmatch(base(f))}
    for f, places in g.named.items():
        for callee, file, at in places:
            line_of(file, at)
            text = " ".join(LINES[file][at - 1:at + 3])
            text = text[text.index(base(callee)):].split(";")[0] if base(callee) in text else ""
            names = set(re.findall(r"\btn_\w+", text)) & taken - {base(callee)}
            reached = {x for x in g.frame if base(x) in names}
            if not reached:                                # it hands on what it was given
                row = next(((name, where) for p, name, where in INDIRECT if re.search(p, text)), None)
                reached = {x for x in g.frame if row and re.fullmatch(row[0], base(x)) and base(x) in taken and
                           re.match(row[1], home[base(x)])}
            if not reached:
                problems.append("%s: %s:%d: %s calls what?" % (g.name, os.path.relpath(file, ROOT), at, callee))
            site = "%s@%s:%d" % (callee, os.path.basename(file), at)
            g.frame[site] = g.frame.get(callee, 0)
            g.calls[site] = g.calls[callee] | reached
            g.calls[f].add(site)
    for f, places in g.indirect.items():
        if base(f) in CALLERS:
            continue
        for file, at in places:
            for text in reversed(line_of(file, at)):
                row = next(((m, name, where) for m, name, where in
                            ((re.search(p, text), name, where) for p, name, where in INDIRECT) if m), None)
                if row:
                    break
            if not row:
                problems.append("%s: %s:%d calls through a pointer; INDIRECT does not say what: %s" %
                                (g.name, os.path.relpath(file, ROOT), at, line_of(file, at)[1]))
                continue
            match, name, where = row
            wanted = re.compile(name.replace(r"\1", match.group(1)) if match.lastindex else name)
            reached = {x for x in g.frame if wanted.fullmatch(base(x)) and base(x) in taken and
                       re.match(where, home[base(x)])}
            for special in ("HOST", "KERNEL", "REGISTER", "SHARDS"):
                if wanted.fullmatch(special):
                    reached.add(special)
            g.calls[f] |= reached
    for f in [x for x in g.named if base(x) in CALLERS]:
        for site in [x for x in g.frame if x.startswith(f + "@")]:
            g.calls[site] |= {x for x in g.calls[f] if "@" in x}


def outside(name):
    return OUTSIDE_MORE.get(name, OUTSIDE)


def components(g):
    """Strongly connected parts (Tarjan), without recursion: each function's part, numbered callees first."""
    index, low, part, stack, on = {}, {}, {}, [], set()
    for root in list(g.frame):
        if root in index:
            continue
        work = [(root, iter(sorted(g.calls.get(root, ()))))]
        index[root] = low[root] = len(index)
        stack.append(root); on.add(root)
        while work:
            f, rest = work[-1]
            step = next((x for x in rest if x in g.frame and (x not in index or x in on)), None)
            if step is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[f])
                if low[f] == index[f]:
                    while True:
                        x = stack.pop(); on.discard(x); part[x] = f
                        if x == f:
                            break
            elif step in index:
                low[f] = min(low[f], index[step])
            else:
                index[step] = low[step] = len(index)
                stack.append(step); on.add(step)
                work.append((step, iter(sorted(g.calls.get(step, ())))))
    return part


def deepest(g, problems):
    """The deepest chain from each function: bytes and the next function of it. Within a part of functions that call
    each other in circles, what has been entered how often is counted."""
    part = components(g)
    size = collections.Counter(part.values())
    known = {}
    sys.setrecursionlimit(1 << 20)

    def depth(f, used):
        if f not in g.frame:
            return outside(f), None
        head = base(f)
        if head in RECURSION and (size[part[f]] > 1 or f in g.calls[f]):
            count = dict(used)
            count[head] = count.get(head, 0) + 1
            if count[head] > RECURSION[head][0]:
                return -1, None
            used = tuple(sorted(count.items()))
        key = (f, used)
        if key in known:
            if known[key] is None:
                problems.append("%s: %s may be on the stack more than once, and RECURSION does not say how often" %
                                (g.name, f))
                return -1, None
            return known[key]
        known[key] = None
        best, step = 0, None
        for x in sorted(g.calls.get(f, ())):
            same = x in g.frame and part[x] == part[f]
            below = depth(x, used if same else ())[0]
            if below > best:
                best, step = below, (x, used if same else ())
        known[key] = (best + g.frame[f], step)
        return known[key]

    def chain(f, used):
        names = []
        while f:
            names.append("%s %d" % (f, g.frame.get(f, outside(f))))
            if f not in g.frame:
                break
            _, step = depth(f, used)
            if base(f) in RECURSION and (size[part[f]] > 1 or f in g.calls[f]):
                pass
            f, used = step if step else (None, ())
        return names

    return {f: depth(f, ())[0] for f in g.frame}, chain


def reaches(g, f, goal):
    seen, todo = set(), [f]
    while todo:
        x = todo.pop()
        if base(x) == goal:
            return True
        if x not in seen:
            seen.add(x)
            todo.extend(g.calls.get(x, ()))
    return False


def check(g, verbose):
    problems = []
    for f in SYMBOLIC:
        if f in g.frame and reaches(g, f, "tn_rewrite_walk"):
            problems.append("%s: the bodies of %s rewrite" % (g.name, f))
    for f in g.dynamic:
        problems.append("%s: the frame of %s grows as it runs" % (g.name, f))
    resolve(g, problems)
    for f, n in sorted(g.frame.items(), key=lambda x: -x[1]):
        if n > FRAME:
            problems.append("%s: the frame of %s has %d bytes, more than %d" % (g.name, f, n, FRAME))
    total, chain = deepest(g, problems)
    public = {f: n for f, n in total.items() if f.startswith("tiny_")}
    worst = max(public, key=lambda f: public[f])
    if public[worst] > STACK - THREAD:
        problems.append("%s: %s takes %d bytes of stack, more than %d:\n    %s" %
                        (g.name, worst, public[worst], STACK - THREAD, "\n    ".join(chain(worst, ()))))
    elif verbose:
        print("%s: %s %d\n    %s" % (g.name, worst, public[worst], "\n    ".join(chain(worst, ()))))
    return problems


def main():
    verbose = "-v" in sys.argv
    passed = failed = 0
    for reader, compiler in ((read_gcc, "gcc"), (read_clang, "clang")):
        if not shutil.which(compiler):
            print("frames: %s is not here: its frames are not looked at" % compiler)
            continue
        for level in ("-O0", "-O2"):
            problems = check(reader(level), verbose)
            for p in problems:
                print(p)
            passed += not problems
            failed += len(problems)
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0


sys.exit(main())

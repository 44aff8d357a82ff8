#!/usr/bin/env python3
"""Hands instances of the integer rules to z3: does any value of the variables tell the two sides apart?

  build/plain/test_rules --smt [seed] | tools/prove_rules.py [--timeout MS]

An instance is a `; rule`, then nodes `number op dtype (value | least greatest | sources)`, then `= left right`. Integers of
a width are bit vectors, INDEX is the integers, within the bounds of each variable. What z3 cannot decide in time is
counted as neither passed nor failed. Ends with `N passed, N failed`; without z3 nothing is checked.
"""
import argparse
import shutil
import subprocess
import sys

WIDTH = {"i8": 8, "u8": 8, "i16": 16, "u16": 16, "i32": 32, "u32": 32, "i64": 64, "u64": 64}

PRELUDE = """
(define-fun fdiv ((a Int) (b Int)) Int (ite (= b 0) 0 (ite (> b 0) (div a b) (div (- a) (- b)))))
(define-fun fmod ((a Int) (b Int)) Int (- a (* b (fdiv a b))))
"""


def number(value, dtype):
    if dtype == "bool":
        return "true" if value else "false"
    if dtype == "index":
        return str(value) if value >= 0 else f"(- {-value})"
    return f"(_ bv{value % (1 << WIDTH[dtype])} {WIDTH[dtype]})"


def sort(dtype):
    return {"bool": "Bool", "index": "Int"}.get(dtype) or f"(_ BitVec {WIDTH[dtype]})"


def less(a, b, dtype):
    if dtype == "bool":
        return f"(and (not {a}) {b})"
    return f"({'<' if dtype == 'index' else 'bvslt' if dtype[0] == 'i' else 'bvult'} {a} {b})"


def divide(op, a, b, dtype):
    if dtype == "index":
        return f"({'fdiv' if op == 'IDIV' else 'fmod'} {a} {b})"
    zero = number(0, dtype)
    if dtype[0] == "u":
        return f"(ite (= {b} {zero}) {zero if op == 'IDIV' else a} ({'bvudiv' if op == 'IDIV' else 'bvurem'} {a} {b}))"
    if op == "MOD":
        return f"(ite (= {b} {zero}) {a} (bvsmod {a} {b}))"
    rest = f"(bvsrem {a} {b})"
    adjust = f"(and (not (= {rest} {zero})) (not (= (bvslt {rest} {zero}) (bvslt {b} {zero}))))"
    return f"(ite (= {b} {zero}) {zero} (bvsub (bvsdiv {a} {b}) (ite {adjust} {number(1, dtype)} {zero})))"


def cast(a, to, source):
    if source == "bool":
        return f"(ite {a} {number(1, to)} {number(0, to)})"
    if to == source:
        return a
    more = WIDTH[to] - WIDTH[source]
    if more <= 0:
        return f"((_ extract {WIDTH[to] - 1} 0) {a})"
    return f"((_ {'sign' if source[0] == 'i' else 'zero'}_extend {more}) {a})"


BOOL = {"ADD": "or", "MUL": "and", "MAX": "or", "AND": "and", "OR": "or", "XOR": "xor", "NE": "xor"}
INT = {"ADD": "+", "MUL": "*", "SUB": "-", "NEG": "-"}
BITS = {"ADD": "bvadd", "MUL": "bvmul", "SUB": "bvsub", "NEG": "bvneg", "AND": "bvand", "OR": "bvor", "XOR": "bvxor"}


def term(op, dtype, args, source):
    if op == "WHERE":
        return f"(ite {args[0]} {args[1]} {args[2]})"
    if op == "CAST":
        return cast(args[0], dtype, source)
    if op == "LT":
        return less(args[0], args[1], source)
    if op == "NE" and source != "bool":
        return f"(not (= {args[0]} {args[1]}))"
    if op in ("IDIV", "MOD"):
        return divide(op, args[0], args[1], dtype)
    if op == "MAX" and dtype != "bool":
        return f"(ite {less(args[0], args[1], dtype)} {args[1]} {args[0]})"
    table = BOOL if dtype == "bool" else INT if dtype == "index" else BITS
    return f"({table[op]} {' '.join(args)})"


def instance(lines):
    """SMT-LIB text that is unsatisfiable if the two sides are equal."""
    out, dtypes = ["(push)"], {}
    for line in lines:
        words = line.split()
        if words[0] == "=":
            out.append(f"(assert (not (= n{words[1]} n{words[2]})))")
            continue
        name, op, dtype, rest = words[0], words[1], words[2], words[3:]
        dtypes[name] = dtype
        if op in ("ARG", "RANGE"):
            out.append(f"(declare-const n{name} {sort(dtype)})")
            if dtype not in ("bool", "u64"):
                low, high = (number(int(v), dtype) for v in rest)
                out.append(f"(assert (not {less(f'n{name}', low, dtype)}))(assert (not {less(high, f'n{name}', dtype)}))")
            continue
        value = number(int(rest[0]), dtype) if op == "CONST" else term(op, dtype, ["n" + s for s in rest], dtypes[rest[0]])
        out.append(f"(define-fun n{name} () {sort(dtype)} {value})")
    return "\n".join(out + ["(check-sat)", "(pop)"])


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--timeout", type=int, default=500, help="milliseconds for each instance")
    timeout = options.parse_args().timeout
    if not shutil.which("z3"):
        print("z3 is not installed: nothing proven\n0 passed, 0 failed")
        return 0
    blocks = [b.splitlines() for b in sys.stdin.read().split("; ")[1:]]
    text = f"(set-option :timeout {timeout})\n{PRELUDE}" + "\n".join(instance(b[1:]) for b in blocks)
    answers = subprocess.run(["z3", "-in"], input=text, capture_output=True, text=True).stdout.split("\n")
    answers = [a for a in answers if a]
    if len(answers) != len(blocks):
        print("\n".join(a for a in answers if "error" in a)[:2000])
        print(f"z3 gave {len(answers)} answers to {len(blocks)} questions\n0 passed, 1 failed")
        return 1
    for block, answer in zip(blocks, answers):
        if answer == "sat":
            print("not equal:\n  " + "\n  ".join(block))
    passed, failed = answers.count("unsat"), answers.count("sat")
    rules = len({b[0] for b, a in zip(blocks, answers) if a == "unsat"})
    print(f"{rules} rules, {len(blocks)} instances, {len(blocks) - passed - failed} undecided\n{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())

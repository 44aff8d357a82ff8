#!/usr/bin/env python3
"""What tools/languages.py lets through of Metal, and what not: spaces of addresses, and what the language has not."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tools"))
import languages  # noqa: E402  pylint: disable=wrong-import-position

PRELUDE = "#include <metal_stdlib>\n#include <metal_simdgroup_matrix>\nusing namespace metal;\n"
RIGHT = [
    "kernel void f(device float *x [[buffer(0)]]) { device float *p = x + 1; p[0] = x[2]; }",
    "void f(device float4 *x, threadgroup float4 *y) { y[0] = x[1]; x[2] = x[3] * y[4]; x[5].xy = y[0].zw;"
    " x[6] += 1; }",
    "void f(device float *x) { *(device packed_float3 *)x = packed_float3(float3(1)); }",
    "struct s { float4 v; uint n; }; void f(device s *x, threadgroup s *y) { s a = x[0]; y[0] = a; x[1] = y[1]; }",
    "[[kernel]] void f(device float *x) {\n  threadgroup float t[32];\n  threadgroup float *p = t; p[0] = x[0]; }",
    "float f(constant float &a, thread float &b) { return a + b; } void g(constant float *x) {"
    " float y = 1; f(x[0], y); }",
    "constant float table[2] = {1, 2}; float f(uint i) { return table[i]; }",
    "void f(device atomic_uint *x, threadgroup atomic_int *y) { atomic_fetch_add_explicit(x, 1u, memory_order_relaxed);"
    " atomic_fetch_max_explicit(y, 2, memory_order_relaxed); }",
    "void f(device const half *x, threadgroup float *y) { simdgroup_half8x8 a; simdgroup_float8x8 b(0.0f);"
    " simdgroup_load(a, x, 8); simdgroup_multiply_accumulate(b, a, a, b); simdgroup_store(b, y, 8); }",
    "float f(const device float *x) { return x[0]; } float f(const threadgroup float *x) { return x[1]; }",
]
WRONG = [
    "void f(device float *x) { threadgroup float *p = x; }", "void f(device float *x) { float *p = x; }",
    "void f(threadgroup float *x) { device float *p = (device float *)0; p = x; }",
    "float f(const float &x) { return x; }",
    "void f(device float *x) { float y; device float *p = &y; }", "void f(constant float *x) { x[0] = 1; }",
    "void f(constant float *x) { device const float *p = x; }",
    "void g(threadgroup float4 *x); void f(device float4 *x) { g(x); }",
    "struct s { virtual int f(); };", "int f(int (*g)(int)) { return g(1); }",
    "void g(device const half *x) { simdgroup_float8x8 a; simdgroup_load(a, x, 8); }",
    "void f(float4 v) { int4 w = v; }",
    "void f(float2 v) { v.z = 1; }", "void f(device bfloat *x) { x[0] = y; }",
]


def main():
    command = languages.metal("310")
    if languages.missing(command, 17):
        print("test_metal_spaces: %s" % languages.missing(command, 17))
        print("0 passed, 0 failed")
        return 0
    failed = 0
    for texts, is_right in ((RIGHT, True), (WRONG, False)):
        for text in texts:
            bad, words, _ = languages.judge(command, ".metal", PRELUDE, [languages.Kernel("f", "", text + "\n")])
            if bool(bad) == is_right or (bad and "error" not in words):
                failed += 1
                print("%s: %s\n  %s" % ("refused" if bad else "let through", text, words), file=sys.stderr)
    print("%d passed, %d failed" % (len(RIGHT) + len(WRONG) - failed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env bash
# wgsl_to_metal: tools/wgsl_to_metal.sh FILE.wgsl: its one kernel in Metal, main0, as others' compilers write it: Tint to
# GLSL (tools/wgsl_to_glsl.mjs), glslang to SPIR-V, SPIRV-Cross to Metal. Buffers keep their order, uniforms are 20 and
# on; a header for the host's side of a program, which no kernel needs, is left out.
cd "$(dirname "$0")/.." || exit 1
at=$(mktemp -d) && trap 'rm -rf "$at"' EXIT
EGL_PLATFORM=surfaceless node tools/wgsl_to_glsl.mjs "$1" >"$at/said" 2>&1 || { cat "$at/said" >&2; exit 1; }
uniform='s/layout\(binding = ([0-9]), std140\)/layout(binding = 2\1, std140)/'
sed -n '/^#version/,$p' "$at/said" | grep -v '^info:' | sed -E "$uniform" >"$at/k.comp"
glslangValidator -V --quiet "$at/k.comp" -o "$at/k.spv" >&2 || exit 1
spirv-cross --msl --msl-version 30100 --msl-decoration-binding "$at/k.spv" | grep -v '<simd/simd.h>'

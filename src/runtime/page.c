// page: loads a module of WebAssembly into the page that this program runs in: what runtime/elf.c is elsewhere.
//
// In:  the bytes of a module of one function, as isa/wasm_object.c makes them. Out: a place in the program's table of
//      functions, which is what a pointer to a function is there. The bytes are not trusted: the engine checks them,
//      and what it says is the error.
// Holds: a place that a kernel has left is taken again by the next one: tables do not shrink. Whether the page compiles
//        at all is asked once for a device: there are engines without vectors of 128 bits, policies that forbid it (CSP
//        without 'wasm-unsafe-eval'), tables that do not grow (-sALLOW_TABLE_GROWTH).
// Not here: threads, each of which has a table of its own.
// Source: W3C, WebAssembly JavaScript Interface; emscripten/em_asm.h: EM_ASM, which does not take -std=c11, calls this
// function with text in that section.
#ifndef TN_RUNTIME_PAGE
#define TN_RUNTIME_PAGE
#ifndef TINY_AMALGAMATED
#include "pool.c"
#endif
#ifdef TN_OS_PAGE
#include <emscripten/em_asm.h>

#define TN_PAGE_SCRIPT(name) static const char name[] __attribute__((section("em_asm"), aligned(1)))
enum { TN_PAGE_SAID = 200 };               // bytes of what an engine says of an error

// All take the address of bytes and how many, and where to write what is wrong: 0: something is.
TN_PAGE_SCRIPT(tn_page_script_load) =
  "try {"
  "  const made = new WebAssembly.Instance(new WebAssembly.Module(HEAPU8.slice($0, $0 + $1)),"
  "                                        {tiny: {memory: wasmMemory}}).exports;"
  "  const left = wasmTable.tinyLeft = wasmTable.tinyLeft || [];"
  "  const at = left.length ? left.pop() : wasmTable.grow(1);"
  "  wasmTable.set(at, Object.values(made)[0]);"
  "  return at;"
  "} catch (e) {"
  "  const said = String(e).slice(0, $3 - 1);"
  "  for (let i = 0; i < said.length; i++) HEAPU8[$2 + i] = said.charCodeAt(i) & 127;"
  "  HEAPU8[$2 + said.length] = 0;"
  "  return 0;"
  "}";
TN_PAGE_SCRIPT(tn_page_script_unload) = "wasmTable.set($0, null); wasmTable.tinyLeft.push($0); return 0;";

static int tn_page_is_module(const void *data, size_t n) { return n > 8 && !memcmp(data, "\0asm\1\0\0\0", 8); }

static int tn_page_load_at(const void *binary, size_t nbytes, char *said) {
  return emscripten_asm_const_int(tn_page_script_load, "iiii", (int)(uintptr_t)binary, (int)nbytes,
                                  (int)(uintptr_t)said, TN_PAGE_SAID);
}
static void tn_page_unload_at(int at) { emscripten_asm_const_int(tn_page_script_unload, "i", at); }

// Does the page take modules? said: why not.
static int tn_page_compiles(char *said) {
  // (module (memory (import "tiny" "memory") 0) (func (export "f") (result v128) i32.const 0 i8x16.splat))
  static const unsigned char module[] = {
    0, 'a', 's', 'm', 1, 0, 0, 0, 1, 5, 1, 0x60, 0, 1, 0x7B, 2, 16, 1, 4, 't', 'i', 'n', 'y', 6, 'm', 'e', 'm', 'o',
    'r', 'y', 2, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 'f', 0, 0, 10, 8, 1, 6, 0, 0x41, 0, 0xFD, 0x0F, 0x0B};
  const int at = tn_page_load_at(module, sizeof module, said);
  if (at) tn_page_unload_at(at);
  return at != 0;
}

typedef struct tn_page_image { int at; } tn_page_image;
static tn_page_image *tn_page_load(tiny_ctx *t, const void *binary, size_t nbytes) {
  char said[TN_PAGE_SAID];
  tn_page_image *image = (tn_page_image *)tn_alloc(t, sizeof *image);
  if (!image) return NULL;
  image->at = tn_page_is_module(binary, nbytes) ? tn_page_load_at(binary, nbytes, said) : 0;
  if (image->at) return image;
  tiny_fail(t, TINY_E_COMPILE, "page: %s", tn_page_is_module(binary, nbytes) ? said : "this is no module");
  tn_release(t, image, sizeof *image);
  return NULL;
}
static void tn_page_unload(tiny_ctx *t, tn_page_image *image) {
  tn_page_unload_at(image->at);
  tn_release(t, image, sizeof *image);
}
static void *tn_page_symbol(const tn_page_image *image) { return (void *)(uintptr_t)image->at; }
#undef TN_PAGE_SCRIPT
#endif
#endif

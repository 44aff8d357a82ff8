// WebAssembly: kernels of all kinds, as modules that node runs, give what the reference interpreter gives, integers to
// the bit; each op of lists does, of every type and number of lanes, to the bit; none is refused.
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif
#include "../src/all.c"
#include "test.h"
#include "rnd.h"
#include "isa_graphs.h"
#include "wasm_device.h"

static tiny_ctx *open_on(const char *device) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = device; d.cache_dir = ""; d.seed = 5; d.threads = 1;
  d.backends[0] = &wasm_backend;
  return tiny_open(&d);
}

static void test_graphs(tiny_ctx *reference, tiny_ctx *t) {
  static answer want, got;
  for (int g = 0; g < GRAPHS; g++) for (int s = 0; s < SIZES; s++) {
    if (!case_named("%s(%d,%d)", graphs[g].name, sizes[s][0], sizes[s][1])) continue;
    compute(reference, graphs[g].fn, sizes[s][0], sizes[s][1], &want);
    compute(t, graphs[g].fn, sizes[s][0], sizes[s][1], &got);
    compare(&want, &got);
  }
  case_end();
}

int main(void) {
  if (!wasm_there()) { printf("node is not there: nothing was run\n"); return test_report(); }
  tiny_ctx *reference = open_on("INTERP"), *t = open_on("WASM");
  CHECK(reference && t);
  if (!t) return test_report();
  test_graphs(reference, t);
  printf("%d kernels, %d refused%s%s; %d launches; a module took %.3f ms and %d bytes on average\n", wasm_stats.kernels,
         wasm_stats.refused, wasm_stats.refused ? ": " : "", wasm_stats.why, wasm_stats.launches,
         wasm_stats.module_ns * 1e-6 / wasm_stats.kernels, (int)(wasm_stats.nbytes / wasm_stats.kernels));
  CHECK_EQ(wasm_stats.refused, 0);
  tiny_close(t);
  tiny_close(reference);
  return test_report();
}

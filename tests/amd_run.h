// amd_run: kernels of the mock's GPUs on the emulator (amd_emulator.h): whatever was compiled, from the bytes that lie
// at its address. Errors of the emulator are the mock's complaints, but for addresses that are not mapped: faults.
#ifndef AMD_RUN_H
#define AMD_RUN_H
#include "amd_mock.h"
#include "amd_emulate.c"

// user: NULL, or a uint64_t that the cycles of all kernels are added to. tolerant: clang's code may read registers that
// nobody wrote.
static int amd_run_as(void *user, const amd_mock_dispatch *d, uint64_t *fault, char *error, size_t error_nbytes,
                      int tolerant) {
  static const int ranges_most = 512;
  enum { CYCLES = 25 };                    // of 2.5 GHz, a tick of 10 ns
  amd_range *range = malloc((size_t)ranges_most * sizeof *range);
  amd_dispatch e;
  amd_report r;
  memset(&e, 0, sizeof e);
  memset(&r, 0, sizeof r);
  if (!range) { snprintf(error, error_nbytes, "no memory"); return 1; }
  if (d->by_packet) {
    amd_describe(&e, d->descriptor);
    e.kernarg = d->kernarg; e.packet = d->packet; e.queue = d->queue;
  } else { e.user = d->user; e.nuser = d->nuser; }
  e.chip = d->chip; e.entry = d->entry; e.rsrc1 = d->rsrc1; e.rsrc2 = d->rsrc2; e.rsrc3 = d->rsrc3;
  for (int i = 0; i < 3; i++) { e.grid[i] = d->groups[i] * d->local[i]; e.group[i] = d->local[i]; }
  e.lds_nbytes = d->shared; e.scratch_nbytes = d->scratch;
  for (int i = 0; i < d->nranges && i < ranges_most; i++)
    range[e.nranges++] = (amd_range){d->range[i].address, (size_t)d->range[i].nbytes, d->range[i].writable};
  e.range = range;
  e.properties |= d->wave == 32 ? 1 << 10 : 0;            // the width that the packet says
  e.tolerant = tolerant;
  const int failed = amd_emulate(&e, &r);
  *d->ticks += r.cycles / CYCLES;
  if (user) *(uint64_t *)user += r.cycles;
  if (failed) { snprintf(error, error_nbytes, "%s", r.error); *fault = r.fault; }
  free(range);
  return failed;
}
static int amd_run(void *user, const amd_mock_dispatch *d, uint64_t *fault, char *error, size_t error_nbytes) {
  return amd_run_as(user, d, fault, error, error_nbytes, 1);
}
static inline int amd_run_strictly(void *user, const amd_mock_dispatch *d, uint64_t *fault, char *error, size_t error_nbytes) {
  return amd_run_as(user, d, fault, error, error_nbytes, 0);
}
#endif

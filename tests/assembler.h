// assembler: what clang's assembler makes of a text: what the encoders of src/isa are held to.
#ifndef ASSEMBLER_H
#define ASSEMBLER_H

// flags: clang and its flags, a target's among them, NULL behind them. 0: it failed, and has said why.
static int assemble(tiny_ctx *t, const char *const *flags, const tiny_bytes *text, tiny_bytes *object) {
  static const char *const all[] = {"-w", "-c", "-x", "assembler", "-", "-o", "-", NULL};
  const char *argv[24];
  int n = 0;
  while (flags[n]) { argv[n] = flags[n]; n++; }
  for (int i = 0; i < (int)(sizeof all / sizeof *all); i++) argv[n++] = all[i];
  tn_job job;
  memset(&job, 0, sizeof job);
  job.argv = argv; job.input = text->data; job.input_nbytes = text->n;
  tn_process_run(t, &job, 1, 1);
  *object = job.out;
  if (job.exit_code) fprintf(stderr, "%.4000s\n", job.err.data);
  return job.exit_code == 0;
}

#ifdef TN_RUNTIME_ELF
// The code of an ELF object.
static const uint8_t *text_section(const tiny_bytes *object, size_t *n) {
  tn_elf_header h;
  memcpy(&h, object->data, sizeof h);
  for (int i = 0; i < h.shnum; i++) {
    tn_elf_section s;
    memcpy(&s, object->data + h.shoff + (size_t)i * sizeof s, sizeof s);
    if (s.type != TN_ELF_PROGBITS || !(s.flags & TN_ELF_EXEC)) continue;
    *n = (size_t)s.size;
    return (const uint8_t *)object->data + s.offset;
  }
  return NULL;
}
#endif
#endif

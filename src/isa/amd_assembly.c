// amd_assembly: whole kernels in assembly text -> a code object.
//
// In:    text as LLVM's assembler takes it, and as clang -S writes it: ".amdgcn_target" first, which tells it from
//        other languages; a label with each kernel's name; .amdhsa_kernel NAME .. .end_amdhsa_kernel with what it
//        needs. Out: an object, linked; or where it goes wrong, line and column from 1 on, and a sentence.
// Holds: values are numbers. What .amdhsa_ directives leave out is as LLVM has it, but for denormals, which are kept. A
//        kernel goes from its label to the next kernel's and jumps within. Registers that it names are of those that it
//        asks for. Metadata, what is for debuggers and linkers, and data in sections of its own, which no instruction
//        can name, is passed, and so are alignments within a kernel; data between instructions is refused.
// Source: LLVM's AMDGPU user guide, "Assembler", "AMDHSA Kernel Assembler Directives".
#ifndef TN_ISA_AMD_ASSEMBLY
#define TN_ISA_AMD_ASSEMBLY
#ifndef TINY_AMALGAMATED
#include "amd_parse.c"
#include "amd_object.c"
#endif

// ** what a kernel needs **

enum { TN_AMD_ASK_LDS, TN_AMD_ASK_SCRATCH, TN_AMD_ASK_ARGS, TN_AMD_ASK_VGPRS, TN_AMD_ASK_SGPRS, TN_AMD_ASK_ACCUM,
  TN_AMD_ASK_USER, TN_AMD_ASK_DISPATCH, TN_AMD_ASK_QUEUE, TN_AMD_ASK_KERNARG, TN_AMD_ASK_ID, TN_AMD_ASK_SIZE,
  TN_AMD_ASK_X, TN_AMD_ASK_Y, TN_AMD_ASK_Z, TN_AMD_ASK_LANES, TN_AMD_ASK_WAVE32, TN_AMD_ASK_WGP, TN_AMD_ASKED_FIRST,
  TN_AMD_ASKS = TN_AMD_ASKED_FIRST + 27 };
// Behind ".amdhsa_": from, to: what it may be; usual: where it is not said, -1: it has to be
static const struct { char name[40]; uint8_t on; int32_t from, to, usual; } tn_amd_asks[TN_AMD_ASKS] = {
  {"group_segment_fixed_size", TN_AMD_ON_ALL, 0, 65536, 0},
  {"private_segment_fixed_size", TN_AMD_ON_ALL, 0, 1 << 18, 0}, {"kernarg_size", TN_AMD_ON_ALL, 0, 65536, 0},
  {"next_free_vgpr", TN_AMD_ON_ALL, 0, 512, -1}, {"next_free_sgpr", TN_AMD_ON_ALL, 0, 106, -1},
  {"accum_offset", TN_AMD_ON_9, 4, 256, 0}, {"user_sgpr_count", TN_AMD_ON_ALL, 0, 16, -2},
  {"user_sgpr_dispatch_ptr", TN_AMD_ON_ALL, 0, 1, 0}, {"user_sgpr_queue_ptr", TN_AMD_ON_ALL, 0, 1, 0},
  {"user_sgpr_kernarg_segment_ptr", TN_AMD_ON_ALL, 0, 1, 0}, {"user_sgpr_dispatch_id", TN_AMD_ON_ALL, 0, 1, 0},
  {"user_sgpr_private_segment_size", TN_AMD_ON_ALL, 0, 1, 0}, {"system_sgpr_workgroup_id_x", TN_AMD_ON_ALL, 0, 1, 1},
  {"system_sgpr_workgroup_id_y", TN_AMD_ON_ALL, 0, 1, 0}, {"system_sgpr_workgroup_id_z", TN_AMD_ON_ALL, 0, 1, 0},
  {"system_vgpr_workitem_id", TN_AMD_ON_ALL, 0, 2, 0}, {"wavefront_size32", TN_AMD_ON_RDNA, 0, 1, 1},
  {"workgroup_processor_mode", TN_AMD_ON_RDNA, 0, 1, 1},
  // these are as they are here, or change no result
  {"float_round_mode_32", TN_AMD_ON_ALL, 0, 0, 0}, {"float_round_mode_16_64", TN_AMD_ON_ALL, 0, 0, 0},
  {"float_denorm_mode_32", TN_AMD_ON_ALL, 3, 3, 3}, {"float_denorm_mode_16_64", TN_AMD_ON_ALL, 3, 3, 3},
  {"dx10_clamp", TN_AMD_ON_11 | TN_AMD_ON_9, 1, 1, 1}, {"ieee_mode", TN_AMD_ON_11 | TN_AMD_ON_9, 1, 1, 1},
  {"fp16_overflow", TN_AMD_ON_ALL, 0, 0, 0}, {"memory_ordered", TN_AMD_ON_RDNA, 1, 1, 1},
  {"forward_progress", TN_AMD_ON_RDNA, 0, 1, 1}, {"shared_vgpr_count", TN_AMD_ON_11, 0, 0, 0},
  {"round_robin_scheduling", TN_AMD_ON_12, 0, 0, 0}, {"tg_split", TN_AMD_ON_9, 0, 0, 0},
  {"reserve_vcc", TN_AMD_ON_ALL, 0, 1, 1}, {"reserve_xnack_mask", TN_AMD_ON_9, 0, 1, 1},
  {"uses_dynamic_stack", TN_AMD_ON_ALL, 0, 0, 0}, {"enable_private_segment", TN_AMD_ON_ALL, 0, 1, 0},
  {"system_sgpr_workgroup_info", TN_AMD_ON_ALL, 0, 0, 0}, {"user_sgpr_kernarg_preload_length", TN_AMD_ON_9, 0, 0, 0},
  {"user_sgpr_kernarg_preload_offset", TN_AMD_ON_9, 0, 0, 0}, {"inst_pref_size", TN_AMD_ON_RDNA, 0, 255, 0},
  {"exception_fp_ieee_invalid_op", TN_AMD_ON_ALL, 0, 0, 0}, {"exception_fp_denorm_src", TN_AMD_ON_ALL, 0, 0, 0},
  {"exception_fp_ieee_div_zero", TN_AMD_ON_ALL, 0, 0, 0}, {"exception_fp_ieee_overflow", TN_AMD_ON_ALL, 0, 0, 0},
  {"exception_fp_ieee_underflow", TN_AMD_ON_ALL, 0, 0, 0}, {"exception_fp_ieee_inexact", TN_AMD_ON_ALL, 0, 0, 0},
  {"exception_int_div_zero", TN_AMD_ON_ALL, 0, 0, 0}
};
// A kernel on its way: name, and where its directives began.
typedef struct tn_amd_asked { const char *name; size_t n; int line; int32_t v[TN_AMD_ASKS]; } tn_amd_asked;

static tn_amd_setup tn_amd_asked_setup(const tn_amd_asked *k) {
  static const struct { uint8_t ask, from, sgprs; } pointers[] = {
    {TN_AMD_ASK_DISPATCH, TN_AMD_FROM_DISPATCH, 2}, {TN_AMD_ASK_QUEUE, TN_AMD_FROM_QUEUE, 2},
    {TN_AMD_ASK_KERNARG, TN_AMD_FROM_ARGS, 2}, {TN_AMD_ASK_ID, TN_AMD_FROM_ID, 2},
    {TN_AMD_ASK_SIZE, TN_AMD_FROM_SCRATCH_NBYTES, 1}};
  const int32_t *const v = k->v;
  tn_amd_setup s;
  memset(&s, 0, sizeof s);
  s.lds = (uint32_t)v[TN_AMD_ASK_LDS]; s.scratch = (uint32_t)v[TN_AMD_ASK_SCRATCH];
  s.args_nbytes = (uint32_t)v[TN_AMD_ASK_ARGS];
  s.vgprs = (uint16_t)v[TN_AMD_ASK_VGPRS]; s.sgprs = (uint16_t)v[TN_AMD_ASK_SGPRS];
  if (v[TN_AMD_ASK_ACCUM]) {
    s.vgprs = (uint16_t)v[TN_AMD_ASK_ACCUM];
    s.agprs = (uint16_t)(v[TN_AMD_ASK_VGPRS] > s.vgprs ? v[TN_AMD_ASK_VGPRS] - s.vgprs : 0);
  }
  for (int i = 0; i < 5; i++) {
    if (!v[pointers[i].ask]) continue;
    s.from = (uint16_t)(s.from | pointers[i].from);
    s.user_sgprs = (uint8_t)(s.user_sgprs + pointers[i].sgprs);
  }
  if (v[TN_AMD_ASK_USER] >= 0) s.user_sgprs = (uint8_t)v[TN_AMD_ASK_USER];
  s.ids = (uint8_t)(v[TN_AMD_ASK_X] | v[TN_AMD_ASK_Y] << 1 | v[TN_AMD_ASK_Z] << 2);
  s.lanes = (uint8_t)(v[TN_AMD_ASK_LANES] + 1);
  s.wgp = (uint8_t)v[TN_AMD_ASK_WGP]; s.wave = v[TN_AMD_ASK_WAVE32] ? 32 : 64;
  return s;
}

// ** directives **

// lines: the text without directives and data; kernel: the one that is told of now; in_data: in a section of such
typedef struct tn_amd_assembler {
  const tn_amd_chip *chip; tiny_bytes lines, kernels; tn_amd_asked kernel; int line, in_kernel, in_metadata, in_data,
  targets;
} tn_amd_assembler;

static int tn_amd_read_target(tn_amd_assembler *a, tn_amd_parser *p) {
  char target[48];
  const int n = snprintf(target, sizeof target, "\"amdgcn-amd-amdhsa--%s", a->chip->name);
  a->targets++;
  if (!tn_amd_next_is(p, target)) return tn_amd_fail(p, "it is for another target than this GPU");
  const char next = p->at < p->end ? *p->at : 0;
  if (next != '"' && next != ':') { p->at -= n; return tn_amd_fail(p, "it is for another target than this GPU"); }
  return 1;
}
static int tn_amd_begin_kernel(tn_amd_assembler *a, tn_amd_parser *p) {
  enum { MOST = 480 };                     // of a name
  tn_amd_space(p);
  a->kernel.name = p->at; a->kernel.n = tn_amd_word_length(p); a->kernel.line = a->line;
  if (!a->kernel.n || a->kernel.n > MOST) return tn_amd_fail(p, "the name of a kernel is missing, or too long");
  p->at += a->kernel.n;
  for (int i = 0; i < TN_AMD_ASKS; i++) a->kernel.v[i] = tn_amd_asks[i].usual;
  if (a->chip->family == TN_AMD_GFX9) a->kernel.v[TN_AMD_ASK_WAVE32] = a->kernel.v[TN_AMD_ASK_WGP] = 0;
  return a->in_kernel = 1;
}
static int tn_amd_end_kernel(tn_amd_assembler *a, tn_amd_parser *p) {
  const int32_t *const v = a->kernel.v, nine = a->chip->family == TN_AMD_GFX9;
  if (v[TN_AMD_ASK_VGPRS] < 0) return tn_amd_fail(p, ".amdhsa_next_free_vgpr is missing");
  if (v[TN_AMD_ASK_SGPRS] < 0) return tn_amd_fail(p, ".amdhsa_next_free_sgpr is missing");
  if (nine && !v[TN_AMD_ASK_ACCUM]) return tn_amd_fail(p, ".amdhsa_accum_offset is missing");
  if (v[TN_AMD_ASK_ACCUM] % 4) return tn_amd_fail(p, ".amdhsa_accum_offset is no multiple of 4");
  if (!nine && v[TN_AMD_ASK_VGPRS] > 256) return tn_amd_fail(p, ".amdhsa_next_free_vgpr is more than 256");
  tiny_bytes_add(&a->kernels, &a->kernel, sizeof a->kernel);
  a->in_kernel = 0;
  return 1;
}
static int tn_amd_read_ask(tn_amd_assembler *a, tn_amd_parser *p) {
  if (tn_amd_next_word(p, ".end_amdhsa_kernel")) return tn_amd_end_kernel(a, p);
  const size_t n = tn_amd_word_length(p), prefix = strlen(".amdhsa_");
  if (n <= prefix || memcmp(p->at, ".amdhsa_", prefix) != 0) return tn_amd_fail(p, ".amdhsa_ or .end_amdhsa_kernel is "
      "missing");
  for (int i = 0; i < TN_AMD_ASKS; i++) {
    if (strlen(tn_amd_asks[i].name) != n - prefix || memcmp(tn_amd_asks[i].name, p->at + prefix, n - prefix)) continue;
    if (!(tn_amd_asks[i].on >> a->chip->family & 1)) return tn_amd_fail(p, "this GPU has no such thing");
    p->at += n;
    return tn_amd_read_within(p, tn_amd_asks[i].from, tn_amd_asks[i].to, &a->kernel.v[i]);
  }
  return tn_amd_fail(p, "this need of a kernel is not known");
}
static int tn_amd_is_one_of(const tn_amd_parser *p, const char *const *names, size_t n) {
  const size_t length = tn_amd_word_length(p);
  for (size_t i = 0; i < n; i++) if (strlen(names[i]) == length && !memcmp(names[i], p->at, length)) return 1;
  return 0;
}
// Which section follows? 0: this says nothing of it.
static int tn_amd_read_section(tn_amd_assembler *a, tn_amd_parser *p) {
  static const char *const data[] = {".section", ".rodata", ".data", ".bss"};
  const int is_data = tn_amd_is_one_of(p, data, sizeof data / sizeof *data);
  if (!is_data && !tn_amd_next_word(p, ".text")) return 0;
  a->in_data = is_data;
  if (!tn_amd_next_word(p, ".section")) return 1;
  tn_amd_space(p);
  a->in_data = p->end - p->at < 5 || memcmp(p->at, ".text", 5) != 0;
  return 1;
}
// What says nothing that matters here; s_code_end, of gfx9 s_nop, behind all kernels, which are written in any case.
static int tn_amd_is_passed(const tn_amd_parser *p) {
  static const char *const names[] = {".globl", ".global", ".p2align", ".align", ".type", ".size", ".protected",
    ".hidden", ".weak", ".ident", ".file", ".loc", ".addrsig", ".addrsig_sym", ".amdhsa_code_object_version",
    ".p2alignl"};
  static const char *const fills[] = {", 4, 3214868480", ", 4, 3212836864"};
  if (tn_amd_is_one_of(p, names, sizeof names / sizeof *names)) return 1;
  for (int i = 0; i < 2; i++) {
    const size_t n = strlen(fills[i]), all = (size_t)(p->end - p->at);
    if (all > n + 5 && !memcmp(p->at, ".fill", 5) && !memcmp(p->end - n, fills[i], n)) return 1;
  }
  return tn_amd_word_length(p) > 4 && !memcmp(p->at, ".cfi", 4);
}
static int tn_amd_read_outside(tn_amd_assembler *a, tn_amd_parser *p) {
  if (tn_amd_next_word(p, ".amdhsa_kernel")) return tn_amd_begin_kernel(a, p);
  if (tn_amd_next_word(p, ".amdgpu_metadata")) return a->in_metadata = 1;
  const int target = tn_amd_next_word(p, ".amdgcn_target");
  const int passed = target || a->in_data || tn_amd_is_passed(p), section = tn_amd_read_section(a, p);
  if (!passed && !section) return tn_amd_fail(p, "this directive is not known: data is no part of it");
  if (target && !tn_amd_read_target(a, p)) return 0;
  p->at = p->end;
  return 1;
}
// A line that begins with a directive, or stands between two that belong together. 0: it is wrong.
static int tn_amd_read_directive(tn_amd_assembler *a, tn_amd_parser *p) {
  if (a->in_metadata) { a->in_metadata = !tn_amd_next_word(p, ".end_amdgpu_metadata"); return 1; }
  if (!(a->in_kernel ? tn_amd_read_ask(a, p) : tn_amd_read_outside(a, p))) return 0;
  tn_amd_space(p);
  return p->at == p->end || tn_amd_fail(p, "this is too much");
}
static int tn_amd_is_directive(const tn_amd_parser *p) {
  const size_t n = tn_amd_word_length(p);
  return n && *p->at == '.' && (p->at + n == p->end || p->at[n] != ':');
}
// Takes the directives out of the text, line by line.
static int tn_amd_take_directives(tn_amd_assembler *a, const char *text, size_t n, tn_amd_error *e) {
  const char *next = text, *const end = text + n;
  for (a->line = 1; next < end; a->line++) {
    const char *const line = next;
    tn_amd_parser p = {line, line, tn_amd_line_end(line, end, &next), line, NULL, a->chip->family, 0, 0, NULL};
    tn_amd_space(&p);
    const int blank = p.at == p.end, taken = a->in_kernel || a->in_metadata || tn_amd_is_directive(&p);
    if (!blank && taken && !tn_amd_read_directive(a, &p)) {
      e->line = a->line; e->column = (int)(p.wrong - line) + 1; e->sentence = p.sentence;
      return 0;
    }
    if (!taken && !a->in_data) tiny_bytes_add(&a->lines, line, (size_t)(p.end - line));
    tiny_bytes_add(&a->lines, "\n", 1);
  }
  e->line = a->line > 1 ? a->line - 1 : 1; e->column = 1;
  e->sentence = !a->targets ? ".amdgcn_target is missing" : a->in_kernel ? ".end_amdhsa_kernel is missing" :
      a->in_metadata ? ".end_amdgpu_metadata is missing" : a->kernels.n ? NULL : ".amdhsa_kernel is missing";
  return !e->sentence;
}

// ** kernels **

// Of the lines from `at` on the first that begins with a label that is a kernel's; NULL: there is none. which: of which
static const char *tn_amd_next_kernel(const tn_amd_assembler *a, const char *at, const char *end, int *which) {
  const tn_amd_asked *const k = (const tn_amd_asked *)(const void *)a->kernels.data;
  const int n = (int)(a->kernels.n / sizeof *k);
  for (const char *next; at < end; at = next) {
    tn_amd_parser p = {at, at, tn_amd_line_end(at, end, &next), at, NULL, 0, 0, 0, NULL};
    tn_amd_space(&p);
    const size_t length = tn_amd_word_length(&p);
    if (!length || p.at + length == p.end || p.at[length] != ':') continue;
    for (*which = 0; *which < n; ++*which)
      if (k[*which].n == length && !memcmp(k[*which].name, p.at, length)) return at;
  }
  return NULL;
}
static int tn_amd_asked_for(const tn_amd_operand *o, const tn_amd_setup *s) {
  const int last = o->reg + (o->dwords ? o->dwords : 1);
  return o->kind == TN_AMD_VGPR ? last <= s->vgprs : o->kind == TN_AMD_AGPR ? last <= s->agprs
      : o->kind != TN_AMD_SGPR || o->reg >= TN_AMD_FLAT_SCRATCH || last <= s->sgprs;
}
// Does a line name registers that its kernel did not ask for?
static int tn_amd_check_registers(const tn_amd_ins *ins, const tn_amd_setup *s) {
  for (int i = 0; i < ins->n; i++) if (!tn_amd_asked_for(&ins->o[i], s)) return 0;
  for (int i = 0; i < ins->n_y; i++) if (!tn_amd_asked_for(&ins->y[i], s)) return 0;
  return 1;
}
static int tn_amd_check_lines(const tn_amd_assembler *a, const char *at, const char *end, const tn_amd_setup *s,
                              tn_amd_error *e) {
  const char *next = at;
  for (int line = 1; next < end; line++) {
    tn_amd_parser p = {next, next, NULL, next, NULL, a->chip->family, 0, 0, NULL};
    tn_amd_ins ins;
    p.end = tn_amd_line_end(next, end, &next);
    tn_amd_pass_labels(&p, NULL);
    if (p.at == p.end || !tn_amd_parse(a->chip->family, p.at, (size_t)(p.end - p.at), &ins, e)) continue;
    if (tn_amd_check_registers(&ins, s)) continue;
    e->line = line; e->column = (int)(p.at - p.line) + 1;
    e->sentence = "it names a register that .amdhsa_next_free_vgpr or .amdhsa_next_free_sgpr does not ask for";
    return 0;
  }
  return 1;
}
// From `at` to `end`: kernel k's.
static int tn_amd_assemble_kernel(const tn_amd_assembler *a, const tn_amd_asked *k, const char *at, const char *end,
                                  tn_amd_source *out, tn_amd_error *e) {
  tiny_bytes code = {a->lines.t, NULL, 0, 0}, name = {a->lines.t, NULL, 0, 0};
  int first = 0;
  for (const char *q = a->lines.data; q < at; q++) first += *q == '\n';
  memset(out, 0, sizeof *out);
  out->setup = tn_amd_asked_setup(k);
  const int good = tn_amd_assemble(a->chip->family, at, (size_t)(end - at), &code, e) &&
      tn_amd_check_lines(a, at, end, &out->setup, e);
  e->line += first;
  if (!good) return 0;
  tiny_bytes_add(&name, k->name, k->n);
  out->name = name.data ? name.data : ""; out->code = code.data; out->nbytes = code.n;
  if (code.n) return 1;
  e->line = first + 1; e->column = 1; e->sentence = "the kernel has no instructions";
  return 0;
}
static int tn_amd_assemble_kernels(const tn_amd_assembler *a, tiny_bytes *sources, tn_amd_error *e) {
  const tn_amd_asked *const k = (const tn_amd_asked *)(const void *)a->kernels.data;
  const char *const end = a->lines.data + a->lines.n;
  int which, following;
  const char *at = tn_amd_next_kernel(a, a->lines.data, end, &which);
  tiny_bytes before = {a->lines.t, NULL, 0, 0};
  if (!tn_amd_assemble(a->chip->family, a->lines.data, at ? (size_t)(at - a->lines.data) : a->lines.n, &before, e))
    return 0;
  e->line = e->column = 1;
  e->sentence = "instructions stand before the first kernel's label";
  if (before.n) return 0;
  for (const char *next; at; at = next, which = following) {
    const char *behind;
    tn_amd_source source;
    tn_amd_line_end(at, end, &behind);
    next = tn_amd_next_kernel(a, behind, end, &following);
    if (!tn_amd_assemble_kernel(a, &k[which], at, next ? next : end, &source, e)) return 0;
    tiny_bytes_add(sources, &source, sizeof source);
  }
  if (sources->n / sizeof(tn_amd_source) == a->kernels.n / sizeof *k) return 1;
  e->line = k->line; e->column = 1; e->sentence = "a kernel has no label, or two";
  return 0;
}

// ** as it is asked **

// Does it begin with ".amdgcn_target", behind comments?
static int tn_amd_is_assembly(const char *text) {
  const char *next = text, *const end = text + strlen(text);
  while (next < end) {
    tn_amd_parser p = {next, next, NULL, next, NULL, 0, 0, 0, NULL};
    p.end = tn_amd_line_end(next, end, &next);
    tn_amd_space(&p);
    if (p.at < p.end) return tn_amd_next_word(&p, ".amdgcn_target");
  }
  return 0;
}
// An object to out, which is empty. 0, and what is wrong; refused memory is the context's error.
static int tn_amd_assemble_object(tiny_bytes *out, const tn_amd_chip *chip, const char *text, size_t n,
                                  tn_amd_error *e) {
  tn_amd_assembler a;
  tiny_bytes sources = {out->t, NULL, 0, 0};
  memset(&a, 0, sizeof a);
  memset(e, 0, sizeof *e);
  a.chip = chip;
  a.lines.t = a.kernels.t = out->t;
  if (!tn_amd_take_directives(&a, text, n, e)) return 0;
  if (!tn_amd_assemble_kernels(&a, &sources, e)) return 0;
  tn_amd_object_write(out, chip, (const tn_amd_source *)(const void *)sources.data,
                      (int)(sources.n / sizeof(tn_amd_source)), NULL);
  return 1;
}
#endif

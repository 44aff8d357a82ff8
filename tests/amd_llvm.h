// amd_llvm: what LLVM's llvm-mc makes of words and of text for AMD's GPUs: the other side of src/isa/amd*.c.
//
// A process is asked many things at once, which lines that are known keep apart. llvm-mc of LLVM 19 crashes on some
// words (v_accvgpr_mov_b32 of a scalar register): the question is halved then, until it is known which.
#ifndef AMD_LLVM_H
#define AMD_LLVM_H

enum { LLVM_AT_ONCE = 8192, LLVM_TEXT = 320 };
// text "": there is none, or one that says it is wrong; many: words were more than one instruction
typedef struct llvm_answer { char text[LLVM_TEXT]; int many, n; uint32_t word[8]; } llvm_answer;
typedef struct llvm_words { uint32_t word[4]; int n; } llvm_words;

static tiny_bytes llvm_ask(tiny_ctx *t, int family, int disassembles, const tiny_bytes *input, tiny_bytes *errors,
                           int *crashed) {
  static const char *const cpus[] = {"-mcpu=gfx1100", "-mcpu=gfx1200", "-mcpu=gfx942"};
  const char *argv[8] = {"/usr/bin/env", "llvm-mc-19", "--arch=amdgcn", "--show-encoding", cpus[family]};
  int n = 5;
  if (family != TN_AMD_GFX9) argv[n++] = "-mattr=+wavefrontsize32";
  if (disassembles) argv[n++] = "--disassemble";
  tn_job job;
  memset(&job, 0, sizeof job);
  job.argv = argv; job.input = input->data; job.input_nbytes = input->n; job.most = (size_t)1 << 28;
  tn_process_run(t, &job, 1, 1);
  if (errors) *errors = job.err;
  *crashed = job.exit_code > 1;
  return job.out;
}
static int llvm_is_there(tiny_ctx *t) {
  const char *argv[] = {"/usr/bin/env", "llvm-mc-19", "--version", NULL};
  tn_job job;
  memset(&job, 0, sizeof job);
  job.argv = argv;
  tn_process_run(t, &job, 1, 1);
  return job.exit_code == 0;
}

// A line without its encoding, one space where there are many; -> the words that are said behind it.
static int llvm_line(const char *line, size_t n, char text[LLVM_TEXT], uint32_t word[8]) {
  const char *code = strstr(line, "; encoding: [");
  size_t m = 0;
  int nbytes = 0;
  if (!code || code >= line + n) code = NULL;
  for (const char *p = line; p < line + n && p != code && m < LLVM_TEXT - 1; p++) {
    const char c = *p == '\t' ? ' ' : *p;
    if (c != ' ' || (m && text[m - 1] != ' ')) text[m++] = c;
  }
  while (m && text[m - 1] == ' ') m--;
  text[m] = 0;
  memset(word, 0, 8 * sizeof *word);
  for (const char *p = code; p && p < line + n && nbytes < 32; p = strstr(p + 2, "0x")) {
    if (p == code) continue;
    word[nbytes / 4] |= (uint32_t)strtoul(p, NULL, 16) << 8 * (nbytes % 4);
    nbytes++;
  }
  return (nbytes + 3) / 4;
}
static uint32_t llvm_mark(int family, int i) { return (family == TN_AMD_GFX9 ? 0xBF8E0000 : 0xBF830000) | (uint32_t)i; }
static void llvm_put_words(tiny_bytes *b, const uint32_t *word, int n) {
  char s[8];
  for (int i = 0; i < 4 * n; i++) {
    snprintf(s, sizeof s, "%s0x%02x", i ? " " : "[", word[i / 4] >> 8 * (i % 4) & 255);
    tiny_bytes_add(b, s, strlen(s));
  }
  tiny_bytes_add(b, "]\n", 2);
}

// What n (at most LLVM_AT_ONCE) runs of words are.
static void llvm_disassemble(tiny_ctx *t, int family, const llvm_words *words, int n, llvm_answer *out) {
  tiny_bytes input = {t, NULL, 0, 0};
  int crashed, at = 0, lines = 0;
  for (int i = 0; i < n; i++) {
    const uint32_t mark = llvm_mark(family, i);
    llvm_put_words(&input, words[i].word, words[i].n);
    llvm_put_words(&input, &mark, 1);
  }
  const tiny_bytes text = llvm_ask(t, family, 1, &input, NULL, &crashed);
  memset(out, 0, (size_t)n * sizeof *out);
  if (crashed) {
    if (n == 1) return;
    llvm_disassemble(t, family, words, n / 2, out);
    llvm_disassemble(t, family, words + n / 2, n - n / 2, out + n / 2);
    return;
  }
  for (const char *p = text.data, *end; p && at < n && (end = strchr(p, '\n')) != NULL; p = end + 1) {
    llvm_answer one;
    char s[40];
    memset(&one, 0, sizeof one);
    one.n = llvm_line(p, (size_t)(end - p), one.text, one.word);
    if (!*one.text || *one.text == '.') continue;
    snprintf(s, sizeof s, at <= 64 ? "s_sleep %d" : "s_sleep 0x%x", at);
    if (!strcmp(one.text, s)) { out[at].many = lines > 1; at++; lines = 0; continue; }
    if (!lines++) out[at] = one;
  }
  CHECK(at == n);
  for (int i = 0; i < n; i++) if (strstr(out[i].text, "/*")) *out[i].text = 0;
}
// The words of n lines; 0 words: refused.
static void llvm_assemble(tiny_ctx *t, int family, char *const *lines, int n, llvm_words *out) {
  tiny_bytes input = {t, NULL, 0, 0}, errors;
  int crashed, at = 0;
  for (int i = 0; i < n; i++) {
    tiny_bytes_add(&input, lines[i], strlen(lines[i]));
    tiny_bytes_add(&input, "\n", 1);
  }
  const tiny_bytes text = llvm_ask(t, family, 0, &input, &errors, &crashed);
  memset(out, 0, (size_t)n * sizeof *out);
  for (const char *p = errors.data; p && (p = strstr(p, "<stdin>:")) != NULL; p++) {
    char *end;
    const long line = strtol(p + 8, &end, 10);
    if (strstr(end, ": error") == strchr(end + 1, ':') && line > 0 && line <= n) out[line - 1].n = -1;
  }
  for (const char *p = text.data, *end; p && (end = strchr(p, '\n')) != NULL; p = end + 1) {
    llvm_answer one;
    one.n = llvm_line(p, (size_t)(end - p), one.text, one.word);
    if (!one.n) continue;
    while (at < n && out[at].n < 0) at++;
    if (at == n) break;
    memcpy(out[at].word, one.word, sizeof out[at].word);
    out[at++].n = one.n;
  }
  for (int i = 0; i < n; i++) if (out[i].n < 0) out[i].n = 0;
}
#endif

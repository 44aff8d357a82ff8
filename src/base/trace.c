// trace: a file of events, written while they happen, in Chrome's Trace Event Format; docs/trace.md lists them.
//
// In:    events: tn_event_span, or one of its kin, then members of its args, then tn_event_end.
// Out:   a line of JSON each.
// Holds: nothing of it fails a call or unwinds, whatever is refused: memory is asked for when a trace begins, once.
//        What cannot be written any more ends the trace, with a line in the log: at the end of any event, also of one
//        that another begins with, and what follows of that is dropped. A child of fork writes nothing.
#ifndef TN_BASE_TRACE
#define TN_BASE_TRACE
#ifndef TINY_AMALGAMATED
#include "files.c"
#endif

enum {
  TN_TRACE_NBYTES = 1 << 16,               // of the buffer
  TN_TRACE_FILES = 64,                     // tried where others are being written: PATH, PATH.2, PATH.3 ..
  TN_TRACE_OPTS = 512, TN_TRACE_TEXT = 1 << 16               // bytes of opts that are kept, of a text that is written
};

#ifdef TINY_NO_DISK                        // there is none
static int tn_tracing(const tiny_ctx *t) { return t->trace != NULL; }
static void tn_event_span(tiny_ctx *t, const char *cat, const char *name, int thread, uint64_t from, uint64_t to) {
  (void)t; (void)cat; (void)name; (void)thread; (void)from; (void)to;
}
static void tn_event_now(tiny_ctx *t, const char *phase, const char *cat, const char *name) {
  (void)t; (void)phase; (void)cat; (void)name;
}
static void tn_event_put(tiny_ctx *t, const char *data, size_t nbytes) { (void)t; (void)data; (void)nbytes; }
static void tn_event_text(tiny_ctx *t, const char *text) { (void)t; (void)text; }
static void tn_event_add(tiny_ctx *t, const char *format, ...) TN_PRINTF(2, 3);
static void tn_event_add(tiny_ctx *t, const char *format, ...) { (void)t; (void)format; }
static void tn_event_end(tiny_ctx *t) { (void)t; }
static void tn_event_meta(tiny_ctx *t, const char *name, int thread) { (void)t; (void)name; (void)thread; }
static void tn_trace_flush(tiny_ctx *t) { (void)t; }
static void tn_trace_forgets(tiny_ctx *t) { (void)t; }
static int tn_trace_open(tiny_ctx *t, const char *path) { (void)t; (void)path; return 0; }
static int tn_trace_close(tiny_ctx *t) { (void)t; return 1; }
static int tn_trace_passes(const tiny_ctx *t) { (void)t; return 0; }
static void tn_trace_pass(tiny_ctx *t, const char *pass, const char *text) { (void)t; (void)pass; (void)text; }
static void tn_trace_opts(tiny_ctx *t, const char *text) { (void)t; (void)text; }
static const char *tn_trace_lowering(tiny_ctx *t, uint64_t key, const char *name) {
  (void)t; (void)key; (void)name;
  return "";
}
#else

struct tn_trace {
  tn_os_handle file; uint64_t process;
  int failed; tiny_code told;              // told: the error that was written
  uint64_t key; const char *kernel; int passes;              // that is lowered, NULL: none; passes that were told of it
  char opts[TN_TRACE_OPTS];                // of that one
  size_t n; char buffer[TN_TRACE_NBYTES];
};

static int tn_tracing(const tiny_ctx *t) { return t->trace != NULL; }

// ** bytes **

// What is in the buffer into the file. A child of fork has the parent's buffer, and leaves it to the parent.
static void tn_trace_flush(tiny_ctx *t) {
  struct tn_trace *r = t->trace;
  if (!r) return;
  if (r->process != tn_os_process_id()) r->failed = 1;
  else if (r->n && !r->failed) r->failed = !tn_os_write_all(r->file, r->buffer, r->n);
  r->n = 0;
}
static void tn_event_put(tiny_ctx *t, const char *data, size_t nbytes) {
  struct tn_trace *r = t->trace;
  while (r && nbytes) {
    const size_t room = sizeof r->buffer - r->n, n = nbytes < room ? nbytes : room;
    memcpy(r->buffer + r->n, data, n);
    r->n += n; data += n; nbytes -= n;
    if (r->n == sizeof r->buffer) tn_trace_flush(t);
  }
}
// Numbers and names: what is longer than a line of code is no format.
static void tn_event_add(tiny_ctx *t, const char *format, ...) TN_PRINTF(2, 3);
static void tn_event_add(tiny_ctx *t, const char *format, ...) {
  char brief[256];
  va_list args;
  va_start(args, format);
  const int n = tn_number_list(brief, sizeof brief, format, args);
  va_end(args);
  if (n > 0) tn_event_put(t, brief, (size_t)n < sizeof brief ? (size_t)n : sizeof brief - 1);
}
// A string of JSON.
static void tn_event_text(tiny_ctx *t, const char *text) {
  const size_t all = strlen(text), most = all < (size_t)TN_TRACE_TEXT ? all : (size_t)TN_TRACE_TEXT;
  char one[8];
  tn_event_put(t, "\"", 1);
  for (size_t i = 0; i < most;) {
    size_t used;
    const int n = tn_json_char(text + i, all - i, one, &used);
    tn_event_put(t, one, (size_t)n);
    i += used;
  }
  if (all > most) tn_event_add(t, "\\n.. %llu bytes more", (unsigned long long)(all - most));
  tn_event_put(t, "\"", 1);
}

// ** events **

// In us since the context was opened.
static void tn_event_time(tiny_ctx *t, const char *name, uint64_t ns) {
  tn_event_add(t, ",\"%s\":%llu.%03u", name, (unsigned long long)(ns / 1000), (unsigned)(ns % 1000));
}
static void tn_event_begin(tiny_ctx *t, const char *phase, const char *cat, const char *name, int thread, uint64_t at) {
  tn_event_add(t, "{\"ph\":\"%s\",\"pid\":1,\"tid\":%d,\"cat\":\"%s\"", phase, thread, cat);
  tn_event_time(t, "ts", at > t->opened ? at - t->opened : 0);
  tn_event_put(t, ",\"name\":", 8);
  tn_event_text(t, name);
}
static void tn_event_args(tiny_ctx *t) { tn_event_put(t, ",\"args\":{", 9); }
static void tn_event_end(tiny_ctx *t);
// The context's error, when it has one that was not told yet.
static void tn_event_error(tiny_ctx *t) {
  if (!t->trace || t->trace->told == t->code) return;
  t->trace->told = t->code;
  if (t->code == TINY_OK) return;
  tn_event_begin(t, "i", "error", "error", 0, tn_os_now());
  tn_event_put(t, ",\"s\":\"t\"", 8);
  tn_event_args(t);
  tn_event_add(t, "\"code\":%d,\"name\":\"%s\",\"message\":", (int)t->code, tiny_code_name(t->code));
  tn_event_text(t, t->message);
  tn_event_end(t);
}
// The error goes: the next one is another, whatever its code.
static void tn_trace_forgets(tiny_ctx *t) {
  tn_event_error(t);
  if (t->trace) t->trace->told = TINY_OK;
}
// Something that took from .. to, by the host's clock in ns.
static void tn_event_span(tiny_ctx *t, const char *cat, const char *name, int thread, uint64_t from, uint64_t to) {
  tn_event_error(t);
  tn_event_begin(t, "X", cat, name, thread, from);
  tn_event_time(t, "dur", to > from ? to - from : 0);
  tn_event_args(t);
}
// Something of this moment: of phase "i", or "C", a counter.
static void tn_event_now(tiny_ctx *t, const char *phase, const char *cat, const char *name) {
  tn_event_error(t);
  tn_event_begin(t, phase, cat, name, 0, tn_os_now());
  if (*phase == 'i') tn_event_put(t, ",\"s\":\"t\"", 8);
  tn_event_args(t);
}
// What something is called.
static void tn_event_meta(tiny_ctx *t, const char *name, int thread) {
  tn_event_add(t, "{\"ph\":\"M\",\"pid\":1,\"tid\":%d,\"name\":\"%s\"", thread, name);
  tn_event_args(t);
}
static int tn_trace_close(tiny_ctx *t);
static void tn_event_end(tiny_ctx *t) {
  tn_event_put(t, "}},\n", 4);
  if (t->trace && t->trace->failed) tn_trace_close(t);
}

// ** the kernel that is lowered **

// Its passes are told until another one is, or none: name NULL. Returns the opts of the one before.
static const char *tn_trace_lowering(tiny_ctx *t, uint64_t key, const char *name) {
  struct tn_trace *r = t->trace;
  if (!r) return "";
  r->key = key; r->kernel = name; r->passes = 0;
  if (name) r->opts[0] = 0;
  return r->opts;
}
static int tn_trace_passes(const tiny_ctx *t) { return t->trace && t->trace->kernel; }
static void tn_trace_opts(tiny_ctx *t, const char *text) {
  if (tn_trace_passes(t)) snprintf(t->trace->opts, sizeof t->trace->opts, "%s", text);
}
static void tn_trace_pass(tiny_ctx *t, const char *pass, const char *text) {
  if (!tn_trace_passes(t)) return;
  const unsigned long long key = t->trace->key;
  const char *const kernel = t->trace->kernel;
  tn_event_now(t, "i", "pass", t->trace->passes++ ? pass : "scheduled");
  tn_event_add(t, "\"kernel\":\"%016llx\",\"name\":\"%s\",\"text\":", key, kernel);
  tn_event_text(t, text);
  tn_event_end(t);
}

// ** the file **

// Of the first name that nobody is writing. 0: there is none, or no memory.
static int tn_trace_open(tiny_ctx *t, const char *path) {
  char name[TN_OS_PATH];
  struct tn_trace *r = (struct tn_trace *)tiny_realloc(t, NULL, 0, sizeof *r);
  int opened = TN_OS_TAKEN;
  for (int i = 1; r && i <= TN_TRACE_FILES && opened == TN_OS_TAKEN; i++) {
    const int n = i > 1 ? snprintf(name, sizeof name, "%s.%d", path, i) : snprintf(name, sizeof name, "%s", path);
    opened = n > 0 && (size_t)n < sizeof name ? tn_os_open_growing(name, &r->file) : TN_OS_CLOSED;
  }
  if (!r || opened != TN_OS_OPENED) { tn_release(t, r, sizeof *r); return 0; }
  r->process = tn_os_process_id();
  r->failed = 0; r->n = 0; r->told = TINY_OK; r->kernel = NULL;
  t->trace = r;
  tn_event_put(t, "[\n", 2);
  return 1;
}
// 0: not all of it could be written.
static int tn_trace_close(tiny_ctx *t) {
  struct tn_trace *r = t->trace;
  if (!r) return 1;
  if (!r->failed) {
    tn_event_error(t);
    tn_event_add(t, "{\"ph\":\"M\",\"pid\":1,\"tid\":0,\"name\":\"end\",\"args\":{}}\n]\n");
    tn_trace_flush(t);
  }
  const int child = r->process != tn_os_process_id(), whole = tn_os_close(r->file) && !r->failed;
  t->trace = NULL;
  tn_release(t, r, sizeof *r);
  if (!whole && !child) tn_log(t, "tiny: the trace cannot be written any more, and ends");
  return whole || child;
}
#endif // TINY_NO_DISK
#endif

// observe: what tensors are called, and what a program does: traces, profiles.
// ** names, profiles, traces ****************************************************************** >>observe

// Names x, and what was made for it down to tensors that are computed or have a name of their own; within a scope
// "SCOPE/name". Returns x. Text is copied, and stays until tiny_close. Names reach messages, debug letters k, l and s,
// profiles and traces, and change nothing that is computed: no kernel is compiled, no graph planned because of them.
// Where equal operators gave one tensor, the last name counts. "" is none; of a name with its scopes 255 bytes stay.
// TINY_E_ARG: name is NULL.
TINY_API tiny_tensor *tiny_label(tiny_tensor *x, const char *name);
// What x is called, "encoder/block0/attention"; "" for what has no name. Valid until tiny_close.
TINY_API const char *tiny_label_of(const tiny_tensor *x);
// Names what is made from now on until tiny_scope_end, as far as tiny_label does not; scopes nest: "encoder/block0".
// What tiny_grad makes for it is "encoder/block0 (backward)". Errors tell the innermost scope. A tensor that was made
// before keeps its name. "" changes nothing. TINY_E_ARG: name is NULL.
TINY_API tiny_code    tiny_scope_begin(tiny_ctx *t, const char *name);
// TINY_E_STATE: no scope is open.
TINY_API tiny_code    tiny_scope_end(tiny_ctx *t);

// What the clock of traces and profiles shows: ns since some moment, never less than before. Any thread may ask.
TINY_API uint64_t     tiny_now_ns(void);

// Adds up the time of launches from now on, from zero. Results that nobody holds go now, and until tiny_profile_end
// when a frame ends: the same graph in the next frame is computed again, where else what is there is taken. Launches
// are not waited for where devices tell when they ran, as the CPU does; it costs about 100 ns a launch. TINY_E_MEMORY.
TINY_API tiny_code    tiny_profile_begin(tiny_ctx *t);
// Waits for the devices; what was added up stays for tables until tiny_profile_begin. TINY_E_STATE: it was not called.
TINY_API tiny_code    tiny_profile_end(tiny_ctx *t);
// What a row of a profile is of: a name (tiny_label, tiny_scope_begin), a kernel, or what kernels do: "matmul", "conv",
// "reduce", "elementwise", "copy", "loops" (scans and other kernels whose iterations are in order), "custom".
typedef enum tiny_profile_by { TINY_BY_LABEL, TINY_BY_KERNEL, TINY_BY_OPERATOR } tiny_profile_by;
// A row, valid during the call that is given it.
typedef struct tiny_profile_row {
  const char *name, *label, *kind;         // label, kind: of all its launches; "" where they differ, or have none
  uint64_t launches, ns;                   // of all of them together, as the rest
  double share;                            // of the time of all rows: 0 to 1
  double flops, nbytes;                    // as estimated from the kernels, by the memory they touch
  double gflops, gbps;                     // per second
  // Of the machine's limit: the least time that its arithmetic, or else its memory, needs for this, by what it took.
  // The limits are measured when they are first asked for, in some 100 ms: a product of f32 matrices, and the sum of
  // 64 MB, or of what max_nbytes leaves. What lies in caches, or is computed by matrix units of narrow types, may be
  // beyond 1. 0: not known.
  double of_limit;
} tiny_profile_row;
// Calls row for each, those that took longest first; what ran so far counts, also before tiny_profile_end. t is not to
// be used meanwhile. TINY_E_STATE: tiny_profile_begin was not called; TINY_E_ARG: row is NULL, by is none.
TINY_API tiny_code    tiny_profile_rows(tiny_ctx *t, tiny_profile_by by,
                                        void (*row)(void *user, const tiny_profile_row *row), void *user);
// Row number i of these, from 0: *row, whose texts stay until the next launch; zeros and 0 where there are not as many.
TINY_API int          tiny_profile_get(tiny_ctx *t, tiny_profile_by by, int i, tiny_profile_row *row);
// The same as a table. As snprintf: writes up to nbytes with the 0 at the end, returns the length needed; 0 after an
// error.
TINY_API size_t       tiny_profile_text(tiny_ctx *t, tiny_profile_by by, char *out, size_t nbytes);
// What a captured program does, as a table: of each kernel its name, what it does, what it stores, how many parameters
// it is the first to use (elements of memory that the program is bound to), arithmetic and memory; then the sums, what
// comes in and out, and the memory of all of it. As snprintf; 0 for NULL and after TINY_E_MEMORY.
TINY_API size_t       tiny_program_summary(const tiny_program *p, char *out, size_t nbytes);

// Writes what happens from now on into a file, in Chrome's Trace Event Format, which chrome://tracing and
// https://ui.perfetto.dev show: graphs before and after planning, kernels with their source, schedules and their
// memory, launches with their times on every thread. $TINY_TRACE or tiny_desc.trace begin it with the context. Waits
// for the devices, once: launches are not waited for. What the file was is gone; where another context is writing it,
// the name gets ".2". TINY_E_IO: it cannot be written; TINY_E_STATE: a trace is being written.
TINY_API tiny_code    tiny_trace_begin(tiny_ctx *t, const char *path);
// Waits for the devices and closes the file; tiny_close does it too. TINY_E_IO: not all of it could be written;
// TINY_E_STATE: no trace is being written. A file that cannot be written any more ends the trace by itself, with a
// line in the log.
TINY_API tiny_code    tiny_trace_end(tiny_ctx *t);

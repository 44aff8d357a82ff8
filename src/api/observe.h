// observe: what tensors are called, and what a program does: traces, profiles.
// ** names, profiles, traces ****************************************************************** >>observe

// Names x, and what was made for it down to tensors that are computed or have a name of their own; within a scope
// "SCOPE/name". Returns x. Text is copied, and stays until tiny_close. Names reach messages, debug letters k, l and s,
// profiles and traces, and change nothing that is computed: no kernel is compiled, no graph planned because of them.
// Where equal operators gave one tensor, the last name counts. "" is none. TINY_E_ARG: name is NULL.
TINY_API tiny_tensor *tiny_label(tiny_tensor *x, const char *name);
// What x is called, "encoder/block0/attention"; "" for what has no name. Valid until tiny_close.
TINY_API const char *tiny_label_of(const tiny_tensor *x);
// Names what is made from now on until tiny_scope_end, as far as tiny_label does not; scopes nest: "encoder/block0".
// What tiny_grad makes for it is "encoder/block0 (backward)". Errors tell the innermost scope. A tensor that was made
// before keeps its name. "" changes nothing. TINY_E_ARG: name is NULL.
TINY_API tiny_code    tiny_scope_begin(tiny_ctx *t, const char *name);
// TINY_E_STATE: no scope is open.
TINY_API tiny_code    tiny_scope_end(tiny_ctx *t);

// Writes what happens from now on into a file, in Chrome's Trace Event Format, which chrome://tracing and
// https://ui.perfetto.dev show: graphs before and after planning, kernels with their source, schedules and their memory,
// launches with their times on every thread. $TINY_TRACE or tiny_desc.trace begin it with the context. Waits for the
// devices, once: launches are not waited for. What the file was is gone; where another context is writing it, the name
// gets ".2". TINY_E_IO: it cannot be written; TINY_E_STATE: a trace is being written.
TINY_API tiny_code    tiny_trace_begin(tiny_ctx *t, const char *path);
// Waits for the devices and closes the file; tiny_close does it too. TINY_E_IO: not all of it could be written;
// TINY_E_STATE: no trace is being written. A file that cannot be written any more ends the trace by itself, with a line
// in the log.
TINY_API tiny_code    tiny_trace_end(tiny_ctx *t);

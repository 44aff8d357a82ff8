// look: tensors, parameters and graphs as text, for people and for other programs.
// ** looking ********************************************************************************** >>look

// How a tensor is written. Zeros: as NumPy does, below a line of shape, dtype and device.
typedef struct tiny_text_desc {
  const char *name;                        // in front of that line; NULL: nothing
  int bare;                                // 1: the elements alone
  int precision;                           // most digits behind the point, up to 100; 0: 8, negative: none
  int64_t threshold;                       // of more elements than these the inner ones are left out; 0: 1000
  int edge;                                // how many of each dim stay at both ends then; 0: 3
  int width;                               // columns of a line; 0: 75
  int suppress;                            // 1: small numbers do not ask for exponents, 0.00001234 [numpy suppress]
} tiny_text_desc;

// x as text, as numpy.array2string has it; with f8, bf16 and lengths. As snprintf: writes up to nbytes with the 0 at
// the end, returns the length needed; 0 after an error. What is not computed is realized, as by tiny_read; of large
// tensors only what is shown is copied. d may be NULL. Of a length what is meant now is shown. Floats are written with
// the fewest digits that tell them from others of their dtype. What cannot be used is told, and is no new error:
// "<NULL>", "<poison: MESSAGE>", "<a tensor that was freed by tiny_free>".
TINY_API size_t      tiny_to_text(tiny_tensor *x, const tiny_text_desc *d, char *out, size_t nbytes);
// Prints x to stdout with all defaults, and ends the line. The code of what went wrong; what cannot be used is told.
TINY_API tiny_code   tiny_print(tiny_tensor *x);
// The same with a name in front: "loss: () f32 on CPU". name may be NULL.
TINY_API tiny_code   tiny_print_named(const char *name, tiny_tensor *x);

#ifndef TINY_NO_INTERP
// Where the first NaN of x is made, as tiny_to_text gives text: the operation and the numbers that it was given, the
// element, and the label of what it belongs to: "LOG2(-0.5) at [0,3] of (100,32) f32, scale". Operations are those of
// the graph: tiny_log is a LOG2 and a MUL. "memory at [..] ..": it came with what was computed or given before, or x
// was computed, of what is overwritten by now. Of several devices " on CPU:1" says on which it was; of a split tensor
// places are those within the part. 0: x has no NaN, or there is an error. Everything that x needs is interpreted, as
// by tiny_reference: slow, and x may be a gradient. NULL and poison: 0. [torch.autograd.set_detect_anomaly]
TINY_API size_t      tiny_find_nan(tiny_tensor *x, char *out, size_t nbytes);
#endif

#ifndef TINY_NO_NN
// A table of the tensors in a list, as tiny_to_text gives text: a row for each layer (names up to their last dot) with
// its parameters, how many are trained, bytes, dtypes and the shape of each tensor, then totals. A tensor of several
// names counts once, by the first. p may be NULL: none.
TINY_API size_t      tiny_params_summary(const tiny_params *p, char *out, size_t nbytes);
#endif

// The graph that x[0..n-1] are computed by, in the language of Graphviz (dot -Tsvg), as tiny_to_text gives text: nodes
// with op, arguments, dtype, shape and name, constants within those that use them, what lies in memory filled. Nothing
// runs. 0 after an error: n < 1, a tensor that cannot be used.
TINY_API size_t      tiny_graph_dot(tiny_tensor *const *x, int n, char *out, size_t nbytes);
// The same as JSON, sources before their users:
//     {"version":1,"nodes":[{"id":2,"op":"REDUCE","dtype":"f32","shape":[2,1],"src":[1],"arg":"ADD:axes=1"}, ..],
//      "roots":[2]}
// arg as tiny_uop_print writes it; what lies in memory has "memory":"CPU" besides, what is named "label":"NAME".
TINY_API size_t      tiny_graph_json(tiny_tensor *const *x, int n, char *out, size_t nbytes);

// graph_text: graphs for other programs: a row of JSON for each node, and the language of Graphviz.
//
// In:  roots, which may share nodes, of a graph of any depth. Out: text; each node once, sources before users, known by
//      its place in that order. Linear in the nodes and their sources.
//
//   {"id":2,"op":"REDUCE","dtype":"f32","shape":[2,1],"src":[1],"arg":"ADD:axes=1"}
//
// dtype is that of the notation (ir/print.c), f32x4 for four lanes, and so is arg, what an op is told besides its
// sources; shape is empty for nodes of kernels. Where the value lies in memory "memory" says on which device.
#ifndef TN_IR_GRAPH_TEXT
#define TN_IR_GRAPH_TEXT
#ifndef TINY_AMALGAMATED
#include "print.c"
#endif

// The nodes in order, 1 + the place of each, and room for a text.
typedef struct tn_graph_order { tn_list nodes; tn_map place; tiny_bytes arg; } tn_graph_order;

static tn_graph_order tn_graph_order_of(tiny_ctx *t, tiny_uop *const *roots, int n) {
  tn_graph_order g = {{NULL, 0, 0}, {NULL, 0, 0}, {t, NULL, 0, 0}};
  const uint32_t seen = ++t->ir->epoch;
  for (int i = 0; i < n; i++) tn_collect_unseen(t, roots[i], TINY_OP_COUNT, seen, &g.nodes);
  for (int i = 0; i < g.nodes.n; i++) tn_map_set(t, &g.place, g.nodes.u[i], (void *)(intptr_t)(i + 1));
  return g;
}
static int tn_graph_place(const tn_graph_order *g, const tiny_uop *u) {
  return (int)(intptr_t)tn_map_get(&g->place, u) - 1;
}
// What u is told besides its sources, until the next call: "ADD:axes=1", "[2 3]", "0.5".
static const char *tn_graph_arg(tn_graph_order *g, const tiny_uop *u) {
  g->arg.n = 0;
  tn_print_arg(&g->arg, u);
  tn_print_v(&g->arg, u);
  return g->arg.n ? g->arg.data + 1 : "";  // behind the ':' or ' ' that separates it in the notation
}
// Where u lies, a leaf. What is made of no memory belongs to no device; what it was computed into does.
static const char *tn_graph_memory(const tiny_ctx *t, const tiny_uop *u) {
  return tn_place_name(t, (u->realized ? u->realized : u)->device);
}
static void tn_graph_dtype(tiny_bytes *out, const tiny_uop *u) {
  tn_text_put(out, tiny_dtype_name((tiny_dtype)u->dtype));
  if (u->lanes != 1) tn_text_add(out, "x%d", u->lanes);
}

// ** JSON **

static void tn_graph_json_node(tn_graph_order *g, int id, tiny_bytes *out) {
  const tiny_uop *u = g->nodes.u[id];
  tn_text_add(out, "{\"id\":%d,\"op\":\"%s\",\"dtype\":\"", id, tiny_op_name(u->op));
  tn_graph_dtype(out, u);
  tn_text_put(out, "\",\"shape\":[");
  for (int i = 0; i < u->ndim; i++) tn_text_add(out, i ? ",%lld" : "%lld", (long long)u->dim[i]);
  tn_text_put(out, "],\"src\":[");
  for (uint32_t i = 0; i < u->nsrc && tn_graph_place(g, u->src[0]) >= 0; i++)      // else the walk ended at u
    tn_text_add(out, i ? ",%d" : "%d", tn_graph_place(g, u->src[i]));
  tn_text_put(out, "],\"arg\":");
  tn_json_text(out, tn_graph_arg(g, u));
  if (tn_is_leaf(u)) {
    tn_text_put(out, ",\"memory\":");
    tn_json_text(out, tn_graph_memory(out->t, u));
  }
  if (tn_label_of(out->t, u)) {
    tn_text_put(out, ",\"label\":");
    tn_json_text(out, tn_label_text(out->t, tn_label_of(out->t, u)));
  }
  tn_text_put(out, "}");
}
// The array of rows of what the roots need; the order in which they stand. Heavy code only, and between walks: marks of
// nodes change.
static tn_graph_order tn_graph_json_nodes(tiny_ctx *t, tiny_uop *const *roots, int n, tiny_bytes *out) {
  tn_graph_order g = tn_graph_order_of(t, roots, n);
  tn_text_put(out, "[");
  for (int i = 0; i < g.nodes.n; i++) {
    tn_text_put(out, i ? ",\n" : "\n");
    tn_graph_json_node(&g, i, out);
  }
  tn_text_put(out, "\n]");
  return g;
}
// {"version":1,"nodes":[..],"roots":[ids]}
static void tn_graph_json(tiny_ctx *t, tiny_uop *const *roots, int n, tiny_bytes *out) {
  tn_text_put(out, "{\"version\":1,\"nodes\":");
  const tn_graph_order g = tn_graph_json_nodes(t, roots, n, out);
  tn_text_put(out, ",\"roots\":[");
  for (int i = 0; i < n; i++) tn_text_add(out, i ? ",%d" : "%d", tn_graph_place(&g, roots[i]));
  tn_text_put(out, "]}\n");
}

// ** Graphviz: https://graphviz.org/doc/info/lang.html **

// A string of it, without its quotes: & begins entities there. What is no character becomes U+FFFD.
static void tn_graph_dot_text(tiny_bytes *out, const char *text) {
  for (size_t left = strlen(text), n; left; left -= n, text += n) {
    const int utf8 = tn_utf8_length((const unsigned char *)text, left);
    n = utf8 ? (size_t)utf8 : 1;
    if (*text == '\n') tn_text_put(out, "\\n");
    else if (*text == '&') tn_text_put(out, "&amp;");
    else if (!utf8 || (unsigned char)*text < ' ') tn_text_put(out, "\xef\xbf\xbd");
    else {
      if (*text == '"' || *text == '\\') tn_text_put(out, "\\");
      tiny_bytes_add(out, text, n);
    }
  }
}
// A constant stands in the labels of those that use it, unless somebody asks for it.
static int tn_graph_is_inside(const tiny_uop *u) { return tn_print_short(u) && !u->nsrc; }

// "WHERE x x 0.0": where sources are constants, all of them in order, those of edges as x.
static void tn_graph_dot_sources(tn_graph_order *g, const tiny_uop *u, tiny_bytes *out) {
  int constants = 0;
  for (uint32_t i = 0; i < u->nsrc; i++) constants += tn_graph_is_inside(u->src[i]);
  for (uint32_t i = 0; i < u->nsrc && constants; i++) {
    tn_text_put(out, " ");
    tn_graph_dot_text(out, tn_graph_is_inside(u->src[i]) ? tn_graph_arg(g, u->src[i]) : "x");
  }
}
static void tn_graph_dot_node(tn_graph_order *g, int id, tiny_bytes *out) {
  const tiny_uop *u = g->nodes.u[id];
  char shape[256];
  tn_text_add(out, "  n%d [label=\"%s", id, tiny_op_name(u->op));
  const char *arg = tn_graph_arg(g, u);
  tn_text_put(out, *arg ? " " : "");
  tn_graph_dot_text(out, arg);
  tn_graph_dot_sources(g, u, out);
  if (u->dtype != TINY_VOID) {
    tn_text_put(out, "\\n");
    tn_graph_dtype(out, u);
    if (u->ndim) tn_text_add(out, " %s", tn_dims_text(shape, sizeof shape, u->ndim, u->dim));
  }
  const char *label = tn_label_text(out->t, tn_label_of(out->t, u));
  tn_text_put(out, *label ? "\\n" : "");
  tn_graph_dot_text(out, label);
  if (tn_is_leaf(u)) {
    tn_text_put(out, "\\nin memory of ");
    tn_graph_dot_text(out, tn_graph_memory(out->t, u));
    tn_text_put(out, "\", shape=box, style=filled, fillcolor=\"#dce8f5");
  }
  tn_text_put(out, "\"];\n");
  for (uint32_t i = 0; i < u->nsrc; i++)
    if (!tn_graph_is_inside(u->src[i])) tn_text_add(out, "  n%d -> n%d;\n", tn_graph_place(g, u->src[i]), id);
}
static void tn_graph_dot(tiny_ctx *t, tiny_uop *const *roots, int n, tiny_bytes *out) {
  tn_graph_order g = tn_graph_order_of(t, roots, n);
  const uint32_t root = ++t->ir->epoch;
  for (int i = 0; i < n; i++) roots[i]->mark = root;
  tn_text_put(out, "digraph tiny {\n  ordering=in;\n  node [shape=box, style=rounded, fontname=\"monospace\"];\n");
  for (int i = 0; i < g.nodes.n; i++)
    if (!tn_graph_is_inside(g.nodes.u[i]) || g.nodes.u[i]->mark == root) tn_graph_dot_node(&g, i, out);
  for (int i = 0; i < n; i++) tn_text_add(out, "  n%d [penwidth=2];\n", tn_graph_place(&g, roots[i]));
  tn_text_put(out, "}\n");
}
#endif

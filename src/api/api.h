// api.h: everything a user may call, in the order he meets it.
//
// Conventions, stated once:
//  - Shapes are written outermost first; strides count elements; sizes named nbytes count bytes.
//  - A failed call returns the context's poisoned tensor, which every operator passes through; the first
//    error stays with the context (tiny_status, tiny_error) until tiny_clear. Nothing ever aborts the host.
//  - A context and its tensors belong to one thread at a time. Contexts share nothing.
//  - In every descriptor struct zero means default, and a NULL descriptor means all defaults.
//  - Operators are lazy: they check their arguments and build graph nodes, at about 0.1 microseconds a node: relu 0.1,
//    add 0.25, softmax 1.5, gelu, whose erf is a polynomial of sixty nodes, 5 microseconds; series and
//    factorisations are more nodes: lgamma 0.1, igamma, svd and matrix_exp about 1 millisecond.
//  - Tensors belong to their context. One made between tiny_begin and tiny_end dies at tiny_end unless
//    tiny_keep was called; one made outside of a frame lives until tiny_free or tiny_close.
#include "core.h"
#ifndef TINY_RUNTIME_ONLY
#include "devices.h"
#include "operators.h"
#include "linalg.h"
#include "nn.h"
#include "modules.h"
#include "train.h"
#include "look.h"
#include "io.h"
#include "data.h"
#endif
#include "device.h"
#include "ship.h"
#ifndef TINY_RUNTIME_ONLY
#include "observe.h"
#endif

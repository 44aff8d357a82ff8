// costs: what operations, loads, loops, tasks and copies are worth: the one table of prices of the library.
//
// The model: an element costs its operations and its loads (tn_op_cost, tn_load_cost). A loop's body costs as much, or
//            what its sums wait for each other (tn_body_cost). A kernel costs its loops, lines of memory and tasks.
// Holds:     whoever chooses asks this, each what he sees: rangeify and sums elements of a graph, the tile's search one
//            loop in microseconds, cost.c a whole kernel with its caches. None has a price or a formula of its own.
// Unit:      an instruction of a full-width vector, one a cycle (Fog, Instruction tables, 2023: Skylake-X and Zen 4),
//            unless told otherwise. A price is the same for all machines: lines, caches and lanes are machine.c's.
// Each was set by what it names: rows of `make bench` by their section, or a commit that holds the measurements.
#ifndef TN_MACHINE_COSTS
#define TN_MACHINE_COSTS
#ifndef TINY_AMALGAMATED
#include "machine.c"
#include "../ir/uop.c"
#endif

// ** operations **

static double tn_op_cost(const tiny_uop *u) {
  switch (u->op) {
    case TINY_OP_EXP2: case TINY_OP_LOG2: return 12;         // polynomials: rules/transcendental.c
    case TINY_OP_SIN: case TINY_OP_POW: return 30;
    case TINY_OP_THREEFRY: return 80;                        // 20 rounds of 3, and keys
    case TINY_OP_FDIV: case TINY_OP_SQRT: return 4;
    case TINY_OP_IDIV: case TINY_OP_MOD: return 6;
    default: return tn_op_is(u->op, TINY_ALU) ? 1 : 0;
  }
}

// ** loads and stores **

enum { TN_DEINTERLEAVE = 4 };              // greatest step of a strided load that is made of vector loads
#define TN_UNIFORM_LOAD      0.5           // of one element for all lanes: a multiply-add takes it from memory
#define TN_DEINTERLEAVED_LOAD 1.5          // of every n-th element, times n, n <= TN_DEINTERLEAVE: loads and shuffles
#define TN_STRIDED_LOAD      0.8           // of a lane, elements apart: section m, transposed operands
#define TN_GATHERED_LOAD     2.0           // of a lane, where is known at run time only: bench/cost ranks
#define TN_NEXT_LOAD         0.95          // of a load, for one beside another: they share lines or pages (b6b8403)
#define TN_CONFLICTING_LOAD  1.4           // of a load of rows that push each other out of the nearest cache (9bcf5e2)
#define TN_FAR_ROW           1.0           // loads more, to begin a row that lies pages from the last (e409d2a)
#define TN_STORE             2.0           // of a load: a core stores half as often
#define TN_SCATTERED_STORE   2.2           // of a lane, elements apart (6108a9b)
#define TN_MASKED_LANES      2.0           // of a load or store, lanes masked each for itself: bench/cost ranks
#define TN_MASKED_ALL        0.5           // the same for all lanes

// A load of so many lanes, stride elements apart: of `vectors` vectors where they lie together.
static double tn_load_cost(int64_t stride, double lanes, double vectors) {
  if (!stride) return TN_UNIFORM_LOAD;
  if (stride == 1) return vectors;
  if (stride > 0 && stride <= TN_DEINTERLEAVE) return TN_DEINTERLEAVED_LOAD * (double)stride * vectors;
  return TN_STRIDED_LOAD * lanes;
}

// ** sums, loops, tasks **

#define TN_SUM_WAIT          4.0           // cycles until an accumulator can be added to again
#define TN_HREDUCE_COST      10.0          // of the lanes of a vector to one number (703d0b4)
#define TN_LOOP_COST         1.5           // of a loop's own, each iteration: counts, compares, jumps
#define TN_KBLOCK_COST       3.0           // of a sum that lies in memory between K blocks: loaded, added, stored
#define TN_SPILL_COST        3.0           // of a value that no register is left for, each step
#define TN_MEMORY_SHARE      0.3           // of the lesser of computing and memory: it hides, but not all
#define TN_TASK_COST         2000.0        // cycles to hand a task to a thread: section k

// Cycles of a loop's body: its instructions; where its sums are few, what they wait for each other.
static double tn_body_cost(double arithmetic, double loads, double wait) {
  return arithmetic + loads > wait ? arithmetic + loads : wait;
}

// ** products on a grid, tile by tile **

// Items: each has NEAR x copies elements along each side of a tile, SIDE items of a group each. Rates are of a unit, in
// its cycles: but for flops, what bench/gpu.h has of H100, A100, MI300X and RX 7900 XTX is half to twice as much.
enum {
  TN_TILE_SIDE = 16, TN_TILE_NEAR = 4,
  TN_TILE_MANY = 128,                      // registers of an item, from which it has more copies
  TN_TILE_STEP = 9,                        // instructions of a step of K beside products and loads, as counted
  TN_ISSUE = 4                             // instructions of warps in a cycle
};
#define TN_UNIT_FLOPS     4096.0           // of matrices: H100's, the most, so that few products are cut
#define TN_SHARED_RATE     128.0           // bytes of shared memory, a cache, memory
#define TN_CACHE_RATE       24.0
#define TN_MEMORY_RATE      10.0
#define TN_LAUNCH         5500.0           // cycles until another kernel runs
static const int64_t tn_tile_copies[4][2] = {{2, 2}, {2, 1}, {1, 2}, {1, 1}};

// A tile: cycles that a step of K takes of a unit; bytes that it reads of the operands.
typedef struct tn_tile_price { int64_t rows, columns; double step, nbytes; } tn_tile_price;

static tn_tile_price tn_tile_of_items(const tiny_limits *limits, const int64_t *copies) {
  const int64_t m = TN_TILE_NEAR * copies[0], n = TN_TILE_NEAR * copies[1], side = TN_TILE_SIDE;
  tn_tile_price x = {side * m, side * n, 0, (double)(side * (m + n)) * 4};
  x.step = (double)((m * n + copies[0] + copies[1] + TN_TILE_STEP) * side * side) /
      (double)(tn_machine_warp(limits) * TN_ISSUE);
  return x;
}

// Warps of a group along rows and columns, and a warp's rows and columns, where a unit of warps does the products. A
// group is four warps, two by two. Of large outputs a warp has 64 x 64 elements, whose operands' words are read from
// memory of the group half as often as by 32 x 32, and which 128 registers of an item of 32 hold: NVIDIA's and AMD's
// have 255 and more, Apple's no more than these (MLX, steel/matmul.metal, has 32 x 32 as well).
typedef struct tn_warp_shape { int64_t warps[2], side[2]; } tn_warp_shape;
enum {
  TN_WARP_SIDE = 32, TN_WARP_LARGE = 64,   // rows and columns of a warp
  TN_WARP_SIDES = 2,                       // warps of a group along each side
  TN_WARP_GROUPS = 64                      // of large tiles, from which they are many enough
};

static int64_t tn_tiles(int64_t n, int64_t side) { return (n + side - 1) / side; }

// Where products take all columns at once all warps stand along rows: what they read of a is not read again, and four
// of them read b together. The first that every unit of the machine has groups of. Of units that take all rows as well
// 128 are as soon done as 64 (PTX ISA, tcgen05.mma: a row for each lane of Tensor Memory).
static tn_warp_shape tn_warp_shape_at_once(const tiny_limits *limits, int64_t rows, int64_t columns, int64_t others,
                                           int large, int boxes) {
  static const tn_warp_shape all[2][3] = {{{{8, 1}, {16, 256}}, {{4, 1}, {32, 128}}, {{4, 1}, {16, 64}}},
                                          {{{8, 1}, {32, 128}}, {{4, 1}, {32, 128}}, {{4, 1}, {16, 64}}}},
                             of_boxes = {{8, 1}, {16, 128}};       // which four warps have 64 rows of
  const tn_warp_shape *shapes = all[limits->unit_rows > 1];
  int i = large ? 0 : 2;
  for (; i < 2; i++) {
    const tn_warp_shape *x = i && boxes && limits->unit_rows < 2 ? &of_boxes : &shapes[i];
    const int64_t least = i ? (int64_t)TN_WARP_GROUPS : tn_machine_units(limits),
                  groups = tn_tiles(rows, x->warps[0] * x->side[0]) * tn_tiles(columns, x->side[1]) * others;
    if (x->side[1] <= 8 * (int64_t)limits->unit_tiles && columns > x->side[1] / 2 && groups >= least) return *x;
  }
  return shapes[i];
}

// As many as leave enough groups, and no more than there are. large: registers of an item may hold the larger tiles;
// boxes: operands are such (codegen/boxes.c).
static tn_warp_shape tn_warp_shape_of(const tiny_limits *limits, int64_t rows, int64_t columns, int64_t others,
                                      int large, int boxes) {
  const int64_t block = TN_WARP_SIDES * TN_WARP_LARGE, n[2] = {rows, columns},
                groups = tn_tiles(rows, block) * tn_tiles(columns, block) * others;
  tn_warp_shape shape = {{TN_WARP_SIDES, TN_WARP_SIDES}, {TN_WARP_SIDE, TN_WARP_SIDE}};
  if (limits->unit_tiles) return tn_warp_shape_at_once(limits, rows, columns, others, large, boxes);
  large &= groups >= TN_WARP_GROUPS && tn_machine_registers(limits) > TN_TILE_MANY;
  for (int i = 0; i < 2; i++) if (large && n[i] > TN_WARP_LARGE) shape.side[i] = TN_WARP_LARGE;
  return shape;
}

// Of elements of so many bytes. Warps read what they multiply from memory of the group, into which it has been copied.
static tn_tile_price tn_tile_of_warps(const tn_warp_shape *shape, int nbytes, int at_once) {
  const int64_t rows = shape->warps[0] * shape->side[0], columns = shape->warps[1] * shape->side[1],
                read = at_once ? rows + columns : rows * shape->warps[1] + columns * shape->warps[0];
  tn_tile_price x = {rows, columns, 0, (double)((rows + columns) * nbytes)};
  const double moved = (double)((read + rows + columns) * nbytes) / TN_SHARED_RATE,
               multiplied = 2.0 * (double)(rows * columns) / TN_UNIT_FLOPS;
  x.step = moved > multiplied ? moved : multiplied;
  return x;
}

// What `others` products of so many rows and columns take, in cycles of a step of K: tiles that a unit does one after
// the other, or what all of them read.
static double tn_tiles_cost(const tiny_limits *limits, int64_t rows, int64_t columns, int64_t others,
                            const tn_tile_price *tile) {
  const int64_t units = tn_machine_units(limits),
                tiles = tn_tiles(rows, tile->rows) * tn_tiles(columns, tile->columns) * others;
  const double turns = (double)tn_tiles(tiles, units) * tile->step,
               read = (double)tiles * tile->nbytes / ((double)units * TN_CACHE_RATE);
  return turns > read ? turns : read;
}

// others products of rows x columns sums of k; unit_nbytes: of an element of what a unit of warps multiplies, 0: items
// do it.
typedef struct tn_tiled_product { int64_t rows, columns, others, k; int unit_nbytes; } tn_tiled_product;

// The same of the tiles that it gets, where each sum is cut into so many parts.
static double tn_cut_product_step(const tiny_limits *limits, const tn_tiled_product *x, int64_t parts) {
  const int first = tn_machine_registers(limits) >= TN_TILE_MANY ? 0 : 3;
  double least = 0;
  if (x->unit_nbytes) {
    const tn_warp_shape shape = tn_warp_shape_of(limits, x->rows, x->columns, x->others * parts, 1, 0);
    const tn_tile_price tile = tn_tile_of_warps(&shape, x->unit_nbytes, limits->unit_tiles != 0);
    return tn_tiles_cost(limits, x->rows, x->columns, x->others * parts, &tile);
  }
  for (int i = first; i < 4; i++) {
    const tn_tile_price tile = tn_tile_of_items(limits, tn_tile_copies[i]);
    const double cost = tn_tiles_cost(limits, x->rows, x->columns, x->others * parts, &tile);
    if (i == first || cost < least) least = cost;
  }
  return least;
}

// Of it all, in cycles. Parts are added to memory that another kernel has cleared, each a way to the last cache and
// back, or stored for another kernel that adds them in order.
static double tn_cut_product_cost(const tiny_limits *limits, const tn_tiled_product *x, int64_t parts, int adds) {
  const double cost = (double)tn_tiles(x->k, parts) * tn_cut_product_step(limits, x, parts),
               share = 4.0 * (double)(x->rows * x->columns * x->others) / (double)tn_machine_units(limits);
  if (parts == 1) return cost;
  if (adds) return cost + TN_LAUNCH + share / TN_MEMORY_RATE + 2 * share * (double)parts / TN_CACHE_RATE;
  return cost + TN_LAUNCH + 2 * share * (double)parts / TN_MEMORY_RATE;
}

// Scatters on a grid. Items look at all summands for those of their group's tile (codegen/scatter.c), or take them one
// after the other, or all at once where the last cache adds.
enum {
  TN_SCATTER_TILE_ITEMS = 128, TN_SCATTER_TILE_ROOM = 1 << 16,         // of a group at least; bytes of its tiles
  TN_SCATTER_TILE_ROWS = 8,                     // of a tile, below which units may be idle
  TN_SCATTER_LOOK = 12,                    // instructions of a warp for a summand of each item, by count
  TN_SCATTER_TURN = 127                    // cycles of a summand that is added after another: the same, by columns
};

#ifndef TN_SCATTER_ADDED                   // test builds make it small
  #define TN_SCATTER_ADDED 1               // cycles of a summand that the last cache adds to the same element
#endif

// A tile that groups have of places x width x others elements: as many rows as there is memory for and as leave most
// units a group, columns of a warp. Then as many items as there is memory for.
typedef struct tn_scatter_size { int64_t rows, columns, items, groups; } tn_scatter_size;

static tn_scatter_size tn_scatter_size_of(const tiny_limits *limits, int64_t places, int64_t width, int64_t others,
                                          int64_t nbytes) {
  const int64_t shared = (int64_t)limits->shared_nbytes, warp = tn_machine_warp(limits), all = tn_machine_items(limits),
                room = (shared < TN_SCATTER_TILE_ROOM ? shared : (int64_t)TN_SCATTER_TILE_ROOM) / nbytes;
  tn_scatter_size x = {1, width < warp ? width : warp, all, 0};
  if (x.items > TN_SCATTER_TILE_ITEMS) x.items = TN_SCATTER_TILE_ITEMS;
  others *= (width + x.columns - 1) / x.columns;
  while (2 * x.rows * x.items <= room && x.rows < places) {
    x.groups = (places + 2 * x.rows - 1) / (2 * x.rows) * others;
    if (x.rows >= TN_SCATTER_TILE_ROWS && 2 * x.groups < tn_machine_units(limits)) break;
    x.rows *= 2;
  }
  while (2 * x.items <= all && 2 * x.items * x.rows <= room) x.items *= 2;
  x.groups = (places + x.rows - 1) / x.rows * others;
  return x;
}

// What that takes, in cycles.
static double tn_scatter_tiles_cost(const tiny_limits *limits, const tn_scatter_size *x, double summands) {
  const int64_t units = tn_machine_units(limits), turns = (x->groups + units - 1) / units;
  return (double)turns * summands * (double)x->columns * (double)TN_SCATTER_LOOK /
      (double)(tn_machine_warp(limits) * TN_ISSUE);
}

enum {
  TN_TASK_WORK = 1 << 16,                  // elements that are worth a task: 30 times what handing it over takes
  TN_KBLOCK_PAYS = 256,                    // multiply-adds that pay for a sum's way to the cache and back: section m
  TN_LONG_AFTER = 24,                      // after a sum, from which it is not copied for every sum (703d0b4)
  TN_REUSE_COST = 10,                      // of what a row's passes share, from which it is kept: section r
  TN_NUMBER_COST = 4                       // of what is one number for each row, from which lanes compute it: section r
};

// ** graphs: compute again, or store **

enum {
  TN_INPUT_COST = 4,                       // of an element that is read again, from memory
  TN_STORE_COST = 24,                      // of an element that is written, and read by another kernel: section r
  TN_STORE_APART = 40,                     // the same for one kernel alone, which would become two
  TN_KERNEL_COST = 4096,                   // of all elements together, from which a kernel more may pay: section k
  TN_MASK_COST = 16,                       // of an element of positions, below which every kernel makes its own
  TN_PAD_REUSE = 4,                        // reads of an element from which a padded copy pays: section n
  TN_PANEL_COST = 40                       // of a copied element, in multiply-adds of single lanes (6108a9b)
};
#define TN_PANEL_WASTE       1.05          // what panels cost beside the copy, of the sum (6108a9b)
#define TN_PANEL_APART       1.25          // of what rows cost whose elements are read apart from each other (9bcf5e2)
#endif

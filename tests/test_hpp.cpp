// hpp: tiny.hpp: values, who owns what, frames, errors, training, files, programs. tests/test_hpp.sh builds it by both compilers, with and
// without exceptions, and under the address sanitizer, which sees what is freed twice or not at all.
#include "tiny.hpp"
#include "hpp_calls.h"
#include <cmath>
#include <cstdio>
#include <cstring>

static int passed, failed;
static void check(bool ok, const char *what, int line) {
  if (ok) { passed++; return; }
  failed++;
  std::printf("tests/test_hpp.cpp:%d: failed: %s\n", line, what);
}
#define CHECK(...) check(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, __LINE__)

using tiny::Context;
using tiny::Shape;
using tiny::Tensor;

static bool has(const Tensor &x, const Shape &shape, const std::vector<double> &want) {
  const std::vector<double> got = x.to_vector<double>();
  bool ok = x.ok() && x.shape() == shape && got.size() == want.size();
  for (std::size_t i = 0; i < got.size() && ok; i++) ok = got[i] == want[i] || std::fabs(got[i] - want[i]) < 1e-6;
  for (std::size_t i = 0; i < got.size() && !ok; i++) std::printf("  %g", got[i]);
  return ok;
}

// ** values **

static void check_operators(const Context &t) {
  const Tensor x = t.from(std::vector<float>{1, 2, 3, 4}, {2, 2}), y = t.from(std::vector<float>{4, 3, 2, 1}, {2, 2});
  CHECK(has(x + y, {2, 2}, {5, 5, 5, 5}));
  CHECK(has(x - y, {2, 2}, {-3, -1, 1, 3}));
  CHECK(has(x * y, {2, 2}, {4, 6, 6, 4}));
  CHECK(has(x / y, {2, 2}, {0.25, 2.0 / 3, 1.5, 4}));
  CHECK(has(x % y, {2, 2}, {1, 2, 1, 0}));
  CHECK(has(-x, {2, 2}, {-1, -2, -3, -4}));
  CHECK(has(2 * x + 1, {2, 2}, {3, 5, 7, 9}));
  CHECK(has(1 - x, {2, 2}, {0, -1, -2, -3}));
  CHECK(has(12 / x, {2, 2}, {12, 6, 4, 3}));
  CHECK(has(5 % x, {2, 2}, {0, 1, 2, 1}));
  CHECK(has(x - 0.5, {2, 2}, {0.5, 1.5, 2.5, 3.5}));
  CHECK(has(x < y, {2, 2}, {1, 1, 0, 0}) && has(x >= y, {2, 2}, {0, 0, 1, 1}) && has(x == y, {2, 2}, {0, 0, 0, 0}) && has(x != y, {2, 2}, {1, 1, 1, 1}));
  CHECK(has(x > 2, {2, 2}, {0, 0, 1, 1}) && has(2 > x, {2, 2}, {1, 0, 0, 0}) && has(3 <= x, {2, 2}, {0, 0, 1, 1}) && has(x == 2, {2, 2}, {0, 1, 0, 0}));
  CHECK(has((!(x > 2)) | (x > 3), {2, 2}, {1, 1, 0, 1}) && has((x > 1) & (x < 4), {2, 2}, {0, 1, 1, 0}) && has(~(x > 1), {2, 2}, {1, 0, 0, 0}));
  CHECK((tiny::arange(t, 0, 3, 1, TINY_I32) + 2).dtype() == TINY_I32 && (tiny::arange(t, 0, 3, 1, TINY_I32) + 2.5).dtype() == TINY_F32);
  Tensor sum = x;
  sum += y;
  sum *= 2;
  CHECK(has(sum, {2, 2}, {10, 10, 10, 10}) && has(x, {2, 2}, {1, 2, 3, 4}));
}
static void check_methods(const Context &t) {
  const Tensor x = tiny::arange(t, 0, 6).reshape({2, -1});
  CHECK(has(x.sum(), {}, {15}) && has(x.sum(0), {3}, {3, 5, 7}) && has(x.sum({0, 1}), {}, {15}) && has(x.sum({0}, true), {1, 3}, {3, 5, 7}) && has(x.sum(-1), {2}, {3, 12}));
  CHECK(has(x.mean({}), {2, 3}, {0, 1, 2, 3, 4, 5}));        // no axis at all
  CHECK(has(x.var(1), {2}, {1, 1}));
  CHECK(has(x.matmul(x.transpose(0, 1)), {2, 2}, {5, 14, 14, 50}));
  CHECK(has(x.slice(1, TINY_END, TINY_END, -1), {2, 3}, {2, 1, 0, 5, 4, 3}) && has(x.slice(1, 1), {2, 2}, {1, 2, 4, 5}));
  CHECK(has(x[1], {3}, {3, 4, 5}) && has(x[-1][0], {}, {3}) && x[1][2].item() == 5);
  CHECK(has(tiny::cat({x, x}, 0).sum(), {}, {30}) && has(tiny::stack({x[0], x[1]}, 1), {3, 2}, {0, 3, 1, 4, 2, 5}));
  CHECK(has(tiny::einsum("ij,ij->i", {x, x}), {2}, {5, 50}));
  CHECK(has(x.index({Tensor(), t.from(std::vector<int>{2, 0})}), {2, 2}, {2, 0, 5, 3}));
  const auto [most, where] = x.max(1);
  CHECK(has(most, {2}, {2, 5}) && has(where, {2}, {2, 2}));
  const auto [top, at] = x.topk(2);
  CHECK(has(top, {2, 2}, {2, 1, 5, 4}) && has(at, {2, 2}, {2, 1, 2, 1}));
  const std::vector<Tensor> parts = x.chunk(2, 1), rows = x.unbind(), halves = x.split(2, 1), sizes = x.split(std::vector<std::int64_t>{1, 2}, 1);
  CHECK(parts.size() == 2 && has(parts[1], {2, 1}, {2, 5}) && rows.size() == 2 && has(rows[1], {3}, {3, 4, 5}) && halves.size() == 2 && has(sizes[1], {2, 2}, {1, 2, 4, 5}));
  const std::vector<Tensor> grid = tiny::meshgrid({tiny::arange(t, 0, 2), tiny::arange(t, 0, 3)});
  CHECK(grid.size() == 2 && has(grid[0], {2, 3}, {0, 0, 0, 1, 1, 1}));
  CHECK(x.to(TINY_I64).dtype() == TINY_I64 && x.to(0).device() == 0 && x.nelem() == 6 && x.shape().ndim == 2 && x.shape()[1] == 3);
  CHECK(has(tiny::zeros(t, {2}), {2}, {0, 0}) && tiny::full(t, 2, {}, TINY_I8).dtype() == TINY_I8 && tiny::zeros(t, {1, 0}).nelem() == 0);
  CHECK(tiny::zeros(t, {0}).to_vector<float>().empty());
  CHECK(has((x > 2).where(x, -x), {2, 3}, {0, -1, -2, 3, 4, 5}) && has(x.clamp(1, 4), {2, 3}, {1, 1, 2, 3, 4, 4}));
  CHECK(x.to_vector<std::int64_t>() == (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5}) && x.to_vector<std::uint8_t>()[5] == 5);
  CHECK(tiny_cat(TINY_ARRAY(x.get(), x.get()), 0) && tiny_cat(TINY_ARRAY(), 0) == nullptr);              // C's macros in C++
  tiny_tensor *const both = tiny_index(x.get(), TINY_ARRAY(nullptr, tiny_full(t.get(), 1, TINY_I32, TINY_SHAPE())));
  CHECK(has(Tensor(both, t), {2}, {1, 4}));
}
static void check_words(const Context &t) {
  const Tensor x = tiny::arange(t, 0, 6).reshape({2, 3});
  CHECK(x.shape()[-1] == 3 && x.shape()[-2] == 2 && x.shape()[2] == 0 && x.shape()[-3] == 0 && Shape()[0] == 0);
  CHECK(x.shape() != Shape({2, 2}) && x.shape() != Shape({2, 3, 1}) && !(x.shape() != Shape({2, 3})));
  // numbers of every type are operands, and elements
  CHECK(has(x[0] + 1L - 1u + std::size_t(2) - 1.f + std::int8_t(1) - true, {3}, {1, 2, 3}));
  CHECK(has(t.from({1, 2, 3}), {3}, {1, 2, 3}) && t.from({1, 2}).dtype() == TINY_I32 && t.from({1.f}).dtype() == TINY_F32);
  CHECK(has(t.from({1.0, 2.0, 3.0, 4.0}, {2, 2}), {2, 2}, {1, 2, 3, 4}) && t.from({5}, {}).shape() == Shape());
  CHECK(t.from(std::vector<long>{1}).dtype() == (sizeof(long) == 8 ? TINY_I64 : TINY_I32) && t.from(std::vector<unsigned long long>{1}).dtype() == TINY_U64);
  CHECK(t.from({1LL, -1LL}).to_vector<long long>() == (std::vector<long long>{1, -1}) && t.from({'a', 'b'}).to_vector<char>()[1] == 'b');
  CHECK((t.from(std::vector<std::size_t>{7})).to_vector<std::size_t>()[0] == 7 && t.from(std::vector<signed char>{-1}).dtype() == TINY_I8);
  Tensor mask = x > 2;
  mask &= x < 5;
  CHECK(has(mask, {2, 3}, {0, 0, 0, 1, 1, 0}) && mask.dtype() == TINY_BOOL);
  mask |= x == 0;
  mask ^= x == 3;
  CHECK(has(mask, {2, 3}, {1, 0, 0, 0, 1, 0}));
}
#ifndef TINY_NO_NN
static void check_descriptors(const Context &t) {
  const Tensor x = tiny::ones(t, {1, 1, 4, 4}), w = tiny::ones(t, {1, 1, 3, 3});
  tiny_conv_desc d = tiny_conv_desc();
  d.pad[0] = d.pad[1] = 1;
  CHECK(x.conv(w).shape() == Shape({1, 1, 2, 2}) && x.conv(w, Tensor(), d).shape() == Shape({1, 1, 4, 4}));
  tiny_pool_desc p = tiny_pool_desc();
  p.kernel[0] = p.kernel[1] = 2;
  CHECK(has(x.max_pool(p), {1, 1, 2, 2}, {1, 1, 1, 1}) && has(std::get<1>(x.max_pool_with_indices(p)), {1, 1, 2, 2}, {0, 2, 8, 10}));
  const Tensor row = t.from(std::vector<float>{1, 3}, {1, 2});
  CHECK(has(row.softmax(-1).sum(-1), {1}, {1}));
  CHECK(has(row.layer_norm(1), {1, 2}, {-0.999995, 0.999995}) && has(row.cross_entropy(t.from(std::vector<int>{1})), {}, {std::log(1 + std::exp(-2.0))}));
}
#endif

// ** who owns what **

static void check_owners(const Context &t) {
  Tensor none;
  CHECK(!none.ok() && !none.get());
  Tensor x = tiny::ones(t, {2}), same = x, moved = std::move(same);
  CHECK(x.get() == moved.get());
  x = Tensor();
  CHECK(has(moved, {2}, {1, 1}));                            // a copy keeps it
  tiny_tensor *const raw = moved.get();
  moved = moved + 1;
  CHECK(!tiny_ok(raw) && has(moved, {2}, {2, 2}));
  const Tensor kept = moved.keep(), out = moved.dropout(0.5, false), home = moved.to(0);    // what gives its argument shares it
  CHECK(kept.get() == moved.get() && out.ok());
  moved.reset();
  CHECK(has(kept, {2}, {2, 2}) && has(home, {2}, {2, 2}));
  const Tensor borrowed = Tensor::borrowed(kept.get(), t);
  CHECK(has(borrowed, {2}, {2, 2}));
  std::vector<Tensor> many(100, kept);
  CHECK(has(tiny::cat(many), {200}, std::vector<double>(200, 2)));
}
// Whoever is moved or left holds nothing, and what is done with it does nothing.
static void check_moves(const Context &t) {
  static_assert(std::is_nothrow_move_constructible<Tensor>::value && std::is_nothrow_swappable<Tensor>::value, "vectors of them grow by moves");
  Tensor x = tiny::ones(t, {2}), y = std::move(x);
  CHECK(!x.ok() && x.shape() == Shape() && has(y, {2}, {1, 1}));
  Tensor &self = y;
  y = self;
  y = std::move(self);
  std::swap(y, self);
  CHECK(has(y, {2}, {1, 1}));
  Context one("INTERP"), two = std::move(one);
  CHECK(one.ok() && one.get() == two.get());                      // a Context that was moved is one all the same
  const Tensor in = two.from({1.f, 2.f});
  tiny::Program p(two, {in}, {in * 2}), q = std::move(p);
  CHECK(!p && q && p.kernel_count() == 0);
  p = std::move(q);
  CHECK(p && !q && p({in}).size() == 1);
#ifndef TINY_NO_NN
  static_assert(std::is_nothrow_move_constructible<tiny::ConvTransposeLayer>::value && std::is_move_assignable<tiny::Optim>::value, "owners move");
  static_assert(!std::is_copy_constructible<tiny::LinearLayer>::value, "but are not shared");
  tiny::LinearLayer first(two, 2, 3), second = std::move(first);
  CHECK(!first.weight && second(tiny::ones(two, {1, 2})).shape() == Shape({1, 3}));
  tiny_tensor *const old = second.weight;
  second = tiny::LinearLayer(two, 2, 4);
  CHECK(!tiny_ok(old) && second(tiny::ones(two, {1, 2})).shape() == Shape({1, 4}));
  std::swap(first, second);
  CHECK(first.weight && !second.weight);
  tiny::Optim adam = tiny::Optim(TINY_ADAM, 0.5);
  Tensor w = tiny::ones(two, {2});
  w.realize();
  CHECK(adam.step({w}, {w}) == TINY_OK);
  tiny::Optim next = std::move(adam);
  CHECK(next.kind == TINY_ADAM && next.step({w}, {w}) == TINY_OK);
  tiny::Params list(two), lists = std::move(list);
  CHECK(first.params(lists, "fc") == TINY_OK && lists.n == 2 && list.n == 0);
#endif
  CHECK(two.ok());
}
// Temporaries go when they are through: after as many turns as one likes there are as many nodes as after one.
static void check_leaks(const Context &t) {
  const Tensor x = tiny::ones(t, {4, 4});
  x.realize();
  std::uint64_t after[2] = {0, 0};
  for (int turn = 0; turn < 40; turn++) {
    const Tensor y = ((2 * x + 1).matmul(x - 3) / 4).exp().slice(0, 1, TINY_END, 2).keep();
    const auto [most, at] = y.max(1);
    std::vector<Tensor> parts = (most + at).chunk(2);
    parts.push_back(tiny::cat({parts[0] * 2, parts[0]}));
    CHECK(parts.back().to_vector<float>().size() == 2);
    after[turn == 39] = tiny::stats_of(t).nodes;
  }
  CHECK(after[0] == after[1]);
}
static void check_two_contexts(const Context &t) {
  const Context other("INTERP");
  const Tensor x = tiny::ones(t, {2}), y = tiny::ones(other, {2});
#ifdef TINY_EXCEPTIONS
  int thrown = 0;
  try { x + y; } catch (const tiny::Error &) { thrown++; }
  try { tiny::cat({y, x}); } catch (const tiny::Error &) { thrown++; }
  CHECK(thrown == 2);
#else
  CHECK(!(x + y).ok() && t.status() == TINY_E_ARG && other.ok());
  Context(t).clear();
  CHECK(!tiny::cat({y, x}).ok() && t.ok() && other.status() == TINY_E_ARG);
#endif
#ifndef TINY_NO_NN
  tiny::Params list(t);
#ifdef TINY_EXCEPTIONS
  try { list.add("y", y); } catch (const tiny::Error &) { thrown++; }
  CHECK(thrown == 3 && t.ok());
#else
  CHECK(list.add("y", y) == TINY_E_ARG && t.status() == TINY_E_ARG);
  Context(t).clear();
#endif
#endif
}
static void check_frames(const Context &t) {
  Tensor dies, lives, assigned = tiny::zeros(t, {2});
  CHECK(assigned.realize() == TINY_OK);
  {
    tiny::Frame frame(t);
    dies = tiny::ones(t, {2});
    lives = (dies + 1).keep();
    assigned.assign(dies * 3);                               // what it came of is freed before the frame ends
    CHECK(frame.end() == TINY_OK);
  }
  CHECK(!dies.ok() && lives.ok() && has(assigned, {2}, {3, 3}) && has(lives, {2}, {2, 2}));
  dies = lives;                                              // the dead one is let go: nothing is freed
  for (int i = 0; i < 3; i++) {
    tiny::Frame outer(t), inner(t);
    const Tensor inside = tiny::ones(t, {2});
  }
  tiny::Frame ended(t);
  CHECK(ended.end() == TINY_OK);
  CHECK(ended.end() == TINY_E_STATE && t.ok());              // once
}
static void check_lives_longer() {
  Tensor x;
  std::unique_ptr<tiny::Frame> frame;
#ifndef TINY_NO_NN
  tiny::Optim adam(TINY_ADAM);
  std::vector<tiny::RecurrentLayer> layers;
  std::unique_ptr<tiny::Loader> loader;
#endif
  std::unique_ptr<tiny::Program> program;
  {
    Context t("INTERP");
    x = tiny::ones(t, {2});
    frame.reset(new tiny::Frame(t));
    const Context again = t;
    CHECK(again.get() == t.get());
#ifndef TINY_NO_NN
    const Tensor p = tiny::ones(t, {2});
    p.realize();
    CHECK(adam.step({p}, {p}) == TINY_OK);
    for (int i = 0; i < 3; i++) layers.emplace_back(t, TINY_GRU, 2, 2);
    tiny_loader_desc d = tiny_loader_desc();
    d.array[0].tensor = p.get();
    loader.reset(new tiny::Loader(t, d));
#endif
    program.reset(new tiny::Program(t, {}, {x + 1}));
  }
  CHECK(!x.ok() && !x.get());                                     // and no one touches what was closed
  CHECK(!*program && program->kernel_count() == 0);
#ifndef TINY_NO_NN
  CHECK(!*loader && loader->count() == 0 && !layers[0].w);
#endif
#ifdef TINY_EXCEPTIONS
  int thrown = 0;
  try { (*program)(std::vector<Tensor>()); } catch (const tiny::Error &e) { thrown += e.code == TINY_E_STATE; }
  try { x + 1; } catch (const tiny::Error &e) { thrown += e.code == TINY_E_STATE; }
  CHECK(thrown == 2);
#else
  CHECK((*program)(std::vector<Tensor>()).empty() && !(x + 1).ok());
#endif
}

// ** errors **

static void check_errors(Context &t) {
  const Tensor x = tiny::ones(t, {2, 3});
#ifdef TINY_EXCEPTIONS
  int thrown = 0;
  try { x + tiny::ones(t, {4}); } catch (const tiny::Error &e) { thrown += e.code == TINY_E_SHAPE && !std::strcmp(e.what(), "add: (2,3) and (4,) do not broadcast"); }
  try { x.reshape({4}); } catch (const tiny::Error &e) { thrown += e.code == TINY_E_SHAPE; }
  try { t.from(std::vector<float>{1}, {2}); } catch (const tiny::Error &e) { thrown += e.code == TINY_E_ARG; }
  try { Tensor().to_vector<float>(); } catch (const tiny::Error &e) { thrown += e.code == TINY_E_ARG; }
  try { Tensor() + 1; } catch (const tiny::Error &e) { thrown += e.code == TINY_E_ARG; }
  try { Tensor().item(); } catch (const tiny::Error &e) { thrown += e.code == TINY_E_ARG; }
  try { tiny::cat({}); } catch (const tiny::Error &e) { thrown += e.code == TINY_E_ARG; }
  try { Context nowhere("NOWHERE"); } catch (const tiny::Error &e) { thrown += e.code == TINY_E_DEVICE; }
  try { x.split(0); } catch (const tiny::Error &e) { thrown += e.code == TINY_E_ARG; }
  try {
    tiny::Frame frame(t);
    const Tensor inside = x + 1;
    inside.select(0, 7);
  } catch (const tiny::Error &e) { thrown += e.code == TINY_E_ARG; }                 // the frame ends on the way
  CHECK(thrown == 10 && t.ok() && has((x + 1)[0], {3}, {2, 2, 2}));
#else
  const Tensor bad = x + tiny::ones(t, {4});
  CHECK(!bad.ok() && t.status() == TINY_E_SHAPE && !std::strcmp(t.error(), "add: (2,3) and (4,) do not broadcast"));
  CHECK(!(bad * 2).tanh().ok() && bad.to_vector<float>().empty() && x.split(0).empty());
  t.clear();
  CHECK(t.ok() && !t.from(std::vector<float>{1}, {2}).ok() && t.status() == TINY_E_ARG);
  t.clear();
  CHECK(!tiny::zeros(t, Shape(std::vector<std::int64_t>(40, 1))).ok() && t.status() != TINY_OK);
  t.clear();
  Context nowhere("NOWHERE");
  CHECK(nowhere.status() == TINY_E_DEVICE && !tiny::zeros(nowhere, {2}).ok());
#endif
}

// ** training, modules, files, programs **

#ifndef TINY_NO_NN
// Is a frame open?
static bool framed(const Context &t) {
  const tiny_code code = tiny_end(t.get());
  tiny_clear(t.get());
  return code != TINY_E_STATE;
}
static void check_training(const Context &t) {
  tiny::LinearLayer first(t, 3, 8), second(t, 8, 1);
  tiny::Params params(t);
  CHECK(first.params(params, "first") == TINY_OK && second.params(params, "second") == TINY_OK && params.n == 4);
  CHECK(params.find("first.weight").shape() == Shape({8, 3}) && !params.find("third").ok());
  tiny::Optim adam(TINY_ADAM, 0.05);
  tiny::Ema average(0.5);
  const std::vector<Tensor> all = params.tensors();
  const Tensor x = tiny::randn(t, {16, 3}), y = x.sum(-1, true);
  tiny::realize(all);
  double loss = 0, begun = 0;
  for (int step = 0; step < 60; step++) {
    tiny::Frame frame(t);
    const Tensor error = second(first(x).relu()).mse_loss(y);
    std::vector<Tensor> grads = tiny::grad(error, all);
    CHECK(tiny::clip_grad_norm(grads, 10).shape().ndim == 0 && tiny::clip_grad_value(grads, 5) == TINY_OK);
    CHECK(adam.step(all, grads) == TINY_OK && average.step(all) == TINY_OK);
    loss = error.item();
    if (!step) begun = loss;
    CHECK(frame.end() == TINY_OK);
  }
  CHECK(loss < begun / 4);
  tiny::Scaler scaler;
  tiny::Optim sgd(TINY_SGD);
  {
    tiny::Frame frame(t);
    const Tensor scaled = scaler.scaled(second(first(x)).mse_loss(y));
    std::vector<Tensor> grads = tiny::grad(scaled, all);
    CHECK(scaler.unscale(grads) == TINY_OK && scaler.step(sgd, all, grads) == TINY_OK && scaler.update() == TINY_OK);
  }
  // batches, each in a frame of its own, and a step in one call
  tiny_loader_desc d = tiny_loader_desc();
  d.array[0].tensor = x.get(); d.array[1].tensor = y.get();
  d.batch = 4; d.n = 10; d.epochs = 2;
  const tiny::Loader batches(t, d);
  CHECK(batches.count() == 3);
  int turns = 0;
  for (std::vector<Tensor> b = batches.each(); !b.empty(); b = batches.each(), turns++) {
    CHECK(b.size() == 2 && b[0].shape() == Shape({turns % 3 == 2 ? 2 : 4, 3}));
    CHECK(sgd.minimize(second(first(b[0])).mse_loss(b[1]), params) == TINY_OK);
  }
  CHECK(turns == 6 && t.status() == TINY_OK);
  Tensor last;                                               // the same, and whoever leaves has ended the frame
  for (const std::vector<Tensor> &b : batches) {
    last = b[0];
    turns++;
  }
  CHECK(turns == 12 && !last.ok() && !framed(t));
  for (const std::vector<Tensor> &b : tiny::Loader(t, d)) {
    last = b[0];
    CHECK(last.ok());
    break;
  }
  CHECK(!last.ok() && !framed(t));
#ifdef TINY_EXCEPTIONS
  try {
    for (const std::vector<Tensor> &b : batches) {
      tiny::Frame inner(t);
      last = b[0];
      last.select(0, 100);
    }
  } catch (const tiny::Error &) { turns = 0; }
  CHECK(turns == 0 && !last.ok() && t.ok() && !framed(t));
#endif
  tiny::Plateau plateau;
  plateau.patience = -1;
  CHECK(plateau(1, 5) == 1 && plateau(1, 5) == 0.1);
  std::vector<tiny::LinearLayer> layers;                     // they move
  for (int i = 0; i < 5; i++) layers.emplace_back(t, 3, 3, i % 2 == 0);
  Tensor h = x;
  for (const tiny::LinearLayer &layer : layers) h = layer(h);
  CHECK(h.shape() == Shape({16, 3}));
  const tiny::RecurrentLayer lstm(t, TINY_LSTM, 3, 4);
  const auto [out, hn, cn] = lstm(tiny::randn(t, {5, 2, 3}), Tensor(), Tensor(), false);
  CHECK(out.shape() == Shape({5, 2, 4}) && hn.shape() == Shape({1, 2, 4}) && cn.shape() == Shape({1, 2, 4}));
  const tiny::ConvTransposeLayer up(t, 1, 2, {3, 3});
  CHECK(up(tiny::ones(t, {1, 1, 4, 4})).shape() == Shape({1, 2, 6, 6}));
  CHECK(Tensor::borrowed(first.weight, t).shape() == Shape({8, 3}));
}
#endif
#ifndef TINY_NO_IO
static void check_files(const Context &t) {
  const char *path = "build/test_hpp.safetensors";
  const Tensor x = tiny::arange(t, 0, 6).reshape({2, 3});
  CHECK(tiny::save(path, {{"x", x}, {"twice", x * 2}}) == TINY_OK);
  const tiny::Archive a(t, path);
  CHECK(a && a.count() == 2 && has(a["twice"], {2, 3}, {0, 2, 4, 6, 8, 10}));
  std::remove(path);
}
#endif
static void check_program(const Context &t) {
  const Tensor w = t.from(std::vector<float>{1, 2}), x = t.from(std::vector<float>{3, 4});
  const tiny::Program p(t, {x}, {x * w, x.sum()});
  CHECK(p && p.kernel_count() >= 1);
  for (int i = 0; i < 3; i++) {
    tiny::Frame frame(t);
    const std::vector<Tensor> out = p({t.from(std::vector<float>{static_cast<float>(i), 1})});
    CHECK(out.size() == 2 && has(out[0], {2}, {static_cast<double>(i), 2}) && out[1].item() == i + 1);
  }
  std::vector<Tensor> out;
  int calls = 1;
  while (!p.run_for({x}, out, 1)) calls++;
  CHECK(calls > 1 && out.size() == 2 && has(out[0], {2}, {3, 8}) && out[1].item() == 7);
  t.cancel();
#ifdef TINY_EXCEPTIONS
  tiny_code thrown = TINY_OK;
  try { p({x}); } catch (const tiny::Error &e) { thrown = e.code; }
  CHECK(thrown == TINY_E_CANCELLED);
#else
  CHECK(p({x}).empty());
#endif
  CHECK(t.status() == TINY_OK && p({x}).size() == 2);
}

int main() {
  {
    Context t("INTERP");
    tiny::seed(t, 7);
    check_operators(t);
    check_methods(t);
    check_words(t);
    check_owners(t);
    check_moves(t);
    check_leaks(t);
    check_two_contexts(t);
    check_frames(t);
    check_errors(t);
#ifndef TINY_NO_NN
    check_descriptors(t);
    check_training(t);
#endif
#ifndef TINY_NO_IO
    check_files(t);
#endif
    check_program(t);
    CHECK(t.ok());
    if (!t.ok()) std::printf("%s\n", t.error());
  }
  check_lives_longer();
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}

// tiny.hpp: tiny.h in the words of C++17. Written by tools/hpp.py from src/cpp/tiny.hpp.in and src/api/; not edited by hand.
//
//     tiny::Context t;                                        // closed at the end of its scope
//     tiny::Tensor x = t.from(std::vector<float>{1, 2, 3, 4}, {2, 2});
//     tiny::Tensor y = (2 * x + 1).matmul(tiny::randn(t, {2, 3})).softmax(-1);
//     std::vector<float> out = y.to_vector<float>();          // nothing has run before
//
// What is public in tiny.h is here by the same name without tiny_: functions of a tensor are its methods, the others are
// functions of namespace tiny, and what its comments say holds. Trailing arguments have PyTorch's defaults. Lists and
// their lengths are initializer lists or vectors; a dtype comes last and is TINY_F32; further results come as a tuple.
//
// - A Tensor owns a handle and frees it; copies share it. In a Frame it may die before: then it can not be used, and
//   nothing is freed twice. It may outlive its Context, as an empty one. One without a handle is what NULL is in C.
// - Structs are those of tiny.h, zeros to begin with: tiny_conv_desc d = {}; d.stride[0] = 2; their tensors are x.get().
// - Errors stay in the context, t.status(). With TINY_EXCEPTIONS, in all files of a program, a call that ends with one
//   throws tiny::Error, and the context forgets it.
// - Nodes of the IR, views of memory and what devices are made of are C's alone.
// - TINY_IMPLEMENTATION is defined in one file, as for tiny.h, in which the implementation may be C.
#ifndef TINY_HPP
#define TINY_HPP
#include "tiny.h"
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>
#ifdef TINY_EXCEPTIONS
  #include <stdexcept>
#endif

namespace tiny {
#ifdef TINY_EXCEPTIONS
inline namespace throwing {                // files with it and without do not mix
#endif

class Tensor;
class Context;

#ifdef TINY_EXCEPTIONS
// What a call throws; code says which kind of error it was.
class Error : public std::runtime_error {
public:
  Error(tiny_code which, const char *message) : std::runtime_error(message), code(which) {}
  tiny_code code;
};
#endif

// ** lists **

// Dims, axes or amounts: {2, 3}. More than TINY_MAX_DIMS are an error of the call that takes it.
class Shape : public tiny_shape {
public:
  Shape() : tiny_shape() {}
  Shape(const tiny_shape &s) : tiny_shape(s) {}
  Shape(std::initializer_list<std::int64_t> dims) : tiny_shape() { set(dims.begin(), dims.size()); }
  Shape(const std::vector<std::int64_t> &dims) : tiny_shape() { set(dims.data(), dims.size()); }
  // Dim i, from the end below 0: shape[-1] is the last; 0 where there is none.
  std::int64_t operator[](int i) const {
    const int at = i < 0 ? i + ndim : i;
    return at >= 0 && at < ndim && at < TINY_MAX_DIMS ? dim[at] : 0;
  }
  bool operator==(const Shape &other) const {
    if (ndim != other.ndim) return false;
    for (int i = 0; i < ndim && i < TINY_MAX_DIMS; i++) if (dim[i] != other.dim[i]) return false;
    return true;
  }
  bool operator!=(const Shape &other) const { return !(*this == other); }
private:
  void set(const std::int64_t *dims, std::size_t n) {
    ndim = static_cast<int>(n);
    for (std::size_t i = 0; i < n && i < TINY_MAX_DIMS; i++) dim[i] = dims[i];
  }
};

// One axis, several, or TINY_ALL, where a reduction takes them: x.sum(0), x.sum({0, -1}), x.sum().
class Axes {
public:
  Axes(int axis) : bits(axis) {}
  Axes(std::initializer_list<int> axes) : bits(0) {
    std::vector<int> list(1, 0);
    list.insert(list.end(), axes.begin(), axes.end());
    bits = tiny_axes_of(static_cast<int>(axes.size()), list.data());
  }
  int get() const { return bits; }
private:
  int bits;
};

// ** owners **

namespace detail {

// Of a context, what all that belongs to it knows: whether it is open; and what must go before it closes.
class Owner;
struct Home {
  tiny_ctx *t;
  std::vector<Owner *> owners;
  explicit Home(tiny_ctx *context) : t(context), owners() {}
  Home(const Home &) = delete;
  Home &operator=(const Home &) = delete;
};
using Home_ = std::shared_ptr<Home>;

// What must be released at the end of its scope, or of the context if that comes first.
class Owner {
public:
  Owner(const Owner &) = delete;
  Owner &operator=(const Owner &) = delete;
protected:
  explicit Owner(void (*how)(Owner &)) : release(how), home() {}
  ~Owner() {}
  const Home_ &where() const { return home; }
  void bind(const Home_ &to) {
    if (home || !to) return;
    to->owners.push_back(this);
    home = to;
  }
  // Stands from now on where other stood.
  void take(Owner &other) noexcept {
    home = std::move(other.home);
    other.home.reset();
    if (!home) return;
    for (Owner *&one : home->owners) if (one == &other) one = this;
  }
  void end() {
    if (home && home->t) release(*this);
    if (!home) return;
    std::vector<Owner *> &all = home->owners;
    for (std::size_t i = all.size(); i-- > 0;) if (all[i] == this) all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
    home.reset();
  }
private:
  friend void close(Home &);
  void (*release)(Owner &);
  Home_ home;
};
inline void close(Home &home) {
  while (!home.owners.empty()) home.owners.back()->end();
  tiny_ctx *t = home.t;
  home.t = nullptr;
  tiny_close(t);
}

// A struct of tiny.h with memory of a context. It moves, and is zeros then.
template <typename C, void (*FREE)(C *)> class Owned : public C, protected Owner {
public:
  Owned(Owned &&other) noexcept : C(other), Owner(release) { move(other); }
  Owned &operator=(Owned &&other) noexcept {
    if (this == &other) return *this;
    end();
    static_cast<C &>(*this) = other;
    move(other);
    return *this;
  }
protected:
  Owned() : C(), Owner(release) {}
  Owned(const C &made, const Home_ &to) : C(made), Owner(release) { bind(to); }
  ~Owned() { end(); }
private:
  static void release(Owner &me) { FREE(&static_cast<Owned &>(me)); }
  void move(Owned &other) noexcept {
    static_cast<C &>(other) = C();
    take(other);
  }
};

// What was opened, and is closed at the end of its scope, or with its context. It moves, and is nothing then.
template <typename C, void (*CLOSE)(C *)> class Opened {
public:
  Opened(const Opened &) = delete;
  Opened &operator=(const Opened &) = delete;
  Opened(Opened &&other) noexcept : opened(other.opened), home(other.home) { other.opened = nullptr; }
  Opened &operator=(Opened &&other) noexcept {
    std::swap(opened, other.opened);
    std::swap(home, other.home);
    return *this;
  }
  explicit operator bool() const { return get() != nullptr; }
protected:
  Opened(C *made, const Home_ &to) : opened(made), home(to) {}
  ~Opened() { if (get()) CLOSE(opened); }
  C *get() const { return home->t ? opened : nullptr; }
  const Home_ &where() const { return home; }
private:
  C *opened;
  Home_ home;
};

// A handle: the last that shares it frees it, unless its context went before.
struct Handle {
  tiny_tensor *x;
  Home_ home;
  bool owned;
  Handle(tiny_tensor *tensor, Home_ where, bool own) : x(tensor), home(std::move(where)), owned(own) {}
  Handle(const Handle &) = delete;
  Handle &operator=(const Handle &) = delete;
  ~Handle() { if (owned && home && home->t) tiny_free(x); }
};

// Throws the error of a context, if there is one; of no context, if there was to be something.
inline void check(const Home_ &home, bool something = false) {
#ifdef TINY_EXCEPTIONS
  if (!home && something) throw Error(TINY_E_ARG, "a tensor is empty");
  if (!home) return;
  if (!home->t) throw Error(TINY_E_STATE, "the context is closed");
  if (tiny_status(home->t) == TINY_OK) return;
  const Error error(tiny_status(home->t), tiny_error(home->t));
  tiny_clear(home->t);
  throw error;
#else
  (void)home;
  (void)something;
#endif
}
inline tiny_code checked(tiny_code code, const Home_ &home) {
  check(home);
#ifdef TINY_EXCEPTIONS
  if (code != TINY_OK) throw Error(code, code == TINY_E_CANCELLED ? "the call was cancelled" : "an argument cannot be used");
#endif
  return code;
}

} // namespace detail

class List;
class Params;

// ** tensors **

class Tensor {
public:
  Tensor() : handle() {}
  // Of C's, which from now on is freed here; borrowed: which somebody else frees, as the weight of a layer.
  Tensor(tiny_tensor *x, const Context &t);
  static Tensor borrowed(tiny_tensor *x, const Context &t);
  tiny_tensor *get() const { return handle && handle->home && handle->home->t ? handle->x : nullptr; }
  // It can be used. (A Tensor is no bool: a comparison of two would be one by mistake.)
  bool ok() const { return tiny_ok(get()) != 0; }
  const detail::Home_ &home() const {
    static const detail::Home_ none;
    return handle ? handle->home : none;
  }
  // Frees it now, for all that share it not before the last does.
  void reset() { handle.reset(); }

  // All elements, row-major, as T; none after an error.
  template <typename T> std::vector<T> to_vector() const;
  // The i-th of the first axis.
  Tensor operator[](std::int64_t i) const;
  Tensor to(tiny_dtype dtype) const;
  Tensor to(int device) const;
  // Runs what it needs: see tiny_realize.
  tiny_code realize() const;
  // Parts along an axis: see tiny_split, tiny_chunk, tiny_unbind.
  std::vector<Tensor> split(std::int64_t size, int axis = 0) const;
  std::vector<Tensor> split(const std::vector<std::int64_t> &sizes, int axis = 0) const;
  std::vector<Tensor> chunk(int n, int axis = 0) const;
  std::vector<Tensor> unbind(int axis = 0) const;

  // >>context
  Tensor keep() const;
  // >>tensors
  tiny_code read(void *out, std::size_t nbytes) const;
  tiny_code write(const void *data, std::size_t nbytes) const;
#ifndef TINY_NO_INTERP
  tiny_code reference(void *out, std::size_t nbytes) const;
#endif
  double item() const;
  std::int64_t item_i64() const;
  Shape shape() const;
  Shape shape_now() const;
  tiny_dtype dtype() const;
  std::int64_t nelem() const;
  Tensor assign(const Tensor &value) const;
  Tensor clone() const;
  Tensor contiguous() const;
  Tensor detach() const;
  Tensor cast(tiny_dtype dtype) const;
  Tensor bitcast(tiny_dtype dtype) const;
  // >>devices
  int device() const;
  Tensor shard(int axis, const std::vector<int> &devices) const;
  Tensor replicate(const std::vector<int> &devices) const;
  Tensor shard_part(int i) const;
  int shard_count() const;
  int shard_axis() const;
  // >>creation
  Tensor full_like(double value) const;
  Tensor zeros_like() const;
  Tensor ones_like() const;
  Tensor like(double value) const;
  Tensor tril(std::int64_t diagonal = 0) const;
  Tensor triu(std::int64_t diagonal = 0) const;
  // >>random
  Tensor rand_like() const;
  Tensor randn_like() const;
  Tensor bernoulli() const;
  Tensor multinomial(std::int64_t n, bool replacement = false) const;
  Tensor dropout(double p = 0.5, bool train = true) const;
  // >>movement
  Tensor reshape(const Shape &shape) const;
  Tensor flatten(int first = 0, int last = -1) const;
  Tensor unflatten(int axis, const Shape &sizes) const;
  Tensor squeeze(const Axes &axis = TINY_ALL) const;
  Tensor unsqueeze(int axis) const;
  Tensor permute(const Shape &axes) const;
  Tensor transpose(int a, int b) const;
  Tensor movedim(int from, int to) const;
  Tensor expand(const Shape &shape) const;
  Tensor expand_as(const Tensor &like) const;
  Tensor tile(const Shape &times) const;
  Tensor repeat(const Shape &times) const;
  Tensor repeat_interleave(std::int64_t times, int axis = TINY_ALL) const;
  Tensor flip(const Shape &axes) const;
  Tensor roll(const Shape &by, const Shape &axes) const;
  Tensor rot90(int turns = 1, int a = 0, int b = 1) const;
  Tensor shrink(const Shape &begin_end) const;
  Tensor slice(int axis, std::int64_t start, std::int64_t stop = TINY_END, std::int64_t step = 1) const;
  Tensor slice_to(int axis, const Tensor &n) const;
  Tensor with_length(int axis, const Tensor &n) const;
  Tensor whole(int axis, double fill) const;
  Tensor length_of(int axis) const;
  Tensor mask_to(int axis, const Tensor &n) const;
  Tensor slice_at(int axis, const Tensor &begin, std::int64_t count) const;
  Tensor narrow(int axis, std::int64_t start, std::int64_t length) const;
  Tensor select(int axis, std::int64_t index) const;
  Tensor sliding_window(int axis, std::int64_t size, std::int64_t step) const;
  Tensor diagonal(std::int64_t diagonal = 0, int a = 0, int b = 1) const;
  Tensor diag_embed(std::int64_t diagonal = 0, int a = -2, int b = -1) const;
  Tensor diag(std::int64_t diagonal = 0) const;
  Tensor select_scatter(const Tensor &src, int axis, std::int64_t index) const;
  Tensor slice_scatter(const Tensor &src, int axis, std::int64_t start, std::int64_t stop = TINY_END, std::int64_t step = 1) const;
  Tensor diagonal_scatter(const Tensor &src, std::int64_t diagonal, int a, int b) const;
  Tensor pad(const Shape &before_after, double value = 0) const;
  Tensor pad_mode(const Shape &before_after, tiny_padding how) const;
  // >>elementwise
  Tensor add(const Tensor &b = Tensor()) const;
  Tensor sub(const Tensor &b = Tensor()) const;
  Tensor mul(const Tensor &b = Tensor()) const;
  Tensor div(const Tensor &b = Tensor()) const;
  Tensor floor_div(const Tensor &b = Tensor()) const;
  Tensor trunc_div(const Tensor &b = Tensor()) const;
  Tensor remainder(const Tensor &b = Tensor()) const;
  Tensor fmod(const Tensor &b = Tensor()) const;
  Tensor pow(const Tensor &b = Tensor()) const;
  Tensor maximum(const Tensor &b = Tensor()) const;
  Tensor minimum(const Tensor &b = Tensor()) const;
  Tensor fmax(const Tensor &b = Tensor()) const;
  Tensor fmin(const Tensor &b = Tensor()) const;
  Tensor lt(const Tensor &b = Tensor()) const;
  Tensor gt(const Tensor &b = Tensor()) const;
  Tensor le(const Tensor &b = Tensor()) const;
  Tensor ge(const Tensor &b = Tensor()) const;
  Tensor eq(const Tensor &b = Tensor()) const;
  Tensor ne(const Tensor &b = Tensor()) const;
  Tensor add_scalar(double value) const;
  Tensor sub_scalar(double value) const;
  Tensor rsub_scalar(double value) const;
  Tensor mul_scalar(double value) const;
  Tensor div_scalar(double value) const;
  Tensor rdiv_scalar(double value) const;
  Tensor floor_div_scalar(double value) const;
  Tensor rfloor_div_scalar(double value) const;
  Tensor remainder_scalar(double value) const;
  Tensor rremainder_scalar(double value) const;
  Tensor pow_scalar(double value) const;
  Tensor rpow_scalar(double value) const;
  Tensor maximum_scalar(double value) const;
  Tensor minimum_scalar(double value) const;
  Tensor lt_scalar(double value) const;
  Tensor gt_scalar(double value) const;
  Tensor le_scalar(double value) const;
  Tensor ge_scalar(double value) const;
  Tensor eq_scalar(double value) const;
  Tensor ne_scalar(double value) const;
  Tensor isclose(const Tensor &b = Tensor(), double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false) const;
  Tensor allclose(const Tensor &b = Tensor(), double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false) const;
  Tensor logical_and(const Tensor &b = Tensor()) const;
  Tensor logical_or(const Tensor &b = Tensor()) const;
  Tensor logical_xor(const Tensor &b = Tensor()) const;
  Tensor logical_not() const;
  Tensor bitwise_and(const Tensor &b = Tensor()) const;
  Tensor bitwise_or(const Tensor &b = Tensor()) const;
  Tensor bitwise_xor(const Tensor &b = Tensor()) const;
  Tensor bitwise_not() const;
  Tensor shift_left(const Tensor &b = Tensor()) const;
  Tensor shift_right(const Tensor &b = Tensor()) const;
  Tensor gcd(const Tensor &b = Tensor()) const;
  Tensor lcm(const Tensor &b = Tensor()) const;
  Tensor where(const Tensor &a, const Tensor &b = Tensor()) const;
  Tensor clamp(double lo, double hi) const;
  Tensor clamp_to(const Tensor &lo, const Tensor &hi = Tensor()) const;
  Tensor lerp(const Tensor &b = Tensor(), const Tensor &weight = Tensor()) const;
  Tensor addcmul(const Tensor &a, const Tensor &b = Tensor(), double value = 1) const;
  Tensor addcdiv(const Tensor &a, const Tensor &b = Tensor(), double value = 1) const;
  Tensor neg() const;
  Tensor abs() const;
  Tensor sign() const;
  Tensor square() const;
  Tensor trunc() const;
  Tensor floor() const;
  Tensor ceil() const;
  Tensor round() const;
  Tensor round_to(int decimals) const;
  Tensor frac() const;
  Tensor copysign(const Tensor &b = Tensor()) const;
  Tensor heaviside(const Tensor &at_zero) const;
  Tensor nan_to_num(double nan, double posinf, double neginf) const;
  Tensor isnan() const;
  Tensor isinf() const;
  Tensor isposinf() const;
  Tensor isneginf() const;
  Tensor isfinite() const;
  Tensor signbit() const;
  // >>math
  Tensor sqrt() const;
  Tensor rsqrt() const;
  Tensor cbrt() const;
  Tensor reciprocal() const;
  Tensor exp() const;
  Tensor exp2() const;
  Tensor expm1() const;
  Tensor log() const;
  Tensor log2() const;
  Tensor log10() const;
  Tensor log1p() const;
  Tensor sin() const;
  Tensor cos() const;
  Tensor tan() const;
  Tensor asin() const;
  Tensor acos() const;
  Tensor atan() const;
  Tensor atan2(const Tensor &x) const;
  Tensor sinh() const;
  Tensor cosh() const;
  Tensor tanh() const;
  Tensor asinh() const;
  Tensor acosh() const;
  Tensor atanh() const;
  Tensor hypot(const Tensor &b = Tensor()) const;
  Tensor logaddexp(const Tensor &b = Tensor()) const;
  Tensor logaddexp2(const Tensor &b = Tensor()) const;
  Tensor xlogy(const Tensor &y) const;
  Tensor xlog1py(const Tensor &y) const;
  Tensor logit(double eps = 0) const;
  Tensor sinc() const;
  Tensor deg2rad() const;
  Tensor rad2deg() const;
  Tensor erf() const;
  Tensor erfc() const;
  Tensor erfinv() const;
  Tensor lgamma() const;
  Tensor digamma() const;
  Tensor i0() const;
  Tensor i0e() const;
  Tensor i1() const;
  Tensor i1e() const;
  Tensor igamma(const Tensor &x) const;
  Tensor igammac(const Tensor &x) const;
  // >>activations
  Tensor relu() const;
  Tensor relu6() const;
  Tensor sigmoid() const;
  Tensor silu() const;
  Tensor mish() const;
  Tensor gelu() const;
  Tensor gelu_tanh() const;
  Tensor elu(double alpha = 1) const;
  Tensor selu() const;
  Tensor celu(double alpha = 1) const;
  Tensor leaky_relu(double slope = 0.01) const;
  Tensor prelu(const Tensor &weight = Tensor()) const;
  Tensor rrelu(double lower, double upper = false) const;
  Tensor hardtanh(double lo = -1, double hi = 1) const;
  Tensor hardsigmoid() const;
  Tensor hardswish() const;
  Tensor threshold(double threshold, double value) const;
  Tensor hardshrink(double lambda = 0.5) const;
  Tensor softshrink(double lambda = 0.5) const;
  Tensor tanhshrink() const;
  Tensor softsign() const;
  Tensor softplus(double beta = 1, double threshold = 20) const;
  Tensor logsigmoid() const;
  Tensor glu(int axis = -1) const;
  // >>reductions
  Tensor sum(const Axes &axis = TINY_ALL, bool keepdim = false) const;
  Tensor prod(const Axes &axis = TINY_ALL, bool keepdim = false) const;
  Tensor amax(const Axes &axis = TINY_ALL, bool keepdim = false) const;
  Tensor amin(const Axes &axis = TINY_ALL, bool keepdim = false) const;
  std::tuple<Tensor, Tensor> aminmax(const Axes &axis = TINY_ALL, bool keepdim = false) const;
  Tensor mean(const Axes &axis = TINY_ALL, bool keepdim = false) const;
  Tensor var(const Axes &axis = TINY_ALL, bool keepdim = false, int correction = 1) const;
  Tensor std(const Axes &axis = TINY_ALL, bool keepdim = false, int correction = 1) const;
  std::tuple<Tensor, Tensor> var_mean(const Axes &axis = TINY_ALL, bool keepdim = false, int correction = 1) const;
  std::tuple<Tensor, Tensor> std_mean(const Axes &axis = TINY_ALL, bool keepdim = false, int correction = 1) const;
  Tensor nansum(const Axes &axis = TINY_ALL, bool keepdim = false) const;
  Tensor nanmean(const Axes &axis = TINY_ALL, bool keepdim = false) const;
  Tensor any(const Axes &axis = TINY_ALL, bool keepdim = false) const;
  Tensor all(const Axes &axis = TINY_ALL, bool keepdim = false) const;
  Tensor count_nonzero(const Axes &axis = TINY_ALL, bool keepdim = false) const;
  Tensor norm(double p = 2, const Axes &axis = TINY_ALL, bool keepdim = false) const;
  Tensor renorm(double p, int axis, double most) const;
  Tensor dist(const Tensor &b = Tensor(), double p = 2) const;
  Tensor reduce(tiny_reduce_op op, const Shape &axes, bool keepdim = false) const;
  Tensor argmax(int axis = TINY_ALL, bool keepdim = false) const;
  Tensor argmin(int axis = TINY_ALL, bool keepdim = false) const;
  std::tuple<Tensor, Tensor> (max)(int axis = TINY_ALL, bool keepdim = false) const;
  std::tuple<Tensor, Tensor> (min)(int axis = TINY_ALL, bool keepdim = false) const;
  Tensor cumsum(int axis) const;
  Tensor cumprod(int axis) const;
  Tensor logcumsumexp(int axis) const;
  std::tuple<Tensor, Tensor> cummax(int axis) const;
  std::tuple<Tensor, Tensor> cummin(int axis) const;
  Tensor diff(std::int64_t n = 1, int axis = -1, const Tensor &before = Tensor(), const Tensor &after = Tensor()) const;
  Tensor trapezoid(const Tensor &x = Tensor(), double step = 1, int axis = -1) const;
  Tensor cumulative_trapezoid(const Tensor &x = Tensor(), double step = 1, int axis = -1) const;
  // >>indexing
  Tensor one_hot(std::int64_t classes) const;
  Tensor gather(int axis, const Tensor &index) const;
  Tensor take_along_axis(int axis, const Tensor &index) const;
  Tensor index_select(int axis, const Tensor &index) const;
  Tensor take(const Tensor &index) const;
  Tensor index(const List &index) const;
  Tensor scatter(int axis, const Tensor &index, const Tensor &src) const;
  Tensor scatter_add(int axis, const Tensor &index, const Tensor &src) const;
  Tensor scatter_reduce(int axis, const Tensor &index, const Tensor &src, tiny_reduce_op mode, bool include_self = true) const;
  Tensor index_add(int axis, const Tensor &index, const Tensor &src) const;
  Tensor index_copy(int axis, const Tensor &index, const Tensor &src) const;
  Tensor index_reduce(int axis, const Tensor &index, const Tensor &src, tiny_reduce_op mode, bool include_self = true) const;
  Tensor index_fill(int axis, const Tensor &index, double value) const;
  Tensor put(const Tensor &index, const Tensor &src, bool accumulate = false) const;
  Tensor index_put(const List &index, const Tensor &src, bool accumulate = false) const;
  Tensor masked_fill(const Tensor &mask, double value) const;
  Tensor masked_select(const Tensor &mask) const;
  Tensor repeat_interleave_by(const Tensor &repeats, int axis) const;
  Tensor masked_scatter(const Tensor &mask, const Tensor &src) const;
  Tensor nonzero() const;
  Tensor bincount(const Tensor &weights = Tensor(), std::int64_t least = 0) const;
  Tensor histc(std::int64_t bins, double lo, double hi) const;
  // >>sorting
  std::tuple<Tensor, Tensor> sort(int axis = -1, bool descending = false) const;
  Tensor argsort(int axis = -1, bool descending = false) const;
  std::tuple<Tensor, Tensor> topk(std::int64_t k, int axis = -1, bool largest = true) const;
  std::tuple<Tensor, Tensor> kthvalue(std::int64_t k, int axis = -1, bool keepdim = false) const;
  std::tuple<Tensor, Tensor> median(int axis = TINY_ALL, bool keepdim = false) const;
  std::tuple<Tensor, Tensor> nanmedian(int axis = TINY_ALL, bool keepdim = false) const;
  Tensor quantile(const Tensor &q, int axis = TINY_ALL, bool keepdim = false) const;
  Tensor nanquantile(const Tensor &q, int axis = TINY_ALL, bool keepdim = false) const;
  Tensor quantile_by(const Tensor &q, int axis, bool keepdim, tiny_quantile_rule how) const;
  Tensor nanquantile_by(const Tensor &q, int axis, bool keepdim, tiny_quantile_rule how) const;
  std::tuple<Tensor, Tensor> mode(int axis = -1, bool keepdim = false) const;
  std::tuple<Tensor, Tensor, Tensor> unique() const;
  std::tuple<Tensor, Tensor, Tensor> unique_consecutive() const;
  std::tuple<Tensor, Tensor, Tensor> unique_along(int axis) const;
  std::tuple<Tensor, Tensor, Tensor> unique_consecutive_along(int axis) const;
  Tensor searchsorted(const Tensor &values, bool right = false) const;
  Tensor bucketize(const Tensor &edges, bool right = false) const;
  Tensor histogram(const Tensor &edges, const Tensor &weights = Tensor(), bool density = false) const;
  std::tuple<Tensor, Tensor> histogram_bins(std::int64_t bins, double lo, double hi, const Tensor &weights = Tensor(), bool density = false) const;
  Tensor isin(const Tensor &set) const;
  // >>linalg
  Tensor matmul(const Tensor &w = Tensor()) const;
  Tensor linear(const Tensor &w = Tensor(), const Tensor &bias = Tensor()) const;
  Tensor dot(const Tensor &b = Tensor()) const;
  Tensor vdot(const Tensor &b = Tensor()) const;
  Tensor vecdot(const Tensor &b, int axis) const;
  Tensor inner(const Tensor &b = Tensor()) const;
  Tensor outer(const Tensor &b = Tensor()) const;
  Tensor kron(const Tensor &b = Tensor()) const;
  Tensor tensordot(const Tensor &b, const Shape &axes_a, const Shape &axes_b) const;
  Tensor trace() const;
  Tensor cross(const Tensor &b, int axis) const;
  Tensor cdist(const Tensor &b = Tensor(), double p = 2) const;
#ifndef TINY_NO_LINALG
  Tensor det() const;
  std::tuple<Tensor, Tensor> slogdet() const;
  Tensor inv() const;
  Tensor solve(const Tensor &b = Tensor()) const;
  Tensor triangular_solve(const Tensor &b, bool upper, bool unit) const;
  Tensor cholesky(bool upper = false) const;
  std::tuple<Tensor, Tensor, Tensor> lu() const;
  std::tuple<Tensor, Tensor> qr(bool complete = false) const;
  std::tuple<Tensor, Tensor, Tensor> svd() const;
  std::tuple<Tensor, Tensor> eigh() const;
  Tensor lu_solve(const Tensor &l, const Tensor &u, const Tensor &b = Tensor()) const;
  Tensor cholesky_solve(const Tensor &l, bool upper = false) const;
  Tensor pinv(double rtol = 0) const;
  Tensor pinv_within(double atol, double rtol = 0) const;
  Tensor lstsq(const Tensor &b = Tensor()) const;
  Tensor matrix_rank(double rtol = 0) const;
  Tensor matrix_rank_within(double atol, double rtol = 0) const;
  Tensor matrix_norm(tiny_norm_order order = TINY_NORM_FRO) const;
  Tensor cond(tiny_norm_order order = TINY_NORM_2) const;
  Tensor matrix_power(std::int64_t n) const;
  Tensor matrix_exp() const;
  Tensor cov(int correction = 1, const Tensor &fweights = Tensor(), const Tensor &aweights = Tensor()) const;
  Tensor corrcoef() const;
  // >>fft
  Tensor fft(std::int64_t n = 0, int axis = -1, tiny_fft_norm norm = TINY_FFT_BACKWARD) const;
  Tensor ifft(std::int64_t n = 0, int axis = -1, tiny_fft_norm norm = TINY_FFT_BACKWARD) const;
  Tensor rfft(std::int64_t n = 0, int axis = -1, tiny_fft_norm norm = TINY_FFT_BACKWARD) const;
  Tensor irfft(std::int64_t n = 0, int axis = -1, tiny_fft_norm norm = TINY_FFT_BACKWARD) const;
  Tensor fftn(const Shape &axes, tiny_fft_norm norm = TINY_FFT_BACKWARD) const;
  Tensor ifftn(const Shape &axes, tiny_fft_norm norm = TINY_FFT_BACKWARD) const;
  Tensor rfftn(const Shape &axes, tiny_fft_norm norm = TINY_FFT_BACKWARD) const;
  Tensor irfftn(std::int64_t last, const Shape &axes, tiny_fft_norm norm = TINY_FFT_BACKWARD) const;
  Tensor fftshift(const Shape &axes) const;
  Tensor ifftshift(const Shape &axes) const;
  Tensor stft(std::int64_t n, const tiny_stft_desc &d = tiny_stft_desc()) const;
  Tensor istft(std::int64_t n, const tiny_stft_desc &d = tiny_stft_desc()) const;
  Tensor complex(const Tensor &im = Tensor()) const;
  Tensor polar(const Tensor &angle) const;
  Tensor real() const;
  Tensor imag() const;
  Tensor conj() const;
  Tensor complex_mul(const Tensor &b = Tensor()) const;
  Tensor complex_abs() const;
#endif
#ifndef TINY_NO_NN
  // >>norms
  Tensor softmax(int axis) const;
  Tensor log_softmax(int axis) const;
  Tensor softmin(int axis) const;
  Tensor logsumexp(int axis, bool keepdim = false) const;
  Tensor gumbel_softmax(double tau = 1, bool hard = false, int axis = -1) const;
  Tensor layer_norm(int ndims, const Tensor &w = Tensor(), const Tensor &b = Tensor(), double eps = 0) const;
  Tensor rms_norm(int ndims, const Tensor &w = Tensor(), double eps = 0) const;
  Tensor group_norm(std::int64_t groups, const Tensor &w = Tensor(), const Tensor &b = Tensor(), double eps = 0) const;
  Tensor instance_norm(const Tensor &w = Tensor(), const Tensor &b = Tensor(), double eps = 0) const;
  Tensor batch_norm(tiny_batch_norm_state &s, bool train = true) const;
  Tensor local_response_norm(std::int64_t size, double alpha = 1e-4, double beta = 0.75, double k = 1) const;
  Tensor normalize(double p = 2, int axis = 1, double eps = 0) const;
  Tensor cosine_similarity(const Tensor &b = Tensor(), int axis = 1, double eps = 0) const;
  Tensor pairwise_distance(const Tensor &b = Tensor(), double p = 2, double eps = 0, bool keepdim = false) const;
  Tensor bilinear(const Tensor &z, const Tensor &w = Tensor(), const Tensor &bias = Tensor()) const;
  // >>losses
  Tensor mse_loss(const Tensor &y, tiny_reduction r = TINY_MEAN) const;
  Tensor l1_loss(const Tensor &y, tiny_reduction r = TINY_MEAN) const;
  Tensor smooth_l1_loss(const Tensor &y, double beta = 1, tiny_reduction r = TINY_MEAN) const;
  Tensor huber_loss(const Tensor &y, double delta = 1, tiny_reduction r = TINY_MEAN) const;
  Tensor binary_cross_entropy(const Tensor &y, const Tensor &weight = Tensor(), tiny_reduction r = TINY_MEAN) const;
  Tensor binary_cross_entropy_with_logits(const Tensor &y, const Tensor &weight = Tensor(), const Tensor &pos_weight = Tensor(), tiny_reduction r = TINY_MEAN) const;
  Tensor soft_margin_loss(const Tensor &y, tiny_reduction r = TINY_MEAN) const;
  Tensor multilabel_soft_margin_loss(const Tensor &y, const Tensor &weight = Tensor(), tiny_reduction r = TINY_MEAN) const;
  Tensor kl_div(const Tensor &y, bool log_target = false, tiny_reduction r = TINY_MEAN) const;
  Tensor gaussian_nll_loss(const Tensor &y, const Tensor &var, bool full = false, double eps = 0, tiny_reduction r = TINY_MEAN) const;
  Tensor poisson_nll_loss(const Tensor &y, bool log_input = true, bool full = false, double eps = 0, tiny_reduction r = TINY_MEAN) const;
  Tensor hinge_embedding_loss(const Tensor &y, double margin = 1, tiny_reduction r = TINY_MEAN) const;
  Tensor margin_ranking_loss(const Tensor &b, const Tensor &y, double margin = 0, tiny_reduction r = TINY_MEAN) const;
  Tensor cosine_embedding_loss(const Tensor &b, const Tensor &y, double margin = 0, tiny_reduction r = TINY_MEAN) const;
  Tensor triplet_margin_loss(const Tensor &positive, const Tensor &negative, double margin = 1, double p = 2, bool swap = false, tiny_reduction r = TINY_MEAN) const;
  Tensor cross_entropy(const Tensor &labels, const tiny_cross_entropy_desc &d = tiny_cross_entropy_desc()) const;
  Tensor nll_loss(const Tensor &labels, const tiny_cross_entropy_desc &d = tiny_cross_entropy_desc()) const;
  Tensor multi_margin_loss(const Tensor &labels, int p = 1, double margin = 1, const Tensor &weight = Tensor(), tiny_reduction r = TINY_MEAN) const;
  Tensor ctc_loss(const Tensor &targets, const Tensor &input_lengths, const Tensor &target_lengths, std::int64_t blank = 0, bool zero_infinity = false, tiny_reduction r = TINY_MEAN) const;
  // >>attention
  Tensor embedding(const Tensor &w = Tensor(), std::int64_t padding = -1) const;
  Tensor embedding_max_norm(const Tensor &w, std::int64_t padding, double max_norm, double p) const;
  Tensor embedding_bag(const Tensor &w = Tensor(), const Tensor &offsets = Tensor(), const Tensor &weights = Tensor(), tiny_reduction mode = TINY_MEAN, std::int64_t padding = -1) const;
  Tensor attention(const Tensor &k, const Tensor &v, const tiny_attention_desc &d = tiny_attention_desc()) const;
  Tensor rope(const Tensor &positions = Tensor(), const tiny_rope_desc &d = tiny_rope_desc()) const;
  // >>recurrent
  Tensor rnn_cell(const Tensor &h, const tiny_recurrent_weights &w, bool relu) const;
  Tensor gru_cell(const Tensor &h, const tiny_recurrent_weights &w) const;
  std::tuple<Tensor, Tensor> lstm_cell(const Tensor &h, const Tensor &c, const tiny_recurrent_weights &w) const;
  std::tuple<Tensor, Tensor> rnn(const Tensor &h0, const tiny_recurrent_weights *w, const tiny_recurrent_desc &d = tiny_recurrent_desc()) const;
  std::tuple<Tensor, Tensor> gru(const Tensor &h0, const tiny_recurrent_weights *w, const tiny_recurrent_desc &d = tiny_recurrent_desc()) const;
  std::tuple<Tensor, Tensor, Tensor> lstm(const Tensor &h0, const Tensor &c0, const tiny_recurrent_weights *w, const tiny_recurrent_desc &d = tiny_recurrent_desc()) const;
  // >>convolution
  Tensor conv(const Tensor &w = Tensor(), const Tensor &bias = Tensor(), const tiny_conv_desc &d = tiny_conv_desc()) const;
  Tensor conv1d(const Tensor &w = Tensor(), const Tensor &bias = Tensor(), const tiny_conv_desc &d = tiny_conv_desc()) const;
  Tensor conv2d(const Tensor &w = Tensor(), const Tensor &bias = Tensor(), const tiny_conv_desc &d = tiny_conv_desc()) const;
  Tensor conv3d(const Tensor &w = Tensor(), const Tensor &bias = Tensor(), const tiny_conv_desc &d = tiny_conv_desc()) const;
  Tensor conv_transpose(const Tensor &w = Tensor(), const Tensor &bias = Tensor(), const tiny_conv_desc &d = tiny_conv_desc()) const;
  Tensor conv_transpose1d(const Tensor &w = Tensor(), const Tensor &bias = Tensor(), const tiny_conv_desc &d = tiny_conv_desc()) const;
  Tensor conv_transpose2d(const Tensor &w = Tensor(), const Tensor &bias = Tensor(), const tiny_conv_desc &d = tiny_conv_desc()) const;
  Tensor conv_transpose3d(const Tensor &w = Tensor(), const Tensor &bias = Tensor(), const tiny_conv_desc &d = tiny_conv_desc()) const;
  std::tuple<Tensor, Tensor> max_pool_with_indices(const tiny_pool_desc &d) const;
  Tensor max_pool(const tiny_pool_desc &d) const;
  Tensor max_pool1d(int kernel, int stride = 0, int pad = 0) const;
  Tensor max_pool2d(int kernel, int stride = 0, int pad = 0) const;
  Tensor max_pool3d(int kernel, int stride = 0, int pad = 0) const;
  Tensor max_unpool(const Tensor &indices, const tiny_pool_desc &d, const Shape &out) const;
  Tensor avg_pool(const tiny_pool_desc &d) const;
  Tensor avg_pool1d(int kernel, int stride = 0, int pad = 0) const;
  Tensor avg_pool2d(int kernel, int stride = 0, int pad = 0) const;
  Tensor avg_pool3d(int kernel, int stride = 0, int pad = 0) const;
  Tensor lp_pool(double p, const tiny_pool_desc &d) const;
  Tensor adaptive_avg_pool(const Shape &out) const;
  std::tuple<Tensor, Tensor> adaptive_max_pool_with_indices(const Shape &out) const;
  Tensor adaptive_max_pool(const Shape &out) const;
  Tensor unfold(const tiny_pool_desc &d) const;
  Tensor fold(const Shape &out, const tiny_pool_desc &d) const;
  // >>images
  Tensor interpolate(const tiny_interpolate_desc &d = tiny_interpolate_desc()) const;
  Tensor grid_sample(const Tensor &grid, const tiny_grid_desc &d = tiny_grid_desc()) const;
  Tensor affine_grid(const Shape &size, bool align_corners) const;
  Tensor pixel_shuffle(int factor) const;
  Tensor pixel_unshuffle(int factor) const;
  Tensor channel_shuffle(int groups) const;
  // >>gradients
  Tensor checkpoint(const List &x) const;
#endif
  // >>look
  std::string to_text(const tiny_text_desc &d = tiny_text_desc()) const;
  tiny_code print() const;
#ifndef TINY_NO_INTERP
  std::string find_nan() const;
#endif
#ifndef TINY_NO_IO
  // >>files
  tiny_code save_npy(const char *path) const;
  tiny_code save_npy_to(tiny_writer to) const;
  // >>data
  tiny_code save_image(const char *path) const;
  tiny_code save_image_to(const char *format, tiny_writer to) const;
  tiny_code save_wav(int rate, const char *path) const;
  tiny_code save_wav_to(int rate, tiny_writer to) const;
  tiny_code save_idx(const char *path) const;
  tiny_code save_idx_to(tiny_writer to) const;
  tiny_code save_csv(const char *path, const tiny_csv_desc &d = tiny_csv_desc()) const;
  tiny_code save_csv_to(tiny_writer to, const tiny_csv_desc &d = tiny_csv_desc()) const;
#endif
#ifndef TINY_NO_NN
  // >>augmentation
  Tensor convert_image_dtype(tiny_dtype dtype) const;
  Tensor rgb_to_grayscale() const;
  Tensor resize(std::int64_t height, std::int64_t width) const;
  Tensor center_crop(std::int64_t height, std::int64_t width) const;
  Tensor gaussian_blur(int size, double sigma) const;
  Tensor random_horizontal_flip(double p) const;
  Tensor random_vertical_flip(double p) const;
  Tensor random_crop(std::int64_t height, std::int64_t width, std::int64_t padding = -1) const;
  Tensor random_resized_crop(std::int64_t height, std::int64_t width, const tiny_random_crop_desc &d = tiny_random_crop_desc()) const;
  Tensor random_affine(const tiny_random_affine_desc &d = tiny_random_affine_desc()) const;
  Tensor random_rotation(double degrees) const;
  Tensor color_jitter(const tiny_color_jitter_desc &d = tiny_color_jitter_desc()) const;
  Tensor adjust_brightness(const Tensor &factor) const;
  Tensor adjust_contrast(const Tensor &factor) const;
  Tensor adjust_saturation(const Tensor &factor) const;
  Tensor adjust_hue(const Tensor &factor) const;
  Tensor random_erasing(const tiny_random_erasing_desc &d = tiny_random_erasing_desc()) const;
  std::tuple<Tensor, Tensor> mixup(const Tensor &labels, std::int64_t classes, double alpha) const;
  std::tuple<Tensor, Tensor> cutmix(const Tensor &labels, std::int64_t classes, double alpha) const;
#endif
  // >>observe
  Tensor label(const char *name) const;
  const char *label_of() const;
private:
  friend struct Give;
  Tensor(tiny_tensor *x, const detail::Home_ &home, bool own) : handle() {
    if (x && home) handle = std::make_shared<detail::Handle>(x, home, own);
  }
  std::shared_ptr<detail::Handle> handle;
};

// Tensors, where a call takes several: {a, b} or a vector.
class List {
public:
  List(std::initializer_list<Tensor> tensors) : of(tensors), raw() { set(); }
  List(const std::vector<Tensor> &tensors) : of(tensors), raw() { set(); }
  tiny_tensor *const *get() const { return raw.data(); }
  int size() const { return static_cast<int>(raw.size()); }
  const std::vector<Tensor> &tensors() const { return of; }
  detail::Home_ home() const {
    for (const Tensor &x : of) if (x.home()) return x.home();
    return detail::Home_();
  }
private:
  void set() { for (const Tensor &x : of) raw.push_back(x.get()); }
  std::vector<Tensor> of;
  std::vector<tiny_tensor *> raw;
};

// ** contexts and frames **

namespace detail {
// The dtype of a type: of whole numbers by their size and sign, as long is not the same everywhere.
template <typename T> struct Dtype {
  static_assert(std::is_integral<T>::value && !std::is_same<T, bool>::value && sizeof(T) <= 8, "float, double or whole numbers; bools are u8");
  static constexpr tiny_dtype value = static_cast<tiny_dtype>(
      (sizeof(T) == 1 ? TINY_I8 : sizeof(T) == 2 ? TINY_I16 : sizeof(T) == 4 ? TINY_I32 : TINY_I64) + (std::is_signed<T>::value ? 0 : 1));
};
template <> struct Dtype<float> { static constexpr tiny_dtype value = TINY_F32; };
template <> struct Dtype<double> { static constexpr tiny_dtype value = TINY_F64; };
} // namespace detail

// Opens a context and closes it. Copies are one context, which closes with the last of them; moved it is copied.
class Context {
public:
  Context() : Context(tiny_desc()) {}
  explicit Context(const tiny_desc &d) : own(std::make_shared<Own>(tiny_open(&d))) { detail::check(own->home); }
  explicit Context(const char *device) : Context(named(device)) {}
  Context(const Context &) = default;
  Context &operator=(const Context &) = default;
  tiny_ctx *get() const { return own->home->t; }
  const detail::Home_ &home() const { return own->home; }
  tiny_code status() const { return tiny_status(get()); }
  const char *error() const { return tiny_error(get()); }
  void clear() { tiny_clear(get()); }
  // From any thread: see tiny_cancel.
  void cancel() const { tiny_cancel(get()); }
  bool ok() const { return status() == TINY_OK; }
  // A tensor of these elements: a vector, or {1.f, 2.f}; shape left out: (n).
  template <typename T> Tensor from(const std::vector<T> &data, const Shape &shape) const;
  template <typename T> Tensor from(const std::vector<T> &data) const {
    return from(data, {static_cast<std::int64_t>(data.size())});
  }
  template <typename T> Tensor from(std::initializer_list<T> data, const Shape &shape) const { return from(std::vector<T>(data), shape); }
  template <typename T> Tensor from(std::initializer_list<T> data) const { return from(std::vector<T>(data)); }
private:
  struct Own {
    detail::Home_ home;
    explicit Own(tiny_ctx *t) : home(std::make_shared<detail::Home>(t)) {}
    Own(const Own &) = delete;
    Own &operator=(const Own &) = delete;
    ~Own() { detail::close(*home); }
  };
  static tiny_desc named(const char *device) {
    tiny_desc d = tiny_desc();
    d.device = device;
    return d;
  }
  std::shared_ptr<Own> own;
};

// A frame: what is made in it dies with it, but what keep() moved out. end() gives the code of what ran, the end of the
// scope throws nothing.
class Frame {
public:
  explicit Frame(const Context &t) : home(t.home()) { tiny_begin(home->t); }
  Frame(const Frame &) = delete;
  Frame &operator=(const Frame &) = delete;
  ~Frame() { while (home && home->t && tiny_end(home->t) == TINY_E_CANCELLED && tiny_status(home->t) == TINY_OK) {} }
  tiny_code end() {
    const detail::Home_ was = std::move(home);
    home.reset();
    return was && was->t ? detail::checked(tiny_end(was->t), was) : TINY_E_STATE;
  }
private:
  detail::Home_ home;
};

// What is made in it has this name: see tiny_scope_begin.
class Scope {
public:
  Scope(const Context &t, const char *name) : home(t.home()) { tiny_scope_begin(home->t, name); }
  Scope(const Scope &) = delete;
  Scope &operator=(const Scope &) = delete;
  ~Scope() { if (home->t) tiny_scope_end(home->t); }
private:
  detail::Home_ home;
};

// ** what calls give **

namespace detail {
// Text of a function that writes as snprintf does.
template <typename Write> std::string text(const Write &write) {
  std::vector<char> out(4096);
  std::size_t n = write(out.data(), out.size());
  if (n >= out.size()) {                                     // it did not fit: once more
    out.resize(n + 1);
    n = write(out.data(), out.size());
  }
  return std::string(out.data(), n);
}
} // namespace detail

// A handle that a call gave, as a Tensor: one of its arguments, which it shares, or a new one.
struct Give {
  tiny_tensor *x;
  Tensor same;
  detail::Home_ home;
  explicit Give(tiny_tensor *given) : x(given), same(), home() {}
  Give(const Give &) = delete;
  Give &operator=(const Give &) = delete;
  Give &from(const Tensor &in) {
    if (!home) home = in.home();
    if (x && in.get() == x) same = in;
    return *this;
  }
  Give &from(const List &in) {
    for (const Tensor &one : in.tensors()) from(one);
    return *this;
  }
  Give &from(const Context &t) { return from(t.home()); }
  Give &from(const detail::Home_ &where) {
    if (!home) home = where;
    return *this;
  }
  static Tensor own(tiny_tensor *x, const detail::Home_ &home) { return Tensor(x, home, true); }
  static Tensor borrow(tiny_tensor *x, const detail::Home_ &home) { return Tensor(x, home, false); }
  Tensor tensor() const {
    const Tensor made = same.get() ? same : own(x, home);
    detail::check(home, !x);
    return made;
  }
};
template <typename... In> Tensor give(tiny_tensor *x, const In &...in) {
  Give made(x);
  (made.from(in), ...);
  return made.tensor();
}
inline std::vector<Tensor> give_all(const std::vector<tiny_tensor *> &made, const detail::Home_ &home) {
  std::vector<Tensor> all;
  for (tiny_tensor *x : made) all.push_back(Give::own(x, home));
  detail::check(home);
  return all;
}

inline Tensor::Tensor(tiny_tensor *x, const Context &t) : Tensor(x, t.home(), true) {}
inline Tensor Tensor::borrowed(tiny_tensor *x, const Context &t) { return Give::borrow(x, t.home()); }
template <typename T> Tensor Context::from(const std::vector<T> &data, const Shape &shape) const {
  std::int64_t n = 1;
  for (int i = 0; i < shape.ndim && i < TINY_MAX_DIMS; i++) n *= shape[i];
  const T none = T();
  const bool fits = n == static_cast<std::int64_t>(data.size());
  // too few elements are an error as any: no data
  return give(tiny_from(get(), !fits ? nullptr : data.empty() ? &none : data.data(), detail::Dtype<T>::value, shape), *this);
}
template <typename T> std::vector<T> Tensor::to_vector() const {
  const Tensor x = cast(detail::Dtype<T>::value);
  std::int64_t n = 1;
  const tiny_shape now = tiny_shape_now(x.get());
  for (int i = 0; i < now.ndim; i++) n *= now.dim[i];
  std::vector<T> out(x.ok() ? static_cast<std::size_t>(n) : 0);
  T none;
  const tiny_code code = tiny_read(x.get(), out.empty() ? &none : out.data(), out.size() * sizeof(T));
  if (code != TINY_OK) out.clear();
  detail::checked(code, x.home());
  return out;
}
inline tiny_code Tensor::realize() const {
  tiny_tensor *const x = get();
  return detail::checked(tiny_realize(&x, 1), home());
}
inline tiny_code realize(const List &xs) { return detail::checked(tiny_realize(xs.get(), xs.size()), xs.home()); }
inline Tensor Tensor::operator[](std::int64_t i) const { return select(0, i); }
inline Tensor Tensor::to(tiny_dtype dtype) const { return cast(dtype); }
inline Tensor Tensor::to(int device) const { return give(tiny_to(get(), device), *this); }

namespace detail {
// The size of an axis; 0 where there is none.
inline std::int64_t size_of(const Tensor &x, int axis) {
  const tiny_shape s = tiny_shape_of(x.get());
  const int at = axis < 0 ? axis + s.ndim : axis;
  return at >= 0 && at < s.ndim ? s.dim[at] : 0;
}
inline std::vector<Tensor> parts(std::vector<tiny_tensor *> &out, int n, const Home_ &home) {
  out.resize(static_cast<std::size_t>(n));
  return give_all(out, home);
}
inline std::vector<tiny_tensor *> room(std::int64_t n) { return std::vector<tiny_tensor *>(static_cast<std::size_t>(n > 1 ? n : 1)); }
} // namespace detail
inline std::vector<Tensor> Tensor::split(std::int64_t size, int axis) const {
  const std::int64_t n = detail::size_of(*this, axis);
  std::vector<tiny_tensor *> out = detail::room(size > 0 ? (n + size - 1) / size : 0);
  return detail::parts(out, tiny_split(get(), size, axis, out.data(), static_cast<int>(out.size())), home());
}
inline std::vector<Tensor> Tensor::split(const std::vector<std::int64_t> &sizes, int axis) const {
  std::vector<tiny_tensor *> out = detail::room(static_cast<std::int64_t>(sizes.size()));
  return detail::parts(out, tiny_split_sizes(get(), sizes.data(), static_cast<int>(sizes.size()), axis, out.data()), home());
}
inline std::vector<Tensor> Tensor::chunk(int n, int axis) const {
  std::vector<tiny_tensor *> out = detail::room(n);
  return detail::parts(out, tiny_chunk(get(), n, axis, out.data()), home());
}
inline std::vector<Tensor> Tensor::unbind(int axis) const {
  std::vector<tiny_tensor *> out = detail::room(detail::size_of(*this, axis));
  return detail::parts(out, tiny_unbind(get(), axis, out.data(), static_cast<int>(out.size())), home());
}
// Lists -> tensors of the shape that their lengths make: tiny_meshgrid.
inline std::vector<Tensor> meshgrid(const List &xs, bool xy = false) {
  std::vector<tiny_tensor *> out = detail::room(xs.size());
  return detail::parts(out, tiny_meshgrid(xs.get(), xs.size(), xy, out.data()), xs.home());
}

// >>types
inline const char *code_name(tiny_code code) { return tiny_code_name(code); }
inline const char *version() { return tiny_version(); }
inline const char *build_options() { return tiny_build_options(); }
inline size_t dtype_nbytes(tiny_dtype d) { return tiny_dtype_nbytes(d); }
inline const char *dtype_name(tiny_dtype d) { return tiny_dtype_name(d); }
inline tiny_dtype promote(tiny_dtype a, tiny_dtype b) { return tiny_promote(a, b); }
// >>context
inline Tensor Tensor::keep() const { return give(tiny_keep(get()), *this); }
inline tiny_stats stats_of(const Context &t) { return tiny_stats_of(t.get()); }
// >>tensors
inline Tensor from(const Context &t, const void *data, const Shape &shape, tiny_dtype dtype = TINY_F32) { return give(tiny_from(t.get(), data, dtype, shape), t); }
inline Tensor blob(const Context &t, void *data, const Shape &shape, const std::int64_t *strides = nullptr, tiny_dtype dtype = TINY_F32) { return give(tiny_blob(t.get(), data, dtype, shape, strides), t); }
inline Tensor blob_of(const Context &t, void *mem, const Shape &shape, tiny_dtype dtype = TINY_F32) { return give(tiny_blob_of(t.get(), mem, dtype, shape), t); }
inline Tensor scalar(const Context &t, double value, tiny_dtype dtype = TINY_F32) { return give(tiny_scalar(t.get(), value, dtype), t); }
inline Tensor length(const Context &t, std::int64_t value, std::int64_t least, std::int64_t most) { return give(tiny_length(t.get(), value, least, most), t); }
inline tiny_code Tensor::read(void *out, std::size_t nbytes) const { return detail::checked(tiny_read(get(), out, nbytes), home()); }
inline tiny_code Tensor::write(const void *data, std::size_t nbytes) const { return detail::checked(tiny_write(get(), data, nbytes), home()); }
#ifndef TINY_NO_INTERP
inline tiny_code Tensor::reference(void *out, std::size_t nbytes) const { return detail::checked(tiny_reference(get(), out, nbytes), home()); }
#endif
inline double Tensor::item() const {
  const double y_ = tiny_item(get());
  detail::check(home(), true);
  return y_;
}
inline std::int64_t Tensor::item_i64() const {
  const std::int64_t y_ = tiny_item_i64(get());
  detail::check(home(), true);
  return y_;
}
inline Shape Tensor::shape() const { return tiny_shape_of(get()); }
inline Shape Tensor::shape_now() const { return tiny_shape_now(get()); }
inline tiny_dtype Tensor::dtype() const { return tiny_dtype_of(get()); }
inline std::int64_t Tensor::nelem() const {
  const std::int64_t y_ = tiny_nelem_of(get());
  detail::check(home());
  return y_;
}
inline Tensor Tensor::assign(const Tensor &value) const { return give(tiny_assign(get(), value.get()), *this, value); }
inline Tensor Tensor::clone() const { return give(tiny_clone(get()), *this); }
inline Tensor Tensor::contiguous() const { return give(tiny_contiguous(get()), *this); }
inline Tensor Tensor::detach() const { return give(tiny_detach(get()), *this); }
inline Tensor Tensor::cast(tiny_dtype dtype) const { return give(tiny_cast(get(), dtype), *this); }
inline Tensor Tensor::bitcast(tiny_dtype dtype) const { return give(tiny_bitcast(get(), dtype), *this); }
// >>devices
inline int device_count(const Context &t) { return tiny_device_count(t.get()); }
inline const char *device_name(const Context &t, int device) { return tiny_device_name(t.get(), device); }
inline void *device_handle(const Context &t, int device) { return tiny_device_handle(t.get(), device); }
inline tiny_stats device_stats(const Context &t, int device) { return tiny_device_stats(t.get(), device); }
inline int use_device(const Context &t, int device) { return tiny_use_device(t.get(), device); }
inline tiny_code sync(const Context &t) { return detail::checked(tiny_sync(t.get()), t.home()); }
inline int Tensor::device() const { return tiny_device_of(get()); }
inline Tensor Tensor::shard(int axis, const std::vector<int> &devices) const { return give(tiny_shard(get(), axis, devices.data(), static_cast<int>(devices.size())), *this); }
inline Tensor Tensor::replicate(const std::vector<int> &devices) const { return give(tiny_replicate(get(), devices.data(), static_cast<int>(devices.size())), *this); }
inline Tensor Tensor::shard_part(int i) const { return give(tiny_shard_part(get(), i), *this); }
inline int Tensor::shard_count() const { return tiny_shard_count(get()); }
inline int Tensor::shard_axis() const { return tiny_shard_axis(get()); }
// >>creation
inline Tensor full(const Context &t, double value, const Shape &shape, tiny_dtype dtype = TINY_F32) { return give(tiny_full(t.get(), value, dtype, shape), t); }
inline Tensor zeros(const Context &t, const Shape &shape, tiny_dtype dtype = TINY_F32) { return give(tiny_zeros(t.get(), dtype, shape), t); }
inline Tensor ones(const Context &t, const Shape &shape, tiny_dtype dtype = TINY_F32) { return give(tiny_ones(t.get(), dtype, shape), t); }
inline Tensor Tensor::full_like(double value) const { return give(tiny_full_like(get(), value), *this); }
inline Tensor Tensor::zeros_like() const { return give(tiny_zeros_like(get()), *this); }
inline Tensor Tensor::ones_like() const { return give(tiny_ones_like(get()), *this); }
inline Tensor Tensor::like(double value) const { return give(tiny_like(get(), value), *this); }
inline Tensor arange(const Context &t, double start, double stop, double step = 1, tiny_dtype dtype = TINY_F32) { return give(tiny_arange(t.get(), start, stop, step, dtype), t); }
inline Tensor linspace(const Context &t, double start, double stop, std::int64_t n, tiny_dtype dtype = TINY_F32) { return give(tiny_linspace(t.get(), start, stop, n, dtype), t); }
inline Tensor logspace(const Context &t, double start, double stop, std::int64_t n, double base, tiny_dtype dtype = TINY_F32) { return give(tiny_logspace(t.get(), start, stop, n, base, dtype), t); }
inline Tensor eye(const Context &t, std::int64_t n, tiny_dtype dtype = TINY_F32) { return give(tiny_eye(t.get(), n, dtype), t); }
inline Tensor eye_nm(const Context &t, std::int64_t n, std::int64_t m, std::int64_t diagonal = 0, tiny_dtype dtype = TINY_F32) { return give(tiny_eye_nm(t.get(), n, m, diagonal, dtype), t); }
inline Tensor tri(const Context &t, std::int64_t n, std::int64_t m, std::int64_t diagonal = 0, tiny_dtype dtype = TINY_F32) { return give(tiny_tri(t.get(), n, m, diagonal, dtype), t); }
inline Tensor Tensor::tril(std::int64_t diagonal) const { return give(tiny_tril(get(), diagonal), *this); }
inline Tensor Tensor::triu(std::int64_t diagonal) const { return give(tiny_triu(get(), diagonal), *this); }
// >>random
inline void seed(const Context &t, std::uint64_t seed) {
  tiny_seed(t.get(), seed);
  detail::check(t.home());
}
inline Tensor rand(const Context &t, const Shape &shape) { return give(tiny_rand(t.get(), shape), t); }
inline Tensor randn(const Context &t, const Shape &shape) { return give(tiny_randn(t.get(), shape), t); }
inline Tensor Tensor::rand_like() const { return give(tiny_rand_like(get()), *this); }
inline Tensor Tensor::randn_like() const { return give(tiny_randn_like(get()), *this); }
inline Tensor uniform(const Context &t, double low, double high, const Shape &shape, tiny_dtype dtype = TINY_F32) { return give(tiny_uniform(t.get(), low, high, dtype, shape), t); }
inline Tensor normal(const Context &t, double mean, double std, const Shape &shape, tiny_dtype dtype = TINY_F32) { return give(tiny_normal(t.get(), mean, std, dtype, shape), t); }
inline Tensor randint(const Context &t, std::int64_t low, std::int64_t high, const Shape &shape, tiny_dtype dtype = TINY_F32) { return give(tiny_randint(t.get(), low, high, dtype, shape), t); }
inline Tensor randperm(const Context &t, std::int64_t n) { return give(tiny_randperm(t.get(), n), t); }
inline Tensor Tensor::bernoulli() const { return give(tiny_bernoulli(get()), *this); }
inline Tensor Tensor::multinomial(std::int64_t n, bool replacement) const { return give(tiny_multinomial(get(), n, replacement), *this); }
inline Tensor xavier_uniform(const Context &t, const Shape &shape) { return give(tiny_xavier_uniform(t.get(), shape), t); }
inline Tensor xavier_normal(const Context &t, const Shape &shape) { return give(tiny_xavier_normal(t.get(), shape), t); }
inline Tensor kaiming_uniform(const Context &t, double slope, const Shape &shape) { return give(tiny_kaiming_uniform(t.get(), slope, shape), t); }
inline Tensor kaiming_normal(const Context &t, double slope, const Shape &shape) { return give(tiny_kaiming_normal(t.get(), slope, shape), t); }
inline Tensor Tensor::dropout(double p, bool train) const { return give(tiny_dropout(get(), p, train), *this); }
// >>movement
inline Tensor Tensor::reshape(const Shape &shape) const { return give(tiny_reshape(get(), shape), *this); }
inline Tensor Tensor::flatten(int first, int last) const { return give(tiny_flatten(get(), first, last), *this); }
inline Tensor Tensor::unflatten(int axis, const Shape &sizes) const { return give(tiny_unflatten(get(), axis, sizes), *this); }
inline Tensor Tensor::squeeze(const Axes &axis) const { return give(tiny_squeeze(get(), axis.get()), *this); }
inline Tensor Tensor::unsqueeze(int axis) const { return give(tiny_unsqueeze(get(), axis), *this); }
inline Tensor Tensor::permute(const Shape &axes) const { return give(tiny_permute(get(), axes), *this); }
inline Tensor Tensor::transpose(int a, int b) const { return give(tiny_transpose(get(), a, b), *this); }
inline Tensor Tensor::movedim(int from, int to) const { return give(tiny_movedim(get(), from, to), *this); }
inline Tensor Tensor::expand(const Shape &shape) const { return give(tiny_expand(get(), shape), *this); }
inline Tensor Tensor::expand_as(const Tensor &like) const { return give(tiny_expand_as(get(), like.get()), *this, like); }
inline Tensor Tensor::tile(const Shape &times) const { return give(tiny_tile(get(), times), *this); }
inline Tensor Tensor::repeat(const Shape &times) const { return give(tiny_repeat(get(), times), *this); }
inline Tensor Tensor::repeat_interleave(std::int64_t times, int axis) const { return give(tiny_repeat_interleave(get(), times, axis), *this); }
inline Tensor Tensor::flip(const Shape &axes) const { return give(tiny_flip(get(), axes), *this); }
inline Tensor Tensor::roll(const Shape &by, const Shape &axes) const { return give(tiny_roll(get(), by, axes), *this); }
inline Tensor Tensor::rot90(int turns, int a, int b) const { return give(tiny_rot90(get(), turns, a, b), *this); }
inline Tensor Tensor::shrink(const Shape &begin_end) const { return give(tiny_shrink(get(), begin_end), *this); }
inline Tensor Tensor::slice(int axis, std::int64_t start, std::int64_t stop, std::int64_t step) const { return give(tiny_slice(get(), axis, start, stop, step), *this); }
inline Tensor Tensor::slice_to(int axis, const Tensor &n) const { return give(tiny_slice_to(get(), axis, n.get()), *this, n); }
inline Tensor Tensor::with_length(int axis, const Tensor &n) const { return give(tiny_with_length(get(), axis, n.get()), *this, n); }
inline Tensor Tensor::whole(int axis, double fill) const { return give(tiny_whole(get(), axis, fill), *this); }
inline Tensor Tensor::length_of(int axis) const { return give(tiny_length_of(get(), axis), *this); }
inline Tensor Tensor::mask_to(int axis, const Tensor &n) const { return give(tiny_mask_to(get(), axis, n.get()), *this, n); }
inline Tensor Tensor::slice_at(int axis, const Tensor &begin, std::int64_t count) const { return give(tiny_slice_at(get(), axis, begin.get(), count), *this, begin); }
inline Tensor Tensor::narrow(int axis, std::int64_t start, std::int64_t length) const { return give(tiny_narrow(get(), axis, start, length), *this); }
inline Tensor Tensor::select(int axis, std::int64_t index) const { return give(tiny_select(get(), axis, index), *this); }
inline Tensor Tensor::sliding_window(int axis, std::int64_t size, std::int64_t step) const { return give(tiny_sliding_window(get(), axis, size, step), *this); }
inline Tensor Tensor::diagonal(std::int64_t diagonal, int a, int b) const { return give(tiny_diagonal(get(), diagonal, a, b), *this); }
inline Tensor Tensor::diag_embed(std::int64_t diagonal, int a, int b) const { return give(tiny_diag_embed(get(), diagonal, a, b), *this); }
inline Tensor Tensor::diag(std::int64_t diagonal) const { return give(tiny_diag(get(), diagonal), *this); }
inline Tensor Tensor::select_scatter(const Tensor &src, int axis, std::int64_t index) const { return give(tiny_select_scatter(get(), src.get(), axis, index), *this, src); }
inline Tensor Tensor::slice_scatter(const Tensor &src, int axis, std::int64_t start, std::int64_t stop, std::int64_t step) const { return give(tiny_slice_scatter(get(), src.get(), axis, start, stop, step), *this, src); }
inline Tensor Tensor::diagonal_scatter(const Tensor &src, std::int64_t diagonal, int a, int b) const { return give(tiny_diagonal_scatter(get(), src.get(), diagonal, a, b), *this, src); }
inline Tensor cat(const List &xs, int axis = 0) { return give(tiny_cat(xs.get(), xs.size(), axis), xs); }
inline Tensor stack(const List &xs, int axis = 0) { return give(tiny_stack(xs.get(), xs.size(), axis), xs); }
inline Tensor Tensor::pad(const Shape &before_after, double value) const { return give(tiny_pad(get(), before_after, value), *this); }
inline Tensor Tensor::pad_mode(const Shape &before_after, tiny_padding how) const { return give(tiny_pad_mode(get(), before_after, how), *this); }
// >>elementwise
inline Tensor Tensor::add(const Tensor &b) const { return give(tiny_add(get(), b.get()), *this, b); }
inline Tensor Tensor::sub(const Tensor &b) const { return give(tiny_sub(get(), b.get()), *this, b); }
inline Tensor Tensor::mul(const Tensor &b) const { return give(tiny_mul(get(), b.get()), *this, b); }
inline Tensor Tensor::div(const Tensor &b) const { return give(tiny_div(get(), b.get()), *this, b); }
inline Tensor Tensor::floor_div(const Tensor &b) const { return give(tiny_floor_div(get(), b.get()), *this, b); }
inline Tensor Tensor::trunc_div(const Tensor &b) const { return give(tiny_trunc_div(get(), b.get()), *this, b); }
inline Tensor Tensor::remainder(const Tensor &b) const { return give(tiny_remainder(get(), b.get()), *this, b); }
inline Tensor Tensor::fmod(const Tensor &b) const { return give(tiny_fmod(get(), b.get()), *this, b); }
inline Tensor Tensor::pow(const Tensor &b) const { return give(tiny_pow(get(), b.get()), *this, b); }
inline Tensor Tensor::maximum(const Tensor &b) const { return give(tiny_maximum(get(), b.get()), *this, b); }
inline Tensor Tensor::minimum(const Tensor &b) const { return give(tiny_minimum(get(), b.get()), *this, b); }
inline Tensor Tensor::fmax(const Tensor &b) const { return give(tiny_fmax(get(), b.get()), *this, b); }
inline Tensor Tensor::fmin(const Tensor &b) const { return give(tiny_fmin(get(), b.get()), *this, b); }
inline Tensor Tensor::lt(const Tensor &b) const { return give(tiny_lt(get(), b.get()), *this, b); }
inline Tensor Tensor::gt(const Tensor &b) const { return give(tiny_gt(get(), b.get()), *this, b); }
inline Tensor Tensor::le(const Tensor &b) const { return give(tiny_le(get(), b.get()), *this, b); }
inline Tensor Tensor::ge(const Tensor &b) const { return give(tiny_ge(get(), b.get()), *this, b); }
inline Tensor Tensor::eq(const Tensor &b) const { return give(tiny_eq(get(), b.get()), *this, b); }
inline Tensor Tensor::ne(const Tensor &b) const { return give(tiny_ne(get(), b.get()), *this, b); }
inline Tensor Tensor::add_scalar(double value) const { return give(tiny_add_scalar(get(), value), *this); }
inline Tensor Tensor::sub_scalar(double value) const { return give(tiny_sub_scalar(get(), value), *this); }
inline Tensor Tensor::rsub_scalar(double value) const { return give(tiny_rsub_scalar(get(), value), *this); }
inline Tensor Tensor::mul_scalar(double value) const { return give(tiny_mul_scalar(get(), value), *this); }
inline Tensor Tensor::div_scalar(double value) const { return give(tiny_div_scalar(get(), value), *this); }
inline Tensor Tensor::rdiv_scalar(double value) const { return give(tiny_rdiv_scalar(get(), value), *this); }
inline Tensor Tensor::floor_div_scalar(double value) const { return give(tiny_floor_div_scalar(get(), value), *this); }
inline Tensor Tensor::rfloor_div_scalar(double value) const { return give(tiny_rfloor_div_scalar(get(), value), *this); }
inline Tensor Tensor::remainder_scalar(double value) const { return give(tiny_remainder_scalar(get(), value), *this); }
inline Tensor Tensor::rremainder_scalar(double value) const { return give(tiny_rremainder_scalar(get(), value), *this); }
inline Tensor Tensor::pow_scalar(double value) const { return give(tiny_pow_scalar(get(), value), *this); }
inline Tensor Tensor::rpow_scalar(double value) const { return give(tiny_rpow_scalar(get(), value), *this); }
inline Tensor Tensor::maximum_scalar(double value) const { return give(tiny_maximum_scalar(get(), value), *this); }
inline Tensor Tensor::minimum_scalar(double value) const { return give(tiny_minimum_scalar(get(), value), *this); }
inline Tensor Tensor::lt_scalar(double value) const { return give(tiny_lt_scalar(get(), value), *this); }
inline Tensor Tensor::gt_scalar(double value) const { return give(tiny_gt_scalar(get(), value), *this); }
inline Tensor Tensor::le_scalar(double value) const { return give(tiny_le_scalar(get(), value), *this); }
inline Tensor Tensor::ge_scalar(double value) const { return give(tiny_ge_scalar(get(), value), *this); }
inline Tensor Tensor::eq_scalar(double value) const { return give(tiny_eq_scalar(get(), value), *this); }
inline Tensor Tensor::ne_scalar(double value) const { return give(tiny_ne_scalar(get(), value), *this); }
inline Tensor Tensor::isclose(const Tensor &b, double rtol, double atol, bool equal_nan) const { return give(tiny_isclose(get(), b.get(), rtol, atol, equal_nan), *this, b); }
inline Tensor Tensor::allclose(const Tensor &b, double rtol, double atol, bool equal_nan) const { return give(tiny_allclose(get(), b.get(), rtol, atol, equal_nan), *this, b); }
inline Tensor Tensor::logical_and(const Tensor &b) const { return give(tiny_logical_and(get(), b.get()), *this, b); }
inline Tensor Tensor::logical_or(const Tensor &b) const { return give(tiny_logical_or(get(), b.get()), *this, b); }
inline Tensor Tensor::logical_xor(const Tensor &b) const { return give(tiny_logical_xor(get(), b.get()), *this, b); }
inline Tensor Tensor::logical_not() const { return give(tiny_logical_not(get()), *this); }
inline Tensor Tensor::bitwise_and(const Tensor &b) const { return give(tiny_bitwise_and(get(), b.get()), *this, b); }
inline Tensor Tensor::bitwise_or(const Tensor &b) const { return give(tiny_bitwise_or(get(), b.get()), *this, b); }
inline Tensor Tensor::bitwise_xor(const Tensor &b) const { return give(tiny_bitwise_xor(get(), b.get()), *this, b); }
inline Tensor Tensor::bitwise_not() const { return give(tiny_bitwise_not(get()), *this); }
inline Tensor Tensor::shift_left(const Tensor &b) const { return give(tiny_shift_left(get(), b.get()), *this, b); }
inline Tensor Tensor::shift_right(const Tensor &b) const { return give(tiny_shift_right(get(), b.get()), *this, b); }
inline Tensor Tensor::gcd(const Tensor &b) const { return give(tiny_gcd(get(), b.get()), *this, b); }
inline Tensor Tensor::lcm(const Tensor &b) const { return give(tiny_lcm(get(), b.get()), *this, b); }
inline Tensor Tensor::where(const Tensor &a, const Tensor &b) const { return give(tiny_where(get(), a.get(), b.get()), *this, a, b); }
inline Tensor Tensor::clamp(double lo, double hi) const { return give(tiny_clamp(get(), lo, hi), *this); }
inline Tensor Tensor::clamp_to(const Tensor &lo, const Tensor &hi) const { return give(tiny_clamp_to(get(), lo.get(), hi.get()), *this, lo, hi); }
inline Tensor Tensor::lerp(const Tensor &b, const Tensor &weight) const { return give(tiny_lerp(get(), b.get(), weight.get()), *this, b, weight); }
inline Tensor Tensor::addcmul(const Tensor &a, const Tensor &b, double value) const { return give(tiny_addcmul(get(), a.get(), b.get(), value), *this, a, b); }
inline Tensor Tensor::addcdiv(const Tensor &a, const Tensor &b, double value) const { return give(tiny_addcdiv(get(), a.get(), b.get(), value), *this, a, b); }
inline Tensor Tensor::neg() const { return give(tiny_neg(get()), *this); }
inline Tensor Tensor::abs() const { return give(tiny_abs(get()), *this); }
inline Tensor Tensor::sign() const { return give(tiny_sign(get()), *this); }
inline Tensor Tensor::square() const { return give(tiny_square(get()), *this); }
inline Tensor Tensor::trunc() const { return give(tiny_trunc(get()), *this); }
inline Tensor Tensor::floor() const { return give(tiny_floor(get()), *this); }
inline Tensor Tensor::ceil() const { return give(tiny_ceil(get()), *this); }
inline Tensor Tensor::round() const { return give(tiny_round(get()), *this); }
inline Tensor Tensor::round_to(int decimals) const { return give(tiny_round_to(get(), decimals), *this); }
inline Tensor Tensor::frac() const { return give(tiny_frac(get()), *this); }
inline Tensor Tensor::copysign(const Tensor &b) const { return give(tiny_copysign(get(), b.get()), *this, b); }
inline Tensor Tensor::heaviside(const Tensor &at_zero) const { return give(tiny_heaviside(get(), at_zero.get()), *this, at_zero); }
inline Tensor Tensor::nan_to_num(double nan, double posinf, double neginf) const { return give(tiny_nan_to_num(get(), nan, posinf, neginf), *this); }
inline Tensor Tensor::isnan() const { return give(tiny_isnan(get()), *this); }
inline Tensor Tensor::isinf() const { return give(tiny_isinf(get()), *this); }
inline Tensor Tensor::isposinf() const { return give(tiny_isposinf(get()), *this); }
inline Tensor Tensor::isneginf() const { return give(tiny_isneginf(get()), *this); }
inline Tensor Tensor::isfinite() const { return give(tiny_isfinite(get()), *this); }
inline Tensor Tensor::signbit() const { return give(tiny_signbit(get()), *this); }
// >>math
inline Tensor Tensor::sqrt() const { return give(tiny_sqrt(get()), *this); }
inline Tensor Tensor::rsqrt() const { return give(tiny_rsqrt(get()), *this); }
inline Tensor Tensor::cbrt() const { return give(tiny_cbrt(get()), *this); }
inline Tensor Tensor::reciprocal() const { return give(tiny_reciprocal(get()), *this); }
inline Tensor Tensor::exp() const { return give(tiny_exp(get()), *this); }
inline Tensor Tensor::exp2() const { return give(tiny_exp2(get()), *this); }
inline Tensor Tensor::expm1() const { return give(tiny_expm1(get()), *this); }
inline Tensor Tensor::log() const { return give(tiny_log(get()), *this); }
inline Tensor Tensor::log2() const { return give(tiny_log2(get()), *this); }
inline Tensor Tensor::log10() const { return give(tiny_log10(get()), *this); }
inline Tensor Tensor::log1p() const { return give(tiny_log1p(get()), *this); }
inline Tensor Tensor::sin() const { return give(tiny_sin(get()), *this); }
inline Tensor Tensor::cos() const { return give(tiny_cos(get()), *this); }
inline Tensor Tensor::tan() const { return give(tiny_tan(get()), *this); }
inline Tensor Tensor::asin() const { return give(tiny_asin(get()), *this); }
inline Tensor Tensor::acos() const { return give(tiny_acos(get()), *this); }
inline Tensor Tensor::atan() const { return give(tiny_atan(get()), *this); }
inline Tensor Tensor::atan2(const Tensor &x) const { return give(tiny_atan2(get(), x.get()), *this, x); }
inline Tensor Tensor::sinh() const { return give(tiny_sinh(get()), *this); }
inline Tensor Tensor::cosh() const { return give(tiny_cosh(get()), *this); }
inline Tensor Tensor::tanh() const { return give(tiny_tanh(get()), *this); }
inline Tensor Tensor::asinh() const { return give(tiny_asinh(get()), *this); }
inline Tensor Tensor::acosh() const { return give(tiny_acosh(get()), *this); }
inline Tensor Tensor::atanh() const { return give(tiny_atanh(get()), *this); }
inline Tensor Tensor::hypot(const Tensor &b) const { return give(tiny_hypot(get(), b.get()), *this, b); }
inline Tensor Tensor::logaddexp(const Tensor &b) const { return give(tiny_logaddexp(get(), b.get()), *this, b); }
inline Tensor Tensor::logaddexp2(const Tensor &b) const { return give(tiny_logaddexp2(get(), b.get()), *this, b); }
inline Tensor Tensor::xlogy(const Tensor &y) const { return give(tiny_xlogy(get(), y.get()), *this, y); }
inline Tensor Tensor::xlog1py(const Tensor &y) const { return give(tiny_xlog1py(get(), y.get()), *this, y); }
inline Tensor Tensor::logit(double eps) const { return give(tiny_logit(get(), eps), *this); }
inline Tensor Tensor::sinc() const { return give(tiny_sinc(get()), *this); }
inline Tensor Tensor::deg2rad() const { return give(tiny_deg2rad(get()), *this); }
inline Tensor Tensor::rad2deg() const { return give(tiny_rad2deg(get()), *this); }
inline Tensor Tensor::erf() const { return give(tiny_erf(get()), *this); }
inline Tensor Tensor::erfc() const { return give(tiny_erfc(get()), *this); }
inline Tensor Tensor::erfinv() const { return give(tiny_erfinv(get()), *this); }
inline Tensor Tensor::lgamma() const { return give(tiny_lgamma(get()), *this); }
inline Tensor Tensor::digamma() const { return give(tiny_digamma(get()), *this); }
inline Tensor polygamma(int n, const Tensor &x) { return give(tiny_polygamma(n, x.get()), x); }
inline Tensor Tensor::i0() const { return give(tiny_i0(get()), *this); }
inline Tensor Tensor::i0e() const { return give(tiny_i0e(get()), *this); }
inline Tensor Tensor::i1() const { return give(tiny_i1(get()), *this); }
inline Tensor Tensor::i1e() const { return give(tiny_i1e(get()), *this); }
inline Tensor Tensor::igamma(const Tensor &x) const { return give(tiny_igamma(get(), x.get()), *this, x); }
inline Tensor Tensor::igammac(const Tensor &x) const { return give(tiny_igammac(get(), x.get()), *this, x); }
// >>activations
inline Tensor Tensor::relu() const { return give(tiny_relu(get()), *this); }
inline Tensor Tensor::relu6() const { return give(tiny_relu6(get()), *this); }
inline Tensor Tensor::sigmoid() const { return give(tiny_sigmoid(get()), *this); }
inline Tensor Tensor::silu() const { return give(tiny_silu(get()), *this); }
inline Tensor Tensor::mish() const { return give(tiny_mish(get()), *this); }
inline Tensor Tensor::gelu() const { return give(tiny_gelu(get()), *this); }
inline Tensor Tensor::gelu_tanh() const { return give(tiny_gelu_tanh(get()), *this); }
inline Tensor Tensor::elu(double alpha) const { return give(tiny_elu(get(), alpha), *this); }
inline Tensor Tensor::selu() const { return give(tiny_selu(get()), *this); }
inline Tensor Tensor::celu(double alpha) const { return give(tiny_celu(get(), alpha), *this); }
inline Tensor Tensor::leaky_relu(double slope) const { return give(tiny_leaky_relu(get(), slope), *this); }
inline Tensor Tensor::prelu(const Tensor &weight) const { return give(tiny_prelu(get(), weight.get()), *this, weight); }
inline Tensor Tensor::rrelu(double lower, double upper) const { return give(tiny_rrelu(get(), lower, upper), *this); }
inline Tensor Tensor::hardtanh(double lo, double hi) const { return give(tiny_hardtanh(get(), lo, hi), *this); }
inline Tensor Tensor::hardsigmoid() const { return give(tiny_hardsigmoid(get()), *this); }
inline Tensor Tensor::hardswish() const { return give(tiny_hardswish(get()), *this); }
inline Tensor Tensor::threshold(double threshold, double value) const { return give(tiny_threshold(get(), threshold, value), *this); }
inline Tensor Tensor::hardshrink(double lambda) const { return give(tiny_hardshrink(get(), lambda), *this); }
inline Tensor Tensor::softshrink(double lambda) const { return give(tiny_softshrink(get(), lambda), *this); }
inline Tensor Tensor::tanhshrink() const { return give(tiny_tanhshrink(get()), *this); }
inline Tensor Tensor::softsign() const { return give(tiny_softsign(get()), *this); }
inline Tensor Tensor::softplus(double beta, double threshold) const { return give(tiny_softplus(get(), beta, threshold), *this); }
inline Tensor Tensor::logsigmoid() const { return give(tiny_logsigmoid(get()), *this); }
inline Tensor Tensor::glu(int axis) const { return give(tiny_glu(get(), axis), *this); }
// >>reductions
inline Tensor Tensor::sum(const Axes &axis, bool keepdim) const { return give(tiny_sum(get(), axis.get(), keepdim), *this); }
inline Tensor Tensor::prod(const Axes &axis, bool keepdim) const { return give(tiny_prod(get(), axis.get(), keepdim), *this); }
inline Tensor Tensor::amax(const Axes &axis, bool keepdim) const { return give(tiny_amax(get(), axis.get(), keepdim), *this); }
inline Tensor Tensor::amin(const Axes &axis, bool keepdim) const { return give(tiny_amin(get(), axis.get(), keepdim), *this); }
inline std::tuple<Tensor, Tensor> Tensor::aminmax(const Axes &axis, bool keepdim) const {
  tiny_tensor *max_ = nullptr;
  const Tensor y_ = give(tiny_aminmax(get(), axis.get(), keepdim, &max_), *this);
  return std::make_tuple(y_, Give::own(max_, y_.home()));
}
inline Tensor Tensor::mean(const Axes &axis, bool keepdim) const { return give(tiny_mean(get(), axis.get(), keepdim), *this); }
inline Tensor Tensor::var(const Axes &axis, bool keepdim, int correction) const { return give(tiny_var(get(), axis.get(), keepdim, correction), *this); }
inline Tensor Tensor::std(const Axes &axis, bool keepdim, int correction) const { return give(tiny_std(get(), axis.get(), keepdim, correction), *this); }
inline std::tuple<Tensor, Tensor> Tensor::var_mean(const Axes &axis, bool keepdim, int correction) const {
  tiny_tensor *mean_ = nullptr;
  const Tensor y_ = give(tiny_var_mean(get(), axis.get(), keepdim, correction, &mean_), *this);
  return std::make_tuple(y_, Give::own(mean_, y_.home()));
}
inline std::tuple<Tensor, Tensor> Tensor::std_mean(const Axes &axis, bool keepdim, int correction) const {
  tiny_tensor *mean_ = nullptr;
  const Tensor y_ = give(tiny_std_mean(get(), axis.get(), keepdim, correction, &mean_), *this);
  return std::make_tuple(y_, Give::own(mean_, y_.home()));
}
inline Tensor Tensor::nansum(const Axes &axis, bool keepdim) const { return give(tiny_nansum(get(), axis.get(), keepdim), *this); }
inline Tensor Tensor::nanmean(const Axes &axis, bool keepdim) const { return give(tiny_nanmean(get(), axis.get(), keepdim), *this); }
inline Tensor Tensor::any(const Axes &axis, bool keepdim) const { return give(tiny_any(get(), axis.get(), keepdim), *this); }
inline Tensor Tensor::all(const Axes &axis, bool keepdim) const { return give(tiny_all(get(), axis.get(), keepdim), *this); }
inline Tensor Tensor::count_nonzero(const Axes &axis, bool keepdim) const { return give(tiny_count_nonzero(get(), axis.get(), keepdim), *this); }
inline Tensor Tensor::norm(double p, const Axes &axis, bool keepdim) const { return give(tiny_norm(get(), p, axis.get(), keepdim), *this); }
inline Tensor Tensor::renorm(double p, int axis, double most) const { return give(tiny_renorm(get(), p, axis, most), *this); }
inline Tensor Tensor::dist(const Tensor &b, double p) const { return give(tiny_dist(get(), b.get(), p), *this, b); }
inline Tensor Tensor::reduce(tiny_reduce_op op, const Shape &axes, bool keepdim) const { return give(tiny_reduce(get(), op, axes, keepdim), *this); }
inline Tensor Tensor::argmax(int axis, bool keepdim) const { return give(tiny_argmax(get(), axis, keepdim), *this); }
inline Tensor Tensor::argmin(int axis, bool keepdim) const { return give(tiny_argmin(get(), axis, keepdim), *this); }
inline std::tuple<Tensor, Tensor> (Tensor::max)(int axis, bool keepdim) const {
  tiny_tensor *index_ = nullptr;
  const Tensor y_ = give(tiny_max(get(), axis, keepdim, &index_), *this);
  return std::make_tuple(y_, Give::own(index_, y_.home()));
}
inline std::tuple<Tensor, Tensor> (Tensor::min)(int axis, bool keepdim) const {
  tiny_tensor *index_ = nullptr;
  const Tensor y_ = give(tiny_min(get(), axis, keepdim, &index_), *this);
  return std::make_tuple(y_, Give::own(index_, y_.home()));
}
inline Tensor Tensor::cumsum(int axis) const { return give(tiny_cumsum(get(), axis), *this); }
inline Tensor Tensor::cumprod(int axis) const { return give(tiny_cumprod(get(), axis), *this); }
inline Tensor Tensor::logcumsumexp(int axis) const { return give(tiny_logcumsumexp(get(), axis), *this); }
inline std::tuple<Tensor, Tensor> Tensor::cummax(int axis) const {
  tiny_tensor *index_ = nullptr;
  const Tensor y_ = give(tiny_cummax(get(), axis, &index_), *this);
  return std::make_tuple(y_, Give::own(index_, y_.home()));
}
inline std::tuple<Tensor, Tensor> Tensor::cummin(int axis) const {
  tiny_tensor *index_ = nullptr;
  const Tensor y_ = give(tiny_cummin(get(), axis, &index_), *this);
  return std::make_tuple(y_, Give::own(index_, y_.home()));
}
inline Tensor Tensor::diff(std::int64_t n, int axis, const Tensor &before, const Tensor &after) const { return give(tiny_diff(get(), n, axis, before.get(), after.get()), *this, before, after); }
inline Tensor Tensor::trapezoid(const Tensor &x, double step, int axis) const { return give(tiny_trapezoid(get(), x.get(), step, axis), *this, x); }
inline Tensor Tensor::cumulative_trapezoid(const Tensor &x, double step, int axis) const { return give(tiny_cumulative_trapezoid(get(), x.get(), step, axis), *this, x); }
// >>indexing
inline Tensor Tensor::one_hot(std::int64_t classes) const { return give(tiny_one_hot(get(), classes), *this); }
inline Tensor Tensor::gather(int axis, const Tensor &index) const { return give(tiny_gather(get(), axis, index.get()), *this, index); }
inline Tensor Tensor::take_along_axis(int axis, const Tensor &index) const { return give(tiny_take_along_axis(get(), axis, index.get()), *this, index); }
inline Tensor Tensor::index_select(int axis, const Tensor &index) const { return give(tiny_index_select(get(), axis, index.get()), *this, index); }
inline Tensor Tensor::take(const Tensor &index) const { return give(tiny_take(get(), index.get()), *this, index); }
inline Tensor Tensor::index(const List &index) const { return give(tiny_index(get(), index.get(), index.size()), *this, index); }
inline Tensor Tensor::scatter(int axis, const Tensor &index, const Tensor &src) const { return give(tiny_scatter(get(), axis, index.get(), src.get()), *this, index, src); }
inline Tensor Tensor::scatter_add(int axis, const Tensor &index, const Tensor &src) const { return give(tiny_scatter_add(get(), axis, index.get(), src.get()), *this, index, src); }
inline Tensor Tensor::scatter_reduce(int axis, const Tensor &index, const Tensor &src, tiny_reduce_op mode, bool include_self) const { return give(tiny_scatter_reduce(get(), axis, index.get(), src.get(), mode, include_self), *this, index, src); }
inline Tensor Tensor::index_add(int axis, const Tensor &index, const Tensor &src) const { return give(tiny_index_add(get(), axis, index.get(), src.get()), *this, index, src); }
inline Tensor Tensor::index_copy(int axis, const Tensor &index, const Tensor &src) const { return give(tiny_index_copy(get(), axis, index.get(), src.get()), *this, index, src); }
inline Tensor Tensor::index_reduce(int axis, const Tensor &index, const Tensor &src, tiny_reduce_op mode, bool include_self) const { return give(tiny_index_reduce(get(), axis, index.get(), src.get(), mode, include_self), *this, index, src); }
inline Tensor Tensor::index_fill(int axis, const Tensor &index, double value) const { return give(tiny_index_fill(get(), axis, index.get(), value), *this, index); }
inline Tensor Tensor::put(const Tensor &index, const Tensor &src, bool accumulate) const { return give(tiny_put(get(), index.get(), src.get(), accumulate), *this, index, src); }
inline Tensor Tensor::index_put(const List &index, const Tensor &src, bool accumulate) const { return give(tiny_index_put(get(), index.get(), index.size(), src.get(), accumulate), *this, index, src); }
inline Tensor Tensor::masked_fill(const Tensor &mask, double value) const { return give(tiny_masked_fill(get(), mask.get(), value), *this, mask); }
inline Tensor Tensor::masked_select(const Tensor &mask) const { return give(tiny_masked_select(get(), mask.get()), *this, mask); }
inline Tensor Tensor::repeat_interleave_by(const Tensor &repeats, int axis) const { return give(tiny_repeat_interleave_by(get(), repeats.get(), axis), *this, repeats); }
inline Tensor Tensor::masked_scatter(const Tensor &mask, const Tensor &src) const { return give(tiny_masked_scatter(get(), mask.get(), src.get()), *this, mask, src); }
inline Tensor Tensor::nonzero() const { return give(tiny_nonzero(get()), *this); }
inline Tensor Tensor::bincount(const Tensor &weights, std::int64_t least) const { return give(tiny_bincount(get(), weights.get(), least), *this, weights); }
inline Tensor Tensor::histc(std::int64_t bins, double lo, double hi) const { return give(tiny_histc(get(), bins, lo, hi), *this); }
// >>sorting
inline std::tuple<Tensor, Tensor> Tensor::sort(int axis, bool descending) const {
  tiny_tensor *indices_ = nullptr;
  const Tensor y_ = give(tiny_sort(get(), axis, descending, &indices_), *this);
  return std::make_tuple(y_, Give::own(indices_, y_.home()));
}
inline Tensor Tensor::argsort(int axis, bool descending) const { return give(tiny_argsort(get(), axis, descending), *this); }
inline std::tuple<Tensor, Tensor> Tensor::topk(std::int64_t k, int axis, bool largest) const {
  tiny_tensor *indices_ = nullptr;
  const Tensor y_ = give(tiny_topk(get(), k, axis, largest, &indices_), *this);
  return std::make_tuple(y_, Give::own(indices_, y_.home()));
}
inline std::tuple<Tensor, Tensor> Tensor::kthvalue(std::int64_t k, int axis, bool keepdim) const {
  tiny_tensor *indices_ = nullptr;
  const Tensor y_ = give(tiny_kthvalue(get(), k, axis, keepdim, &indices_), *this);
  return std::make_tuple(y_, Give::own(indices_, y_.home()));
}
inline std::tuple<Tensor, Tensor> Tensor::median(int axis, bool keepdim) const {
  tiny_tensor *indices_ = nullptr;
  const Tensor y_ = give(tiny_median(get(), axis, keepdim, &indices_), *this);
  return std::make_tuple(y_, Give::own(indices_, y_.home()));
}
inline std::tuple<Tensor, Tensor> Tensor::nanmedian(int axis, bool keepdim) const {
  tiny_tensor *indices_ = nullptr;
  const Tensor y_ = give(tiny_nanmedian(get(), axis, keepdim, &indices_), *this);
  return std::make_tuple(y_, Give::own(indices_, y_.home()));
}
inline Tensor Tensor::quantile(const Tensor &q, int axis, bool keepdim) const { return give(tiny_quantile(get(), q.get(), axis, keepdim), *this, q); }
inline Tensor Tensor::nanquantile(const Tensor &q, int axis, bool keepdim) const { return give(tiny_nanquantile(get(), q.get(), axis, keepdim), *this, q); }
inline Tensor Tensor::quantile_by(const Tensor &q, int axis, bool keepdim, tiny_quantile_rule how) const { return give(tiny_quantile_by(get(), q.get(), axis, keepdim, how), *this, q); }
inline Tensor Tensor::nanquantile_by(const Tensor &q, int axis, bool keepdim, tiny_quantile_rule how) const { return give(tiny_nanquantile_by(get(), q.get(), axis, keepdim, how), *this, q); }
inline std::tuple<Tensor, Tensor> Tensor::mode(int axis, bool keepdim) const {
  tiny_tensor *indices_ = nullptr;
  const Tensor y_ = give(tiny_mode(get(), axis, keepdim, &indices_), *this);
  return std::make_tuple(y_, Give::own(indices_, y_.home()));
}
inline std::tuple<Tensor, Tensor, Tensor> Tensor::unique() const {
  tiny_tensor *inverse_ = nullptr, *counts_ = nullptr;
  const Tensor y_ = give(tiny_unique(get(), &inverse_, &counts_), *this);
  return std::make_tuple(y_, Give::own(inverse_, y_.home()), Give::own(counts_, y_.home()));
}
inline std::tuple<Tensor, Tensor, Tensor> Tensor::unique_consecutive() const {
  tiny_tensor *inverse_ = nullptr, *counts_ = nullptr;
  const Tensor y_ = give(tiny_unique_consecutive(get(), &inverse_, &counts_), *this);
  return std::make_tuple(y_, Give::own(inverse_, y_.home()), Give::own(counts_, y_.home()));
}
inline std::tuple<Tensor, Tensor, Tensor> Tensor::unique_along(int axis) const {
  tiny_tensor *inverse_ = nullptr, *counts_ = nullptr;
  const Tensor y_ = give(tiny_unique_along(get(), axis, &inverse_, &counts_), *this);
  return std::make_tuple(y_, Give::own(inverse_, y_.home()), Give::own(counts_, y_.home()));
}
inline std::tuple<Tensor, Tensor, Tensor> Tensor::unique_consecutive_along(int axis) const {
  tiny_tensor *inverse_ = nullptr, *counts_ = nullptr;
  const Tensor y_ = give(tiny_unique_consecutive_along(get(), axis, &inverse_, &counts_), *this);
  return std::make_tuple(y_, Give::own(inverse_, y_.home()), Give::own(counts_, y_.home()));
}
inline Tensor Tensor::searchsorted(const Tensor &values, bool right) const { return give(tiny_searchsorted(get(), values.get(), right), *this, values); }
inline Tensor Tensor::bucketize(const Tensor &edges, bool right) const { return give(tiny_bucketize(get(), edges.get(), right), *this, edges); }
inline Tensor Tensor::histogram(const Tensor &edges, const Tensor &weights, bool density) const { return give(tiny_histogram(get(), edges.get(), weights.get(), density), *this, edges, weights); }
inline std::tuple<Tensor, Tensor> Tensor::histogram_bins(std::int64_t bins, double lo, double hi, const Tensor &weights, bool density) const {
  tiny_tensor *edges_ = nullptr;
  const Tensor y_ = give(tiny_histogram_bins(get(), bins, lo, hi, weights.get(), density, &edges_), *this, weights);
  return std::make_tuple(y_, Give::own(edges_, y_.home()));
}
inline Tensor Tensor::isin(const Tensor &set) const { return give(tiny_isin(get(), set.get()), *this, set); }
// >>linalg
inline Tensor Tensor::matmul(const Tensor &w) const { return give(tiny_matmul(get(), w.get()), *this, w); }
inline Tensor Tensor::linear(const Tensor &w, const Tensor &bias) const { return give(tiny_linear(get(), w.get(), bias.get()), *this, w, bias); }
inline Tensor Tensor::dot(const Tensor &b) const { return give(tiny_dot(get(), b.get()), *this, b); }
inline Tensor Tensor::vdot(const Tensor &b) const { return give(tiny_vdot(get(), b.get()), *this, b); }
inline Tensor Tensor::vecdot(const Tensor &b, int axis) const { return give(tiny_vecdot(get(), b.get(), axis), *this, b); }
inline Tensor Tensor::inner(const Tensor &b) const { return give(tiny_inner(get(), b.get()), *this, b); }
inline Tensor Tensor::outer(const Tensor &b) const { return give(tiny_outer(get(), b.get()), *this, b); }
inline Tensor Tensor::kron(const Tensor &b) const { return give(tiny_kron(get(), b.get()), *this, b); }
inline Tensor Tensor::tensordot(const Tensor &b, const Shape &axes_a, const Shape &axes_b) const { return give(tiny_tensordot(get(), b.get(), axes_a, axes_b), *this, b); }
inline Tensor multi_dot(const List &xs) { return give(tiny_multi_dot(xs.get(), xs.size()), xs); }
inline Tensor einsum(const char *subscripts, const List &xs) { return give(tiny_einsum(subscripts, xs.get(), xs.size()), xs); }
inline Tensor Tensor::trace() const { return give(tiny_trace(get()), *this); }
inline Tensor Tensor::cross(const Tensor &b, int axis) const { return give(tiny_cross(get(), b.get(), axis), *this, b); }
inline Tensor Tensor::cdist(const Tensor &b, double p) const { return give(tiny_cdist(get(), b.get(), p), *this, b); }
#ifndef TINY_NO_LINALG
inline Tensor Tensor::det() const { return give(tiny_det(get()), *this); }
inline std::tuple<Tensor, Tensor> Tensor::slogdet() const {
  tiny_tensor *logabsdet_ = nullptr;
  const Tensor y_ = give(tiny_slogdet(get(), &logabsdet_), *this);
  return std::make_tuple(y_, Give::own(logabsdet_, y_.home()));
}
inline Tensor Tensor::inv() const { return give(tiny_inv(get()), *this); }
inline Tensor Tensor::solve(const Tensor &b) const { return give(tiny_solve(get(), b.get()), *this, b); }
inline Tensor Tensor::triangular_solve(const Tensor &b, bool upper, bool unit) const { return give(tiny_triangular_solve(get(), b.get(), upper, unit), *this, b); }
inline Tensor Tensor::cholesky(bool upper) const { return give(tiny_cholesky(get(), upper), *this); }
inline std::tuple<Tensor, Tensor, Tensor> Tensor::lu() const {
  tiny_tensor *l_ = nullptr, *u_ = nullptr;
  const Tensor y_ = give(tiny_lu(get(), &l_, &u_), *this);
  return std::make_tuple(y_, Give::own(l_, y_.home()), Give::own(u_, y_.home()));
}
inline std::tuple<Tensor, Tensor> Tensor::qr(bool complete) const {
  tiny_tensor *r_ = nullptr;
  const Tensor y_ = give(tiny_qr(get(), complete, &r_), *this);
  return std::make_tuple(y_, Give::own(r_, y_.home()));
}
inline std::tuple<Tensor, Tensor, Tensor> Tensor::svd() const {
  tiny_tensor *s_ = nullptr, *vt_ = nullptr;
  const Tensor y_ = give(tiny_svd(get(), &s_, &vt_), *this);
  return std::make_tuple(y_, Give::own(s_, y_.home()), Give::own(vt_, y_.home()));
}
inline std::tuple<Tensor, Tensor> Tensor::eigh() const {
  tiny_tensor *vectors_ = nullptr;
  const Tensor y_ = give(tiny_eigh(get(), &vectors_), *this);
  return std::make_tuple(y_, Give::own(vectors_, y_.home()));
}
inline Tensor Tensor::lu_solve(const Tensor &l, const Tensor &u, const Tensor &b) const { return give(tiny_lu_solve(get(), l.get(), u.get(), b.get()), *this, l, u, b); }
inline Tensor Tensor::cholesky_solve(const Tensor &l, bool upper) const { return give(tiny_cholesky_solve(get(), l.get(), upper), *this, l); }
inline Tensor Tensor::pinv(double rtol) const { return give(tiny_pinv(get(), rtol), *this); }
inline Tensor Tensor::pinv_within(double atol, double rtol) const { return give(tiny_pinv_within(get(), atol, rtol), *this); }
inline Tensor Tensor::lstsq(const Tensor &b) const { return give(tiny_lstsq(get(), b.get()), *this, b); }
inline Tensor Tensor::matrix_rank(double rtol) const { return give(tiny_matrix_rank(get(), rtol), *this); }
inline Tensor Tensor::matrix_rank_within(double atol, double rtol) const { return give(tiny_matrix_rank_within(get(), atol, rtol), *this); }
inline Tensor Tensor::matrix_norm(tiny_norm_order order) const { return give(tiny_matrix_norm(get(), order), *this); }
inline Tensor Tensor::cond(tiny_norm_order order) const { return give(tiny_cond(get(), order), *this); }
inline Tensor Tensor::matrix_power(std::int64_t n) const { return give(tiny_matrix_power(get(), n), *this); }
inline Tensor Tensor::matrix_exp() const { return give(tiny_matrix_exp(get()), *this); }
inline Tensor Tensor::cov(int correction, const Tensor &fweights, const Tensor &aweights) const { return give(tiny_cov(get(), correction, fweights.get(), aweights.get()), *this, fweights, aweights); }
inline Tensor Tensor::corrcoef() const { return give(tiny_corrcoef(get()), *this); }
// >>fft
inline Tensor Tensor::fft(std::int64_t n, int axis, tiny_fft_norm norm) const { return give(tiny_fft(get(), n, axis, norm), *this); }
inline Tensor Tensor::ifft(std::int64_t n, int axis, tiny_fft_norm norm) const { return give(tiny_ifft(get(), n, axis, norm), *this); }
inline Tensor Tensor::rfft(std::int64_t n, int axis, tiny_fft_norm norm) const { return give(tiny_rfft(get(), n, axis, norm), *this); }
inline Tensor Tensor::irfft(std::int64_t n, int axis, tiny_fft_norm norm) const { return give(tiny_irfft(get(), n, axis, norm), *this); }
inline Tensor Tensor::fftn(const Shape &axes, tiny_fft_norm norm) const { return give(tiny_fftn(get(), axes, norm), *this); }
inline Tensor Tensor::ifftn(const Shape &axes, tiny_fft_norm norm) const { return give(tiny_ifftn(get(), axes, norm), *this); }
inline Tensor Tensor::rfftn(const Shape &axes, tiny_fft_norm norm) const { return give(tiny_rfftn(get(), axes, norm), *this); }
inline Tensor Tensor::irfftn(std::int64_t last, const Shape &axes, tiny_fft_norm norm) const { return give(tiny_irfftn(get(), last, axes, norm), *this); }
inline Tensor Tensor::fftshift(const Shape &axes) const { return give(tiny_fftshift(get(), axes), *this); }
inline Tensor Tensor::ifftshift(const Shape &axes) const { return give(tiny_ifftshift(get(), axes), *this); }
inline Tensor fftfreq(const Context &t, std::int64_t n, double step = 1, tiny_dtype dtype = TINY_F32) { return give(tiny_fftfreq(t.get(), n, step, dtype), t); }
inline Tensor rfftfreq(const Context &t, std::int64_t n, double step = 1, tiny_dtype dtype = TINY_F32) { return give(tiny_rfftfreq(t.get(), n, step, dtype), t); }
inline Tensor Tensor::stft(std::int64_t n, const tiny_stft_desc &d) const { return give(tiny_stft(get(), n, &d), *this); }
inline Tensor Tensor::istft(std::int64_t n, const tiny_stft_desc &d) const { return give(tiny_istft(get(), n, &d), *this); }
inline Tensor Tensor::complex(const Tensor &im) const { return give(tiny_complex(get(), im.get()), *this, im); }
inline Tensor Tensor::polar(const Tensor &angle) const { return give(tiny_polar(get(), angle.get()), *this, angle); }
inline Tensor Tensor::real() const { return give(tiny_real(get()), *this); }
inline Tensor Tensor::imag() const { return give(tiny_imag(get()), *this); }
inline Tensor Tensor::conj() const { return give(tiny_conj(get()), *this); }
inline Tensor Tensor::complex_mul(const Tensor &b) const { return give(tiny_complex_mul(get(), b.get()), *this, b); }
inline Tensor Tensor::complex_abs() const { return give(tiny_complex_abs(get()), *this); }
#endif
#ifndef TINY_NO_NN
// >>norms
inline Tensor Tensor::softmax(int axis) const { return give(tiny_softmax(get(), axis), *this); }
inline Tensor Tensor::log_softmax(int axis) const { return give(tiny_log_softmax(get(), axis), *this); }
inline Tensor Tensor::softmin(int axis) const { return give(tiny_softmin(get(), axis), *this); }
inline Tensor Tensor::logsumexp(int axis, bool keepdim) const { return give(tiny_logsumexp(get(), axis, keepdim), *this); }
inline Tensor Tensor::gumbel_softmax(double tau, bool hard, int axis) const { return give(tiny_gumbel_softmax(get(), tau, hard, axis), *this); }
inline Tensor Tensor::layer_norm(int ndims, const Tensor &w, const Tensor &b, double eps) const { return give(tiny_layer_norm(get(), ndims, w.get(), b.get(), eps), *this, w, b); }
inline Tensor Tensor::rms_norm(int ndims, const Tensor &w, double eps) const { return give(tiny_rms_norm(get(), ndims, w.get(), eps), *this, w); }
inline Tensor Tensor::group_norm(std::int64_t groups, const Tensor &w, const Tensor &b, double eps) const { return give(tiny_group_norm(get(), groups, w.get(), b.get(), eps), *this, w, b); }
inline Tensor Tensor::instance_norm(const Tensor &w, const Tensor &b, double eps) const { return give(tiny_instance_norm(get(), w.get(), b.get(), eps), *this, w, b); }
inline Tensor Tensor::batch_norm(tiny_batch_norm_state &s, bool train) const { return give(tiny_batch_norm(get(), &s, train), *this); }
inline Tensor Tensor::local_response_norm(std::int64_t size, double alpha, double beta, double k) const { return give(tiny_local_response_norm(get(), size, alpha, beta, k), *this); }
inline Tensor Tensor::normalize(double p, int axis, double eps) const { return give(tiny_normalize(get(), p, axis, eps), *this); }
inline Tensor Tensor::cosine_similarity(const Tensor &b, int axis, double eps) const { return give(tiny_cosine_similarity(get(), b.get(), axis, eps), *this, b); }
inline Tensor Tensor::pairwise_distance(const Tensor &b, double p, double eps, bool keepdim) const { return give(tiny_pairwise_distance(get(), b.get(), p, eps, keepdim), *this, b); }
inline Tensor Tensor::bilinear(const Tensor &z, const Tensor &w, const Tensor &bias) const { return give(tiny_bilinear(get(), z.get(), w.get(), bias.get()), *this, z, w, bias); }
// >>losses
inline Tensor Tensor::mse_loss(const Tensor &y, tiny_reduction r) const { return give(tiny_mse_loss(get(), y.get(), r), *this, y); }
inline Tensor Tensor::l1_loss(const Tensor &y, tiny_reduction r) const { return give(tiny_l1_loss(get(), y.get(), r), *this, y); }
inline Tensor Tensor::smooth_l1_loss(const Tensor &y, double beta, tiny_reduction r) const { return give(tiny_smooth_l1_loss(get(), y.get(), beta, r), *this, y); }
inline Tensor Tensor::huber_loss(const Tensor &y, double delta, tiny_reduction r) const { return give(tiny_huber_loss(get(), y.get(), delta, r), *this, y); }
inline Tensor Tensor::binary_cross_entropy(const Tensor &y, const Tensor &weight, tiny_reduction r) const { return give(tiny_binary_cross_entropy(get(), y.get(), weight.get(), r), *this, y, weight); }
inline Tensor Tensor::binary_cross_entropy_with_logits(const Tensor &y, const Tensor &weight, const Tensor &pos_weight, tiny_reduction r) const { return give(tiny_binary_cross_entropy_with_logits(get(), y.get(), weight.get(), pos_weight.get(), r), *this, y, weight, pos_weight); }
inline Tensor Tensor::soft_margin_loss(const Tensor &y, tiny_reduction r) const { return give(tiny_soft_margin_loss(get(), y.get(), r), *this, y); }
inline Tensor Tensor::multilabel_soft_margin_loss(const Tensor &y, const Tensor &weight, tiny_reduction r) const { return give(tiny_multilabel_soft_margin_loss(get(), y.get(), weight.get(), r), *this, y, weight); }
inline Tensor Tensor::kl_div(const Tensor &y, bool log_target, tiny_reduction r) const { return give(tiny_kl_div(get(), y.get(), log_target, r), *this, y); }
inline Tensor Tensor::gaussian_nll_loss(const Tensor &y, const Tensor &var, bool full, double eps, tiny_reduction r) const { return give(tiny_gaussian_nll_loss(get(), y.get(), var.get(), full, eps, r), *this, y, var); }
inline Tensor Tensor::poisson_nll_loss(const Tensor &y, bool log_input, bool full, double eps, tiny_reduction r) const { return give(tiny_poisson_nll_loss(get(), y.get(), log_input, full, eps, r), *this, y); }
inline Tensor Tensor::hinge_embedding_loss(const Tensor &y, double margin, tiny_reduction r) const { return give(tiny_hinge_embedding_loss(get(), y.get(), margin, r), *this, y); }
inline Tensor Tensor::margin_ranking_loss(const Tensor &b, const Tensor &y, double margin, tiny_reduction r) const { return give(tiny_margin_ranking_loss(get(), b.get(), y.get(), margin, r), *this, b, y); }
inline Tensor Tensor::cosine_embedding_loss(const Tensor &b, const Tensor &y, double margin, tiny_reduction r) const { return give(tiny_cosine_embedding_loss(get(), b.get(), y.get(), margin, r), *this, b, y); }
inline Tensor Tensor::triplet_margin_loss(const Tensor &positive, const Tensor &negative, double margin, double p, bool swap, tiny_reduction r) const { return give(tiny_triplet_margin_loss(get(), positive.get(), negative.get(), margin, p, swap, r), *this, positive, negative); }
inline Tensor Tensor::cross_entropy(const Tensor &labels, const tiny_cross_entropy_desc &d) const { return give(tiny_cross_entropy(get(), labels.get(), &d), *this, labels); }
inline Tensor Tensor::nll_loss(const Tensor &labels, const tiny_cross_entropy_desc &d) const { return give(tiny_nll_loss(get(), labels.get(), &d), *this, labels); }
inline Tensor Tensor::multi_margin_loss(const Tensor &labels, int p, double margin, const Tensor &weight, tiny_reduction r) const { return give(tiny_multi_margin_loss(get(), labels.get(), p, margin, weight.get(), r), *this, labels, weight); }
inline Tensor Tensor::ctc_loss(const Tensor &targets, const Tensor &input_lengths, const Tensor &target_lengths, std::int64_t blank, bool zero_infinity, tiny_reduction r) const { return give(tiny_ctc_loss(get(), targets.get(), input_lengths.get(), target_lengths.get(), blank, zero_infinity, r), *this, targets, input_lengths, target_lengths); }
// >>attention
inline Tensor Tensor::embedding(const Tensor &w, std::int64_t padding) const { return give(tiny_embedding(get(), w.get(), padding), *this, w); }
inline Tensor Tensor::embedding_max_norm(const Tensor &w, std::int64_t padding, double max_norm, double p) const { return give(tiny_embedding_max_norm(get(), w.get(), padding, max_norm, p), *this, w); }
inline Tensor Tensor::embedding_bag(const Tensor &w, const Tensor &offsets, const Tensor &weights, tiny_reduction mode, std::int64_t padding) const { return give(tiny_embedding_bag(get(), w.get(), offsets.get(), weights.get(), mode, padding), *this, w, offsets, weights); }
inline Tensor Tensor::attention(const Tensor &k, const Tensor &v, const tiny_attention_desc &d) const { return give(tiny_attention(get(), k.get(), v.get(), &d), *this, k, v); }
inline Tensor Tensor::rope(const Tensor &positions, const tiny_rope_desc &d) const { return give(tiny_rope(get(), positions.get(), &d), *this, positions); }
// >>recurrent
inline Tensor Tensor::rnn_cell(const Tensor &h, const tiny_recurrent_weights &w, bool relu) const { return give(tiny_rnn_cell(get(), h.get(), &w, relu), *this, h); }
inline Tensor Tensor::gru_cell(const Tensor &h, const tiny_recurrent_weights &w) const { return give(tiny_gru_cell(get(), h.get(), &w), *this, h); }
inline std::tuple<Tensor, Tensor> Tensor::lstm_cell(const Tensor &h, const Tensor &c, const tiny_recurrent_weights &w) const {
  tiny_tensor *cn_ = nullptr;
  const Tensor y_ = give(tiny_lstm_cell(get(), h.get(), c.get(), &w, &cn_), *this, h, c);
  return std::make_tuple(y_, Give::own(cn_, y_.home()));
}
inline std::tuple<Tensor, Tensor> Tensor::rnn(const Tensor &h0, const tiny_recurrent_weights *w, const tiny_recurrent_desc &d) const {
  tiny_tensor *hn_ = nullptr;
  const Tensor y_ = give(tiny_rnn(get(), h0.get(), w, &d, &hn_), *this, h0);
  return std::make_tuple(y_, Give::own(hn_, y_.home()));
}
inline std::tuple<Tensor, Tensor> Tensor::gru(const Tensor &h0, const tiny_recurrent_weights *w, const tiny_recurrent_desc &d) const {
  tiny_tensor *hn_ = nullptr;
  const Tensor y_ = give(tiny_gru(get(), h0.get(), w, &d, &hn_), *this, h0);
  return std::make_tuple(y_, Give::own(hn_, y_.home()));
}
inline std::tuple<Tensor, Tensor, Tensor> Tensor::lstm(const Tensor &h0, const Tensor &c0, const tiny_recurrent_weights *w, const tiny_recurrent_desc &d) const {
  tiny_tensor *hn_ = nullptr, *cn_ = nullptr;
  const Tensor y_ = give(tiny_lstm(get(), h0.get(), c0.get(), w, &d, &hn_, &cn_), *this, h0, c0);
  return std::make_tuple(y_, Give::own(hn_, y_.home()), Give::own(cn_, y_.home()));
}
// >>convolution
inline Tensor Tensor::conv(const Tensor &w, const Tensor &bias, const tiny_conv_desc &d) const { return give(tiny_conv(get(), w.get(), bias.get(), &d), *this, w, bias); }
inline Tensor Tensor::conv1d(const Tensor &w, const Tensor &bias, const tiny_conv_desc &d) const { return give(tiny_conv1d(get(), w.get(), bias.get(), &d), *this, w, bias); }
inline Tensor Tensor::conv2d(const Tensor &w, const Tensor &bias, const tiny_conv_desc &d) const { return give(tiny_conv2d(get(), w.get(), bias.get(), &d), *this, w, bias); }
inline Tensor Tensor::conv3d(const Tensor &w, const Tensor &bias, const tiny_conv_desc &d) const { return give(tiny_conv3d(get(), w.get(), bias.get(), &d), *this, w, bias); }
inline Tensor Tensor::conv_transpose(const Tensor &w, const Tensor &bias, const tiny_conv_desc &d) const { return give(tiny_conv_transpose(get(), w.get(), bias.get(), &d), *this, w, bias); }
inline Tensor Tensor::conv_transpose1d(const Tensor &w, const Tensor &bias, const tiny_conv_desc &d) const { return give(tiny_conv_transpose1d(get(), w.get(), bias.get(), &d), *this, w, bias); }
inline Tensor Tensor::conv_transpose2d(const Tensor &w, const Tensor &bias, const tiny_conv_desc &d) const { return give(tiny_conv_transpose2d(get(), w.get(), bias.get(), &d), *this, w, bias); }
inline Tensor Tensor::conv_transpose3d(const Tensor &w, const Tensor &bias, const tiny_conv_desc &d) const { return give(tiny_conv_transpose3d(get(), w.get(), bias.get(), &d), *this, w, bias); }
inline std::tuple<Tensor, Tensor> Tensor::max_pool_with_indices(const tiny_pool_desc &d) const {
  tiny_tensor *indices_ = nullptr;
  const Tensor y_ = give(tiny_max_pool(get(), &d, &indices_), *this);
  return std::make_tuple(y_, Give::own(indices_, y_.home()));
}
inline Tensor Tensor::max_pool(const tiny_pool_desc &d) const { return give(tiny_max_pool(get(), &d, nullptr), *this); }
inline Tensor Tensor::max_pool1d(int kernel, int stride, int pad) const { return give(tiny_max_pool1d(get(), kernel, stride, pad), *this); }
inline Tensor Tensor::max_pool2d(int kernel, int stride, int pad) const { return give(tiny_max_pool2d(get(), kernel, stride, pad), *this); }
inline Tensor Tensor::max_pool3d(int kernel, int stride, int pad) const { return give(tiny_max_pool3d(get(), kernel, stride, pad), *this); }
inline Tensor Tensor::max_unpool(const Tensor &indices, const tiny_pool_desc &d, const Shape &out) const { return give(tiny_max_unpool(get(), indices.get(), &d, out), *this, indices); }
inline Tensor Tensor::avg_pool(const tiny_pool_desc &d) const { return give(tiny_avg_pool(get(), &d), *this); }
inline Tensor Tensor::avg_pool1d(int kernel, int stride, int pad) const { return give(tiny_avg_pool1d(get(), kernel, stride, pad), *this); }
inline Tensor Tensor::avg_pool2d(int kernel, int stride, int pad) const { return give(tiny_avg_pool2d(get(), kernel, stride, pad), *this); }
inline Tensor Tensor::avg_pool3d(int kernel, int stride, int pad) const { return give(tiny_avg_pool3d(get(), kernel, stride, pad), *this); }
inline Tensor Tensor::lp_pool(double p, const tiny_pool_desc &d) const { return give(tiny_lp_pool(get(), p, &d), *this); }
inline Tensor Tensor::adaptive_avg_pool(const Shape &out) const { return give(tiny_adaptive_avg_pool(get(), out), *this); }
inline std::tuple<Tensor, Tensor> Tensor::adaptive_max_pool_with_indices(const Shape &out) const {
  tiny_tensor *indices_ = nullptr;
  const Tensor y_ = give(tiny_adaptive_max_pool(get(), out, &indices_), *this);
  return std::make_tuple(y_, Give::own(indices_, y_.home()));
}
inline Tensor Tensor::adaptive_max_pool(const Shape &out) const { return give(tiny_adaptive_max_pool(get(), out, nullptr), *this); }
inline Tensor Tensor::unfold(const tiny_pool_desc &d) const { return give(tiny_unfold(get(), &d), *this); }
inline Tensor Tensor::fold(const Shape &out, const tiny_pool_desc &d) const { return give(tiny_fold(get(), out, &d), *this); }
// >>images
inline Tensor Tensor::interpolate(const tiny_interpolate_desc &d) const { return give(tiny_interpolate(get(), &d), *this); }
inline Tensor Tensor::grid_sample(const Tensor &grid, const tiny_grid_desc &d) const { return give(tiny_grid_sample(get(), grid.get(), &d), *this, grid); }
inline Tensor Tensor::affine_grid(const Shape &size, bool align_corners) const { return give(tiny_affine_grid(get(), size, align_corners), *this); }
inline Tensor Tensor::pixel_shuffle(int factor) const { return give(tiny_pixel_shuffle(get(), factor), *this); }
inline Tensor Tensor::pixel_unshuffle(int factor) const { return give(tiny_pixel_unshuffle(get(), factor), *this); }
inline Tensor Tensor::channel_shuffle(int groups) const { return give(tiny_channel_shuffle(get(), groups), *this); }
// >>gradients
inline Tensor Tensor::checkpoint(const List &x) const { return give(tiny_checkpoint(get(), x.get(), x.size()), *this, x); }
// >>training
inline double lr_step(double lr, std::int64_t step, std::int64_t every, double gamma) { return tiny_lr_step(lr, step, every, gamma); }
inline double lr_multistep(double lr, std::int64_t step, const std::vector<std::int64_t> &milestones, double gamma) { return tiny_lr_multistep(lr, step, milestones.data(), static_cast<int>(milestones.size()), gamma); }
inline double lr_exponential(double lr, std::int64_t step, double gamma) { return tiny_lr_exponential(lr, step, gamma); }
inline double lr_cosine(double lr, std::int64_t step, std::int64_t period, double lowest) { return tiny_lr_cosine(lr, step, period, lowest); }
inline double lr_cosine_restarts(double lr, std::int64_t step, std::int64_t period, int multiply, double lowest) { return tiny_lr_cosine_restarts(lr, step, period, multiply, lowest); }
inline double lr_linear(double lr, std::int64_t step, std::int64_t steps, double from, double to) { return tiny_lr_linear(lr, step, steps, from, to); }
inline double lr_one_cycle(double highest, std::int64_t step, std::int64_t steps) { return tiny_lr_one_cycle(highest, step, steps); }
inline double lr_polynomial(double lr, std::int64_t step, std::int64_t steps, double power) { return tiny_lr_polynomial(lr, step, steps, power); }
#endif
// >>look
inline std::string Tensor::to_text(const tiny_text_desc &d) const {
  const std::string y_ = detail::text([&](char *out, std::size_t nbytes) { return tiny_to_text(get(), &d, out, nbytes); });
  detail::check(home());
  return y_;
}
inline tiny_code Tensor::print() const { return detail::checked(tiny_print(get()), home()); }
inline tiny_code print_named(const char *name, const Tensor &x) { return detail::checked(tiny_print_named(name, x.get()), x.home()); }
#ifndef TINY_NO_INTERP
inline std::string Tensor::find_nan() const {
  const std::string y_ = detail::text([&](char *out, std::size_t nbytes) { return tiny_find_nan(get(), out, nbytes); });
  detail::check(home());
  return y_;
}
#endif
#ifndef TINY_NO_NN
inline std::string params_summary(const tiny_params &p) { return detail::text([&](char *out, std::size_t nbytes) { return tiny_params_summary(&p, out, nbytes); }); }
#endif
inline std::string graph_dot(const List &x) {
  const std::string y_ = detail::text([&](char *out, std::size_t nbytes) { return tiny_graph_dot(x.get(), x.size(), out, nbytes); });
  detail::check(x.home());
  return y_;
}
inline std::string graph_json(const List &x) {
  const std::string y_ = detail::text([&](char *out, std::size_t nbytes) { return tiny_graph_json(x.get(), x.size(), out, nbytes); });
  detail::check(x.home());
  return y_;
}
#ifndef TINY_NO_IO
// >>files
inline Tensor load_npy(const Context &t, const char *path) { return give(tiny_load_npy(t.get(), path), t); }
inline Tensor load_npy_from(const Context &t, const void *data, std::size_t nbytes) { return give(tiny_load_npy_from(t.get(), data, nbytes), t); }
inline tiny_code Tensor::save_npy(const char *path) const { return detail::checked(tiny_save_npy(get(), path), home()); }
inline tiny_code Tensor::save_npy_to(tiny_writer to) const { return detail::checked(tiny_save_npy_to(get(), to), home()); }
inline tiny_code save_as(const tiny_save_desc &d) { return detail::checked(tiny_save_as(&d), detail::Home_()); }
// >>data
inline Tensor load_image(const Context &t, const char *path) { return give(tiny_load_image(t.get(), path), t); }
inline Tensor load_image_from(const Context &t, const void *data, std::size_t nbytes) { return give(tiny_load_image_from(t.get(), data, nbytes), t); }
inline tiny_code Tensor::save_image(const char *path) const { return detail::checked(tiny_save_image(get(), path), home()); }
inline tiny_code Tensor::save_image_to(const char *format, tiny_writer to) const { return detail::checked(tiny_save_image_to(get(), format, to), home()); }
inline Tensor load_wav(const Context &t, const char *path, int &rate) { return give(tiny_load_wav(t.get(), path, &rate), t); }
inline Tensor load_wav_from(const Context &t, const void *data, std::size_t nbytes, int &rate) { return give(tiny_load_wav_from(t.get(), data, nbytes, &rate), t); }
inline tiny_code Tensor::save_wav(int rate, const char *path) const { return detail::checked(tiny_save_wav(get(), rate, path), home()); }
inline tiny_code Tensor::save_wav_to(int rate, tiny_writer to) const { return detail::checked(tiny_save_wav_to(get(), rate, to), home()); }
inline Tensor load_idx(const Context &t, const char *path) { return give(tiny_load_idx(t.get(), path), t); }
inline Tensor load_idx_from(const Context &t, const void *data, std::size_t nbytes) { return give(tiny_load_idx_from(t.get(), data, nbytes), t); }
inline tiny_code Tensor::save_idx(const char *path) const { return detail::checked(tiny_save_idx(get(), path), home()); }
inline tiny_code Tensor::save_idx_to(tiny_writer to) const { return detail::checked(tiny_save_idx_to(get(), to), home()); }
inline Tensor load_csv(const Context &t, const char *path, const tiny_csv_desc &d = tiny_csv_desc()) { return give(tiny_load_csv(t.get(), path, &d), t); }
inline Tensor load_csv_from(const Context &t, const void *data, std::size_t nbytes, const tiny_csv_desc &d = tiny_csv_desc()) { return give(tiny_load_csv_from(t.get(), data, nbytes, &d), t); }
inline tiny_code Tensor::save_csv(const char *path, const tiny_csv_desc &d) const { return detail::checked(tiny_save_csv(get(), path, &d), home()); }
inline tiny_code Tensor::save_csv_to(tiny_writer to, const tiny_csv_desc &d) const { return detail::checked(tiny_save_csv_to(get(), to, &d), home()); }
#endif
#ifndef TINY_NO_NN
// >>augmentation
inline Tensor Tensor::convert_image_dtype(tiny_dtype dtype) const { return give(tiny_convert_image_dtype(get(), dtype), *this); }
inline Tensor Tensor::rgb_to_grayscale() const { return give(tiny_rgb_to_grayscale(get()), *this); }
inline Tensor Tensor::resize(std::int64_t height, std::int64_t width) const { return give(tiny_resize(get(), height, width), *this); }
inline Tensor Tensor::center_crop(std::int64_t height, std::int64_t width) const { return give(tiny_center_crop(get(), height, width), *this); }
inline Tensor Tensor::gaussian_blur(int size, double sigma) const { return give(tiny_gaussian_blur(get(), size, sigma), *this); }
inline Tensor Tensor::random_horizontal_flip(double p) const { return give(tiny_random_horizontal_flip(get(), p), *this); }
inline Tensor Tensor::random_vertical_flip(double p) const { return give(tiny_random_vertical_flip(get(), p), *this); }
inline Tensor Tensor::random_crop(std::int64_t height, std::int64_t width, std::int64_t padding) const { return give(tiny_random_crop(get(), height, width, padding), *this); }
inline Tensor Tensor::random_resized_crop(std::int64_t height, std::int64_t width, const tiny_random_crop_desc &d) const { return give(tiny_random_resized_crop(get(), height, width, &d), *this); }
inline Tensor Tensor::random_affine(const tiny_random_affine_desc &d) const { return give(tiny_random_affine(get(), &d), *this); }
inline Tensor Tensor::random_rotation(double degrees) const { return give(tiny_random_rotation(get(), degrees), *this); }
inline Tensor Tensor::color_jitter(const tiny_color_jitter_desc &d) const { return give(tiny_color_jitter(get(), &d), *this); }
inline Tensor Tensor::adjust_brightness(const Tensor &factor) const { return give(tiny_adjust_brightness(get(), factor.get()), *this, factor); }
inline Tensor Tensor::adjust_contrast(const Tensor &factor) const { return give(tiny_adjust_contrast(get(), factor.get()), *this, factor); }
inline Tensor Tensor::adjust_saturation(const Tensor &factor) const { return give(tiny_adjust_saturation(get(), factor.get()), *this, factor); }
inline Tensor Tensor::adjust_hue(const Tensor &factor) const { return give(tiny_adjust_hue(get(), factor.get()), *this, factor); }
inline Tensor Tensor::random_erasing(const tiny_random_erasing_desc &d) const { return give(tiny_random_erasing(get(), &d), *this); }
inline std::tuple<Tensor, Tensor> Tensor::mixup(const Tensor &labels, std::int64_t classes, double alpha) const {
  tiny_tensor *targets_ = nullptr;
  const Tensor y_ = give(tiny_mixup(get(), labels.get(), classes, alpha, &targets_), *this, labels);
  return std::make_tuple(y_, Give::own(targets_, y_.home()));
}
inline std::tuple<Tensor, Tensor> Tensor::cutmix(const Tensor &labels, std::int64_t classes, double alpha) const {
  tiny_tensor *targets_ = nullptr;
  const Tensor y_ = give(tiny_cutmix(get(), labels.get(), classes, alpha, &targets_), *this, labels);
  return std::make_tuple(y_, Give::own(targets_, y_.home()));
}
#endif
// >>programs
inline tiny_code warm(const Context &t, const List &x) { return detail::checked(tiny_warm(t.get(), x.get(), x.size()), t.home()); }
inline tiny_code warm_capture(const Context &t, const List &inputs, const List &outputs) { return detail::checked(tiny_warm_capture(t.get(), inputs.get(), inputs.size(), outputs.get(), outputs.size()), t.home()); }
inline int warm_left(const Context &t) { return tiny_warm_left(t.get()); }
inline tiny_code warm_wait(const Context &t) { return detail::checked(tiny_warm_wait(t.get()), t.home()); }
#ifndef TINY_NO_IO
inline tiny_code cache_export(const Context &t, const char *path) { return detail::checked(tiny_cache_export(t.get(), path), t.home()); }
inline tiny_code cache_import(const Context &t, const char *path) { return detail::checked(tiny_cache_import(t.get(), path), t.home()); }
#endif
inline tiny_code cache_export_to(const Context &t, tiny_writer to) { return detail::checked(tiny_cache_export_to(t.get(), to), t.home()); }
inline tiny_code cache_import_from(const Context &t, const void *data, std::size_t nbytes) { return detail::checked(tiny_cache_import_from(t.get(), data, nbytes), t.home()); }
inline Tensor kernel(const Context &t, const tiny_kernel_desc &d) { return give(tiny_kernel(t.get(), &d), t); }
// >>backends
inline const tiny_warp_unit *warp_units(const char *target, int &n) { return tiny_warp_units(target, &n); }
// >>observe
inline Tensor Tensor::label(const char *name) const { return give(tiny_label(get(), name), *this); }
inline const char *Tensor::label_of() const { return tiny_label_of(get()); }
inline std::uint64_t now_ns() { return tiny_now_ns(); }
inline tiny_code profile_begin(const Context &t) { return detail::checked(tiny_profile_begin(t.get()), t.home()); }
inline tiny_code profile_end(const Context &t) { return detail::checked(tiny_profile_end(t.get()), t.home()); }
inline int profile_get(const Context &t, tiny_profile_by by, int i, tiny_profile_row &row) { return tiny_profile_get(t.get(), by, i, &row); }
inline std::string profile_text(const Context &t, tiny_profile_by by) {
  const std::string y_ = detail::text([&](char *out, std::size_t nbytes) { return tiny_profile_text(t.get(), by, out, nbytes); });
  detail::check(t.home());
  return y_;
}
inline tiny_code trace_begin(const Context &t, const char *path) { return detail::checked(tiny_trace_begin(t.get(), path), t.home()); }
inline tiny_code trace_end(const Context &t) { return detail::checked(tiny_trace_end(t.get()), t.home()); }
#ifndef TINY_NO_NN
// A mean and a deviation for each channel, or one for all: see tiny_normalize_image.
inline Tensor normalize_image(const Tensor &x, const std::vector<double> &mean, const std::vector<double> &deviation) {
  const std::size_t n = mean.size() < deviation.size() ? mean.size() : deviation.size();
  return give(tiny_normalize_image(x.get(), mean.data(), deviation.data(), static_cast<int>(n)), x);
}
#endif

// Batches, made on a thread: see tiny_loader_open.
//     for (const std::vector<tiny::Tensor> &b : loader) ..
// has each batch in a frame of its own, which ends with its turn, also by break or an exception.
class Loader : public detail::Opened<tiny_loader, tiny_loader_close> {
public:
  Loader(const Context &t, const tiny_loader_desc &d)
      : Opened(tiny_loader_open(t.get(), &d), t.home()), n(d.narray ? d.narray : TINY_LOADER_ARRAYS) {
    detail::check(where());
  }
  // The arrays of the next batch; none at the end of the last epoch.
  std::vector<Tensor> next() const { return batch(tiny_loader_next); }
  // The same in a frame, which the next one ends, and who leaves before that has to:
  //     for (auto b = loader.each(); !b.empty(); b = loader.each())
  std::vector<Tensor> each() const { return batch(tiny_loader_each); }
  std::int64_t count() const { return tiny_loader_count(get()); }

  struct End {};
  class Turn {
  public:
    explicit Turn(const Loader &of) : loader(&of), now(of.each()) {}
    Turn(const Turn &) = delete;
    Turn &operator=(const Turn &) = delete;
    ~Turn() { if (!now.empty() && loader->where()->t) tiny_end(loader->where()->t); }
    const std::vector<Tensor> &operator*() const { return now; }
    Turn &operator++() {
      now.clear();
      now = loader->each();
      return *this;
    }
    bool operator!=(End) const { return !now.empty(); }
  private:
    const Loader *loader;
    std::vector<Tensor> now;
  };
  Turn begin() const { return Turn(*this); }
  End end() const { return End(); }
private:
  std::vector<Tensor> batch(std::int64_t (*take)(tiny_loader *, tiny_tensor **)) const {
    std::vector<tiny_tensor *> out = detail::room(n);
    if (take(get(), out.data()) <= 0) out.clear();
    while (!out.empty() && !out.back()) out.pop_back();
    detail::check(where());
    return give_all(out, where());
  }
  int n;
};

// ** operators **

inline Tensor operator+(const Tensor &a, const Tensor &b) { return a.add(b); }
inline Tensor operator+(const Tensor &a, double b) { return a.add_scalar(b); }
inline Tensor operator+(double a, const Tensor &b) { return b.add_scalar(a); }
inline Tensor &operator+=(Tensor &a, const Tensor &b) { return a = a + b; }
inline Tensor &operator+=(Tensor &a, double b) { return a = a + b; }
inline Tensor operator-(const Tensor &a, const Tensor &b) { return a.sub(b); }
inline Tensor operator-(const Tensor &a, double b) { return a.sub_scalar(b); }
inline Tensor operator-(double a, const Tensor &b) { return b.rsub_scalar(a); }
inline Tensor &operator-=(Tensor &a, const Tensor &b) { return a = a - b; }
inline Tensor &operator-=(Tensor &a, double b) { return a = a - b; }
inline Tensor operator*(const Tensor &a, const Tensor &b) { return a.mul(b); }
inline Tensor operator*(const Tensor &a, double b) { return a.mul_scalar(b); }
inline Tensor operator*(double a, const Tensor &b) { return b.mul_scalar(a); }
inline Tensor &operator*=(Tensor &a, const Tensor &b) { return a = a * b; }
inline Tensor &operator*=(Tensor &a, double b) { return a = a * b; }
inline Tensor operator/(const Tensor &a, const Tensor &b) { return a.div(b); }
inline Tensor operator/(const Tensor &a, double b) { return a.div_scalar(b); }
inline Tensor operator/(double a, const Tensor &b) { return b.rdiv_scalar(a); }
inline Tensor &operator/=(Tensor &a, const Tensor &b) { return a = a / b; }
inline Tensor &operator/=(Tensor &a, double b) { return a = a / b; }
inline Tensor operator%(const Tensor &a, const Tensor &b) { return a.remainder(b); }
inline Tensor operator%(const Tensor &a, double b) { return a.remainder_scalar(b); }
inline Tensor operator%(double a, const Tensor &b) { return b.rremainder_scalar(a); }
inline Tensor &operator%=(Tensor &a, const Tensor &b) { return a = a % b; }
inline Tensor &operator%=(Tensor &a, double b) { return a = a % b; }
inline Tensor operator<(const Tensor &a, const Tensor &b) { return a.lt(b); }
inline Tensor operator<(const Tensor &a, double b) { return a.lt_scalar(b); }
inline Tensor operator<(double a, const Tensor &b) { return b.gt_scalar(a); }
inline Tensor operator>(const Tensor &a, const Tensor &b) { return a.gt(b); }
inline Tensor operator>(const Tensor &a, double b) { return a.gt_scalar(b); }
inline Tensor operator>(double a, const Tensor &b) { return b.lt_scalar(a); }
inline Tensor operator<=(const Tensor &a, const Tensor &b) { return a.le(b); }
inline Tensor operator<=(const Tensor &a, double b) { return a.le_scalar(b); }
inline Tensor operator<=(double a, const Tensor &b) { return b.ge_scalar(a); }
inline Tensor operator>=(const Tensor &a, const Tensor &b) { return a.ge(b); }
inline Tensor operator>=(const Tensor &a, double b) { return a.ge_scalar(b); }
inline Tensor operator>=(double a, const Tensor &b) { return b.le_scalar(a); }
inline Tensor operator==(const Tensor &a, const Tensor &b) { return a.eq(b); }
inline Tensor operator==(const Tensor &a, double b) { return a.eq_scalar(b); }
inline Tensor operator==(double a, const Tensor &b) { return b.eq_scalar(a); }
inline Tensor operator!=(const Tensor &a, const Tensor &b) { return a.ne(b); }
inline Tensor operator!=(const Tensor &a, double b) { return a.ne_scalar(b); }
inline Tensor operator!=(double a, const Tensor &b) { return b.ne_scalar(a); }
inline Tensor operator-(const Tensor &x) { return x.neg(); }
inline Tensor operator~(const Tensor &x) { return x.bitwise_not(); }
inline Tensor operator!(const Tensor &x) { return x.logical_not(); }
inline Tensor operator&(const Tensor &a, const Tensor &b) { return a.bitwise_and(b); }
inline Tensor operator|(const Tensor &a, const Tensor &b) { return a.bitwise_or(b); }
inline Tensor operator^(const Tensor &a, const Tensor &b) { return a.bitwise_xor(b); }
inline Tensor &operator&=(Tensor &a, const Tensor &b) { return a = a & b; }
inline Tensor &operator|=(Tensor &a, const Tensor &b) { return a = a | b; }
inline Tensor &operator^=(Tensor &a, const Tensor &b) { return a = a ^ b; }

#ifndef TINY_NO_NN
// ** training **

// d loss / d params[i]: see tiny_grad.
inline std::vector<Tensor> grad(const Tensor &loss, const List &params) {
  std::vector<tiny_tensor *> out = detail::room(params.size());
  const tiny_code code = tiny_grad(loss.get(), params.get(), params.size(), out.data());
  detail::checked(code, loss.home());
  return give_all(out, loss.home());
}
namespace detail {
// Lists that a call changes: what is new in raw takes its place in tensors.
inline std::vector<tiny_tensor *> raw_of(const std::vector<Tensor> &tensors) {
  std::vector<tiny_tensor *> raw;
  for (const Tensor &x : tensors) raw.push_back(x.get());
  return raw;
}
inline void changed(std::vector<Tensor> &tensors, const std::vector<tiny_tensor *> &raw) {
  for (std::size_t i = 0; i < raw.size(); i++)
    if (raw[i] != tensors[i].get()) tensors[i] = Give::own(raw[i], tensors[i].home());
}
inline Home_ home_of(const std::vector<Tensor> &tensors) { return tensors.empty() ? Home_() : tensors[0].home(); }
} // namespace detail
// The norm that the gradients had: see tiny_clip_grad_norm.
inline Tensor clip_grad_norm(std::vector<Tensor> &grads, double max_norm, double p = 2) {
  std::vector<tiny_tensor *> raw = detail::raw_of(grads);
  tiny_tensor *norm = tiny_clip_grad_norm(raw.data(), static_cast<int>(raw.size()), max_norm, p);
  detail::changed(grads, raw);
  return give(norm, detail::home_of(grads));
}
inline tiny_code clip_grad_value(std::vector<Tensor> &grads, double value) {
  std::vector<tiny_tensor *> raw = detail::raw_of(grads);
  const tiny_code code = tiny_clip_grad_value(raw.data(), static_cast<int>(raw.size()), value);
  detail::changed(grads, raw);
  return detail::checked(code, detail::home_of(grads));
}

// The structs of tiny.h with their fields, begun with zeros and freed at the end of their scope.
class Optim : public detail::Owned<tiny_optim, tiny_optim_free> {
public:
  explicit Optim(tiny_optim_kind which, double rate_ = 0) { kind = which; lr = rate_; }
  tiny_code step(const List &params, const List &grads) {
    bind(params.home());
    return detail::checked(tiny_optim_step(this, params.get(), grads.get(), params.size()), where());
  }
  tiny_code minimize(const Tensor &loss, const tiny_params &params) {
    bind(loss.home());
    return detail::checked(tiny_optim_minimize(this, loss.get(), &params), where());
  }
private:
  friend class Scaler;
};

class Scaler : public detail::Owned<tiny_scaler, tiny_scaler_free> {
public:
  Scaler() {}
  Tensor scaled(const Tensor &loss) {
    bind(loss.home());
    return give(tiny_scaler_scale(this, loss.get()), loss);
  }
  tiny_code unscale(std::vector<Tensor> &grads) {
    std::vector<tiny_tensor *> raw = detail::raw_of(grads);
    const tiny_code code = tiny_scaler_unscale(this, raw.data(), static_cast<int>(raw.size()));
    detail::changed(grads, raw);
    return detail::checked(code, where());
  }
  tiny_code step(Optim &o, const List &params, const List &grads) {
    o.bind(params.home());
    return detail::checked(tiny_scaler_step(this, &o, params.get(), grads.get(), params.size()), where());
  }
  tiny_code update() { return detail::checked(tiny_scaler_update(this), where()); }
};

class Ema : public detail::Owned<tiny_ema, tiny_ema_free> {
public:
  explicit Ema(double decay_ = 0) { decay = decay_; }
  tiny_code step(const List &params) {
    bind(params.home());
    return detail::checked(tiny_ema_step(this, params.get(), params.size()), where());
  }
};

class Plateau : public tiny_plateau {
public:
  Plateau() : tiny_plateau() {}
  double operator()(double lr, double value) { return tiny_lr_plateau(this, lr, value); }
};

// ** modules **

// A list of named parameters: see tiny_params.
class Params : public detail::Owned<tiny_params, tiny_params_free> {
public:
  explicit Params(const Context &context) : Owned(tiny_params(), context.home()), held() { t = context.get(); }
  tiny_code add(const char *name, const Tensor &x, bool train = true, const char *prefix = nullptr) {
    held.push_back(x);
    return detail::checked(tiny_params_add(this, prefix, name, x.get(), train), where());
  }
  void enter(const char *name) { tiny_params_enter(this, name); }
  void leave() { tiny_params_leave(this); }
  Tensor find(const char *name) const { return Give::borrow(tiny_params_find(this, name), where()); }
  // Those that gradients and optimisers take.
  std::vector<Tensor> tensors() const {
    std::vector<Tensor> all;
    for (int i = 0; i < ntrainable; i++) all.push_back(Give::borrow(trainable[i], where()));
    return all;
  }
  using Owned::where;
private:
  std::vector<Tensor> held;
};

// >>modules
class LinearLayer : public detail::Owned<tiny_linear_layer, tiny_linear_layer_free> {
public:
  LinearLayer(const Context &t_, std::int64_t in_, std::int64_t out_, bool bias_ = true)
      : Owned(tiny_linear_layer_new(t_.get(), in_, out_, bias_), t_.home()) { detail::check(where()); }
  Tensor operator()(const Tensor &x) const {
    return give(tiny_linear_layer_forward(this, x.get()), x);
  }
  tiny_code params(Params &p, const char *prefix) const {
    return detail::checked(tiny_linear_layer_params(this, &p, prefix), where());
  }
protected:
  using Owned::Owned;
};
class ConvLayer : public detail::Owned<tiny_conv_layer, tiny_conv_layer_free> {
public:
  ConvLayer(const Context &t_, std::int64_t in_, std::int64_t out_, const Shape &kernel_, const tiny_conv_desc &d_ = tiny_conv_desc(), bool bias_ = true)
      : Owned(tiny_conv_layer_new(t_.get(), in_, out_, kernel_, &d_, bias_), t_.home()) { detail::check(where()); }
  Tensor operator()(const Tensor &x) const {
    return give(tiny_conv_layer_forward(this, x.get()), x);
  }
  tiny_code params(Params &p, const char *prefix) const {
    return detail::checked(tiny_conv_layer_params(this, &p, prefix), where());
  }
protected:
  using Owned::Owned;
};
class ConvTransposeLayer : public ConvLayer {
public:
  ConvTransposeLayer(const Context &t_, std::int64_t in_, std::int64_t out_, const Shape &kernel_, const tiny_conv_desc &d_ = tiny_conv_desc(), bool bias_ = true)
      : ConvLayer(tiny_conv_transpose_layer_new(t_.get(), in_, out_, kernel_, &d_, bias_), t_.home()) { detail::check(where()); }
};
class NormLayer : public detail::Owned<tiny_norm_layer, tiny_norm_layer_free> {
public:
  NormLayer(const Context &t_, tiny_norm_kind kind_, const Shape &size_, std::int64_t groups_ = 0)
      : Owned(tiny_norm_layer_new(t_.get(), kind_, size_, groups_), t_.home()) { detail::check(where()); }
  Tensor operator()(const Tensor &x, bool train = true) const {
    return give(tiny_norm_layer_forward(this, x.get(), train), x);
  }
  tiny_code params(Params &p, const char *prefix) const {
    return detail::checked(tiny_norm_layer_params(this, &p, prefix), where());
  }
protected:
  using Owned::Owned;
};
class EmbeddingLayer : public detail::Owned<tiny_embedding_layer, tiny_embedding_layer_free> {
public:
  EmbeddingLayer(const Context &t_, std::int64_t rows_, std::int64_t size_, std::int64_t padding_ = -1)
      : Owned(tiny_embedding_layer_new(t_.get(), rows_, size_, padding_), t_.home()) { detail::check(where()); }
  Tensor operator()(const Tensor &ids) const {
    return give(tiny_embedding_layer_forward(this, ids.get()), ids);
  }
  tiny_code params(Params &p, const char *prefix) const {
    return detail::checked(tiny_embedding_layer_params(this, &p, prefix), where());
  }
protected:
  using Owned::Owned;
};
class AttentionLayer : public detail::Owned<tiny_attention_layer, tiny_attention_layer_free> {
public:
  AttentionLayer(const Context &t_, std::int64_t size_, int heads_, bool bias_ = true)
      : Owned(tiny_attention_layer_new(t_.get(), size_, heads_, bias_), t_.home()) { detail::check(where()); }
  Tensor operator()(const Tensor &q, const Tensor &k, const Tensor &v, const tiny_attention_desc &d = tiny_attention_desc()) const {
    return give(tiny_attention_layer_forward(this, q.get(), k.get(), v.get(), &d), q, k, v);
  }
  tiny_code params(Params &p, const char *prefix) const {
    return detail::checked(tiny_attention_layer_params(this, &p, prefix), where());
  }
protected:
  using Owned::Owned;
};
class RecurrentLayer : public detail::Owned<tiny_recurrent_layer, tiny_recurrent_layer_free> {
public:
  RecurrentLayer(const Context &t_, tiny_recurrent_kind kind_, std::int64_t in_, std::int64_t size_, const tiny_recurrent_desc &d_ = tiny_recurrent_desc(), bool bias_ = true)
      : Owned(tiny_recurrent_layer_new(t_.get(), kind_, in_, size_, &d_, bias_), t_.home()) { detail::check(where()); }
  std::tuple<Tensor, Tensor, Tensor> operator()(const Tensor &x, const Tensor &h0 = Tensor(), const Tensor &c0 = Tensor(), bool train = true) const {
    tiny_tensor *hn_ = nullptr, *cn_ = nullptr;
    const Tensor y_ = give(tiny_recurrent_layer_forward(this, x.get(), h0.get(), c0.get(), train, &hn_, &cn_), x, h0, c0);
    return std::make_tuple(y_, Give::own(hn_, y_.home()), Give::own(cn_, y_.home()));
  }
  tiny_code params(Params &p, const char *prefix) const {
    return detail::checked(tiny_recurrent_layer_params(this, &p, prefix), where());
  }
protected:
  using Owned::Owned;
};
#ifndef TINY_NO_IO
// See tiny_state_save, tiny_state_load.
inline tiny_code state_save(const char *path, const Params &p, const tiny_optim *o = nullptr) {
  return detail::checked(tiny_state_save(path, &p, o), p.where());
}
inline tiny_code state_load(const char *path, const Params &p, tiny_optim *o = nullptr, bool strict = true) {
  return detail::checked(tiny_state_load(path, &p, o, strict), p.where());
}
#endif
#endif // TINY_NO_NN

#ifndef TINY_NO_IO
// ** files **

// Named tensors of a file: see tiny_archive_open.
class Archive : public detail::Opened<tiny_archive, tiny_archive_close> {
public:
  Archive(const Context &t, const char *path) : Opened(tiny_archive_open(t.get(), path), t.home()) { detail::check(where()); }
  Archive(const Context &t, const void *data, std::size_t nbytes) : Opened(tiny_archive_from(t.get(), data, nbytes), t.home()) {
    detail::check(where());
  }
  int count() const { return tiny_archive_count(get()); }
  const char *name(int i) const { return tiny_archive_name(get(), i); }
  const char *metadata(const char *key) const { return tiny_archive_metadata(get(), key); }
  Tensor operator[](const char *name_) const { return give(tiny_archive_get(get(), name_), where()); }
};
// Tensors under names, .npz or .safetensors: see tiny_save.
inline tiny_code save(const char *path, const std::vector<std::pair<std::string, Tensor>> &named) {
  std::vector<const char *> names;
  std::vector<tiny_tensor *> tensors;
  for (const auto &one : named) {
    names.push_back(one.first.c_str());
    tensors.push_back(one.second.get());
  }
  const tiny_code code = tiny_save(path, names.data(), tensors.data(), static_cast<int>(named.size()));
  return detail::checked(code, named.empty() ? detail::Home_() : named[0].second.home());
}
#endif

// ** programs **

// Captured kernels: see tiny_capture.
class Program : public detail::Opened<tiny_program, tiny_program_free> {
public:
  Program(const Context &t, const List &inputs, const List &outputs)
      : Opened(tiny_capture(t.get(), inputs.get(), inputs.size(), outputs.get(), outputs.size()), t.home()), n(outputs.size()) {
    detail::check(where());
  }
#ifndef TINY_NO_IO
  // A program that was saved: see tiny_program_load.
  Program(const Context &t, const tiny_program_source &from) : Opened(tiny_program_load(t.get(), &from), t.home()), n(0) {
    detail::check(where());
    while (tiny_program_output(get(), n, nullptr, nullptr)) n++;
  }
  // See tiny_program_save, tiny_program_export_c.
  tiny_code save(const std::string &path, const tiny_ship_desc *d = nullptr) const {
    return detail::checked(tiny_program_save(get(), path.c_str(), d), where());
  }
  tiny_code save_to(tiny_writer to, const tiny_ship_desc *d = nullptr) const {
    return detail::checked(tiny_program_save_to(get(), to, d), where());
  }
  tiny_code export_c(const std::string &path, const tiny_export_desc *d = nullptr) const {
    return detail::checked(tiny_program_export_c(get(), path.c_str(), d), where());
  }
  tiny_code export_c_to(tiny_writer to, const tiny_export_desc *d = nullptr) const {
    return detail::checked(tiny_program_export_c_to(get(), to, d), where());
  }
  // A run on the host's own memory: see tiny_program_call.
  tiny_code call(const void *const *in, void *const *out) const {
    return detail::checked(tiny_program_call(get(), in, out), where());
  }
  // About ns nanoseconds of such a run: see tiny_program_call_for. true: out holds the results; false: the next call
  // goes on there.
  bool call_for(const void *const *in, void *const *out, std::uint64_t ns) const {
    const tiny_code code = tiny_program_call_for(get(), in, out, ns);
    if (code != TINY_MORE) detail::checked(code, where());
    return code == TINY_OK;
  }
  bool input(int i, tiny_dtype *dtype, tiny_shape *shape) const { return tiny_program_input(get(), i, dtype, shape) != 0; }
  bool output(int i, tiny_dtype *dtype, tiny_shape *shape) const { return tiny_program_output(get(), i, dtype, shape) != 0; }
  // Memory that was saved with a name: see tiny_program_memory.
  const char *memory(int i, tiny_dtype *dtype = nullptr, std::int64_t *nelem = nullptr) const {
    return tiny_program_memory(get(), i, dtype, nelem);
  }
  tiny_code read(const std::string &name, void *out, std::size_t nbytes) const {
    return detail::checked(tiny_program_read(get(), name.c_str(), out, nbytes), where());
  }
  tiny_code write(const std::string &name, const void *data, std::size_t nbytes) const {
    return detail::checked(tiny_program_write(get(), name.c_str(), data, nbytes), where());
  }
#endif
  // The outputs of a run with these inputs; none after an error.
  std::vector<Tensor> operator()(const List &inputs) const {
    std::vector<tiny_tensor *> out(static_cast<std::size_t>(n) + 1);
    const tiny_code code = tiny_run(get(), inputs.get(), out.data());
    out.resize(code == TINY_OK ? static_cast<std::size_t>(n) : 0);
    detail::checked(code, where());
    return give_all(out, where());
  }
  // About ns nanoseconds of a run: see tiny_run_for. true: out has the outputs; false: the next call goes on there.
  bool run_for(const List &inputs, std::vector<Tensor> &out, std::uint64_t ns) const {
    std::vector<tiny_tensor *> made(static_cast<std::size_t>(n) + 1);
    const tiny_code code = tiny_run_for(get(), inputs.get(), made.data(), ns);
    if (code == TINY_MORE) return false;
    made.resize(code == TINY_OK ? static_cast<std::size_t>(n) : 0);
    detail::checked(code, where());
    out = give_all(made, where());
    return code == TINY_OK;
  }
  int kernel_count() const { return tiny_program_kernel_count(get()); }
  std::string summary() const {
    return detail::text([this](char *out, std::size_t nbytes) { return tiny_program_summary(get(), out, nbytes); });
  }
private:
  int n;
};

#ifdef TINY_EXCEPTIONS
} // namespace throwing
#endif
} // namespace tiny
#endif // TINY_HPP

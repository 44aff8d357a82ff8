// number: numbers as text, in and out. The one room that knows how they are spelled, and the only one that may: the C
// library's printf and strtod spell them as the host's locale does, with a decimal comma for one, and a thread of the
// host may change the locale between two calls.
//
// In:  a printf format and its arguments; text of a decimal number. Out: text; the nearest double.
// All of it is arithmetic on integers: neither locale, nor rounding mode, nor compiler flags change a digit. Digits are
// exact: those of a double are the digits of an integer times a power of two, and rounding looks at all of them.
#ifndef TN_BASE_NUMBER
#define TN_BASE_NUMBER
#ifndef TINY_AMALGAMATED
#include "digits.c"
#include "float.c"
#endif
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
  TN_NUMBER_TEXT = 448,                    // bytes of the longest number: 309 digits, a point, TN_NUMBER_PLACES, a sign
  TN_NUMBER_PLACES = 100,                  // after the point, at most
  TN_DECIMAL_PARTS = 90,                   // of nine digits: the least double has 767
  TN_DECIMAL_DIGITS = 800,                 // what follows cannot change which double is the nearest, but for being 0
  TN_BIG_WORDS = 124                       // 10^(330 + 800), and 64 bits more
};

// ** double to digits **

// 0.d1d2d3.. * 10^point; no digits: 0.
typedef struct tn_decimal { int n, point; char digit[9 * TN_DECIMAL_PARTS]; } tn_decimal;

static void tn_decimal_times(uint32_t *part, int *n, uint32_t factor) {
  uint64_t carry = 0;
  for (int i = 0; i < *n; i++) {
    carry += (uint64_t)part[i] * factor;
    part[i] = (uint32_t)(carry % 1000000000u);
    carry /= 1000000000u;
  }
  if (carry) part[(*n)++] = (uint32_t)carry;
}

// All digits of m * 2^e.
static void tn_decimal_of(tn_decimal *d, uint64_t m, int e) {
  uint32_t part[TN_DECIMAL_PARTS];
  int n = 0, places = 0;
  d->n = d->point = 0;
  if (!m) return;
  for (; !(m & 1); m >>= 1) e++;
  for (; m; m /= 1000000000u) part[n++] = (uint32_t)(m % 1000000000u);
  for (; e >= 29; e -= 29) tn_decimal_times(part, &n, 1u << 29);
  if (e > 0) tn_decimal_times(part, &n, 1u << e);
  for (; e < 0; places++) {                // m / 2^k = m * 5^k / 10^k
    const int at_once = e <= -12 ? 12 : 1;
    tn_decimal_times(part, &n, at_once == 12 ? 244140625u : 5u);
    places += at_once - 1;
    e += at_once;
  }
  int leading = 0;
  for (int i = n - 1; i >= 0; i--) for (uint32_t unit = 100000000u; unit; unit /= 10) {
    const char c = (char)('0' + part[i] / unit % 10);
    leading += !d->n && c == '0';
    if (d->n || c != '0') d->digit[d->n++] = c;
  }
  d->point = 9 * n - leading - places;
  while (d->n && d->digit[d->n - 1] == '0') d->n--;
}

// To its first n digits, or up to the next number of so many.
static void tn_decimal_cut(tn_decimal *d, int n, int up) {
  d->n = n;
  if (up) {
    while (d->n && d->digit[d->n - 1] == '9') d->n--;
    if (d->n) d->digit[d->n - 1]++;
    else { d->digit[d->n++] = '1'; d->point++; }
  }
  while (d->n && d->digit[d->n - 1] == '0') d->n--;
}
// To n digits, ties to even.
static void tn_decimal_round(tn_decimal *d, int n) {
  if (n >= d->n) return;
  int up = n >= 0 && d->digit[n] >= '5';
  if (up && d->digit[n] == '5' && n + 1 == d->n) up = n > 0 && (d->digit[n - 1] & 1);
  tn_decimal_cut(d, n < 0 ? 0 : n, up);
}

static char tn_decimal_at(const tn_decimal *d, int i) { return i >= 0 && i < d->n ? d->digit[i] : '0'; }

// Below 0: a is less than b. Neither is 0.
static int tn_decimal_compare(const tn_decimal *a, const tn_decimal *b) {
  int order = a->point - b->point;
  for (int i = 0; !order && (i < a->n || i < b->n); i++) order = tn_decimal_at(a, i) - tn_decimal_at(b, i);
  return order;
}
// The fewest digits, at most `most`, that are read back as m * 2^e where (m - 1) * 2^e and (m + 1) * 2^e are its
// neighbours, or m * 2^e rounded to `most` where these are fewer; closer: the one below is half as far away. Of the
// numbers of so few digits it is the nearest (Steele and White, "How to print floating-point numbers accurately",
// 1990).
static void tn_decimal_shortest(tn_decimal *d, uint64_t m, int e, int closer, int most) {
  tn_decimal low, high, down, up;
  tn_decimal_of(d, m, e);
  if (!m) return;
  tn_decimal_of(&low, closer ? 4 * m - 1 : 2 * m - 1, closer ? e - 2 : e - 1);
  tn_decimal_of(&high, 2 * m + 1, e - 1);
  const int even = !(m & 1);               // half the way to a neighbour is read back as the even one
  for (int n = 1; n < d->n && n <= most; n++) {
    up.n = down.n = n;
    up.point = down.point = d->point;
    memcpy(up.digit, d->digit, (size_t)n);
    memcpy(down.digit, d->digit, (size_t)n);
    tn_decimal_cut(&down, n, 0);
    tn_decimal_cut(&up, n, 1);
    const int goes_down = tn_decimal_compare(&down, &low) + even > 0;
    const int goes_up = tn_decimal_compare(&up, &high) - even < 0;
    if (goes_down && !goes_up) *d = down;
    else if (goes_up && !goes_down) *d = up;
    else if (goes_up) tn_decimal_round(d, n);
    if (goes_down || goes_up) return;
  }
  tn_decimal_round(d, most);
}

// d.ddde+dd with so many places.
static int tn_decimal_scientific(char *out, const tn_decimal *d, int places, char e) {
  const int ten = d->n ? d->point - 1 : 0, size = ten < 0 ? -ten : ten;
  int n = 0;
  out[n++] = tn_decimal_at(d, 0);
  if (places > 0) out[n++] = '.';
  for (int i = 1; i <= places; i++) out[n++] = tn_decimal_at(d, i);
  out[n++] = e;
  out[n++] = ten < 0 ? '-' : '+';
  if (size >= 100) out[n++] = (char)('0' + size / 100);
  out[n++] = (char)('0' + size / 10 % 10);
  out[n++] = (char)('0' + size % 10);
  return n;
}
static int tn_decimal_fixed(char *out, const tn_decimal *d, int places) {
  int n = 0;
  for (int i = 0; i < d->point; i++) out[n++] = tn_decimal_at(d, i);
  if (!n) out[n++] = '0';
  if (places > 0) out[n++] = '.';
  for (int i = 0; i < places; i++) out[n++] = tn_decimal_at(d, d->point + i);
  return n;
}

// C's hexadecimal form with as many digits as it takes: 0x1.8p+1
static int tn_number_hex(char *out, uint64_t bits) {
  static const char digits[] = "0123456789abcdef";
  const int code = (int)(bits >> 52 & 2047), e = code ? code - 1023 : -1022;
  uint64_t fraction = bits & (((uint64_t)1 << 52) - 1);
  const int ten = !code && !fraction ? 0 : e, size = ten < 0 ? -ten : ten;
  int n = 0;
  out[n++] = '0'; out[n++] = 'x'; out[n++] = code ? '1' : '0';
  if (fraction) out[n++] = '.';
  for (; fraction; fraction = fraction << 4 & (((uint64_t)1 << 52) - 1)) out[n++] = digits[fraction >> 48];
  out[n++] = 'p'; out[n++] = ten < 0 ? '-' : '+';
  for (int unit = size > 999 ? 1000 : size > 99 ? 100 : size > 9 ? 10 : 1; unit; unit /= 10)
    out[n++] = (char)('0' + size / unit % 10);
  return n;
}

// The size of x as printf's kind ('f', 'e', 'g' or 'a') has it, without a sign; places < 0: 6. Its length; out has
// TN_NUMBER_TEXT bytes and is not ended by 0. 'a' takes no places: all digits are written.
static int tn_number_text(char *out, char kind, int places, double x) {
  const uint64_t bits = tn_float_bits(x) & ~((uint64_t)1 << 63), fraction = bits & (((uint64_t)1 << 52) - 1);
  const int code = (int)(bits >> 52);
  if (code == 2047) { memcpy(out, fraction ? "nan" : "inf", 3); return 3; }
  if (kind == 'a') return tn_number_hex(out, bits);
  if (places < 0) places = 6;
  if (places > TN_NUMBER_PLACES) places = TN_NUMBER_PLACES;
  tn_decimal d;
  tn_decimal_of(&d, code ? fraction | (uint64_t)1 << 52 : fraction, (code ? code : 1) - 1075);
  if (kind == 'f') {
    tn_decimal_round(&d, d.point + places);
    return tn_decimal_fixed(out, &d, places);
  }
  if (kind == 'g' && !places) places = 1;
  tn_decimal_round(&d, kind == 'g' ? places : places + 1);
  if (kind != 'g') return tn_decimal_scientific(out, &d, places, 'e');
  const int ten = d.n ? d.point - 1 : 0;
  if (ten < -4 || ten >= places) return tn_decimal_scientific(out, &d, d.n ? d.n - 1 : 0, 'e');
  return tn_decimal_fixed(out, &d, d.n > d.point ? d.n - d.point : 0);
}

// ** digits to double **

typedef struct tn_big { int n; uint32_t word[TN_BIG_WORDS]; } tn_big;      // the lowest word first

static void tn_big_times_plus(tn_big *x, uint32_t factor, uint32_t plus) {
  uint64_t carry = plus;
  for (int i = 0; i < x->n; i++) {
    carry += (uint64_t)x->word[i] * factor;
    x->word[i] = (uint32_t)carry;
    carry >>= 32;
  }
  if (carry) x->word[x->n++] = (uint32_t)carry;
}
static void tn_big_times_ten(tn_big *x, int k) {
  for (; k >= 9; k -= 9) tn_big_times_plus(x, 1000000000u, 0);
  for (; k > 0; k--) tn_big_times_plus(x, 10, 0);
}
static int tn_big_bits(const tn_big *x) {
  int n = 32 * x->n;
  if (x->n) for (uint32_t top = x->word[x->n - 1]; !(top >> 31); top <<= 1) n--;
  return n;
}
static void tn_big_shift(tn_big *x, int k) {               // by k >= 0 bits to the left
  for (; k >= 31; k -= 31) tn_big_times_plus(x, 1u << 31, 0);
  tn_big_times_plus(x, 1u << k, 0);
}
static void tn_big_halve(tn_big *x) {
  for (int i = 0; i < x->n; i++) x->word[i] = x->word[i] >> 1 | (i + 1 < x->n ? x->word[i + 1] << 31 : 0);
  if (x->n && !x->word[x->n - 1]) x->n--;
}
// x -= y where that is not below zero; 1: it was done.
static int tn_big_take(tn_big *x, const tn_big *y) {
  if (x->n < y->n) return 0;
  for (int i = x->n - 1; i >= 0; i--) {
    const uint32_t b = i < y->n ? y->word[i] : 0;
    if (x->word[i] != b) { if (x->word[i] < b) return 0; break; }
  }
  uint64_t borrow = 0;
  for (int i = 0; i < x->n; i++) {
    const uint64_t take = (i < y->n ? y->word[i] : 0) + borrow;
    borrow = x->word[i] < take;
    x->word[i] = (uint32_t)(x->word[i] - take);
  }
  while (x->n && !x->word[x->n - 1]) x->n--;
  return 1;
}

// The bits of the double nearest to (q + a little, if more) * 2^e; q has 63 or 64 bits.
static uint64_t tn_number_round(uint64_t q, int more, int e) {
  const int top = q >> 63 ? 63 : 62, ten = e + top, normal = ten >= -1022;
  const int drop = top - 52 + (normal ? 0 : -1022 - ten);
  if (ten > 1023) return (uint64_t)2047 << 52;
  if (drop > 64) return 0;
  const uint64_t rest = drop == 64 ? q : q & (((uint64_t)1 << drop) - 1), half = (uint64_t)1 << (drop - 1);
  uint64_t m = drop == 64 ? 0 : q >> drop;
  m += rest > half || (rest == half && (more || (m & 1)));
  return normal ? ((uint64_t)(ten + 1022) << 52) + m : m;    // the leading bit of m is one of the exponent's
}

// digits, a point among them, an exponent: the double that is nearest. 0: it is something else.
static int tn_number_parse(const char *text, size_t n, double *out) {
  const char *at = text, *const end = text + n;
  const int minus = at < end && *at == '-';
  int ndigit = 0, point = 0, seen = 0, any = 0, more = 0, power = 0;
  tn_big x, y;
  x.n = y.n = 0;
  if (n > 1 << 24) return 0;
  if (at < end && (*at == '-' || *at == '+')) at++;
  for (; at < end && ((*at >= '0' && *at <= '9') || (*at == '.' && !seen)); at++) {
    if (*at == '.') { seen = 1; continue; }
    any = 1;
    if (ndigit < TN_DECIMAL_DIGITS) {
      tn_big_times_plus(&x, 10, (uint32_t)(*at - '0'));
      ndigit += ndigit || *at != '0';
      point -= seen;
    } else {
      more |= *at != '0';
      point += !seen;
    }
  }
  if (!any) return 0;
  if (at < end && (*at == 'e' || *at == 'E')) {
    const int below = ++at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) at++;
    if (at == end) return 0;
    for (; at < end && *at >= '0' && *at <= '9'; at++) if (power < 1000000) power = power * 10 + (*at - '0');
    if (below) power = -power;
  }
  if (at != end) return 0;
  const int ten = point + power;           // the value is x * 10^ten, and a little more
  uint64_t bits = 0, q = 0;
  if (x.n && ten + ndigit > 310) bits = (uint64_t)2047 << 52;
  else if (x.n && ten + ndigit > -330) {
    tn_big_times_plus(&y, 1, 1);
    tn_big_times_ten(ten < 0 ? &y : &x, ten < 0 ? -ten : ten);
    const int shift = 63 - (tn_big_bits(&x) - tn_big_bits(&y));
    tn_big_shift(shift < 0 ? &y : &x, shift < 0 ? -shift : shift);
    tn_big_shift(&y, 64);
    for (int i = 0; i < 64; i++) { tn_big_halve(&y); q = q << 1 | (uint64_t)tn_big_take(&x, &y); }
    bits = tn_number_round(q, more || x.n, -shift);
  }
  *out = tn_float_of_bits(bits | (uint64_t)minus << 63);
  return 1;
}

// The integer that text begins with, held between the bounds; 0: none. *end: behind its digits, or text; or NULL.
static int tn_number_int(const char *text, int low, int high, const char **end) {
  const char *from = text, *behind;
  while (*from == ' ' || *from == '\t') from++;
  const int minus = *from == '-';
  if (*from == '-' || *from == '+') from++;
  const uint64_t size = tn_digits_value(from, 10, &behind);
  if (end) *end = behind > from ? behind : text;
  const int64_t most = size > INT32_MAX ? (int64_t)INT32_MAX + 1 : (int64_t)size, k = minus ? -most : most;
  return k < low ? low : k > high ? high : (int)k;
}

// ** printf's formats **

typedef struct tn_number_sink { char *out; size_t nbytes, n; } tn_number_sink;

static void tn_number_put(tn_number_sink *s, const char *text, size_t n) {
  if (s->n < s->nbytes) memcpy(s->out + s->n, text, n < s->nbytes - s->n ? n : s->nbytes - s->n);
  s->n += n;
}
static void tn_number_fill(tn_number_sink *s, char c, long long n) { for (; n > 0; n--) tn_number_put(s, &c, 1); }

// One conversion: flags, width and precision (-1: none), and its letter.
typedef struct tn_number_spec {
  int left, zero, plus, space, other, width, places;
  char length, letter;
} tn_number_spec;

// sign, digits, and what pads them.
static void tn_number_padded(tn_number_sink *s, const tn_number_spec *f, const char *sign, const char *text, size_t n,
                             int zeros) {
  const long long pad = (long long)f->width - (long long)(strlen(sign) + n) - zeros;
  if (!f->left && !f->zero) tn_number_fill(s, ' ', pad);
  tn_number_put(s, sign, strlen(sign));
  if (!f->left && f->zero) tn_number_fill(s, '0', pad);
  tn_number_fill(s, '0', zeros);
  tn_number_put(s, text, n);
  if (f->left) tn_number_fill(s, ' ', pad);
}

static void tn_number_integer(tn_number_sink *s, tn_number_spec f, uint64_t k, int minus) {
  const char *const digits = f.letter == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
  const int sign = f.letter == 'd' || f.letter == 'i';
  const unsigned base = f.letter == 'x' || f.letter == 'X' || f.letter == 'p' ? 16 : f.letter == 'o' ? 8 : 10;
  char text[24];
  int n = 0;
  if (minus) k = 0 - k;
  for (uint64_t left = k; left; left /= base) text[sizeof text - (size_t)++n] = digits[left % base];
  if (f.places >= 0) f.zero = 0;
  const int zeros = f.places < 0 ? !n : f.places > n ? f.places - n : 0;
  const char *before = minus ? "-" : sign && f.plus ? "+" : sign && f.space ? " " : "";
  if (f.letter == 'p' || (f.other && base == 16 && k)) before = f.letter == 'X' ? "0X" : "0x";
  tn_number_padded(s, &f, before, text + sizeof text - (size_t)n, (size_t)n, zeros);
}

static void tn_number_real(tn_number_sink *s, tn_number_spec f, double x) {
  char text[TN_NUMBER_TEXT];
  const int upper = f.letter < 'a', minus = (int)(tn_float_bits(x) >> 63);
  const int n = tn_number_text(text, (char)(upper ? f.letter + 'a' - 'A' : f.letter), f.places, x);
  const int finite = text[0] != 'n' && text[0] != 'i';
  if (upper) for (int i = 0; i < n; i++) if (text[i] >= 'a' && text[i] <= 'z') text[i] = (char)(text[i] + 'A' - 'a');
  f.zero = f.zero && finite;
  tn_number_padded(s, &f, minus ? "-" : f.plus ? "+" : f.space ? " " : "", text, (size_t)n, 0);
}

static void tn_number_string(tn_number_sink *s, const tn_number_spec *f, const char *text) {
  size_t n = 0;
  if (!text) text = "(null)";
  while ((f->places < 0 || n < (size_t)f->places) && text[n]) n++;
  if (!f->left) tn_number_fill(s, ' ', (long long)f->width - (long long)n);
  tn_number_put(s, text, n);
  if (f->left) tn_number_fill(s, ' ', (long long)f->width - (long long)n);
}

// va_list cannot be handed on by its address as a parameter; in a struct it can.
typedef struct tn_number_args { va_list list; } tn_number_args;

static int64_t tn_number_signed(tn_number_args *a, char length) {
  switch (length) {
    case 'l': return va_arg(a->list, long);
    case 'q': return va_arg(a->list, long long);
    case 'z': return (int64_t)va_arg(a->list, size_t);
    case 't': return va_arg(a->list, ptrdiff_t);
    case 'j': return va_arg(a->list, intmax_t);
    case 'h': return (short)va_arg(a->list, int);
    case 'c': return (signed char)va_arg(a->list, int);
    default: return va_arg(a->list, int);
  }
}
static uint64_t tn_number_unsigned(tn_number_args *a, char length) {
  switch (length) {
    case 'l': return va_arg(a->list, unsigned long);
    case 'q': return va_arg(a->list, unsigned long long);
    case 'z': return va_arg(a->list, size_t);
    case 't': return (uint64_t)va_arg(a->list, ptrdiff_t);
    case 'j': return va_arg(a->list, uintmax_t);
    case 'h': return (unsigned short)va_arg(a->list, unsigned);
    case 'c': return (unsigned char)va_arg(a->list, unsigned);
    default: return va_arg(a->list, unsigned);
  }
}

// What stands between % and the letter; where it ends.
static const char *tn_number_spec_of(const char *at, tn_number_spec *f, tn_number_args *a) {
  memset(f, 0, sizeof *f);
  for (;; at++) {
    if (*at == '-') f->left = 1;
    else if (*at == '0') f->zero = 1;
    else if (*at == '+') f->plus = 1;
    else if (*at == ' ') f->space = 1;
    else if (*at == '#') f->other = 1;
    else break;
  }
  f->places = -1;
  if (*at == '*') { f->width = va_arg(a->list, int); at++; }
  else for (; *at >= '0' && *at <= '9'; at++) if (f->width < 100000) f->width = f->width * 10 + (*at - '0');
  if (f->width < 0) { f->left = 1; f->width = f->width > -100000 ? -f->width : 100000; }
  if (*at == '.') {
    f->places = 0;
    if (*++at == '*') { f->places = va_arg(a->list, int); at++; }
    else for (; *at >= '0' && *at <= '9'; at++) if (f->places < 100000) f->places = f->places * 10 + (*at - '0');
  }
  for (; *at && strchr("hlzjt", *at); at++)
    f->length = *at == 'l' && f->length == 'l' ? 'q' : *at == 'h' && f->length == 'h' ? 'c' : *at;
  f->letter = *at;
  return *at ? at + 1 : at;
}

static void tn_number_argument(tn_number_sink *s, const tn_number_spec *f, tn_number_args *a) {
  switch (f->letter) {
    case 'd': case 'i': {
      const int64_t k = tn_number_signed(a, f->length);
      tn_number_integer(s, *f, (uint64_t)k, k < 0);
      return;
    }
    case 'u': case 'x': case 'X': case 'o': tn_number_integer(s, *f, tn_number_unsigned(a, f->length), 0); return;
    case 'p': tn_number_integer(s, *f, (uint64_t)(uintptr_t)va_arg(a->list, void *), 0); return;
    case 'f': case 'e': case 'g': case 'a': case 'F': case 'E': case 'G': case 'A':
      tn_number_real(s, *f, va_arg(a->list, double));
      return;
    case 's': tn_number_string(s, f, va_arg(a->list, const char *)); return;
    case 'c': {
      const char c = (char)va_arg(a->list, int);
      tn_number_padded(s, f, "", &c, 1, 0);
      return;
    }
    default: tn_number_put(s, &f->letter, f->letter != 0); return;         // %%
  }
}

// As vsnprintf in the locale "C", but for long doubles, wide characters, %n and numbered arguments.
static int tn_number_list(char *out, size_t nbytes, const char *format, va_list args) {
  if (TN_RUNS_ONLY) return vsnprintf(out, nbytes, format, args);       // texts and integers: no locale changes them
  tn_number_sink s = {out, nbytes ? nbytes - 1 : 0, 0};
  tn_number_args a;
  va_copy(a.list, args);
  while (*format) {
    const size_t plain = strcspn(format, "%");
    tn_number_spec f;
    tn_number_put(&s, format, plain);
    format += plain;
    if (!*format) break;
    format = tn_number_spec_of(format + 1, &f, &a);
    tn_number_argument(&s, &f, &a);
  }
  va_end(a.list);
  if (nbytes) out[s.n < nbytes - 1 ? s.n : nbytes - 1] = 0;
  return s.n < INT_MAX ? (int)s.n : INT_MAX;
}

#if defined(__GNUC__) || defined(__clang__)
  #define TN_PRINTF(at, args) __attribute__((format(printf, at, args)))
#else
  #define TN_PRINTF(at, args)
#endif

// As snprintf.
static int tn_number_print(char *out, size_t nbytes, const char *format, ...) TN_PRINTF(3, 4);
static int tn_number_print(char *out, size_t nbytes, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const int n = tn_number_list(out, nbytes, format, args);
  va_end(args);
  return n;
}
#endif

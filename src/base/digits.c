// digits: whole numbers in text without a sign: of devices, of versions, of addresses.
//
// In:  text. Out: what its first digits say, and what stands behind them.
// Holds: it stands in companion headers, as library.c does, and uses nothing of the other rooms; the host's locale
//        changes nothing.
#ifndef TN_BASE_DIGITS
#define TN_BASE_DIGITS
#include <stdint.h>
#include <string.h>

// What the digits that text begins with say in base 10 or 16. 0: there are none; UINT64_MAX: that, or more. *end:
// behind them; end may be NULL.
static uint64_t tn_digits_value(const char *text, uint64_t base, const char **end) {
  static const char digits[] = "0123456789abcdef";
  uint64_t k = 0;
  for (; *text; text++) {
    const char *digit = strchr(digits, *text >= 'A' && *text <= 'F' ? *text - 'A' + 'a' : *text);
    if (!digit || (uint64_t)(digit - digits) >= base) break;
    const uint64_t d = (uint64_t)(digit - digits);
    k = k > (UINT64_MAX - d) / base ? UINT64_MAX : k * base + d;
  }
  if (end) *end = text;
  return k;
}
#endif

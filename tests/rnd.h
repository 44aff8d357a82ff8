// rnd: numbers below n, of which rng is the state: a test sets it, and says which it was.
#ifndef RND_H
#define RND_H
static uint64_t rng;
static int rnd(int n) {                    // splitmix64, as in test_random
  uint64_t z = (rng += 0x9E3779B97F4A7C15u);
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return (int)((z ^ z >> 31) >> 33) % n;
}
#endif

// cache: what the compiler made, kept on disk between processes.
//
// In:    KEY, the digest of all that makes the contents what they are, a suffix, bytes. Out: the bytes that were kept
//        under both; nothing where anything does not fit: a length and a checksum stand against accidents.
// Holds: what lies there is executed, so folder and files must be the effective user's own, which nobody else may
//        write; a process with raised rights uses none. The folder is kept below a size: the files go first that are
//        oldest, or that nobody has read for longest, to within a day. Many processes may use and trim it at once.
#ifndef TN_RUNTIME_CACHE
#define TN_RUNTIME_CACHE
#ifndef TINY_AMALGAMATED
#include "../base/files.c"
#include "../base/hash.c"
#endif

#ifndef TN_CACHE_NBYTES
  #define TN_CACHE_NBYTES ((uint64_t)512 << 20)            // on disk
#endif
enum { TN_CACHE_FILE = 64 << 20 };         // bytes of the biggest file

struct tn_cache {
  tiny_ctx *t;
  char dir[TN_OS_PATH];                    // "": keep nothing on disk
  uint64_t put;                            // bytes written there since it was looked through; 0: never
};

// dir: as in tiny_desc.cache_dir.
static tiny_code tn_cache_open(tiny_ctx *t, const char *dir) {
  struct tn_cache *c = t->cache = (struct tn_cache *)tn_alloc(t, sizeof *c);
  if (!c) return TINY_E_MEMORY;
  c->t = t;
  if (tn_os_raised()) return TINY_OK;
  if (!dir) dir = tn_os_env_set("TINY_CACHE");             // "" says something, too
  const int there = dir ? (size_t)snprintf(c->dir, sizeof c->dir, "%s", dir) < sizeof c->dir
                        : tn_os_cache_dir(c->dir, sizeof c->dir);
  if (!there) c->dir[0] = 0;               // the beginning of a path is another folder
  return TINY_OK;
}

// sum: against accidents
typedef struct tn_file_head { char magic[8]; tn_digest key; uint64_t nbytes, sum; } tn_file_head;
static const char tn_file_magic[8] = {'t', 'i', 'n', 'y', 'k', '0', '0', '2'};
enum { TN_CACHE_NAME = TN_DIGEST_TEXT + 16, TN_CACHE_LOOK = 64, TN_CACHE_STALE = 3600 };

static const char *tn_cache_name(const tn_digest *key, const char *suffix, char *out) {
  tn_digest_print(key, out);
  snprintf(out + TN_DIGEST_TEXT - 1, (size_t)TN_CACHE_NAME - (size_t)TN_DIGEST_TEXT + 1, ".%s", suffix);
  return out;
}

// From now on nothing is kept on disk. That somebody else could have put something there is said in any case.
static void tn_cache_give_up(struct tn_cache *c, int verdict) {
  if (verdict == TN_OS_FOREIGN || verdict == TN_OS_SHARED)
    tn_log(c->t, "tiny: %.200s is not used to keep compiled kernels in: it, or a file in it, %s", c->dir,
           verdict == TN_OS_FOREIGN ? "belongs to another user" : "may be written by others");
  else if (tn_debug(c->t, 'p') || tn_debug(c->t, 't'))
    tn_log(c->t, "tiny: %.200s cannot be used to keep compiled kernels in: it cannot be written", c->dir);
  c->dir[0] = 0;
}

// The payload of a cache file into out; 0 when it is missing or not what was written.
static int tn_cache_read(struct tn_cache *c, const tn_digest *key, const char *suffix, tiny_bytes *out) {
  char name[TN_CACHE_NAME];
  tn_file_head head;
  tiny_bytes raw = {c->t, NULL, 0, 0};
  if (!c->dir[0]) return 0;
  const int verdict = tn_os_read_own(c->dir, tn_cache_name(key, suffix, name), TN_CACHE_FILE, &raw);
  if (verdict == TN_OS_FOREIGN || verdict == TN_OS_SHARED) tn_cache_give_up(c, verdict);
  if (verdict != TN_OS_DONE || raw.n < sizeof head) return 0;
  memcpy(&head, raw.data, sizeof head);
  const char *data = raw.data + sizeof head;
  if (memcmp(head.magic, tn_file_magic, sizeof head.magic) || !tn_digest_same(&head.key, key) ||
      head.nbytes != raw.n - sizeof head || head.sum != tn_hash_bytes(0, data, raw.n - sizeof head))
    return 0;
  tiny_bytes_add(out, data, raw.n - sizeof head);
  return 1;
}

// Is it a file of ours, by its name? -1: one that was being written.
static int tn_cache_is_ours(const char *name) {
  static const char *const suffix[] = {".kernel", ".bin", ".opts", ".cc"};
  const size_t digits = strspn(name, "0123456789abcdef");
  for (size_t i = 0; i < sizeof suffix / sizeof *suffix && (digits == 16 || digits == TN_DIGEST_TEXT - 1); i++) {
    const size_t n = strlen(suffix[i]);
    if (!strncmp(name + digits, suffix[i], n)) return !name[digits + n] ? 1 : name[digits + n] == '.' ? -1 : 0;
  }
  return 0;
}

static int tn_cache_older(const void *a, const void *b) {
  const tn_os_entry *x = (const tn_os_entry *)a, *y = (const tn_os_entry *)b;
  return x->changed != y->changed ? (x->changed < y->changed ? -1 : 1) : strcmp(x->name, y->name);
}

static void tn_cache_remove(struct tn_cache *c, const char *name) {
  char path[TN_OS_PATH];
  if (tn_os_own_path(path, sizeof path, c->dir, name)) tn_os_remove(path);
}

static uint64_t tn_cache_takes(const tn_os_entry *e) { return (e->nbytes + 4095) / 4096 * 4096; }

// Removes the oldest files while there are too many bytes, to a quarter less, and what writers that died left behind.
// A file that another process reads meanwhile stays whole for it; what it has not read yet is missing, as it may be.
static void tn_cache_trim(struct tn_cache *c) {
  const tn_mark mark = tn_scratch_mark(c->t);
  const int room = tn_os_list(c->dir, NULL, 0) + 64;
  tn_os_entry *all = room > 0 ? (tn_os_entry *)tn_scratch_bare(c->t, (size_t)room * sizeof *all) : NULL;
  int n = all ? tn_os_list(c->dir, all, room) : 0, left = 0;
  const uint64_t now = (uint64_t)time(NULL);
  uint64_t nbytes = 0;
  if (n > room) n = room;
  for (int i = 0; i < n; i++) {
    const int ours = tn_cache_is_ours(all[i].name);
    if (ours < 0 && all[i].changed + TN_CACHE_STALE < now) tn_cache_remove(c, all[i].name);
    if (ours > 0) { nbytes += tn_cache_takes(&all[i]); all[left++] = all[i]; }
  }
  if (nbytes > TN_CACHE_NBYTES) {
    qsort(all, (size_t)left, sizeof *all, tn_cache_older);
    for (int i = 0; i < left && nbytes > TN_CACHE_NBYTES / 4 * 3; i++) {
      tn_cache_remove(c, all[i].name);
      nbytes -= tn_cache_takes(&all[i]);
    }
  }
  tn_scratch_rewind(c->t, mark);
}

// Looking through a folder takes time: it is done after so many bytes, and by one in sixteen of those who write less.
static void tn_cache_bound(struct tn_cache *c, const tn_digest *key, size_t nbytes) {
  uint64_t *put = &c->put;
  const int first = !*put;
  *put += (nbytes + 4095) / 4096 * 4096;
  if (*put < TN_CACHE_NBYTES / TN_CACHE_LOOK && (!first || key->word[1] % 16)) return;
  *put = 1;
  tn_cache_trim(c);
}

static void tn_cache_write(struct tn_cache *c, const tn_digest *key, const char *suffix, const void *data,
                           size_t nbytes) {
  char name[TN_CACHE_NAME];
  tn_file_head head;
  tiny_bytes raw = {c->t, NULL, 0, 0};
  if (!c->dir[0]) return;
  memset(&head, 0, sizeof head);
  memcpy(head.magic, tn_file_magic, sizeof head.magic);
  head.key = *key; head.nbytes = nbytes; head.sum = tn_hash_bytes(0, data, nbytes);
  tiny_bytes_add(&raw, &head, sizeof head);
  tiny_bytes_add(&raw, data, nbytes);
  const int verdict = tn_os_make_dirs(c->dir)
      ? tn_os_write_own(c->dir, tn_cache_name(key, suffix, name), raw.data, raw.n) : TN_OS_ABSENT;
  if (verdict == TN_OS_DONE) tn_cache_bound(c, key, raw.n);
  else tn_cache_give_up(c, verdict);       // no use trying again
}
#endif

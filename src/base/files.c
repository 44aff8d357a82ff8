// files: reading and writing them whole, mapping them, and whose they are.
//
// In:  paths of the host's or of the user's cache. A file that is written appears whole, or not at all, whatever goes
//      wrong or runs beside it. What is to be executed comes from folders and files of the effective user's own, which
//      nobody else may write: that is looked at once they are open, never by their names.
#ifndef TN_BASE_FILES
#define TN_BASE_FILES
#ifndef TINY_AMALGAMATED
#include "os.c"
#endif

#ifndef TINY_NO_DISK
// ** signals that a write may raise: SIGXFSZ where files may not grow further, SIGPIPE **

#if defined(_WIN32) || defined(TN_OS_PAGE)
typedef struct tn_os_hush { int none; } tn_os_hush;
static void tn_os_hush_begin(tn_os_hush *h) { h->none = 0; }
static void tn_os_hush_end(tn_os_hush *h) { (void)h; }
#else
#ifndef SIGXFSZ
  #define SIGXFSZ 25
#endif
#ifdef TINY_NO_THREADS
  #define TN_OS_SIGMASK sigprocmask
#else
  #define TN_OS_SIGMASK pthread_sigmask
#endif
// before: the thread's mask; waits: what waited already, which is for the host.
typedef struct tn_os_hush { sigset_t before, waits; } tn_os_hush;
static const int tn_os_hushed[] = { SIGXFSZ, SIGPIPE };

// A write of this thread that fails says so by its result alone: the signal that comes with it waits, and is taken.
// The host's handlers and masks are as before.
static void tn_os_hush_begin(tn_os_hush *h) {
  sigset_t these;
  sigemptyset(&these);
  for (int i = 0; i < 2; i++) sigaddset(&these, tn_os_hushed[i]);
  sigpending(&h->waits);
  TN_OS_SIGMASK(TN_OS_SIG_BLOCK, &these, &h->before);
}
static void tn_os_hush_end(tn_os_hush *h) {
  const int error = errno;
  sigset_t now, one;
  sigpending(&now);
  for (int i = 0; i < 2; i++) {
    const int sig = tn_os_hushed[i];
    if (sigismember(&now, sig) != 1 || sigismember(&h->waits, sig) == 1) continue;
    sigemptyset(&one);
    sigaddset(&one, sig);
#if defined(__linux__) && defined(__LP64__)
    struct timespec none;                  // it may be gone: sent to the process, another thread has taken it
    none.tv_sec = 0; none.tv_nsec = 0;
    syscall(SYS_rt_sigtimedwait, &one, NULL, &none, (size_t)8);
#else
    int got;
    sigwait(&one, &got);
#endif
  }
  TN_OS_SIGMASK(TN_OS_SIG_SETMASK, &h->before, NULL);
  errno = error;
}
#endif
#endif // TINY_NO_DISK

// ** files **

// changed: when, in ns; number: of the file in its file system
typedef struct tn_os_facts { uint64_t nbytes, changed, number; } tn_os_facts;

// 1: there is a regular file at path.
static int tn_os_file(const char *path, tn_os_facts *out) {
#ifdef _WIN32
  struct _stat64 s;
  if (_stat64(path, &s) || (s.st_mode & _S_IFMT) != _S_IFREG) return 0;
#else
  struct stat s;
  if (stat(path, &s) || !S_ISREG(s.st_mode)) return 0;
#endif
  out->nbytes = (uint64_t)s.st_size; out->number = (uint64_t)s.st_ino;
  out->changed = (uint64_t)s.st_mtime * 1000000000u;
#if defined(__linux__) && (!defined(__STRICT_ANSI__) || defined(__cplusplus))
  out->changed += (uint64_t)s.st_mtim.tv_nsec;
#endif
  return 1;
}

#ifndef TINY_NO_IO
// What is at path and is no file: a file that took its place would take it from everybody. NULL: a file, or nothing.
static const char *tn_os_in_the_way(const char *path) {
  tn_os_facts facts;
#ifdef _WIN32
  struct _stat64 s;
  const int there = !_stat64(path, &s), folder = there && (s.st_mode & _S_IFMT) == _S_IFDIR;
#else
  struct stat s;
  const int there = !stat(path, &s), folder = there && S_ISDIR(s.st_mode);
#endif
  if (!there || tn_os_file(path, &facts)) return NULL;
  return folder ? "it is a folder" : "it is a device or a pipe, and no file";
}
// Why no regular file can be read from a path.
static const char *tn_os_why_not(const char *path) {
  tn_os_facts facts;
  const char *const other = tn_os_in_the_way(path);
  if (other) return other;
  if (tn_os_file(path, &facts)) return "it cannot be read";
#ifndef _WIN32
  if (errno != ENOENT && errno != ENOTDIR) return "it cannot be looked at";
#endif
  return "there is no such file";
}
#endif

// What is to be executed comes from a folder and a file of the effective user's own, which nobody else may write.
// FOREIGN: another user's; SHARED: others may write it.
enum { TN_OS_DONE, TN_OS_ABSENT, TN_OS_FOREIGN, TN_OS_SHARED };
enum { TN_OS_NAME = 160 };                 // bytes of the longest name that is listed, its 0 included
typedef struct tn_os_entry { char name[TN_OS_NAME]; uint64_t nbytes, changed; } tn_os_entry;

static int tn_os_own_path(char *out, size_t cap, const char *folder, const char *name) {
  const int n = snprintf(out, cap, "%s/%s", folder, name);
  return n > 0 && (size_t)n < cap;
}

#ifdef TINY_NO_DISK                        // nothing can be read, written or found there
enum { TN_OS_OWN, TN_OS_ALL };
#ifndef TINY_NO_IO
typedef struct tn_os_draft { int none; } tn_os_draft;
static int tn_os_draft_open(tn_os_draft *d, const char *path, int rights) {
  (void)d; (void)path; (void)rights;
  return 0;
}
static int tn_os_draft_write(tn_os_draft *d, const void *data, size_t nbytes) {
  (void)d; (void)data; (void)nbytes;
  return 0;
}
static int tn_os_draft_close(tn_os_draft *d, const char *path, int whole) {
  (void)d;
  (void)path;
  return whole;
}
typedef struct tn_os_mapping { const void *data; size_t nbytes; } tn_os_mapping;
static int tn_os_map_file(const char *path, tn_os_mapping *m) { (void)path; (void)m; return 0; }
static int tn_os_read_file(const char *path, char *data, size_t nbytes) {
  (void)path; (void)data; (void)nbytes;
  return 0;
}
static void tn_os_unmap_file(tn_os_mapping *m) { (void)m; }
static void *tn_os_map_part(const tn_os_mapping *m, size_t at, size_t nbytes, void **base, size_t *total) {
  (void)m; (void)at; (void)nbytes; (void)base; (void)total;
  return NULL;
}
#endif
static void tn_os_unmap_pages(void *base, size_t nbytes) { (void)base; (void)nbytes; }
static void tn_os_remove(const char *path) { (void)path; }
static int tn_os_read_own(const char *folder, const char *name, size_t max_nbytes, tiny_bytes *out) {
  (void)folder; (void)name; (void)max_nbytes; (void)out;
  return TN_OS_ABSENT;
}
static int tn_os_write_own(const char *folder, const char *name, const void *data, size_t nbytes) {
  (void)folder; (void)name; (void)data; (void)nbytes;
  return TN_OS_ABSENT;
}
static int tn_os_make_dirs(const char *path) { (void)path; return 0; }
static int tn_os_make_own_dir(const char *path) { (void)path; return 0; }
static void tn_os_remove_dir(const char *path) { (void)path; }
static int tn_os_list(const char *folder, tn_os_entry *out, int most) {
  (void)folder; (void)out;
  return most * 0;
}
static int tn_os_cache_dir(char *out, size_t cap) { (void)out; (void)cap; return 0; }
#else
#ifdef _WIN32
typedef HANDLE tn_os_handle;
static int tn_os_open(const char *path, int create, tn_os_handle *out) {
  const DWORD access = create ? GENERIC_WRITE : GENERIC_READ, how = create ? CREATE_NEW : OPEN_EXISTING;
  const DWORD share = create ? 0 : FILE_SHARE_READ | FILE_SHARE_DELETE;
  *out = CreateFileA(path, access, share, NULL, how, FILE_ATTRIBUTE_NORMAL, NULL);
  return *out != INVALID_HANDLE_VALUE;
}
static int64_t tn_os_read_some(tn_os_handle h, void *out, size_t nbytes) {
  DWORD got;
  return ReadFile(h, out, (DWORD)nbytes, &got, NULL) ? (int64_t)got : -1;
}
static int64_t tn_os_write_some(tn_os_handle h, const void *data, size_t nbytes) {
  DWORD put;
  return WriteFile(h, data, (DWORD)nbytes, &put, NULL) ? (int64_t)put : -1;
}
static int tn_os_close(tn_os_handle h) { return CloseHandle(h) != 0; }
static int tn_os_rename(const char *from, const char *to) {
  return MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING) != 0;
}
static void tn_os_remove(const char *path) { DeleteFileA(path); }
static void tn_os_remove_dir(const char *path) { RemoveDirectoryA(path); }
static int tn_os_make_own_dir(const char *path) { return _mkdir(path) == 0; }
static int tn_os_make_dir(const char *path) { return tn_os_make_own_dir(path) || errno == EEXIST; }
static int tn_os_is_separator(char c) { return c == '/' || c == '\\'; }
#else
typedef int tn_os_handle;
static int tn_os_close(tn_os_handle h) { return close(h) == 0; }
#ifndef TINY_NO_IO
static int tn_os_open(const char *path, int create, tn_os_handle *out) {
  const int flags = (create ? O_WRONLY | O_CREAT | O_EXCL : O_RDONLY) | TN_OS_CLOEXEC;
  do *out = open(path, flags, create); while (*out < 0 && errno == EINTR);
  return *out >= 0;
}
static int tn_os_rename(const char *from, const char *to) { return rename(from, to) == 0; }
#endif
static int64_t tn_os_read_some(tn_os_handle h, void *out, size_t nbytes) {
  ssize_t got;
  do got = read(h, out, nbytes); while (got < 0 && errno == EINTR);
  return got;
}
static int64_t tn_os_write_some(tn_os_handle h, const void *data, size_t nbytes) {
  ssize_t put;
  do put = write(h, data, nbytes); while (put < 0 && errno == EINTR);
  return put;
}
static void tn_os_remove(const char *path) { unlink(path); }
static void tn_os_remove_dir(const char *path) { rmdir(path); }
// One that was not there before. The umask may have left us out of it.
static int tn_os_make_own_dir(const char *path) { return mkdir(path, 0700) == 0 && chmod(path, 0700) == 0; }
static int tn_os_make_dir(const char *path) { return tn_os_make_own_dir(path) || errno == EEXIST; }
static int tn_os_is_separator(char c) { return c == '/'; }
#endif

enum { TN_OS_PIECE = 1 << 20 };            // bytes of one read or write: systems limit them
enum { TN_OS_OWN = 0600, TN_OS_ALL = 0666 };                // who may read a new file: this user; as the umask says

static int tn_os_write_all(tn_os_handle h, const void *data, size_t nbytes) {
  const char *at = (const char *)data, *const end = at + nbytes;
  int64_t put = 1;
  tn_os_hush hush;
  tn_os_hush_begin(&hush);
  while (at < end && put > 0) {
    put = tn_os_write_some(h, at, end - at < TN_OS_PIECE ? (size_t)(end - at) : (size_t)TN_OS_PIECE);
    if (put > 0) at += put;
  }
  tn_os_hush_end(&hush);
  return at == end;
}

// A file that grows while others may read it, in the place of what was there. TN_OS_TAKEN: somebody is writing it so.
enum { TN_OS_CLOSED, TN_OS_OPENED, TN_OS_TAKEN };
#ifdef _WIN32
static int tn_os_open_growing(const char *path, tn_os_handle *out) {
  *out = CreateFileA(path, GENERIC_WRITE, FILE_SHARE_READ, NULL, CREATE_ALWAYS, FILE_ATTRIBUTE_NORMAL, NULL);
  if (*out != INVALID_HANDLE_VALUE) return TN_OS_OPENED;
  return GetLastError() == ERROR_SHARING_VIOLATION ? TN_OS_TAKEN : TN_OS_CLOSED;
}
#else
static int tn_os_open_growing(const char *path, tn_os_handle *out) {
  enum { ALONE = 2, AT_ONCE = 4 };         // LOCK_EX, LOCK_NB
  struct stat s;
  do *out = open(path, O_WRONLY | O_CREAT | O_NONBLOCK | TN_OS_CLOEXEC, TN_OS_ALL); while (*out < 0 && errno == EINTR);
  if (*out < 0) return TN_OS_CLOSED;
  const int file = !fstat(*out, &s) && S_ISREG(s.st_mode), ours = file && !flock(*out, ALONE | AT_ONCE);
  if (ours && !ftruncate(*out, 0)) return TN_OS_OPENED;
  close(*out);
  return file && !ours ? TN_OS_TAKEN : TN_OS_CLOSED;
}
#endif

// A file that is being written: others see the old one or the whole new one, as it is written beside its place and
// renamed.
typedef struct tn_os_draft { char path[TN_OS_PATH + 64]; tn_os_handle h; } tn_os_draft;

// Threads differ by where d lies, processes by their number.
static int tn_os_draft_name(tn_os_draft *d, const char *path) {
  const unsigned long long process = tn_os_process_id(), here = (uintptr_t)d, now = tn_os_now();
  const int length = snprintf(d->path, sizeof d->path, "%s.%llx-%llx-%llx", path, process, here, now);
  return length >= 0 && (size_t)length < sizeof d->path;
}
static int tn_os_draft_write(tn_os_draft *d, const void *data, size_t nbytes) {
  return tn_os_write_all(d->h, data, nbytes);
}
#ifndef TINY_NO_IO
static int tn_os_draft_open(tn_os_draft *d, const char *path, int rights) {
  return !tn_os_in_the_way(path) && tn_os_draft_name(d, path) && tn_os_open(d->path, rights, &d->h);
}
// Puts the draft in its place; or drops it, when it is not whole. 1: it is in its place.
static int tn_os_draft_close(tn_os_draft *d, const char *path, int whole) {
  if (tn_os_close(d->h) && whole && tn_os_rename(d->path, path)) return 1;
  tn_os_remove(d->path);
  return 0;
}
#endif

// ** files of this user's own **

// All of h, which has nbytes. 0: it has more or less, or cannot be read.
static int tn_os_read_all(tn_os_handle h, char *data, size_t nbytes) {
  char *end = data;
  int64_t got = 1;
  while (got > 0 && end <= data + nbytes) {
    const size_t left = nbytes + 1 - (size_t)(end - data);
    got = tn_os_read_some(h, end, left < TN_OS_PIECE ? left : (size_t)TN_OS_PIECE);
    if (got > 0) end += got;
  }
  return got == 0 && end == data + nbytes;
}
#ifndef TINY_NO_IO
// All of a file of nbytes, into room for one more. 0: it cannot be read, or has changed its length.
static int tn_os_read_file(const char *path, char *data, size_t nbytes) {
  tn_os_handle h;
  if (!tn_os_open(path, 0, &h)) return 0;
  const int whole = tn_os_read_all(h, data, nbytes);
  tn_os_close(h);
  return whole;
}
#endif

#ifdef _WIN32                              // folders of a profile are the user's own; others are the caller's word
static int tn_os_read_into(const char *folder, const char *name, char *data, size_t nbytes) {
  char path[TN_OS_PATH];
  tn_os_handle h;
  if (!tn_os_own_path(path, sizeof path, folder, name) || !tn_os_open(path, 0, &h)) return TN_OS_ABSENT;
  const int whole = tn_os_read_all(h, data, nbytes);
  tn_os_close(h);
  return whole ? TN_OS_DONE : TN_OS_ABSENT;
}
static int tn_os_write_own(const char *folder, const char *name, const void *data, size_t nbytes) {
  char path[TN_OS_PATH];
  tn_os_draft d;
  if (!tn_os_own_path(path, sizeof path, folder, name) || !tn_os_draft_name(&d, path) ||
      !tn_os_open(d.path, TN_OS_OWN, &d.h))
    return TN_OS_ABSENT;
  const int whole = tn_os_draft_write(&d, data, nbytes);
  if (tn_os_close(d.h) && whole && tn_os_rename(d.path, path)) return TN_OS_DONE;
  tn_os_remove(d.path);
  return TN_OS_ABSENT;
}
// The files in a folder, out[0..most-1] of them. Returns how many there are; -1: it cannot be read.
static int tn_os_list(const char *folder, tn_os_entry *out, int most) {
  char path[TN_OS_PATH];
  WIN32_FIND_DATAA e;
  int n = 0;
  if (!tn_os_own_path(path, sizeof path, folder, "*")) return -1;
  HANDLE h = FindFirstFileA(path, &e);
  if (h == INVALID_HANDLE_VALUE) return -1;
  do {
    if (e.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY || strlen(e.cFileName) >= TN_OS_NAME) continue;
    if (n < most) {
      memcpy(out[n].name, e.cFileName, strlen(e.cFileName) + 1);
      out[n].nbytes = (uint64_t)e.nFileSizeHigh << 32 | e.nFileSizeLow;    // 100 ns since 1601
      const uint64_t when = (uint64_t)e.ftLastWriteTime.dwHighDateTime << 32 | e.ftLastWriteTime.dwLowDateTime;
      out[n].changed = when / 10000000u - 11644473600u;
    }
    n++;
  } while (FindNextFileA(h, &e));
  FindClose(h);
  return n;
}
#else
// What is open as fd: a folder or a file of this user's own that nobody else may write?
static int tn_os_judge(int fd, int folder, struct stat *s) {
  if (fstat(fd, s) || !(folder ? S_ISDIR(s->st_mode) : S_ISREG(s->st_mode))) return TN_OS_ABSENT;
  if (s->st_uid != geteuid()) return TN_OS_FOREIGN;
  return s->st_mode & 022 ? TN_OS_SHARED : TN_OS_DONE;
}

// Looks at what it has opened, never at a path: what a path names may change in between. A pipe in the place of a file
// must not be waited for.
static int tn_os_open_own(int folder, const char *path, int *fd, struct stat *s) {
  const int flags = O_RDONLY | O_NONBLOCK | TN_OS_CLOEXEC;
  do *fd = folder < 0 ? open(path, flags) : openat(folder, path, flags); while (*fd < 0 && errno == EINTR);
  if (*fd < 0) return TN_OS_ABSENT;
  const int verdict = tn_os_judge(*fd, folder < 0, s);
  if (verdict != TN_OS_DONE) { close(*fd); *fd = -1; }
  return verdict;
}

enum { TN_OS_FRESH = 86400 };              // s: a file that is read is as good as new once it is older than that

static int tn_os_read_into(const char *folder, const char *name, char *data, size_t nbytes) {
  int in, fd;
  struct stat s;
  int verdict = tn_os_open_own(-1, folder, &in, &s);
  if (verdict != TN_OS_DONE) return verdict;
  verdict = tn_os_open_own(in, name, &fd, &s);
  close(in);
  if (verdict != TN_OS_DONE) return verdict;
  const int whole = tn_os_read_all(fd, data, nbytes);
  const time_t now = time(NULL);
  if (whole && now > s.st_mtime && now - s.st_mtime > TN_OS_FRESH) futimens(fd, NULL);
  close(fd);
  return whole ? TN_OS_DONE : TN_OS_ABSENT;
}

static int tn_os_write_own(const char *folder, const char *name, const void *data, size_t nbytes) {
  int in;
  struct stat s;
  tn_os_draft d;
  const int verdict = tn_os_open_own(-1, folder, &in, &s);
  if (verdict != TN_OS_DONE) return verdict;
  int well = tn_os_draft_name(&d, name);
  if (well) {
    const int flags = O_WRONLY | O_CREAT | O_EXCL | TN_OS_CLOEXEC;
    do d.h = openat(in, d.path, flags, TN_OS_OWN); while (d.h < 0 && errno == EINTR);
    well = d.h >= 0;
  }
  if (well) {
    well = tn_os_draft_write(&d, data, nbytes);
    well = close(d.h) == 0 && well && renameat(in, d.path, in, name) == 0;
    if (!well) unlinkat(in, d.path, 0);
  }
  close(in);
  return well ? TN_OS_DONE : TN_OS_ABSENT;
}

// The files in a folder, out[0..most-1] of them. Returns how many there are; -1: it cannot be read.
static int tn_os_list(const char *folder, tn_os_entry *out, int most) {
  char path[TN_OS_PATH];
  struct stat s;
  int n = 0;
  DIR *d = opendir(folder);
  if (!d) return -1;
  for (const struct dirent *e; (e = readdir(d)) != NULL;) {
    const size_t length = strlen(e->d_name);
    if (e->d_name[0] == '.' || length >= TN_OS_NAME) continue;
    if (n < most) {
      if (!tn_os_own_path(path, sizeof path, folder, e->d_name) || stat(path, &s) || !S_ISREG(s.st_mode)) continue;
      memcpy(out[n].name, e->d_name, length + 1);
      out[n].nbytes = (uint64_t)s.st_size; out[n].changed = (uint64_t)s.st_mtime;
    }
    n++;
  }
  closedir(d);
  return n;
}
#endif

// Appends the whole of a file of this user's own to out, or says why not. TN_OS_ABSENT: there is none, it is bigger
// than max_nbytes, or it changes while it is read.
static int tn_os_read_own(const char *folder, const char *name, size_t max_nbytes, tiny_bytes *out) {
  char path[TN_OS_PATH];
  tn_os_facts facts;
  if (!tn_os_own_path(path, sizeof path, folder, name) || !tn_os_file(path, &facts) || facts.nbytes > max_nbytes)
    return TN_OS_ABSENT;
  const size_t nbytes = (size_t)facts.nbytes;
  char *data = (char *)tn_scratch_bare(out->t, nbytes + 1);  // may unwind: nothing is open yet
  const int verdict = data ? tn_os_read_into(folder, name, data, nbytes) : TN_OS_ABSENT;
  if (verdict == TN_OS_DONE) tiny_bytes_add(out, data, nbytes);
  return verdict;
}

// ** mapped files **

#ifndef TINY_NO_IO
// A whole file to read; parts of it can be mapped again to be written, which the file does not notice. Who makes a
// mapped file shorter takes memory away from its readers.
typedef struct tn_os_mapping { const void *data; size_t nbytes; tn_os_handle file, object; } tn_os_mapping;

#ifdef _WIN32
// 0: it cannot be mapped. Of the mapped file nothing is held yet when this fails.
static int tn_os_map_handle(tn_os_mapping *m) {
  m->object = CreateFileMappingA(m->file, NULL, PAGE_READONLY, 0, 0, NULL);
  m->data = m->object ? MapViewOfFile(m->object, FILE_MAP_READ, 0, 0, m->nbytes) : NULL;
  if (m->object && !m->data) CloseHandle(m->object);
  return m->data != NULL;
}
static void tn_os_unmap_handle(tn_os_mapping *m) { UnmapViewOfFile(m->data); CloseHandle(m->object); }
// A file that is mapped cannot be replaced there, as saving does: what lives on is read.
static void *tn_os_map_pages(const tn_os_mapping *m, uint64_t at, size_t nbytes) {
  (void)m; (void)at; (void)nbytes;
  return NULL;
}
static size_t tn_os_map_step(void) { return 1; }
#else
static int tn_os_map_handle(tn_os_mapping *m) {
  m->data = mmap(NULL, m->nbytes, PROT_READ, MAP_PRIVATE, m->file, 0);
  return m->data != MAP_FAILED;
}
static void tn_os_unmap_handle(tn_os_mapping *m) { munmap((void *)(uintptr_t)m->data, m->nbytes); }
static void *tn_os_map_pages(const tn_os_mapping *m, uint64_t at, size_t nbytes) {
  void *p = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, m->file, (off_t)at);
  return p == MAP_FAILED ? NULL : p;
}
static size_t tn_os_map_step(void) { return tn_os_page_nbytes(); }
#endif

static int tn_os_map_file(const char *path, tn_os_mapping *m) {
  tn_os_facts facts;
  memset(m, 0, sizeof *m);
  m->data = "";
  if (!tn_os_file(path, &facts) || facts.nbytes > SIZE_MAX / 2 || !tn_os_open(path, 0, &m->file)) return 0;
  m->nbytes = (size_t)facts.nbytes;
  if (!m->nbytes || tn_os_map_handle(m)) return 1;           // there are no mappings of 0 bytes
  tn_os_close(m->file);
  return 0;
}
static void tn_os_unmap_file(tn_os_mapping *m) {
  if (m->nbytes) tn_os_unmap_handle(m);
  tn_os_close(m->file);
}
// nbytes > 0 of the file, private and writable. *base and *total: for tn_os_unmap_pages. NULL: not now, read instead.
static void *tn_os_map_part(const tn_os_mapping *m, size_t at, size_t nbytes, void **base, size_t *total) {
  const size_t head = at % tn_os_map_step();
  *total = head + nbytes;
  *base = tn_os_map_pages(m, at - head, *total);
  return *base ? (char *)*base + head : NULL;
}
#endif // TINY_NO_IO

#ifdef _WIN32
static void tn_os_unmap_pages(void *base, size_t nbytes) { (void)base; (void)nbytes; }     // there are none
#else
static void tn_os_unmap_pages(void *base, size_t nbytes) { munmap(base, nbytes); }
#endif

// Makes a folder and those above it, for this user alone. 1: it is there.
static int tn_os_make_dirs(const char *path) {
  char part[TN_OS_PATH];
  const size_t n = strlen(path);
  if (!n || n >= sizeof part) return 0;
  for (size_t i = 1; i < n; i++) if (tn_os_is_separator(path[i])) {
    memcpy(part, path, i);
    part[i] = 0;
    tn_os_make_dir(part);                  // the last one tells
  }
  return tn_os_make_dir(path);
}

// This library's part of the user's cache folder, which need not exist yet. 0: the user has none; files of a page end
// with it, unless it names a folder that lasts.
static int tn_os_cache_dir(char *out, size_t cap) {
#if defined(TN_OS_PAGE)
  const char *base = NULL, *below = "";
#elif defined(_WIN32)
  const char *base = tn_os_env("LOCALAPPDATA"), *below = "/tiny";
#elif defined(__APPLE__)
  const char *base = tn_os_env("HOME"), *below = "/Library/Caches/tiny";
#else
  const char *base = tn_os_env("XDG_CACHE_HOME"), *below = "/tiny";
  if (!base || *base != '/') { base = tn_os_env("HOME"); below = "/.cache/tiny"; }
#endif
  const int n = base ? snprintf(out, cap, "%s%s", base, below) : -1;
  return n > 0 && (size_t)n < cap;
}
#endif // TINY_NO_DISK
#endif

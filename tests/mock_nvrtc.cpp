// mock_nvrtc: NVRTC that compiles CUDA C as C++ by this machine's compiler, with tests/cuda_shim.h before it: a "cubin"
// is a shared object, "PTX" the same in hexadecimal digits behind a comment. See mock_cuda.cpp.
//
// MOCK_NVRTC_ARCH=80: the newest architecture that it knows. MOCK_NVRTC_CXX: the compiler.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>

#define EXPORT extern "C" __attribute__((visibility("default")))
struct program { std::string source, log, object; int cubin = 0; };

static std::string folder_of_tests() {
  const char *given = getenv("MOCK_CUDA_TESTS");
  return given ? given : MOCK_TESTS;
}
// From `at` on; lines that begin with # are not meant.
static size_t next_kernel(const std::string &s, size_t at) {
  for (at = s.find("__global__", at); at != std::string::npos; at = s.find("__global__", at + 1)) {
    const size_t line = s.rfind('\n', at) + 1, first = s.find_first_not_of(' ', line);
    if (s[first] != '#') break;
  }
  return at;
}
static bool word_at(const std::string &s, size_t at) { return isalnum((unsigned char)s[at]) || s[at] == '_'; }
// What registers each kernel of the text: its name stands before the first ( behind __global__ and its bounds.
static std::string kernels_of(const std::string &s) {
  std::string out;
  for (size_t at = next_kernel(s, 0); at != std::string::npos; ) {
    size_t end = next_kernel(s, at + 1), open = s.find('(', at);
    while (open != std::string::npos) {
      size_t last = open;
      while (last > at && isspace((unsigned char)s[last - 1])) last--;
      size_t first = last;
      while (first > at && word_at(s, first - 1)) first--;
      const std::string name = s.substr(first, last - first);
      if (name != "__launch_bounds__" && name != "BOUNDS") {
        const std::string body = s.substr(at, end == std::string::npos ? end : end - at);
        const bool meets = body.find("sync") != std::string::npos || body.find("barrier") != std::string::npos ||
            body.find("exchanged") != std::string::npos || body.find("shfl") != std::string::npos;
        out += "MOCK_KERNEL(" + name + ", " + (meets ? "1" : "0") + ")\n";
        break;
      }
      int depth = 0;
      for (; open < s.size(); open++) {
        depth += s[open] == '(' ? 1 : s[open] == ')' ? -1 : 0;
        if (!depth) break;
      }
      open = s.find('(', open);
    }
    at = end;
  }
  return out;
}
static std::string contents(const std::string &path) {
  std::string out;
  char piece[65536];
  FILE *f = fopen(path.c_str(), "rb");
  for (size_t n = 1; f && n; out.append(piece, n)) n = fread(piece, 1, sizeof piece, f);
  if (f) fclose(f);
  return out;
}

EXPORT int nvrtcVersion(int *major, int *minor) { *major = 13; *minor = 0; return 0; }
EXPORT int nvrtcGetNumSupportedArchs(int *n) { *n = 2; return 0; }
EXPORT int nvrtcGetSupportedArchs(int *archs) {
  const char *most = getenv("MOCK_NVRTC_ARCH");
  archs[0] = 75; archs[1] = most ? atoi(most) : 90;
  return 0;
}
EXPORT int nvrtcCreateProgram(void **out, const char *source, const char *, int, const char *const *,
                              const char *const *) {
  program *p = new program;
  p->source = source;
  *out = p;
  return 0;
}
EXPORT int nvrtcDestroyProgram(void **p) { delete (program *)*p; *p = nullptr; return 0; }
EXPORT int nvrtcCompileProgram(void *handle, int n, const char *const *options) {
  program *p = (program *)handle;
  char stem[] = "/tmp/mock-nvrtc-XXXXXX";
  const int fd = mkstemp(stem);
  if (fd < 0) return 1;
  close(fd);
  for (int i = 0; i < n; i++) {
    if (!strncmp(options[i], "-arch=sm_", 9)) p->cubin = 1;
    else if (strncmp(options[i], "-arch=compute_", 14) && options[i][0] != '-') {
      p->log = "nvrtc: invalid option\n";
      return 5;
    }
  }
  const std::string base = stem, tests = folder_of_tests();
  FILE *f = fopen((base + ".cu").c_str(), "wb");
  if (!f) return 1;
  const std::string text =
      "#include \"cuda_shim.h\"\n#line 1 \"kernels.cu\"\n" + p->source + "\n" + kernels_of(p->source);
  fwrite(text.data(), 1, text.size(), f);
  fclose(f);
  const char *cxx = getenv("MOCK_NVRTC_CXX");
  const std::string command = std::string(cxx ? cxx : MOCK_CXX) +
                              " -x c++ -std=gnu++17 " MOCK_FLAGS " -w -shared -fPIC -I " + tests + " " + base +
                              ".cu -o " + base + ".so >" + base + ".log 2>&1";
  const int failed = system(command.c_str());
  p->log = contents(base + ".log");
  if (!failed) p->object = contents(base + ".so");
  const char *const ends[] = {"", ".cu", ".so", ".log"};
  const char *keep = getenv("MOCK_NVRTC_KEEP");
  for (const char *end : ends) if (!keep || !failed) remove((base + end).c_str());
  return failed ? 6 : 0;
}
EXPORT int nvrtcGetProgramLogSize(void *p, size_t *n) { *n = ((program *)p)->log.size() + 1; return 0; }
EXPORT int nvrtcGetProgramLog(void *p, char *out) { strcpy(out, ((program *)p)->log.c_str()); return 0; }
EXPORT int nvrtcGetCUBINSize(void *p, size_t *n) {
  *n = ((program *)p)->cubin ? ((program *)p)->object.size() : 0;
  return 0;
}
EXPORT int nvrtcGetCUBIN(void *p, char *out) {
  memcpy(out, ((program *)p)->object.data(), ((program *)p)->object.size());
  return 0;
}
EXPORT int nvrtcGetPTXSize(void *p, size_t *n) { *n = ((program *)p)->object.size() * 2 + 8; return 0; }
EXPORT int nvrtcGetPTX(void *handle, char *out) {
  const program *p = (const program *)handle;
  out += sprintf(out, "// ptx\n");
  for (unsigned char c : p->object) out += sprintf(out, "%02x", c);
  return 0;
}

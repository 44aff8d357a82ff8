// compile: CUDA C -> cubin, by NVRTC; PTX stays what it is.
//
// In:    texts. Out: a cubin for the device's architecture; PTX, which the driver compiles when it is loaded, where it
//        was that, or NVRTC is older than the device; or what the compiler says.
// What is what: NVRTC, user guide, "Supported Compile Options".
#ifndef TN_CUDA_COMPILE
#define TN_CUDA_COMPILE
#ifndef TINY_AMALGAMATED
#include "device.c"
#endif

static tiny_code tn_cuda_compiler(tn_cuda *d) {
  int major = 0, minor = 0;
  if (!d->compiler) {
    d->compiler = tn_nvrtc_open(&d->rtc) ? 1 : -1;
    if (d->compiler > 0 && !d->rtc.version(&major, &minor))
      tiny_log_line(d->t, 'p', "%s: NVRTC %d.%d", d->name, major, minor);
  }
  if (d->compiler > 0) return TINY_OK;
  return tiny_fail(d->t, TINY_E_COMPILE,
                   "%s: a kernel is to be compiled and there is no NVRTC (libnvrtc.so.12 or another "
                   "release): pip install nvidia-cuda-nvrtc-cu12 or the CUDA toolkit, and name the file in "
                   "TINY_CUDA_NVRTC where the system does not find it",
                   d->name);
}

// The newest architecture that NVRTC writes and the device runs; 0: it does not tell.
static int tn_cuda_known_arch(const tn_cuda *d) {
  enum { MOST = 64 };
  int n = 0, arch[MOST], best = 0;
  if (!d->rtc.arch_count || !d->rtc.archs || d->rtc.arch_count(&n) || n > MOST || d->rtc.archs(arch)) return 0;
  for (int i = 0; i < n; i++) if (arch[i] <= d->sm && arch[i] > best) best = arch[i];
  return best;
}
// Is what it gives a cubin? The option into out.
static int tn_cuda_arch(const tn_cuda *d, char *out, size_t nbytes) {
  const int known = tn_cuda_known_arch(d), cubin = d->rtc.cubin && d->rtc.cubin_nbytes && known == d->sm;
  if (cubin) snprintf(out, nbytes, "-arch=%s", d->target);
  else snprintf(out, nbytes, "-arch=compute_%d", known ? known : d->sm);
  return cubin;
}

typedef int (TN_CUDA_CALL *tn_nvrtc_size)(void *, size_t *);
typedef int (TN_CUDA_CALL *tn_nvrtc_get)(void *, char *);
// What NVRTC has to give, to the end of out. 0: it does not.
static int tn_cuda_take_text(tn_cuda *d, void *program, tn_nvrtc_size size, tn_nvrtc_get get, tiny_bytes *out) {
  size_t nbytes = 0;
  if (size(program, &nbytes) || !nbytes) return 0;
  char *text = (char *)tiny_realloc(d->t, NULL, 0, nbytes);
  if (!text) { tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory for a compiled kernel", d->name); return 0; }
  const int taken = !get(program, text);
  if (taken) tiny_bytes_add(out, text, nbytes);
  tiny_realloc(d->t, text, nbytes, 0);
  return taken;
}
static tiny_code tn_cuda_compile_one(tn_cuda *d, const char *source, tiny_bytes *binary, tiny_bytes *log) {
  char arch[32];
  void *program = NULL;
  const int cubin = tn_cuda_arch(d, arch, sizeof arch);
  const char *const options[] = {arch, "-std=c++17", "-default-device", "-w"};
  if (d->rtc.create(&program, source, "kernels.cu", 0, NULL, NULL))
    return tiny_fail(d->t, TINY_E_COMPILE, "%s: NVRTC takes no program", d->name);
  const int result = d->rtc.compile(program, (int)(sizeof options / sizeof *options), options);
  const size_t before = log->n;
  tn_cuda_take_text(d, program, d->rtc.log_nbytes, d->rtc.log, log);
  if (log->n > before && !log->data[log->n - 1]) log->data[--log->n] = 0;  // it ends with a 0 of its own
  tiny_code code = result ? TINY_E_COMPILE : TINY_OK;
  if (code == TINY_OK) {
    const int taken = cubin ? tn_cuda_take_text(d, program, d->rtc.cubin_nbytes, d->rtc.cubin, binary)
                            : tn_cuda_take_text(d, program, d->rtc.ptx_nbytes, d->rtc.ptx, binary);
    if (!taken) code = tiny_fail(d->t, TINY_E_COMPILE, "%s: NVRTC compiled a kernel and does not give it", d->name);
  }
  d->rtc.destroy(&program);
  return code;
}
static int tn_cuda_is_ptx(const tiny_bytes *source) { return source->n > 8 && !memcmp(source->data, ".version", 8); }
static tiny_code tn_cuda_compile(void *dev, int n, const tiny_bytes *source, tiny_bytes *binary, tiny_bytes *log) {
  tn_cuda *d = (tn_cuda *)dev;
  tiny_code code = TINY_OK;
  for (int i = 0; i < n && code == TINY_OK; i++) {
    if (tn_cuda_is_ptx(&source[i])) { tiny_bytes_add(&binary[i], source[i].data, source[i].n); continue; }
    code = tn_cuda_compiler(d);
    if (code == TINY_OK) code = tn_cuda_compile_one(d, source[i].data, &binary[i], log);
  }
  if (code != TINY_E_COMPILE) return code;
  return tiny_fail(d->t, code, "%s: NVRTC refuses a kernel: %.600s", d->name,
                   log->n ? log->data : "it does not say why");
}
#endif

// ship: programs that are saved here and run there.
// ** programs that ship ************************************************************************** >>ship

#if defined(TINY_RUNTIME_ONLY) && defined(TINY_NO_IO)
  #error "TINY_RUNTIME_ONLY reads saved programs: leave out TINY_NO_IO"
#endif
#ifndef TINY_NO_IO
#ifndef TINY_RUNTIME_ONLY
// What else is saved with a program. Zero: its kernels as lists and as machine code for this processor and the least
// one of its kind, and what its memory holds.
typedef struct tiny_ship_desc {
  // Processors to have machine code for, of this kind: "sse2,avx2,avx512"; "all"; "none": lists alone, which are
  // compiled where the program is loaded. NULL: "sse2" and this one.
  const char *levels;
  // Names of what the program reads or assigns to: tiny_program_memory finds it by them, and weights is written by
  // them.
  const char *const *names; tiny_tensor *const *tensors; int n;
  const char *weights;                     // a .safetensors file that what has a name is written to; NULL: it is inside
} tiny_ship_desc;

// Saves a program of tiny_capture: what it is given and gives, what its memory holds now, and its kernels. d may be
// NULL. The file is replaced as a whole or not at all; where there is one of the same program, its machine code for
// other kinds of processors and devices is kept. TINY_E_STATE: the program runs on several devices, or its outputs have
// lengths that change. TINY_E_IO: it cannot be written.
TINY_API tiny_code     tiny_program_save(tiny_program *p, const char *path, const tiny_ship_desc *d);
// As tiny_program_save, to a function.
TINY_API tiny_code     tiny_program_save_to(tiny_program *p, tiny_writer to, const tiny_ship_desc *d);
#endif // TINY_RUNTIME_ONLY

// Where a saved program is: a file, or bytes, which are needed during the call alone.
typedef struct tiny_program_source {
  const char *path; const void *data; size_t nbytes;
  const char *weights;                     // the archive that its named memory was saved to; NULL: it is inside
  // 1: the file comes from where the host program comes from, and its machine code may run. 0: it comes from anywhere:
  // its lists are verified, and compiled here, or interpreted where it is not plain that they keep within their memory.
  int trusted;
  const unsigned char *digest;             // 32 bytes that the file must have (tiny_program_digest); NULL: any
  int unchecked;                           // 1: what memory holds is not compared with its checksum, but mapped
} tiny_program_source;

// A program that was saved, for tiny_run. Nothing is planned, lowered or, where machine code fits, compiled. NULL after
// an error; TINY_E_IO: the file cannot be read, is cut off, changed, no program, of a newer tiny.h, or not the one of
// the digest.
TINY_API tiny_program *tiny_program_load(tiny_ctx *t, const tiny_program_source *from);
// The digest of a saved program, kernels and contents included, as tiny_program_source takes it. TINY_E_IO.
TINY_API tiny_code     tiny_program_digest(tiny_ctx *t, const tiny_program_source *from, unsigned char *digest);

// Runs a program on the host's memory: in[i] and out[i] are row-major, of the program's dtypes and shapes, aligned as
// their dtype is; a scalar input points to its value. They do not overlap, and are the caller's again when the call
// returns. On the context's thread; an error stays with the context, and out holds anything. TINY_E_ARG: one is NULL,
// or a number is out of its bounds.
TINY_API tiny_code     tiny_program_call(tiny_program *p, const void *const *in, void *const *out);
// As tiny_program_call, about ns nanoseconds at a time: TINY_MORE while there is more to do, and the next call goes on
// there. Each call of a run is given the same in and out; what in[i] and out[i] point to belongs to the run until a
// call returns anything but TINY_MORE: in stays as it is, and out holds anything. Scalar inputs, random numbers and the
// seed are those of its first call. A program has one run at a time, several programs may each have one.
// tiny_program_call of a program goes on with its run to its end first, and so do tiny_program_read and
// tiny_program_write of what the run meets; the next call then says at once how it ended. tiny_cancel and
// tiny_program_free end it. Cost: a task of a kernel at least, of one that is interpreted all. How long they take is
// measured, so that the first runs keep to ns less well than later ones.
TINY_API tiny_code     tiny_program_call_for(tiny_program *p, const void *const *in, void *const *out, uint64_t ns);
// What in[i] and out[i] are: 1, or 0 where there is none of this number. dtype and shape may be NULL.
TINY_API int           tiny_program_input(const tiny_program *p, int i, tiny_dtype *dtype, tiny_shape *shape);
// As tiny_program_input, of out[i].
TINY_API int           tiny_program_output(const tiny_program *p, int i, tiny_dtype *dtype, tiny_shape *shape);
// The name that memory of a loaded program was saved with, of the i-th that has one, which has nelem elements; NULL:
// there are no more. dtype and nelem may be NULL; the name is the program's.
TINY_API const char   *tiny_program_memory(const tiny_program *p, int i, tiny_dtype *dtype, int64_t *nelem);
// What memory of a name holds, row-major, as it is between two calls: weights, or the state of a training step.
// TINY_E_ARG: there is none of the name, or it has another size.
TINY_API tiny_code     tiny_program_read(tiny_program *p, const char *name, void *out, size_t nbytes);
// The other way: what memory of a name holds from now on, row-major.
TINY_API tiny_code     tiny_program_write(tiny_program *p, const char *name, const void *data, size_t nbytes);

#ifndef TINY_RUNTIME_ONLY
// How a program is written as C. Zero: its weights are in the file, its names begin with net_, it runs on one thread.
typedef struct tiny_export_desc {
  const char *name;                        // what its names begin with; NULL: "net"
  // A file for the weights, which NAME_run is given then, read or mapped by the caller; NULL: they are constants
  const char *weights;
  int threads;                             // 1: NAME_run_with hands its tasks to the caller's threads
  // Vectors that its kernels are written for: 16, 32 (AVX2) or 64 bytes (AVX-512); -1: none, for small processors; 0:
  // 16. Where the compiler has none they are arrays, which are slower, with the same values.
  int vector_nbytes;
  // Names of what the program assigns to, by which NAME_memory finds it in the state
  const char *const *names; tiny_tensor *const *tensors; int n;
} tiny_export_desc;

// Writes a program of tiny_capture or tiny_program_load as one file of C99, which is C++ too and needs no tiny.h, no
// heap and nothing of the library but sqrt:
//   size_t NAME_workspace(void);            // bytes that a run needs
//   void   NAME_run(const void *const *in, void *const *out, void *workspace);
// with, behind workspace, `void *state` where the program assigns to memory or draws random numbers (NAME_state()
// bytes, which NAME_init(state) fills before the first run), then `const void *weights` where they have a file of their
// own. The head of the file says which. Values are those of the device INTERP for the same kernels, bit for bit; they
// differ from the CPU's in the order of sums and where that fuses products with sums. d may be NULL. TINY_E_STATE: the
// program runs on several devices, its outputs have lengths that change, or a kernel is source of your own. TINY_E_IO.
TINY_API tiny_code     tiny_program_export_c(tiny_program *p, const char *path, const tiny_export_desc *d);
// As tiny_program_export_c, to a function; weights are written to their file all the same.
TINY_API tiny_code     tiny_program_export_c_to(tiny_program *p, tiny_writer to, const tiny_export_desc *d);
#endif
#endif // TINY_NO_IO

// io: tensors from files and to files.
// ** files: .npy, .npz, .safetensors ********************************************************** >>files

#ifndef TINY_NO_IO
// What a file says is checked before it is believed: a file that is cut off, contradicts itself or claims more than
// it holds is TINY_E_IO, with a message that names the file, the tensor, the byte and the field:
//     model.npz: weight: byte 10: descr: '<c8' is no dtype of tiny.h
// Nothing is read outside of the file's bytes, and no memory is asked for that the file could not fill.
// Forms on paths need files (not with TINY_NO_DISK); forms on memory copy, and need it during the call alone.
// Where the device shares the host's memory, big tensors of a file are the file's pages, read when they are first
// used and written back never: loading costs no copy, and assignment does not reach the file. Such a file must not
// be made shorter while its tensors live; replacing it, as saving does, is fine. (On Windows, where it would not be,
// they are read.)

// One array in NumPy's .npy format, versions 1.0 to 3.0; either byte order; an array in Fortran order is a
// transposed view. Text, records, complex numbers and Python objects are errors. [numpy.load]
TINY_API tiny_tensor *tiny_load_npy(tiny_ctx *t, const char *path);
// As tiny_load_npy, from memory. [numpy.load]
TINY_API tiny_tensor *tiny_load_npy_from(tiny_ctx *t, const void *data, size_t nbytes);

// Realizes x and writes it as .npy 1.0. bf16 and 8-bit floats have no name in that format: TINY_E_DTYPE. A file at
// path is replaced as a whole or not at all. [numpy.save]
TINY_API tiny_code    tiny_save_npy(tiny_tensor *x, const char *path);
// As tiny_save_npy, to a function. [numpy.save]
TINY_API tiny_code    tiny_save_npy_to(tiny_tensor *x, tiny_writer to);

// Named tensors of one file: .npz (NumPy's zip of .npy files, stored or deflated) or .safetensors, told apart by
// what the file holds.
typedef struct tiny_archive tiny_archive;

// NULL after an error. Reads the table of contents; tensors are read by tiny_archive_get. [numpy.load]
TINY_API tiny_archive *tiny_archive_open(tiny_ctx *t, const char *path);
// As tiny_archive_open, from memory, which must outlive the archive, but not its tensors. [safetensors.torch.load]
TINY_API tiny_archive *tiny_archive_from(tiny_ctx *t, const void *data, size_t nbytes);
// Number of tensors.
TINY_API int          tiny_archive_count(const tiny_archive *a);
// Name of tensor i, good until the archive is closed; NULL: i is out of range. [safetensors.safe_open.keys]
TINY_API const char  *tiny_archive_name(const tiny_archive *a, int i);
// A new tensor, which does not need the archive any more. TINY_E_ARG when there is none of that name.
// [safetensors.safe_open.get_tensor]
TINY_API tiny_tensor *tiny_archive_get(tiny_archive *a, const char *name);
// Text that a .safetensors file carries under a key; NULL: none. [safetensors.safe_open.metadata]
TINY_API const char  *tiny_archive_metadata(const tiny_archive *a, const char *key);
// NULL is allowed; tiny_close does it too.
TINY_API void         tiny_archive_close(tiny_archive *a);

// What is saved, and where to. Text and lists are the caller's, and needed during the call alone.
typedef struct tiny_save_desc {
  const char *const *names; tiny_tensor *const *tensors; int n;
  const char *const *metadata; int nmetadata;                // key, value, key, value ..; pairs; .safetensors only
  const char *path;                        // NULL: to writer, in format
  tiny_writer writer; const char *format;  // "npz", "safetensors"; NULL: as path ends
} tiny_save_desc;

// Realizes n tensors and writes them under names: .npz or .safetensors, as path ends. Equal tensors give equal
// files. The file at path is replaced as a whole or not at all. [safetensors.torch.save_file]
TINY_API tiny_code    tiny_save(const char *path, const char *const *names, tiny_tensor *const *tensors, int n);
// As tiny_save, with all there is to choose. [safetensors.torch.save]
TINY_API tiny_code    tiny_save_as(const tiny_save_desc *d);

#ifndef TINY_NO_NN
// Saves the parameters of a list under their names and, unless o is NULL, what the optimiser of its trainable ones has
// gathered, as "optim.m.NAME", "optim.v.NAME", "optim.u.NAME", "optim.left": all that going on needs but o's settings.
// .npz or .safetensors, as path ends. [torch.save]
TINY_API tiny_code    tiny_state_save(const char *path, const tiny_params *p, const tiny_optim *o);
// Loads what tiny_state_save or another program saved under these names, cast to the parameters' dtypes. strict:
// every name must be in the file, and every name of the file in the list (those of an optimiser apart when o is NULL);
// otherwise what is in both is loaded. Shapes must agree. After an error no parameter has changed.
// [torch.nn.Module.load_state_dict]
TINY_API tiny_code    tiny_state_load(const char *path, const tiny_params *p, tiny_optim *o, int strict);
#endif
#endif // TINY_NO_IO

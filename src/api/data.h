// data: pictures, sound and tables, batches of them, and what is done to pictures at random while a network learns.
// ** data: files of pictures, sound and tables; batches *************************************** >>data

#ifndef TINY_NO_IO
// As in >>files: what a file says is checked before it is believed or memory is asked for, TINY_E_IO says which byte
// and field was wrong, forms on paths need files, and what is saved replaces the file at path as a whole or not at all.

// A picture as (C,H,W), u8, or u16 where the file has more than 8 bits a sample; C is 1 (grey), 2 (grey, alpha), 3
// (RGB) or 4 (RGB, alpha). PNG of every colour type, depth and interlacing (a palette is looked up, tRNS becomes alpha,
// 1 to 4 bits fill the range of 8); PBM, PGM, PPM and PAM, P1 to P7 (a maximum below 255 or 65535 is scaled to it). The
// first bytes tell which it is. tiny_convert_image_dtype makes floats of it. [torchvision.io.read_image]
TINY_API tiny_tensor *tiny_load_image(tiny_ctx *t, const char *path);
// As tiny_load_image, from memory. [torchvision.io.decode_image]
TINY_API tiny_tensor *tiny_load_image_from(tiny_ctx *t, const void *data, size_t nbytes);
// Realizes x, u8 or u16, (C,H,W) or (H,W), and writes it as path ends: .png; .pgm, .ppm and .pnm of 1 or 3 channels;
// .pam. TINY_E_DTYPE of floats: tiny_convert_image_dtype first. [torchvision.io.write_png]
TINY_API tiny_code    tiny_save_image(tiny_tensor *x, const char *path);
// As tiny_save_image, to a function; format is "png", "pgm", "ppm", "pnm" or "pam". [torchvision.io.encode_png]
TINY_API tiny_code    tiny_save_image_to(tiny_tensor *x, const char *format, tiny_writer to);

// Sound of a WAV file: f32 (frames,channels), whole numbers scaled to -1..1; *rate, if not NULL, becomes its frames a
// second. PCM of 8, 16, 24 and 32 bits, floats of 32 and 64, plain and extensible headers. [soundfile.read]
TINY_API tiny_tensor *tiny_load_wav(tiny_ctx *t, const char *path, int *rate);
// As tiny_load_wav, from memory. [soundfile.read]
TINY_API tiny_tensor *tiny_load_wav_from(tiny_ctx *t, const void *data, size_t nbytes, int *rate);
// Realizes x (frames) or (frames,channels) and writes it: f32 as floats, u8, i16 and i32 as PCM. Other dtypes are
// TINY_E_DTYPE. [soundfile.write]
TINY_API tiny_code    tiny_save_wav(tiny_tensor *x, int rate, const char *path);
// As tiny_save_wav, to a function. [soundfile.write]
TINY_API tiny_code    tiny_save_wav_to(tiny_tensor *x, int rate, tiny_writer to);

// An array in the IDX format, as MNIST's files are, also compressed by gzip: u8, i8, i16, i32, f32 or f64.
// [torchvision.datasets.MNIST]
TINY_API tiny_tensor *tiny_load_idx(tiny_ctx *t, const char *path);
// As tiny_load_idx, from memory. [torchvision.datasets.MNIST]
TINY_API tiny_tensor *tiny_load_idx_from(tiny_ctx *t, const void *data, size_t nbytes);
// Realizes x, of one of these dtypes and 1 dim or more, and writes it, not compressed. [numpy.save]
TINY_API tiny_code    tiny_save_idx(tiny_tensor *x, const char *path);
// As tiny_save_idx, to a function. [numpy.save]
TINY_API tiny_code    tiny_save_idx_to(tiny_tensor *x, tiny_writer to);

// How a table of numbers is written. Zero means default; lists and text are the caller's, needed during the call alone.
typedef struct tiny_csv_desc {
  char separator;                          // 0: ','
  // Lines that begin with it are left out; 0: '#', or with a header none; '\n': none.
  char comment;
  int skip;                                // so many lines are left out at the beginning
  int header;                              // the first row that is left holds the columns' names
  tiny_dtype dtype;                        // of what is loaded: 0 or TINY_F32, or TINY_F64
  const char *missing;                     // text that counts as missing, besides what always does
  // which columns, in this order: by number from 0, or by name (header). Both NULL: all. Saved: names is the header
  const int *columns; const char *const *names; int n;
  // NULL, or room for the names of the columns that are loaded, each on a line of its own; as many bytes as fit, and 0
  char *found; size_t found_nbytes;
} tiny_csv_desc;

// A table as (rows,columns). Numbers are read alike in every locale. A field that is empty, or nan, na, n/a, null, none
// or ? in whatever case, is missing: NaN; any other text in a column that is asked for is TINY_E_IO, which says where.
// Rows have equally many fields; a quoted one may hold separators and ends of lines. Empty lines are left out.
// [numpy.genfromtxt]
TINY_API tiny_tensor *tiny_load_csv(tiny_ctx *t, const char *path, const tiny_csv_desc *d);
// As tiny_load_csv, from memory. [numpy.genfromtxt]
TINY_API tiny_tensor *tiny_load_csv_from(tiny_ctx *t, const void *data, size_t nbytes, const tiny_csv_desc *d);
// Realizes x (rows,columns) or (rows), of numbers, and writes it with as many digits as it takes to read the same
// again. Of d separator and names count: n of them, one a column. TINY_E_DTYPE: bools. [numpy.savetxt]
TINY_API tiny_code    tiny_save_csv(tiny_tensor *x, const char *path, const tiny_csv_desc *d);
// As tiny_save_csv, to a function. [numpy.savetxt]
TINY_API tiny_code    tiny_save_csv_to(tiny_tensor *x, tiny_writer to, const tiny_csv_desc *d);
#endif // TINY_NO_IO

// Batches, made ready on a thread of the loader's own while the context's computes.
typedef struct tiny_loader tiny_loader;

// One thing that each item of a data set has: an image, a label. Where it comes from: a tensor, memory, or fetch.
typedef struct tiny_loader_array {
  tiny_tensor *tensor;                     // (n,..): batches are rows of it; it must outlive the loader
  const void *data;                        // or n items in memory, row-major, which must outlive the loader; or neither
  tiny_dtype dtype; tiny_shape shape;      // of one item, unless a tensor tells
} tiny_loader_array;

// The most arrays that a loader has.
#define TINY_LOADER_ARRAYS 8
// What batches are made of. Zero means default.
typedef struct tiny_loader_desc {
  tiny_loader_array array[TINY_LOADER_ARRAYS]; int narray;   // narray 0: as many as say something
  int64_t n;                               // items: the first n of each array; 0: all of the tensors, equally many
  int64_t batch;                           // items of a batch; 0: 32
  int epochs;                              // after which there is no batch any more; 0: 1
  int shuffle; uint64_t seed;              // another order in every epoch, which seed and the epoch's number decide
  // The last batch, if items are left over: it is smaller; or it is left out; or (lengths) every batch has memory for
  // `batch` items and a length, as tiny_slice_to gives it: one plan for all of them
  int drop_last, lengths;
  int prefetch;                            // batches made ahead; 0: 2, negative: none, and no thread
  int64_t epoch;                           // number of the first epoch, to go on where another loader ended
  // Fills out[k], memory of one item of array k, for each array that has neither tensor nor data; out[k] of others is
  // NULL. Called on the loader's thread, which is one thread for as long as the loader lives: it must not use the
  // loader's context, but may use one of its own. Returns 0 when it cannot: tiny_loader_next ends with TINY_E_IO.
  int (*fetch)(void *user, int64_t item, void *const *out); void *user;
} tiny_loader_desc;

// NULL after an error. d is copied, what it points to is not. All memory is asked for here; where the system refuses a
// thread, batches are made when they are asked for. [torch.utils.data.DataLoader]
TINY_API tiny_loader *tiny_loader_open(tiny_ctx *t, const tiny_loader_desc *d);
// The next batch: batch[0..narray) become new tensors (items,..), and the number of items is returned. 0 at the end of
// the last epoch, after which the next call begins anew, and after an error, which stays; batch is poison then.
// [torch.utils.data.DataLoader]
TINY_API int64_t      tiny_loader_next(tiny_loader *l, tiny_tensor **batch);
// The same for a loop whose every turn is a frame: ends that of the batch before, and so runs what it assigned, and
// begins one for the next batch. 0: there is none, or something failed; no frame is left open then, and tiny_status
// tells which. A loop that is left before by break has tiny_end to call.
//     for (tiny_tensor *b[2]; tiny_loader_each(l, b);)
//       tiny_optim_minimize(&adam, tiny_cross_entropy(forward(&net, b[0]), b[1], NULL), &p);
TINY_API int64_t      tiny_loader_each(tiny_loader *l, tiny_tensor **batch);
// How many batches an epoch has; 0 for NULL. [torch.utils.data.DataLoader]
TINY_API int64_t      tiny_loader_count(const tiny_loader *l);
// Waits for a fetch that is under way, ends the thread and frees all. NULL is allowed; tiny_close does it too.
TINY_API void         tiny_loader_close(tiny_loader *l);

#ifndef TINY_NO_NN
// ** augmentation: batches of pictures, changed at random ************************************* >>augmentation
//
// x is a batch (N,C,H,W). What is random differs from item to item, comes from the context's numbers (tiny_seed), and
// is drawn anew by each run of a program that was captured within a frame. Random operators whose p is the chance of an
// item to be changed leave the others as they are. Colours are floats of 0..1. Gradients flow through to x.

// Numbers of u8 and u16 are parts of 255 and 65535, those of floats of 1; floats are held within 0..1 and rounded to
// the nearest. Other dtypes are TINY_E_DTYPE. [torchvision.transforms.v2.functional.to_dtype(scale=True)]
TINY_API tiny_tensor *tiny_convert_image_dtype(tiny_tensor *x, tiny_dtype dtype);
// (x - mean[c]) / std[c] of channel c; n is C, at most 64, or 1: the same for all. TINY_E_ARG: a deviation is 0.
// [torchvision.transforms.v2.functional.normalize]
TINY_API tiny_tensor *tiny_normalize_image(tiny_tensor *x, const double *mean, const double *std, int n);
// (N,3,H,W) -> (N,1,H,W): 0.2989 red + 0.587 green + 0.114 blue.
// [torchvision.transforms.v2.functional.rgb_to_grayscale]
TINY_API tiny_tensor *tiny_rgb_to_grayscale(tiny_tensor *x);
// The last two dims in another size, bilinear, without antialiasing; whole numbers are rounded.
// [torchvision.transforms.v2.functional.resize]
TINY_API tiny_tensor *tiny_resize(tiny_tensor *x, int64_t height, int64_t width);
// The middle of the last two dims; zeros where x is smaller. [torchvision.transforms.v2.functional.center_crop]
TINY_API tiny_tensor *tiny_center_crop(tiny_tensor *x, int64_t height, int64_t width);
// Blurred by a normal distribution of deviation sigma, cut off at size elements, which is odd; reflected at the
// borders. sigma 0: 0.3 ((size - 1) / 2 - 1) + 0.8. [torchvision.transforms.v2.functional.gaussian_blur]
TINY_API tiny_tensor *tiny_gaussian_blur(tiny_tensor *x, int size, double sigma);

// Left and right change places. [torchvision.transforms.v2.RandomHorizontalFlip]
TINY_API tiny_tensor *tiny_random_horizontal_flip(tiny_tensor *x, double p);
// Top and bottom change places. [torchvision.transforms.v2.RandomVerticalFlip]
TINY_API tiny_tensor *tiny_random_vertical_flip(tiny_tensor *x, double p);
// height x width elements from anywhere in x with so many zeros around it. [torchvision.transforms.v2.RandomCrop]
TINY_API tiny_tensor *tiny_random_crop(tiny_tensor *x, int64_t height, int64_t width, int64_t padding);
// Zero means default.
typedef struct tiny_random_crop_desc {
  double scale[2];                         // part of the area: 0.08 to 1
  double ratio[2];                         // width / height: 3/4 to 4/3
} tiny_random_crop_desc;
// A rectangle of random area, shape and place (held within x), resized to height x width, bilinear.
// [torchvision.transforms.v2.RandomResizedCrop]
TINY_API tiny_tensor *tiny_random_resized_crop(tiny_tensor *x, int64_t height, int64_t width,
                                               const tiny_random_crop_desc *d);
// Zero means none of it.
typedef struct tiny_random_affine_desc {
  double degrees;                          // turned by -degrees .. degrees
  double translate[2];                     // moved by up to this part of the width and of the height
  double scale[2];                         // scaled by a factor from .. to ..; both 0: 1
  double shear[2];                         // sheared by up to so many degrees along the width and the height
  tiny_grid_desc sample;                   // how elements between elements are found: bilinear, zeros outside
} tiny_random_affine_desc;
// Turned, scaled, sheared and moved around the middle. [torchvision.transforms.v2.RandomAffine]
TINY_API tiny_tensor *tiny_random_affine(tiny_tensor *x, const tiny_random_affine_desc *d);
// Turned by -degrees .. degrees around the middle, bilinear, zeros outside. [torchvision.transforms.v2.RandomRotation]
TINY_API tiny_tensor *tiny_random_rotation(tiny_tensor *x, double degrees);
// Zero means none of it.
typedef struct tiny_color_jitter_desc {
  double brightness, contrast, saturation; // factors from max(0, 1 - value) to 1 + value
  double hue;                              // up to 0.5: turned by -hue .. hue of the circle
} tiny_color_jitter_desc;
// x (N,3,H,W), or (N,1,H,W) without saturation and hue; in the order of the fields.
// [torchvision.transforms.v2.ColorJitter]
TINY_API tiny_tensor *tiny_color_jitter(tiny_tensor *x, const tiny_color_jitter_desc *d);
// x times factor (N), or 0-d. [torchvision.transforms.v2.functional.adjust_brightness]
TINY_API tiny_tensor *tiny_adjust_brightness(tiny_tensor *x, tiny_tensor *factor);
// factor x + (1 - factor) times the mean of x's grey. [torchvision.transforms.v2.functional.adjust_contrast]
TINY_API tiny_tensor *tiny_adjust_contrast(tiny_tensor *x, tiny_tensor *factor);
// factor x + (1 - factor) times x's grey. [torchvision.transforms.v2.functional.adjust_saturation]
TINY_API tiny_tensor *tiny_adjust_saturation(tiny_tensor *x, tiny_tensor *factor);
// Hue moved by factor of the circle. [torchvision.transforms.v2.functional.adjust_hue]
TINY_API tiny_tensor *tiny_adjust_hue(tiny_tensor *x, tiny_tensor *factor);
// Zero means default.
typedef struct tiny_random_erasing_desc {
  double p;                                // 0.5
  double scale[2], ratio[2];               // of the rectangle: 0.02 to 0.33 of the area, height / width from 0.3 to 3.3
  double value;                            // what it is filled with
} tiny_random_erasing_desc;
// A rectangle of random area, shape and place becomes value. [torchvision.transforms.v2.RandomErasing]
TINY_API tiny_tensor *tiny_random_erasing(tiny_tensor *x, const tiny_random_erasing_desc *d);
// Each item times r plus its neighbour, the one before it, times 1 - r, r drawn from Beta(alpha,alpha) for each item;
// alpha > 0. *targets becomes labels (N), integers, mixed alike: f32 (N,classes), which tiny_cross_entropy takes.
// [torchvision.transforms.v2.MixUp]
TINY_API tiny_tensor *tiny_mixup(tiny_tensor *x, tiny_tensor *labels, int64_t classes, double alpha,
                                    tiny_tensor **targets);
// As tiny_mixup, but a rectangle of the item, 1 - r of its area where it fits, is its neighbour's; r is what is left.
// [torchvision.transforms.v2.CutMix]
TINY_API tiny_tensor *tiny_cutmix(tiny_tensor *x, tiny_tensor *labels, int64_t classes, double alpha,
                                     tiny_tensor **targets);
#endif // TINY_NO_NN

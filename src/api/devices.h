// devices: several in one context, and tensors that are split over them.
// ** devices ********************************************************************************** >>devices

// As a device: several.
#define TINY_SEVERAL (-2)

// Devices are numbered from 0, in the order of tiny_desc.device. How many there are; 0 for NULL.
TINY_API int         tiny_device_count(const tiny_ctx *t);
// The name of one, "NV:1"; "" for a number that there is not.
TINY_API const char *tiny_device_name(const tiny_ctx *t, int device);
// What the backend's open returned for one, for what a companion offers beside its backend (tiny_nv_import). It is the
// device's as long as t is open. NULL for a number that there is not.
TINY_API void       *tiny_device_handle(const tiny_ctx *t, int device);
// What one of them did and holds: kernels, flops, nbytes_moved, device_ns, copies, nbytes_copied, nbytes_live and
// nbytes_peak; the rest is 0. Zeros for a number that there is not.
TINY_API tiny_stats  tiny_device_stats(const tiny_ctx *t, int device);
// From now on tiny_from, tiny_blob, files and values that are read but are made of no tensor in memory go to this
// device; at first that is 0. Returns the one before, -1 after TINY_E_ARG.
TINY_API int         tiny_use_device(tiny_ctx *t, int device);

// Waits until all devices have done what they were asked for: what runs by itself (tiny_realize returns before it has
// run) has run. The code of whatever went wrong meanwhile.
TINY_API tiny_code   tiny_sync(tiny_ctx *t);

// x on that device, a number below tiny_device_count: a copy where x lives elsewhere, else x; what lives on none is
// computed there. Lazy, and gradients flow back. An operator takes tensors of one device and is TINY_E_DEVICE for those
// of two: no copy is made that was not asked for. TINY_E_ARG: there is no such device.
TINY_API tiny_tensor *tiny_to(tiny_tensor *x, int device);
// The device that x lives on, computed or not; -1: none, as constants, positions and random numbers, which are made
// wherever they are used, until they are assigned to; -1 for poison, too. TINY_SEVERAL: parts of it live on several.
TINY_API int         tiny_device_of(const tiny_tensor *x);

// x split along axis into n parts, part i on device[i]; sizes differ by one at most where n does not divide the dim.
// What is computed of parts is parts: elementwise operators work on each device by itself, with tensors that are split
// alike, whole on the same devices, or on none; a reduction along the axis adds up the parts' results on every device,
// always in the order of the parts; what does not fit, such as a reshape that tears parts apart, is brought to every
// device first (debug letter g tells). Reading, tiny_to and files join the parts. Gradients come split as their
// parameters are. A device may be named several times: the parts are then computed one after the other, to the same
// bits. Lengths go along (tiny_slice_to, before or after), on axes that are not split. TINY_E_SHAPE: the axis is
// shorter than n, or has a length. TINY_E_ARG: no such axis or device, or n beyond 1 to TINY_MAX_DEVICES.
TINY_API tiny_tensor *tiny_shard(tiny_tensor *x, int axis, const int *devices, int n);
// All of x on each of n devices. The gradient of such a parameter is the sum of what flows to each, on each.
// TINY_E_ARG.
TINY_API tiny_tensor *tiny_replicate(tiny_tensor *x, const int *devices, int n);
// The value of part i of a tensor that was split, on its device; of any other tensor itself, for i 0. TINY_E_ARG: there
// is no part i.
TINY_API tiny_tensor *tiny_shard_part(tiny_tensor *x, int i);
// How many parts x has: 1 if it is not split, 0 for poison.
TINY_API int         tiny_shard_count(const tiny_tensor *x);
// The axis along which parts lie beside each other; -1: x is whole, on one device or on each.
TINY_API int         tiny_shard_axis(const tiny_tensor *x);

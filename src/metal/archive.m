// archive: what the GPU's compiler made of a library's kernels, as bytes that the library's disk cache keeps.
//
// In:    a library, or bytes. Out: an MTLBinaryArchive that pipeline states are taken from, bytes of it.
// Holds: Metal reads and writes archives as files alone: they stand in the system's folder for temporary ones, each
//        with a name of its own, as long as they are needed. An archive saves time and nothing else: where one cannot
//        be made, read or written, or is of another GPU or system, kernels are compiled without it.
#ifndef TN_METAL_ARCHIVE
#define TN_METAL_ARCHIVE
#ifndef TINY_AMALGAMATED
#include "queue.m"
#endif

enum { TN_METAL_PATH = 512 };

// ** files **

// 0: there is no folder for it.
static int tn_metal_path(char out[TN_METAL_PATH], const char *ending) {
  const char *folder = [NSTemporaryDirectory() UTF8String];
  const char *name = [[[NSProcessInfo processInfo] globallyUniqueString] UTF8String];
  const int n = folder && name ? snprintf(out, TN_METAL_PATH, "%s/tiny-%s.%s", folder, name, ending) : 0;
  return n > 0 && n < TN_METAL_PATH;
}
static NSURL *tn_metal_url(const char *path) {
  return [NSURL fileURLWithPath:[NSString stringWithUTF8String:path]];
}
// Bytes as a file, which did not exist. 0: it could not be written, and is not there.
static int tn_metal_file_write(const char *path, const void *data, size_t nbytes) {
  FILE *f = fopen(path, "wbx");
  if (!f) return 0;
  const size_t wrote = fwrite(data, 1, nbytes, f);
  if (!fclose(f) && wrote == nbytes) return 1;
  remove(path);
  return 0;
}

// ** archives **

static MTLComputePipelineDescriptor *tn_metal_pipeline_how(const tn_metal *d, id<MTLFunction> function) {
  MTLComputePipelineDescriptor *how = [[MTLComputePipelineDescriptor alloc] init];
  [how setComputeFunction:function];
  [how setLabel:[function name]];
  [how setSupportIndirectCommandBuffers:d->indirect ? YES : NO];
#ifndef TN_METAL_ARC
  [how autorelease];
#endif
  return how;
}
// Of a file, or an empty one: url nil. It is the caller's to release.
static id<MTLBinaryArchive> tn_metal_archive_new(const tn_metal *d, NSURL *url) {
  MTLBinaryArchiveDescriptor *of = [[MTLBinaryArchiveDescriptor alloc] init];
  if (url) [of setUrl:url];
  id<MTLBinaryArchive> archive = [d->gpu newBinaryArchiveWithDescriptor:of error:NULL];
#ifndef TN_METAL_ARC
  [of release];
#endif
  return archive;
}
// All kernels of a library are in it. 0: not all.
static int tn_metal_archive_fill(const tn_metal *d, id<MTLBinaryArchive> archive, id<MTLLibrary> library) {
  NSArray *names = [library functionNames];
  int added = [names count] > 0;
  for (NSUInteger i = 0; i < [names count] && added; i++) {
    id<MTLFunction> function = TN_NEW(id<MTLFunction>, [library newFunctionWithName:[names objectAtIndex:i]]);
    if (!function) return 0;
    added = [archive addComputePipelineFunctionsWithDescriptor:tn_metal_pipeline_how(d, function) error:NULL];
    TN_DROP(function);
  }
  return added;
}
// Its bytes; nil: it cannot be written.
static NSData *tn_metal_archive_bytes(id<MTLBinaryArchive> archive) {
  char path[TN_METAL_PATH];
  if (!tn_metal_path(path, "archive")) return nil;
  NSURL *url = tn_metal_url(path);
  NSData *bytes = [archive serializeToURL:url error:NULL] ? [NSData dataWithContentsOfURL:url] : nil;
  remove(path);
  return bytes;
}
#endif

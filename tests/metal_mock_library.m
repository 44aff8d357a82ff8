// metal_mock_library: libraries, functions, pipelines and binary archives of the mock of Metal.
//
// In: MSL, compiled by tests/metal_kernel.h. Out: pipelines whose kernels run.
// Holds: an archive is a file of our own form: eight bytes of magic, the GPU's name in 40, and hashes of 8 bytes, one
//        for each function with its text and options. It keeps no code: a hit is counted, and text is compiled as ever.
#import "metal_mock_state.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOCK_LOG = 16384, MOCK_ARCHIVE_NAME = 40 };
static const char mock_archive_magic[8] = "MOCKBIN1";

@implementation MTLCompileOptions
@synthesize languageVersion, fastMathEnabled, preprocessorMacros, maxTotalThreadsPerThreadgroup;
static MTLLanguageVersion mock_newest_language(void) {
  static const struct { int macos, ios; MTLLanguageVersion version; } versions[] = {
    { 15, 18, 0x30002 }, { 14, 17, 0x30001 }, { 13, 16, 0x30000 }, { 12, 15, 0x20004 }, { 0, 0, 0x20003 }
  };
  for (int i = 0;; i++)
    if (mock.desc.system >= (mock.first->ios ? versions[i].ios : versions[i].macos)) return versions[i].version;
}
- (id)init {
  mock_enter();
  languageVersion = mock_newest_language();
  mock_leave();
  fastMathEnabled = YES;
  mathMode = MTLMathModeFast;
  return self;
}
- (void)end { [preprocessorMacros release]; }
- (MTLMathMode)mathMode { return mock_needs(self, _cmd) ? mathMode : 0; }
- (void)setMathMode:(MTLMathMode)mode {
  if (!mock_needs(self, _cmd)) return;
  if (mode < MTLMathModeSafe || mode > MTLMathModeFast) MISTAKE("%d is no mode", (int)mode);
  mathMode = mode;
  fastMathEnabled = mode == MTLMathModeFast;
}
- (MTLMathFloatingPointFunctions)mathFloatingPointFunctions { return mock_needs(self, _cmd) ? functions : 0; }
- (void)setMathFloatingPointFunctions:(MTLMathFloatingPointFunctions)to {
  if (mock_needs(self, _cmd)) functions = to;
}
- (id)copyWithZone:(NSZone *)zone {
  MTLCompileOptions *o = [[MTLCompileOptions allocWithZone:zone] init];
  o.languageVersion = languageVersion;
  o.fastMathEnabled = fastMathEnabled;
  o->mathMode = mathMode;
  o->functions = functions;
  o.preprocessorMacros = preprocessorMacros;
  o.maxTotalThreadsPerThreadgroup = maxTotalThreadsPerThreadgroup;
  return o;
}
@end

@implementation MTLComputePipelineDescriptor
@synthesize computeFunction, threadGroupSizeIsMultipleOfThreadExecutionWidth, maxTotalThreadsPerThreadgroup,
  supportIndirectCommandBuffers, binaryArchives;
@dynamic label;
- (void)end {
  [computeFunction release];
  [binaryArchives release];
}
- (id)copyWithZone:(NSZone *)zone {
  MTLComputePipelineDescriptor *d = [[MTLComputePipelineDescriptor allocWithZone:zone] init];
  d.label = label;
  d.computeFunction = computeFunction;
  d.threadGroupSizeIsMultipleOfThreadExecutionWidth = threadGroupSizeIsMultipleOfThreadExecutionWidth;
  d.maxTotalThreadsPerThreadgroup = maxTotalThreadsPerThreadgroup;
  d.supportIndirectCommandBuffers = supportIndirectCommandBuffers;
  d.binaryArchives = binaryArchives;
  return d;
}
@end

@implementation MTLBinaryArchiveDescriptor
@synthesize url;
- (void)end { [url release]; }
- (id)copyWithZone:(NSZone *)zone {
  MTLBinaryArchiveDescriptor *d = [[MTLBinaryArchiveDescriptor allocWithZone:zone] init];
  d.url = url;
  return d;
}
@end

// Libraries. ---------------------------------------------------------------------------------------------------------

static uint64_t mock_hash(uint64_t hash, const void *bytes, size_t nbytes) {     // FNV-1a
  for (size_t i = 0; i < nbytes; i++) hash = (hash ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3u;
  return hash;
}

// 230 for 2.3 and older.
static int mock_version(MTLLanguageVersion version) {
  const int decimal = (int)(version >> 16) * 100 + (int)(version & 0xffff) * 10;
  return decimal < 230 ? 230 : decimal;
}

static NSString *mock_with_macros(NSString *source, NSDictionary *macros) {
  if (![macros count]) return source;
  NSMutableString *text = [NSMutableString string];
  for (NSString *name in macros) [text appendFormat:@"#define %@ %@\n", name, [macros objectForKey:name]];
  [text appendString:@"#line 1\n"];
  [text appendString:source];
  return text;
}

static MockLibrary *mock_library_new(MockDevice *d, const char *text, int version, int fast, metal_module *module) {
  MockLibrary *l = [MockLibrary alloc];
  l->of = (MockDevice *)mock_hold(d);
  l->module = module;
  l->text = strdup(text);
  l->version = version;
  l->hash = mock_hash(mock_hash(mock_hash(0xcbf29ce484222325u, text, strlen(text)), &version, sizeof version), &fast,
                      sizeof fast);
  mock.counts.libraries++;
  return l;
}

@interface MockDevice (Libraries)
@end
@implementation MockDevice (Libraries)
- (id<MTLLibrary>)newLibraryWithSource:(NSString *)source options:(MTLCompileOptions *)given error:(NSError **)error {
  if (error) *error = nil;
  if (!source) { MISTAKE("no source"); return nil; }
  MTLCompileOptions *options = given ? [given retain] : [[MTLCompileOptions alloc] init];
  const MTLLanguageVersion language = options.languageVersion, newest = mock_newest_language();
  const int fast = options.fastMathEnabled;
  NSString *whole = mock_with_macros(source, options.preprocessorMacros);
  [options release];
  const int known = (language >= 0x20000 && language <= 0x20004) || (language >= 0x30000 && language <= 0x30002);
  NSError *wrong = nil;
  MockLibrary *l = nil;
  if (!known || language > newest) {
    MISTAKE("language version 0x%x is not one of %s %d", (unsigned)language, mock.first->ios ? "iOS" : "macOS",
            mock.desc.system);
    wrong = mock_error(MTLLibraryErrorDomain, MTLLibraryErrorUnsupported, "invalid language version");
  } else if (mock_fails(METAL_MOCK_LIBRARY) || removed) {
    wrong = mock_error(MTLLibraryErrorDomain, MTLLibraryErrorCompileFailure,
                       "program_source:1:1: error: the compiler service was interrupted");
  } else {
    char *log = calloc(1, MOCK_LOG);
    const char *text = [whole UTF8String];
    metal_module *module = metal_module_new(text, mock_version(language), fast, log, MOCK_LOG);
    if (!module) wrong = mock_error(MTLLibraryErrorDomain, MTLLibraryErrorCompileFailure, "%s", log);
    else {
      mock_enter();
      l = mock_library_new(self, text, mock_version(language), fast, module);
      mock_leave();
      if (*log) wrong = mock_error(MTLLibraryErrorDomain, MTLLibraryErrorCompileWarning, "%s", log);
    }
    free(log);
  }
  if (error) *error = wrong;                 // with a library, too: a warning
  return l;
}

// A .metallib of the mock is the four bytes MTLB of Apple's, and MSL behind them in place of AIR.
- (id<MTLLibrary>)newLibraryWithURL:(NSURL *)url error:(NSError **)error {
  if (error) *error = nil;
  NSData *file = [NSData dataWithContentsOfFile:[url path]];
  const char *bytes = [file bytes];
  if (!file || [file length] < 4 || memcmp(bytes, "MTLB", 4)) {
    if (error)
      *error = mock_error(MTLLibraryErrorDomain, file ? MTLLibraryErrorUnsupported : MTLLibraryErrorFileNotFound,
                          file ? "Invalid library file" : "library not found");
    return nil;
  }
  NSString *text = [[NSString alloc] initWithBytes:bytes + 4 length:[file length] - 4 encoding:NSUTF8StringEncoding];
  id<MTLLibrary> l = [self newLibraryWithSource:text ? text : @"" options:nil error:error];
  [text release];
  return l;
}
@end

@implementation MockLibrary
- (void)end {
  metal_module_free(module);
  free(text);
  module = NULL;
  mock_drop(of);
}
- (id<MTLDevice>)device { return (id)of; }
- (NSArray *)functionNames {
  NSMutableArray *names = [NSMutableArray array];
  for (int i = 0; i < metal_module_functions(module); i++)
    [names addObject:[NSString stringWithUTF8String:metal_module_name(module, i)]];
  return names;
}
- (id<MTLFunction>)newFunctionWithName:(NSString *)wanted {
  if (!wanted) { MISTAKE("no name"); return nil; }
  const metal_function *function = metal_module_find(module, [wanted UTF8String]);
  if (mock_fails(METAL_MOCK_FUNCTION) || !function) return nil;
  mock_enter();
  MockFunction *f = [MockFunction alloc];
  f->library = (MockLibrary *)mock_hold(self);
  f->function = function;
  f->name = [wanted copy];
  mock_leave();
  return f;
}
@end

@implementation MockFunction
- (void)end {
  [name release];
  name = nil;
  mock_drop(library);
}
- (id<MTLDevice>)device { return (id)library->of; }
- (MTLFunctionType)functionType { return MTLFunctionTypeKernel; }
- (NSString *)name { return name; }
@end

// Pipelines. ---------------------------------------------------------------------------------------------------------

MockPipeline *mock_pipeline_new(MockDevice *d, MockFunction *f, MTLComputePipelineDescriptor *descriptor) {
  MockPipeline *p = [MockPipeline alloc];
  const NSUInteger asked = descriptor.maxTotalThreadsPerThreadgroup;
  const int attribute = metal_function_max_threads(f->function);
  p->of = (MockDevice *)mock_hold(d);
  p->function = (MockFunction *)mock_hold(f);
  p->label = [descriptor.label copy];
  p->whole = descriptor.threadGroupSizeIsMultipleOfThreadExecutionWidth;
  p->indirect = descriptor.supportIndirectCommandBuffers;
  p->max_threads = mock.desc.max_threads ? (NSUInteger)mock.desc.max_threads : d->chip->threads;
  if (attribute && (NSUInteger)attribute < p->max_threads) p->max_threads = (NSUInteger)attribute;
  if (asked && asked < p->max_threads) p->max_threads = asked;
  return p;
}

@implementation MockPipeline
- (void)end {
  mock_drop(function);
  mock_drop(of);
}
- (id<MTLDevice>)device { return (id)of; }
- (NSUInteger)maxTotalThreadsPerThreadgroup { return max_threads; }
- (NSUInteger)threadExecutionWidth { return 32; }
- (NSUInteger)staticThreadgroupMemoryLength { return metal_function_threadgroup_nbytes(function->function); }
- (BOOL)supportIndirectCommandBuffers { return indirect != 0; }
@end

// Archives. ----------------------------------------------------------------------------------------------------------

uint64_t mock_archive_entry(const MockFunction *f, int indirect) {
  const char *name = [f->name UTF8String];
  return mock_hash(mock_hash(f->library->hash, name, strlen(name)), &indirect, sizeof indirect);
}

int mock_archive_find(const MockArchive *a, uint64_t entry) {
  for (int i = 0; i < a->nentries; i++) if (a->entry[i] == entry) return 1;
  return 0;
}

static void mock_archive_add(MockArchive *a, uint64_t entry) {
  if (mock_archive_find(a, entry)) return;
  a->entry = mock_grow(a->entry, a->nentries, &a->entry_capacity, sizeof *a->entry);
  a->entry[a->nentries++] = entry;
}

// Of another GPU's file there is nothing to find, as in Metal.
static int mock_archive_read(MockArchive *a, NSURL *url) {
  NSData *file = [NSData dataWithContentsOfFile:[url path]];
  const size_t head = sizeof mock_archive_magic + MOCK_ARCHIVE_NAME, length = [file length];
  const uint8_t *bytes = [file bytes];
  if (length < head || (length - head) % 8 || memcmp(bytes, mock_archive_magic, sizeof mock_archive_magic)) return 0;
  if (strncmp((const char *)bytes + sizeof mock_archive_magic, a->of->chip->name, MOCK_ARCHIVE_NAME)) return 1;
  for (size_t at = head; at < length; at += 8) {
    uint64_t entry;
    memcpy(&entry, bytes + at, 8);
    mock_archive_add(a, entry);
  }
  return 1;
}

@interface MockDevice (Archives)
@end
@implementation MockDevice (Archives)
- (id<MTLBinaryArchive>)newBinaryArchiveWithDescriptor:(MTLBinaryArchiveDescriptor *)descriptor
                                                 error:(NSError **)error {
  if (error) *error = nil;
  if (!descriptor) { MISTAKE("no descriptor"); return nil; }
  const int fails = mock_fails(METAL_MOCK_ARCHIVE) || removed;
  MockArchive *a = nil;
  if (!fails) {
    mock_enter();
    a = [MockArchive alloc];
    a->of = (MockDevice *)mock_hold(self);
    mock_leave();
  }
  if (!fails && (!descriptor.url || mock_archive_read(a, descriptor.url))) return a;
  if (error) *error = mock_error(MTLBinaryArchiveDomain, MTLBinaryArchiveErrorInvalidFile, "invalid archive file");
  [a release];
  return nil;
}
@end

@implementation MockArchive
- (void)end {
  free(entry);
  entry = NULL;
  mock_drop(of);
}
- (id<MTLDevice>)device { return (id)of; }
- (BOOL)addComputePipelineFunctionsWithDescriptor:(MTLComputePipelineDescriptor *)descriptor error:(NSError **)error {
  MockFunction *f = (MockFunction *)descriptor.computeFunction;
  if (error) *error = nil;
  if (!f) MISTAKE("the descriptor has no computeFunction");
  else if (f->library->of != of) MISTAKE("the function is of another device");
  if (!f || f->library->of != of || mock_fails(METAL_MOCK_ARCHIVE)) {
    if (error)
      *error = mock_error(MTLBinaryArchiveDomain, MTLBinaryArchiveErrorCompilationFailure, "compilation failed");
    return NO;
  }
  mock_enter();
  mock_archive_add(self, mock_archive_entry(f, descriptor.supportIndirectCommandBuffers));
  mock_leave();
  return YES;
}
- (BOOL)serializeToURL:(NSURL *)url error:(NSError **)error {
  if (error) *error = nil;
  char name[MOCK_ARCHIVE_NAME] = { 0 };
  strncpy(name, of->chip->name, sizeof name - 1);
  mock_enter();
  NSMutableData *file = [NSMutableData dataWithBytes:mock_archive_magic length:sizeof mock_archive_magic];
  [file appendBytes:name length:sizeof name];
  [file appendBytes:entry length:(NSUInteger)nentries * 8];
  const int count = nentries;
  mock_leave();
  if (!count) MISTAKE("an archive of nothing cannot be written");    // Metal fails as well: "nothing to serialize"
  if (count && [url isFileURL] && !mock_fails(METAL_MOCK_ARCHIVE) && [file writeToFile:[url path] atomically:YES])
    return YES;
  if (error)
    *error = mock_error(MTLBinaryArchiveDomain, MTLBinaryArchiveErrorInternalError, "cannot write the archive");
  return NO;
}
@end

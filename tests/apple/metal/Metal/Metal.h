// Metal.h: our own declarations of what tiny_metal.m, its tests and its examples use of Apple's Metal framework.
//
// In: Foundation (GNUstep's on Linux, tests/apple/foundation for Mach-O targets). Out: the protocols, descriptors and
//     constants, as Objective-C that GCC and clang take, with manual retain and release or ARC.
// Holds: selectors, types and values are Apple's, as published in metal-cpp (Apache 2.0; MTLDevice.hpp and others, of
//        macOS 14.2, and MTLResidencySet.hpp of macOS 26) and by the objc2-metal crate; no text of theirs is here.
//        What a system or a platform has not is said by API_AVAILABLE where Foundation brings that macro.
#ifndef TINY_TEST_METAL_H
#define TINY_TEST_METAL_H
#import <Foundation/Foundation.h>
#include <stddef.h>
#include <stdint.h>
#ifndef API_AVAILABLE
  #define API_AVAILABLE(...)
#endif
#ifndef API_UNAVAILABLE
  #define API_UNAVAILABLE(...)
#endif
#ifndef MTL_DESCRIPTOR                     // who implements descriptors has fields, and a class of its own that counts
  #define MTL_DESCRIPTOR NSObject
  #define MTL_FIELDS(...)
#endif
#ifdef __cplusplus
  #define MTL_EXTERN extern "C"
#else
  #define MTL_EXTERN extern
#endif

// Constants. ---------------------------------------------------------------------------------------------------------

typedef NSUInteger MTLPurgeableState;
enum { MTLPurgeableStateKeepCurrent = 1, MTLPurgeableStateNonVolatile = 2, MTLPurgeableStateVolatile = 3,
       MTLPurgeableStateEmpty = 4 };
typedef NSUInteger MTLCPUCacheMode;
enum { MTLCPUCacheModeDefaultCache = 0, MTLCPUCacheModeWriteCombined = 1 };
typedef NSUInteger MTLStorageMode;
enum { MTLStorageModeShared = 0, MTLStorageModeManaged API_UNAVAILABLE(ios) = 1, MTLStorageModePrivate = 2,
       MTLStorageModeMemoryless = 3 };
typedef NSUInteger MTLHazardTrackingMode;
enum { MTLHazardTrackingModeDefault = 0, MTLHazardTrackingModeUntracked = 1, MTLHazardTrackingModeTracked = 2 };
typedef NSUInteger MTLResourceOptions;
enum {
  MTLResourceCPUCacheModeDefaultCache = 0, MTLResourceCPUCacheModeWriteCombined = 1,
  MTLResourceStorageModeShared = 0, MTLResourceStorageModeManaged API_UNAVAILABLE(ios) = 1 << 4,
  MTLResourceStorageModePrivate = 2 << 4, MTLResourceStorageModeMemoryless = 3 << 4,
  MTLResourceHazardTrackingModeDefault = 0, MTLResourceHazardTrackingModeUntracked = 1 << 8,
  MTLResourceHazardTrackingModeTracked = 2 << 8
};
typedef NSUInteger MTLResourceUsage;
enum { MTLResourceUsageRead = 1, MTLResourceUsageWrite = 2, MTLResourceUsageSample = 4 };
typedef NSUInteger MTLBarrierScope;
enum { MTLBarrierScopeBuffers = 1, MTLBarrierScopeTextures = 2, MTLBarrierScopeRenderTargets = 4 };
typedef NSUInteger MTLDispatchType;
enum { MTLDispatchTypeSerial = 0, MTLDispatchTypeConcurrent = 1 };

typedef NSUInteger MTLCommandBufferStatus;
enum { MTLCommandBufferStatusNotEnqueued = 0, MTLCommandBufferStatusEnqueued = 1, MTLCommandBufferStatusCommitted = 2,
       MTLCommandBufferStatusScheduled = 3, MTLCommandBufferStatusCompleted = 4, MTLCommandBufferStatusError = 5 };
typedef NSUInteger MTLCommandBufferError;
enum {
  MTLCommandBufferErrorNone = 0, MTLCommandBufferErrorInternal = 1, MTLCommandBufferErrorTimeout = 2,
  MTLCommandBufferErrorPageFault = 3, MTLCommandBufferErrorAccessRevoked = 4, MTLCommandBufferErrorNotPermitted = 7,
  MTLCommandBufferErrorOutOfMemory = 8, MTLCommandBufferErrorInvalidResource = 9, MTLCommandBufferErrorMemoryless = 10,
  MTLCommandBufferErrorDeviceRemoved = 11, MTLCommandBufferErrorStackOverflow = 12
};
typedef NSUInteger MTLCommandBufferErrorOption;
enum { MTLCommandBufferErrorOptionNone = 0, MTLCommandBufferErrorOptionEncoderExecutionStatus = 1 };

typedef NSInteger MTLGPUFamily;
enum {
  MTLGPUFamilyApple1 = 1001, MTLGPUFamilyApple2 = 1002, MTLGPUFamilyApple3 = 1003, MTLGPUFamilyApple4 = 1004,
  MTLGPUFamilyApple5 = 1005, MTLGPUFamilyApple6 = 1006, MTLGPUFamilyApple7 = 1007,
  MTLGPUFamilyApple8 = 1008, MTLGPUFamilyApple9 = 1009,
  MTLGPUFamilyMac1 = 2001, MTLGPUFamilyMac2 = 2002,
  MTLGPUFamilyCommon1 = 3001, MTLGPUFamilyCommon2 = 3002, MTLGPUFamilyCommon3 = 3003,
  MTLGPUFamilyMetal3 API_AVAILABLE(macos(13.0), ios(16.0)) = 5001
};

typedef NSUInteger MTLLanguageVersion;
enum {
  MTLLanguageVersion2_0 = 0x20000, MTLLanguageVersion2_1 = 0x20001, MTLLanguageVersion2_2 = 0x20002,
  MTLLanguageVersion2_3 = 0x20003,
  MTLLanguageVersion2_4 API_AVAILABLE(macos(12.0), ios(15.0)) = 0x20004,
  MTLLanguageVersion3_0 API_AVAILABLE(macos(13.0), ios(16.0)) = 0x30000,
  MTLLanguageVersion3_1 API_AVAILABLE(macos(14.0), ios(17.0)) = 0x30001,
  MTLLanguageVersion3_2 API_AVAILABLE(macos(15.0), ios(18.0)) = 0x30002
};
typedef NSInteger MTLMathMode;
enum { MTLMathModeSafe = 0, MTLMathModeRelaxed = 1, MTLMathModeFast = 2 };
typedef NSInteger MTLMathFloatingPointFunctions;
enum { MTLMathFloatingPointFunctionsFast = 0, MTLMathFloatingPointFunctionsPrecise = 1 };
typedef NSUInteger MTLLibraryError;
enum { MTLLibraryErrorUnsupported = 1, MTLLibraryErrorInternal = 2, MTLLibraryErrorCompileFailure = 3,
       MTLLibraryErrorCompileWarning = 4, MTLLibraryErrorFunctionNotFound = 5, MTLLibraryErrorFileNotFound = 6 };
typedef NSUInteger MTLFunctionType;
enum { MTLFunctionTypeVertex = 1, MTLFunctionTypeFragment = 2, MTLFunctionTypeKernel = 3 };
typedef NSUInteger MTLPipelineOption;
enum { MTLPipelineOptionNone = 0, MTLPipelineOptionArgumentInfo = 1, MTLPipelineOptionBufferTypeInfo = 2,
       MTLPipelineOptionFailOnBinaryArchiveMiss = 4 };
typedef NSUInteger MTLBinaryArchiveError;
enum { MTLBinaryArchiveErrorNone = 0, MTLBinaryArchiveErrorInvalidFile = 1, MTLBinaryArchiveErrorUnexpectedElement = 2,
       MTLBinaryArchiveErrorCompilationFailure = 3, MTLBinaryArchiveErrorInternalError = 4 };
typedef NSUInteger MTLIndirectCommandType;
enum { MTLIndirectCommandTypeDraw = 1, MTLIndirectCommandTypeDrawIndexed = 2,
       MTLIndirectCommandTypeConcurrentDispatch = 32, MTLIndirectCommandTypeConcurrentDispatchThreads = 64 };

typedef NSUInteger MTLTextureType;
enum { MTLTextureType1D = 0, MTLTextureType1DArray = 1, MTLTextureType2D = 2, MTLTextureType2DArray = 3,
       MTLTextureType2DMultisample = 4, MTLTextureTypeCube = 5, MTLTextureType3D = 7 };
typedef NSUInteger MTLTextureUsage;
enum { MTLTextureUsageUnknown = 0, MTLTextureUsageShaderRead = 1, MTLTextureUsageShaderWrite = 2,
       MTLTextureUsageRenderTarget = 4, MTLTextureUsagePixelFormatView = 16 };
typedef NSUInteger MTLPixelFormat;
enum {
  MTLPixelFormatInvalid = 0, MTLPixelFormatA8Unorm = 1,
  MTLPixelFormatR8Unorm = 10, MTLPixelFormatR8Snorm = 12, MTLPixelFormatR8Uint = 13, MTLPixelFormatR8Sint = 14,
  MTLPixelFormatR16Unorm = 20, MTLPixelFormatR16Snorm = 22, MTLPixelFormatR16Uint = 23, MTLPixelFormatR16Sint = 24,
  MTLPixelFormatR16Float = 25, MTLPixelFormatRG8Unorm = 30, MTLPixelFormatRG8Snorm = 32, MTLPixelFormatRG8Uint = 33,
  MTLPixelFormatRG8Sint = 34,
  MTLPixelFormatR32Uint = 53, MTLPixelFormatR32Sint = 54, MTLPixelFormatR32Float = 55,
  MTLPixelFormatRG16Unorm = 60, MTLPixelFormatRG16Snorm = 62, MTLPixelFormatRG16Uint = 63, MTLPixelFormatRG16Sint = 64,
  MTLPixelFormatRG16Float = 65,
  MTLPixelFormatRGBA8Unorm = 70, MTLPixelFormatRGBA8Unorm_sRGB = 71, MTLPixelFormatRGBA8Snorm = 72,
  MTLPixelFormatRGBA8Uint = 73, MTLPixelFormatRGBA8Sint = 74,
  MTLPixelFormatBGRA8Unorm = 80, MTLPixelFormatBGRA8Unorm_sRGB = 81, MTLPixelFormatRGB10A2Unorm = 90,
  MTLPixelFormatRG32Uint = 103, MTLPixelFormatRG32Sint = 104, MTLPixelFormatRG32Float = 105,
  MTLPixelFormatRGBA16Unorm = 110, MTLPixelFormatRGBA16Snorm = 112, MTLPixelFormatRGBA16Uint = 113,
  MTLPixelFormatRGBA16Sint = 114, MTLPixelFormatRGBA16Float = 115,
  MTLPixelFormatRGBA32Uint = 123, MTLPixelFormatRGBA32Sint = 124, MTLPixelFormatRGBA32Float = 125
};

MTL_EXTERN NSString *const MTLLibraryErrorDomain;
MTL_EXTERN NSString *const MTLCommandBufferErrorDomain;
MTL_EXTERN NSString *const MTLBinaryArchiveDomain;

typedef struct MTLOrigin { NSUInteger x, y, z; } MTLOrigin;
typedef struct MTLSize { NSUInteger width, height, depth; } MTLSize;
typedef struct MTLRegion { MTLOrigin origin; MTLSize size; } MTLRegion;
typedef uint64_t MTLTimestamp;

static inline MTLOrigin MTLOriginMake(NSUInteger x, NSUInteger y, NSUInteger z) {
  MTLOrigin o; o.x = x; o.y = y; o.z = z; return o;
}
static inline MTLSize MTLSizeMake(NSUInteger width, NSUInteger height, NSUInteger depth) {
  MTLSize s; s.width = width; s.height = height; s.depth = depth; return s;
}
static inline MTLRegion MTLRegionMake2D(NSUInteger x, NSUInteger y, NSUInteger width, NSUInteger height) {
  MTLRegion r; r.origin = MTLOriginMake(x, y, 0); r.size = MTLSizeMake(width, height, 1); return r;
}

// Descriptors. -------------------------------------------------------------------------------------------------------

@protocol MTLBuffer, MTLTexture, MTLDevice, MTLLibrary, MTLFunction, MTLComputePipelineState, MTLCommandQueue,
          MTLCommandBuffer, MTLComputeCommandEncoder, MTLBlitCommandEncoder, MTLIndirectCommandBuffer,
          MTLIndirectComputeCommand, MTLBinaryArchive, MTLResidencySet, MTLResource, MTLEvent, MTLSharedEvent;

@interface MTLCompileOptions : MTL_DESCRIPTOR <NSCopying>
MTL_FIELDS(
  MTLLanguageVersion languageVersion; BOOL fastMathEnabled; MTLMathMode mathMode;
  MTLMathFloatingPointFunctions functions; NSDictionary *preprocessorMacros; NSUInteger maxTotalThreadsPerThreadgroup;
)
@property (nonatomic) MTLLanguageVersion languageVersion;
@property (nonatomic) BOOL fastMathEnabled;
@property (nonatomic) MTLMathMode mathMode API_AVAILABLE(macos(15.0), ios(18.0));
@property (nonatomic) MTLMathFloatingPointFunctions mathFloatingPointFunctions API_AVAILABLE(macos(15.0), ios(18.0));
@property (nonatomic, copy) NSDictionary *preprocessorMacros;
@property (nonatomic) NSUInteger maxTotalThreadsPerThreadgroup API_AVAILABLE(macos(13.3), ios(16.4));
@end

@interface MTLComputePipelineReflection : MTL_DESCRIPTOR
@end

@interface MTLComputePipelineDescriptor : MTL_DESCRIPTOR <NSCopying>
MTL_FIELDS(
  id<MTLFunction> computeFunction; BOOL threadGroupSizeIsMultipleOfThreadExecutionWidth;
  NSUInteger maxTotalThreadsPerThreadgroup; BOOL supportIndirectCommandBuffers; NSArray *binaryArchives;
)
@property (nonatomic, copy) NSString *label;
@property (nonatomic, retain) id<MTLFunction> computeFunction;
@property (nonatomic) BOOL threadGroupSizeIsMultipleOfThreadExecutionWidth;
@property (nonatomic) NSUInteger maxTotalThreadsPerThreadgroup;
@property (nonatomic) BOOL supportIndirectCommandBuffers;
@property (nonatomic, copy) NSArray *binaryArchives;      // of id<MTLBinaryArchive>
@end

@interface MTLCommandBufferDescriptor : MTL_DESCRIPTOR <NSCopying>
MTL_FIELDS(
  BOOL retainedReferences; MTLCommandBufferErrorOption errorOptions;
)
@property (nonatomic) BOOL retainedReferences;
@property (nonatomic) MTLCommandBufferErrorOption errorOptions;
@end

@interface MTLIndirectCommandBufferDescriptor : MTL_DESCRIPTOR <NSCopying>
MTL_FIELDS(
  MTLIndirectCommandType commandTypes; BOOL inheritPipelineState; BOOL inheritBuffers;
  NSUInteger maxKernelBufferBindCount; NSUInteger maxKernelThreadgroupMemoryBindCount;
)
@property (nonatomic) MTLIndirectCommandType commandTypes;
@property (nonatomic) BOOL inheritPipelineState;
@property (nonatomic) BOOL inheritBuffers;
@property (nonatomic) NSUInteger maxKernelBufferBindCount;
@property (nonatomic) NSUInteger maxKernelThreadgroupMemoryBindCount API_AVAILABLE(macos(14.0), ios(17.0));
@end

@interface MTLBinaryArchiveDescriptor : MTL_DESCRIPTOR <NSCopying>
MTL_FIELDS(
  NSURL *url;
)
@property (nonatomic, copy) NSURL *url;
@end

API_AVAILABLE(macos(15.0), ios(18.0))
@interface MTLResidencySetDescriptor : MTL_DESCRIPTOR <NSCopying>
MTL_FIELDS(
  NSUInteger initialCapacity;
)
@property (nonatomic, copy) NSString *label;
@property (nonatomic) NSUInteger initialCapacity;
@end

@interface MTLTextureDescriptor : MTL_DESCRIPTOR <NSCopying>
MTL_FIELDS(
  MTLTextureType textureType; MTLPixelFormat pixelFormat; NSUInteger width, height, depth, mipmapLevelCount;
  NSUInteger sampleCount, arrayLength; MTLStorageMode storageMode; MTLTextureUsage usage;
)
+ (MTLTextureDescriptor *)texture2DDescriptorWithPixelFormat:(MTLPixelFormat)pixelFormat width:(NSUInteger)width
                                                      height:(NSUInteger)height mipmapped:(BOOL)mipmapped;
@property (nonatomic) MTLTextureType textureType;
@property (nonatomic) MTLPixelFormat pixelFormat;
@property (nonatomic) NSUInteger width;
@property (nonatomic) NSUInteger height;
@property (nonatomic) NSUInteger depth;
@property (nonatomic) NSUInteger mipmapLevelCount;
@property (nonatomic) NSUInteger sampleCount;
@property (nonatomic) NSUInteger arrayLength;
@property (nonatomic) MTLStorageMode storageMode;
@property (nonatomic) MTLTextureUsage usage;
@end

// Resources. ---------------------------------------------------------------------------------------------------------

@protocol MTLAllocation <NSObject>
@property (nonatomic, readonly) NSUInteger allocatedSize;
@end

@protocol MTLResource <MTLAllocation>
@property (nonatomic, copy) NSString *label;
@property (nonatomic, readonly) id<MTLDevice> device;
@property (nonatomic, readonly) MTLStorageMode storageMode;
@property (nonatomic, readonly) MTLCPUCacheMode cpuCacheMode;
@property (nonatomic, readonly) MTLHazardTrackingMode hazardTrackingMode;
@property (nonatomic, readonly) MTLResourceOptions resourceOptions;
- (MTLPurgeableState)setPurgeableState:(MTLPurgeableState)state;
@end

@protocol MTLBuffer <MTLResource>
@property (nonatomic, readonly) NSUInteger length;
@property (nonatomic, readonly) uint64_t gpuAddress API_AVAILABLE(macos(13.0), ios(16.0));
- (void *)contents;
- (void)didModifyRange:(NSRange)range API_UNAVAILABLE(ios);
@end

@protocol MTLTexture <MTLResource>
@property (nonatomic, readonly) MTLTextureType textureType;
@property (nonatomic, readonly) MTLPixelFormat pixelFormat;
@property (nonatomic, readonly) NSUInteger width;
@property (nonatomic, readonly) NSUInteger height;
@property (nonatomic, readonly) NSUInteger depth;
@property (nonatomic, readonly) NSUInteger mipmapLevelCount;
@property (nonatomic, readonly) NSUInteger arrayLength;
@property (nonatomic, readonly) NSUInteger sampleCount;
@property (nonatomic, readonly) MTLTextureUsage usage;
- (void)getBytes:(void *)bytes bytesPerRow:(NSUInteger)bytesPerRow fromRegion:(MTLRegion)region
     mipmapLevel:(NSUInteger)level;
- (void)replaceRegion:(MTLRegion)region mipmapLevel:(NSUInteger)level withBytes:(const void *)bytes
          bytesPerRow:(NSUInteger)bytesPerRow;
@end

API_AVAILABLE(macos(15.0), ios(18.0))
@protocol MTLResidencySet <NSObject>
@property (nonatomic, readonly) id<MTLDevice> device;
@property (nonatomic, readonly) NSString *label;
@property (nonatomic, readonly) uint64_t allocatedSize;
@property (nonatomic, readonly) NSUInteger allocationCount;
- (void)requestResidency;
- (void)endResidency;
- (void)addAllocation:(id<MTLAllocation>)allocation;
- (void)removeAllocation:(id<MTLAllocation>)allocation;
- (void)removeAllAllocations;
- (BOOL)containsAllocation:(id<MTLAllocation>)allocation;
- (void)commit;
@end

// Events. ------------------------------------------------------------------------------------------------------------

@protocol MTLEvent <NSObject>
@property (nonatomic, readonly) id<MTLDevice> device;
@property (nonatomic, copy) NSString *label;
@end

@protocol MTLSharedEvent <MTLEvent>
@property (readwrite) uint64_t signaledValue;
- (BOOL)waitUntilSignaledValue:(uint64_t)value timeoutMS:(uint64_t)milliseconds
  API_AVAILABLE(macos(12.0), ios(15.0));
@end

// Libraries and pipelines. -------------------------------------------------------------------------------------------

@protocol MTLFunction <NSObject>
@property (nonatomic, copy) NSString *label;
@property (nonatomic, readonly) id<MTLDevice> device;
@property (nonatomic, readonly) MTLFunctionType functionType;
@property (nonatomic, readonly) NSString *name;
@end

@protocol MTLLibrary <NSObject>
@property (nonatomic, copy) NSString *label;
@property (nonatomic, readonly) id<MTLDevice> device;
@property (nonatomic, readonly) NSArray *functionNames;     // of NSString
- (id<MTLFunction>)newFunctionWithName:(NSString *)name;
@end

@protocol MTLComputePipelineState <NSObject>
@property (nonatomic, readonly) NSString *label;
@property (nonatomic, readonly) id<MTLDevice> device;
@property (nonatomic, readonly) NSUInteger maxTotalThreadsPerThreadgroup;
@property (nonatomic, readonly) NSUInteger threadExecutionWidth;
@property (nonatomic, readonly) NSUInteger staticThreadgroupMemoryLength;
@property (nonatomic, readonly) BOOL supportIndirectCommandBuffers;
@end

@protocol MTLBinaryArchive <NSObject>
@property (nonatomic, copy) NSString *label;
@property (nonatomic, readonly) id<MTLDevice> device;
- (BOOL)addComputePipelineFunctionsWithDescriptor:(MTLComputePipelineDescriptor *)descriptor error:(NSError **)error;
- (BOOL)serializeToURL:(NSURL *)url error:(NSError **)error;
@end

// Commands. ----------------------------------------------------------------------------------------------------------

@protocol MTLCommandEncoder <NSObject>
@property (nonatomic, readonly) id<MTLDevice> device;
@property (nonatomic, copy) NSString *label;
- (void)endEncoding;
- (void)insertDebugSignpost:(NSString *)string;
- (void)pushDebugGroup:(NSString *)string;
- (void)popDebugGroup;
@end

@protocol MTLComputeCommandEncoder <MTLCommandEncoder>
@property (nonatomic, readonly) MTLDispatchType dispatchType;
- (void)setComputePipelineState:(id<MTLComputePipelineState>)state;
- (void)setBytes:(const void *)bytes length:(NSUInteger)length atIndex:(NSUInteger)index;
- (void)setBuffer:(id<MTLBuffer>)buffer offset:(NSUInteger)offset atIndex:(NSUInteger)index;
- (void)setBufferOffset:(NSUInteger)offset atIndex:(NSUInteger)index;
- (void)setTexture:(id<MTLTexture>)texture atIndex:(NSUInteger)index;
- (void)setThreadgroupMemoryLength:(NSUInteger)length atIndex:(NSUInteger)index;
- (void)dispatchThreadgroups:(MTLSize)groups threadsPerThreadgroup:(MTLSize)threads;
- (void)dispatchThreads:(MTLSize)grid threadsPerThreadgroup:(MTLSize)threads;
- (void)useResource:(id<MTLResource>)resource usage:(MTLResourceUsage)usage;
- (void)useResources:(const id<MTLResource> [])resources count:(NSUInteger)count usage:(MTLResourceUsage)usage;
- (void)executeCommandsInBuffer:(id<MTLIndirectCommandBuffer>)commands withRange:(NSRange)range;
- (void)memoryBarrierWithScope:(MTLBarrierScope)scope;
- (void)memoryBarrierWithResources:(const id<MTLResource> [])resources count:(NSUInteger)count;
@end

@protocol MTLBlitCommandEncoder <MTLCommandEncoder>
- (void)synchronizeResource:(id<MTLResource>)resource API_UNAVAILABLE(ios);
- (void)copyFromTexture:(id<MTLTexture>)source sourceSlice:(NSUInteger)slice sourceLevel:(NSUInteger)level
           sourceOrigin:(MTLOrigin)origin sourceSize:(MTLSize)size toBuffer:(id<MTLBuffer>)destination
      destinationOffset:(NSUInteger)offset destinationBytesPerRow:(NSUInteger)bytesPerRow
    destinationBytesPerImage:(NSUInteger)bytesPerImage;
- (void)copyFromBuffer:(id<MTLBuffer>)source sourceOffset:(NSUInteger)offset
     sourceBytesPerRow:(NSUInteger)bytesPerRow sourceBytesPerImage:(NSUInteger)bytesPerImage
            sourceSize:(MTLSize)size toTexture:(id<MTLTexture>)destination destinationSlice:(NSUInteger)slice
      destinationLevel:(NSUInteger)level destinationOrigin:(MTLOrigin)origin;
- (void)copyFromBuffer:(id<MTLBuffer>)source sourceOffset:(NSUInteger)sourceOffset
              toBuffer:(id<MTLBuffer>)destination destinationOffset:(NSUInteger)destinationOffset
                  size:(NSUInteger)size;
- (void)fillBuffer:(id<MTLBuffer>)buffer range:(NSRange)range value:(uint8_t)value;
@end

@protocol MTLIndirectComputeCommand <NSObject>
- (void)setComputePipelineState:(id<MTLComputePipelineState>)state;
- (void)setKernelBuffer:(id<MTLBuffer>)buffer offset:(NSUInteger)offset atIndex:(NSUInteger)index;
- (void)setThreadgroupMemoryLength:(NSUInteger)length atIndex:(NSUInteger)index;
- (void)concurrentDispatchThreadgroups:(MTLSize)groups threadsPerThreadgroup:(MTLSize)threads;
- (void)setBarrier;
- (void)clearBarrier;
- (void)reset;
@end

@protocol MTLIndirectCommandBuffer <MTLResource>
@property (nonatomic, readonly) NSUInteger size;
- (void)resetWithRange:(NSRange)range;
- (id<MTLIndirectComputeCommand>)indirectComputeCommandAtIndex:(NSUInteger)index
  API_AVAILABLE(macos(11.0), ios(13.0));
@end

#ifdef __BLOCKS__
  typedef void (^MTLCommandBufferHandler)(id<MTLCommandBuffer>);
#endif

@protocol MTLCommandBuffer <NSObject>
@property (nonatomic, readonly) id<MTLDevice> device;
@property (nonatomic, readonly) id<MTLCommandQueue> commandQueue;
@property (nonatomic, readonly) BOOL retainedReferences;
@property (nonatomic, copy) NSString *label;
@property (nonatomic, readonly) MTLCommandBufferStatus status;
@property (nonatomic, readonly) NSError *error;
@property (nonatomic, readonly) double GPUStartTime;       // CFTimeInterval, of the host's clock
@property (nonatomic, readonly) double GPUEndTime;
- (void)enqueue;
- (void)commit;
- (void)waitUntilScheduled;
- (void)waitUntilCompleted;
- (id<MTLBlitCommandEncoder>)blitCommandEncoder;
- (id<MTLComputeCommandEncoder>)computeCommandEncoder;
- (id<MTLComputeCommandEncoder>)computeCommandEncoderWithDispatchType:(MTLDispatchType)type;
- (void)encodeWaitForEvent:(id<MTLEvent>)event value:(uint64_t)value;
- (void)encodeSignalEvent:(id<MTLEvent>)event value:(uint64_t)value;
#ifdef __BLOCKS__
- (void)addCompletedHandler:(MTLCommandBufferHandler)block;
#endif
@end

@protocol MTLCommandQueue <NSObject>
@property (nonatomic, copy) NSString *label;
@property (nonatomic, readonly) id<MTLDevice> device;
- (id<MTLCommandBuffer>)commandBuffer;
- (id<MTLCommandBuffer>)commandBufferWithDescriptor:(MTLCommandBufferDescriptor *)descriptor;
- (id<MTLCommandBuffer>)commandBufferWithUnretainedReferences;
- (void)addResidencySet:(id<MTLResidencySet>)set API_AVAILABLE(macos(15.0), ios(18.0));
- (void)removeResidencySet:(id<MTLResidencySet>)set API_AVAILABLE(macos(15.0), ios(18.0));
@end

// Devices. -----------------------------------------------------------------------------------------------------------

#ifdef __BLOCKS__
  typedef void (^MTLBufferDeallocator)(void *pointer, NSUInteger length);
#else
  typedef void *MTLBufferDeallocator;                      // a compiler without blocks can pass none
#endif

@protocol MTLDevice <NSObject>
@property (nonatomic, readonly) NSString *name;
@property (nonatomic, readonly) uint64_t registryID;
@property (nonatomic, readonly) MTLSize maxThreadsPerThreadgroup;
@property (nonatomic, readonly, getter=isLowPower) BOOL lowPower API_UNAVAILABLE(ios);
@property (nonatomic, readonly, getter=isHeadless) BOOL headless API_UNAVAILABLE(ios);
@property (nonatomic, readonly, getter=isRemovable) BOOL removable API_UNAVAILABLE(ios);
@property (nonatomic, readonly) BOOL hasUnifiedMemory;
@property (nonatomic, readonly) uint64_t recommendedMaxWorkingSetSize API_AVAILABLE(macos(10.12), ios(16.0));
@property (nonatomic, readonly) NSUInteger currentAllocatedSize;
@property (nonatomic, readonly) NSUInteger maxBufferLength;
@property (nonatomic, readonly) NSUInteger maxThreadgroupMemoryLength;
- (BOOL)supportsFamily:(MTLGPUFamily)family;
- (id<MTLCommandQueue>)newCommandQueue;
- (id<MTLCommandQueue>)newCommandQueueWithMaxCommandBufferCount:(NSUInteger)count;
- (id<MTLBuffer>)newBufferWithLength:(NSUInteger)length options:(MTLResourceOptions)options;
- (id<MTLBuffer>)newBufferWithBytes:(const void *)bytes length:(NSUInteger)length options:(MTLResourceOptions)options;
- (id<MTLBuffer>)newBufferWithBytesNoCopy:(void *)bytes length:(NSUInteger)length options:(MTLResourceOptions)options
                              deallocator:(MTLBufferDeallocator)deallocator;
- (id<MTLTexture>)newTextureWithDescriptor:(MTLTextureDescriptor *)descriptor;
- (id<MTLLibrary>)newLibraryWithSource:(NSString *)source options:(MTLCompileOptions *)options
                                 error:(NSError **)error;
- (id<MTLLibrary>)newLibraryWithURL:(NSURL *)url error:(NSError **)error;
- (id<MTLComputePipelineState>)newComputePipelineStateWithFunction:(id<MTLFunction>)function error:(NSError **)error;
- (id<MTLComputePipelineState>)newComputePipelineStateWithDescriptor:(MTLComputePipelineDescriptor *)descriptor
                                                             options:(MTLPipelineOption)options
                                                          reflection:(MTLComputePipelineReflection **)reflection
                                                               error:(NSError **)error;
- (id<MTLBinaryArchive>)newBinaryArchiveWithDescriptor:(MTLBinaryArchiveDescriptor *)descriptor
                                                 error:(NSError **)error;
- (id<MTLEvent>)newEvent;
- (id<MTLSharedEvent>)newSharedEvent;
- (id<MTLIndirectCommandBuffer>)newIndirectCommandBufferWithDescriptor:(MTLIndirectCommandBufferDescriptor *)descriptor
                                                       maxCommandCount:(NSUInteger)count
                                                               options:(MTLResourceOptions)options;
- (id<MTLResidencySet>)newResidencySetWithDescriptor:(MTLResidencySetDescriptor *)descriptor error:(NSError **)error
  API_AVAILABLE(macos(15.0), ios(18.0));
- (void)sampleTimestamps:(MTLTimestamp *)cpu gpuTimestamp:(MTLTimestamp *)gpu;
@end

MTL_EXTERN id<MTLDevice> MTLCreateSystemDefaultDevice(void) NS_RETURNS_RETAINED;
MTL_EXTERN NSArray *MTLCopyAllDevices(void) API_AVAILABLE(macos(10.11), ios(18.0)) NS_RETURNS_RETAINED;
#endif

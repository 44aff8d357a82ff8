// retain: who owns an object of Objective-C: the same words under ARC, under manual counting, and for GCC.
//
// Holds: objects stand in structs of C, which neither ARC nor the compiler of GNUstep looks into: a member is declared
//        TN_UNOWNED, gets its object by TN_NEW (a method new.. returned it) or TN_RETAINED (any other did), and is
//        given back by TN_DROP. Names of methods and classes that are newer than macOS 11 and iOS 14 stand behind
//        TN_SINCE: Apple's compilers ask the system, others the object.
#ifndef TN_METAL_RETAIN
#define TN_METAL_RETAIN
#ifndef TINY_API
  #include "../api/api.h"
#endif
#ifdef TINY_STATIC
  #error "tiny_metal.m calls functions of tiny.h that another file has: compile both without TINY_STATIC"
#endif
#import <Foundation/Foundation.h>
#import <Metal/Metal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __APPLE__
  #include <TargetConditionals.h>
#endif
// What Macs alone have: several GPUs, memory that host and GPU each have a copy of.
#if !defined(__APPLE__) || TARGET_OS_OSX
  #define TN_METAL_OSX
#endif

#ifdef __has_feature
  #if __has_feature(objc_arc)
    #define TN_METAL_ARC
  #endif
#endif

#ifdef TN_METAL_ARC
  #define TN_UNOWNED __unsafe_unretained
  #define TN_NEW(type, object) ((__bridge type)(__bridge_retained void *)(object))
  #define TN_RETAINED(type, object) ((__bridge type)(__bridge_retained void *)(object))
  #define TN_OBJECT(type, pointer) ((__bridge type)(pointer))
  #define TN_POINTER(object) ((__bridge void *)(object))
  #define TN_DROP(object) tn_metal_drop(TN_POINTER(object))
static void tn_metal_drop(void *pointer) {
  id gone = (__bridge_transfer id)pointer;
  (void)gone;
}
#else
  #define TN_UNOWNED
  #define TN_NEW(type, object) ((type)(object))
  #define TN_RETAINED(type, object) ((type)[(object) retain])
  #define TN_OBJECT(type, pointer) ((type)(pointer))
  #define TN_POINTER(object) ((void *)(object))
  #define TN_DROP(object) [(object) release]
#endif

// Objects that methods return without owning them go at TN_POOL_END; nothing returns between the two.
#ifdef __clang__
  #define TN_POOL @autoreleasepool {
  #define TN_POOL_END }
#else
  #define TN_POOL { NSAutoreleasePool *const tn_metal_pool = [[NSAutoreleasePool alloc] init];
  #define TN_POOL_END [tn_metal_pool release]; }
#endif

// Are we on this system or a later one? The object answers to a method that came with it.
#if defined(__APPLE__) && defined(__clang__)
  #define TN_SINCE(mac, ios, object, method) @available(macOS mac, iOS ios, *)
#else
  #define TN_SINCE(mac, ios, object, method) [(object) respondsToSelector:NSSelectorFromString(@method)]
#endif

// Names that are deprecated since, where the older system has no others.
#ifdef __clang__
  #define TN_DEPRECATED _Pragma("clang diagnostic push") \
    _Pragma("clang diagnostic ignored \"-Wdeprecated-declarations\"")
  #define TN_DEPRECATED_END _Pragma("clang diagnostic pop")
#else
  #define TN_DEPRECATED
  #define TN_DEPRECATED_END
#endif

// Declarations that SDKs before macOS 15 and iOS 18 lack.
#if !defined(__APPLE__) || defined(__MAC_15_0) || defined(__IPHONE_18_0)
  #define TN_METAL_SDK_15
#endif
#endif

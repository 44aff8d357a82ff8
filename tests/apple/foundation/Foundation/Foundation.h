// Foundation.h: what tiny_metal.m and its users want of Apple's Foundation and of its runtime's headers, in declarations
// of our own, so that Objective-C is compiled for Apple's systems where no SDK is: tests/test_metal_cross.sh. On Linux
// GNUstep's stands in its place.
//
// Holds: names, types, nullability and the systems that have it are those of developer.apple.com/documentation; nothing
// here runs. API_AVAILABLE is in earnest: a call that the oldest system lacks is a warning unless it is guarded.
#ifndef TINY_APPLE_FOUNDATION
#define TINY_APPLE_FOUNDATION
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifndef __OBJC__
  #error "Foundation is for Objective-C"
#endif

// ** systems **

#define AVAILABLE_macos(v)       __attribute__((availability(macos, introduced = v)))
#define AVAILABLE_ios(v)         __attribute__((availability(ios, introduced = v)))
#define AVAILABLE_tvos(v)        __attribute__((availability(tvos, introduced = v)))
#define AVAILABLE_watchos(v)
#define AVAILABLE_visionos(v)
#define AVAILABLE_macCatalyst(v) __attribute__((availability(macCatalyst, introduced = v)))
#define AVAILABLE_1(a)           AVAILABLE_##a
#define AVAILABLE_2(a, b)        AVAILABLE_##a AVAILABLE_##b
#define AVAILABLE_3(a, b, c)     AVAILABLE_##a AVAILABLE_##b AVAILABLE_##c
#define AVAILABLE_4(a, b, c, d)  AVAILABLE_##a AVAILABLE_##b AVAILABLE_##c AVAILABLE_##d
#define AVAILABLE_OF(a, b, c, d, form, ...) form
#define API_AVAILABLE(...) AVAILABLE_OF(__VA_ARGS__, AVAILABLE_4, AVAILABLE_3, AVAILABLE_2, AVAILABLE_1, )(__VA_ARGS__)
#define API_UNAVAILABLE(...)
#define NS_SWIFT_NAME(name)
#define FOUNDATION_EXPORT extern
#if __has_feature(objc_arc)
  #define NS_AUTOMATED_REFCOUNT_UNAVAILABLE __attribute__((unavailable("not with automatic reference counting")))
#else
  #define NS_AUTOMATED_REFCOUNT_UNAVAILABLE
#endif
#define NS_RETURNS_RETAINED __attribute__((ns_returns_retained))
#define NS_RETURNS_INNER_POINTER __attribute__((objc_returns_inner_pointer))
#define NS_ENUM(type, name)    enum name : type name; enum name : type
#define NS_OPTIONS(type, name) enum name : type name; enum name : type
#define NS_ASSUME_NONNULL_BEGIN _Pragma("clang assume_nonnull begin")
#define NS_ASSUME_NONNULL_END   _Pragma("clang assume_nonnull end")

// ** the runtime's words **

#ifdef __OBJC_BOOL_IS_BOOL
  #if __OBJC_BOOL_IS_BOOL
typedef bool BOOL;
  #else
typedef signed char BOOL;
  #endif
#else
typedef signed char BOOL;
#endif
#define YES __objc_yes
#define NO  __objc_no
#if __has_feature(cxx_nullptr)
  #define nil nullptr
  #define Nil nullptr
#else
  #define nil ((void *)0)
  #define Nil ((void *)0)
#endif
typedef long NSInteger;
typedef unsigned long NSUInteger;
typedef double NSTimeInterval;
#define NSIntegerMax  LONG_MAX
#define NSUIntegerMax ULONG_MAX
enum : NSInteger { NSNotFound = INTPTR_MAX };
enum : NSUInteger { NSUTF8StringEncoding = 4 };
typedef NSUInteger NSStringEncoding;
typedef struct _NSRange { NSUInteger location, length; } NSRange;
static inline NSRange NSMakeRange(NSUInteger location, NSUInteger length) {
  const NSRange range = {location, length};
  return range;
}

@class NSString, NSMethodSignature, NSInvocation, NSDictionary<K, V>, NSArray<T>, NSSet<T>, NSURL, NSData, NSError;
NS_ASSUME_NONNULL_BEGIN

// ** objects **

@protocol NSObject
- (BOOL)isEqual:(nullable id)object;
- (NSUInteger)hash;
- (Class)class;
- (instancetype)self;
- (BOOL)isKindOfClass:(Class)aClass;
- (BOOL)conformsToProtocol:(Protocol *)aProtocol;
- (BOOL)respondsToSelector:(SEL)aSelector;
- (instancetype)retain NS_AUTOMATED_REFCOUNT_UNAVAILABLE;
- (oneway void)release NS_AUTOMATED_REFCOUNT_UNAVAILABLE;
- (instancetype)autorelease NS_AUTOMATED_REFCOUNT_UNAVAILABLE;
- (NSUInteger)retainCount NS_AUTOMATED_REFCOUNT_UNAVAILABLE;
- (NSString *)description;
@end
@protocol NSCopying
- (id)copyWithZone:(nullable void *)zone;
@end
@protocol NSLocking
- (void)lock;
- (void)unlock;
@end

__attribute__((objc_root_class))
@interface NSObject <NSObject>
+ (instancetype)new;
+ (instancetype)alloc;
+ (Class)class;
- (instancetype)init;
- (void)dealloc;
- (id)copy;
- (id)mutableCopy;
@end

NS_AUTOMATED_REFCOUNT_UNAVAILABLE
@interface NSAutoreleasePool : NSObject
- (void)drain;
@end

// ** values **

@interface NSString : NSObject <NSCopying>
+ (instancetype)string;
+ (nullable instancetype)stringWithUTF8String:(const char *)bytes;
+ (instancetype)stringWithFormat:(NSString *)format, ... __attribute__((format(NSString, 1, 2)));
- (nullable instancetype)initWithUTF8String:(const char *)bytes;
- (nullable instancetype)initWithBytes:(const void *)bytes length:(NSUInteger)n encoding:(NSStringEncoding)encoding;
- (instancetype)initWithFormat:(NSString *)format, ... __attribute__((format(NSString, 1, 2)));
@property(readonly) NSUInteger length;
@property(nullable, readonly) const char *UTF8String __attribute__((objc_returns_inner_pointer));
- (BOOL)isEqualToString:(NSString *)other;
- (BOOL)hasPrefix:(NSString *)text;
- (BOOL)containsString:(NSString *)text;
- (NSString *)stringByAppendingString:(NSString *)text;
- (NSUInteger)lengthOfBytesUsingEncoding:(NSStringEncoding)encoding;
@end

@interface NSNumber : NSObject <NSCopying>
+ (NSNumber *)numberWithInt:(int)value;
+ (NSNumber *)numberWithBool:(BOOL)value;
+ (NSNumber *)numberWithUnsignedInteger:(NSUInteger)value;
@property(readonly) int intValue;
@property(readonly) NSUInteger unsignedIntegerValue;
@property(readonly) BOOL boolValue;
@end

@interface NSArray<__covariant T> : NSObject <NSCopying>
+ (instancetype)array;
+ (instancetype)arrayWithObject:(T)object;
+ (instancetype)arrayWithObjects:(const T _Nonnull __unsafe_unretained *_Nullable)objects count:(NSUInteger)n;
@property(readonly) NSUInteger count;
@property(nullable, readonly) T firstObject;
- (T)objectAtIndex:(NSUInteger)i;
- (T)objectAtIndexedSubscript:(NSUInteger)i;
@end
@interface NSMutableArray<T> : NSArray<T>
- (void)addObject:(T)object;
- (void)removeObjectAtIndex:(NSUInteger)i;
- (void)removeAllObjects;
@end

@interface NSDictionary<__covariant K, __covariant V> : NSObject <NSCopying>
+ (instancetype)dictionary;
+ (instancetype)dictionaryWithObject:(V)object forKey:(K)key;
@property(readonly) NSUInteger count;
- (nullable V)objectForKey:(K)key;
@end
@interface NSMutableDictionary<K, V> : NSDictionary<K, V>
- (void)setObject:(V)object forKey:(K)key;
- (void)removeObjectForKey:(K)key;
@end

@interface NSData : NSObject <NSCopying>
+ (instancetype)dataWithBytes:(nullable const void *)bytes length:(NSUInteger)n;
+ (nullable instancetype)dataWithContentsOfURL:(NSURL *)url;
@property(readonly) NSUInteger length;
@property(nullable, readonly) const void *bytes __attribute__((objc_returns_inner_pointer));
@end

@interface NSURL : NSObject <NSCopying>
+ (NSURL *)fileURLWithPath:(NSString *)path;
@property(nullable, readonly, copy) NSString *path;
@end

typedef NSString *NSErrorDomain;
typedef NSString *NSErrorUserInfoKey;
extern NSErrorUserInfoKey const NSLocalizedDescriptionKey;
extern NSErrorUserInfoKey const NSUnderlyingErrorKey;
@interface NSError : NSObject <NSCopying>
+ (instancetype)errorWithDomain:(NSErrorDomain)domain code:(NSInteger)code
                       userInfo:(nullable NSDictionary<NSErrorUserInfoKey, id> *)info;
@property(readonly) NSInteger code;
@property(readonly, copy) NSErrorDomain domain;
@property(readonly, copy) NSDictionary<NSErrorUserInfoKey, id> *userInfo;
@property(readonly, copy) NSString *localizedDescription;
@end

// ** the system **

extern NSString *NSTemporaryDirectory(void);
@interface NSFileManager : NSObject
@property(class, readonly, strong) NSFileManager *defaultManager;
- (BOOL)fileExistsAtPath:(NSString *)path;
- (BOOL)removeItemAtPath:(NSString *)path error:(NSError *_Nullable __autoreleasing *_Nullable)error;
- (BOOL)removeItemAtURL:(NSURL *)url error:(NSError *_Nullable __autoreleasing *_Nullable)error;
@end

typedef struct { NSInteger majorVersion, minorVersion, patchVersion; } NSOperatingSystemVersion;
@interface NSProcessInfo : NSObject
@property(class, readonly, strong) NSProcessInfo *processInfo;
@property(readonly) NSOperatingSystemVersion operatingSystemVersion;
@property(readonly, copy) NSString *operatingSystemVersionString;
@property(readonly, copy) NSString *globallyUniqueString;
- (BOOL)isOperatingSystemAtLeastVersion:(NSOperatingSystemVersion)version;
@end

@interface NSLock : NSObject <NSLocking>
- (BOOL)tryLock;
@end

@interface NSThread : NSObject
+ (void)sleepForTimeInterval:(NSTimeInterval)seconds;
@end

NS_ASSUME_NONNULL_END
#endif

// TargetConditionals.h: which of Apple's systems it is for, as their compiler says it.
#ifndef TINY_APPLE_TARGET
#define TINY_APPLE_TARGET
#ifdef __ENVIRONMENT_IPHONE_OS_VERSION_MIN_REQUIRED__
  #define TARGET_OS_IPHONE 1
  #define TARGET_OS_IOS 1
  #define TARGET_OS_OSX 0
#else
  #define TARGET_OS_IPHONE 0
  #define TARGET_OS_IOS 0
  #define TARGET_OS_OSX 1
#endif
#define TARGET_OS_MAC 1
#define TARGET_OS_SIMULATOR 0
#define TARGET_OS_MACCATALYST 0
#endif

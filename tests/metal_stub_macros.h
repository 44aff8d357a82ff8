// metal_stub_macros: the macros that Metal's standard library defines for a text (MSL 6.5).
#ifndef METAL_STUB_MACROS_H
#define METAL_STUB_MACROS_H
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define HUGE_VALF __builtin_huge_valf()
#define MAXFLOAT 0x1.fffffep127f
#define FLT_MAX 0x1.fffffep127f
#define FLT_MIN 0x1p-126f
#define FLT_EPSILON 0x1p-23f
#define HALF_MAX half(65504)
#define HALF_MIN half(0x1p-14f)
#define INT_MAX 0x7FFFFFFF
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX 0xFFFFFFFFu
#define M_PI_F 3.14159265358979323846264338327950288f
#define M_SQRT1_2_F 0.707106781186547524400844362104849039f
#endif

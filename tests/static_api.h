// static_api: behind library.h (tools/library.py) what a companion header makes public is private to the file, as the
// object that tests share holds none of it: -include.
#undef TINY_API
#define TINY_API __attribute__((unused)) static

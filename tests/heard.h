// heard: what a context logged, a line each: tiny_desc.log = {hear, NULL}.
#ifndef HEARD_H
#define HEARD_H
static char heard[8192];
static void hear(void *user, const char *line) {
  (void)user;
  const size_t n = strlen(heard);
  snprintf(heard + n, sizeof heard - n, "%s\n", line);
}
#endif

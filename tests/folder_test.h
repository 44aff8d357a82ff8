// folder_test: folders that a test makes and leaves no trace of.
#ifndef FOLDER_TEST_H
#define FOLDER_TEST_H
#include <dirent.h>

static void remove_tree(const char *path) {
  char below[512];
  DIR *d = opendir(path);
  for (struct dirent *e; d && (e = readdir(d));) if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..")) {
    snprintf(below, sizeof below, "%s/%s", path, e->d_name);
    remove_tree(below);
  }
  if (d) closedir(d);
  remove(path);
}
#endif

/* Paths of our own files relative to the executable, in a build tree or an installation. */
#ifndef COR_RUN_PATH_H
#define COR_RUN_PATH_H

#include <stddef.h>

/* corunna.jar: $CORUNNA_JAR if set, else relative to the executable's folder. 1 if it exists, else 0 with the first
 * path that was tried. */
int cor_run_path_jar(char *out, size_t room);

#endif

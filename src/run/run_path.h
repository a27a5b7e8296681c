/* Where our own files are, seen from the executable: in a build tree or where it was installed. */
#ifndef COR_RUN_PATH_H
#define COR_RUN_PATH_H

#include <stddef.h>

/* corunna.jar: $CORUNNA_JAR if set, else beside the executable's folder. 1 if it is there, else 0 with the place
 * where it was looked for first. */
int cor_run_path_jar(char *out, size_t room);

#endif

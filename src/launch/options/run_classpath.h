/* SPDX-License-Identifier: Apache-2.0 */
/* The class path of ranks that are started as `java ... Class`: corunna.jar is appended, unless it is there already. */
#ifndef COR_RUN_CLASSPATH_H
#define COR_RUN_CLASSPATH_H

#include "launch/run_list.h"

/*
 * Returns the command line that ranks run. If `argv` runs java, by a class and not by -jar, and neither its class path
 * nor, without one, CLASSPATH names a corunna.jar, `jar` is appended: to the class path on the command line, which is
 * then copied to `command`, or to CLASSPATH, in `settings` (NAME=VALUE). Else returns `argv` unchanged. A CLASSPATH in
 * `settings` has priority over that of this process. The caller owns the lists.
 */
char **cor_run_class_path(char **argv, const char *jar, run_list *command, run_list *settings);

#endif

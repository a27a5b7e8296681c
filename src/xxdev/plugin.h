/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plugin: a shared object of Corunna that is built where an optional library is installed, and opened only when a
 * device needs it. It exports a table of functions.
 */
#ifndef COR_XXDEV_PLUGIN_H
#define COR_XXDEV_PLUGIN_H

#include "base/error.h"

#include <stddef.h>

typedef struct cor_plugin {
    const char *device;  /* "mpidev" */
    const char *name;    /* of the file: libcorunna_<name>.so */
    const char *library; /* the library it needs, and Debian's package of the headers */
    const char *package;
    const char *symbol; /* its table, whose first member is an int: */
    int version;
    int is_deep; /* its calls go to its library, even if the program has functions of the same names */
} cor_plugin;

/* Is the file in the folder of this program or library? */
int cor_plugin_is_there(const cor_plugin *plugin);

/* Open it for the rest of the process and get its table. COR_ERR_UNSUPPORTED: it cannot be opened. */
int cor_plugin_open(const cor_plugin *plugin, const void **table_p, cor_fault *fault);

#endif

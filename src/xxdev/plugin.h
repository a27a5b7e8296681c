/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plugin: a shared object of ours that is built where an optional library is installed, and opened only when a device
 * wants it. It exports a table of functions.
 */
#ifndef COR_XXDEV_PLUGIN_H
#define COR_XXDEV_PLUGIN_H

#include "base/error.h"

#include <stddef.h>

typedef struct cor_plugin {
    const char *device;  /* "mpidev" */
    const char *name;    /* of the file: libcorunna_<name>.so */
    const char *library; /* what it is made for, and what Debian calls its headers */
    const char *package;
    const char *symbol; /* its table, which begins with an int: */
    int version;
    int is_deep; /* it calls its library's functions, though the program may have others of the same names */
} cor_plugin;

/* Is the file there, where this program or library is? */
int cor_plugin_is_there(const cor_plugin *plugin);

/* Open it for the rest of the process: its table. COR_ERR_UNSUPPORTED: it cannot be. */
int cor_plugin_open(const cor_plugin *plugin, const void **table_p, cor_fault *fault);

#endif

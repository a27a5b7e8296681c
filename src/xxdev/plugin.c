/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "xxdev/plugin.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Beside this library, or where libraries are beside this program: in the build tree and in the installation. */
static const char *const plugin_places[] = {"", "../lib/", "../" COR_LIBDIR "/"};

enum { PLUGIN_PLACES = sizeof plugin_places / sizeof *plugin_places, PLUGIN_PATH_MAX = PATH_MAX + 64 };

/* The file that this code is in. The loader has no name of the program itself, only how it was called. */
static int plugin_self(char real[PATH_MAX])
{
    Dl_info self;
    struct link_map *map;
    if (!dladdr1(plugin_places, &self, (void **)&map, RTLD_DL_LINKMAP))
        return 0;
    return realpath(map->l_name[0] ? map->l_name : "/proc/self/exe", real) != NULL;
}

static int plugin_find(const cor_plugin *plugin, char *out, size_t out_bytes)
{
    char real[PATH_MAX];
    if (!plugin_self(real))
        return 0;
    int directory = (int)(strrchr(real, '/') - real) + 1;
    for (int i = 0; i < PLUGIN_PLACES; i++) {
        snprintf(out, out_bytes, "%.*s%slibcorunna_%s.so", directory, real, plugin_places[i], plugin->name);
        if (access(out, R_OK) == 0)
            return 1;
    }
    return 0;
}

int cor_plugin_is_there(const cor_plugin *plugin)
{
    char path[PLUGIN_PATH_MAX];
    return plugin_find(plugin, path, sizeof path);
}

/* ---- what a library shall not do to the program, nor the program to it
 * ---------------------------------------------- */

/* Some libraries, as libinfinipath under libfabric, take over these signals when they are loaded. They are the
 * program's: a JVM makes null checks by SIGSEGV. */
static const int plugin_signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGINT, SIGTERM};

enum { PLUGIN_SIGNALS = sizeof plugin_signals / sizeof *plugin_signals };

static void *plugin_dlopen(const char *path, int mode)
{
    struct sigaction before[PLUGIN_SIGNALS];
    int is_kept[PLUGIN_SIGNALS];
    for (int i = 0; i < PLUGIN_SIGNALS; i++)
        is_kept[i] = sigaction(plugin_signals[i], NULL, &before[i]) == 0;
    void *handle = dlopen(path, mode);
    for (int i = 0; i < PLUGIN_SIGNALS; i++)
        if (is_kept[i])
            sigaction(plugin_signals[i], &before[i], NULL);
    return handle;
}

/* A library that is bound deeply reads the C library's own `environ`. On x86_64 a program that names `environ` has it
 * copied into itself, and the C library's own stays NULL, which UCX and Open MPI follow. Both must be the same list:
 * Open MPI frees the words of any other. */
static void plugin_share_environment(void)
{
    void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    char ***own = libc ? (char ***)dlsym(libc, "environ") : NULL;
    if (own && own != &environ)
        *own = environ;
    if (libc)
        dlclose(libc);
}

/* Load it from where it is, else from where the system looks for libraries. */
static int plugin_load(const cor_plugin *plugin, void **handle_p, cor_fault *fault)
{
    char path[PLUGIN_PATH_MAX];
    int is_found = plugin_find(plugin, path, sizeof path);
    if (!is_found)
        snprintf(path, sizeof path, "libcorunna_%s.so", plugin->name);
    if (plugin->is_deep)
        plugin_share_environment();
    *handle_p = plugin_dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE | (plugin->is_deep ? RTLD_DEEPBIND : 0));
    if (*handle_p)
        return COR_OK;
    if (is_found)
        return cor_fault_set(fault, COR_ERR_UNSUPPORTED, "%s cannot use %s: %.200s", plugin->device, plugin->library,
                             dlerror());
    return cor_fault_set(fault, COR_ERR_UNSUPPORTED,
                         "%s cannot use %s, because there is no %s: it is built with Corunna where the headers of %s "
                         "are installed (Debian package %s)",
                         plugin->device, plugin->library, path, plugin->library, plugin->package);
}

int cor_plugin_open(const cor_plugin *plugin, const void **table_p, cor_fault *fault)
{
    void *handle;
    int rc = plugin_load(plugin, &handle, fault);
    if (rc != COR_OK)
        return rc;
    *table_p = dlsym(handle, plugin->symbol);
    if (!*table_p || *(const int *)*table_p != plugin->version)
        return cor_fault_set(fault, COR_ERR_UNSUPPORTED,
                             "%s cannot use %s: libcorunna_%s.so is not of this build of Corunna", plugin->device,
                             plugin->library, plugin->name);
    return COR_OK;
}

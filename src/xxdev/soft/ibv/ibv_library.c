/* SPDX-License-Identifier: Apache-2.0 */
#include "xxdev/soft/ibv/ibv_library.h"

#include <dlfcn.h>
#include <string.h>

static int library_load(const char *name, void **handle_p, cor_fault *fault)
{
    *handle_p = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (*handle_p)
        return COR_OK;
    return cor_fault_set(fault, COR_ERR_UNSUPPORTED,
                         "the verbs wire needs %s (Debian packages rdma-core, librdmacm1): %.120s", name, dlerror());
}

static int library_find(void *handle, const char *name, void *function_p, cor_fault *fault)
{
    void *found = dlsym(handle, name);
    if (!found)
        return cor_fault_set(fault, COR_ERR_UNSUPPORTED,
                             "the RDMA library that is installed here is too old: it has no %s; the libibverbs1 and "
                             "librdmacm1 of Debian 12 have it",
                             name);
    memcpy(function_p, &found, sizeof found);
    return COR_OK;
}

/* A fork must leave registered pages to the parent. Kernels before 5.12 copy them when the parent writes next, so there
 * they are kept from the child altogether. */
static void library_allow_fork(const ibw_library *library, void *verbs)
{
    enum { UNNEEDED = 2 }; /* IBV_FORK_UNNEEDED, which older headers do not have */
    int (*status)(void) = NULL;
    if (library_find(verbs, "ibv_is_fork_initialized", &status, NULL) != COR_OK || status() != UNNEEDED)
        library->do_ibv_fork_init();
}

int ibw_library_open(ibw_library *library_p, cor_fault *fault)
{
    void *verbs, *cm;
#define LIBRARY_FIND(name, handle)                                                                                    \
    if (rc == COR_OK)                                                                                                 \
        rc = library_find(handle, #name, &library_p->do_##name, fault);
#define LIBRARY_FIND_VERBS(name) LIBRARY_FIND(name, verbs)
#define LIBRARY_FIND_CM(name) LIBRARY_FIND(name, cm)
    int rc = library_load("libibverbs.so.1", &verbs, fault);
    IBW_VERBS_LIST(LIBRARY_FIND_VERBS)
    if (rc == COR_OK)
        rc = library_load("librdmacm.so.1", &cm, fault);
    IBW_CM_LIST(LIBRARY_FIND_CM)
    if (rc == COR_OK)
        library_allow_fork(library_p, verbs);
    return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded: the providers of libfabric have 48 bits of tag (ODD_PROVIDER=tags), want all memory to be registered
 * (memory), have no remote memory (messages), or promise no order (order). */
#include <dlfcn.h>
#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <stdlib.h>
#include <string.h>

typedef int (*odd_getinfo_fn)(uint32_t, const char *, const char *, uint64_t, const struct fi_info *,
                              struct fi_info **);

__attribute__((visibility("default"))) int fi_getinfo(uint32_t version, const char *node, const char *service,
                                                      uint64_t flags, const struct fi_info *hints,
                                                      struct fi_info **info)
{
    const char *how = getenv("ODD_PROVIDER");
    void *library = dlopen("libfabric.so.1", RTLD_LAZY | RTLD_NOLOAD);
    odd_getinfo_fn real = library ? (odd_getinfo_fn)dlsym(library, "fi_getinfo") : NULL;
    if (!real || !how)
        return -FI_ENOSYS;
    /* Layers of libfabric ask for what is beneath them, too. */
    int is_own = hints && hints->ep_attr && hints->ep_attr->type == FI_EP_RDM;
    if (is_own && ((strcmp(how, "memory") == 0 && !(hints->domain_attr->mr_mode & FI_MR_LOCAL)) ||
                   (strcmp(how, "messages") == 0 && hints->caps & FI_RMA) ||
                   (strcmp(how, "order") == 0 && hints->tx_attr->msg_order != 0)))
        return -FI_ENODATA;
    int error = real(version, node, service, flags, hints, info);
    for (struct fi_info *one = error || !is_own ? NULL : *info; one; one = one->next)
        if (strcmp(how, "tags") == 0)
            one->ep_attr->mem_tag_format = UINT64_C(0xaaaaaaaaaaaa);
        else if (strcmp(how, "memory") == 0)
            one->domain_attr->mr_mode |= FI_MR_LOCAL;
    return error;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Which provider, and what is opened of it. */
#include "xxdev/soft/ofi/ofi_state.h"

#include <rdma/fi_cm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a provider must have ---------------------------------------------------------------------------------- */

/* One after another, so that the first that is lacking can be named. */
typedef enum ofi_need { OFI_BE_THERE, OFI_BE_RELIABLE, OFI_BE_PLAIN, OFI_NEEDS } ofi_need;

/* FI_MR_BASIC and FI_MR_SCALABLE, whose names libfabric 2 deprecates. */
enum { OFI_MR_OLD = 1 << 0 | 1 << 1 };

enum { OFI_MR_KNOWN = FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT };

static struct fi_info *ofi_hints(const char *provider, const char *domain, ofi_need last)
{
    struct fi_info *hints = fi_allocinfo();
    if (!hints)
        return NULL;
    if (provider[0])
        hints->fabric_attr->prov_name = strdup(provider);
    if (domain[0])
        hints->domain_attr->name = strdup(domain);
    hints->mode = last >= OFI_BE_PLAIN ? FI_CONTEXT | FI_CONTEXT2 : ~UINT64_C(0);
    hints->domain_attr->mr_mode = last >= OFI_BE_PLAIN ? OFI_MR_KNOWN | FI_MR_LOCAL : ~OFI_MR_OLD;
    if (last < OFI_BE_RELIABLE)
        return hints;
    hints->caps = FI_MSG | FI_SEND | FI_RECV;
    hints->ep_attr->type = FI_EP_RDM;
    hints->domain_attr->threading = FI_THREAD_DOMAIN;
    hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
    hints->domain_attr->av_type = FI_AV_TABLE;
    return hints;
}

/* The first from here on that will do. Not all layers of libfabric heed the domain's name. */
static struct fi_info *ofi_first(const char *domain, struct fi_info *info)
{
    while (info && domain[0] && strcmp(info->domain_attr->name, domain) != 0)
        info = info->next;
    return info;
}

/* What libfabric lists for these hints, which are freed, best first. NULL: nothing of it will do. */
static struct fi_info *ofi_ask(struct fi_info *hints, const char *domain)
{
    struct fi_info *list = NULL;
    if (!hints || fi_getinfo(FI_VERSION(1, 9), NULL, NULL, 0, hints, &list) != 0)
        list = NULL;
    if (hints)
        fi_freeinfo(hints);
    if (list && !ofi_first(domain, list)) {
        fi_freeinfo(list);
        list = NULL;
    }
    return list;
}

static void ofi_tell_lack(const cor_fabric_options *options, char *why, size_t why_bytes)
{
    static const char *const sentences[OFI_NEEDS] = {
        "there is no such provider or domain, see fi_info -l and fi_info",
        "it has no reliable messages (FI_EP_RDM with FI_MSG); put ;ofi_rxm behind its name, or see fi_info -t "
        "FI_EP_RDM",
        "it has a mode that Corunna does not know, see fi_info -v",
    };
    const char *provider = options->transports[0] ? options->transports : getenv("FI_PROVIDER");
    ofi_need need = OFI_BE_THERE;
    for (struct fi_info *list; need < OFI_BE_PLAIN; need++) {
        list = ofi_ask(ofi_hints(options->transports, options->interface, need), options->interface);
        if (!list)
            break;
        fi_freeinfo(list);
    }
    snprintf(why, why_bytes, "provider %s%s%s: %s", provider ? provider : "of any name",
             options->interface[0] ? " on " : "", options->interface, sentences[need]);
}

/* The same provider and domain, with as much remote memory as it has, rather without registered memory for packets. */
static struct fi_info *ofi_enrich(const struct fi_info *plain)
{
    static const struct {
        uint64_t caps;
        int mr_mode;
    } ways[] = {
        {FI_RMA | FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE | FI_ATOMIC, 0},
        {FI_RMA | FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE, 0},
        {FI_RMA | FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE, FI_MR_LOCAL},
        {0, 0},
        {0, FI_MR_LOCAL},
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const char *domain = plain->domain_attr->name;
        struct fi_info *hints = ofi_hints(plain->fabric_attr->prov_name, domain, OFI_NEEDS);
        if (hints) {
            hints->caps |= ways[i].caps;
            hints->domain_attr->mr_mode = OFI_MR_KNOWN | ways[i].mr_mode;
        }
        struct fi_info *list = ofi_ask(hints, domain), *found = list ? fi_dupinfo(ofi_first(domain, list)) : NULL;
        if (list)
            fi_freeinfo(list);
        if (found)
            return found;
    }
    return NULL;
}

/* ---- open and close --------------------------------------------------------------------------------------------- */

void ofi_close_endpoint(cor_fabric_library *library)
{
    if (library->endpoint)
        ofi_close_one(library, &library->endpoint->fid, "closing the endpoint");
    library->endpoint = NULL;
}

static void ofi_close_provider(cor_fabric_library *library)
{
    ofi_close_endpoint(library);
    ofi_packets_close(library);
    if (library->completions)
        ofi_close_one(library, &library->completions->fid, "closing the completion queue");
    if (library->addresses)
        ofi_close_one(library, &library->addresses->fid, "closing the addresses");
    if (library->domain)
        ofi_close_one(library, &library->domain->fid, "closing the domain");
    if (library->fabric)
        ofi_close_one(library, &library->fabric->fid, "closing the fabric");
    library->completions = NULL;
    library->addresses = NULL;
    library->domain = NULL;
    library->fabric = NULL;
    library->descriptor = -1;
    if (library->info)
        fi_freeinfo(library->info);
    library->info = NULL;
}

void ofi_close(cor_fabric_library *library)
{
    ofi_close_provider(library);
    ofi_memory_close(library);
    free(library);
}

static int ofi_open_queue(cor_fabric_library *library)
{
    struct fi_cq_attr attributes = {.format = FI_CQ_FORMAT_MSG, .wait_obj = FI_WAIT_FD};
    if (!library->options.sleeps || fi_cq_open(library->domain, &attributes, &library->completions, NULL) != 0) {
        attributes.wait_obj = FI_WAIT_NONE;
        return fi_cq_open(library->domain, &attributes, &library->completions, NULL);
    }
    if (fi_control(&library->completions->fid, FI_GETWAIT, &library->descriptor) != 0)
        library->descriptor = -1;
    return 0;
}

static int ofi_open_endpoint(cor_fabric_library *library, const char **what_p)
{
    struct fi_info *info = library->info;
    struct fi_av_attr addresses = {.type = FI_AV_TABLE, .count = (size_t)library->options.size};
    *what_p = "fi_fabric";
    int error = fi_fabric(info->fabric_attr, &library->fabric, NULL);
    *what_p = error ? *what_p : "fi_domain";
    error = error ? error : fi_domain(library->fabric, info, &library->domain, NULL);
    *what_p = error ? *what_p : "fi_av_open";
    error = error ? error : fi_av_open(library->domain, &addresses, &library->addresses, NULL);
    *what_p = error ? *what_p : "fi_cq_open";
    error = error ? error : ofi_open_queue(library);
    *what_p = error ? *what_p : "fi_endpoint";
    error = error ? error : fi_endpoint(library->domain, info, &library->endpoint, NULL);
    *what_p = error ? *what_p : "fi_ep_bind";
    error = error ? error : fi_ep_bind(library->endpoint, &library->addresses->fid, 0);
    error = error ? error
                  : fi_ep_bind(library->endpoint, &library->completions->fid, FI_TRANSMIT | FI_SELECTIVE_COMPLETION);
    error = error ? error : fi_ep_bind(library->endpoint, &library->completions->fid, FI_RECV);
    *what_p = error ? *what_p : "fi_enable";
    error = error ? error : fi_enable(library->endpoint);
    *what_p = error ? *what_p : "fi_getname";
    library->name_bytes = sizeof library->name;
    return error ? error : fi_getname(&library->endpoint->fid, library->name, &library->name_bytes);
}

static void ofi_learn_limits(cor_fabric_library *library)
{
    const struct fi_info *info = library->info;
    size_t wanted = library->options.eager_max_bytes;
    size_t most = info->ep_attr->max_msg_size;
    wanted = wanted > OFI_LEAST_BUFFER ? wanted : OFI_LEAST_BUFFER;
    wanted = (wanted + OFI_ALIGN_BYTES - 1) / OFI_ALIGN_BYTES * OFI_ALIGN_BYTES;
    library->buffer_bytes = wanted < most ? wanted : most / OFI_ALIGN_BYTES * OFI_ALIGN_BYTES;
    library->wants_registered = (info->domain_attr->mr_mode & FI_MR_LOCAL) != 0;
    library->iov_limit = library->wants_registered ? 1 : info->tx_attr->iov_limit;
    library->inject_bytes = info->tx_attr->inject_size;
    library->atomics = ofi_find_atomics(library);
}

/* 0, or why not: a sentence. */
static int ofi_open_provider(cor_fabric_library *library, const struct fi_info *plain, char *why, size_t why_bytes)
{
    const char *what = "fi_getinfo";
    library->info = ofi_enrich(plain);
    int error = library->info ? ofi_open_endpoint(library, &what) : -FI_ENODATA;
    if (error == 0) {
        ofi_learn_limits(library);
        return 0;
    }
    snprintf(why, why_bytes, "%s of provider %s: %s", what, plain->fabric_attr->prov_name, fi_strerror(-error));
    ofi_close_provider(library);
    return error;
}

/* The first provider that can be used. What is told is why the first one cannot. */
static int ofi_choose(cor_fabric_library *library, char *why, size_t why_bytes)
{
    const cor_fabric_options *options = &library->options;
    char unused[1];
    struct fi_info *list = ofi_ask(ofi_hints(options->transports, options->interface, OFI_NEEDS), options->interface);
    if (!list) {
        ofi_tell_lack(options, why, why_bytes);
        return -1;
    }
    const struct fi_info *at = ofi_first(options->interface, list);
    int error = ofi_open_provider(library, at, why, why_bytes);
    while (error) {
        struct fi_info *next = at->next;
        while (next && strcmp(next->fabric_attr->prov_name, at->fabric_attr->prov_name) == 0)
            next = next->next;
        at = ofi_first(options->interface, next);
        if (!at)
            break;
        error = ofi_open_provider(library, at, unused, sizeof unused);
    }
    fi_freeinfo(list);
    return error;
}

int ofi_open(const cor_fabric_options *options, cor_fabric_library **library_p, char *why, size_t why_bytes)
{
    cor_fabric_library *library = calloc(1, sizeof *library + (size_t)options->size * sizeof library->peers[0]);
    if (!library) {
        snprintf(why, why_bytes, "no memory");
        return -1;
    }
    library->options = *options;
    library->descriptor = -1;
    cor_list_init(&library->unposted);
    cor_list_init(&library->waiting);
    cor_list_init(&library->copies);
    if (ofi_choose(library, why, why_bytes) != 0) {
        ofi_close(library);
        return -1;
    }
    *library_p = library;
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Which provider, and what is opened of it. */
#include "xxdev/tagged/ofi_state.h"

#include <rdma/fi_cm.h>
#include <rdma/fi_errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a provider must have ---------------------------------------------------------------------------------- */

/* One after another, so that the first that is lacking can be named. */
typedef enum ofi_need {
    OFI_BE_THERE,
    OFI_BE_TAGGED,
    OFI_BE_IN_ORDER,
    OFI_HAVE_DATA,
    OFI_HAVE_TAGS,
    OFI_BE_PLAIN,
    OFI_NEEDS
} ofi_need;

/* FI_MR_BASIC and FI_MR_SCALABLE, whose names libfabric 2 deprecates. */
enum { OFI_MR_OLD = 1 << 0 | 1 << 1 };

static struct fi_info *ofi_hints(const cor_tagged_options *options, ofi_need last)
{
    struct fi_info *hints = fi_allocinfo();
    if (!hints)
        return NULL;
    if (options->transports[0])
        hints->fabric_attr->prov_name = strdup(options->transports);
    if (options->interface[0])
        hints->domain_attr->name = strdup(options->interface);
    hints->mode = last >= OFI_BE_PLAIN ? FI_CONTEXT | FI_CONTEXT2 : ~UINT64_C(0);
    hints->domain_attr->mr_mode = last >= OFI_BE_PLAIN ? 0 : ~OFI_MR_OLD;
    if (last < OFI_BE_TAGGED)
        return hints;
    hints->caps = FI_TAGGED | FI_SEND | FI_RECV;
    hints->ep_attr->type = FI_EP_RDM;
    hints->domain_attr->threading = FI_THREAD_DOMAIN;
    hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
    hints->domain_attr->av_type = FI_AV_TABLE;
    if (last < OFI_BE_IN_ORDER)
        return hints;
    hints->tx_attr->msg_order = FI_ORDER_SAS;
    hints->rx_attr->msg_order = FI_ORDER_SAS;
    if (last >= OFI_HAVE_DATA)
        hints->domain_attr->cq_data_size = sizeof(uint64_t);
    return hints;
}

/* The format of tags begins with a 1 at the first bit that can be used. */
static int ofi_tag_bits(const struct fi_info *info)
{
    int bits = 0;
    for (uint64_t format = info->ep_attr->mem_tag_format; format; format >>= 1)
        bits++;
    return bits;
}

/* The first from here on that will do. Not all layers of libfabric heed the domain's name. */
static struct fi_info *ofi_first(const cor_tagged_options *options, ofi_need last, struct fi_info *info)
{
    while (info && ((options->interface[0] && strcmp(info->domain_attr->name, options->interface) != 0) ||
                    (last >= OFI_HAVE_TAGS && ofi_tag_bits(info) < options->tag_bits)))
        info = info->next;
    return info;
}

/* What libfabric lists, best first. NULL: nothing of it will do. */
static struct fi_info *ofi_ask(const cor_tagged_options *options, ofi_need last)
{
    struct fi_info *hints = ofi_hints(options, last), *list = NULL;
    if (!hints || fi_getinfo(FI_VERSION(1, 9), NULL, NULL, 0, hints, &list) != 0)
        list = NULL;
    if (hints)
        fi_freeinfo(hints);
    if (list && !ofi_first(options, last, list)) {
        fi_freeinfo(list);
        list = NULL;
    }
    return list;
}

static void ofi_tell_lack(const cor_tagged_options *options, char *why, size_t why_bytes)
{
    static const char *const sentences[OFI_NEEDS] = {
        "there is no such provider or domain, see fi_info -l and fi_info",
        "it has no reliable tagged messages (FI_EP_RDM with FI_TAGGED); put ;ofi_rxm behind its name, or see fi_info "
        "-t "
        "FI_EP_RDM",
        "it does not keep messages in order (FI_ORDER_SAS)",
        "it has less than 8 bytes of remote completion data",
        "its tags have too few bits",
        "it wants memory to be registered (FI_MR_LOCAL) or has another mode that Corunna does not know, see fi_info "
        "-v",
    };
    const char *provider = options->transports[0] ? options->transports : getenv("FI_PROVIDER");
    ofi_need need = OFI_BE_THERE;
    int bits = 0;
    for (struct fi_info *list; need < OFI_BE_PLAIN && (list = ofi_ask(options, need)) != NULL; need++) {
        bits = ofi_tag_bits(ofi_first(options, need, list));
        fi_freeinfo(list);
    }
    int length = snprintf(why, why_bytes, "provider %s%s%s: %s", provider ? provider : "of any name",
                          options->interface[0] ? " on " : "", options->interface, sentences[need]);
    if (need == OFI_HAVE_TAGS && length > 0 && (size_t)length < why_bytes)
        snprintf(why + length, why_bytes - (size_t)length, ": %d, Corunna needs %d", bits, options->tag_bits);
}

/* ---- open and close --------------------------------------------------------------------------------------------- */

static void ofi_close_one(struct fid *fid)
{
    if (fid)
        fi_close(fid);
}

static void ofi_close_provider(cor_tagged_library *library)
{
    ofi_close_one(library->endpoint ? &library->endpoint->fid : NULL);
    ofi_close_one(library->completions ? &library->completions->fid : NULL);
    ofi_close_one(library->addresses ? &library->addresses->fid : NULL);
    ofi_close_one(library->domain ? &library->domain->fid : NULL);
    ofi_close_one(library->fabric ? &library->fabric->fid : NULL);
    library->endpoint = NULL;
    library->completions = NULL;
    library->addresses = NULL;
    library->domain = NULL;
    library->fabric = NULL;
    library->descriptor = -1;
}

void ofi_close(cor_tagged_library *library)
{
    ofi_close_provider(library);
    if (library->list)
        fi_freeinfo(library->list);
    free(library->spill);
    free(library->long_slabs);
    while (library->slabs) {
        void *slab = library->slabs;
        library->slabs = *(void **)slab;
        free(slab);
    }
    free(library);
}

static int ofi_open_queue(cor_tagged_library *library)
{
    struct fi_cq_attr attributes = {.format = FI_CQ_FORMAT_TAGGED, .wait_obj = FI_WAIT_FD};
    if (!library->options.sleeps || fi_cq_open(library->domain, &attributes, &library->completions, NULL) != 0) {
        attributes.wait_obj = FI_WAIT_NONE;
        return fi_cq_open(library->domain, &attributes, &library->completions, NULL);
    }
    if (fi_control(&library->completions->fid, FI_GETWAIT, &library->descriptor) != 0)
        library->descriptor = -1;
    return 0;
}

static int ofi_open_endpoint(cor_tagged_library *library, const char **what_p)
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
    error = error ? error : fi_ep_bind(library->endpoint, &library->completions->fid, FI_TRANSMIT | FI_RECV);
    *what_p = error ? *what_p : "fi_enable";
    error = error ? error : fi_enable(library->endpoint);
    *what_p = error ? *what_p : "fi_getname";
    library->name_bytes = sizeof library->name;
    return error ? error : fi_getname(&library->endpoint->fid, library->name, &library->name_bytes);
}

/* Some providers cannot look for a message without receiving it, and do not say so. No message has this tag. */
static int ofi_check_peek(cor_tagged_library *library, const char **what_p)
{
    enum { POLLS = 100000 };
    int error;
    ofi_request *r = ofi_peek(library, ofi_tag_ones(library), ~UINT64_C(0), 0, POLLS, &error);
    *what_p = "probes (FI_PEEK)";
    if (!r)
        return error;
    error = r->is_found || r->result.error == -FI_ENOMSG ? 0 : r->result.error;
    ofi_give_back(library, r);
    return error;
}

/* 0, or why not: a sentence. */
static int ofi_open_provider(cor_tagged_library *library, char *why, size_t why_bytes)
{
    const char *what;
    library->posted_max = library->info->rx_attr->size - library->info->rx_attr->size / 4;
    int error = ofi_open_endpoint(library, &what);
    if (error == 0)
        error = ofi_check_peek(library, &what);
    if (error == 0)
        return 0;
    snprintf(why, why_bytes, "%s of provider %s: %s", what, library->info->fabric_attr->prov_name,
             fi_strerror(-error));
    ofi_close_provider(library);
    return error;
}

/* The first provider that can be used. What is told is why the first one cannot. */
static int ofi_choose(cor_tagged_library *library, char *why, size_t why_bytes)
{
    const cor_tagged_options *options = &library->options;
    char unused[1];
    library->list = ofi_ask(options, OFI_NEEDS);
    if (!library->list) {
        ofi_tell_lack(options, why, why_bytes);
        return -1;
    }
    library->info = ofi_first(options, OFI_NEEDS, library->list);
    int error = ofi_open_provider(library, why, why_bytes);
    while (error) {
        struct fi_info *next = library->info;
        while (next && strcmp(next->fabric_attr->prov_name, library->info->fabric_attr->prov_name) == 0)
            next = ofi_first(options, OFI_NEEDS, next->next);
        if (!next)
            return -1;
        library->info = next;
        error = ofi_open_provider(library, unused, sizeof unused);
    }
    return 0;
}

int ofi_open(const cor_tagged_options *options, cor_tagged_library **library_p, char *why, size_t why_bytes)
{
    cor_tagged_library *library = calloc(1, sizeof *library + (size_t)options->size * sizeof library->peers[0]);
    char *spill = malloc(options->eager_max_bytes + 1);
    if (!library || !spill) {
        free(library);
        free(spill);
        snprintf(why, why_bytes, "no memory");
        return -1;
    }
    cor_list_init(&library->blocked);
    library->options = *options;
    library->descriptor = -1;
    library->spill = spill;
    library->spill_bytes = options->eager_max_bytes;
    if (ofi_choose(library, why, why_bytes) != 0) {
        ofi_close(library);
        return -1;
    }
    *library_p = library;
    return 0;
}

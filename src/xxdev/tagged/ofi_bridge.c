/*
 * The bridge to libfabric: tagged messages of a reliable datagram endpoint (FI_EP_RDM).
 *
 * Everything ends in one completion queue. What a provider cannot take now (FI_EAGAIN) waits in a queue and is tried
 * again with progress, in order. What is read and written in pieces goes through a buffer.
 *
 * A synchronous send is ours, since few providers tell when a message was matched: the message carries a number as remote
 * completion data, and the receiver answers with an empty message whose tag holds that number.
 */
#include "xxdev/tagged/tagged_bridge.h"

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

enum { OFI_BATCH = 16, OFI_ANSWER_NUMBER_BYTES = 4 };

/* The highest bits of an answer's tag; no context of the device has them. */
#define OFI_ANSWER (UINT64_C(0xffff) << 48)

typedef enum ofi_kind { OFI_SEND, OFI_RECEIVE, OFI_PEEK, OFI_CLAIM, OFI_AWAIT_ANSWER, OFI_ANSWER_SEND } ofi_kind;

/* What the library was asked for, or will be. */
typedef struct ofi_request {
    struct fi_context2 context; /* the provider's */
    ofi_kind kind;
    cor_tagged_transfer *transfer;
    int peer;
    uint64_t tag, mask;
    void *memory;
    size_t bytes;
    void *bounce; /* NULL: straight from or to memory */
    int is_sync;
    uint32_t number;          /* of a synchronous send */
    int waits;                /* of a send: for so many completions */
    struct ofi_request *next; /* in the queue of what waits for the provider */
    int is_queued;
    int is_taking; /* of a peek: the message is claimed */
    int is_found;  /* of a peek: 1, 0, or -1: not known yet */
    cor_tagged_result result;
} ofi_request;

struct cor_tagged_library {
    cor_tagged_options options;
    struct fi_info *info;
    struct fid_fabric *fabric;
    struct fid_domain *domain;
    struct fid_av *addresses;
    struct fid_cq *completions;
    struct fid_ep *endpoint;
    char name[512]; /* this rank's address */
    size_t name_bytes;
    ofi_request *first, *last; /* the queue */
    uint32_t numbers;
    int descriptor;
    fi_addr_t peers[];
};

static void ofi_version(char *out, size_t out_bytes)
{
    snprintf(out, out_bytes, "%u.%u", FI_MAJOR(fi_version()), FI_MINOR(fi_version()));
}

static void ofi_explain(int error, char *out, size_t out_bytes)
{
    snprintf(out, out_bytes, "%s", fi_strerror(-error));
}

/* ---- open and close --------------------------------------------------------------------------------------------- */

static int ofi_fail(const char *what, int error, char *why, size_t why_bytes)
{
    snprintf(why, why_bytes, "%s: %s", what, fi_strerror(-error));
    return -1;
}

static void ofi_close_one(struct fid *fid)
{
    if (fid)
        fi_close(fid);
}

static void ofi_close(cor_tagged_library *library)
{
    ofi_close_one(library->endpoint ? &library->endpoint->fid : NULL);
    ofi_close_one(library->completions ? &library->completions->fid : NULL);
    ofi_close_one(library->addresses ? &library->addresses->fid : NULL);
    ofi_close_one(library->domain ? &library->domain->fid : NULL);
    ofi_close_one(library->fabric ? &library->fabric->fid : NULL);
    if (library->info)
        fi_freeinfo(library->info);
    free(library);
}

/* What a provider must have; of those that do, libfabric tells the best first. */
static int ofi_find(cor_tagged_library *library, char *why, size_t why_bytes)
{
    const cor_tagged_options *options = &library->options;
    struct fi_info *hints = fi_allocinfo();
    if (!hints)
        return ofi_fail("fi_allocinfo", -FI_ENOMEM, why, why_bytes);
    hints->caps = FI_TAGGED | FI_SEND | FI_RECV;
    hints->mode = FI_CONTEXT | FI_CONTEXT2;
    hints->ep_attr->type = FI_EP_RDM;
    hints->domain_attr->threading = FI_THREAD_DOMAIN;
    hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
    hints->domain_attr->av_type = FI_AV_TABLE;
    hints->domain_attr->cq_data_size = OFI_ANSWER_NUMBER_BYTES;
    hints->tx_attr->msg_order = FI_ORDER_SAS;
    hints->rx_attr->msg_order = FI_ORDER_SAS;
    if (options->transports[0])
        hints->fabric_attr->prov_name = strdup(options->transports);
    if (options->interface[0])
        hints->domain_attr->name = strdup(options->interface);
    int error = fi_getinfo(FI_VERSION(1, 9), NULL, NULL, 0, hints, &library->info);
    fi_freeinfo(hints);
    if (error == 0)
        return 0;
    snprintf(why, why_bytes,
             "no provider%s%s%s%s has reliable tagged messages in order and remote completion data (fi_getinfo: %s)",
             options->transports[0] ? " " : "", options->transports, options->interface[0] ? " on " : "",
             options->interface, fi_strerror(-error));
    return -1;
}

static int ofi_open_endpoint(cor_tagged_library *library, const char **what_p)
{
    struct fi_info *info = library->info;
    struct fi_cq_attr completions = {.format = FI_CQ_FORMAT_TAGGED, .wait_obj = FI_WAIT_FD};
    struct fi_av_attr addresses = {.type = FI_AV_TABLE, .count = (size_t)library->options.size};
    *what_p = "fi_fabric";
    int error = fi_fabric(info->fabric_attr, &library->fabric, NULL);
    *what_p = error ? *what_p : "fi_domain";
    error = error ? error : fi_domain(library->fabric, info, &library->domain, NULL);
    *what_p = error ? *what_p : "fi_av_open";
    error = error ? error : fi_av_open(library->domain, &addresses, &library->addresses, NULL);
    if (error)
        return error;
    *what_p = "fi_cq_open";
    error = fi_cq_open(library->domain, &completions, &library->completions, NULL);
    if (error) { /* nothing to sleep on */
        completions.wait_obj = FI_WAIT_NONE;
        error = fi_cq_open(library->domain, &completions, &library->completions, NULL);
    } else if (fi_control(&library->completions->fid, FI_GETWAIT, &library->descriptor) != 0) {
        library->descriptor = -1;
    }
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

static int ofi_open(const cor_tagged_options *options, cor_tagged_library **library_p, char *why, size_t why_bytes)
{
    cor_tagged_library *library = calloc(1, sizeof *library + (size_t)options->size * sizeof library->peers[0]);
    const char *what;
    if (!library)
        return ofi_fail("open", -FI_ENOMEM, why, why_bytes);
    library->options = *options;
    library->descriptor = -1;
    if (ofi_find(library, why, why_bytes) != 0) {
        ofi_close(library);
        return -1;
    }
    int error = ofi_open_endpoint(library, &what);
    if (error) {
        snprintf(why, why_bytes, "%s of provider %s: %s", what, library->info->fabric_attr->prov_name,
                 fi_strerror(-error));
        ofi_close(library);
        return -1;
    }
    *library_p = library;
    return 0;
}

static const void *ofi_address(cor_tagged_library *library, size_t *bytes_p)
{
    *bytes_p = library->name_bytes;
    return library->name;
}

static int ofi_connect(cor_tagged_library *library, int peer, const void *address, size_t bytes)
{
    char name[sizeof library->name] = {0};
    if (bytes > sizeof name)
        return -FI_EINVAL;
    memcpy(name, address, bytes);
    int count = fi_av_insert(library->addresses, name, 1, &library->peers[peer], 0, NULL);
    return count == 1 ? 0 : count < 0 ? count : -FI_EADDRNOTAVAIL;
}

static void ofi_describe(cor_tagged_library *library, int peer, char *out, size_t out_bytes)
{
    (void)peer;
    snprintf(out, out_bytes, "provider %s on %s", library->info->fabric_attr->prov_name,
             library->info->domain_attr->name);
}

/* ---- what the provider is asked for ----------------------------------------------------------------------------- */

static ssize_t ofi_start(cor_tagged_library *library, ofi_request *r)
{
    struct fid_ep *endpoint = library->endpoint;
    struct iovec place = {r->memory, r->bytes};
    struct fi_msg_tagged message = {.msg_iov = &place,
                                    .iov_count = r->bytes ? 1 : 0,
                                    .addr = FI_ADDR_UNSPEC,
                                    .tag = r->tag,
                                    .ignore = ~r->mask,
                                    .context = &r->context};
    switch (r->kind) {
    case OFI_SEND:
        return r->is_sync
                   ? fi_tsenddata(endpoint, r->memory, r->bytes, NULL, r->number, library->peers[r->peer], r->tag,
                                  &r->context)
                   : fi_tsend(endpoint, r->memory, r->bytes, NULL, library->peers[r->peer], r->tag, &r->context);
    case OFI_RECEIVE:
    case OFI_AWAIT_ANSWER:
        return fi_trecv(endpoint, r->memory, r->bytes, NULL, FI_ADDR_UNSPEC, r->tag, ~r->mask, &r->context);
    case OFI_PEEK:
        return fi_trecvmsg(endpoint, &message, r->is_taking ? FI_PEEK | FI_CLAIM : FI_PEEK);
    case OFI_CLAIM:
        return fi_trecvmsg(endpoint, &message, FI_CLAIM);
    case OFI_ANSWER_SEND:
        return fi_tsend(endpoint, NULL, 0, NULL, library->peers[r->peer], r->tag, &r->context);
    }
    return -FI_EINVAL;
}

static void ofi_queue(cor_tagged_library *library, ofi_request *r)
{
    r->next = NULL;
    r->is_queued = 1;
    if (library->first)
        library->last->next = r;
    else
        library->first = r;
    library->last = r;
}

/* 0: started or queued. */
static int ofi_begin(cor_tagged_library *library, ofi_request *r)
{
    ssize_t rc = library->first ? -FI_EAGAIN : ofi_start(library, r);
    if (rc == -FI_EAGAIN)
        ofi_queue(library, r);
    return rc == -FI_EAGAIN ? 0 : (int)rc;
}

static ofi_request *ofi_make(ofi_kind kind)
{
    ofi_request *r = calloc(1, sizeof *r);
    if (r)
        r->kind = kind;
    return r;
}

static void ofi_free(ofi_request *r)
{
    free(r->bounce);
    free(r);
}

/* ---- completions ------------------------------------------------------------------------------------------------ */

static void ofi_end(cor_tagged_library *library, ofi_request *r)
{
    cor_tagged_transfer *transfer = r->transfer;
    cor_tagged_result result = r->result;
    if (r->bounce && r->kind != OFI_SEND && result.end == COR_TAGGED_OK)
        library->options.write(transfer, 0, r->bounce, result.bytes);
    ofi_free(r);
    library->options.done(transfer, &result);
}

static uint64_t ofi_answer_tag(const cor_tagged_library *library, int from, uint32_t number)
{
    return OFI_ANSWER | (uint64_t)(uint32_t)from << library->options.tag_peer_shift | number;
}

/* The sender of this message waits to hear that it was matched. */
static void ofi_answer(cor_tagged_library *library, uint64_t tag, uint32_t number)
{
    const cor_tagged_options *options = &library->options;
    uint64_t peers = (UINT64_C(1) << options->tag_peer_bits) - 1;
    ofi_request *r = ofi_make(OFI_ANSWER_SEND);
    int peer = (int)(tag >> options->tag_peer_shift & peers);
    if (!r || peer >= options->size) {
        free(r);
        return;
    }
    r->peer = peer;
    r->tag = ofi_answer_tag(library, options->rank, number);
    if (ofi_begin(library, r) != 0)
        ofi_free(r);
}

/* A request is over; r->result tells how. */
static void ofi_completed(cor_tagged_library *library, ofi_request *r, uint64_t flags, uint64_t data)
{
    switch (r->kind) {
    case OFI_RECEIVE:
    case OFI_CLAIM:
        if (flags & FI_REMOTE_CQ_DATA)
            ofi_answer(library, r->result.tag, (uint32_t)data);
        ofi_end(library, r);
        break;
    case OFI_SEND:
        if (--r->waits == 0 || r->result.end != COR_TAGGED_OK)
            ofi_end(library, r);
        break;
    case OFI_AWAIT_ANSWER: {
        ofi_request *send = r->memory;
        ofi_free(r);
        if (--send->waits == 0)
            ofi_end(library, send);
        break;
    }
    case OFI_PEEK:
        r->is_found = r->result.end == COR_TAGGED_OK;
        break;
    case OFI_ANSWER_SEND:
        ofi_free(r);
        break;
    }
}

static void ofi_take_error(cor_tagged_library *library)
{
    struct fi_cq_err_entry entry = {0};
    if (fi_cq_readerr(library->completions, &entry, 0) != 1 || !entry.op_context)
        return;
    ofi_request *r = entry.op_context;
    r->result = (cor_tagged_result){.tag = entry.tag, .bytes = entry.len + entry.olen, .error = -entry.err};
    r->result.end = entry.err == FI_ETRUNC      ? COR_TAGGED_TRUNCATED
                    : entry.err == FI_ECANCELED ? COR_TAGGED_CANCELLED
                                                : COR_TAGGED_FAILED;
    ofi_completed(library, r, entry.flags, entry.data);
}

static int ofi_progress(cor_tagged_library *library)
{
    struct fi_cq_tagged_entry entries[OFI_BATCH];
    ssize_t count = fi_cq_read(library->completions, entries, OFI_BATCH);
    for (ssize_t i = 0; i < count; i++) {
        ofi_request *r = entries[i].op_context;
        r->result = (cor_tagged_result){.tag = entries[i].tag, .bytes = entries[i].len};
        ofi_completed(library, r, entries[i].flags, entries[i].data);
    }
    if (count == -FI_EAVAIL)
        ofi_take_error(library);
    int started = 0;
    while (library->first) {
        ofi_request *r = library->first;
        ssize_t rc = ofi_start(library, r);
        if (rc == -FI_EAGAIN)
            break;
        library->first = r->next;
        r->is_queued = 0;
        started++;
        if (rc != 0) {
            r->result = (cor_tagged_result){.end = COR_TAGGED_FAILED, .error = (int)rc};
            ofi_completed(library, r, 0, 0);
        }
    }
    return (count > 0 ? (int)count : count == -FI_EAVAIL) + started;
}

/* ---- messages --------------------------------------------------------------------------------------------------- */

/* Memory for the data: their own, or a buffer. 0: none. */
static int ofi_place(ofi_request *r, const cor_tagged_data *data)
{
    r->memory = data->memory;
    r->bytes = data->bytes;
    if (!data->is_in_pieces || data->bytes == 0)
        return 1;
    r->memory = r->bounce = malloc(data->bytes);
    return r->bounce != NULL;
}

static ofi_request *ofi_make_transfer(cor_tagged_library *library, ofi_kind kind, const cor_tagged_data *data,
                                      cor_tagged_transfer *transfer)
{
    ofi_request *r = ofi_make(kind);
    if (r && !ofi_place(r, data)) {
        ofi_free(r);
        return NULL;
    }
    if (r) {
        r->transfer = transfer;
        *transfer = (cor_tagged_transfer){.library = library, .request = r, .bytes = data->bytes};
    }
    return r;
}

static int ofi_started(cor_tagged_library *library, ofi_request *r)
{
    int error = ofi_begin(library, r);
    if (error)
        ofi_free(r);
    return error ? error : COR_TAGGED_STARTED;
}

/* The answer is awaited before the message leaves. */
static int ofi_await_answer(cor_tagged_library *library, ofi_request *send)
{
    ofi_request *r = ofi_make(OFI_AWAIT_ANSWER);
    if (!r)
        return -FI_ENOMEM;
    send->number = ++library->numbers;
    send->waits = 2;
    r->tag = ofi_answer_tag(library, send->peer, send->number);
    r->mask = ~UINT64_C(0);
    int error = ofi_begin(library, r);
    r->memory = send; /* it receives nothing, so this is free for us */
    if (error)
        ofi_free(r);
    return error;
}

static int ofi_send(cor_tagged_library *library, int peer, uint64_t tag, cor_tagged_data data, int is_sync,
                    cor_tagged_transfer *transfer)
{
    if (!is_sync && !data.is_in_pieces && data.bytes <= library->info->tx_attr->inject_size && !library->first) {
        ssize_t rc = fi_tinject(library->endpoint, data.memory, data.bytes, library->peers[peer], tag);
        if (rc != -FI_EAGAIN)
            return rc == 0 ? COR_TAGGED_DONE : (int)rc;
    }
    ofi_request *r = ofi_make_transfer(library, OFI_SEND, &data, transfer);
    if (!r)
        return -FI_ENOMEM;
    r->peer = peer;
    r->tag = tag;
    r->is_sync = is_sync;
    r->waits = 1;
    if (r->bounce)
        library->options.read(transfer, 0, r->bounce, r->bytes);
    int error = is_sync ? ofi_await_answer(library, r) : 0;
    if (error) {
        ofi_free(r);
        return error;
    }
    return ofi_started(library, r);
}

static int ofi_receive(cor_tagged_library *library, uint64_t tag, uint64_t mask, cor_tagged_data data,
                       cor_tagged_transfer *transfer, cor_tagged_result *result_p)
{
    ofi_request *r = ofi_make_transfer(library, OFI_RECEIVE, &data, transfer);
    (void)result_p;
    if (!r)
        return -FI_ENOMEM;
    r->tag = tag;
    r->mask = mask;
    return ofi_started(library, r);
}

/* A provider answers a peek through the completion queue, at once but for what stands before it there. */
static int ofi_probe(cor_tagged_library *library, uint64_t tag, uint64_t mask, cor_tagged_result *found_p,
                     void **message_p)
{
    ofi_request *r = ofi_make(OFI_PEEK);
    if (!r)
        return 0;
    r->tag = tag;
    r->mask = mask;
    r->is_taking = message_p != NULL;
    r->is_found = ofi_begin(library, r) == 0 ? -1 : 0;
    while (r->is_found < 0)
        ofi_progress(library);
    int is_found = r->is_found;
    *found_p = r->result;
    if (is_found && message_p)
        *message_p = r;
    else
        ofi_free(r);
    return is_found;
}

static int ofi_receive_message(cor_tagged_library *library, void *message, cor_tagged_data data,
                               cor_tagged_transfer *transfer, cor_tagged_result *result_p)
{
    ofi_request *r = message; /* the provider knows the message by its context */
    (void)result_p;
    r->kind = OFI_CLAIM;
    r->transfer = transfer;
    r->tag = r->result.tag;
    *transfer = (cor_tagged_transfer){.library = library, .request = r, .bytes = data.bytes};
    if (!ofi_place(r, &data)) {
        ofi_free(r);
        return -FI_ENOMEM;
    }
    return ofi_started(library, r);
}

static void ofi_cancel(cor_tagged_library *library, cor_tagged_transfer *transfer)
{
    ofi_request *r = transfer->request;
    if (!r->is_queued) {
        fi_cancel(&library->endpoint->fid, &r->context);
        return;
    }
    ofi_request **at = &library->first;
    library->last = NULL;
    while (*at) {
        if (*at == r) {
            *at = r->next;
        } else {
            library->last = *at;
            at = &(*at)->next;
        }
    }
    r->result = (cor_tagged_result){.end = COR_TAGGED_CANCELLED};
    ofi_end(library, r);
}

/* ---- waiting ---------------------------------------------------------------------------------------------------- */

static int ofi_descriptor(cor_tagged_library *library)
{
    return library->descriptor;
}

static int ofi_arm(cor_tagged_library *library)
{
    struct fid *fids[] = {&library->completions->fid};
    return !library->first && fi_trywait(library->fabric, fids, 1) == FI_SUCCESS;
}

const cor_tagged_ops cor_tagged_table = {
    .version = COR_TAGGED_VERSION,
    .name = "libfabric",
    .open = ofi_open,
    .close = ofi_close,
    .library_version = ofi_version,
    .describe = ofi_describe,
    .explain = ofi_explain,
    .address = ofi_address,
    .connect = ofi_connect,
    .send = ofi_send,
    .receive = ofi_receive,
    .probe = ofi_probe,
    .receive_message = ofi_receive_message,
    .cancel = ofi_cancel,
    .progress = ofi_progress,
    .descriptor = ofi_descriptor,
    .arm = ofi_arm,
};

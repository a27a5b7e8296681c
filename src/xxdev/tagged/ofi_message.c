/* SPDX-License-Identifier: Apache-2.0 */
/* Messages, short ones themselves; probes. */
#include "xxdev/tagged/ofi_state.h"

#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>
#include <stdlib.h>

void ofi_message_completed(cor_tagged_library *library, ofi_request *r)
{
    cor_tagged_transfer *transfer = r->transfer;
    cor_tagged_result result = r->result;
    int is_fine = result.end == COR_TAGGED_OK;
    if (r->kind != OFI_SEND && is_fine && r->data & OFI_ANNOUNCED) {
        ofi_announced(library, r);
        ofi_give_back(library, r);
        return;
    }
    if (r->kind != OFI_SEND && is_fine && result.bytes > r->whole.bytes)
        result.end = COR_TAGGED_TRUNCATED;
    else if (r->kind != OFI_SEND && is_fine && r->bounce)
        library->options.write(transfer, 0, r->bounce, result.bytes);
    ofi_give_back(library, r);
    library->options.done(transfer, &result);
}

/* ---- sends ------------------------------------------------------------------------------------------------------ */

/* The provider has copied it: 0; -FI_EAGAIN: it cannot now. */
static ssize_t ofi_inject(cor_tagged_library *library, int peer, uint64_t tag, const cor_tagged_data *data,
                          cor_tagged_transfer *transfer)
{
    char small[OFI_SMALL_BYTES];
    const void *memory = data->memory;
    if (data->bytes > library->info->tx_attr->inject_size || library->peers[peer].out.first ||
        (data->is_in_pieces && data->bytes > sizeof small) || library->injected >= OFI_INJECT_MAX)
        return -FI_EAGAIN;
    library->injected++;
    if (data->is_in_pieces) {
        library->options.read(transfer, 0, small, data->bytes);
        memory = small;
    }
    return fi_tinjectdata(library->endpoint, memory, data->bytes, 0, library->peers[peer].address, tag);
}

static int ofi_started(cor_tagged_library *library, ofi_request *r)
{
    int error = ofi_begin(library, r);
    if (error)
        ofi_give_back(library, r);
    return error ? error : COR_TAGGED_STARTED;
}

/* Memory for a short message: its own, or a buffer. 0: none. */
static int ofi_place(ofi_request *r, const cor_tagged_data *data, size_t most)
{
    r->memory = data->memory;
    r->bytes = data->bytes;
    if (!data->is_in_pieces)
        return 1;
    r->bytes = data->bytes < most ? data->bytes : most;
    r->memory = r->bounce = r->bytes > 0 ? malloc(r->bytes) : NULL;
    return r->bytes == 0 || r->bounce;
}

static ofi_request *ofi_make(cor_tagged_library *library, ofi_kind kind, const cor_tagged_data *data,
                             cor_tagged_transfer *transfer)
{
    ofi_request *r = ofi_take(library, kind);
    if (r && !ofi_place(r, data, library->options.eager_max_bytes)) {
        ofi_give_back(library, r);
        return NULL;
    }
    if (r) {
        r->transfer = transfer;
        r->whole = *data;
        *transfer = (cor_tagged_transfer){.library = library, .request = r, .bytes = data->bytes};
    }
    return r;
}

/* Budget of a short one: the provider's inject. */
int ofi_send(cor_tagged_library *library, int peer, uint64_t tag, cor_tagged_data data, int is_sync,
             cor_tagged_transfer *transfer)
{
    if (is_sync || data.bytes > library->options.eager_max_bytes)
        return ofi_announce(library, peer, tag, data, transfer);
    ssize_t rc = ofi_inject(library, peer, tag, &data, transfer);
    if (rc != -FI_EAGAIN)
        return rc == 0 ? COR_TAGGED_DONE : (int)rc;
    library->injected = 0;
    ofi_request *r = ofi_make(library, OFI_SEND, &data, transfer);
    if (!r)
        return -FI_ENOMEM;
    r->peer = peer;
    r->tag = tag;
    if (r->bounce)
        library->options.read(transfer, 0, r->bounce, r->bytes);
    return ofi_started(library, r);
}

int ofi_forget(cor_tagged_library *library, cor_tagged_transfer *transfer)
{
    ofi_request *r = transfer->request;
    return r ? ofi_copy_queued(r) : ofi_long_forget(library, transfer);
}

/* ---- receives --------------------------------------------------------------------------------------------------- */

int ofi_receive(cor_tagged_library *library, uint64_t tag, uint64_t mask, cor_tagged_data data,
                cor_tagged_transfer *transfer, cor_tagged_result *result_p)
{
    ofi_request *r = ofi_make(library, OFI_RECEIVE, &data, transfer);
    (void)result_p;
    if (!r)
        return -FI_ENOMEM;
    r->tag = tag;
    r->mask = mask;
    return ofi_started(library, r);
}

ofi_request *ofi_peek(cor_tagged_library *library, uint64_t tag, uint64_t mask, int is_taking, long polls,
                      int *error_p)
{
    ofi_request *r = ofi_take(library, OFI_PEEK);
    *error_p = -FI_ENOMEM;
    if (!r)
        return NULL;
    r->tag = tag;
    r->mask = mask;
    r->is_taking = is_taking;
    r->is_found = -1;
    *error_p = ofi_begin(library, r);
    if (*error_p) {
        ofi_give_back(library, r);
        return NULL;
    }
    library->is_peeking = 1;
    for (; r->is_found < 0 && polls != 0; polls--)
        ofi_progress(library);
    library->is_peeking = 0;
    if (r->is_found < 0) {
        *error_p = -FI_ENOSYS;
        return NULL;
    }
    if (r->is_found && r->data & OFI_ANNOUNCED)
        r->result.bytes = r->data & OFI_LENGTH_MAX;
    return r;
}

/* Does a receive that waits for the provider match this tag? */
static int ofi_is_awaited(const cor_tagged_library *library, uint64_t tag)
{
    const ofi_request *r = library->in[OFI_IN].first;
    while (r && (tag & r->mask) != (r->tag & r->mask))
        r = r->next;
    return r != NULL;
}

int ofi_probe(cor_tagged_library *library, uint64_t tag, uint64_t mask, cor_tagged_result *found_p, void **message_p)
{
    int error, is_held = library->in[OFI_IN].first != NULL;
    ofi_request *r = ofi_peek(library, tag, mask, message_p && !is_held, -1, &error);
    if (r && r->is_found && is_held && ofi_is_awaited(library, r->result.tag)) {
        r->is_found = 0;
    } else if (r && r->is_found && is_held && message_p) {
        ofi_give_back(library, r);
        r = ofi_peek(library, tag, mask, 1, -1, &error);
    }
    if (!r)
        return 0;
    int is_found = r->is_found;
    *found_p = r->result;
    if (is_found && message_p)
        *message_p = r;
    else
        ofi_give_back(library, r);
    return is_found;
}

int ofi_receive_message(cor_tagged_library *library, void *message, cor_tagged_data data,
                        cor_tagged_transfer *transfer, cor_tagged_result *result_p)
{
    ofi_request *r = message; /* the provider knows the message by its context */
    (void)result_p;
    r->kind = OFI_CLAIM;
    r->transfer = transfer;
    r->whole = data;
    r->tag = r->result.tag;
    *transfer = (cor_tagged_transfer){.library = library, .request = r, .bytes = data.bytes};
    if (!(r->data & OFI_ANNOUNCED) && !ofi_place(r, &data, library->options.eager_max_bytes)) {
        ofi_give_back(library, r);
        return -FI_ENOMEM;
    }
    return ofi_started(library, r);
}

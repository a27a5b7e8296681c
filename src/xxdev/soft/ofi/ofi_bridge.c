/* SPDX-License-Identifier: Apache-2.0 */
/* The bridge to libfabric: its table, and what is short. ofi_state.h says how it works. */
#include "xxdev/soft/ofi/ofi_state.h"

#include <errno.h>
#include <rdma/fi_cm.h>
#include <stdio.h>
#include <string.h>

static void ofi_version(char *out, size_t out_bytes)
{
    snprintf(out, out_bytes, "%u.%u", FI_MAJOR(fi_version()), FI_MINOR(fi_version()));
}

static void ofi_explain(int error, char *out, size_t out_bytes)
{
    snprintf(out, out_bytes, "%s", fi_strerror(-error));
}

static int ofi_is_own(int error)
{
    return error == -FI_ENOMEM || error == -FI_EMFILE || error == -ENFILE || error == -ENOBUFS;
}

static void ofi_choice(cor_fabric_library *library, char *out, size_t out_bytes)
{
    snprintf(out, out_bytes, "%s", library->info->fabric_attr->prov_name);
}

static void ofi_describe(cor_fabric_library *library, int peer, char *out, size_t out_bytes)
{
    (void)peer;
    snprintf(out, out_bytes, "provider %s on %s", library->info->fabric_attr->prov_name,
             library->info->domain_attr->name);
}

/* ---- peers ------------------------------------------------------------------------------------------------------ */

static const void *ofi_address(cor_fabric_library *library, size_t *bytes_p)
{
    *bytes_p = library->name_bytes;
    return library->name;
}

static int ofi_connect(cor_fabric_library *library, int peer, const void *address, size_t bytes, int is_near)
{
    (void)is_near;
    char name[sizeof library->name] = {0};
    if (bytes > sizeof name)
        return -FI_EINVAL;
    memcpy(name, address, bytes);
    int count = fi_av_insert(library->addresses, name, 1, &library->peers[peer].address, 0, NULL);
    return count == 1 ? 0 : count < 0 ? count : -FI_EADDRNOTAVAIL;
}

static void ofi_route(cor_fabric_library *library, int peer, cor_wire_route *route_p)
{
    const cor_fabric_options *options = &library->options;
    size_t packet = library->buffer_bytes - sizeof(cor_fabric_header);
    int has_memory = (library->info->caps & FI_RMA) != 0;
    (void)peer;
    *route_p = (cor_wire_route){
        .eager_max_bytes = options->eager_max_bytes < packet ? options->eager_max_bytes : packet,
        .packet_max_bytes = packet,
        .has_memory = has_memory,
        .prefers_pieces = options->rendezvous == COR_FABRIC_PIECES,
        .get_max_bytes = has_memory ? options->get_max_bytes : 0,
        .is_pushed = library->info->domain_attr->data_progress != FI_PROGRESS_AUTO,
        .atomics = library->atomics,
    };
}

static void ofi_lose(cor_fabric_library *library, int peer)
{
    library->peers[peer].is_lost = 1;
}

/* A closed endpoint has no transfers. What the provider still has in its completion queue is not asked for. */
static void ofi_stop(cor_fabric_library *library)
{
    library->is_stopped = 1;
    ofi_close_endpoint(library);
}

/* ---- progress --------------------------------------------------------------------------------------------------- */

static void ofi_ended(cor_fabric_library *library, ofi_context *context, size_t bytes, int error)
{
    switch (context->kind) {
    case OFI_PACKET:
        ofi_packet_ended(library, (ofi_packet *)(void *)context, error);
        break;
    case OFI_RECEIVE:
        ofi_received(library, (ofi_receive *)(void *)context, bytes, error);
        break;
    case OFI_COPY:
        ofi_copy_ended(library, (ofi_copy *)(void *)context, error);
        break;
    }
}

static void ofi_take_error(cor_fabric_library *library)
{
    struct fi_cq_err_entry entry = {0};
    if (fi_cq_readerr(library->completions, &entry, 0) != 1 || !entry.op_context)
        return;
    /* Nothing is cancelled here: providers cancel what goes over a connection that breaks. */
    int error = entry.err == FI_ECANCELED ? FI_ECONNABORTED : entry.err;
    ofi_ended(library, entry.op_context, entry.len + entry.olen, -error);
}

static int ofi_progress(cor_fabric_library *library)
{
    struct fi_cq_msg_entry entries[OFI_BATCH];
    if (COR_UNLIKELY(library->is_stopped))
        return 0;
    ssize_t count = fi_cq_read(library->completions, entries, OFI_BATCH);
    for (ssize_t i = 0; i < count; i++)
        ofi_ended(library, entries[i].op_context, entries[i].len, 0);
    if (count == -FI_EAVAIL)
        ofi_take_error(library);
    int events = count > 0 ? (int)count : count == -FI_EAVAIL;
    if (!cor_list_is_empty(&library->unposted))
        events += ofi_post_again(library);
    if (!cor_list_is_empty(&library->waiting))
        events += ofi_copy_again(library);
    return events;
}

static int ofi_descriptor(cor_fabric_library *library)
{
    return library->descriptor;
}

static int ofi_arm(cor_fabric_library *library)
{
    struct fid *fids[] = {&library->completions->fid};
    return !library->is_stopped && cor_list_is_empty(&library->unposted) && cor_list_is_empty(&library->waiting) &&
           fi_trywait(library->fabric, fids, 1) == FI_SUCCESS;
}

const cor_fabric_ops cor_fabric_table = {
    .version = COR_FABRIC_VERSION,
    .name = "libfabric",
    .open = ofi_open,
    .close = ofi_close,
    .library_version = ofi_version,
    .choice = ofi_choice,
    .choice_settings = "ofi.provider or FI_PROVIDER",
    .describe = ofi_describe,
    .explain = ofi_explain,
    .is_own = ofi_is_own,
    .address = ofi_address,
    .connect = ofi_connect,
    .start = ofi_start,
    .route = ofi_route,
    .send_short = ofi_send_short,
    .send = ofi_send,
    .lose = ofi_lose,
    .stop = ofi_stop,
    .enter = ofi_enter,
    .leave = ofi_leave,
    .get = ofi_get,
    .put = ofi_put,
    .update = ofi_update,
    .progress = ofi_progress,
    .descriptor = ofi_descriptor,
    .arm = ofi_arm,
};

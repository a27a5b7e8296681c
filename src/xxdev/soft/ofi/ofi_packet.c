/* SPDX-License-Identifier: Apache-2.0 */
/* Packets: messages without tags, and receives that are always posted. */
#include "xxdev/soft/ofi/ofi_state.h"

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

_Static_assert(sizeof(ofi_packet) <= sizeof(cor_fabric_job), "it has room in a job");

/* ---- registered buffers to send from ---------------------------------------------------------------------------- */

static int packet_make_bounces(cor_fabric_library *library, int count)
{
    size_t bytes = (size_t)count * library->buffer_bytes;
    ofi_bounces *slab = calloc(1, sizeof *slab + (size_t)count * sizeof slab->bounces[0]);
    char *buffers = aligned_alloc(OFI_ALIGN_BYTES, bytes);
    int error = slab && buffers ? ofi_register(library, buffers, bytes, FI_SEND, &slab->region) : -FI_ENOMEM;
    if (error != 0) {
        free(slab);
        free(buffers);
        return error;
    }
    slab->buffers = buffers;
    slab->next = library->bounces;
    library->bounces = slab;
    for (int i = 0; i < count; i++) {
        slab->bounces[i] =
            (ofi_bounce){library->free_bounces, slab->region, buffers + (size_t)i * library->buffer_bytes};
        library->free_bounces = &slab->bounces[i];
    }
    return 0;
}

/* Those that lost peers hold may never come back: as many are made anew. 0: some were. */
static int packet_replace_bounces(cor_fabric_library *library)
{
    int count = 0;
    for (int i = 0; i < library->options.size; i++)
        count += library->peers[i].is_lost ? library->peers[i].bounces : 0;
    if (count == 0 || packet_make_bounces(library, count) != 0)
        return -FI_EAGAIN;
    for (int i = 0; i < library->options.size; i++)
        if (library->peers[i].is_lost)
            library->peers[i].bounces = 0;
    return 0;
}

static ofi_bounce *packet_take_bounce(cor_fabric_library *library, int peer)
{
    if (!library->free_bounces && packet_replace_bounces(library) != 0)
        return NULL;
    ofi_bounce *bounce = library->free_bounces;
    library->free_bounces = bounce->next;
    library->peers[peer].bounces++;
    return bounce;
}

static void packet_give_back_bounce(cor_fabric_library *library, int peer, ofi_bounce *bounce)
{
    bounce->next = library->free_bounces;
    library->free_bounces = bounce;
    library->peers[peer].bounces -= library->peers[peer].bounces > 0; /* else there is another one in its place */
}

/* ---- receiving -------------------------------------------------------------------------------------------------- */

static void *packet_description(const cor_fabric_library *library)
{
    return library->buffers_region ? fi_mr_desc(library->buffers_region) : NULL;
}

static int packet_post(cor_fabric_library *library, ofi_receive *receive)
{
    ssize_t rc = fi_recv(library->endpoint, receive->buffer, library->buffer_bytes, packet_description(library),
                         FI_ADDR_UNSPEC, &receive->base.context);
    if (rc != 0) {
        cor_list_append(&library->unposted, &receive->link);
        library->unposted_count++;
    }
    return rc == -FI_EAGAIN ? 0 : (int)rc;
}

/* A receive that the provider refuses is tried again, while others are there for the packets that come. */
static void packet_refused(cor_fabric_library *library, int error)
{
    const cor_fabric_options *options = &library->options;
    if (!library->has_warned)
        options->warn(options->wire, "a receive was not posted, which is tried again", error);
    library->has_warned = 1;
}

int ofi_post_again(cor_fabric_library *library)
{
    const cor_fabric_options *options = &library->options;
    int count = 0;
    while (!cor_list_is_empty(&library->unposted)) {
        ofi_receive *receive = COR_OWNER(library->unposted.next, ofi_receive, link);
        cor_list_remove(&receive->link);
        library->unposted_count--;
        int error = packet_post(library, receive);
        if (error != 0 && library->unposted_count == OFI_RECEIVES)
            options->failed(options->wire, "receive packets", error);
        if (!cor_list_is_empty(&library->unposted) && library->unposted.prev == &receive->link)
            return count;
        count++;
    }
    return count;
}

int ofi_start(cor_fabric_library *library)
{
    size_t bytes = (size_t)OFI_RECEIVES * library->buffer_bytes;
    int error = 0;
    library->receives = calloc(OFI_RECEIVES, sizeof *library->receives);
    library->buffers = aligned_alloc(OFI_ALIGN_BYTES, bytes);
    if (!library->receives || !library->buffers)
        return -FI_ENOMEM;
    if (library->wants_registered) {
        error = ofi_register(library, library->buffers, bytes, FI_RECV, &library->buffers_region);
        error = error ? error : packet_make_bounces(library, OFI_BOUNCES);
    }
    for (int i = 0; error == 0 && i < OFI_RECEIVES; i++) {
        library->receives[i].base.kind = OFI_RECEIVE;
        library->receives[i].buffer = library->buffers + (size_t)i * library->buffer_bytes;
        error = packet_post(library, &library->receives[i]);
    }
    return error;
}

void ofi_packets_close(cor_fabric_library *library)
{
    ofi_bounces *next;
    if (library->buffers_region)
        ofi_close_one(library, &library->buffers_region->fid, "closing the memory of receives");
    library->buffers_region = NULL;
    for (ofi_bounces *slab = library->bounces; slab; slab = next) {
        next = slab->next;
        ofi_close_one(library, &slab->region->fid, "closing the memory of packets");
        free(slab->buffers);
        free(slab);
    }
    library->bounces = NULL;
    library->free_bounces = NULL;
    free(library->receives);
    free(library->buffers);
    library->receives = NULL;
    library->buffers = NULL;
}

/* A receive that failed is posted again all the same: its connection broke, or its message was too long. */
void ofi_received(cor_fabric_library *library, ofi_receive *receive, size_t bytes, int error)
{
    const cor_fabric_options *options = &library->options;
    const cor_fabric_header *header = (const cor_fabric_header *)(const void *)receive->buffer;
    if (error == 0 && bytes >= sizeof *header)
        options->arrived(options->wire, header, header + 1, bytes - sizeof *header);
    else if (error == 0 || error == -FI_ETRUNC)
        options->arrived_odd(options->wire, bytes);
    int refused = packet_post(library, receive);
    if (refused != 0)
        packet_refused(library, refused);
}

/* ---- sending ---------------------------------------------------------------------------------------------------- */

/* Injected: the provider has copied it when it returns. Budget: one copy to the stack, of a short one; else none of
 * ours. */
int ofi_send_short(cor_fabric_library *library, int peer, const cor_fabric_header *header, const void *payload,
                   size_t bytes)
{
    fi_addr_t address = library->peers[peer].address;
    size_t whole = sizeof *header + bytes;
    if (whole > library->inject_bytes || library->peers[peer].is_lost || library->is_stopped)
        return COR_FABRIC_AGAIN;
    ssize_t rc;
    if (whole <= OFI_SMALL_BYTES) {
        _Alignas(8) char packet[OFI_SMALL_BYTES];
        memcpy(packet, header, sizeof *header);
        if (bytes > 0)
            memcpy(packet + sizeof *header, payload, bytes);
        rc = fi_inject(library->endpoint, packet, whole, address);
    } else if (library->iov_limit >= 2) {
        const struct iovec parts[2] = {{(void *)(uintptr_t)header, sizeof *header},
                                       {(void *)(uintptr_t)payload, bytes}};
        const struct fi_msg message = {.msg_iov = parts, .iov_count = 2, .addr = address};
        rc = fi_sendmsg(library->endpoint, &message, FI_INJECT);
    } else {
        return COR_FABRIC_AGAIN;
    }
    return rc == 0 ? COR_FABRIC_DONE : ofi_error(rc);
}

static ssize_t packet_send(cor_fabric_library *library, const cor_fabric_packet *packet, fi_addr_t address,
                           void *context)
{
    struct iovec parts[2] = {{(void *)(uintptr_t)&packet->header, sizeof packet->header},
                             {(void *)(uintptr_t)packet->payload, packet->bytes}};
    struct fi_msg message = {.msg_iov = parts, .iov_count = 1, .addr = address, .context = context};
    if (cor_fabric_is_contiguous(packet))
        parts[0].iov_len += packet->bytes;
    else
        message.iov_count = 2;
    return fi_sendmsg(library->endpoint, &message, FI_COMPLETION);
}

static ssize_t packet_send_bounced(cor_fabric_library *library, const cor_fabric_packet *packet, fi_addr_t address,
                                   ofi_packet *own)
{
    ofi_bounce *bounce = packet_take_bounce(library, own->base.peer);
    if (!bounce)
        return -FI_EAGAIN;
    memcpy(bounce->buffer, &packet->header, sizeof packet->header);
    memcpy(bounce->buffer + sizeof packet->header, packet->payload, packet->bytes);
    const struct iovec part = {bounce->buffer, sizeof packet->header + packet->bytes};
    void *description = fi_mr_desc(bounce->region);
    const struct fi_msg message = {
        .msg_iov = &part, .desc = &description, .iov_count = 1, .addr = address, .context = &own->base.context};
    ssize_t rc = fi_sendmsg(library->endpoint, &message, FI_COMPLETION);
    if (rc == 0)
        own->bounce = bounce;
    else
        packet_give_back_bounce(library, own->base.peer, bounce);
    return rc;
}

int ofi_send(cor_fabric_library *library, int peer, cor_fabric_packet *packet)
{
    ofi_packet *own = (ofi_packet *)(void *)packet->job.own;
    fi_addr_t address = library->peers[peer].address;
    if (library->is_stopped)
        return -FI_ESHUTDOWN;
    own->base.kind = OFI_PACKET;
    own->base.peer = peer;
    own->bounce = NULL;
    return ofi_error(library->wants_registered ? packet_send_bounced(library, packet, address, own)
                                               : packet_send(library, packet, address, &own->base.context));
}

void ofi_packet_ended(cor_fabric_library *library, ofi_packet *own, int error)
{
    if (own->bounce)
        packet_give_back_bounce(library, own->base.peer, own->bounce);
    library->options.sent((cor_fabric_packet *)(void *)own, error);
}

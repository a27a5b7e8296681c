/* SPDX-License-Identifier: Apache-2.0 */
/* Packets: messages without tags, and receives that are always posted. */
#include "xxdev/soft/ofi/ofi_state.h"

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

_Static_assert(sizeof(ofi_packet) <= sizeof(cor_fabric_job), "it has room in a job");

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
    int bounces = library->wants_registered ? OFI_BOUNCES : 0;
    size_t bytes = (size_t)(OFI_RECEIVES + bounces) * library->buffer_bytes;
    library->receives = calloc(OFI_RECEIVES, sizeof *library->receives);
    library->buffers = aligned_alloc(OFI_ALIGN_BYTES, bytes);
    if (!library->receives || !library->buffers)
        return -FI_ENOMEM;
    int error = library->wants_registered
                    ? ofi_register(library, library->buffers, bytes, FI_SEND | FI_RECV, &library->buffers_region)
                    : 0;
    for (int i = 0; i < bounces; i++)
        library->bounces[i] = library->buffers + (size_t)(OFI_RECEIVES + i) * library->buffer_bytes;
    library->bounce_count = bounces;
    for (int i = 0; error == 0 && i < OFI_RECEIVES; i++) {
        library->receives[i].base.kind = OFI_RECEIVE;
        library->receives[i].buffer = library->buffers + (size_t)i * library->buffer_bytes;
        error = packet_post(library, &library->receives[i]);
    }
    return error;
}

void ofi_packets_close(cor_fabric_library *library)
{
    if (library->buffers_region)
        fi_close(&library->buffers_region->fid);
    library->buffers_region = NULL;
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
    if (library->bounce_count == 0)
        return -FI_EAGAIN;
    own->bounce = library->bounces[--library->bounce_count];
    memcpy(own->bounce, &packet->header, sizeof packet->header);
    memcpy(own->bounce + sizeof packet->header, packet->payload, packet->bytes);
    const struct iovec part = {own->bounce, sizeof packet->header + packet->bytes};
    void *description = packet_description(library);
    const struct fi_msg message = {
        .msg_iov = &part, .desc = &description, .iov_count = 1, .addr = address, .context = &own->base.context};
    ssize_t rc = fi_sendmsg(library->endpoint, &message, FI_COMPLETION);
    if (rc != 0)
        library->bounces[library->bounce_count++] = own->bounce;
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
        library->bounces[library->bounce_count++] = own->bounce;
    library->options.sent((cor_fabric_packet *)(void *)own, error);
}

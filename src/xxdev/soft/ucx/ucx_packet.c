/* SPDX-License-Identifier: Apache-2.0 */
/* Packets: eager active messages. */
#include "xxdev/soft/ucx/ucx_state.h"

#include <string.h>

int ucx_end(ucs_status_t status)
{
    /* UCX also cancels what goes over an endpoint that fails. */
    return status == UCS_ERR_CANCELED ? UCS_ERR_CONNECTION_RESET : status;
}

int ucx_send_short(cor_fabric_library *library, int peer, const cor_fabric_header *header, const void *payload,
                   size_t bytes)
{
    static const ucp_request_param_t param = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS | UCP_OP_ATTR_FLAG_FORCE_IMM_CMPL, .flags = UCP_AM_SEND_FLAG_EAGER};
    ucp_ep_h endpoint = library->peers[peer].endpoint;
    if (!endpoint)
        return COR_FABRIC_AGAIN;
    ucs_status_ptr_t request = ucp_am_send_nbx(endpoint, UCX_PACKET, header, sizeof *header, payload, bytes, &param);
    if (!request)
        return COR_FABRIC_DONE;
    ucs_status_t status = UCS_PTR_STATUS(request);
    return status == UCS_ERR_NO_RESOURCE ? COR_FABRIC_AGAIN : ucx_end(status);
}

/* What the job of a packet keeps. */
typedef struct packet_job {
    cor_fabric_library *library;
} packet_job;

static void packet_sent(void *request, ucs_status_t status, void *packet_and_library)
{
    cor_fabric_packet *packet = packet_and_library;
    const cor_fabric_library *library = ((const packet_job *)(void *)packet->job.own)->library;
    ucp_request_free(request);
    library->options.sent(packet, ucx_end(status));
}

int ucx_send(cor_fabric_library *library, int peer, cor_fabric_packet *packet)
{
    const ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA |
                                                       UCP_OP_ATTR_FIELD_FLAGS,
                                       .flags = UCP_AM_SEND_FLAG_EAGER,
                                       .cb.send = packet_sent,
                                       .user_data = packet};
    int error = ucx_reach(library, peer);
    if (error != 0)
        return error;
    ((packet_job *)(void *)packet->job.own)->library = library;
    ucs_status_ptr_t request = ucp_am_send_nbx(library->peers[peer].endpoint, UCX_PACKET, &packet->header,
                                               sizeof packet->header, packet->payload, packet->bytes, &param);
    if (UCS_PTR_IS_ERR(request))
        return ucx_end(UCS_PTR_STATUS(request));
    return request ? COR_FABRIC_STARTED : COR_FABRIC_DONE;
}

ucs_status_t ucx_packet_arrived(void *argument, const void *header, size_t header_bytes, void *data, size_t bytes,
                                const ucp_am_recv_param_t *param)
{
    const cor_fabric_library *library = argument;
    cor_fabric_header own; /* UCX's memory is not aligned for it */
    if (header_bytes != sizeof own || param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) {
        library->options.arrived_odd(library->options.wire, bytes);
        return UCS_OK;
    }
    memcpy(&own, header, sizeof own);
    library->options.arrived(library->options.wire, &own, data, bytes);
    return UCS_OK;
}

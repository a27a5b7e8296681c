/* SPDX-License-Identifier: Apache-2.0 */
/* Endpoints: made when a peer is first sent to, lost when UCX says so. */
#include "xxdev/soft/ucx/ucx_state.h"

#include <stdlib.h>
#include <string.h>

enum {
    CONNECT_FRAGMENT_BYTES = 8 << 10, /* of UCX's shared memory and of its verbs, about; see UCX_POSIX_SEG_SIZE */
    CONNECT_PACKET_BYTES = (64 << 10) - 64, /* a fragment of its TCP with all headers, UCX_TCP_RX_SEG_SIZE */
    CONNECT_HEADER_BYTES = 128,             /* of ours and UCX's in a fragment, at most */
    CONNECT_ZCOPY_BYTES = 16 << 10,
};

const void *ucx_address(cor_fabric_library *library, size_t *bytes_p)
{
    *bytes_p = library->address_bytes;
    return library->address;
}

/* May UCX use a transport that is named by one of these words? */
static int connect_may_use(const cor_fabric_library *library, const char *const *words, size_t count)
{
    const char *at = ucx_transports(library);
    while (*at) {
        size_t length = strcspn(at, ",");
        for (size_t i = 0; i < count; i++)
            if (*at == '^' || (strlen(words[i]) == length && strncmp(at, words[i], length) == 0))
                return 1;
        at += length + (at[length] == ',');
    }
    return 0;
}

static int connect_has_shared_memory(const cor_fabric_library *library)
{
    static const char *const words[] = {"all", "shm", "sm", "mm", "posix", "sysv", "xpmem"};
    return connect_may_use(library, words, sizeof words / sizeof *words);
}

int ucx_names_shared_memory(const cor_fabric_library *library)
{
    return ucx_transports(library)[0] != '^' && connect_has_shared_memory(library);
}

static int connect_has_rdma(const cor_fabric_library *library)
{
    static const char *const words[] = {"all",  "ib", "rc",   "rc_v", "rc_x",     "rc_verbs", "rc_mlx5", "dc",
                                        "dc_x", "ud", "ud_v", "ud_x", "ud_verbs", "ud_mlx5",  "dc_mlx5"};
    return library->has_rdma && connect_may_use(library, words, sizeof words / sizeof *words);
}

/* With error handling UCX 1.13 uses neither its shared memory, for which a rank of this host is watched without that,
 * nor remote writes over TCP. */
int ucx_connect(cor_fabric_library *library, int peer, const void *address, size_t bytes, int is_near)
{
    ucx_peer *p = &library->peers[peer];
    p->is_near = is_near;
    p->is_handled = library->options.handles_errors && (!is_near || !connect_has_shared_memory(library));
    p->address = malloc(bytes);
    if (!p->address)
        return UCS_ERR_NO_MEMORY;
    memcpy(p->address, address, bytes);
    return 0;
}

int ucx_start(cor_fabric_library *library)
{
    (void)library;
    return 0;
}

/* What was under way on the endpoint ends with an error, and so does what is sent over it from now on. A rank that only
 * receives learns it from here. */
static void connect_failed(void *argument, ucp_ep_h endpoint, ucs_status_t status)
{
    const cor_fabric_library *library = argument;
    for (int i = 0; i < library->options.size; i++)
        if (library->peers[i].endpoint == endpoint)
            library->options.unreached(library->options.wire, i, status);
}

int ucx_reach(cor_fabric_library *library, int peer)
{
    ucx_peer *p = &library->peers[peer];
    if (p->endpoint)
        return 0;
    if (p->is_lost)
        return UCS_ERR_CONNECTION_RESET;
    ucp_ep_params_t params = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                                            UCP_EP_PARAM_FIELD_ERR_HANDLER,
                              .address = p->address,
                              .err_mode = p->is_handled ? UCP_ERR_HANDLING_MODE_PEER : UCP_ERR_HANDLING_MODE_NONE,
                              .err_handler = {.cb = connect_failed, .arg = library}};
    return ucp_ep_create(library->worker, &params, &p->endpoint);
}

/* Over TCP with error handling UCX copies a long message in fragments, after a request of its own: pieces of ours are
 * the same, without that request. Over shared memory and adapters its rendezvous copies once. */
static int connect_goes_in_pieces(const cor_fabric_library *library, const ucx_peer *p)
{
    switch (library->options.rendezvous) {
    case COR_FABRIC_PIECES:
        return 1;
    case COR_FABRIC_LIBRARY:
        return 0;
    default:
        return p->is_handled && !connect_has_rdma(library);
    }
}

void ucx_route(cor_fabric_library *library, int peer, cor_wire_route *route_p)
{
    const ucx_peer *p = &library->peers[peer];
    int has_long_fragments = !connect_has_rdma(library) && !(p->is_near && connect_has_shared_memory(library));
    size_t packet = has_long_fragments ? CONNECT_PACKET_BYTES : CONNECT_FRAGMENT_BYTES - CONNECT_HEADER_BYTES;
    size_t eager = library->options.eager_max_bytes;
    *route_p = (cor_wire_route){
        .eager_max_bytes = eager < packet ? eager : packet,
        .packet_max_bytes = packet,
        .zcopy_min_bytes = has_long_fragments ? CONNECT_ZCOPY_BYTES : 0,
        .has_memory = 1,
        .prefers_pieces = connect_goes_in_pieces(library, p),
        .puts_tell = 1,
        .is_pushed = 1,
        .atomics = 1u << COR_WIRE_ADD | 1u << COR_WIRE_FETCH_ADD | 1u << COR_WIRE_SWAP | 1u << COR_WIRE_COMPARE,
    };
}

/* UCX copies in its progress alone, which is not made any more, or over endpoints of lost peers, which are closed. */
void ucx_stop(cor_fabric_library *library)
{
    library->is_stopped = 1;
    for (int i = 0; i < library->options.size; i++) {
        library->peers[i].is_lost = 1;
        library->peers[i].endpoint = NULL;
    }
}

void ucx_lose(cor_fabric_library *library, int peer)
{
    ucx_peer *p = &library->peers[peer];
    ucs_status_ptr_t request = NULL;
    p->is_lost = 1;
    ucx_forget_keys(library, peer);
    if (p->endpoint && p->is_handled) {
        request = ucp_ep_close_nb(p->endpoint, UCP_EP_CLOSE_MODE_FORCE);
        p->endpoint = NULL;
    }
    if (UCS_PTR_IS_PTR(request))
        ucp_request_free(request); /* it ends by itself */
}

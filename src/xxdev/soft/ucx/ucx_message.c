/* SPDX-License-Identifier: Apache-2.0 */
/* Long messages: active messages of their own, to memory that was entered for one. */
#include "xxdev/soft/ucx/ucx_state.h"

#include <stdlib.h>
#include <string.h>

typedef struct message_key {
    uint32_t number, generation;
} message_key;

/* Ahead of the message, and what its sender keeps of it. */
typedef struct message_header {
    message_key key;
    uint32_t sender, id;
} message_header;

typedef struct message_job {
    cor_fabric_library *library;
    message_header header;
} message_job;

_Static_assert(sizeof(message_job) <= sizeof(cor_fabric_job), "it has room in a job");

int ucx_is_landing_key(const cor_wire_key *key)
{
    return key->bytes == sizeof(message_key);
}

/* ---- landings --------------------------------------------------------------------------------------------------- */

static ucx_landing *message_make_landing(cor_fabric_library *library)
{
    uint32_t count = library->landing_count;
    if ((count & (count - 1)) == 0) { /* full: twice as many */
        ucx_landing **larger = realloc(library->landings, (count ? 2 * (size_t)count : 1) * sizeof *larger);
        if (!larger)
            return NULL;
        library->landings = larger;
    }
    ucx_landing *landing = calloc(1, sizeof *landing);
    if (!landing)
        return NULL;
    landing->library = library;
    landing->number = count;
    library->landings[library->landing_count++] = landing;
    return landing;
}

int ucx_landing_enter(cor_fabric_library *library, void *memory, size_t bytes, cor_wire_key *key_p,
                      void **registration_p)
{
    ucx_landing *landing = library->free_landings;
    if (landing)
        library->free_landings = landing->next;
    else
        landing = message_make_landing(library);
    if (!landing)
        return UCS_ERR_NO_MEMORY;
    landing->memory = memory;
    landing->bytes = bytes;
    landing->is_entered = 1;
    const message_key key = {landing->number, landing->generation};
    key_p->bytes = sizeof key;
    memcpy(key_p->data, &key, sizeof key);
    *registration_p = landing;
    return 0;
}

static void message_free_landing(ucx_landing *landing)
{
    landing->generation++;
    landing->next = landing->library->free_landings;
    landing->library->free_landings = landing;
}

/* A message that comes for it later is dropped. */
void ucx_landing_leave(cor_fabric_library *library, ucx_landing *landing)
{
    (void)library;
    landing->is_entered = 0;
    if (!landing->is_receiving)
        message_free_landing(landing);
}

/* ---- the sender ------------------------------------------------------------------------------------------------- */

static void message_sent(void *request, ucs_status_t status, void *job)
{
    const message_job *own = (const message_job *)(void *)((cor_fabric_job *)job)->own;
    const cor_fabric_library *library = own->library;
    ucp_request_free(request);
    library->options.copied(job, ucx_end(status));
}

int ucx_message_send(cor_fabric_library *library, int peer, const cor_wire_key *to, const void *from, size_t bytes,
                     uint32_t id, cor_fabric_job *job)
{
    message_job *own = (message_job *)(void *)job->own;
    const ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
                                       .cb.send = message_sent,
                                       .user_data = job};
    int error = ucx_reach(library, peer);
    if (error != 0)
        return error;
    *own = (message_job){.library = library, .header = {.sender = (uint32_t)library->options.rank, .id = id}};
    memcpy(&own->header.key, to->data, sizeof own->header.key);
    ucs_status_ptr_t request = ucp_am_send_nbx(library->peers[peer].endpoint, UCX_MESSAGE, &own->header,
                                               sizeof own->header, from, bytes, &param);
    if (UCS_PTR_IS_ERR(request))
        return ucx_end(UCS_PTR_STATUS(request));
    return request ? COR_FABRIC_STARTED : COR_FABRIC_DONE;
}

/* ---- the receiver ----------------------------------------------------------------------------------------------- */

static void message_landed(ucx_landing *landing, ucs_status_t status)
{
    const cor_fabric_options *options = &landing->library->options;
    landing->is_receiving = 0;
    if (!landing->is_entered)
        message_free_landing(landing);
    else if (status != UCS_OK)
        options->unreached(options->wire, landing->peer, ucx_end(status));
    else
        options->written(options->wire, landing->peer, landing->id);
}

static void message_received(void *request, ucs_status_t status, size_t bytes, void *landing)
{
    (void)bytes;
    ucp_request_free(request);
    message_landed(landing, status);
}

static void message_receive(ucx_landing *landing, void *data, size_t bytes)
{
    const ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
                                       .cb.recv_am = message_received,
                                       .user_data = landing};
    ucs_status_ptr_t request = ucp_am_recv_data_nbx(landing->library->worker, data, landing->memory, bytes, &param);
    if (UCS_PTR_IS_ERR(request) || !request)
        message_landed(landing, UCS_PTR_STATUS(request));
}

int ucx_message_is_coming(cor_fabric_library *library, int peer)
{
    for (uint32_t i = 0; i < library->landing_count; i++)
        if (library->landings[i]->is_receiving && library->landings[i]->peer == peer)
            return 1;
    return 0;
}

/* The landing that a message is for; NULL: it was left, or there is none. */
static ucx_landing *message_find(const cor_fabric_library *library, const message_key *key)
{
    ucx_landing *landing = key->number < library->landing_count ? library->landings[key->number] : NULL;
    int is_free = !landing || !landing->is_entered || landing->is_receiving || landing->generation != key->generation;
    return is_free ? NULL : landing;
}

ucs_status_t ucx_message_arrived(void *argument, const void *header, size_t header_bytes, void *data, size_t bytes,
                                 const ucp_am_recv_param_t *param)
{
    const cor_fabric_library *library = argument;
    const cor_fabric_options *options = &library->options;
    message_header said;
    if (header_bytes == sizeof said)
        memcpy(&said, header, sizeof said);
    if (header_bytes != sizeof said || said.sender >= (uint32_t)options->size) {
        options->arrived_odd(options->wire, bytes);
        return UCS_OK;
    }
    int peer = (int)said.sender;
    ucx_landing *landing = message_find(library, &said.key);
    if (!landing || library->peers[peer].is_lost)
        return UCS_OK;
    if (landing->bytes != bytes) {
        options->reject(options->wire, peer, "a message of another length than was agreed upon");
        return UCS_OK;
    }
    landing->is_receiving = 1;
    landing->peer = peer;
    landing->id = said.id;
    if (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) {
        message_receive(landing, data, bytes);
        return UCS_INPROGRESS;
    }
    memcpy(landing->memory, data, bytes);
    message_landed(landing, UCS_OK);
    return UCS_OK;
}

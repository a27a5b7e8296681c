/* SPDX-License-Identifier: Apache-2.0 */
#include "mp/grequest.h"

#include "mp/mp_state.h"

int cor_grequest_start(cor_rank *rank, cor_request **request_p)
{
    cor_device_enter(rank->device);
    cor_request *request = cor_request_make(rank->self, COR_REQUEST_GENERAL);
    int rc = COR_OK;
    if (request) {
        request->transfer = (cor_transfer){.peer = COR_UNDEFINED};
        request->is_active = 1;
        *request_p = request;
    } else {
        rc = cor_fault_set(rank->fault, COR_ERR_MEMORY, "no memory for a request");
    }
    cor_device_leave(rank->device);
    return rc;
}

int cor_grequest_complete(cor_request *request)
{
    cor_device *device = request->comm->device;
    cor_device_enter(device);
    request->transfer.is_done = 1;
    int is_abandoned = request->is_abandoned;
    cor_device_wake(device);
    cor_device_leave(device);
    return is_abandoned;
}

int cor_grequest_is_complete(const cor_request *request)
{
    cor_device *device = request->comm->device;
    cor_device_enter(device);
    int is_done = request->transfer.is_done;
    cor_device_leave(device);
    return is_done;
}

int cor_grequest_abandon(cor_request *request)
{
    cor_device *device = request->comm->device;
    cor_device_enter(device);
    int is_done = request->transfer.is_done;
    request->is_abandoned = !is_done;
    cor_device_leave(device);
    return is_done;
}

void cor_grequest_release(cor_request *request)
{
    cor_device *device = request->comm->device;
    cor_device_enter(device);
    cor_request_drop(request);
    cor_device_leave(device);
}

int cor_request_is_general(const cor_request *request)
{
    return request->kind == COR_REQUEST_GENERAL;
}

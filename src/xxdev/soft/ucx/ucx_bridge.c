/* SPDX-License-Identifier: Apache-2.0 */
/* The bridge to UCX: its table, and what is short. ucx_state.h says how it works. */
#include "xxdev/soft/ucx/ucx_state.h"

#include <stdio.h>

static void ucx_version(char *out, size_t out_bytes)
{
    snprintf(out, out_bytes, "%s", ucp_get_version_string());
}

static void ucx_explain(int error, char *out, size_t out_bytes)
{
    snprintf(out, out_bytes, "%s%s", ucs_status_string((ucs_status_t)error),
             error == UCS_ERR_UNREACHABLE ? " (by the transports and interfaces of UCX_TLS and UCX_NET_DEVICES)" : "");
}

static int ucx_is_own(int error)
{
    return error == UCS_ERR_NO_MEMORY || error == UCS_ERR_NO_RESOURCE || error == UCS_ERR_EXCEEDS_LIMIT;
}

static void ucx_choice(cor_fabric_library *library, char *out, size_t out_bytes)
{
    snprintf(out, out_bytes, "%s", ucx_transports(library));
}

/* UCX 1.13 has no call that tells which of them an endpoint uses. */
static void ucx_describe(cor_fabric_library *library, int peer, char *out, size_t out_bytes)
{
    (void)peer;
    snprintf(out, out_bytes, "among transports %s (UCX_LOG_LEVEL=info shows which it takes)", ucx_transports(library));
}

static int ucx_progress(cor_fabric_library *library)
{
    return library->is_stopped ? 0 : (int)ucp_worker_progress(library->worker);
}

static int ucx_descriptor(cor_fabric_library *library)
{
    return library->descriptor;
}

/* Verbs tell of what comes after they were armed. UCX looks before it arms and not after it, and what came in between
 * would wake nobody, unless the adapter's driver tells of that too. */
static int ucx_arm(cor_fabric_library *library)
{
    return !library->is_stopped && ucp_worker_arm(library->worker) == UCS_OK &&
           ucp_worker_progress(library->worker) == 0;
}

const cor_fabric_ops cor_fabric_table = {
    .version = COR_FABRIC_VERSION,
    .name = "UCX",
    .open = ucx_open,
    .close = ucx_close,
    .library_version = ucx_version,
    .choice = ucx_choice,
    .choice_settings = "ucx.transports or UCX_TLS",
    .describe = ucx_describe,
    .explain = ucx_explain,
    .is_own = ucx_is_own,
    .address = ucx_address,
    .connect = ucx_connect,
    .start = ucx_start,
    .route = ucx_route,
    .send_short = ucx_send_short,
    .send = ucx_send,
    .lose = ucx_lose,
    .refers = ucx_message_is_coming,
    .stop = ucx_stop,
    .enter = ucx_enter,
    .leave = ucx_leave,
    .get = ucx_get,
    .put = ucx_put,
    .update = ucx_update,
    .progress = ucx_progress,
    .descriptor = ucx_descriptor,
    .arm = ucx_arm,
};

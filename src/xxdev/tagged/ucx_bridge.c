/* SPDX-License-Identifier: Apache-2.0 */
/* The bridge to UCX: UCP's tagged messages. */
#include "xxdev/tagged/tagged_bridge.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucp/api/ucp.h>
#include <ucs/debug/log_def.h>

struct cor_tagged_library {
    cor_tagged_options options;
    ucp_context_h context;
    ucp_worker_h worker;
    ucp_address_t *address;
    size_t address_bytes;
    ucp_datatype_t pieces; /* whatever is read and written in pieces */
    int descriptor;
    struct ucx_peer {
        ucp_ep_h endpoint; /* NULL: not needed yet */
        int is_handled;    /* UCX tells when the peer cannot be reached any more */
        int is_lost;
        ucp_address_t *address;
    } peers[];
};

static void ucx_version(char *out, size_t out_bytes)
{
    snprintf(out, out_bytes, "%s", ucp_get_version_string());
}

static void ucx_explain(int error, char *out, size_t out_bytes)
{
    snprintf(out, out_bytes, "%s%s", ucs_status_string((ucs_status_t)error),
             error == UCS_ERR_UNREACHABLE ? " (by the transports and interfaces of UCX_TLS and UCX_NET_DEVICES)" : "");
}

static int ucx_is_gone(int error)
{
    return UCS_IS_ENDPOINT_ERROR((ucs_status_t)error) || error == UCS_ERR_IO_ERROR || error == UCS_ERR_NOT_CONNECTED ||
           error == UCS_ERR_CONNECTION_RESET || error == UCS_ERR_ENDPOINT_TIMEOUT;
}

/* ---- what is read and written in pieces -------------------------------------------------------------------------- */

/* The buffer of a transfer in pieces is the transfer itself, and so is its state. */
static void *ucx_start_pack(void *context, const void *buffer, size_t count)
{
    (void)context, (void)count;
    return (void *)(uintptr_t)buffer;
}

static void *ucx_start_unpack(void *context, void *buffer, size_t count)
{
    (void)context, (void)count;
    return buffer;
}

static size_t ucx_packed_size(void *state)
{
    return ((const cor_tagged_transfer *)state)->bytes;
}

static size_t ucx_pack(void *state, size_t offset, void *to, size_t most)
{
    cor_tagged_transfer *transfer = state;
    size_t left = transfer->bytes - offset, bytes = left < most ? left : most;
    transfer->library->options.read(transfer, offset, to, bytes);
    return bytes;
}

static ucs_status_t ucx_unpack(void *state, size_t offset, const void *from, size_t bytes)
{
    cor_tagged_transfer *transfer = state;
    transfer->library->options.write(transfer, offset, from, bytes);
    return UCS_OK;
}

static void ucx_finish(void *state)
{
    (void)state;
}

static const ucp_generic_dt_ops_t ucx_pieces_ops = {
    .start_pack = ucx_start_pack,
    .start_unpack = ucx_start_unpack,
    .packed_size = ucx_packed_size,
    .pack = ucx_pack,
    .unpack = ucx_unpack,
    .finish = ucx_finish,
};

/* Without error handling UCX ends this process when it cannot read the memory of another that has ended. That is no reason:
 * the message ends with an error. */
static ucs_log_func_rc_t ucx_log(const char *file, unsigned line, const char *function, ucs_log_level_t level,
                                 const ucs_log_component_config_t *config, const char *message, va_list values)
{
    (void)line, (void)function, (void)config, (void)message, (void)values;
    return level == UCS_LOG_LEVEL_FATAL && strstr(file, "cma_ep.c") ? UCS_LOG_FUNC_RC_STOP : UCS_LOG_FUNC_RC_CONTINUE;
}

/* ---- open and close --------------------------------------------------------------------------------------------- */

static int ucx_fail(const char *what, ucs_status_t status, char *why, size_t why_bytes)
{
    snprintf(why, why_bytes, "%s: %s", what, ucs_status_string(status));
    return -1;
}

static int ucx_configure(const cor_tagged_options *options, ucp_config_t **config_p, char *why, size_t why_bytes)
{
    const char *const names[] = {"TLS", "NET_DEVICES"}, *values[] = {options->transports, options->interface};
    ucs_status_t status = ucp_config_read(NULL, NULL, config_p);
    if (status != UCS_OK)
        return ucx_fail("ucp_config_read", status, why, why_bytes);
    for (int i = 0; i < 2; i++) {
        if (!values[i][0])
            continue;
        status = ucp_config_modify(*config_p, names[i], values[i]);
        if (status != UCS_OK) {
            ucp_config_release(*config_p);
            return ucx_fail(names[i], status, why, why_bytes);
        }
    }
    return 0;
}

static const char *ucx_setting(const char *knob, const char *variable)
{
    const char *value = knob[0] ? knob : getenv(variable);
    return value && value[0] ? value : "all";
}

static int ucx_open_context(cor_tagged_library *library, char *why, size_t why_bytes)
{
    const cor_tagged_options *options = &library->options;
    ucp_config_t *config;
    ucp_params_t params = {
        .field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_TAG_SENDER_MASK | UCP_PARAM_FIELD_ESTIMATED_NUM_EPS |
                      UCP_PARAM_FIELD_MT_WORKERS_SHARED,
        .features = UCP_FEATURE_TAG | UCP_FEATURE_WAKEUP,
        .tag_sender_mask = ((UINT64_C(1) << options->tag_peer_bits) - 1) << options->tag_peer_shift,
        .estimated_num_eps = (size_t)options->size,
    };
    if (ucx_configure(options, &config, why, why_bytes) != 0)
        return -1;
    ucs_status_t status = ucp_init(&params, config, &library->context);
    ucp_config_release(config);
    if (status != UCS_ERR_NO_DEVICE)
        return status == UCS_OK ? 0 : ucx_fail("ucp_init", status, why, why_bytes);
    const char *transports = ucx_setting(options->transports, "UCX_TLS");
    const char *interface = ucx_setting(options->interface, "UCX_NET_DEVICES");
    snprintf(why, why_bytes, "it finds nothing among transports %s and interfaces %s, see ucx_info -d", transports,
             interface);
    return -1;
}

/* One thread at a time, but not always the same. */
static int ucx_open_worker(cor_tagged_library *library, char *why, size_t why_bytes)
{
    ucp_worker_params_t params = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
                                  .thread_mode = UCS_THREAD_MODE_SERIALIZED};
    ucs_status_t status = ucp_worker_create(library->context, &params, &library->worker);
    if (status != UCS_OK)
        return ucx_fail("ucp_worker_create", status, why, why_bytes);
    status = ucp_worker_get_address(library->worker, &library->address, &library->address_bytes);
    if (status != UCS_OK)
        return ucx_fail("ucp_worker_get_address", status, why, why_bytes);
    if (ucp_worker_get_efd(library->worker, &library->descriptor) != UCS_OK)
        library->descriptor = -1;
    status = ucp_dt_create_generic(&ucx_pieces_ops, NULL, &library->pieces);
    return status == UCS_OK ? 0 : ucx_fail("ucp_dt_create_generic", status, why, why_bytes);
}

/* Let what was sent go, but wait for no peer that does not answer. */
static void ucx_close_endpoints(cor_tagged_library *library)
{
    enum { CLOSE_SECONDS = 2 };
    time_t limit = time(NULL) + CLOSE_SECONDS;
    for (int i = 0; i < library->options.size; i++) {
        struct ucx_peer *peer = &library->peers[i];
        ucs_status_ptr_t request = peer->endpoint ? ucp_ep_close_nb(peer->endpoint, UCP_EP_CLOSE_MODE_FLUSH) : NULL;
        while (UCS_PTR_IS_PTR(request) && ucp_request_check_status(request) == UCS_INPROGRESS && time(NULL) < limit)
            ucp_worker_progress(library->worker);
        if (UCS_PTR_IS_PTR(request))
            ucp_request_free(request);
        free(peer->address);
    }
}

static int ucx_has_lost(const cor_tagged_library *library)
{
    for (int i = 0; i < library->options.size; i++)
        if (library->peers[i].is_lost)
            return 1;
    return 0;
}

/* Sends that were forgotten with a lost peer never end, and a worker with such waits for them: it is left to the end of the
 * process. */
static void ucx_close(cor_tagged_library *library)
{
    if (ucx_has_lost(library))
        return;
    if (library->worker) {
        ucx_close_endpoints(library);
        if (library->address)
            ucp_worker_release_address(library->worker, library->address);
        ucp_worker_destroy(library->worker);
    }
    if (library->pieces)
        ucp_dt_destroy(library->pieces);
    if (library->context)
        ucp_cleanup(library->context);
    ucs_log_pop_handler();
    free(library);
}

static int ucx_open(const cor_tagged_options *options, cor_tagged_library **library_p, char *why, size_t why_bytes)
{
    cor_tagged_library *library = calloc(1, sizeof *library + (size_t)options->size * sizeof library->peers[0]);
    if (!library) {
        snprintf(why, why_bytes, "no memory");
        return -1;
    }
    library->options = *options;
    library->descriptor = -1;
    ucs_log_push_handler(ucx_log);
    if (ucx_open_context(library, why, why_bytes) != 0 || ucx_open_worker(library, why, why_bytes) != 0) {
        ucx_close(library);
        return -1;
    }
    *library_p = library;
    return 0;
}

/* ---- peers ------------------------------------------------------------------------------------------------------ */

static const void *ucx_address(cor_tagged_library *library, size_t *bytes_p)
{
    *bytes_p = library->address_bytes;
    return library->address;
}

/* May UCX use shared memory? */
static int ucx_has_shared_memory(const cor_tagged_library *library)
{
    static const char *const words[] = {"all", "^", "shm", "sm", "mm", "posix", "sysv", "xpmem"};
    const char *at = ucx_setting(library->options.transports, "UCX_TLS");
    while (*at) {
        size_t length = strcspn(at, ",");
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (*at == '^' || (strlen(words[i]) == length && strncmp(at, words[i], length) == 0))
                return 1;
        at += length + (at[length] == ',');
    }
    return 0;
}

/* With error handling UCX 1.13 uses neither its shared memory, for which a rank of this host is watched without that, nor
 * remote writes over TCP. */
static int ucx_connect(cor_tagged_library *library, int peer, const void *address, size_t bytes, int is_near)
{
    library->peers[peer].is_handled = library->options.handles_errors && (!is_near || !ucx_has_shared_memory(library));
    library->peers[peer].address = malloc(bytes);
    if (!library->peers[peer].address)
        return UCS_ERR_NO_MEMORY;
    memcpy(library->peers[peer].address, address, bytes);
    return 0;
}

/* What was under way on the endpoint ends with an error, and so does what is sent over it from now on. A rank that only
 * receives learns it from here. */
static void ucx_endpoint_failed(void *argument, ucp_ep_h endpoint, ucs_status_t status)
{
    const cor_tagged_library *library = argument;
    for (int i = 0; i < library->options.size; i++)
        if (library->peers[i].endpoint == endpoint)
            library->options.unreached(library->options.device, i, status);
}

static int ucx_reach(cor_tagged_library *library, int peer)
{
    ucp_ep_params_t params = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                                            UCP_EP_PARAM_FIELD_ERR_HANDLER,
                              .address = library->peers[peer].address,
                              .err_mode = library->peers[peer].is_handled ? UCP_ERR_HANDLING_MODE_PEER
                                                                          : UCP_ERR_HANDLING_MODE_NONE,
                              .err_handler = {.cb = ucx_endpoint_failed, .arg = library}};
    return ucp_ep_create(library->worker, &params, &library->peers[peer].endpoint);
}

/* The peer that may answer a receive or a probe: without an endpoint UCX does not tell of its end. If it has none, a send
 * will say so. */
static void ucx_watch(cor_tagged_library *library, uint64_t tag, uint64_t mask)
{
    uint64_t ones = (UINT64_C(1) << library->options.tag_peer_bits) - 1;
    if ((mask >> library->options.tag_peer_shift & ones) != ones)
        return;
    int i = (int)(tag >> library->options.tag_peer_shift & ones);
    const struct ucx_peer *peer = &library->peers[i];
    if (!peer->endpoint && peer->is_handled && !peer->is_lost && i != library->options.rank)
        ucx_reach(library, i);
}

static void ucx_choice(cor_tagged_library *library, char *out, size_t out_bytes)
{
    snprintf(out, out_bytes, "%s", ucx_setting(library->options.transports, "UCX_TLS"));
}

/* UCX 1.13 has no call that tells which of them an endpoint uses. */
static void ucx_describe(cor_tagged_library *library, int peer, char *out, size_t out_bytes)
{
    (void)peer;
    snprintf(out, out_bytes, "among transports %s and interfaces %s (UCX_LOG_LEVEL=info shows which it takes)",
             ucx_setting(library->options.transports, "UCX_TLS"),
             ucx_setting(library->options.interface, "UCX_NET_DEVICES"));
}

static void ucx_lose(cor_tagged_library *library, int peer)
{
    struct ucx_peer *lost = &library->peers[peer];
    ucs_status_ptr_t request = NULL;
    lost->is_lost = 1;
    if (lost->endpoint && lost->is_handled) {
        request = ucp_ep_close_nb(lost->endpoint, UCP_EP_CLOSE_MODE_FORCE);
        lost->endpoint = NULL;
    }
    if (UCS_PTR_IS_PTR(request))
        ucp_request_free(request); /* it ends by itself */
}

/* ---- messages --------------------------------------------------------------------------------------------------- */

static void ucx_result_of(ucs_status_t status, const ucp_tag_recv_info_t *info, cor_tagged_result *result_p)
{
    *result_p = (cor_tagged_result){.end = COR_TAGGED_OK};
    if (info) {
        result_p->tag = info->sender_tag;
        result_p->bytes = info->length;
    }
    if (status == UCS_ERR_MESSAGE_TRUNCATED) {
        result_p->end = COR_TAGGED_TRUNCATED;
    } else if (status == UCS_ERR_CANCELED) {
        result_p->end = COR_TAGGED_CANCELLED;
    } else if (status != UCS_OK) {
        result_p->end = COR_TAGGED_FAILED;
        result_p->error = status;
    }
}

/* UCX also cancels what goes over an endpoint that fails. */
static ucs_status_t ucx_status(const cor_tagged_transfer *transfer, ucs_status_t status)
{
    return status == UCS_ERR_CANCELED && !transfer->is_cancelling ? UCS_ERR_CONNECTION_RESET : status;
}

static void ucx_sent(void *request, ucs_status_t status, void *user_data)
{
    cor_tagged_transfer *transfer = user_data;
    cor_tagged_result result;
    ucx_result_of(ucx_status(transfer, status), NULL, &result);
    transfer->library->options.done(transfer, &result);
    ucp_request_free(request);
}

static void ucx_received(void *request, ucs_status_t status, const ucp_tag_recv_info_t *info, void *user_data)
{
    cor_tagged_transfer *transfer = user_data;
    cor_tagged_result result;
    ucx_result_of(ucx_status(transfer, status), info, &result);
    if (transfer->at_once) {
        *transfer->at_once = result;
        transfer->at_once = NULL;
    } else {
        transfer->library->options.done(transfer, &result);
    }
    ucp_request_free(request);
}

/* What a call is told beside buffer and length; both are set here. */
static ucp_request_param_t ucx_begin(cor_tagged_library *library, cor_tagged_data *data, cor_tagged_transfer *transfer)
{
    ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
                                 .user_data = transfer};
    *transfer = (cor_tagged_transfer){.library = library, .bytes = data->bytes};
    if (data->is_in_pieces) {
        param.op_attr_mask |= UCP_OP_ATTR_FIELD_DATATYPE;
        param.datatype = library->pieces;
        *data = (cor_tagged_data){.memory = transfer, .bytes = 1};
    }
    return param;
}

static int ucx_send(cor_tagged_library *library, int peer, uint64_t tag, cor_tagged_data data, int is_sync,
                    cor_tagged_transfer *transfer)
{
    int error = library->peers[peer].endpoint ? 0 : ucx_reach(library, peer);
    if (error != 0)
        return error;
    ucp_request_param_t param = ucx_begin(library, &data, transfer);
    param.cb.send = ucx_sent;
    ucs_status_ptr_t request =
        is_sync ? ucp_tag_send_sync_nbx(library->peers[peer].endpoint, data.memory, data.bytes, tag, &param)
                : ucp_tag_send_nbx(library->peers[peer].endpoint, data.memory, data.bytes, tag, &param);
    if (UCS_PTR_IS_ERR(request))
        return UCS_PTR_STATUS(request);
    return request ? COR_TAGGED_STARTED : COR_TAGGED_DONE;
}

/* UCX 1.13 does not tell of the message where a receive ends at once, so the callback is asked for then, too. */
static ucp_request_param_t ucx_begin_receive(cor_tagged_library *library, cor_tagged_data *data,
                                             cor_tagged_transfer *transfer, cor_tagged_result *result_p)
{
    ucp_request_param_t param = ucx_begin(library, data, transfer);
    param.op_attr_mask |= UCP_OP_ATTR_FLAG_NO_IMM_CMPL;
    param.cb.recv = ucx_received;
    transfer->at_once = result_p;
    return param;
}

static int ucx_receive_begun(ucs_status_ptr_t request, cor_tagged_transfer *transfer)
{
    if (UCS_PTR_IS_ERR(request))
        return UCS_PTR_STATUS(request);
    if (!transfer->at_once)
        return COR_TAGGED_DONE;
    transfer->at_once = NULL;
    transfer->request = request;
    return COR_TAGGED_STARTED;
}

static int ucx_receive(cor_tagged_library *library, uint64_t tag, uint64_t mask, cor_tagged_data data,
                       cor_tagged_transfer *transfer, cor_tagged_result *result_p)
{
    ucx_watch(library, tag, mask);
    ucp_request_param_t param = ucx_begin_receive(library, &data, transfer, result_p);
    return ucx_receive_begun(ucp_tag_recv_nbx(library->worker, data.memory, data.bytes, tag, mask, &param), transfer);
}

static int ucx_probe(cor_tagged_library *library, uint64_t tag, uint64_t mask, cor_tagged_result *found_p,
                     void **message_p)
{
    ucp_tag_recv_info_t info;
    ucx_watch(library, tag, mask);
    ucp_tag_message_h message = ucp_tag_probe_nb(library->worker, tag, mask, message_p != NULL, &info);
    if (!message)
        return 0;
    ucx_result_of(UCS_OK, &info, found_p);
    if (message_p)
        *message_p = message;
    return 1;
}

static int ucx_receive_message(cor_tagged_library *library, void *message, cor_tagged_data data,
                               cor_tagged_transfer *transfer, cor_tagged_result *result_p)
{
    ucp_request_param_t param = ucx_begin_receive(library, &data, transfer, result_p);
    return ucx_receive_begun(ucp_tag_msg_recv_nbx(library->worker, data.memory, data.bytes, message, &param),
                             transfer);
}

static int ucx_receives_max(cor_tagged_library *library)
{
    (void)library;
    return INT_MAX;
}

static void ucx_cancel(cor_tagged_library *library, cor_tagged_transfer *transfer)
{
    transfer->is_cancelling = 1;
    ucp_request_cancel(library->worker, transfer->request);
}

/* ---- progress --------------------------------------------------------------------------------------------------- */

static int ucx_progress(cor_tagged_library *library)
{
    return (int)ucp_worker_progress(library->worker);
}

static int ucx_descriptor(cor_tagged_library *library)
{
    return library->descriptor;
}

/* Verbs tell of what comes after they were armed. UCX looks before it arms and not after it, and what came in between would
 * wake nobody, unless the adapter's driver tells of that too. */
static int ucx_arm(cor_tagged_library *library)
{
    return ucp_worker_arm(library->worker) == UCS_OK && ucp_worker_progress(library->worker) == 0;
}

const cor_tagged_ops cor_tagged_table = {
    .version = COR_TAGGED_VERSION,
    .name = "UCX",
    .open = ucx_open,
    .close = ucx_close,
    .library_version = ucx_version,
    .choice = ucx_choice,
    .choice_settings = "ucx.transports or UCX_TLS",
    .describe = ucx_describe,
    .explain = ucx_explain,
    .is_gone = ucx_is_gone,
    .address = ucx_address,
    .connect = ucx_connect,
    .send = ucx_send,
    .receive = ucx_receive,
    .probe = ucx_probe,
    .receive_message = ucx_receive_message,
    .cancel = ucx_cancel,
    .lose = ucx_lose,
    .receives_max = ucx_receives_max,
    .progress = ucx_progress,
    .tells_arrivals = 1,
    .descriptor = ucx_descriptor,
    .arm = ucx_arm,
};

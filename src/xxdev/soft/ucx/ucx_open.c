/* SPDX-License-Identifier: Apache-2.0 */
/* Context and worker of UCX, and their end. */
#include "xxdev/soft/ucx/ucx_state.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucs/debug/log_def.h>

/* Without error handling UCX ends this process when it cannot read the memory of another that has ended. That is no
 * reason: the message ends with an error. */
static ucs_log_func_rc_t ucx_log(const char *file, unsigned line, const char *function, ucs_log_level_t level,
                                 const ucs_log_component_config_t *config, const char *message, va_list values)
{
    (void)line, (void)function, (void)config, (void)message, (void)values;
    return level == UCS_LOG_LEVEL_FATAL && strstr(file, "cma_ep.c") ? UCS_LOG_FUNC_RC_STOP : UCS_LOG_FUNC_RC_CONTINUE;
}

/* For all ranks of the process, once: UCX's list of handlers is short, and no lock guards it. It stays, as this plugin
 * does. */
static void ucx_watch_log(void)
{
    ucs_log_push_handler(ucx_log);
}

static int ucx_fail(const char *what, ucs_status_t status, char *why, size_t why_bytes)
{
    snprintf(why, why_bytes, "%s: %s", what, ucs_status_string(status));
    return -1;
}

static const char *ucx_setting(const char *own, const char *variable)
{
    const char *value = own[0] ? own : getenv(variable);
    return value && value[0] ? value : "all";
}

const char *ucx_transports(const cor_fabric_library *library)
{
    return ucx_setting(library->options.transports, "UCX_TLS");
}

static int ucx_configure(const cor_fabric_options *options, ucp_config_t **config_p, char *why, size_t why_bytes)
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

/* In UCX's shared memory, what fits an entry of the queue with 36 bytes of UCX's and 32 of ours is written there at
 * once: 60 bytes by default, 188 with this. Anything longer takes a frame of ours, another call and a buffer of
 * UCX's. Where no transport knows the setting, UCX would warn of it; what the user has set stays. */
static void ucx_lengthen_entries(const cor_fabric_library *library, ucp_config_t *config)
{
    static const char *const variables[] = {"UCX_MM_FIFO_ELEM_SIZE", "UCX_POSIX_FIFO_ELEM_SIZE",
                                            "UCX_SYSV_FIFO_ELEM_SIZE", "UCX_XPMEM_FIFO_ELEM_SIZE"};
    int is_set = 0;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        is_set |= getenv(variables[i]) != NULL;
    if (!is_set && ucx_names_shared_memory(library))
        ucp_config_modify(config, "MM_FIFO_ELEM_SIZE", "256");
}

static int ucx_open_context(cor_fabric_library *library, char *why, size_t why_bytes)
{
    const cor_fabric_options *options = &library->options;
    ucp_config_t *config;
    ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_ESTIMATED_NUM_EPS,
                           .features = UCP_FEATURE_AM | UCP_FEATURE_RMA | UCP_FEATURE_AMO64 | UCP_FEATURE_WAKEUP,
                           .estimated_num_eps = (size_t)options->size};
    if (ucx_configure(options, &config, why, why_bytes) != 0)
        return -1;
    ucx_lengthen_entries(library, config);
    ucs_status_t status = ucp_init(&params, config, &library->context);
    ucp_config_release(config);
    if (status != UCS_ERR_NO_DEVICE)
        return status == UCS_OK ? 0 : ucx_fail("ucp_init", status, why, why_bytes);
    snprintf(why, why_bytes, "it finds nothing among transports %s and interfaces %s, see ucx_info -d",
             ucx_transports(library), ucx_setting(options->interface, "UCX_NET_DEVICES"));
    return -1;
}

/* One thread at a time, but not always the same. */
static int ucx_open_worker(cor_fabric_library *library, char *why, size_t why_bytes)
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
    const ucp_am_recv_callback_t handlers[] = {ucx_packet_arrived, ucx_message_arrived};
    for (unsigned id = 0; id < sizeof handlers / sizeof *handlers; id++) {
        ucp_am_handler_param_t handler = {.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB |
                                                        UCP_AM_HANDLER_PARAM_FIELD_ARG,
                                          .id = id,
                                          .cb = handlers[id],
                                          .arg = library};
        status = ucp_worker_set_am_recv_handler(library->worker, &handler);
        if (status != UCS_OK)
            return ucx_fail("ucp_worker_set_am_recv_handler", status, why, why_bytes);
    }
    return 0;
}

/* Let what was sent go, but wait for no peer that does not answer. */
static void ucx_close_endpoints(cor_fabric_library *library)
{
    enum { CLOSE_SECONDS = 2 };
    time_t limit = time(NULL) + CLOSE_SECONDS;
    for (int i = 0; i < library->options.size; i++) {
        ucx_peer *peer = &library->peers[i];
        ucs_status_ptr_t request = peer->endpoint ? ucp_ep_close_nb(peer->endpoint, UCP_EP_CLOSE_MODE_FLUSH) : NULL;
        while (UCS_PTR_IS_PTR(request) && ucp_request_check_status(request) == UCS_INPROGRESS && time(NULL) < limit)
            ucp_worker_progress(library->worker);
        if (UCS_PTR_IS_PTR(request))
            ucp_request_free(request);
    }
}

static int ucx_has_lost(const cor_fabric_library *library)
{
    for (int i = 0; i < library->options.size; i++)
        if (library->peers[i].is_lost)
            return 1;
    return 0;
}

static void ucx_free(cor_fabric_library *library)
{
    for (uint32_t i = 0; i < library->landing_count; i++)
        free(library->landings[i]);
    free(library->landings);
    for (int i = 0; i < library->options.size; i++)
        free(library->peers[i].address);
    free(library);
}

/* Sends that were forgotten with a lost peer never end, and a worker with such waits for them: it is left to the end of
 * the process. */
void ucx_close(cor_fabric_library *library)
{
    if (ucx_has_lost(library))
        return;
    ucx_forget_keys(library, -1);
    if (library->worker) {
        ucx_close_endpoints(library);
        if (library->address)
            ucp_worker_release_address(library->worker, library->address);
        ucp_worker_destroy(library->worker);
    }
    if (library->context)
        ucp_cleanup(library->context);
    ucx_free(library);
}

/* One of a name that is neither '.' nor '..'. */
static int ucx_has_entries(const char *path)
{
    DIR *directory = opendir(path);
    int count = 0;
    while (directory && readdir(directory))
        count++;
    if (directory)
        closedir(directory);
    return count > 2;
}

int ucx_open(const cor_fabric_options *options, cor_fabric_library **library_p, char *why, size_t why_bytes)
{
    static pthread_once_t is_log_watched = PTHREAD_ONCE_INIT;
    cor_fabric_library *library = calloc(1, sizeof *library + (size_t)options->size * sizeof library->peers[0]);
    if (!library) {
        snprintf(why, why_bytes, "no memory");
        return -1;
    }
    library->options = *options;
    library->descriptor = -1;
    library->has_rdma = ucx_has_entries("/sys/class/infiniband");
    pthread_once(&is_log_watched, ucx_watch_log);
    if (ucx_open_context(library, why, why_bytes) != 0 || ucx_open_worker(library, why, why_bytes) != 0) {
        ucx_close(library);
        return -1;
    }
    *library_p = library;
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Life of a rank: get its number, exchange addresses, open the device; and the reverse. */
#define _GNU_SOURCE
#include "base/clock.h"
#include "mp/activity.h"
#include "mp/alive.h"
#include "mp/internal.h"
#include "mp/mp_state.h"
#include "xxdev/closing.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* How long the launcher gets to notice the death of a rank, to report it, and to end the others. */
enum { RANK_DEFER_MS = 500 };
/* How long a process that has begun to end may take: longer than the launcher lets it. */
enum { RANK_ENDING_MS = 3000 };

/* ---- opening ---------------------------------------------------------------------------------------------------- */

static int rank_make_comms(cor_rank *rank, cor_fault *fault)
{
    for (int i = 0; i < COR_CONTEXT_WORDS; i++)
        rank->contexts[i] = UINT64_MAX;
    rank->contexts[0] &= ~(uint64_t)3; /* world and self */
    rank->world = cor_comm_make_first(rank, rank->known.size, NULL, COR_CONTEXT_WORLD);
    int me = rank->known.rank;
    rank->self = cor_comm_make_first(rank, 1, &me, COR_CONTEXT_SELF);
    if (!rank->world || !rank->self)
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for the first communicators");
    return COR_OK;
}

/* The device is closed, and no thread is in a call: free everything except what a late call reads before it finds that
 * out, and what queries of the rank return. */
static void rank_empty(cor_rank *rank)
{
    cor_rank_record_close(rank);
    cor_request_drop_all(rank);
    cor_comm_empty_all(rank);
    if (rank->coll_free)
        rank->coll_free(rank->coll);
    rank->coll = NULL;
    rank->coll_free = NULL;
    free(rank->node_of);
    rank->node_of = NULL;
}

/* Requests of a joined rank may be waited for through its origin: they go when that is closed, too. */
static void rank_empty_family(cor_rank *rank)
{
    rank_empty(rank);
    for (cor_link *link = rank->left.next; link != &rank->left; link = link->next)
        rank_empty(COR_OWNER(link, cor_rank, joined_link));
}

static void rank_shut(cor_rank *rank)
{
    cor_host *node = rank->node;
    cor_device *device = rank->device ? rank->device : rank->origin->device; /* either has the lock */
    if (rank->companion.step)
        cor_rank_part(rank);
    if (rank->device) {
        cor_device_enter(rank->device);
        rank->monitor.is_measured = 0; /* of calls that come from here on nothing is recorded */
        cor_device_leave(rank->device);
        cor_comm_end_subjects(rank);
        cor_device_close(rank->device);
    }
    if (device)
        cor_device_enter(device);
    if (rank->origin == rank)
        rank_empty_family(rank);
    else
        cor_list_append(&rank->origin->left, &rank->joined_link);
    rank->node = NULL;
    pthread_mutex_lock(&rank->boot_mutex);
    cor_boot *boot = rank->boot;
    if (boot)
        rank->boot = &rank->known;
    pthread_mutex_unlock(&rank->boot_mutex);
    if (device)
        cor_device_leave(device);
    /* Without the lock: a joined rank's boot has a communicator of the origin's. */
    if (node)
        cor_host_close(node);
    if (boot)
        boot->ops->close(boot);
}

/* A joined rank is freed before its origin. */
static void rank_forget(cor_rank *joined)
{
    cor_rank *origin = joined->origin;
    cor_device_enter(origin->device);
    cor_list_remove(&joined->joined_link);
    rank_empty(joined);
    cor_device_leave(origin->device);
}

void cor_rank_destroy(cor_rank *rank)
{
    if (rank->origin != rank)
        rank_forget(rank);
    while (!cor_list_is_empty(&rank->left))
        cor_rank_destroy(COR_OWNER(rank->left.next, cor_rank, joined_link));
    if (rank->dynamic_free)
        rank->dynamic_free(rank->dynamic);
    cor_comm_destroy_all(rank);
    cor_places_free(&rank->places);
    free(rank->strangers.known);
    cor_pool_fini(&rank->requests);
    cor_job_unref(rank->job);
    if (rank->device)
        cor_device_destroy(rank->device);
    pthread_mutex_destroy(&rank->boot_mutex);
    free(rank);
}

/* The part of the boot that is still readable when that is closed: no launcher is connected any more. */
static void rank_know(cor_rank *rank)
{
    rank->known = *rank->boot;
    rank->known.announces_failures = 0;
}

/* How this rank learns who it is: as a thread, through its device if that starts the ranks too, or by a launcher. */
static int rank_boot(cor_rank *rank, const cor_rank_options *options, cor_fault *fault)
{
    const cor_config *config = &rank->config;
    int device = config->mp.device;
    if (options->origin) {
        rank->boot = options->boot;
        return COR_OK;
    }
    if (options->team)
        return cor_team_boot(options->team, options->team_rank, &rank->boot, fault);
    if (!cor_device_kinds[device].start)
        return cor_boot_open(&config->boot, &rank->log, &rank->boot, fault);
    if (config->boot.way != COR_BOOT_AUTO)
        return cor_fault_set(fault, COR_ERR_KNOB, "the setting pmi must be auto with %s, which does not use PMI",
                             cor_device_kinds[device].name);
    return cor_device_boot(device, &config->devices, &rank->log, &rank->boot, fault);
}

/* The settings: the origin's, or those of the environment and the caller. Another MPI knows the ranks of its own job
 * only, so ranks joined to such a job use the default. */
static int rank_configure(cor_rank *rank, const cor_rank_options *options, cor_fault *fault)
{
    int rc = COR_OK;
    if (options->origin)
        rank->config = options->origin->config;
    else
        rc = cor_config_load(options->overrides, &rank->config, fault);
    if (rc != COR_OK)
        return rc;
    cor_mp_config *mp = &rank->config.mp;
    rank->log.level = mp->log_level;
    mp->device = cor_device_canonical(mp->device);
    if (options->origin && cor_device_kinds[mp->device].start)
        mp->device = 0;
    if (!options->origin && rank->config.win.progress == COR_WIN_PROGRESS_THREAD && !rank->is_threaded) {
        rank->is_threaded = 1;
        rank->lock = &rank->own_lock;
        cor_lock_bias(rank->lock);
    }
    return COR_OK;
}

/* A misspelt variable is reported once per job, not once per rank. */
static int rank_check_names(const cor_rank *rank, const char *const *overrides, cor_fault *fault)
{
    const cor_log quiet = {.level = COR_LOG_ERROR, .rank = rank->log.rank};
    return cor_config_check(overrides, rank->known.rank == 0 ? &rank->log : &quiet, fault);
}

/*
 * A rank that cannot open must not leave the others of its job waiting for it: the launcher ends them, with the reason.
 * If the rank has no boot, because the settings are invalid, the one of the environment is used for that. Returns where
 * no rank waits, or in a team, whose other members see this one leave.
 */
static void rank_give_up(cor_rank *rank, const cor_rank_options *options, int code, const cor_fault *fault)
{
    enum { LAST_WORDS_S = 10 };
    const cor_boot_config plain = {.way = COR_BOOT_AUTO, .timeout_s = LAST_WORDS_S};
    const cor_log quiet = {.level = COR_LOG_ERROR, .rank = -1};
    cor_fault ignored = {0};
    char reason[sizeof fault->text + 64];
    if (!rank->boot && options->team)
        cor_team_boot(options->team, options->team_rank, &rank->boot, &ignored);
    else if (!rank->boot)
        cor_boot_open(&plain, &quiet, &rank->boot, &ignored);
    if (rank->boot)
        rank_know(rank);
    if (!rank->boot || rank->known.size == 1 || rank->is_in_team || rank->boot->may_give_up)
        return;
    /* This process will end without looking back: what would outlive it has to go first. */
    if (rank->device)
        rank->device->ops->abandon(rank->device);
    if (rank->node)
        cor_host_abandon(rank->node);
    if (code == COR_ERR_PEER)
        *rank->fault = *fault;
    snprintf(reason, sizeof reason, "%s: %s", options->call ? options->call : "start",
             fault && fault->text[0] ? fault->text : cor_error_text(code));
    cor_rank_abort(rank, 1, reason);
}

/* Set the fields that need no exchange. NULL: no memory. */
static cor_rank *rank_create(const cor_rank_options *options)
{
    cor_rank *rank = calloc(1, sizeof *rank), *origin = options->origin;
    if (!rank)
        return NULL;
    cor_pool_init(&rank->requests, sizeof(cor_request));
    cor_list_init(&rank->orphans);
    cor_list_init(&rank->buffers);
    cor_list_init(&rank->comms);
    cor_list_init(&rank->joined);
    cor_list_init(&rank->left);
    pthread_mutex_init(&rank->boot_mutex, NULL);
    rank->origin = origin ? origin : rank;
    rank->fault = &rank->origin->own_fault;
    rank->prepare = origin ? origin->prepare : options->prepare;
    rank->is_threaded = origin ? origin->is_threaded : options->is_threaded;
    rank->long_double_bits = origin ? origin->long_double_bits : options->long_double_bits;
    rank->lock = rank->is_threaded ? &rank->origin->own_lock : NULL;
    if (rank->lock && !origin)
        cor_lock_bias(rank->lock); /* mostly the opening thread is the only one that calls */
    rank->is_in_team = options->team != NULL;
    rank->team = options->team;
    rank->log = (cor_log){.level = COR_LOG_WARN, .rank = -1};
    if (gethostname(rank->host, sizeof rank->host - 1) != 0)
        snprintf(rank->host, sizeof rank->host, "localhost");
    return rank;
}

int cor_rank_open(const cor_rank_options *options, cor_rank **rank_p, cor_fault *fault)
{
    cor_rank *rank = rank_create(options);
    if (!rank) {
        if (options->boot)
            options->boot->ops->close(options->boot);
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for a rank");
    }
    int rc = rank_configure(rank, options, fault);
    if (rc == COR_OK)
        rc = rank_boot(rank, options, fault);
    if (rc == COR_OK) {
        rank_know(rank);
        rank->log.rank = rank->origin->known.rank;
        COR_LOG(&rank->log, DEBUG, "rank %d of %d on %s, started by %s, pid %d", rank->known.rank, rank->known.size,
                rank->host, rank->boot->ops->name, (int)getpid());
        if (rank->origin == rank)
            rc = rank_check_names(rank, options->overrides, fault);
    }
    if (rc == COR_OK && rank->prepare)
        rc = rank->prepare(rank, fault);
    if (rc == COR_OK)
        rc = cor_rank_open_device(rank, fault);
    if (rc == COR_OK)
        rc = rank_make_comms(rank, fault);
    if (rc != COR_OK) {
        rank_give_up(rank, options, rc, fault);
        rank_shut(rank);
        cor_rank_destroy(rank);
        return rc;
    }
    if (rank->origin == rank)
        cor_rank_record_open(rank, options->is_java ? COR_FACE_JAVA : COR_FACE_C);
    else
        cor_rank_join(rank);
    *rank_p = rank;
    return COR_OK;
}

/* ---- closing ---------------------------------------------------------------------------------------------------- */

/* Must a request that was freed still be completed? A receive need not be before all ranks have sent what they send. */
static int rank_has_orphans(const cor_rank *rank, int is_last)
{
    for (const cor_link *link = rank->orphans.next; link != &rank->orphans; link = link->next)
        if (is_last || COR_OWNER(link, const cor_request, orphan)->kind != COR_REQUEST_RECV)
            return 1;
    return 0;
}

/* Complete everything on its way: buffered sends, forgotten requests, packets in the outbox. If `is_last`, a forgotten
 * receive that no message has matched is cancelled, and afterwards other threads are kept from the device: none may
 * send anything more, nor poll after the last fence. */
static void rank_drain(cor_rank *rank, int is_last)
{
    cor_buffer_drain(rank);
    cor_device *device = rank->device;
    cor_device_enter(device);
    cor_idle_state idle = {0};
    /* Another thread may send the last packet, which wakes no sleeper: nap, instead of sleeping. */
    int is_silent = device->waiter.is_silent;
    device->waiter.is_silent = 1;
    if (is_last)
        cor_request_cancel_orphans(rank);
    while (cor_request_sweep(rank), rank_has_orphans(rank, is_last) || !device->ops->is_drained(device)) {
        if (cor_device_progress(device, -1) > 0)
            idle = (cor_idle_state){0};
        else
            cor_device_idle(device, &idle);
    }
    device->waiter.is_silent = is_silent;
    if (is_last)
        cor_device_quiet(device);
    cor_device_leave(device);
}

void cor_rank_settle(cor_rank *rank)
{
    rank_drain(rank, 0);
}

int cor_rank_is_entered(cor_rank *rank)
{
    cor_device *device = rank->device;
    cor_device_enter(device);
    int is_entered = device->away > 0 || device->outside > 0;
    cor_device_leave(device);
    return is_entered;
}

int cor_rank_may_reopen(const cor_rank *rank)
{
    return rank->known.ops->may_reopen;
}

/* A peer that is lost now has failed: it will not reach the fence. */
static int rank_meanwhile(void *subject, cor_fault *fault)
{
    cor_rank *rank = subject;
    cor_device_enter(rank->device);
    cor_device_progress_last(rank->device);
    cor_device_leave(rank->device);
    int rc = cor_comm_check_alive(rank->world);
    if (rc != COR_OK)
        *fault = *rank->fault;
    return rc;
}

/* The last packets have left, but a connection may break before they arrive: then a peer still needs us. */
static int rank_last_fence(cor_rank *rank, cor_fault *fault)
{
    cor_boot *boot = rank->boot;
    cor_device_enter(rank->device);
    int goes_on = rank->device->last_ops->begin_shutdown(rank->device);
    cor_device_leave(rank->device);
    if (goes_on) {
        boot->meanwhile = rank_meanwhile;
        boot->subject = rank;
    }
    return boot->ops->fence(boot, "reached the end of MPI_Finalize", fault);
}

int cor_rank_finalize(cor_rank *rank, cor_fault *fault)
{
    /* A program that was notified of a loss, and has not ended because of it, may end normally. */
    cor_device_enter(rank->device);
    int was_told = rank->device->losses.count > 0 || rank->fault->code == COR_ERR_PEER;
    cor_device_leave(rank->device);
    cor_rank_record_finalize(rank);
    rank_drain(rank, 0);
    /* After this barrier no rank has anything left to send but the barrier's own last packets, so that it is enough
     * to push those out before meeting at the launcher. */
    int rc = cor_internal_all_and(rank->world, NULL, 0);
    if (rc == COR_ERR_PEER)
        cor_rank_meet_survivors(rank);
    rank_drain(rank, 1);
    /* If a rank is lost the launcher would wait for it for ever. */
    int told = rc == COR_OK ? rank_last_fence(rank, fault) : COR_OK;
    if (told == COR_OK)
        told = rank->boot->ops->finalize(rank->boot, fault);
    if (told == COR_ERR_PEER)
        *rank->fault = *fault;
    if (rc != COR_OK || told != COR_OK)
        cor_rank_defer(rank);
    if (rc == COR_ERR_PEER && was_told)
        rc = COR_OK;
    else if (rc != COR_OK)
        *fault = *rank->fault;
    rank_shut(rank);
    return rc != COR_OK ? rc : told;
}

int cor_rank_close(cor_rank *rank, cor_fault *fault)
{
    int rc = cor_rank_finalize(rank, fault);
    cor_rank_destroy(rank);
    return rc;
}

/* Will the launcher report more about a loss? A rank that has been finalised has lost no peer. */
static int rank_awaits_news(cor_rank *rank)
{
    if (rank->log.level >= COR_LOG_INFO)
        return 0;
    if (!rank->device)
        return rank->fault->code == COR_ERR_PEER && rank->boot->announces_failures;
    cor_device_enter(rank->device);
    int has_lost = rank->fault->code == COR_ERR_PEER || cor_losses_any(&rank->device->losses);
    int announces = rank->boot->announces_failures;
    cor_device_leave(rank->device);
    return has_lost && announces;
}

void cor_rank_defer(cor_rank *rank)
{
    if (!rank_awaits_news(rank))
        return;
    /* All threads wait for the same moment, which cor_rank_ending may put off. */
    uint64_t none = 0;
    atomic_compare_exchange_strong(&rank->defer_until_ns, &none, cor_clock_ns() + RANK_DEFER_MS * UINT64_C(1000000));
    while (cor_clock_ns() < atomic_load(&rank->defer_until_ns))
        poll(NULL, 0, 10);
    if (!rank->device)
        return;
    cor_device_enter(rank->device);
    cor_losses_report(&rank->device->losses);
    cor_device_leave(rank->device);
}

void cor_rank_ending(cor_rank *rank)
{
    atomic_store(&rank->defer_until_ns, cor_clock_ns() + RANK_ENDING_MS * UINT64_C(1000000));
}

void cor_rank_abort(cor_rank *rank, int status, const char *reason)
{
    rank = rank->origin;
    cor_rank_defer(rank);
    cor_rank_record_abort(rank);
    if (reason)
        fprintf(stderr, "corunna: rank %d on %s: %s\n", rank->known.rank, rank->host, reason);
    /* What the program has printed so far shall be seen: the launcher may end this process at once. */
    fflush(NULL);
    pthread_mutex_lock(&rank->boot_mutex);
    if (rank->boot == &rank->known)
        _exit(status & 0xff ? status & 0xff : 1); /* the others have ended as well */
    rank->boot->ops->abort(rank->boot, status, reason ? reason : "the program asked to end the job");
    pthread_mutex_unlock(&rank->boot_mutex);
    if (!rank->is_in_team)
        _exit(status & 0xff ? status & 0xff : 1);
}

/* ---- facts ------------------------------------------------------------------------------------------------------ */

int cor_rank_number(const cor_rank *rank)
{
    return rank->known.rank;
}

int cor_rank_size(const cor_rank *rank)
{
    return rank->known.size;
}

const char *cor_rank_host(const cor_rank *rank)
{
    return rank->host;
}

cor_comm *cor_rank_world(cor_rank *rank)
{
    return rank->world;
}

cor_comm *cor_rank_self(cor_rank *rank)
{
    return rank->self;
}

const cor_fault *cor_rank_fault(const cor_rank *rank)
{
    return rank->fault;
}

void cor_rank_copy_fault(cor_rank *rank, cor_fault *copy)
{
    cor_device *device = rank->origin->device;
    cor_device_enter(device);
    *copy = *rank->fault;
    cor_device_leave(device);
}

void cor_rank_set_fault(cor_rank *rank, const cor_fault *fault)
{
    cor_device *device = rank->origin->device;
    cor_device_enter(device);
    *rank->fault = *fault;
    cor_device_leave(device);
}

int cor_rank_tag_max(const cor_rank *rank)
{
    return rank->device->tag_max;
}

int cor_rank_has_own_time(const cor_rank *rank)
{
    return rank->device->ops->clock_ns != NULL;
}

uint64_t cor_rank_clock_ns(cor_rank *rank)
{
    if (!cor_rank_has_own_time(rank))
        return cor_clock_ns();
    cor_device_enter(rank->device);
    uint64_t now = cor_device_is_closed(rank->device) ? cor_clock_ns() : rank->device->ops->clock_ns(rank->device);
    cor_device_leave(rank->device);
    return now;
}

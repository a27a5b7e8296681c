/* Life of a rank: find out who it is, meet the others, open the device, and the same backwards. */
#define _GNU_SOURCE
#include "base/clock.h"
#include "mp/alive.h"
#include "mp/internal.h"
#include "mp/mp_state.h"
#include "mp/terms.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* How long our launcher gets to see a rank die, to tell it, and to end the others. */
enum { RANK_DEFER_MS = 500 };
/* How long a process that has begun to end may take: longer than the launcher lets it. */
enum { RANK_ENDING_MS = 3000 };

/* ---- opening ---------------------------------------------------------------------------------------------------- */

/* An address begins with the name of its wire and the version of its protocol. */
static int rank_check_alike(const char *const *addresses, int size, cor_fault *fault)
{
    int length = (int)strcspn(addresses[0], ",");
    for (int i = 1; i < size; i++)
        if (strncmp(addresses[i], addresses[0], (size_t)length + 1) != 0)
            return cor_fault_set(fault, COR_ERR_UNREACHABLE,
                                 "rank %d speaks %.*s, rank 0 %.*s: all ranks of a job need the same build of Corunna",
                                 i, (int)strcspn(addresses[i], ","), addresses[i], length, addresses[0]);
    return COR_OK;
}

/* All ranks have found the same difference. Rank 0 says so and ends the job; should it not come to that, since it has
 * died or is too strange to see a difference, the others say it, later. */
static void rank_let_first_tell(const cor_rank *rank)
{
    enum { PATIENCE_S = 5 };
    struct timespec rest = {.tv_sec = PATIENCE_S};
    while (rank->boot->rank > 0 && !rank->is_in_team && nanosleep(&rest, &rest) != 0 && errno == EINTR)
        continue;
}

_Static_assert(COR_TERMS_MAX + COR_WIRE_ADDRESS_MAX <= COR_BOOT_VALUE_MAX, "both go in one exchange");

/* Tell the others the address of a wire and learn theirs. With the first one goes what all must have in common. */
static int rank_exchange(cor_rank *rank, int index, const char **addresses, cor_fault *fault)
{
    cor_wire *wire = cor_soft_wire(rank->device, index);
    char text[COR_TERMS_MAX + COR_WIRE_ADDRESS_MAX] = "";
    const char *const *texts;
    int rc = index == 0 ? cor_terms_write(&rank->config, rank->host, rank->long_double_bits, text, fault) : COR_OK;
    if (rc != COR_OK)
        return rc;
    wire->ops->address(wire, text + strlen(text));
    rc = rank->boot->ops->exchange(rank->boot, "address", text, &texts, fault);
    if (rc == COR_OK && index == 0)
        rc = cor_terms_compare(texts, rank->boot->size, &rank->config, fault);
    for (int i = 0; rc == COR_OK && i < rank->boot->size; i++)
        addresses[i] = index == 0 ? cor_terms_end(texts[i]) : texts[i];
    if (rc == COR_OK)
        rc = rank_check_alike(addresses, rank->boot->size, fault);
    if (rc == COR_ERR_UNREACHABLE)
        rank_let_first_tell(rank);
    return rc;
}

/* A wire was just added: exchange addresses; then it says whom it reaches. */
static int rank_introduce(cor_rank *rank, int index, uint8_t *reached, cor_fault *fault)
{
    cor_wire *wire = cor_soft_wire(rank->device, index);
    const char **addresses = calloc((size_t)rank->boot->size, sizeof *addresses);
    if (!addresses)
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for the addresses of %d ranks", rank->boot->size);
    int rc = rank_exchange(rank, index, addresses, fault);
    if (rc == COR_OK && index == 0)
        rc = cor_rank_find_nodes(rank, addresses, fault);
    if (rc == COR_OK)
        rc = wire->ops->connect(wire, addresses, reached, fault);
    free(addresses);
    return rc;
}

static int rank_is_one_node(const cor_rank *rank)
{
    for (int i = 0; i < rank->boot->size; i++)
        if (rank->node_of[i] != 0)
            return 0;
    return 1;
}

/* Which wires the device has. A network is opened only if the near wire does not reach everybody, which all ranks see
 * alike from the addresses: a job on one host has no socket and no further exchange. */
static int rank_add_wires(cor_rank *rank, uint8_t **reached, cor_fault *fault)
{
    int choice = rank->config.mp.device;
    int is_near = choice == COR_DEVICE_HYB || choice == COR_DEVICE_SM;
    int rc = is_near ? cor_soft_add_wire(rank->device, &cor_sm_wire, &rank->config.sm, fault)
                     : cor_soft_add_wire(rank->device, &cor_tcp_wire, &rank->config.tcp, fault);
    if (rc == COR_OK)
        rc = rank_introduce(rank, 0, reached[0], fault);
    if (rc != COR_OK || choice != COR_DEVICE_HYB || rank_is_one_node(rank))
        return rc;
    rc = cor_soft_add_wire(rank->device, &cor_tcp_wire, &rank->config.tcp, fault);
    return rc == COR_OK ? rank_introduce(rank, 1, reached[1], fault) : rc;
}

/* The wires' set-up in step with everybody else's: addresses, fence, attach, fence. */
static int rank_connect(cor_rank *rank, uint8_t **reached, cor_fault *fault)
{
    int rc = rank_add_wires(rank, reached, fault);
    if (rc == COR_OK)
        rc = rank->boot->ops->fence(rank->boot, "made room for messages", fault);
    for (int i = 0; rc == COR_OK && i < cor_soft_wire_count(rank->device); i++) {
        cor_wire *wire = cor_soft_wire(rank->device, i);
        rc = wire->ops->attach(wire, fault);
    }
    if (rc == COR_OK)
        rc = rank->boot->ops->fence(rank->boot, "mapped each other's memory", fault);
    for (int i = 0; rc == COR_OK && i < cor_soft_wire_count(rank->device); i++) {
        cor_wire *wire = cor_soft_wire(rank->device, i);
        wire->ops->settle(wire);
    }
    return rc;
}

int cor_rank_route(cor_rank *rank, int peer, char *out, size_t out_bytes)
{
    char next[COR_ROUTE_MAX];
    int last = peer;
    rank->device->ops->describe(rank->device, peer, out, out_bytes);
    while (last + 1 < rank->boot->size) {
        rank->device->ops->describe(rank->device, last + 1, next, sizeof next);
        if (strncmp(out, next, out_bytes - 1) != 0)
            break;
        last++;
    }
    return last;
}

/* Which way to whom, neighbours with the same way in one line. */
static void rank_tell_routes(cor_rank *rank)
{
    char line[COR_ROUTE_MAX];
    for (int peer = 0, last; peer < rank->boot->size; peer = last + 1) {
        last = cor_rank_route(rank, peer, line, sizeof line);
        if (peer == last)
            COR_LOG(&rank->log, INFO, "%s to rank %d: %s", rank->device->ops->name, peer, line);
        else
            COR_LOG(&rank->log, INFO, "%s to ranks %d-%d: %s", rank->device->ops->name, peer, last, line);
    }
}

static int rank_open_device(cor_rank *rank, cor_fault *fault)
{
    static const char *const names[] = {"hybdev", "smdev", "tcpdev"};
    cor_soft_options options = {
        .name = names[rank->config.mp.device],
        .rank = rank->boot->rank,
        .size = rank->boot->size,
        .lock = rank->is_threaded ? &rank->lock : NULL,
        .log = &rank->log,
        .defers_losses = rank->boot->tells_losses,
        .config = &rank->config.soft,
        .fault = &rank->fault,
        .holds = cor_comm_holds,
        .owner = rank,
    };
    int rc = cor_soft_open(&options, &rank->device, fault);
    if (rc != COR_OK)
        return rc;
    size_t size = (size_t)rank->boot->size;
    uint8_t *memory = calloc(2, size);
    uint8_t *reached[2] = {memory, memory + size};
    if (!memory)
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for %d peers", rank->boot->size);
    rc = rank_connect(rank, reached, fault);
    if (rc == COR_OK)
        rc = cor_soft_ready(rank->device, reached, fault);
    free(memory);
    if (rc == COR_OK && rank->log.level >= COR_LOG_INFO)
        rank_tell_routes(rank);
    return rc;
}

static int rank_make_comms(cor_rank *rank, cor_fault *fault)
{
    for (int i = 0; i < COR_CONTEXT_WORDS; i++)
        rank->contexts[i] = UINT64_MAX;
    rank->contexts[0] &= ~(uint64_t)3; /* world and self */
    rank->world = cor_comm_make_first(rank, rank->boot->size, NULL, COR_CONTEXT_WORLD);
    int me = rank->boot->rank;
    rank->self = cor_comm_make_first(rank, 1, &me, COR_CONTEXT_SELF);
    if (!rank->world || !rank->self)
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for the first communicators");
    return COR_OK;
}

static void rank_dispose(cor_rank *rank)
{
    cor_request_drop_all(rank);
    if (rank->self)
        cor_comm_drop_locked(rank->self);
    if (rank->world)
        cor_comm_drop_locked(rank->world);
    if (rank->device)
        rank->device->ops->close(rank->device);
    if (rank->coll_free)
        rank->coll_free(rank->coll);
    free(rank->node_of);
    if (rank->boot)
        rank->boot->ops->close(rank->boot);
    cor_pool_fini(&rank->requests);
    free(rank);
}

/* A misspelt variable is told once a job, not once a rank. */
static int rank_check_names(const cor_rank *rank, const char *const *overrides, cor_fault *fault)
{
    const cor_log quiet = {.level = COR_LOG_ERROR, .rank = rank->log.rank};
    return cor_config_check(overrides, rank->boot->rank == 0 ? &rank->log : &quiet, fault);
}

/*
 * A rank that cannot open must not leave the others of its job waiting for it: the launcher ends them, and they hear
 * why. If it does not even have its boot, because the settings are wrong, the one of the environment will do for that.
 * Returns where nobody waits, or in a team, whose other members see this one leave.
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
    if (!rank->boot || rank->boot->size == 1 || rank->is_in_team)
        return;
    /* This process will end without looking back: what would outlive it has to go first. */
    for (int i = 0; rank->device && i < cor_soft_wire_count(rank->device); i++) {
        cor_wire *wire = cor_soft_wire(rank->device, i);
        if (wire->ops->abandon)
            wire->ops->abandon(wire);
    }
    if (code == COR_ERR_PEER)
        rank->fault = *fault;
    snprintf(reason, sizeof reason, "%s: %s", options->call ? options->call : "start",
             fault && fault->text[0] ? fault->text : cor_error_text(code));
    cor_rank_abort(rank, 1, reason);
}

int cor_rank_open(const cor_rank_options *options, cor_rank **rank_p, cor_fault *fault)
{
    cor_rank *rank = calloc(1, sizeof *rank);
    if (!rank)
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for a rank");
    cor_pool_init(&rank->requests, sizeof(cor_request));
    cor_list_init(&rank->orphans);
    cor_list_init(&rank->buffers);
    cor_list_init(&rank->comms);
    rank->is_threaded = options->is_threaded;
    rank->long_double_bits = options->long_double_bits;
    if (rank->is_threaded)
        cor_lock_favour(&rank->lock); /* who opens a rank mostly is who calls */
    rank->is_in_team = options->team != NULL;
    rank->log = (cor_log){.level = COR_LOG_WARN, .rank = -1};
    if (gethostname(rank->host, sizeof rank->host - 1) != 0)
        snprintf(rank->host, sizeof rank->host, "localhost");

    int rc = cor_config_load(options->overrides, &rank->config, fault);
    if (rc == COR_OK)
        rank->log.level = rank->config.mp.log_level;
    if (rank->config.mp.device == COR_DEVICE_NIO)
        rank->config.mp.device = COR_DEVICE_TCP; /* two names of one */
    if (rc == COR_OK)
        rc = options->team ? cor_team_boot(options->team, options->team_rank, &rank->boot, fault)
                           : cor_boot_open(&rank->config.boot, &rank->log, &rank->boot, fault);
    if (rc == COR_OK) {
        rank->log.rank = rank->boot->rank;
        COR_LOG(&rank->log, DEBUG, "rank %d of %d on %s, started by %s, pid %d", rank->boot->rank, rank->boot->size,
                rank->host, rank->boot->ops->name, (int)getpid());
        rc = rank_check_names(rank, options->overrides, fault);
    }
    if (rc == COR_OK && options->prepare)
        rc = options->prepare(rank, fault);
    if (rc == COR_OK)
        rc = rank_open_device(rank, fault);
    if (rc == COR_OK)
        rc = rank_make_comms(rank, fault);
    if (rc != COR_OK) {
        rank_give_up(rank, options, rc, fault);
        rank_dispose(rank);
        return rc;
    }
    *rank_p = rank;
    return COR_OK;
}

/* ---- closing ---------------------------------------------------------------------------------------------------- */

/* Let go of everything on its way: buffered sends, forgotten requests, packets in the outbox. */
static void rank_drain(cor_rank *rank)
{
    cor_buffer_drain(rank);
    cor_device *device = rank->device;
    cor_device_enter(device);
    cor_idle_state idle = {0};
    while (cor_request_sweep(rank), !cor_list_is_empty(&rank->orphans) || !device->ops->is_drained(device)) {
        if (cor_device_progress(device, -1) > 0)
            idle = (cor_idle_state){0};
        else
            device->ops->idle(device, &idle);
    }
    cor_device_leave(device);
}

static void rank_meanwhile(void *subject)
{
    cor_rank *rank = subject;
    cor_device_enter(rank->device);
    cor_device_progress(rank->device, -1);
    cor_device_leave(rank->device);
}

/* The last packets have left, but a connection may break before they arrive: then a peer still needs us. */
static int rank_last_fence(cor_rank *rank, cor_fault *fault)
{
    cor_boot *boot = rank->boot;
    for (int i = 0; i < cor_soft_wire_count(rank->device); i++) {
        cor_wire *wire = cor_soft_wire(rank->device, i);
        if (!wire->ops->part)
            continue;
        wire->ops->part(wire);
        boot->meanwhile = rank_meanwhile;
        boot->subject = rank;
    }
    return boot->ops->fence(boot, "come to the end of MPI_Finalize", fault);
}

int cor_rank_close(cor_rank *rank, cor_fault *fault)
{
    /* A program that has been told of a loss, and has not ended for it, may end well. */
    int was_told = rank->device->lost_count > 0 || rank->fault.code == COR_ERR_PEER;
    rank_drain(rank);
    /* After this barrier nobody has anything left to send but the barrier's own last packets, so that it is enough
     * to push those out before meeting at the launcher. */
    int rc = cor_internal_all_and(rank->world, NULL, 0);
    if (rc == COR_ERR_PEER)
        cor_rank_meet_survivors(rank);
    rank_drain(rank);
    /* If a rank is lost the launcher would wait for it in vain. */
    int told = rc == COR_OK ? rank_last_fence(rank, fault) : COR_OK;
    if (told == COR_OK)
        told = rank->boot->ops->finalize(rank->boot, fault);
    if (told == COR_ERR_PEER)
        rank->fault = *fault;
    if (rc != COR_OK || told != COR_OK)
        cor_rank_defer(rank);
    if (rc == COR_ERR_PEER && was_told)
        rc = COR_OK;
    else if (rc != COR_OK)
        *fault = rank->fault;
    rank_dispose(rank);
    return rc != COR_OK ? rc : told;
}

void cor_rank_defer(cor_rank *rank)
{
    int has_lost = rank->fault.code == COR_ERR_PEER || (rank->device && rank->device->lost_count > 0);
    if (!has_lost || !rank->boot->tells_losses || rank->log.level >= COR_LOG_INFO)
        return;
    /* All threads wait for the same moment, which cor_rank_ending may put off. */
    uint64_t none = 0;
    atomic_compare_exchange_strong(&rank->defer_until_ns, &none, cor_clock_ns() + RANK_DEFER_MS * UINT64_C(1000000));
    while (cor_clock_ns() < atomic_load(&rank->defer_until_ns))
        poll(NULL, 0, 10);
    if (!rank->device)
        return;
    cor_device_enter(rank->device);
    cor_soft_tell_lost(rank->device);
    cor_device_leave(rank->device);
}

void cor_rank_ending(cor_rank *rank)
{
    atomic_store(&rank->defer_until_ns, cor_clock_ns() + RANK_ENDING_MS * UINT64_C(1000000));
}

void cor_rank_abort(cor_rank *rank, int status, const char *reason)
{
    cor_rank_defer(rank);
    if (reason)
        fprintf(stderr, "corunna: rank %d on %s: %s\n", rank->boot->rank, rank->host, reason);
    /* What the program has printed so far shall be seen: the launcher may end this process at once. */
    fflush(NULL);
    rank->boot->ops->abort(rank->boot, status, reason ? reason : "the program asked to end the job");
    if (!rank->is_in_team)
        _exit(status & 0xff ? status & 0xff : 1);
}

/* ---- facts ------------------------------------------------------------------------------------------------------ */

int cor_rank_number(const cor_rank *rank)
{
    return rank->boot->rank;
}

int cor_rank_size(const cor_rank *rank)
{
    return rank->boot->size;
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
    return &rank->fault;
}

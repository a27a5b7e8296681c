/* SPDX-License-Identifier: Apache-2.0 */
/* Life of a host: find the local ranks, share memory with them. */
#include "wait/host_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HOST_FIELD(field) offsetof(cor_host_config, field)

static const cor_knob host_knob_rows[] = {
    {"sm.segment", COR_KNOB_CHOICE, HOST_FIELD(segment), "memfd", "memfd|file", 0, 0,
     "kind of shared memory; a file is unlinked as soon as it is mapped"},
    {"sm.spread", COR_KNOB_BOOL, HOST_FIELD(spread), "no", NULL, 0, 0,
     "spread ranks that share CPUs evenly over them; a rank may still run on all CPUs that it was given"},
};

const cor_knob_table cor_host_knobs = {host_knob_rows, sizeof host_knob_rows / sizeof *host_knob_rows};

enum { HOST_PAGE_BYTES = 4096 };

/* ---- addresses -------------------------------------------------------------------------------------------------- */

/* <boot id>,<pid space>,<pid>,<fd>,<host>,<CPUs>,<which>,<path or ->: <host> is meant for threads of the same process
 * only; of the CPUs on which the rank may run, number n is bit n % 64. */
void cor_host_address(const cor_host *host, char text[COR_HOST_ADDRESS_MAX])
{
    cor_cpu_set allowed;
    uint64_t cpus = 0;
    cor_cpu_allowed(&allowed);
    for (int word = 0; word < COR_CPU_MAX / 64; word++)
        cpus |= allowed.bits[word];
    snprintf(text, COR_HOST_ADDRESS_MAX, "%s,%s%s,%d,%d,%llx,%d,%llx,%s", host->host, host->pid_space,
             host->options.is_apart ? "!" : "", (int)getpid(), host->fd, (unsigned long long)(uintptr_t)host,
             cor_cpu_count(&allowed), (unsigned long long)cpus, host->path[0] ? host->path : "-");
}

/* One kernel and one space of process ids: everything before the second comma. */
int cor_host_is_one_node(const char *address, const char *other)
{
    const char *comma = strchr(address, ',');
    comma = comma ? strchr(comma + 1, ',') : NULL;
    return comma && comma[-1] != '!' && strncmp(address, other, (size_t)(comma + 1 - address)) == 0;
}

/* What is read of an address. */
typedef struct host_address {
    int pid, fd, cpu_count;
    unsigned long long thread, cpus;
    const char *path;
    size_t path_length;
} host_address;

/* Every rank reads the addresses of all, so by hand: scanf and strtoull take a large part of a start with many ranks.
 * Each of these moves on behind what it has read. 0: it is not valid. */
static int host_skip(const char **at_p, int fields)
{
    for (; fields > 0; fields--) {
        const char *comma = strchr(*at_p, ',');
        if (!comma)
            return 0;
        *at_p = comma + 1;
    }
    return 1;
}

static int host_take_number(const char **at_p, unsigned base, unsigned long long *value_p)
{
    const char *at = *at_p + (**at_p == '-'), *first = at;
    unsigned long long value = 0;
    for (;; at++) {
        unsigned digit = *at >= 'a' ? (unsigned)(*at - 'a') + 10 : (unsigned)(*at - '0');
        if (digit >= base)
            break;
        value = value * base + digit;
    }
    if (at == first || *at != ',')
        return 0;
    *value_p = **at_p == '-' ? 0 - value : value;
    *at_p = at + 1;
    return 1;
}

static int host_parse(const char *text, int rank, host_address *address, cor_fault *fault)
{
    const char *at = text;
    unsigned long long pid, fd, cpu_count;
    int is_valid = host_skip(&at, 2) && host_take_number(&at, 10, &pid) && host_take_number(&at, 10, &fd) &&
                   host_take_number(&at, 16, &address->thread) && host_take_number(&at, 10, &cpu_count) &&
                   host_take_number(&at, 16, &address->cpus);
    address->path = at;
    address->path_length = strcspn(at, ";");
    if (!is_valid || address->path_length == 0 || address->path_length >= COR_HOST_PATH_MAX)
        return cor_fault_set(fault, COR_ERR_PROTOCOL, "rank %d has published an invalid host address: %.60s", rank,
                             text);
    address->pid = (int)pid;
    address->fd = (int)fd;
    address->cpu_count = (int)cpu_count;
    return COR_OK;
}

/* Does the rank run on the same kernel as this one, in any pid namespace? */
static int host_is_same_kernel(const cor_host *host, const char *address)
{
    size_t length = strlen(host->host);
    return strncmp(address, host->host, length) == 0 && address[length] == ',';
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

int cor_host_open(const cor_host_options *options, cor_host **host_p, cor_fault *fault)
{
    cor_host *host = calloc(1, sizeof *host);
    if (!host)
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for the ranks of a host");
    host->options = *options;
    host->fd = host->bell_pipe[0] = host->bell_pipe[1] = -1;
    cor_process_where(host->host, host->pid_space);
    if (!options->is_apart)
        host_segment_create(host);
    *host_p = host;
    return COR_OK;
}

static void host_add(cor_host *host, int rank, const host_address *address, pid_t own_pid)
{
    cor_host_peer *peer = &host->peers[host->count];
    *peer = (cor_host_peer){.rank = rank, .pid = address->pid, .bell_fd = -1, .process_fd = -1};
    if (host->count == 0) {
        host->maker_fd = address->fd;
        if (address->path[0] != '-')
            memcpy(host->maker_path, address->path, address->path_length);
    }
    if (address->pid == own_pid) {
        peer->is_same_memory = 1;
        peer->thread = (cor_host *)(uintptr_t)address->thread;
    }
    host->process_count += !peer->is_same_memory;
    if (rank == host->options.rank)
        host->me = host->count;
    host->index_of[rank] = host->count++;
}

int cor_host_connect(cor_host *host, const char *const *addresses, cor_fault *fault)
{
    int size = host->options.size;
    unsigned long long cpus = 0;
    pid_t own_pid = getpid(); /* a system call, and there may be very many ranks */
    host->peers = calloc((size_t)size, sizeof *host->peers);
    host->index_of = malloc((size_t)size * sizeof *host->index_of);
    if (!host->peers || !host->index_of)
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for the %d ranks of a job", size);
    for (int rank = 0; rank < size; rank++) {
        host_address address = {0};
        int rc = host_parse(addresses[rank], rank, &address, fault);
        if (rc != COR_OK)
            return rc;
        host->index_of[rank] = -1;
        if (rank == host->options.rank || cor_host_is_one_node(addresses[rank], addresses[host->options.rank]))
            host_add(host, rank, &address, own_pid);
        if (host_is_same_kernel(host, addresses[rank])) {
            host->rank_count++;
            cpus |= address.cpus;
            host->cpu_count = address.cpu_count > host->cpu_count ? address.cpu_count : host->cpu_count;
        }
    }
    int bits = __builtin_popcountll(cpus);
    host->cpu_count = host->cpu_count > bits ? host->cpu_count : bits;
    host->next_watched = host->me; /* not all begin with the same one */
    return COR_OK;
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

static size_t host_round_page(size_t bytes)
{
    return (bytes + HOST_PAGE_BYTES - 1) / HOST_PAGE_BYTES * HOST_PAGE_BYTES;
}

size_t cor_host_segment_bytes(int ranks, size_t area_bytes)
{
    return host_round_page((size_t)ranks * sizeof(cor_host_seat)) + (size_t)ranks * host_round_page(area_bytes);
}

void cor_host_reserve(cor_host *host, size_t bytes)
{
    host->area_bytes = bytes;
}

/* The seat and the area of this number, in a segment with `count` of them. */
static void host_take_seat(const cor_host *host, int index, int count, cor_host_seat **seat_p, void **area_p)
{
    *seat_p = (cor_host_seat *)host->segment + index;
    *area_p = (char *)host->segment + host_round_page((size_t)count * sizeof(cor_host_seat)) +
              (size_t)index * host_round_page(host->area_bytes);
}

int cor_host_make(cor_host *host, cor_fault *fault)
{
    int owners = host->process_count > 0 ? host->count : 1; /* threads have one segment each */
    host->segment_bytes = cor_host_segment_bytes(owners, host->area_bytes);
    if (host->process_count > 0)
        return host_segment_size(host, fault);
    int rc = host_segment_map_private(host, fault);
    if (rc == COR_OK)
        host_take_seat(host, 0, 1, &host->seat, &host->area);
    return rc;
}

int cor_host_attach(cor_host *host, cor_fault *fault)
{
    if (host->process_count > 0) {
        int rc = host_segment_map(host, fault);
        if (rc != COR_OK)
            return rc;
    }
    for (int i = 0; i < host->count; i++) {
        cor_host_peer *peer = &host->peers[i];
        if (host->process_count > 0) {
            host_take_seat(host, i, host->count, &peer->seat, &peer->area);
        } else {
            peer->seat = peer->thread->seat;
            peer->area = peer->thread->area;
        }
    }
    if (host->process_count > 0) /* else it has them, and other threads read them */
        host_take_seat(host, host->me, host->count, &host->seat, &host->area);
    atomic_init(&host->seat->cpu, -1);
    host->seat->started = host->process_count > 0 ? cor_process_started() : 0;
    host->seat->has_heavy_fence = (uint32_t)cor_fence_heavy_init();
    cor_cpu_allowed(&host->seat->allowed);
    return COR_OK;
}

void cor_host_settle(cor_host *host)
{
    cor_cpu_set all = {{0}};
    int has_heavy_fence = 1;
    for (int i = 0; i < host->count; i++) {
        const cor_host_seat *seat = host->peers[i].seat;
        has_heavy_fence = has_heavy_fence && seat->has_heavy_fence;
        for (int word = 0; word < COR_CPU_MAX / 64; word++)
            all.bits[word] |= seat->allowed.bits[word];
    }
    if (host->count == host->rank_count)
        host->cpu_count = cor_cpu_count(&all);
    host->is_oversubscribed = host->cpu_count < host->rank_count;
    host->is_job_oversubscribed = host->is_oversubscribed && host->rank_count == host->options.size;
    host_spread_init(host);
    /* Where ranks share cores they sleep often and a system-wide fence on each sleep would cost more than an ordinary
     * one on each send. A rank alone is rung by its own threads only. */
    host->has_heavy_fence = !host->is_oversubscribed && host->count > 1 && has_heavy_fence;
    COR_LOG(host->options.log, DEBUG, "host: %d ranks, %d of them local, on %d CPUs: %s; %s fence", host->rank_count,
            host->count, host->cpu_count, host->is_oversubscribed ? "yielding at once" : "spinning pays",
            host->has_heavy_fence ? "sleeper's" : "sender's");
    host_segment_settle(host);
}

void cor_host_close(cor_host *host)
{
    host_watch_end(host);
    if (host->segment)
        munmap(host->segment, host->segment_bytes);
    host_bell_close(host);
    host_segment_bury(host);
    host_segment_settle(host);
    free(host->peers);
    free(host->index_of);
    free(host);
}

void cor_host_abandon(const cor_host *host)
{
    host_segment_bury(host);
    if (host->path[0] && host->fd >= 0)
        unlink(host->path);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* One copy straight out of another process, and the measurement that says whether it is worth it. */
#define _GNU_SOURCE
#include "base/clock.h"
#include "xxdev/soft/sm/sm_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* The kernel needs no preparation. */
static int sm_memory_enter(cor_wire *base, void *memory, size_t bytes, cor_wire_use use, cor_wire_key *key_p,
                           void **registration_p)
{
    (void)base;
    (void)bytes;
    (void)use;
    key_p->bytes = sizeof memory;
    memcpy(key_p->data, &memory, sizeof memory);
    *registration_p = NULL;
    return COR_OK;
}

static void sm_memory_leave(cor_wire *base, void *registration)
{
    (void)base;
    (void)registration;
}

typedef ssize_t (*sm_copy_fn)(pid_t pid, const struct iovec *local, unsigned long local_count,
                              const struct iovec *remote, unsigned long remote_count, unsigned long flags);

static int sm_copy(sm_wire *wire, int rank, sm_copy_fn copy, const char *what, const cor_wire_key *key, size_t offset,
                   char *own, size_t bytes, void *context)
{
    const cor_host *host = wire->host;
    pid_t pid = host->peers[host->index_of[rank]].pid;
    uintptr_t remote_address;
    size_t done = 0;
    if (key->bytes != sizeof remote_address)
        return COR_ERR_PROTOCOL;
    memcpy(&remote_address, key->data, sizeof remote_address);
    remote_address += offset;
    while (done < bytes) {
        struct iovec local = {own + done, bytes - done};
        struct iovec remote = {(char *)remote_address + done, bytes - done};
        ssize_t moved = copy(pid, &local, 1, &remote, 1, 0);
        if (moved <= 0) {
            COR_LOG(wire->options.log, WARN,
                    "sm: %s of %zu bytes, rank %d (pid %d): %s; going through the ring instead", what, bytes - done,
                    rank, (int)pid, moved < 0 ? strerror(errno) : "no bytes");
            return COR_ERR_SYSTEM;
        }
        done += (size_t)moved;
    }
    wire->options.copied(wire->options.sink, context, COR_OK);
    return COR_OK;
}

static int sm_get(cor_wire *base, int rank, const cor_wire_key *from, size_t offset, void *to, void *registration,
                  size_t bytes, void *context)
{
    (void)registration;
    return sm_copy(sm_of(base), rank, process_vm_readv, "process_vm_readv", from, offset, to, bytes, context);
}

static int sm_put(cor_wire *base, int rank, const cor_wire_key *to, size_t offset, const void *from,
                  void *registration, size_t bytes, uint32_t id, void *context)
{
    (void)registration;
    (void)id; /* the protocol notifies the peer */
    return sm_copy(sm_of(base), rank, process_vm_writev, "process_vm_writev", to, offset, (char *)(uintptr_t)from,
                   bytes, context);
}

const cor_wire_memory_ops sm_memory = {
    .enter = sm_memory_enter,
    .leave = sm_memory_leave,
    .get = sm_get,
    .put = sm_put,
};

enum { SM_TRIAL_BYTES = 256 * 1024, SM_TRIALS = 4 };

/* Takes about 100 microseconds. */
uint32_t sm_copy_percent(const cor_log *log)
{
    char *from = malloc(SM_TRIAL_BYTES), *to = malloc(SM_TRIAL_BYTES);
    uint64_t best_copy = UINT64_MAX, best_call = UINT64_MAX;
    if (from && to) {
        memset(from, 1, SM_TRIAL_BYTES);
        memset(to, 2, SM_TRIAL_BYTES);
        for (int i = 0; i < SM_TRIALS; i++) {
            uint64_t start = cor_clock_ns();
            memcpy(to, from, SM_TRIAL_BYTES);
            uint64_t middle = cor_clock_ns();
            struct iovec local = {to, SM_TRIAL_BYTES}, remote = {from, SM_TRIAL_BYTES};
            ssize_t moved = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
            uint64_t end = cor_clock_ns();
            if (moved != SM_TRIAL_BYTES)
                break;
            best_copy = middle - start < best_copy ? middle - start : best_copy;
            best_call = end - middle < best_call ? end - middle : best_call;
        }
    }
    free(from);
    free(to);
    COR_LOG(log, DEBUG, "sm: copying 256 KiB takes %.1f us by memcpy, %.1f us by process_vm_readv",
            (double)best_copy / 1e3, best_call == UINT64_MAX ? -1.0 : (double)best_call / 1e3);
    return best_call == UINT64_MAX ? UINT32_MAX : (uint32_t)(best_call * 100 / (best_copy ? best_copy : 1));
}

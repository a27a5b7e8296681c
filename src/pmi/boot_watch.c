/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "pmi/boot_watch.h"

#include "base/clock.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    BOOT_PROGRESS_MS = 20,    /* between two calls of meanwhile */
    BOOT_LOOK_MS = 200,       /* between two checks */
    BOOT_RANKS_A_LOOK = 16,   /* processes per check, at most; the next check takes the following ones */
    BOOT_CHECKS_A_LOOK = 256, /* of all ranks together; at least one each, which is enough: each begins with itself */
    BOOT_GRACE_MS = 1500,     /* from finding a process gone to reporting the rank as lost */
    BOOT_DYING_MS = 200,
};

/* ---- process ids ------------------------------------------------------------------------------------------------ */

void cor_boot_watch_encode(boot_watch *watch, const char *value, char out[BOOT_TEXT_MAX + 1])
{
    char host[COR_PROCESS_HOST_MAX], space[COR_PROCESS_SPACE_MAX];
    size_t length = (size_t)snprintf(out, BOOT_TEXT_MAX + 1, "%s", value);
    if (watch->exchanges++ > 0)
        return;
    length += (size_t)snprintf(out + length, BOOT_TEXT_MAX + 1 - length, "~");
    uint64_t started = cor_process_started();
    if (started == 0)
        return;
    cor_process_where(host, space);
    snprintf(watch->here, sizeof watch->here, "%s,%s,", host, space);
    snprintf(out + length, BOOT_TEXT_MAX + 1 - length, "%s%d,%llu", watch->here, (int)getpid(),
             (unsigned long long)started);
}

/* Cut off the process id that a rank has appended to its first value. It is empty if that rank could not read /proc. */
static void boot_watch_learn(boot_watch *watch, int me, int rank, char *text)
{
    char *sign = strrchr(text, '~');
    if (!sign)
        return;
    *sign = '\0';
    if (rank != me)
        watch->signs[rank] = sign + 1;
}

/* The process of a rank: 1 if it is known and on this host. */
static int boot_watch_read(const boot_watch *watch, int rank, int *pid_p, unsigned long long *started_p)
{
    size_t length = strlen(watch->here);
    const char *sign = watch->signs[rank];
    return length > 0 && sign && strncmp(sign, watch->here, length) == 0 &&
           sscanf(sign + length, "%d,%llu", pid_p, started_p) == 2;
}

int cor_boot_watch_decode(boot_watch *watch, const cor_boot *boot, const char *key, int rank, boot_values *values,
                          cor_fault *fault)
{
    if (!watch->signs)
        watch->signs = calloc((size_t)boot->size, sizeof *watch->signs);
    watch->next = boot->rank; /* not all begin with the same one */
    if (!watch->signs)
        return cor_fault_set(fault, COR_ERR_MEMORY, "rank %d: no memory to watch %d ranks", boot->rank, boot->size);
    if (watch->exchanges == 1)
        boot_watch_learn(watch, boot->rank, rank, (char *)values->by_rank[rank]);
    if (cor_boot_is_token(values->by_rank[rank], COR_BOOT_VALUE_MAX))
        return COR_OK;
    return cor_fault_set(fault, COR_ERR_BOOT, "rank %d: the launcher has no valid %s of rank %d", boot->rank, key,
                         rank);
}

void cor_boot_watch_fini(boot_watch *watch)
{
    free(watch->signs);
    watch->signs = NULL;
}

/* ---- looking ---------------------------------------------------------------------------------------------------- */

void cor_boot_watch_begin(boot_watch *watch, const char *purpose, int timeout_s)
{
    watch->purpose = purpose;
    watch->timeout_s = timeout_s;
    watch->waited = cor_patience_begin(cor_clock_ns());
    watch->gone = -1;
    watch->next_look_ns = watch->waited.looked_ns + (uint64_t)BOOT_LOOK_MS * 1000000;
}

int cor_boot_watch_nap_ms(const cor_boot *boot)
{
    return boot->meanwhile ? BOOT_PROGRESS_MS : BOOT_LOOK_MS;
}

/* Check up to `count` processes, from where the last check ended. */
static int boot_watch_find(boot_watch *watch, int size, int most)
{
    for (int i = 0; i < size && most > 0; i++) {
        int rank = watch->next;
        unsigned long long started;
        watch->next = (rank + 1) % size;
        if (!boot_watch_read(watch, rank, &watch->gone_pid, &started))
            continue;
        most--;
        if (cor_process_is_gone((pid_t)watch->gone_pid, started))
            return rank;
    }
    return -1;
}

/* How many processes one of so many ranks checks at a time. The first that finds one gone ends the job for all. */
static int boot_watch_share(int size)
{
    int share = BOOT_CHECKS_A_LOOK / size;
    return share > BOOT_RANKS_A_LOOK ? BOOT_RANKS_A_LOOK : share < 1 ? 1 : share;
}

/* A rank that is lost, or -1. There is a grace period, because the launcher may report the loss first, and because
 * after the last fence ranks end, perhaps before this rank has been told that the fence is open. */
static int boot_watch_look(boot_watch *watch, const cor_boot *boot, uint64_t waited_ns)
{
    if (watch->gone < 0) {
        watch->gone = boot_watch_find(watch, boot->size, boot_watch_share(boot->size));
        watch->gone_ns = waited_ns;
    }
    uint64_t grace_ns = (uint64_t)BOOT_GRACE_MS * 1000000;
    watch->next_look_ns = cor_clock_ns() + (uint64_t)BOOT_LOOK_MS * 1000000;
    return waited_ns - watch->gone_ns >= grace_ns ? watch->gone : -1;
}

static int boot_watch_fail(const boot_watch *watch, int gone, cor_fault *fault)
{
    return cor_fault_set(fault, COR_ERR_PEER,
                         "rank %d is lost: its process %d on this host has ended before all ranks had %s", gone,
                         watch->gone_pid, watch->purpose);
}

/* The launcher notices slightly earlier than /proc shows it: a process that ends closes its sockets first. */
int cor_boot_watch_peer_lost(boot_watch *watch, const cor_boot *boot, cor_fault *fault)
{
    for (int rest_ms = watch->signs ? BOOT_DYING_MS : 0; rest_ms > 0 && watch->gone < 0; rest_ms--) {
        watch->gone = boot_watch_find(watch, boot->size, boot->size);
        poll(NULL, 0, watch->gone < 0);
    }
    if (watch->gone >= 0)
        return boot_watch_fail(watch, watch->gone, fault);
    return cor_fault_set(fault, COR_ERR_PEER, "rank %d: another rank has ended before all ranks had %s", boot->rank,
                         watch->purpose);
}

int cor_boot_watch_has_ended(const boot_watch *watch, int rank)
{
    int pid;
    unsigned long long started;
    return watch->signs && boot_watch_read(watch, rank, &pid, &started) && cor_process_is_gone((pid_t)pid, started);
}

int cor_boot_watch_meanwhile(boot_watch *watch, const cor_boot *boot, cor_fault *fault)
{
    int code = boot->meanwhile ? boot->meanwhile(boot->subject, fault) : COR_OK;
    if (code != COR_OK)
        return code;
    if (boot->ops->is_orphaned && boot->ops->is_orphaned(boot))
        return cor_fault_set(fault, COR_ERR_BOOT,
                             "rank %d: the launcher's process on this host has ended before all ranks had %s",
                             boot->rank, watch->purpose);
    uint64_t now_ns = cor_clock_ns(), waited_ns = cor_patience_passed_ns(&watch->waited, now_ns);
    int gone = watch->signs && now_ns >= watch->next_look_ns ? boot_watch_look(watch, boot, waited_ns) : -1;
    if (gone >= 0)
        return boot_watch_fail(watch, gone, fault);
    if (watch->timeout_s > 0 && waited_ns >= (uint64_t)watch->timeout_s * 1000000000u)
        return cor_fault_set(fault, COR_ERR_BOOT,
                             "rank %d: not all ranks have %s within %d s (setting pmi.timeout): a rank or the "
                             "launcher has died or is stuck",
                             boot->rank, watch->purpose, watch->timeout_s);
    return COR_OK;
}

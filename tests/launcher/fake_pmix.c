/* SPDX-License-Identifier: Apache-2.0 */
/* A library of PMIx for a job of two ranks of which only rank 0 is there, without any server: fake_pmix.h. */
#include "fake_pmix.h"
#include "pmi/pmix_abi.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whatever the client looks for, as it declares it. */
#define FAKE_FUNCTION(field, name, result, arguments) __attribute__((visibility("default"))) result name arguments;
PMIX_ABI_FUNCTIONS(FAKE_FUNCTION)
#undef FAKE_FUNCTION
__attribute__((visibility("default"))) void fake_play(fake_fence fence, fake_abort abort_way, const char *peer);
__attribute__((visibility("default"))) int fake_lose_server(const char *space, int status);

enum { FAKE_TEXT_MAX = 2048, FAKE_FENCES_MAX = 256, FAKE_BOOTS_MAX = 64, FAKE_STATUSES_MAX = 8, FAKE_REFUSED = -25 };

typedef struct fake_waiter {
    pmix_abi_done_fn done;
    void *context;
} fake_waiter;

/* One process, one rank; only an abort that hangs and a fence that waits are looked at by another thread than the
 * test's. */
static _Atomic fake_fence fake_next_fence;
static _Atomic fake_abort fake_next_abort;
static char fake_told[FAKE_TEXT_MAX], fake_peer[FAKE_TEXT_MAX];
static fake_waiter fake_waiters[FAKE_FENCES_MAX]; /* of all fences, so that what they hold is not lost */
static int fake_fences;
static pmix_abi_event_fn fake_event;
static pmix_abi_info *fake_event_infos[FAKE_BOOTS_MAX]; /* of all, as above; the last is told */
static int fake_events;
static int fake_event_statuses[FAKE_STATUSES_MAX], fake_event_status_count;

void fake_play(fake_fence fence, fake_abort abort_way, const char *peer)
{
    atomic_store(&fake_next_fence, fence);
    atomic_store(&fake_next_abort, abort_way);
    snprintf(fake_peer, sizeof fake_peer, "%s", peer ? peer : "");
}

int PMIx_Init(pmix_abi_proc *me, pmix_abi_info *infos, size_t count)
{
    (void)infos;
    (void)count;
    *me = (pmix_abi_proc){.space = "fake", .rank = 0};
    return PMIX_ABI_SUCCESS;
}

int PMIx_Finalize(const pmix_abi_info *infos, size_t count)
{
    (void)infos;
    (void)count;
    return PMIX_ABI_SUCCESS;
}

int PMIx_Abort(int status, const char *message, pmix_abi_proc *procs, size_t count)
{
    (void)status;
    (void)message;
    (void)procs;
    (void)count;
    while (atomic_load(&fake_next_abort) == FAKE_ABORT_HANGS)
        usleep(10000);
    return atomic_load(&fake_next_abort) == FAKE_ABORT_IS_REFUSED ? FAKE_REFUSED : PMIX_ABI_SUCCESS;
}

int PMIx_Put(uint8_t scope, const char *key, pmix_abi_value *value)
{
    (void)scope;
    (void)key;
    snprintf(fake_told, sizeof fake_told, "%s", value->data.string);
    return PMIX_ABI_SUCCESS;
}

int PMIx_Commit(void)
{
    return PMIX_ABI_SUCCESS;
}

static void *fake_open_late(void *argument)
{
    const fake_waiter *waiter = argument;
    if (atomic_load(&fake_next_fence) == FAKE_FENCE_IS_LATE)
        usleep(FAKE_LATE_MS * 1000);
    while (atomic_load(&fake_next_fence) == FAKE_FENCE_WAITS)
        usleep(1000);
    waiter->done(PMIX_ABI_SUCCESS, waiter->context);
    return NULL;
}

int PMIx_Fence_nb(const pmix_abi_proc *procs, size_t count, const pmix_abi_info *infos, size_t info_count,
                  pmix_abi_done_fn done, void *context)
{
    (void)procs;
    (void)count;
    (void)infos;
    (void)info_count;
    pthread_t thread;
    fake_waiter *waiter = &fake_waiters[fake_fences++ % FAKE_FENCES_MAX];
    *waiter = (fake_waiter){done, context};
    switch (atomic_load(&fake_next_fence)) {
    case FAKE_FENCE_OPENS:
        done(PMIX_ABI_SUCCESS, context);
        break;
    case FAKE_FENCE_IS_LATE:
    case FAKE_FENCE_WAITS:
        pthread_create(&thread, NULL, fake_open_late, waiter);
        pthread_detach(thread);
        break;
    case FAKE_FENCE_IS_PARTIAL:
        done(PMIX_ABI_PARTIAL, context);
        break;
    case FAKE_FENCE_STAYS:
        break;
    }
    return PMIX_ABI_SUCCESS;
}

int PMIx_Get(const pmix_abi_proc *proc, const char *key, const pmix_abi_info *infos, size_t count,
             pmix_abi_value **value_p)
{
    (void)infos;
    (void)count;
    pmix_abi_value *value = calloc(1, sizeof *value);
    if (strcmp(key, PMIX_ABI_JOB_SIZE) == 0) {
        value->type = PMIX_ABI_UINT32;
        value->data.uint32 = 2;
    } else {
        value->type = PMIX_ABI_STRING;
        value->data.string = strdup(proc->rank == 1 && *fake_peer ? fake_peer : fake_told);
    }
    *value_p = value;
    return PMIX_ABI_SUCCESS;
}

static void fake_handled(int status, pmix_abi_info *results, size_t count, pmix_abi_done_fn done, void *done_context,
                         void *context)
{
    (void)status;
    (void)results;
    (void)count;
    (void)done;
    (void)done_context;
    *(int *)context = 1;
}

int PMIx_Register_event_handler(int *statuses, size_t status_count, pmix_abi_info *infos, size_t count,
                                pmix_abi_event_fn event, pmix_abi_registered_fn registered, void *context)
{
    fake_event = event;
    fake_event_infos[fake_events++ % FAKE_BOOTS_MAX] = infos;
    fake_event_status_count = count == 1 && status_count <= FAKE_STATUSES_MAX ? (int)status_count : 0;
    memcpy(fake_event_statuses, statuses, (size_t)fake_event_status_count * sizeof *statuses);
    if (registered)
        registered(PMIX_ABI_SUCCESS, (size_t)fake_events, context);
    return PMIX_ABI_SUCCESS;
}

int PMIx_Deregister_event_handler(size_t handler, pmix_abi_done_fn done, void *context)
{
    if (handler == (size_t)fake_events)
        fake_event = NULL;
    fake_event_infos[(handler - 1) % FAKE_BOOTS_MAX] = NULL;
    done(PMIX_ABI_SUCCESS, context);
    return PMIX_ABI_SUCCESS;
}

static int fake_is_asked(int status)
{
    for (int i = 0; fake_event && i < fake_event_status_count; i++)
        if (fake_event_statuses[i] == status)
            return 1;
    return 0;
}

int fake_lose_server(const char *space, int status)
{
    int is_handled = 0;
    pmix_abi_proc source = {.rank = 0};
    if (!fake_is_asked(status))
        return 0;
    snprintf(source.space, sizeof source.space, "%s", space);
    fake_event(1, status, &source, fake_event_infos[(fake_events - 1) % FAKE_BOOTS_MAX], 1, NULL, 0, fake_handled,
               &is_handled);
    return is_handled;
}

const char *PMIx_Error_string(int status)
{
    return status == FAKE_REFUSED ? "refused by the fake" : "unknown";
}

const char *PMIx_Get_version(void)
{
    return "a fake";
}

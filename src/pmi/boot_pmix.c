/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The client of a launcher with PMIx: `srun --mpi=pmix`, Open MPI's mpirun.
 *
 * The protocol between client and server is private to PMIx, so its library is used. It is opened when a rank boots by
 * PMIx and never before, and is not needed to build. It stays loaded, because its threads and exit handlers outlive
 * the boot.
 */
#define _GNU_SOURCE
#include "base/clock.h"
#include "pmi/boot_private.h"
#include "pmi/boot_values.h"
#include "pmi/boot_watch.h"
#include "pmi/pmix_abi.h"

#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PMIX_LIBRARY "libpmix.so.2"

enum { PMIX_ABORT_WAIT_MS = 2000 }; /* how long an aborting rank waits to be ended */

/* What the library knows of its server, and what it needs to tell. A thread of the library writes the first two, at any
 * time until it has confirmed that the handler of events is gone: PMIx_Finalize alone need not remove it, where another
 * part of the process uses the library, too. That call frees it; if it never comes, it stays. */
typedef struct pmix_server {
    _Atomic int is_lost;
    _Atomic int64_t handler;            /* the library's number for it; -1: not known */
    char space[PMIX_ABI_SPACE_MAX + 1]; /* ours */
    int statuses[2];
    pmix_abi_info infos[1];
} pmix_server;

typedef struct pmix_boot {
    cor_boot base;
    pmix_abi abi;
    pmix_abi_proc me;
    int timeout_s;       /* 0: wait for ever */
    pmix_server *server; /* NULL: nothing is known of it */
    unsigned exchanges;  /* so far; makes the keys of each unique */
    boot_values *values;
    boot_watch watch;
} pmix_boot;

static int pmix_refused(const pmix_boot *self, const char *what, int status, cor_fault *fault)
{
    const char *why = self->abi.error_string(status);
    return cor_fault_set(fault, COR_ERR_BOOT, "rank %d: %s failed with %d: %.60s", self->base.rank, what, status,
                         why ? why : "no reason given");
}

/* ---- waiting ---------------------------------------------------------------------------------------------------- */

/* A call that one thread waits for and a thread of the library completes. The last of the two frees it, because the
 * waiting thread may have given up. */
typedef struct pmix_completion {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int is_done, is_abandoned, status; /* under the mutex */
} pmix_completion;

static pmix_completion *pmix_completion_create(void)
{
    pmix_completion *completion = calloc(1, sizeof *completion);
    if (!completion)
        return NULL;
    pthread_condattr_t by_clock;
    pthread_condattr_init(&by_clock);
    pthread_condattr_setclock(&by_clock, CLOCK_MONOTONIC);
    pthread_mutex_init(&completion->mutex, NULL);
    pthread_cond_init(&completion->changed, &by_clock);
    pthread_condattr_destroy(&by_clock);
    return completion;
}

static void pmix_completion_destroy(pmix_completion *completion)
{
    pthread_cond_destroy(&completion->changed);
    pthread_mutex_destroy(&completion->mutex);
    free(completion);
}

/* Called by the library, from its own thread or from within the call. */
static void pmix_completion_done(int status, void *context)
{
    pmix_completion *completion = context;
    pthread_mutex_lock(&completion->mutex);
    completion->is_done = 1;
    completion->status = status;
    int is_abandoned = completion->is_abandoned;
    pthread_cond_signal(&completion->changed);
    pthread_mutex_unlock(&completion->mutex);
    if (is_abandoned)
        pmix_completion_destroy(completion);
}

/* Wait until it is done, or for this time. Returns whether it is done. */
static int pmix_completion_wait(pmix_completion *completion, int milliseconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += milliseconds / 1000;
    until.tv_nsec += milliseconds % 1000 * 1000000L;
    if (until.tv_nsec >= 1000000000L) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000L;
    }
    pthread_mutex_lock(&completion->mutex);
    int error = 0;
    while (!completion->is_done && error == 0)
        error = pthread_cond_timedwait(&completion->changed, &completion->mutex, &until);
    int is_done = completion->is_done;
    pthread_mutex_unlock(&completion->mutex);
    return is_done;
}

/* The waiting thread leaves the call: 1 and the status when it was done, else 0. */
static int pmix_completion_leave(pmix_completion *completion, int *status_p)
{
    pthread_mutex_lock(&completion->mutex);
    int is_done = completion->is_done;
    *status_p = completion->status;
    completion->is_abandoned = 1;
    pthread_mutex_unlock(&completion->mutex);
    if (is_done)
        pmix_completion_destroy(completion);
    return is_done;
}

/* ---- fence and exchange ----------------------------------------------------------------------------------------- */

/* Always with data, even if there is none: in Slurm a fence without data does not wait. */
static int pmix_fence(cor_boot *boot, const char *purpose, cor_fault *fault)
{
    pmix_boot *self = (pmix_boot *)boot;
    pmix_completion *completion = pmix_completion_create();
    if (!completion)
        return cor_fault_set(fault, COR_ERR_MEMORY, "rank %d: no memory for a fence", self->base.rank);
    pmix_abi_proc all = self->me;
    all.rank = PMIX_ABI_RANK_WILDCARD;
    pmix_abi_info collect = {.key = PMIX_ABI_COLLECT_DATA, .value = {.type = PMIX_ABI_BOOL, .data = {.flag = true}}};
    int status = self->abi.fence(&all, 1, &collect, 1, pmix_completion_done, completion);
    if (status != PMIX_ABI_SUCCESS) {
        pmix_completion_destroy(completion);
        if (status == PMIX_ABI_DONE_AT_ONCE)
            return COR_OK;
        return pmix_refused(self, "PMIx_Fence", status, fault);
    }
    int code = COR_OK;
    cor_boot_watch_begin(&self->watch, purpose, self->timeout_s);
    while (code == COR_OK && !pmix_completion_wait(completion, cor_boot_watch_nap_ms(boot)))
        code = cor_boot_watch_meanwhile(&self->watch, boot, fault);
    if (!pmix_completion_leave(completion, &status))
        return code;
    if (status == PMIX_ABI_PARTIAL)
        return cor_boot_watch_peer_lost(&self->watch, boot, fault);
    return status == PMIX_ABI_SUCCESS ? COR_OK : pmix_refused(self, "PMIx_Fence", status, fault);
}

/* Memory from the library belongs to the caller. */
static void pmix_value_free(pmix_abi_value *value)
{
    if (value && value->type == PMIX_ABI_STRING)
        free(value->data.string);
    free(value);
}

static int pmix_put(pmix_boot *self, const char *name, const char *text, cor_fault *fault)
{
    pmix_abi_value value = {.type = PMIX_ABI_STRING, .data = {.string = (char *)text}};
    int status = self->abi.put(PMIX_ABI_GLOBAL, name, &value);
    if (status != PMIX_ABI_SUCCESS)
        return pmix_refused(self, "PMIx_Put", status, fault);
    status = self->abi.commit();
    return status == PMIX_ABI_SUCCESS ? COR_OK : pmix_refused(self, "PMIx_Commit", status, fault);
}

static int pmix_get(pmix_boot *self, const char *name, int rank, boot_values *values, cor_fault *fault)
{
    pmix_abi_proc peer = self->me;
    peer.rank = (uint32_t)rank;
    pmix_abi_value *value = NULL;
    /* A value that is missing after a fence does not come any more: do not wait for it. */
    pmix_abi_info at_once = {.key = PMIX_ABI_IMMEDIATE, .value = {.type = PMIX_ABI_BOOL, .data = {.flag = true}}};
    int status = self->abi.get(&peer, name, &at_once, 1, &value);
    if (status == PMIX_ABI_NOT_FOUND)
        return cor_fault_set(fault, COR_ERR_BOOT,
                             "rank %d: rank %d has ended before it published its address (PMIx has no %s of it)",
                             self->base.rank, rank, name);
    if (status != PMIX_ABI_SUCCESS) {
        char what[96];
        snprintf(what, sizeof what, "PMIx_Get of %.40s of rank %d", name, rank);
        return pmix_refused(self, what, status, fault);
    }
    int code = COR_OK;
    if (!value || value->type != PMIX_ABI_STRING || !value->data.string || strlen(value->data.string) > BOOT_TEXT_MAX)
        code = cor_fault_set(fault, COR_ERR_BOOT, "rank %d: PMIx has no valid %s of rank %d", self->base.rank, name,
                             rank);
    else
        cor_boot_values_set(values, rank, value->data.string);
    pmix_value_free(value);
    return code;
}

static int pmix_exchange(cor_boot *boot, const char *key, const char *value, const char *const **values_p,
                         cor_fault *fault)
{
    pmix_boot *self = (pmix_boot *)boot;
    boot_values *values;
    int code = cor_boot_values_begin(boot, key, value, &self->values, &values, fault);
    if (code != COR_OK)
        return code;
    char name[64], purpose[64], text[BOOT_TEXT_MAX + 1];
    snprintf(name, sizeof name, "cor%u-%s", self->exchanges++, key);
    snprintf(purpose, sizeof purpose, "published their %s", key);
    cor_boot_watch_encode(&self->watch, value, text);
    code = pmix_put(self, name, text, fault);
    if (code == COR_OK)
        code = pmix_fence(boot, purpose, fault);
    for (int rank = 0; code == COR_OK && rank < boot->size; rank++) {
        code = pmix_get(self, name, rank, values, fault);
        if (code == COR_OK)
            code = cor_boot_watch_decode(&self->watch, boot, key, rank, values, fault);
    }
    if (code == COR_OK)
        *values_p = values->by_rank;
    return code;
}

/* ---- the end ---------------------------------------------------------------------------------------------------- */

/* Called once the library calls the handler no more. */
static void pmix_on_unregistered(int status, void *context)
{
    if (status == PMIX_ABI_SUCCESS || status == PMIX_ABI_DONE_AT_ONCE)
        free(context);
}

static void pmix_leave_server(pmix_boot *self)
{
    pmix_server *server = self->server;
    /* relaxed: the number itself is all there is to know. */
    int64_t handler = server ? atomic_load_explicit(&server->handler, memory_order_relaxed) : -1;
    self->server = NULL;
    if (handler >= 0 && self->abi.off_event((size_t)handler, pmix_on_unregistered, server) == PMIX_ABI_DONE_AT_ONCE)
        free(server);
}

static int pmix_finalize(cor_boot *boot, cor_fault *fault)
{
    pmix_boot *self = (pmix_boot *)boot;
    pmix_leave_server(self);
    int status = self->abi.finalize(NULL, 0);
    return status == PMIX_ABI_SUCCESS ? COR_OK : pmix_refused(self, "PMIx_Finalize", status, fault);
}

/* A pending abort, on the heap, because the rank may stop waiting for it. */
typedef struct pmix_abort_call {
    int (*abort)(int status, const char *message, pmix_abi_proc *procs, size_t count);
    pmix_completion *completion;
    int status;
    char reason[300];
} pmix_abort_call;

static void *pmix_call_abort(void *context)
{
    pmix_abort_call *call = context;
    int status = call->abort(call->status, call->reason, NULL, 0);
    pmix_completion_done(status, call->completion);
    free(call);
    return NULL;
}

/*
 * The library's abort returns when the server has answered. Mostly that takes some milliseconds, but Slurm's server
 * does not answer while it tries, for many seconds, to reach a node whose tasks have all ended, which may be the
 * reason for the abort. So a separate thread makes the call, and the rank waits only briefly: the server also notices
 * the end of the rank.
 */
static void pmix_abort(cor_boot *boot, int status, const char *reason)
{
    pmix_boot *self = (pmix_boot *)boot;
    pmix_abort_call *call = calloc(1, sizeof *call);
    pmix_completion *completion = pmix_completion_create();
    if (!call || !completion) {
        free(call);
        if (completion)
            pmix_completion_destroy(completion);
        return;
    }
    call->abort = self->abi.abort;
    call->completion = completion;
    call->status = status;
    snprintf(call->reason, sizeof call->reason, "%s", reason ? reason : "");
    pthread_t caller;
    if (pthread_create(&caller, NULL, pmix_call_abort, call) != 0) {
        free(call);
        pmix_completion_destroy(completion);
        return;
    }
    pthread_detach(caller);
    int answer;
    uint64_t began_ns = cor_clock_ns();
    /* The server ends this rank when it gets the abort. */
    pmix_completion_wait(completion, PMIX_ABORT_WAIT_MS);
    int left_ms = PMIX_ABORT_WAIT_MS - (int)((cor_clock_ns() - began_ns) / 1000000);
    if (pmix_completion_leave(completion, &answer) && answer == PMIX_ABI_SUCCESS && left_ms > 0)
        poll(NULL, 0, left_ms);
}

/* A rank that closes without finalize has failed; the library is not finalized, so that the server sees a process that
 * ends without PMIx_Finalize. */
static void pmix_close(cor_boot *boot)
{
    pmix_boot *self = (pmix_boot *)boot;
    cor_boot_watch_fini(&self->watch);
    cor_boot_values_destroy(&self->values);
    free(self);
}

/* ---- the server ------------------------------------------------------------------------------------------------- */

/* Called by a thread of the library. The event is of the server's own name space; one of ours is of another rank. */
static void pmix_on_event(size_t handler, int status, const pmix_abi_proc *source, pmix_abi_info *infos, size_t count,
                          pmix_abi_info *results, size_t result_count, pmix_abi_handled_fn handled, void *context)
{
    (void)handler;
    (void)status;
    (void)results;
    (void)result_count;
    for (size_t i = 0; i < count; i++)
        if (strcmp(infos[i].key, PMIX_ABI_EVENT_OBJECT) == 0 && infos[i].value.type == PMIX_ABI_POINTER) {
            pmix_server *server = infos[i].value.data.pointer;
            if (!source || strcmp(source->space, server->space) != 0)
                atomic_store_explicit(&server->is_lost, 1, memory_order_relaxed); /* it brings nothing with it */
        }
    if (handled)
        handled(PMIX_ABI_EVENT_HANDLED, NULL, 0, NULL, NULL, context);
}

/* Without, the end of the server stays unknown. */
static void pmix_on_registered(int status, size_t handler, void *context)
{
    pmix_server *server = context;
    if (status == PMIX_ABI_SUCCESS)
        atomic_store_explicit(&server->handler, (int64_t)handler,
                              memory_order_relaxed); /* it brings nothing with it */
}

/* The library tells when its connection with the server is lost. What it is given must stay. */
static void pmix_watch_server(pmix_boot *self)
{
    pmix_server *server = calloc(1, sizeof *server);
    if (!server)
        return;
    memcpy(server->space, self->me.space, sizeof server->space);
    server->statuses[0] = PMIX_ABI_LOST_CONNECTION;
    server->statuses[1] = PMIX_ABI_LOST_SERVER;
    atomic_init(&server->handler, -1);
    server->infos[0] = (pmix_abi_info){.key = PMIX_ABI_EVENT_OBJECT,
                                       .value = {.type = PMIX_ABI_POINTER, .data = {.pointer = server}}};
    self->server = server;
    self->abi.on_event(server->statuses, 2, server->infos, 1, pmix_on_event, pmix_on_registered, server);
}

static int pmix_is_orphaned(const cor_boot *boot)
{
    const pmix_server *server = ((const pmix_boot *)boot)->server;
    /* relaxed: the word itself is all there is to know. */
    return server && atomic_load_explicit(&server->is_lost, memory_order_relaxed);
}

/* ---- the start -------------------------------------------------------------------------------------------------- */

/* The field for each function of the library. */
static const struct pmix_function {
    const char *name;
    size_t offset;
} pmix_functions[] = {
#define PMIX_FUNCTION(field, name, result, arguments) {#name, offsetof(pmix_abi, field)},
    PMIX_ABI_FUNCTIONS(PMIX_FUNCTION)
#undef PMIX_FUNCTION
};

static void *pmix_library(void)
{
    return dlopen(PMIX_LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

int cor_boot_check_pmix(cor_fault *fault)
{
    return pmix_library()
               ? COR_OK
               : cor_fault_set(fault, COR_ERR_UNSUPPORTED, "%s cannot be loaded (Debian package libpmix2): %.120s",
                               PMIX_LIBRARY, dlerror());
}

static int pmix_load(pmix_abi *abi_p, cor_fault *fault)
{
    void *library = pmix_library();
    if (!library)
        return cor_fault_set(fault, COR_ERR_BOOT,
                             "the launcher uses PMIx, but the PMIx library cannot be loaded: %.120s; install it, or "
                             "choose another launcher or setting pmi",
                             dlerror());
    for (size_t i = 0; i < sizeof pmix_functions / sizeof pmix_functions[0]; i++) {
        void *function = dlsym(library, pmix_functions[i].name);
        if (!function)
            return cor_fault_set(fault, COR_ERR_BOOT, "%s has no function %s", PMIX_LIBRARY, pmix_functions[i].name);
        /* In POSIX function and data pointers have one size. */
        memcpy((char *)abi_p + pmix_functions[i].offset, &function, sizeof function);
    }
    return COR_OK;
}

/* A number that the server need not know; then 0. */
static int pmix_ask_number(pmix_boot *self, uint32_t rank, const char *key)
{
    pmix_abi_proc subject = self->me;
    subject.rank = rank;
    pmix_abi_value *value = NULL;
    pmix_abi_info at_once = {.key = PMIX_ABI_IMMEDIATE, .value = {.type = PMIX_ABI_BOOL, .data = {.flag = true}}};
    if (self->abi.get(&subject, key, &at_once, 1, &value) != PMIX_ABI_SUCCESS)
        return 0;
    uint32_t number = value && value->type == PMIX_ABI_UINT32 ? value->data.uint32 : 0;
    pmix_value_free(value);
    return number <= INT32_MAX ? (int)number : 0;
}

/* How many ranks the job has. */
static int pmix_ask_job(pmix_boot *self, cor_fault *fault)
{
    pmix_abi_proc all = self->me;
    all.rank = PMIX_ABI_RANK_WILDCARD;
    pmix_abi_value *value = NULL;
    int status = self->abi.get(&all, PMIX_ABI_JOB_SIZE, NULL, 0, &value);
    if (status != PMIX_ABI_SUCCESS)
        return pmix_refused(self, "asking PMIx for the size of the job", status, fault);
    uint32_t size = value && value->type == PMIX_ABI_UINT32 ? value->data.uint32 : 0;
    pmix_value_free(value);
    if (size < 1 || size > INT32_MAX || self->me.rank >= size)
        return cor_fault_set(fault, COR_ERR_BOOT, "PMIx says this is rank %u of a job of %u", self->me.rank, size);
    self->base.size = (int)size;
    self->base.rank = (int)self->me.rank;
    self->base.universe = pmix_ask_number(self, PMIX_ABI_RANK_WILDCARD, PMIX_ABI_UNIVERSE_SIZE);
    self->base.appnum = pmix_ask_number(self, self->me.rank, PMIX_ABI_APPNUM);
    return COR_OK;
}

static int pmix_has_ended(cor_boot *boot, int rank)
{
    return cor_boot_watch_has_ended(&((pmix_boot *)boot)->watch, rank);
}

static const cor_boot_ops pmix_ops = {
    .name = "pmix",
    .exchange = pmix_exchange,
    .fence = pmix_fence,
    .has_ended = pmix_has_ended,
    .is_orphaned = pmix_is_orphaned,
    .finalize = pmix_finalize,
    .abort = pmix_abort,
    .close = pmix_close,
};

int cor_boot_pmix_open(int rank, int timeout_s, const cor_log *log, cor_boot **boot_p, cor_fault *fault)
{
    pmix_boot *self = calloc(1, sizeof *self);
    if (!self)
        return cor_fault_set(fault, COR_ERR_MEMORY, "rank %d: no memory to boot", rank);
    self->base.ops = &pmix_ops;
    self->base.rank = rank;
    self->timeout_s = timeout_s;
    int code = pmix_load(&self->abi, fault);
    if (code == COR_OK) {
        int status = self->abi.init(&self->me, NULL, 0);
        if (status != PMIX_ABI_SUCCESS)
            code = pmix_refused(self, "PMIx_Init", status, fault);
    }
    if (code == COR_OK) {
        code = pmix_ask_job(self, fault);
        if (code != COR_OK)
            self->abi.finalize(NULL, 0);
    }
    if (code != COR_OK) {
        free(self);
        return code;
    }
    pmix_watch_server(self);
    COR_LOG(log, DEBUG, "boot: PMIx, rank %d of %d, namespace %s, %s is %.60s", self->base.rank, self->base.size,
            self->me.space, PMIX_LIBRARY, self->abi.version());
    *boot_p = &self->base;
    return COR_OK;
}

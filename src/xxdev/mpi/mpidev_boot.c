/* SPDX-License-Identifier: Apache-2.0 */
/* The MPI as a rank's boot: its number, exchanges and fences. */
#define _GNU_SOURCE
#include "xxdev/mpi/mpidev_library.h"
#include "xxdev/mpi/mpidev_state.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int boot_fail(const cor_boot *boot, const cor_bridge_ops *ops, const char *what, int error, cor_fault *fault)
{
    char text[160];
    ops->explain(error, text, sizeof text);
    return cor_fault_set(fault, COR_ERR_BOOT, "rank %d: %s failed: %s", boot->rank, what, text);
}

/* Wait for what all ranks do together, and leave the CPU to those that are still on their way. */
static int boot_wait(mpidev_boot *self, const char *what, cor_bridge_request *request, cor_fault *fault)
{
    enum { FIRST_NS = 10 * 1000, LAST_NS = 1000 * 1000 };
    struct timespec nap = {0, FIRST_NS};
    int is_done = 0;
    int error = self->ops->test(request, &is_done, NULL, NULL);
    while (error == 0 && !is_done) {
        int rc = self->base.meanwhile ? self->base.meanwhile(self->base.subject, fault) : COR_OK;
        if (rc != COR_OK)
            return rc;
        nanosleep(&nap, NULL);
        nap.tv_nsec = nap.tv_nsec * 2 < LAST_NS ? nap.tv_nsec * 2 : LAST_NS;
        error = self->ops->test(request, &is_done, NULL, NULL);
    }
    return error == 0 ? COR_OK : boot_fail(&self->base, self->ops, what, error, fault);
}

static int boot_exchange(cor_boot *boot, const char *key, const char *value, const char *const **values_p,
                         cor_fault *fault)
{
    mpidev_boot *self = (mpidev_boot *)boot;
    boot_values *values;
    cor_bridge_request request;
    char mine[BOOT_TEXT_MAX + 1] = "";
    int rc = cor_boot_values_begin(boot, key, value, &self->values, &values, fault);
    if (rc != COR_OK)
        return rc;
    snprintf(mine, sizeof mine, "%s", value);
    /* The texts of all ranks lie one behind the other. */
    int error = self->ops->allgather(self->bridge, mine, (char *)values->by_rank[0], sizeof mine, &request);
    if (error != 0)
        return boot_fail(boot, self->ops, "MPI_Iallgather", error, fault);
    rc = boot_wait(self, "MPI_Iallgather", &request, fault);
    if (rc == COR_OK)
        *values_p = values->by_rank;
    return rc;
}

static int boot_fence(cor_boot *boot, const char *purpose, cor_fault *fault)
{
    (void)purpose; /* a rank that does not come has ended, and then the other launcher ends the job */
    mpidev_boot *self = (mpidev_boot *)boot;
    cor_bridge_request request;
    int error = self->ops->barrier(self->bridge, &request);
    if (error != 0)
        return boot_fail(boot, self->ops, "MPI_Ibarrier", error, fault);
    return boot_wait(self, "MPI_Ibarrier", &request, fault);
}

/* MPI_Finalize comes in close: the device, which closes before, has receives posted until then. */
static int boot_finalize(cor_boot *boot, cor_fault *fault)
{
    (void)fault;
    ((mpidev_boot *)boot)->is_finalized = 1;
    return COR_OK;
}

static void boot_abort(cor_boot *boot, int status, const char *reason)
{
    enum { ABORT_PRINT_MS = 50 };
    (void)reason; /* our caller has said it */
    mpidev_boot *self = (mpidev_boot *)boot;
    /* Hydra ends at once, without reading what its ranks have just printed: give it the time to. */
    poll(NULL, 0, ABORT_PRINT_MS);
    self->ops->abort(self->bridge, status);
}

static void boot_close(cor_boot *boot)
{
    mpidev_boot *self = (mpidev_boot *)boot;
    /* It waits for the others, which do not come if this rank could not open. */
    if (self->is_finalized || boot->size == 1)
        self->ops->close(self->bridge);
    cor_boot_values_destroy(&self->values);
    free(self);
}

static const cor_boot_ops boot_ops = {
    .name = "another MPI",
    .exchange = boot_exchange,
    .fence = boot_fence,
    .finalize = boot_finalize,
    .abort = boot_abort,
    .close = boot_close,
};

mpidev_boot *mpidev_boot_of(struct cor_boot *boot)
{
    return boot && boot->ops == &boot_ops ? (mpidev_boot *)boot : NULL;
}

static int boot_start(const cor_bridge_ops *ops, cor_bridge **bridge_p, cor_fault *fault)
{
    char text[160];
    int error = ops->open(bridge_p);
    switch (error) {
    case 0:
        return COR_OK;
    case COR_BRIDGE_ERR_MEMORY:
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory to boot");
    case COR_BRIDGE_ERR_AGAIN:
        return cor_fault_set(fault, COR_ERR_UNSUPPORTED,
                             "mpidev was started in this process before, and its MPI can be started only once");
    case COR_BRIDGE_ERR_THREADS:
        return cor_fault_set(fault, COR_ERR_UNSUPPORTED,
                             "mpidev needs an MPI with MPI_THREAD_SERIALIZED, which this one does not offer");
    default:
        ops->explain(error, text, sizeof text);
        return cor_fault_set(fault, COR_ERR_BOOT, "MPI_Init_thread failed: %s", text);
    }
}

/* ---- signals ---------------------------------------------------------------------------------------------------- */

/* Signals that tell a mistake of the program, or to a JVM something it asked for. Libraries below an MPI (UCX) take
 * them to print where a program has failed, already when they are loaded; the handlers from before stay. */
static const int boot_signals[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV};

enum { BOOT_SIGNALS = sizeof boot_signals / sizeof *boot_signals };

static void boot_signals_note(struct sigaction before[BOOT_SIGNALS])
{
    for (int i = 0; i < BOOT_SIGNALS; i++)
        sigaction(boot_signals[i], NULL, &before[i]);
}

static void boot_signals_restore(const struct sigaction before[BOOT_SIGNALS])
{
    for (int i = 0; i < BOOT_SIGNALS; i++)
        sigaction(boot_signals[i], &before[i], NULL);
}

int cor_mpidev_boot(const cor_mpidev_config *config, const cor_log *log, struct cor_boot **boot_p, cor_fault *fault)
{
    mpidev_boot *self = calloc(1, sizeof *self);
    if (!self)
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory to boot");
    struct sigaction signals[BOOT_SIGNALS];
    boot_signals_note(signals);
    int rc = mpidev_library_open(config, log, &self->ops, fault);
    if (rc == COR_OK)
        rc = boot_start(self->ops, &self->bridge, fault);
    boot_signals_restore(signals);
    if (rc != COR_OK) {
        free(self);
        return rc;
    }
    self->base.ops = &boot_ops;
    self->base.rank = self->bridge->rank;
    self->base.size = self->bridge->size;
    *boot_p = &self->base;
    return COR_OK;
}

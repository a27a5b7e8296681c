/* SPDX-License-Identifier: Apache-2.0 */
#include "pmi/boot_private.h"
#include "pmi/boot_values.h"

#include <stdlib.h>

typedef struct alone_boot {
    cor_boot base;
    boot_values *values;
} alone_boot;

static int alone_exchange(cor_boot *boot, const char *key, const char *value, const char *const **values_p,
                          cor_fault *fault)
{
    alone_boot *alone = (alone_boot *)boot;
    boot_values *values;
    int code = cor_boot_values_begin(boot, key, value, &alone->values, &values, fault);
    if (code != COR_OK)
        return code;
    cor_boot_values_set(values, 0, value);
    *values_p = values->by_rank;
    return COR_OK;
}

/* There is no other rank. */
static int alone_fence(cor_boot *boot, const char *purpose, cor_fault *fault)
{
    (void)boot;
    (void)purpose;
    (void)fault;
    return COR_OK;
}

/* There is no launcher. */
static int alone_finalize(cor_boot *boot, cor_fault *fault)
{
    (void)boot;
    (void)fault;
    return COR_OK;
}

/* The job is this process, which the caller ends next. */
static void alone_abort(cor_boot *boot, int status, const char *reason)
{
    (void)boot;
    (void)status;
    (void)reason;
}

static void alone_close(cor_boot *boot)
{
    alone_boot *alone = (alone_boot *)boot;
    cor_boot_values_destroy(&alone->values);
    free(alone);
}

static const cor_boot_ops alone_ops = {
    .name = "alone",
    .may_reopen = 1,
    .exchange = alone_exchange,
    .fence = alone_fence,
    .finalize = alone_finalize,
    .abort = alone_abort,
    .close = alone_close,
};

int cor_boot_alone_open(cor_boot **boot_p, cor_fault *fault)
{
    alone_boot *alone = calloc(1, sizeof *alone);
    if (!alone)
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory to boot");
    alone->base.ops = &alone_ops;
    alone->base.size = 1;
    *boot_p = &alone->base;
    return COR_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks that are threads of one process: a mutex, a condition and a table of values. */
#include "pmi/boot_private.h"
#include "pmi/boot_values.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cor_team {
    int size;
    pthread_mutex_t mutex;
    pthread_cond_t changed; /* the fence opened, or a rank left or aborted */
    /* All below under the mutex. */
    int arrived;          /* ranks waiting at the fence */
    unsigned long fences; /* how many have opened */
    const char **given;   /* by rank: the value of the current exchange, in that rank's memory */
    int early_rank;       /* a rank that closed without finalize, or -1: no fence can open any more */
    int is_aborted, status;
    char reason[200];
    void (*on_abort)(void *context, int status, const char *reason);
    void *context;
    void *shared;
    int sharers;
};

typedef struct team_boot {
    cor_boot base;
    cor_team *team;
    boot_values *values;
    int is_finalized;
} team_boot;

/* ---- the team --------------------------------------------------------------------------------------------------- */

int cor_team_create(int size, cor_team **team_p, cor_fault *fault)
{
    if (size < 1)
        return cor_fault_set(fault, COR_ERR_ARG, "invalid size of a team: %d ranks", size);
    cor_team *team = calloc(1, sizeof *team);
    const char **given = calloc((size_t)size, sizeof *given);
    if (!team || !given) {
        free(team);
        free(given);
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for a team of %d ranks", size);
    }
    pthread_mutex_init(&team->mutex, NULL);
    pthread_cond_init(&team->changed, NULL);
    team->size = size;
    team->given = given;
    team->early_rank = -1;
    *team_p = team;
    return COR_OK;
}

void cor_team_destroy(cor_team *team)
{
    pthread_cond_destroy(&team->changed);
    pthread_mutex_destroy(&team->mutex);
    free(team->given);
    free(team);
}

int cor_team_size(const cor_team *team)
{
    return team->size;
}

int cor_team_aborted(cor_team *team, const char **reason_p)
{
    pthread_mutex_lock(&team->mutex);
    int status = team->is_aborted ? team->status : -1;
    if (team->is_aborted && reason_p)
        *reason_p = team->reason;
    pthread_mutex_unlock(&team->mutex);
    return status;
}

void cor_team_on_abort(cor_team *team, void (*on_abort)(void *context, int status, const char *reason), void *context)
{
    pthread_mutex_lock(&team->mutex);
    team->on_abort = on_abort;
    team->context = context;
    pthread_mutex_unlock(&team->mutex);
}

void *cor_team_share(cor_team *team, void *(*create)(void *subject), void *subject)
{
    pthread_mutex_lock(&team->mutex);
    if (!team->shared)
        team->shared = create(subject);
    void *shared = team->shared;
    team->sharers += shared != NULL;
    pthread_mutex_unlock(&team->mutex);
    return shared;
}

void cor_team_unshare(cor_team *team, void (*destroy)(void *shared))
{
    pthread_mutex_lock(&team->mutex);
    if (--team->sharers == 0) {
        destroy(team->shared);
        team->shared = NULL;
    }
    pthread_mutex_unlock(&team->mutex);
}

/* ---- a rank's boot ---------------------------------------------------------------------------------------------- */

/* Why no fence will ever open, or COR_OK. */
static int team_failure(const cor_team *team, int rank, cor_fault *fault)
{
    if (team->is_aborted)
        return cor_fault_set(fault, COR_ERR_PEER, "rank %d: the job was aborted with status %d: %s", rank,
                             team->status, team->reason);
    if (team->early_rank >= 0)
        return cor_fault_set(fault, COR_ERR_PEER, "rank %d waits for rank %d, which has ended early", rank,
                             team->early_rank);
    return COR_OK;
}

/* Under the mutex. */
static int team_fence_locked(cor_team *team, int rank, cor_fault *fault)
{
    int code = team_failure(team, rank, fault);
    if (code != COR_OK)
        return code;
    unsigned long before = team->fences;
    if (++team->arrived == team->size) {
        team->arrived = 0;
        team->fences++;
        pthread_cond_broadcast(&team->changed);
        return COR_OK;
    }
    while (team->fences == before) {
        code = team_failure(team, rank, fault);
        if (code != COR_OK) {
            team->arrived--;
            return code;
        }
        pthread_cond_wait(&team->changed, &team->mutex);
    }
    return COR_OK;
}

static int team_fence(cor_boot *boot, const char *purpose, cor_fault *fault)
{
    (void)purpose; /* no timeout: threads cannot disappear unseen */
    team_boot *self = (team_boot *)boot;
    pthread_mutex_lock(&self->team->mutex);
    int code = team_fence_locked(self->team, boot->rank, fault);
    pthread_mutex_unlock(&self->team->mutex);
    return code;
}

static int team_exchange(cor_boot *boot, const char *key, const char *value, const char *const **values_p,
                         cor_fault *fault)
{
    team_boot *self = (team_boot *)boot;
    cor_team *team = self->team;
    boot_values *values;
    int code = cor_boot_values_begin(boot, key, value, &self->values, &values, fault);
    if (code != COR_OK)
        return code;
    pthread_mutex_lock(&team->mutex);
    team->given[boot->rank] = value;
    code = team_fence_locked(team, boot->rank, fault);
    if (code == COR_OK) {
        for (int rank = 0; rank < team->size; rank++)
            cor_boot_values_set(values, rank, team->given[rank]);
        /* A rank returns, and frees its value, only after all ranks have copied it. */
        code = team_fence_locked(team, boot->rank, fault);
    }
    pthread_mutex_unlock(&team->mutex);
    if (code == COR_OK)
        *values_p = values->by_rank;
    return code;
}

static int team_finalize(cor_boot *boot, cor_fault *fault)
{
    (void)fault;
    ((team_boot *)boot)->is_finalized = 1;
    return COR_OK;
}

static void team_abort(cor_boot *boot, int status, const char *reason)
{
    cor_team *team = ((team_boot *)boot)->team;
    pthread_mutex_lock(&team->mutex);
    int is_first = !team->is_aborted;
    void (*on_abort)(void *, int, const char *) = team->on_abort;
    void *context = team->context;
    if (is_first) {
        team->is_aborted = 1;
        team->status = status;
        snprintf(team->reason, sizeof team->reason, "%s", reason && *reason ? reason : "no reason given");
        pthread_cond_broadcast(&team->changed);
    }
    pthread_mutex_unlock(&team->mutex);
    /* Outside the mutex: the callee may ask the team. The reason does not change once it is set. */
    if (is_first && on_abort)
        on_abort(context, status, team->reason);
}

static void team_close(cor_boot *boot)
{
    team_boot *self = (team_boot *)boot;
    pthread_mutex_lock(&self->team->mutex);
    if (!self->is_finalized && self->team->early_rank < 0) {
        self->team->early_rank = boot->rank;
        pthread_cond_broadcast(&self->team->changed);
    }
    pthread_mutex_unlock(&self->team->mutex);
    cor_boot_values_destroy(&self->values);
    free(self);
}

static const cor_boot_ops team_ops = {
    .name = "threads",
    .exchange = team_exchange,
    .fence = team_fence,
    .finalize = team_finalize,
    .abort = team_abort,
    .close = team_close,
};

int cor_team_boot(cor_team *team, int rank, cor_boot **boot_p, cor_fault *fault)
{
    if (rank < 0 || rank >= team->size)
        return cor_fault_set(fault, COR_ERR_RANK, "rank %d is not in a team of %d", rank, team->size);
    team_boot *self = calloc(1, sizeof *self);
    if (!self)
        return cor_fault_set(fault, COR_ERR_MEMORY, "rank %d: no memory to boot", rank);
    self->base.ops = &team_ops;
    self->base.rank = rank;
    self->base.size = team->size;
    self->team = team;
    *boot_p = &self->base;
    return COR_OK;
}

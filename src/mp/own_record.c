/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "mp/team_record.h"

#include "base/sha256.h"
#include "mp/mp_state.h"
#include "trace/report.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TEAM_PREFIX "corunna: "

typedef struct cor_team_record {
    cor_record record;
    cor_trace_config config;
    _Atomic int is_reported;
    pthread_t watcher;
    int has_watcher;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int is_over; /* under the mutex */
} cor_team_record;

/* ---- looking for a stall ---------------------------------------------------------------------------------------- */

/* Wait so long, or until the job is over: then 0. */
static int team_pause(cor_team_record *self, uint64_t pause_ns)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    uint64_t ns = (uint64_t)until.tv_nsec + pause_ns;
    until.tv_sec += (time_t)(ns / 1000000000);
    until.tv_nsec = (long)(ns % 1000000000);
    pthread_mutex_lock(&self->mutex);
    while (!self->is_over && pthread_cond_timedwait(&self->changed, &self->mutex, &until) != ETIMEDOUT)
        ;
    int goes_on = !self->is_over;
    pthread_mutex_unlock(&self->mutex);
    return goes_on;
}

static void *team_watch(void *subject)
{
    cor_team_record *self = subject;
    int stall_s = self->config.stall_s;
    while (team_pause(self, cor_report_stall_pause_ns(stall_s)))
        if (cor_report_stall(&self->record, stall_s, stderr, TEAM_PREFIX))
            break; /* told once */
    return NULL;
}

/* Signals are for the program's threads. */
static void team_start_watcher(cor_team_record *self)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    self->has_watcher = pthread_create(&self->watcher, NULL, team_watch, self) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

static void *team_create(void *subject)
{
    cor_rank *rank = subject;
    cor_team_record *self = calloc(1, sizeof *self);
    const cor_trace_config *config = &rank->config.trace;
    cor_fault fault = {0};
    char name[COR_RECORD_NAME_MAX];
    uint64_t random = (uint64_t)(uintptr_t)self;
    uint32_t flags = cor_trace_flags(config) | COR_RECORD_IS_ROOT | COR_RECORD_IS_TEAM;
    cor_random_bytes(&random, sizeof random);
    snprintf(name, sizeof name, "%d_%012llx", (int)getpid(), (unsigned long long)random & 0xffffffffffffu);
    if (!self)
        return NULL;
    int rc = cor_report_check(config, &fault);
    if (rc != COR_OK) {
        COR_LOG(&rank->log, WARN, "%s", fault.text);
        flags &= ~(uint32_t)(COR_RECORD_STATS | COR_RECORD_EVENTS);
    }
    if (cor_record_create(&self->record, name, (uint32_t)rank->boot->size, flags, config->events, &fault) != COR_OK) {
        free(self);
        return NULL;
    }
    self->config = *config;
    if (rc != COR_OK)
        self->is_reported = 1;
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_mutex_init(&self->mutex, NULL);
    pthread_cond_init(&self->changed, &clock);
    pthread_condattr_destroy(&clock);
    if (config->stall_s > 0 && rank->boot->size > 1)
        team_start_watcher(self);
    return self;
}

static void team_report(cor_team_record *self)
{
    if (atomic_exchange(&self->is_reported, 1) == 0)
        cor_report_end(&self->record, &self->config, stderr, TEAM_PREFIX);
}

static void team_destroy(void *shared)
{
    cor_team_record *self = shared;
    pthread_mutex_lock(&self->mutex);
    self->is_over = 1;
    pthread_cond_signal(&self->changed);
    pthread_mutex_unlock(&self->mutex);
    if (self->has_watcher)
        pthread_join(self->watcher, NULL);
    team_report(self);
    pthread_cond_destroy(&self->changed);
    pthread_mutex_destroy(&self->mutex);
    cor_record_close(&self->record);
    free(self);
}

int cor_team_record_join(cor_rank *rank)
{
    rank->team_record = cor_team_share(rank->team, team_create, rank);
    return rank->team_record ? rank->team_record->record.fd : -1;
}

void cor_team_record_leave(cor_rank *rank)
{
    rank->team_record = NULL;
    cor_team_unshare(rank->team, team_destroy);
}

void cor_team_record_abort(cor_rank *rank)
{
    team_report(rank->team_record);
}

/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "mp/own_record.h"

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

typedef struct cor_own_record {
    cor_record record;
    cor_trace_config config;
    char prefix[40]; /* of what is printed */
    _Atomic int is_reported;
    pthread_t watcher;
    int has_watcher;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int is_over; /* under the mutex */
} cor_own_record;

/* ---- looking for a stall ---------------------------------------------------------------------------------------- */

/* Wait so long, or until the job is over: then 0. */
static int team_pause(cor_own_record *self, uint64_t pause_ns)
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
    cor_own_record *self = subject;
    int stall_s = self->config.stall_s;
    while (team_pause(self, cor_report_stall_pause_ns(stall_s)))
        if (cor_report_stall(&self->record, stall_s, stderr, self->prefix))
            break; /* told once */
    return NULL;
}

/* Signals are for the program's threads. */
static void team_start_watcher(cor_own_record *self)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    self->has_watcher = pthread_create(&self->watcher, NULL, team_watch, self) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

/* "a/trace.json" of rank 3 becomes "a/trace.3.json", "trace" becomes "trace.3". */
static void own_number_path(char path[COR_TRACE_PATH_MAX], int rank)
{
    char numbered[COR_TRACE_PATH_MAX];
    const char *name = strrchr(path, '/'), *end = strrchr(name ? name + 1 : path, '.');
    int length = (int)(end ? (size_t)(end - path) : strlen(path));
    if (path[0] &&
        snprintf(numbered, sizeof numbered, "%.*s.%d%s", length, path, rank, end ? end : "") < (int)sizeof numbered)
        memcpy(path, numbered, sizeof numbered);
}

/* What is written, and how it is printed. */
static void own_configure(cor_own_record *self, const cor_rank *rank)
{
    self->config = rank->config.trace;
    snprintf(self->prefix, sizeof self->prefix, "corunna: ");
    if (rank->is_in_team || rank->known.size == 1)
        return;
    own_number_path(self->config.file, rank->known.rank);
    own_number_path(self->config.html, rank->known.rank);
    snprintf(self->prefix, sizeof self->prefix, "corunna: rank %d: ", rank->known.rank);
}

static int own_make_record(cor_own_record *self, const cor_rank *rank, uint32_t flags, cor_fault *fault)
{
    char name[COR_RECORD_NAME_MAX];
    uint64_t random = (uint64_t)(uintptr_t)self;
    cor_random_bytes(&random, sizeof random);
    snprintf(name, sizeof name, "%d_%012llx", (int)getpid(), (unsigned long long)random & 0xffffffffffffu);
    flags |= COR_RECORD_IS_ROOT | COR_RECORD_IS_OWN;
    return cor_record_create(&self->record, name, (uint32_t)rank->known.size, flags, self->config.events, fault);
}

/* The ranks continue without a record. */
static void *own_create(void *subject)
{
    cor_rank *rank = subject;
    cor_own_record *self = calloc(1, sizeof *self);
    cor_fault fault = {0};
    if (!self)
        return NULL;
    own_configure(self, rank);
    uint32_t flags = cor_trace_flags(&self->config);
    int rc = cor_report_check(&self->config, &fault);
    if (rc != COR_OK) {
        COR_LOG(&rank->log, WARN, "%s", fault.text);
        flags = 0;
        self->is_reported = 1;
    }
    if (own_make_record(self, rank, flags, &fault) != COR_OK) {
        if (flags)
            COR_LOG(&rank->log, WARN, "%s; trace.file, trace.stats and trace.html have no effect", fault.text);
        free(self);
        return NULL;
    }
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_mutex_init(&self->mutex, NULL);
    pthread_cond_init(&self->changed, &clock);
    pthread_condattr_destroy(&clock);
    if (self->config.stall_s > 0 && rank->is_in_team && rank->known.size > 1)
        team_start_watcher(self);
    return self;
}

static void own_report(cor_own_record *self)
{
    if (atomic_exchange(&self->is_reported, 1) == 0)
        cor_report_end(&self->record, &self->config, stderr, self->prefix);
}

static void own_destroy(void *shared)
{
    cor_own_record *self = shared;
    pthread_mutex_lock(&self->mutex);
    self->is_over = 1;
    pthread_cond_signal(&self->changed);
    pthread_mutex_unlock(&self->mutex);
    if (self->has_watcher)
        pthread_join(self->watcher, NULL);
    own_report(self);
    pthread_cond_destroy(&self->changed);
    pthread_mutex_destroy(&self->mutex);
    cor_record_close(&self->record);
    free(self);
}

int cor_own_record_join(cor_rank *rank)
{
    if (rank->is_in_team)
        rank->own_record = cor_team_share(rank->team, own_create, rank);
    else if (cor_trace_flags(&rank->config.trace))
        rank->own_record = own_create(rank);
    return rank->own_record ? rank->own_record->record.fd : -1;
}

void cor_own_record_leave(cor_rank *rank)
{
    cor_own_record *self = rank->own_record;
    rank->own_record = NULL;
    if (rank->is_in_team)
        cor_team_unshare(rank->team, own_destroy);
    else
        own_destroy(self);
}

void cor_own_record_abort(cor_rank *rank)
{
    own_report(rank->own_record);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks as threads of one process (corunna/threads.h). */
#pragma GCC visibility push(default)
#include <corunna/threads.h>
#pragma GCC visibility pop

#include "mpi/face_life.h"
#include "pmi/boot.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS_STACK_BYTES = 2 << 20 };

typedef struct threads_rank {
    face_rank face;
    pthread_t thread;
    int (*body)(int argc, char **argv);
    int argc, result;
    char **argv;
} threads_rank;

/* Runs once, in the thread that aborted first; its line is already written. */
static void threads_on_abort(void *context, int status, const char *reason)
{
    (void)context;
    (void)reason;
    /* As cor_rank_abort does for a process: what was printed is flushed, and an abort is never a success. */
    _exit(status & 0xff ? status & 0xff : EXIT_FAILURE);
}

/* A rank that returns early must not let the others wait for it. */
static void threads_check_end(threads_rank *self)
{
    face_life_end(&self->face);
    if (face_is_open(&self->face)) {
        char reason[96];
        snprintf(reason, sizeof reason, "the rank returned %d without %s", self->result,
                 self->face.state == FACE_OPEN ? "MPI_Finalize" : "MPI_Session_finalize");
        cor_rank_abort(self->face.rank, self->result ? self->result : MPI_ERR_OTHER, reason);
    } else if (!self->face.rank) {
        /* Opening and closing without finalize ends the wait of others in MPI_Init. */
        cor_boot *boot;
        if (cor_team_boot(self->face.team, self->face.team_rank, &boot, NULL) == COR_OK)
            boot->ops->close(boot);
    }
}

static void *threads_main(void *argument)
{
    threads_rank *self = argument;
    face_current = &self->face;
    self->result = self->body(self->argc, self->argv);
    threads_check_end(self);
    face_current = NULL;
    return NULL;
}

/* Start the threads; *started_p is how many run. */
static int threads_start(threads_rank *all, int ranks, int *started_p)
{
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error == 0)
        error = pthread_attr_setstacksize(&attributes, THREADS_STACK_BYTES);
    for (*started_p = 0; error == 0 && *started_p < ranks; ++*started_p) {
        error = pthread_create(&all[*started_p].thread, &attributes, threads_main, &all[*started_p]);
        if (error != 0)
            break;
    }
    pthread_attr_destroy(&attributes);
    return error;
}

/* The started ranks would wait for the others for ever, so the process ends. */
static _Noreturn void threads_start_failed(int started, int ranks, int error)
{
    fprintf(stderr, "corunna: only %d of %d ranks could be started as threads: error %d\n", started, ranks, error);
    exit(EXIT_FAILURE);
}

int corunna_threads_run(int ranks, int (*body)(int argc, char **argv), int argc, char **argv)
{
    cor_fault fault = {0};
    cor_team *team;
    if (!body || cor_team_create(ranks, &team, &fault) != COR_OK) {
        fprintf(stderr, "corunna: corunna_threads_run: %s\n", body ? fault.text : "body is a NULL pointer");
        return -1;
    }
    threads_rank *all = calloc((size_t)ranks, sizeof *all);
    if (!all) {
        fprintf(stderr, "corunna: corunna_threads_run: no memory for %d ranks\n", ranks);
        cor_team_destroy(team);
        return -1;
    }
    cor_team_on_abort(team, threads_on_abort, NULL);
    for (int i = 0; i < ranks; i++) {
        face_rank_init(&all[i].face, team, i);
        all[i].body = body;
        all[i].argc = argc;
        all[i].argv = argv;
    }
    int started, result = 0;
    int error = threads_start(all, ranks, &started);
    if (error != 0)
        threads_start_failed(started, ranks, error);
    for (int i = 0; i < ranks; i++) {
        pthread_join(all[i].thread, NULL);
        if (result == 0)
            result = all[i].result;
        face_rank_fini(&all[i].face);
    }
    free(all);
    cor_team_destroy(team);
    return result;
}

corunna_thread_rank *corunna_threads_self(void)
{
    return (corunna_thread_rank *)face_current;
}

void corunna_threads_adopt(corunna_thread_rank *rank)
{
    face_current = (face_rank *)rank;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a PMI server. Private to pmi_server.c, pmi_barrier.c and pmi_gather.c. */
#ifndef COR_PMI_SERVER_STATE_H
#define COR_PMI_SERVER_STATE_H

#include "pmi/pmi_line.h"
#include "pmi/pmi_server.h"
#include "pmi/pmi_store.h"
#include "pmi/pmi_table.h"

enum {
    SERVER_NAME_MAX = 64,
    SERVER_KEY_MAX = 256,
    SERVER_VALUE_MAX = 1024,
    SERVER_PENDING_MAX = 4 << 20, /* limit for a rank that sends requests and does not read the answers */
    SERVER_UPDATES_MAX = 60 << 20 /* bytes put between two barriers */
};

typedef struct server_rank {
    int is_active; /* between init and finalize */
    int appnum;    /* which of the job's programs it runs */
    int is_gone;   /* its process has ended */
    int in_barrier;
    int in_spawn;   /* inside the lines of a spawn, up to endcmd */
    int generation; /* number of its inits, each with its own key-value space */
    long stored;    /* bytes of the store that it uses */
    char *pending;  /* bytes [start, filled) are to be sent */
    size_t start, filled, room;
    cor_pmi_reader reader;
} server_rank;

struct cor_pmi_server {
    int size;
    int universe;           /* cor_pmi_server_set_universe */
    int waiting;            /* ranks in the barrier */
    int answered;           /* ranks with pending bytes */
    int gone;               /* ranks whose processes have ended */
    int announces_failures; /* cor_pmi_server_announce_failures */
    char name[SERVER_NAME_MAX];
    cor_pmi_abort_fn on_abort;
    void *context;
    cor_pmi_fence_fn on_fence; /* NULL: the only server of the job */
    int parties;               /* parties of a barrier: ranks served here, servers below */
    char *updates;             /* lines put since the last barrier, when there are other servers */
    size_t updates_length, updates_room;
    cor_pmi_store store;
    cor_pmi_table table;
    server_rank *ranks;
};

/* Queue one line for a rank. */
int cor_pmi_server_answer(cor_pmi_server *server, int rank, cor_fault *fault, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* A value from a rank, or from another server (rank -1). */
typedef struct server_value {
    int rank;
    const char *space, *key, *value;
} server_value;

/* Store a value; is_update: also for the other servers. COR_ERR_MEMORY: beyond a limit, or out of memory; the fault
 * says which. */
int cor_pmi_server_keep(cor_pmi_server *server, const server_value *put, int is_update, cor_fault *fault);

/* Request of a rank: where the table has the values of all ranks whose keys begin with this one. */
int cor_pmi_server_gather(cor_pmi_server *server, int rank, const cor_pmi_line *line, cor_fault *fault);

/* One more party has entered the barrier. */
int cor_pmi_server_enter(cor_pmi_server *server, cor_fault *fault);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a rank gets its number and the addresses of the others, before any wire exists.
 *
 * Four ways: the launcher's PMI-1 socket (PMI_FD, PMI_RANK, PMI_SIZE: `corunna run`, Hydra, Slurm's pmi2, Flux), its
 * PMIx server (PMIX_NAMESPACE, PMIX_RANK: Slurm's pmix, Open MPI's mpirun), threads of one process (a cor_team), or no
 * launcher (a job of one rank). The environment decides, unless the setting `pmi` does.
 *
 * Not thread-safe, except abort, which any thread may call: used while a rank opens and closes, and has_ended between.
 */
#ifndef COR_PMI_BOOT_H
#define COR_PMI_BOOT_H

#include "base/error.h"
#include "base/knob.h"
#include "base/log.h"

typedef struct cor_boot cor_boot;
typedef struct cor_team cor_team;

typedef enum cor_boot_way { COR_BOOT_AUTO, COR_BOOT_PMI1, COR_BOOT_PMIX, COR_BOOT_NONE } cor_boot_way;

typedef struct cor_boot_config {
    int way;       /* cor_boot_way */
    int timeout_s; /* limit for an answer, and for the last rank at a fence; 0: none */
} cor_boot_config;

extern const cor_knob_table cor_boot_knobs;

/* For a job that another one has started (dynamic/): the first variable has the port of the parent job, for its ranks;
 * the second, for its launcher, a descriptor that is closed when the process that started the job ends. */
#define COR_PARENT_VARIABLE "CORUNNA_PARENT_PORT"
#define COR_LEASH_VARIABLE "CORUNNA_LEASH"

/* The longest value of an exchange, whatever the launcher's limit is. */
enum { COR_BOOT_VALUE_MAX = 1152 };

typedef struct cor_boot_ops {
    const char *name; /* "pmi1", "pmix", "threads", "alone" */
    int may_reopen;   /* after close the process may be opened as the same rank again: nobody was told of its end */
    /* Publish this rank's value (printable text without spaces, at most COR_BOOT_VALUE_MAX characters) and receive
     * those of all ranks: values_p[i] stays valid until close. Collective. */
    int (*exchange)(cor_boot *boot, const char *key, const char *value, const char *const **values_p,
                    cor_fault *fault);
    /* A barrier. Collective. `purpose` says what all ranks have done before it, for error messages: "mapped each
     * other's memory". COR_ERR_PEER: a rank has ended before it entered the fence. */
    int (*fence)(cor_boot *boot, const char *purpose, cor_fault *fault);
    /* 1: the process of this rank has ended, according to this host's kernel or the launcher; 0: it runs, or nothing is
     * known. May wait for the launcher's answer, and sends no request while a fence waits. NULL: nothing is ever
     * known. */
    int (*has_ended)(cor_boot *boot, int rank);
    /* 1: the launcher process that this rank is connected to has ended, so nothing would end this rank. Never waits,
     * and costs little. NULL: there is none. */
    int (*is_orphaned)(const cor_boot *boot);
    /* Notify the launcher that this rank ends normally. After it the rank may exit. */
    int (*finalize)(cor_boot *boot, cor_fault *fault);
    /* End the whole job with this status; returns only if the launcher does not end this rank at once. */
    void (*abort)(cor_boot *boot, int status, const char *reason);
    void (*close)(cor_boot *boot);
} cor_boot_ops;

struct cor_boot {
    const cor_boot_ops *ops;
    int rank, size;
    int appnum;             /* which of the job's programs this rank runs; 0: the only one, or unknown */
    int universe;           /* how many processes the job's hosts have slots for; 0: unknown */
    int announces_failures; /* the launcher has announced that it reports a dead rank and ends the job */
    /* No other rank that this one's launcher has started waits for it if it fails to open: there is none, or all have
     * failed the same way. Set by boots of joint jobs (dynamic/). */
    int may_give_up;
    /* If set, called repeatedly while a fence waits; not with threads, which end together. A result other than COR_OK
     * ends the fence, and is its own. */
    int (*meanwhile)(void *subject, cor_fault *fault);
    void *subject;
};

/* By the environment: PMI-1 if PMI_FD is set, else PMIx if PMIX_RANK is set, else alone; where both are set, PMI-1 if
 * PMI_FD is a descriptor of a process above this one; or as the setting says, which is never overridden. An incomplete
 * or invalid environment is an error that names the variable. The PMI socket is closed on exec. No call waits longer
 * than the configured time. */
int cor_boot_open(const cor_boot_config *config, const cor_log *log, cor_boot **boot_p, cor_fault *fault);

/* How many ranks the job has, according to the environment, before a rank opens or after it has closed; 0: unknown. */
int cor_boot_expected_size(void);

/* Is the library installed that a launcher with PMIx needs? COR_ERR_UNSUPPORTED. It is loaded for this, and stays. */
int cor_boot_check_pmix(cor_fault *fault);

/* A job whose ranks are threads of this process. The team must outlive its boots. */
int cor_team_create(int size, cor_team **team_p, cor_fault *fault);
void cor_team_destroy(cor_team *team);
int cor_team_size(const cor_team *team);
int cor_team_boot(cor_team *team, int rank, cor_boot **boot_p, cor_fault *fault);
/* The status of an abort, or -1; the reason stays valid until the team is destroyed. An abort also makes every fence
 * and exchange of the team return COR_ERR_PEER, and so does a member that closes without having finalized. `on_abort`,
 * when set, is called once, from the aborting thread. */
int cor_team_aborted(cor_team *team, const char **reason_p);
void cor_team_on_abort(cor_team *team, void (*on_abort)(void *context, int status, const char *reason), void *context);
/* An object shared by the members: made by `create` for the first that calls, NULL if that failed; released by each,
 * the last time with `destroy`. Both are called under the team's mutex. */
void *cor_team_share(cor_team *team, void *(*create)(void *subject), void *subject);
void cor_team_unshare(cor_team *team, void (*destroy)(void *shared));

#endif

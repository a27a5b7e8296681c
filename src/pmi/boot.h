/*
 * How a rank learns who it is and finds the others before any wire exists.
 *
 * Four ways: the launcher's PMI-1 socket (PMI_FD, PMI_RANK, PMI_SIZE: `corunna run`, Hydra, Slurm's pmi2, Flux), its
 * PMIx server (PMIX_NAMESPACE, PMIX_RANK: Slurm's pmix, Open MPI's mpirun), threads of one process (a cor_team), or
 * nobody at all (a job of one). The environment chooses, unless the setting `pmi` does.
 *
 * Not thread-safe: used while a rank opens and closes, and by abort, which may come from any thread.
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
    int timeout_s; /* how long an answer, or the last rank at a fence, may take; 0: for ever */
} cor_boot_config;

extern const cor_knob_table cor_boot_knobs;

/* The longest value an exchange carries, whatever the launcher's own limit is. */
enum { COR_BOOT_VALUE_MAX = 1024 };

typedef struct cor_boot_ops {
    const char *name; /* "pmi1", "pmix", "threads", "alone" */
    /* Give this rank's value (printable text without spaces, at most COR_BOOT_VALUE_MAX characters) and receive
     * everybody's, by rank: values_p[i] stays valid until close. Collective. */
    int (*exchange)(cor_boot *boot, const char *key, const char *value, const char *const **values_p,
                    cor_fault *fault);
    /* Nobody leaves before everybody has come. Collective. `purpose` says what all have done then, for the sentence
     * where they have not: "mapped each other's memory". COR_ERR_PEER: a rank that was to come has ended. */
    int (*fence)(cor_boot *boot, const char *purpose, cor_fault *fault);
    /* Tell the launcher that this rank is done well. After it the rank may exit. */
    int (*finalize)(cor_boot *boot, cor_fault *fault);
    /* End the whole job with this status; returns only if the launcher does not end us at once. */
    void (*abort)(cor_boot *boot, int status, const char *reason);
    void (*close)(cor_boot *boot);
} cor_boot_ops;

struct cor_boot {
    const cor_boot_ops *ops;
    int rank, size;
    int tells_losses; /* the launcher sees a rank die, tells it, and ends the job: our own has said so */
    /* Called now and then while a fence waits for the others, if set; not with threads, which end together. */
    void (*meanwhile)(void *subject);
    void *subject;
};

/* By the environment: PMI-1 if PMI_FD is set, else PMIx if PMIX_RANK is set, else alone; or as the setting says, which
 * wins or fails. A half-set or unusable environment is an error that names the variable. The PMI socket is closed on
 * exec. No call waits longer than the configured time. */
int cor_boot_open(const cor_boot_config *config, const cor_log *log, cor_boot **boot_p, cor_fault *fault);

/* A job whose ranks are threads of this process. The team must outlive its boots. */
int cor_team_create(int size, cor_team **team_p, cor_fault *fault);
void cor_team_destroy(cor_team *team);
int cor_team_boot(cor_team *team, int rank, cor_boot **boot_p, cor_fault *fault);
/* The abort status somebody asked for, or -1; the reason stays valid until the team is destroyed. An abort also
 * makes every fence and exchange of the team return COR_ERR_PEER, and so does a member that closes
 * without having finalized. `on_abort`, when set, is called once, from the
 * aborting thread. */
int cor_team_aborted(cor_team *team, const char **reason_p);
void cor_team_on_abort(cor_team *team, void (*on_abort)(void *context, int status, const char *reason), void *context);

#endif

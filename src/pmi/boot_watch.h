/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watches the other ranks of this host while a fence waits, until a wire does that.
 *
 * In its first exchange every rank appends a '~' and its process id to its value. From then on a rank that waits in a
 * fence periodically checks the processes of its own host. Only the launcher can notice a rank that dies before that,
 * or one that is alone on another host; pmi.timeout limits the wait for it; time in which this rank was stopped does
 * not count.
 *
 * Costs: about 70 more characters in the exchange; and, where a fence takes longer than 200 ms, up to 80 us every 200
 * ms, for 16 ranks of this host in turn, and for fewer where there are more than 16: then the ranks share the work, and
 * one that finds a death reports it to the launcher.
 */
#ifndef COR_PMI_BOOT_WATCH_H
#define COR_PMI_BOOT_WATCH_H

#include "base/patience.h"
#include "base/process.h"
#include "pmi/boot_values.h"

/* Zero: no rank is known. */
typedef struct boot_watch {
    char here[COR_PROCESS_HOST_MAX + COR_PROCESS_SPACE_MAX +
              2];        /* the prefix of a process id of this host; "": not known */
    const char **signs;  /* by rank: its process id, read only when it is checked; NULL or "": not known */
    int exchanges;       /* so far */
    const char *purpose; /* of the current fence, for messages */
    int timeout_s;       /* likewise: its time limit */
    cor_patience waited; /* in the current fence */
    uint64_t next_look_ns;
    int next;         /* the next rank to check */
    int gone;         /* the first rank found to have ended; -1 */
    int gone_pid;     /* its process, or the one that was last checked */
    uint64_t gone_ns; /* how long the fence had waited when that was found */
} boot_watch;

/* A value as it is published: the first one with this process's id appended. */
void cor_boot_watch_encode(boot_watch *watch, const char *value, char out[BOOT_TEXT_MAX + 1]);

/* A complete value of a rank: cut the process id off; it is not copied, so the values must live as long as the watch.
 * COR_ERR_BOOT: invalid. COR_ERR_MEMORY. */
int cor_boot_watch_decode(boot_watch *watch, const cor_boot *boot, const char *key, int rank, boot_values *values,
                          cor_fault *fault);

/* A fence begins with this time limit (0: none); the purpose must live as long. */
void cor_boot_watch_begin(boot_watch *watch, const char *purpose, int timeout_s);

/* How long to wait between two calls of the next function. */
int cor_boot_watch_nap_ms(const cor_boot *boot);

/* To be called repeatedly while the fence waits: calls the boot's meanwhile and checks the processes. COR_ERR_PEER: a
 * rank has ended before it entered the fence. COR_ERR_BOOT: timeout. */
int cor_boot_watch_meanwhile(boot_watch *watch, const cor_boot *boot, cor_fault *fault);

/* The launcher reports that a rank has ended before it entered the fence: COR_ERR_PEER, with the rank if it was on
 * this host. */
int cor_boot_watch_peer_lost(boot_watch *watch, const cor_boot *boot, cor_fault *fault);

/* Has the process of this rank ended? 0: it runs, or is not of this host. */
int cor_boot_watch_has_ended(const boot_watch *watch, int rank);

void cor_boot_watch_fini(boot_watch *watch);

#endif

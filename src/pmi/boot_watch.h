/*
 * Whether the other ranks of this host still live, for as long as no wire can tell: while a fence is waited for.
 *
 * With its first exchange every rank tells, behind its value, which process it is. From then on whoever waits in a
 * fence looks now and then whether the processes of its own host are there. Of a rank that dies before that, and of
 * one that is alone on another host, only the launcher can know; nobody waits for it longer than pmi.timeout.
 *
 * Costs: some 70 characters more to tell; and, where a fence takes longer than 200 ms, up to 80 us every 200 ms, for 16
 * ranks of this host in turn.
 */
#ifndef COR_PMI_BOOT_WATCH_H
#define COR_PMI_BOOT_WATCH_H

#include "base/process.h"
#include "pmi/boot_values.h"

typedef struct boot_watched {
    pid_t pid; /* 0: not of this host, or not known */
    uint64_t started;
} boot_watched;

/* Zero: nobody is known. */
typedef struct boot_watch {
    char host[COR_PROCESS_HOST_MAX], space[COR_PROCESS_SPACE_MAX]; /* ours */
    boot_watched *ranks;                                           /* by rank */
    int exchanges;                                                 /* so far */
    const char *purpose;                                           /* of the fence under way, for messages */
    int timeout_s;                                                 /* likewise: how long it may take */
    uint64_t began_ns, next_look_ns;
    int next; /* whose turn it is to be looked at */
    int gone; /* the first rank found gone; -1 */
    uint64_t gone_ns;
} boot_watch;

/* A value as it is told: as it is, or, the first one, with word of who we are behind it. */
void cor_boot_watch_sign(boot_watch *watch, const char *value, char out[BOOT_TEXT_MAX + 1]);

/* What a rank has told is complete: its value remains, without that word. COR_ERR_BOOT: it is none. COR_ERR_MEMORY. */
int cor_boot_watch_take(boot_watch *watch, const cor_boot *boot, const char *key, int rank, boot_values *values,
                        cor_fault *fault);

/* A fence begins, which may take so long (0: for ever); the purpose has to outlast it. */
void cor_boot_watch_begin(boot_watch *watch, const char *purpose, int timeout_s);

/* How long to wait between two calls of the next. */
int cor_boot_watch_nap_ms(const cor_boot *boot);

/* To be called again and again while the fence is waited for: does what the boot has to do meanwhile, and looks.
 * COR_ERR_PEER: a rank has ended that should have come. COR_ERR_BOOT: it takes too long. */
int cor_boot_watch_meanwhile(boot_watch *watch, const cor_boot *boot, cor_fault *fault);

/* The launcher says that a rank has ended which should have come: COR_ERR_PEER, and who, if it was of this host. */
int cor_boot_watch_mourn(boot_watch *watch, const cor_boot *boot, cor_fault *fault);

void cor_boot_watch_fini(boot_watch *watch);

#endif

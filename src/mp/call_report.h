/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tools that listen to a rank's calls: which calls are reported, what of them, and how.
 *
 * The calls are those that statistics and traces measure (activity.h), each reported once, when it is complete. While
 * nothing listens, a call reads one word for it, the same that it reads for statistics.
 */
#ifndef COR_MP_CALL_REPORT_H
#define COR_MP_CALL_REPORT_H

#include "mp/mp.h"

/* The kinds of calls that are reported have a name, from 0 on; NULL: this number has none. COR_CALL_KINDS_MAX: none has
 * from here on. */
enum { COR_CALL_KINDS_MAX = 128 };
const char *cor_call_kind_name(int kind);

typedef struct cor_call_report {
    int kind;
    int peer, tag; /* the rank of the job; negative: several, or none */
    size_t bytes;
    uint64_t end_ns; /* by the clock of the host */
    uint64_t ns, waited_ns;
} cor_call_report;

/* Called by the thread that has made the call, at its end and without the rank's lock; so reports of several threads
 * may come at once and in any order. It may call everything of this rank but cor_rank_finalize. The calls it makes are
 * reported as well. */
typedef void (*cor_listen_fn)(void *subject, const cor_call_report *report);

/* From now on report calls to this listener (NULL: to none), and measure calls if something listens or is_measured.
 * Reports that other threads have begun may still come. Nothing happens once the rank has been finalised. */
void cor_rank_listen(cor_rank *rank, int is_measured, cor_listen_fn listener, void *subject);

/* A sum of measured times in nanoseconds. Under the lock. */
uint64_t cor_rank_measured_ns(const cor_rank *rank, uint64_t ticks);

#endif

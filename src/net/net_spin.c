/* SPDX-License-Identifier: Apache-2.0 */
/* Whether to spin. Where the peer shares the CPU, or has not answered within the limit lately, a waiting thread sleeps. */
#define _GNU_SOURCE
#include "net/net_ring.h"

enum { SPIN_SCORE_MAX = 16, SPIN_FAILED = 3, SPIN_TRY_AGAIN = -32 };

/* The score falls by failures and grows by successes. Below 0 it counts waits without a spin, and after some of them one
 * spin is tried. */
int cor_conn_may_spin(cor_conn *conn)
{
    net_local *local = conn->local;
    if (!conn->net->can_spin || !cor_conn_is_switched(conn))
        return 0;
    int cpu = cor_cpu_current();
    if (cpu >= 0 && atomic_load_explicit(&conn->in->writer_cpu, memory_order_relaxed) == cpu)
        return 0;
    int score = atomic_load_explicit(&local->spin_score, memory_order_relaxed);
    if (score > 0)
        return 1;
    if (score <= SPIN_TRY_AGAIN) {
        atomic_store_explicit(&local->spin_score, 1, memory_order_relaxed);
        return 1;
    }
    atomic_store_explicit(&local->spin_score, score - 1, memory_order_relaxed);
    return 0;
}

void cor_conn_spun(cor_conn *conn, int has_paid)
{
    net_local *local = conn->local;
    int score = atomic_load_explicit(&local->spin_score, memory_order_relaxed);
    if (has_paid)
        score = score < SPIN_SCORE_MAX ? score + 1 : score;
    else
        score = score > SPIN_FAILED ? score - SPIN_FAILED : 0;
    atomic_store_explicit(&local->spin_score, score, memory_order_relaxed);
}

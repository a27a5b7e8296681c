/* SPDX-License-Identifier: Apache-2.0 */
/* Whether to spin. Where the peer shares the CPU, or has not answered within the limit lately, a waiting thread
 * sleeps. */
#define _GNU_SOURCE
#include "net/net_ring.h"

enum { SPIN_SCORE_MAX = 16, SPIN_FAILED = 3, SPIN_TRY_AGAIN = -32 };

/* The score falls by failures and grows by successes. Below 0 it counts waits without a spin, and after some of them
 * one spin is tried. */
static int spin_may(const cor_conn *conn, const _Atomic int32_t *peer_cpu, _Atomic int32_t *score_p)
{
    int cpu = cor_cpu_current();
    if (!conn->net->can_spin || (cpu >= 0 && atomic_load_explicit(peer_cpu, memory_order_relaxed) == cpu))
        return 0;
    int score = atomic_load_explicit(score_p, memory_order_relaxed);
    if (score > 0)
        return 1;
    if (score <= SPIN_TRY_AGAIN) {
        atomic_store_explicit(score_p, 1, memory_order_relaxed);
        return 1;
    }
    atomic_store_explicit(score_p, score - 1, memory_order_relaxed);
    return 0;
}

static void spin_note(_Atomic int32_t *score_p, int has_paid)
{
    int score = atomic_load_explicit(score_p, memory_order_relaxed);
    if (has_paid)
        score = score < SPIN_SCORE_MAX ? score + 1 : score;
    else
        score = score > SPIN_FAILED ? score - SPIN_FAILED : 0;
    atomic_store_explicit(score_p, score, memory_order_relaxed);
}

int cor_conn_may_spin(cor_conn *conn)
{
    return cor_conn_is_switched(conn) && spin_may(conn, &conn->in->writer_cpu, &conn->local->spin_score);
}

void cor_conn_spun(cor_conn *conn, int has_paid)
{
    spin_note(&conn->local->spin_score, has_paid);
}

int net_may_spin_to_write(cor_conn *conn)
{
    return spin_may(conn, &conn->out->reader_cpu, &conn->local->write_score);
}

void net_spun_to_write(cor_conn *conn, int has_paid)
{
    spin_note(&conn->local->write_score, has_paid);
}

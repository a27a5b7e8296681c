/* SPDX-License-Identifier: Apache-2.0 */
#include "mp/session.h"

#include "mp/mp_state.h"

#include <stdlib.h>

cor_session *cor_session_create(cor_rank *rank, void *face)
{
    cor_session *session = calloc(1, sizeof *session);
    if (session) {
        atomic_init(&session->references, 1);
        atomic_init(&session->face, face);
        session->rank = rank;
    }
    return session;
}

void cor_session_end(cor_session *session)
{
    void *memory;
    size_t bytes;
    cor_session_buffer_detach(session, &memory, &bytes);
    /* relaxed: it points to nothing that the reader would read; a late reader finds the session or its end. */
    atomic_store_explicit(&session->face, NULL, memory_order_relaxed);
    cor_session_unref(session);
}

void cor_session_ref(cor_session *session)
{
    if (session) /* relaxed: the caller holds a reference already. */
        atomic_fetch_add_explicit(&session->references, 1, memory_order_relaxed);
}

void cor_session_unref(cor_session *session)
{
    /* acq_rel: all uses of the session come before the free. */
    if (session && atomic_fetch_sub_explicit(&session->references, 1, memory_order_acq_rel) == 1)
        free(session);
}

void *cor_session_face(const cor_session *session)
{
    return atomic_load_explicit(&session->face, memory_order_relaxed);
}

void cor_comm_set_session(cor_comm *comm, cor_session *session)
{
    cor_session_ref(session);
    cor_session_unref(comm->session);
    comm->session = session;
}

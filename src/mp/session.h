/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the communicators and groups derived from one session of the program have in common: the face's session, and a
 * buffer for their buffered sends.
 *
 * Counted: the face has a reference from create to end, every group and communicator another one, so that a group that
 * outlives its session can still be asked for it. ref, unref and face may be called by any thread.
 */
#ifndef COR_MP_SESSION_H
#define COR_MP_SESSION_H

#include "mp/mp.h"

typedef struct cor_session cor_session;

cor_session *cor_session_create(cor_rank *rank, void *face); /* NULL: no memory */
/* The session is over: wait until its buffered sends have left, detach the buffer, and give back the face's
 * reference. */
void cor_session_end(cor_session *session);
void cor_session_ref(cor_session *session); /* NULL is fine for both */
void cor_session_unref(cor_session *session);
/* What the face passed to create; NULL once the session is over. */
void *cor_session_face(const cor_session *session);

/* The session of a communicator: set once, before the program has it. */
void cor_comm_set_session(cor_comm *comm, cor_session *session);

/* As the functions of buffers in mp.h, for all communicators of the session that have none of their own. */
int cor_session_buffer_attach(cor_session *session, void *memory, size_t bytes, int is_automatic);
int cor_session_buffer_detach(cor_session *session, void **memory_p, size_t *bytes_p);
int cor_session_buffer_flush(cor_session *session);
int cor_session_buffer_iflush(cor_session *session, cor_request **request_p);

#endif

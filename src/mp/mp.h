/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mp: ranks, communicators and requests over one device; both faces (C and Java) are thin layers over it.
 *
 * A cor_rank has all state of a rank. Nothing is global: a process may hold one rank or sixty-four.
 *
 * Arguments. The faces check what users pass; here ranks, tags, counts and handles are assumed to be valid.
 *
 * Threads. Every function may be called by several threads of a rank at once when the rank was opened with
 * is_threaded; otherwise by one thread at a time. Functions take and release the rank's lock themselves.
 *
 * Errors. Functions return COR_OK or a negative code. Where a sentence says more than the code, it is in
 * cor_rank_fault(). Failures of a request are in its status.error when it completes and are returned by the call that
 * completes it.
 */
#ifndef COR_MP_MP_H
#define COR_MP_MP_H

#include "base/error.h"
#include "base/log.h"
#include "dtype/payload.h"

#include <stddef.h>
#include <stdint.h>

typedef struct cor_team cor_team; /* pmi/boot.h */
typedef struct cor_rank cor_rank;
typedef struct cor_comm cor_comm;
typedef struct cor_request cor_request;
typedef struct cor_message cor_message;

/* The numbers of the MPI ABI; Java's differ and are translated in its glue. */
enum { COR_ANY_SOURCE = -1, COR_PROC_NULL = -3, COR_UNDEFINED = -32766 }; /* COR_ANY_TAG = -2 is xxdev's */
enum { COR_TAG_MAX = 0x7fffffff }; /* a device may have less: cor_rank_tag_max */

/* ---- rank.c: life of a rank ------------------------------------------------------------------------------------- */

typedef struct cor_rank_options {
    cor_team *team; /* NULL: read the environment; else be rank `team_rank` of this team */
    int team_rank;
    int is_threaded;              /* several threads of this rank will call at once */
    int long_double_bits;         /* of the mantissa, as all ranks must have it; 0: the program has no long double */
    const char *const *overrides; /* knobs, NULL-terminated "name=value", or NULL */
    const char *call;             /* what the program called, for messages; NULL: it called nothing */
    int is_java;                  /* calls are named as in Java, in traces */
    /* A check by the layer above, after the knobs are read and before other ranks are contacted; or NULL. */
    int (*prepare)(cor_rank *rank, cor_fault *fault);
    /*
     * NULL, or the rank of this process that the program began with: the new one is then the same process's place in a
     * further job, made of ranks of two jobs (dynamic/). It has the settings of the origin, its lock and its fault, and
     * no place in its record. Requests of an origin and of ranks joined to it may be waited for together, through the
     * origin. Waiting for a message in one of them makes progress on those of the others.
     */
    cor_rank *origin;
    struct cor_boot *boot; /* with an origin: how its members exchange addresses; taken over, also on failure */
} cor_rank_options;

/* Collective over the job: read the knobs, exchange addresses, open the device, make world and self. A rank that fails
 * here would leave the others waiting: in a job of several processes it reports why and ends the job, unless no rank
 * waits (cor_boot.may_give_up). */
int cor_rank_open(const cor_rank_options *options, cor_rank **rank_p, cor_fault *fault);

/* Collective: finish what was sent, enter the last barrier, notify the launcher, close. The rank is closed also on
 * failure. If another rank is lost, the remaining ranks wait for each other (alive.h) but not at the launcher;
 * COR_ERR_PEER unless the program had been notified of a loss before.
 *
 * Other threads of the rank may be in calls, which then return COR_ERR_FINALIZED, and none is in the engine any more
 * when this returns; xxdev/closing.h says how. Calls that come later return COR_ERR_FINALIZED as well, and the
 * properties of rank and communicators can still be read, until the rank is destroyed. Handles of requests are invalid:
 * a call gets the rank beside them and checks it first.
 *
 * Ranks that have joined other jobs are finalised before their origin. Their requests may be waited for through the
 * origin, so they become invalid only when the origin is finalised. */
int cor_rank_finalize(cor_rank *rank, cor_fault *fault);
/* Free what is left, also of ranks that have joined other jobs: no thread of the rank makes calls any more. */
void cor_rank_destroy(cor_rank *rank);
/* cor_rank_finalize and cor_rank_destroy, for a rank with one thread, or for a joined rank no longer in use. */
int cor_rank_close(cor_rank *rank, cor_fault *fault);

/* Wait until all that this rank has sent has left, buffered messages and those of forgotten requests too, and detach
 * all buffers: it may make no calls for a while, and no other rank waits for it. */
void cor_rank_settle(cor_rank *rank);
/* Is another thread in a call that waits? Then memory that it uses may not be freed. */
int cor_rank_is_entered(cor_rank *rank);
/* After cor_rank_finalize: may this process be opened as the same rank again? */
int cor_rank_may_reopen(const cor_rank *rank);

/* A joined rank: how many communicators beside world and self it has. */
int cor_rank_comm_count(cor_rank *rank);
/* Is it one of several ranks that are threads of one process? */
int cor_rank_is_in_team(const cor_rank *rank);
/* The rank that the program began with. */
cor_rank *cor_rank_origin(cor_rank *rank);
/* From the launcher: which of the job's programs this rank runs, 0 if there is only one; and for how many processes the
 * hosts have slots, 0 if that is unknown. */
int cor_rank_appnum(const cor_rank *rank);
int cor_rank_universe(const cor_rank *rank);
/* Make progress once, for a caller that waits for something else. */
void cor_rank_step(cor_rank *rank);
/* Where the user wants this process to listen (base/listen.h): all fields but no_loopback_beside. */
struct cor_listen_options;
void cor_rank_listen_options(const cor_rank *rank, struct cor_listen_options *options);
/* How a rank makes an intercommunicator of members of several jobs: it makes one job of the members of both sides, and
 * the intercommunicator. The arguments are those of cor_intercomm_create, and whether this side comes first. */
typedef struct cor_meeting {
    cor_comm *local, *bridge;
    int local_leader, remote_leader, tag, is_first;
} cor_meeting;
typedef int (*cor_meet_fn)(const cor_meeting *meeting, cor_comm **inter_p);
/* What dynamic/ keeps for the origin of this rank; NULL: not set. free_fn is called when the origin is destroyed. */
void *cor_rank_dynamic(const cor_rank *rank);
void cor_rank_set_dynamic(cor_rank *rank, void *data, cor_meet_fn meet, void (*free_fn)(void *data));

/* End the whole job. Writes the reason, if not NULL, as one line naming the rank. Does not return in a process of
 * its own; in a team it returns after notifying the team, and the caller unwinds. */
void cor_rank_abort(cor_rank *rank, int status, const char *reason);

/* Defer the report of a call that has failed with COR_ERR_PEER. How the lost rank ended says more: where the launcher
 * reports that and ends the job, wait until it does; then this function does not return. If the launcher does not end
 * the job in time, write what is known of the loss and return. Returns at once if no rank is lost, the launcher has not
 * announced that it reports failures, everything is logged anyway (CORUNNA_LOG=info), or that time is over.
 * cor_rank_abort and cor_rank_close call it themselves. Not with the lock held. */
void cor_rank_defer(cor_rank *rank);
/* This process has begun to end, by SIGTERM for instance, and that may take long: cor_rank_defer waits longer. */
void cor_rank_ending(cor_rank *rank);

int cor_rank_tag_max(const cor_rank *rank);
/* The time of this rank: the device's if it has a time of its own, else the clock's; and whether the device has one. */
uint64_t cor_rank_clock_ns(cor_rank *rank);
int cor_rank_has_own_time(const cor_rank *rank);
int cor_rank_number(const cor_rank *rank); /* in the job */
int cor_rank_size(const cor_rank *rank);
const char *cor_rank_host(const cor_rank *rank);
cor_comm *cor_rank_world(cor_rank *rank);
cor_comm *cor_rank_self(cor_rank *rank);
/* The way from this rank to `peer`, in one line. Returns the last of the peers from there on with the same way. */
int cor_rank_route(cor_rank *rank, int peer, char *out, size_t out_bytes);
enum { COR_ROUTE_MAX = 240 };
/* The sentence of the last failure (see Errors above); valid until the next failure of the rank. */
const cor_fault *cor_rank_fault(const cor_rank *rank);
/* The same where other threads of the rank may fail, too: a copy. And a failure that becomes its last. Not with the
 * lock held. */
void cor_rank_copy_fault(cor_rank *rank, cor_fault *copy);
void cor_rank_set_fault(cor_rank *rank, const cor_fault *fault);

/* ---- comm.c: communicators -------------------------------------------------------------------------------------- */

int cor_comm_size(const cor_comm *comm);
int cor_comm_rank(const cor_comm *comm);
int cor_comm_is_inter(const cor_comm *comm);
int cor_comm_remote_size(const cor_comm *comm); /* of the group that messages go to: the other side, or this one */
cor_rank *cor_comm_owner(const cor_comm *comm);
/* Does this side of an intercommunicator come first where the members of both are listed in one order? The two sides
 * return different values. */
int cor_intercomm_is_first(const cor_comm *inter);
/* Collective: wait until all that this rank has under way in comm is done, buffered sends too, and all members have
 * called. */
int cor_comm_settle(cor_comm *comm);
/* After a failed call on this communicator: if the sentence of the rank's fault begins with a lost rank, name that rank
 * as this communicator numbers it: "rank 1 of the remote group is lost". */
void cor_comm_name_loss(const cor_comm *comm);
/* The same in any fault that no other thread uses, or under the lock. */
void cor_comm_name_loss_in(const cor_comm *comm, cor_fault *fault);
/* Take a reference, and give one back; pending requests keep what they need. World and self are only unreferenced as
 * often as they were held. Communicators are made by mp/create. */
void cor_comm_hold(cor_comm *comm);
void cor_comm_unref(cor_comm *comm);

typedef enum cor_comparison { COR_IDENT, COR_CONGRUENT, COR_SIMILAR, COR_UNEQUAL } cor_comparison;
cor_comparison cor_comm_compare(const cor_comm *a, const cor_comm *b);

/* A face may attach its own data to a communicator. free_fn frees it with the communicator; it is called under the
 * rank's lock and must not call back. */
void cor_comm_set_face(cor_comm *comm, void *data, void (*free_fn)(void *data));
void *cor_comm_face(const cor_comm *comm);

/* ---- p2p.c: point-to-point -------------------------------------------------------------------------------------- */

typedef enum cor_send_mode { COR_STANDARD, COR_SYNCHRONOUS, COR_BUFFERED, COR_READY } cor_send_mode;

typedef struct cor_status {
    int source; /* rank in the communicator; COR_ANY_SOURCE in an empty status, COR_PROC_NULL from no rank */
    int tag;
    int error;
    int is_cancelled;
    size_t bytes;         /* received */
    size_t message_bytes; /* what was sent; larger when truncated; of COR_ERR_MISMATCH: cor_mismatch() */
    /* Set only by calls that complete several requests, for one that failed: its own sentence, which the caller frees;
     * or NULL: then cor_rank_fault() has the sentence, if that is about this error. */
    cor_fault *fault;
} cor_status;

/* What completing nothing yields: source any, tag any, 0 bytes. */
extern const cor_status cor_status_empty;

/* `dest` may be COR_PROC_NULL, `source` also COR_ANY_SOURCE, `tag` of a receive COR_ANY_TAG. status_p may be NULL. */
int cor_send(cor_comm *comm, const cor_payload *payload, int dest, int tag, cor_send_mode mode);
int cor_recv(cor_comm *comm, const cor_payload *payload, int source, int tag, cor_status *status_p);
int cor_sendrecv(cor_comm *comm, const cor_payload *out, int dest, int send_tag, const cor_payload *in, int source,
                 int recv_tag, cor_status *status_p);
/* `payload` is sent from a copy and received into. */
int cor_sendrecv_replace(cor_comm *comm, const cor_payload *payload, int dest, int send_tag, int source, int recv_tag,
                         cor_status *status_p);

int cor_isend(cor_comm *comm, const cor_payload *payload, int dest, int tag, cor_send_mode mode,
              cor_request **request_p);
int cor_irecv(cor_comm *comm, const cor_payload *payload, int source, int tag, cor_request **request_p);

/* Both as one request, whose status is the receive's. cor_cancel leaves it alone. */
int cor_isendrecv(cor_comm *comm, const cor_payload *out, int dest, int send_tag, const cor_payload *in, int source,
                  int recv_tag, cor_request **request_p);
int cor_isendrecv_replace(cor_comm *comm, const cor_payload *payload, int dest, int send_tag, int source, int recv_tag,
                          cor_request **request_p);

/* Persistent: made inactive, started with cor_start, freed with cor_request_free. The payload is held meanwhile. */
int cor_send_init(cor_comm *comm, const cor_payload *payload, int dest, int tag, cor_send_mode mode,
                  cor_request **request_p);
int cor_recv_init(cor_comm *comm, const cor_payload *payload, int source, int tag, cor_request **request_p);
int cor_start(cor_request *request);

int cor_probe(cor_comm *comm, int source, int tag, cor_status *status_p);
int cor_iprobe(cor_comm *comm, int source, int tag, int *flag_p, cor_status *status_p);
/* *message_p is NULL when the message came from COR_PROC_NULL. Else the caller owns a reference to comm, to be released
 * with cor_comm_unref once the message is received, so that comm may be freed in between. */
int cor_mprobe(cor_comm *comm, int source, int tag, cor_message **message_p, cor_status *status_p);
int cor_improbe(cor_comm *comm, int source, int tag, int *flag_p, cor_message **message_p, cor_status *status_p);
int cor_mrecv(cor_comm *comm, cor_message *message, const cor_payload *payload, cor_status *status_p);
int cor_imrecv(cor_comm *comm, cor_message *message, const cor_payload *payload, cor_request **request_p);

/* The buffer of buffered sends. Detaching waits until the buffer is empty. */
int cor_buffer_attach(cor_rank *rank, void *memory, size_t bytes);
int cor_buffer_detach(cor_rank *rank, void **memory_p, size_t *bytes_p);
/* The same for one communicator, whose buffered sends then use it instead (comm NULL: for all). An automatic buffer
 * takes memory as it needs it; `memory` (not NULL) is then only what detaching returns. */
int cor_buffer_attach_to(cor_rank *rank, cor_comm *comm, void *memory, size_t bytes, int is_automatic);
int cor_buffer_detach_from(cor_rank *rank, cor_comm *comm, void **memory_p, size_t *bytes_p);
/* What the buffer was attached to ends: detach it, if there is one. Its memory is not read any more, also if a request
 * keeps the communicator alive. */
void cor_buffer_end(cor_rank *rank, cor_comm *comm);
/* Wait until all messages in the buffer have left; or make a request that completes then. */
int cor_buffer_flush(cor_rank *rank, cor_comm *comm);
int cor_buffer_iflush(cor_rank *rank, cor_comm *comm, cor_request **request_p);
enum { COR_BUFFER_OVERHEAD = 512 }; /* per message, as the MPI ABI fixes MPI_BSEND_OVERHEAD */

/* ---- request.c: completion -------------------------------------------------------------------------------------- */

/* Completing a request writes NULL over *request_p, except a persistent one, which becomes inactive. A NULL or
 * inactive request counts as complete with the empty status. `statuses`, `status_p` may be NULL. */
int cor_wait(cor_rank *rank, cor_request **request_p, cor_status *status_p);
int cor_test(cor_rank *rank, cor_request **request_p, int *flag_p, cor_status *status_p);
/* Return COR_OK even when requests failed: see each status.error and status.fault; with statuses NULL the first
 * failure's code, whose sentence is in cor_rank_fault(). */
int cor_waitall(cor_rank *rank, size_t count, cor_request **requests, cor_status *statuses);
int cor_testall(cor_rank *rank, size_t count, cor_request **requests, int *flag_p, cor_status *statuses);
/* *index_p is COR_UNDEFINED when there is no active request. The return value is the completed request's error. */
int cor_waitany(cor_rank *rank, size_t count, cor_request **requests, int *index_p, cor_status *status_p);
int cor_testany(cor_rank *rank, size_t count, cor_request **requests, int *index_p, int *flag_p, cor_status *status_p);
/* *done_count_p is COR_UNDEFINED when there is no active request. indices and statuses have room for count. */
int cor_waitsome(cor_rank *rank, size_t count, cor_request **requests, int *done_count_p, int *indices,
                 cor_status *statuses);
int cor_testsome(cor_rank *rank, size_t count, cor_request **requests, int *done_count_p, int *indices,
                 cor_status *statuses);
/* Is it complete? Leaves the request as it is. */
int cor_request_get_status(cor_rank *rank, cor_request *request, int *flag_p, cor_status *status_p);

void cor_cancel(cor_request *request);
/* Free a request; one in flight completes by itself and is then freed. */
void cor_request_free(cor_request **request_p);
int cor_request_is_persistent(const cor_request *request);
int cor_request_is_active(const cor_request *request);
/* NULL for one that was completed or freed, until its memory is used again: so a face can detect a stale handle. */
cor_comm *cor_request_comm(const cor_request *request);
/* A value of the face's own, carried by the request (an MPI datatype, a Java reference). free_fn as for
 * communicators. */
void cor_request_set_face(cor_request *request, void *data, void (*free_fn)(void *data));
void *cor_request_face(const cor_request *request);

#endif

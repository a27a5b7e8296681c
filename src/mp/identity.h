/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Identities of processes, across all jobs that have connected (dynamic/).
 *
 * A job has a random id and a secret, which rank 0 draws and all ranks learn in the first exchange of addresses. The
 * identity of a process is the id of the job that the program began with and its rank there: the same in every process
 * that knows it, and in every job. A process that has joined another job sends its identity with its address.
 *
 * Inside a process identities are represented by numbers, which groups are made of (group.h): a process of the same
 * origin job has its rank there, any other one gets the next free number when its identity is first received. A number
 * is never reused, so that a group stays valid when its members have ended. Numbers are local to a process; messages
 * carry identities.
 */
#ifndef COR_MP_IDENTITY_H
#define COR_MP_IDENTITY_H

#include "base/seal.h"
#include "mp/group.h"
#include "mp/mp.h"

/* Two words, as they are sent among ranks. */
typedef struct cor_identity {
    uint64_t job, rank;
} cor_identity;

/* What an origin knows of processes that do not belong to its job: number size + i is known[i]. Under the rank's
 * lock. */
typedef struct cor_strangers {
    cor_identity *known;
    int count, capacity;
} cor_strangers;

/* The part of a rank's address that has its identity, with the ';' at its end; rank 0's has the job's secret, too. */
enum { COR_IDENTITY_TEXT_MAX = 48 + 1 + 2 * COR_SHA256_BYTES };
int cor_identity_write(const cor_rank *rank, char text[COR_IDENTITY_TEXT_MAX], cor_fault *fault);
/* Learn the id and the secret of the job and, for a joined rank, the numbers of its members from the texts of all
 * ranks, which may come from another job and are checked. Makes rank->job. COR_ERR_PROTOCOL, COR_ERR_MEMORY. */
int cor_identity_learn(cor_rank *rank, const char *const *texts, cor_fault *fault);

/* Both take any rank of the process. The number of an identity, a new one if need be: COR_ERR_MEMORY, or
 * COR_ERR_PROTOCOL if no process can have it. */
int cor_identity_number(cor_rank *rank, cor_identity identity, int *number_p, cor_fault *fault);
cor_identity cor_identity_of(cor_rank *rank, int number);

/* The seal of secrets that members of a communicator send each other. Every process of the job could open it: the key
 * is derived from the job's secret, the context, and a random number that the sender draws and sends along. */
enum { COR_NONCE_BYTES = 16 };
void cor_comm_seal(const cor_comm *comm, const uint8_t nonce[COR_NONCE_BYTES], cor_seal *seal);

/* The rank of this process in the job with this id; NULL: there is none. */
cor_rank *cor_rank_in_job(cor_rank *rank, uint64_t id);
/* The rank of this process in a job that has all members of the group, one of which it is. All members choose the same:
 * the origin if that has them all, else the joined job with the smallest id. NULL: no job has them all. */
cor_rank *cor_rank_in_job_of(cor_rank *rank, const cor_group *group);

#endif

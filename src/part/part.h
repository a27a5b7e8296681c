/* SPDX-License-Identifier: Apache-2.0 */
/*
 * part: partitioned communication. A message is cut into partitions of equal length; the sender marks each as ready, in
 * any order and by any thread, and the receiver may ask for each whether it has arrived. Both sides make their request
 * once and start it as often as they like; their numbers of partitions may differ.
 *
 * Requests are persistent ones of mp: started by cor_start, completed by cor_wait and the like, freed by
 * cor_request_free. Those of a communicator, a pair of ranks and a tag match in the order in which they are made, and
 * never match other messages.
 *
 * Threads. cor_part_ready may be called by many threads at once, for one request too. What one of them marks while
 * another one sends, or waits, is sent by that thread; so a thread waits for the rank's lock only when it marks the
 * last partition, or another thread is in a call that makes no progress. What is marked has been sent when the call
 * returns, or the thread that is about to send it is in a call.
 *
 * Lengths. The receiver may have room for more bytes than come, as in point-to-point. If it has room for fewer, it gets
 * COR_ERR_TRUNCATE, when it has started. A partition that the message does not fill has arrived when all of the message
 * has.
 *
 * Errors: as in mp.h. The loss of the other side ends a request with COR_ERR_PEER.
 */
#ifndef COR_PART_PART_H
#define COR_PART_PART_H

#include "mp/mp.h"

/* `payload` has all partitions, of the same length each; it is held until the request is freed. `peer` may be
 * COR_PROC_NULL; without partitions a request is complete once both sides have started. COR_ERR_MEMORY, COR_ERR_TAG. */
int cor_part_send_init(cor_comm *comm, const cor_payload *payload, int partitions, int peer, int tag,
                       cor_request **request_p);
int cor_part_recv_init(cor_comm *comm, const cor_payload *payload, int partitions, int peer, int tag,
                       cor_request **request_p);

/* Of a request made here, not under the lock. */
int cor_part_is_send(const cor_request *request);
int cor_part_count(const cor_request *request);

/* Mark partitions first .. last of an active send. COR_ERR_ARG: *wrong_p of them was marked since the start; those
 * before it are marked now. */
int cor_part_ready(cor_request *request, int first, int last, int *wrong_p);
/* Makes progress. Of an active receive: has the partition arrived? */
int cor_part_arrived(cor_request *request, int partition, int *flag_p);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a device closes while other threads of its rank are in calls.
 *
 * MPI_Finalize may come while a thread waits: in a receive, a probe, for requests, in a collective operation. Such a
 * call ends with COR_ERR_FINALIZED, and no memory that it uses is freed before it has ended. Entering and leaving a
 * call counts nothing: the thread with the rank's lock is alone, so only threads that release the lock in the middle of
 * a call are counted, where they release it, which is never on a short path.
 *
 * Where a thread of the rank can be:
 *
 *   out      in no call, or before the lock, or after it. Of the rank's memory it reads only the part that stays
 *            (below).
 *   in       has the lock.
 *   away     in a call that has released the lock to wait: it yields, naps, sleeps on a futex or on descriptors, or
 *            hands the lock to another thread. The device may have its transfers, on its stack. Counted in `away`.
 *   parked   away, and waits for `life` to become CLOSED. Counted in `away` and in `parked`.
 *   outside  in a call that consists of further calls (cor_device_step_out): the device has no transfers of its own.
 *            Counted in `outside`; while one of the further calls waits, the thread is away as well.
 *
 * A callback of the program is called in one of these: operators and delete functions of attributes in or outside,
 * error handlers out.
 *
 * The life of the device, each step under the lock:
 *
 *   OPEN      all is as xxdev.h says.
 *   CLOSING   from cor_device_quiet on, which is called before the last fence: after that, memory of other ranks may be
 *             freed, and no thread but the closing one may poll it. The ops are those of a closed device: starts and
 *             probes fail with COR_ERR_FINALIZED, cancel completes the transfer, progress finds nothing; so a new call
 *             fails; one that returns from outside, and would wait, parks. The closing thread wakes all that sleep. A
 *             thread that returns from away parks. cor_device_quiet returns when all that are away are parked: then no
 *             thread polls, or sleeps on, memory that will be freed, and the transfers of parked threads still exist,
 *             should closing the device use them.
 *   CLOSED    from cor_device_close on, after ops->close. All peers are lost (losses.h), because the rank has been
 *             finalised. Parked threads return, find that, and leave their calls; no thread goes away any more. When
 *             `away` and `outside` are 0, no thread is in a call, and cor_device_close returns: memory of communicators
 *             and requests may be freed.
 *
 * A late call takes the lock, and finds the device closed. So the lock, the struct and the objects that lead to them
 * (the rank, its communicators) stay until cor_device_destroy, which is called when no thread of the rank makes calls
 * any more.
 *
 * A rank without a lock has one thread, which is never away: it passes through the states without waiting.
 */
#ifndef COR_XXDEV_CLOSING_H
#define COR_XXDEV_CLOSING_H

#include "xxdev/xxdev.h"

/* Both as described above, called by one thread, outside of all calls of the rank. cor_device_quiet is called with the
 * lock held and returns with it held. cor_device_close is called without the lock; it may be called alone for a device
 * in which no thread waits. */
void cor_device_quiet(cor_device *device);
void cor_device_close(cor_device *device);

/* Progress between the two, by the thread that closes; with the lock held. */
void cor_device_progress_last(cor_device *device);

/* Free the memory of the struct. */
void cor_device_destroy(cor_device *device);

/* Around a release of the lock in a call that waits; the result of the first is passed to the second. */
void *cor_device_go_away(cor_device *device);
void cor_device_come_back(cor_device *device, void *mine);

/* Under the lock, around further calls inside a call: the lock is released after cor_device_step_out, and taken again
 * before cor_device_step_in. */
void cor_device_step_out(cor_device *device);
void cor_device_step_in(cor_device *device);

#endif

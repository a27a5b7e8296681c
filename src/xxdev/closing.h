/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a device closes while other threads of its rank are in calls.
 *
 * MPI_Finalize may come while a thread waits: in a receive, a probe, for requests, in a collective operation. Such a
 * call ends with COR_ERR_FINALIZED, and no memory that it uses goes before it has ended. Nothing is counted where a
 * call comes or goes: the thread with the rank's lock is alone, so that only threads that have let the lock go in the
 * middle of a call have to be counted, where they let it go, which is never on a short path.
 *
 * Where a thread of the rank can be:
 *
 *   out      in no call, or before the lock, or after it. Of the rank's memory it reads only what stays (below).
 *   in       has the lock.
 *   away     in a call that has let the lock go to wait: it yields, naps, sleeps on a futex or on descriptors, or lets
 *            another thread have the lock. The device may have its transfers, on its stack. Counted in `away`.
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
 *   CLOSING   from cor_device_quiet on, which is called before the last fence: after that, memory of other ranks may
 *             go, and no thread but the one that closes may poll it. The ops are those of a closed device: starts and
 *             probes fail with COR_ERR_FINALIZED, cancel completes the transfer, progress finds nothing; so a call that
 *             comes now fails; one that comes back from outside, and would wait, parks. The thread that closes wakes
 *             all that sleep. A thread that comes back from away parks. cor_device_quiet returns when all that are away
 *             are parked: then nobody polls, or sleeps on what will be freed, and the transfers of those that are
 *             parked still exist, should the end of the device touch them.
 *   CLOSED    from cor_device_close on, after ops->close. All peers are lost (losses.h), because the rank has been
 *             finalised. Those that were parked come back, find that, and leave their calls; nobody goes away any more.
 *             When `away` and `outside` are 0, no thread is in a call, and cor_device_close returns: what belongs to
 *             communicators and requests may go.
 *
 * A call that comes late takes the lock, and finds the device closed. So the lock, the struct and what leads there (the
 * rank, its communicators) stay until cor_device_destroy, which is called when no thread of the rank can come any more.
 *
 * A rank without a lock has one thread, and nobody is ever away: it goes through the states without waiting.
 */
#ifndef COR_XXDEV_CLOSING_H
#define COR_XXDEV_CLOSING_H

#include "xxdev/xxdev.h"

/* Both as described above, by one thread, from no call of the rank. The first with the lock held, and it returns with
 * it held; the second without, and alone for a device in which no thread waits. */
void cor_device_quiet(cor_device *device);
void cor_device_close(cor_device *device);

/* Progress between the two, by the thread that closes; with the lock held. */
void cor_device_progress_last(cor_device *device);

/* Free the memory of the struct. */
void cor_device_destroy(cor_device *device);

/* Around a release of the lock in a call that waits; what the first returns goes to the second. */
void *cor_device_go_away(cor_device *device);
void cor_device_come_back(cor_device *device, void *mine);

/* Under the lock: the call releases it after this to make further calls, and takes it again before it says that it has
 * done so. */
void cor_device_step_out(cor_device *device);
void cor_device_step_in(cor_device *device);

#endif

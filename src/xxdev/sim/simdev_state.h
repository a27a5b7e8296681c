/* SPDX-License-Identifier: Apache-2.0 */
/* Internals of simdev, shared by its files. */
#ifndef COR_XXDEV_SIMDEV_STATE_H
#define COR_XXDEV_SIMDEV_STATE_H

#include "base/segment.h"
#include "xxdev/match.h"
#include "xxdev/sim/sim_world.h"
#include "xxdev/sim/simdev.h"

enum { SIMDEV_POSTED = 1, SIMDEV_MOVING }; /* states of a transfer */

typedef struct simdev {
    cor_device base;
    const cor_log *log;
    cor_fault *fault;
    int rank, size;
    cor_sim_net net;
    size_t memory_bytes;
    sim_world *world;
    cor_segment segment; /* memory is NULL where another rank of this process has mapped the world */
    cor_match match;
    uint32_t *sent, *received; /* messages to and from each peer, so far */
    uint64_t early;            /* letters that have overtaken others, linked by to_receiver.next; 0: none */
    pthread_t thread;          /* the one that left a call last, */
    uint64_t left_ns;          /* and its CPU time then; 0: none has */
    int is_shut_down;
} simdev;

static inline simdev *simdev_of(cor_device *device)
{
    return (simdev *)(void *)device;
}

static inline sim_seat *simdev_seat(const simdev *self)
{
    return sim_seat_of(self->world, self->rank);
}

/* simdev_open.c */
extern const cor_device_ops simdev_ops;

/* simdev_time.c. Every call that reads the clock or changes the world is between simdev_enter and simdev_leave: the
 * world is locked, and the clock includes the CPU time of the program since the last call. */
void simdev_begin_time(simdev *self); /* CPU time counts from here on */
void simdev_enter(simdev *self);
void simdev_leave(simdev *self);
void simdev_pass(cor_device *device, int is_waiting);
void simdev_wake(cor_device *device);
uint64_t simdev_clock_ns(cor_device *device);
/* The world has no more memory where no call could return the error: report it and end the process. */
_Noreturn void simdev_fail(const simdev *self);

/* simdev_send.c */
int simdev_isend(cor_device *device, cor_transfer *t, int peer, uint32_t context, int tag, const cor_payload *payload);
int simdev_issend(cor_device *device, cor_transfer *t, int peer, uint32_t context, int tag,
                  const cor_payload *payload);
void simdev_sent(simdev *self, sim_letter *letter, double time);
void simdev_drop(simdev *self, sim_letter *letter); /* one of its ends is done with it */

/* simdev_receive.c */
int simdev_irecv(cor_device *device, cor_transfer *t, int peer, uint32_t context, int tag, const cor_payload *payload);
int simdev_imrecv(cor_device *device, cor_transfer *t, cor_message *message, const cor_payload *payload);
int simdev_iprobe(cor_device *device, int peer, uint32_t context, int tag, cor_envelope *found_p);
int simdev_improbe(cor_device *device, int peer, uint32_t context, int tag, cor_envelope *found_p,
                   cor_message **message_p);
int simdev_progress(cor_device *device, int hint);

#endif

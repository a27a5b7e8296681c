/* SPDX-License-Identifier: Apache-2.0 */
/* The clock of a rank, and waiting in virtual time. */
#include "base/futex.h"
#include "xxdev/sim/simdev_state.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Shorter stretches of CPU time between two calls are taken for the library's own work, which the model has counted. */
enum { TIME_LEAST_NS = 2000 };

static const double time_poll_us = 0.1;

static uint64_t time_cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void simdev_begin_time(simdev *self)
{
    if (self->net.factor <= 0)
        return;
    self->thread = pthread_self();
    self->left_ns = time_cpu_ns();
}

void simdev_enter(simdev *self)
{
    cor_sim_lock(self->world);
    if (self->net.factor <= 0 || self->left_ns == 0 || !pthread_equal(self->thread, pthread_self()))
        return;
    uint64_t spent = time_cpu_ns() - self->left_ns;
    if (spent >= TIME_LEAST_NS)
        simdev_seat(self)->clock += (double)spent / 1000 * self->net.factor;
}

void simdev_leave(simdev *self)
{
    /* A thread beside one that waits: no rank may be there to handle what it has begun. */
    if (self->world->running == 0)
        cor_sim_advance(self->world);
    cor_sim_unlock(self->world);
    simdev_begin_time(self);
}

static void time_tell_stuck(const simdev *self)
{
    if (self->world->is_stuck)
        return;
    self->world->is_stuck = 1;
    COR_LOG(
        self->log, WARN,
        "simdev: at %.3f us of virtual time all ranks wait, and no message is on its way; unless another thread of "
        "a rank sends one, they wait for ever",
        simdev_seat(self)->clock);
}

/* Sleep until an event makes this rank go on. The world is locked, before and after; the rank's lock is not held
 * meanwhile. */
static void time_sleep(simdev *self)
{
    sim_world *world = self->world;
    sim_seat *seat = simdev_seat(self);
    uint32_t ticket = atomic_load_explicit(&seat->bell, memory_order_relaxed);
    cor_sim_rest(world, self->rank);
    if (cor_sim_advance(world))
        time_tell_stuck(self);
    cor_sim_unlock(world);
    if (self->base.lock)
        cor_lock_release(self->base.lock);
    while (atomic_load_explicit(&seat->bell, memory_order_relaxed) == ticket)
        cor_futex_wait(&seat->bell, ticket, 0);
    if (self->base.lock)
        cor_lock_acquire(self->base.lock);
    cor_sim_lock(world);
}

void simdev_pass(cor_device *device, int is_waiting)
{
    simdev *self = simdev_of(device);
    sim_world *world = self->world;
    simdev_enter(self);
    sim_seat *seat = simdev_seat(self);
    if (!seat->first_note) {
        if (!is_waiting) {
            if (!cor_sim_reserve(world, 1))
                simdev_fail(self);
            cor_sim_push(world, self->rank, SIM_WAKE, seat->clock + time_poll_us,
                         ++seat->polls * COR_SIM_RANKS_MAX + (uint64_t)self->rank);
        }
        time_sleep(self);
    }
    simdev_leave(self);
}

void simdev_wake(cor_device *device)
{
    simdev *self = simdev_of(device);
    cor_sim_lock(self->world);
    cor_sim_wake(self->world, self->rank);
    cor_sim_unlock(self->world);
}

uint64_t simdev_clock_ns(cor_device *device)
{
    simdev *self = simdev_of(device);
    simdev_enter(self);
    double us = simdev_seat(self)->clock;
    simdev_leave(self);
    return (uint64_t)(us * 1000 + 0.5);
}

void simdev_fail(const simdev *self)
{
    COR_LOG(self->log, ERROR, "simdev: the %zu bytes of sim.memory are full", self->world->bytes);
    _exit(1);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The lock of a rank: mutual exclusion, its owner sees contention, and the bias ends when another thread comes. */
#include "check.h"

#include "base/lock.h"

#include <pthread.h>
#include <sched.h>

enum { THREADS = 4, ROUNDS = 100000, REPEATS = 2000, FEW_ROUNDS = 50 };

typedef struct shared {
    cor_lock lock;
    long counter; /* no atomic: the lock is all that guards it */
    int inside;
    int rounds;
    _Atomic int is_started;
} shared;

static void *count(void *argument)
{
    shared *s = argument;
    atomic_fetch_add(&s->is_started, 1);
    for (int i = 0; i < s->rounds; i++) {
        cor_lock_acquire(&s->lock);
        s->inside++;
        CHECK_EQUAL(1, s->inside);
        s->counter++;
        s->inside--;
        cor_lock_release(&s->lock);
    }
    return NULL;
}

static void *want(void *argument)
{
    shared *s = argument;
    atomic_store(&s->is_started, 1);
    cor_lock_acquire(&s->lock);
    s->counter = -1;
    cor_lock_release(&s->lock);
    return NULL;
}

static void start(pthread_t *thread, void *(*body)(void *), shared *s)
{
    CHECK_EQUAL(0, pthread_create(thread, NULL, body, s));
}

static void finish(pthread_t *threads, int count)
{
    for (int i = 0; i < count; i++)
        CHECK_EQUAL(0, pthread_join(threads[i], NULL));
}

/* No contention, then contention; the waiting thread gets the lock after the release and not before. */
static void check_wanted(shared *s)
{
    pthread_t thread;
    long before = s->counter;
    atomic_store(&s->is_started, 0);
    cor_lock_acquire(&s->lock);
    CHECK_EQUAL(0, cor_lock_is_wanted(&s->lock));
    start(&thread, want, s);
    while (!cor_lock_is_wanted(&s->lock))
        sched_yield();
    CHECK_EQUAL(1, atomic_load(&s->is_started));
    CHECK_EQUAL(before, s->counter);
    cor_lock_release(&s->lock);
    finish(&thread, 1);
    CHECK_EQUAL(-1, s->counter);
}

/* Other threads come while this one, the biased thread, acquires and releases as fast as it can. */
static void check_bias(void)
{
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        shared s = {.rounds = FEW_ROUNDS};
        pthread_t threads[2];
        cor_lock_bias(&s.lock);
        start(&threads[0], count, &s);
        start(&threads[1], count, &s);
        while (atomic_load(&s.is_started) == 0) {
            cor_lock_acquire(&s.lock);
            CHECK_EQUAL(0, s.inside);
            cor_lock_release(&s.lock);
        }
        count(&s);
        finish(threads, 2);
        CHECK_EQUAL(3L * FEW_ROUNDS, s.counter);
        CHECK_EQUAL(0, atomic_load(&s.lock.state));
        CHECK_EQUAL(0, atomic_load(&s.lock.is_inside));
        CHECK_EQUAL(0, (long)atomic_load(&s.lock.biased_thread));
    }
}

int main(void)
{
    shared s = {.rounds = ROUNDS};
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        start(&threads[i], count, &s);
    finish(threads, THREADS);
    CHECK_EQUAL((long)THREADS * ROUNDS, s.counter);
    CHECK_EQUAL(0, atomic_load(&s.lock.state));
    check_wanted(&s);

    shared biased = {.rounds = ROUNDS};
    cor_lock_bias(&biased.lock);
    count(&biased);
    check_wanted(&biased);
    check_bias();
    return 0;
}

/* The lock of a rank: nobody is inside with another, and its owner sees that somebody wants in. */
#include "unit_check.h"

#include "base/lock.h"

#include <pthread.h>
#include <sched.h>

enum { THREADS = 4, ROUNDS = 100000 };

typedef struct shared {
    cor_lock lock;
    long counter; /* no atomic: the lock is all that guards it */
    int inside;
    _Atomic int is_started;
} shared;

static void *count(void *argument)
{
    shared *s = argument;
    for (int i = 0; i < ROUNDS; i++) {
        cor_lock_acquire(&s->lock);
        s->inside++;
        CHECK(1, s->inside);
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

int main(void)
{
    shared s = {0};
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        CHECK(0, pthread_create(&threads[i], NULL, count, &s));
    for (int i = 0; i < THREADS; i++)
        CHECK(0, pthread_join(threads[i], NULL));
    CHECK((long)THREADS * ROUNDS, s.counter);
    CHECK(0, atomic_load(&s.lock.state));

    /* Nobody wants it, then somebody does; who waits comes in after the release and not before. */
    cor_lock_acquire(&s.lock);
    CHECK(0, cor_lock_is_wanted(&s.lock));
    CHECK(0, pthread_create(&threads[0], NULL, want, &s));
    while (!cor_lock_is_wanted(&s.lock))
        sched_yield();
    CHECK(1, atomic_load(&s.is_started));
    CHECK((long)THREADS * ROUNDS, s.counter);
    cor_lock_release(&s.lock);
    CHECK(0, pthread_join(threads[0], NULL));
    CHECK(-1, s.counter);
    return 0;
}

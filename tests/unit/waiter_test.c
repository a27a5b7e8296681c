/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A rank that waits is woken by whatever brings news: a word that another rank writes (the doorbell), a descriptor, or
 * another thread of its own. Nothing is missed, however the sleeper and the one that wakes it are timed; a wake-up that
 * was missed would end the test by its time limit.
 */
#include "base/clock.h"
#include "check.h"
#include "host_pair.h"
#include "unit_random.h"
#include "wait/waiter.h"

#include <poll.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 3000, ROUNDS_LEAST = 200, ENOUGH_S = 2 }; /* fewer where a busy machine makes them take long */

typedef enum wake_way { BY_NUDGE, BY_DESCRIPTOR, BY_THREAD } wake_way;

/* What rank 1 waits for: a word in memory, and, where it has descriptors, a pipe. */
typedef struct scene {
    cor_wait_source source;
    host_pair hosts;
    cor_log log;
    cor_wait_config config;
    cor_lock lock;
    cor_waiter waiter; /* of rank 1 */
    int pipe[2];
    _Atomic uint32_t word;
    uint32_t awaited;
    uint32_t last; /* round; written before the word of that round */
    uint64_t seed;
    wake_way way;
} scene;

static int scene_is_over(const void *subject)
{
    const scene *s = subject;
    return atomic_load_explicit(&s->word, memory_order_acquire) >= s->awaited;
}

static int scene_arm(cor_wait_source *source)
{
    (void)source;
    return 1;
}

static int scene_fds(cor_wait_source *source, struct pollfd *fds, int room, int *timeout_ms_p)
{
    CHECK(room >= 1);
    fds[0] = (struct pollfd){.fd = ((scene *)(void *)source)->pipe[0], .events = POLLIN};
    *timeout_ms_p = -1;
    return 1;
}

static void pause_a_little(uint64_t *random)
{
    uint64_t r = unit_random(random) % 4;
    if (r == 0)
        nanosleep(&(struct timespec){0, (long)(unit_random(random) % 100000)}, NULL);
}

static void *wake(void *argument)
{
    scene *s = argument;
    uint64_t random = s->seed, begin_ns = cor_clock_ns();
    for (uint32_t round = 1, is_last = 0; !is_last; round++) {
        pause_a_little(&random);
        /* Only when the last one was seen: then each round needs a wake-up of its own. */
        while (__atomic_load_n(&s->awaited, __ATOMIC_ACQUIRE) < round)
            nanosleep(&(struct timespec){0, 1000}, NULL);
        is_last =
            round == ROUNDS || (round >= ROUNDS_LEAST && cor_clock_ns() - begin_ns > ENOUGH_S * UINT64_C(1000000000));
        if (is_last)
            s->last = round;
        atomic_store_explicit(&s->word, round, memory_order_release);
        if (s->way == BY_NUDGE) {
            cor_host_nudge(s->hosts.host[0], 1);
        } else if (s->way == BY_DESCRIPTOR) {
            CHECK_EQUAL(1, write(s->pipe[1], "", 1));
        } else {
            cor_lock_acquire(&s->lock);
            cor_waiter_wake(&s->waiter);
            cor_lock_release(&s->lock);
        }
    }
    return NULL;
}

static void sleep_and_see(scene *s)
{
    char byte;
    cor_until until = {.is_over = scene_is_over, .subject = s};
    for (uint32_t round = 1, is_last = 0; !is_last; round++) {
        cor_idle_state idle = {.until = until};
        __atomic_store_n(&s->awaited, round, __ATOMIC_RELEASE);
        cor_lock_acquire(&s->lock);
        while (!scene_is_over(s))
            if (!cor_waiter_spin(&s->waiter, &idle))
                cor_waiter_rest(&s->waiter, &idle, COR_UNSENT_NONE);
        cor_lock_release(&s->lock);
        if (s->way == BY_DESCRIPTOR)
            CHECK_EQUAL(1, read(s->pipe[0], &byte, 1));
        is_last = s->last == round; /* the acquiring look at the word was before */
    }
}

static void test_way(uint64_t seed, wake_way way, int has_fds, int yields)
{
    scene s = {.seed = seed, .way = way, .log = {.level = COR_LOG_WARN}, .config = {.spin_us = 0, .yields = yields}};
    pthread_t thread;
    s.source = (cor_wait_source){.arm = scene_arm, .fds = has_fds ? scene_fds : NULL};
    CHECK_EQUAL(0, pipe(s.pipe));
    host_pair_open(&s.hosts, 0, &s.log);
    host_pair_attach(&s.hosts);
    cor_waiter_init(&s.waiter, s.hosts.host[1], &s.lock, &s.config);
    cor_waiter_add(&s.waiter, &s.source);
    CHECK_EQUAL(0, pthread_create(&thread, NULL, wake, &s));
    sleep_and_see(&s);
    CHECK_EQUAL(0, pthread_join(thread, NULL));
    host_pair_close(&s.hosts);
    close(s.pipe[0]);
    close(s.pipe[1]);
}

int main(void)
{
    uint64_t seed = unit_seed();
    for (int yields = 0; yields <= 3; yields += 3) {
        test_way(seed, BY_NUDGE, 0, yields);
        test_way(seed + 1, BY_NUDGE, 1, yields);
        test_way(seed + 2, BY_DESCRIPTOR, 1, yields);
        test_way(seed + 3, BY_THREAD, 0, yields);
        test_way(seed + 4, BY_THREAD, 1, yields);
    }
    return 0;
}

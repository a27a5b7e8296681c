/* SPDX-License-Identifier: Apache-2.0 */
/* Where a rank goes that shares its CPU with more ranks than others do, and that going leaves no trace. */
#define _GNU_SOURCE
#include "check.h"
#include "unit_random.h"

#include "wait/host_state.h"

#include <sched.h>
#include <string.h>

enum { RANKS_MAX = 40, ROUNDS = 2000 };

static cor_cpu_set cpus_below(int end)
{
    cor_cpu_set set = {{0}};
    for (int cpu = 0; cpu < end; cpu++)
        set.bits[cpu / 64] |= (uint64_t)1 << cpu % 64;
    return set;
}

static void test_target(void)
{
    cor_cpu_set two = cpus_below(2), three = cpus_below(3), far = {{0}};
    far.bits[0] = 1;
    far.bits[15] = (uint64_t)1 << 63;
    const int32_t even[] = {0, 1, 0, 1}, odd[] = {0, 1, 0}, full[] = {0, 0, 1, 0}, empty[] = {1, 0, 0, 1, 1};
    const int32_t unknown[] = {0, 0, -1, -1}, distant[] = {1023, 1023}, outside[] = {5, 5, 5}, alone[] = {-1, 0};
    for (int me = 0; me < 4; me++)
        CHECK_EQUAL(-1, host_spread_target(even, 4, me, &two));
    for (int me = 0; me < 3; me++)
        CHECK_EQUAL(-1, host_spread_target(odd, 3, me, &two));
    /* Of three on CPU 0 the last goes. */
    CHECK_EQUAL(-1, host_spread_target(full, 4, 0, &two));
    CHECK_EQUAL(-1, host_spread_target(full, 4, 1, &two));
    CHECK_EQUAL(-1, host_spread_target(full, 4, 2, &two));
    CHECK_EQUAL(1, host_spread_target(full, 4, 3, &two));
    /* An empty CPU. */
    CHECK_EQUAL(2, host_spread_target(empty, 5, 4, &three));
    CHECK_EQUAL(2, host_spread_target(empty, 5, 2, &three));
    /* A rank whose CPU is not known does not count, and stays. */
    CHECK_EQUAL(1, host_spread_target(unknown, 4, 1, &two));
    CHECK_EQUAL(-1, host_spread_target(unknown, 4, 3, &two));
    CHECK_EQUAL(-1, host_spread_target(alone, 2, 0, &two));
    /* CPUs far apart; one that we may not use any more. */
    CHECK_EQUAL(0, host_spread_target(distant, 2, 1, &far));
    CHECK_EQUAL(0, host_spread_target(outside, 3, 2, &two));
}

/* One after the other, in any order, all ranks come to rest, and then evenly. */
static void test_rest(uint64_t *random)
{
    for (int round = 0; round < ROUNDS; round++) {
        int cpus = 1 + (int)(unit_random(random) % 8), ranks = 1 + (int)(unit_random(random) % RANKS_MAX), moves = 0;
        cor_cpu_set allowed = cpus_below(cpus);
        int32_t places[RANKS_MAX];
        for (int i = 0; i < ranks; i++)
            places[i] = (int32_t)(unit_random(random) % (uint64_t)cpus);
        for (int still = 0; still < ranks;) {
            int me = (int)(unit_random(random) % (uint64_t)ranks), target = -1;
            for (int i = 0; i < ranks && target < 0; i++, me = (me + 1) % ranks)
                target = host_spread_target(places, ranks, me, &allowed);
            if (target < 0)
                break;
            places[(me + ranks - 1) % ranks] = target;
            CHECK(++moves <= ranks);
        }
        int least = ranks, most = 0;
        for (int cpu = 0; cpu < cpus; cpu++) {
            int here = 0;
            for (int i = 0; i < ranks; i++)
                here += places[i] == cpu;
            least = here < least ? here : least;
            most = here > most ? here : most;
        }
        CHECK(most - least <= 1);
    }
}

static void test_move(void)
{
    cor_cpu_set before, after;
    cor_cpu_allowed(&before);
    for (int cpu = 0; cpu < COR_CPU_MAX; cpu++)
        if (before.bits[cpu / 64] >> cpu % 64 & 1)
            CHECK_EQUAL(0, cor_cpu_move(cpu));
    CHECK_EQUAL(-1, cor_cpu_move(COR_CPU_MAX - 1));
    cor_cpu_allowed(&after);
    CHECK_EQUAL(0, memcmp(&before, &after, sizeof before));
}

/* A rank between two others: a host of which there is only what spreading needs. */
typedef struct crew {
    cor_host_seat seats[3];
    cor_host_peer peers[3];
    cor_host host;
    cor_log log;
} crew;

static void crew_init(crew *c, int is_wanted)
{
    static const cor_host_config wanted = {.spread = 1}, unwanted = {0};
    memset(c, 0, sizeof *c);
    c->host = (cor_host){.seat = &c->seats[2],
                         .peers = c->peers,
                         .count = 3,
                         .me = 2,
                         .is_oversubscribed = 1,
                         .options.config = is_wanted ? &wanted : &unwanted,
                         .options.log = &c->log};
    for (int i = 0; i < 3; i++) {
        c->peers[i].seat = &c->seats[i];
        cor_cpu_allowed(&c->seats[i].allowed);
    }
    host_spread_init(&c->host);
}

/* All run on one CPU, as far as they know. Returns whether this rank has gone, and said so. */
static int crew_goes(crew *c, int looks)
{
    int cpu = 0;
    while (!(c->seats[2].allowed.bits[cpu / 64] >> cpu % 64 & 1))
        cpu++;
    atomic_store(&c->seats[0].cpu, cpu);
    atomic_store(&c->seats[1].cpu, cpu);
    for (int i = 0; i < looks && c->host.spread.can_spread; i++) {
        host_spread_look(&c->host, cpu);
        if (atomic_load(&c->seats[2].cpu) != cpu)
            return 1;
    }
    return 0;
}

static void test_going(void)
{
    cor_cpu_set before, after;
    cpu_set_t all, one;
    crew c;
    cor_cpu_allowed(&before);
    if (cor_cpu_count(&before) < 2) {
        printf("there is one CPU for us: nowhere to go\n");
        return;
    }
    crew_init(&c, 1);
    CHECK_EQUAL(0, crew_goes(&c, 1)); /* seen once, it may pass */
    CHECK_EQUAL(1, crew_goes(&c, 1));
    CHECK_EQUAL(0, crew_goes(&c, 2)); /* resting */
    CHECK_EQUAL(1, crew_goes(&c, 2));
    CHECK_EQUAL(0, crew_goes(&c, 4)); /* for longer */
    CHECK_EQUAL(1, crew_goes(&c, 2));
    cor_host_spread(&c.host, 127);
    CHECK_EQUAL(127, c.host.spread.turns);
    cor_cpu_allowed(&after);
    CHECK_EQUAL(0, memcmp(&before, &after, sizeof before));

    /* The others have ended, one normally and one not: no rank needs a CPU. */
    crew_init(&c, 1);
    atomic_store(&c.seats[0].has_left, 1);
    c.peers[1].is_lost = 1;
    CHECK_EQUAL(0, crew_goes(&c, 10));
    /* Not wanted; not all may run on the same CPUs. */
    crew_init(&c, 0);
    CHECK_EQUAL(0, crew_goes(&c, 10));
    crew_init(&c, 1);
    c.seats[1].allowed.bits[1] ^= 1;
    host_spread_init(&c.host);
    CHECK_EQUAL(0, crew_goes(&c, 10));
    /* The program has given this thread a CPU of its own. */
    crew_init(&c, 1);
    sched_getaffinity(0, sizeof all, &all);
    CPU_ZERO(&one);
    CPU_SET((size_t)cor_cpu_current(), &one);
    sched_setaffinity(0, sizeof one, &one);
    CHECK_EQUAL(0, crew_goes(&c, 10));
    sched_getaffinity(0, sizeof all, &one);
    CHECK_EQUAL(1, CPU_COUNT(&one));
    sched_setaffinity(0, sizeof all, &all);
}

int main(void)
{
    uint64_t random = unit_seed();
    test_target();
    test_rest(&random);
    test_move();
    test_going();
    return 0;
}

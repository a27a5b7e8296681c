/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "coll_job.h"

#include "pmi/boot.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- checks ----------------------------------------------------------------------------------------------------- */

static void job_tell(FILE *to, const void *context)
{
    const coll_rank *me = context;
    const cor_fault *fault = me->rank ? cor_rank_fault(me->rank) : NULL;
    fprintf(to, "  rank %d of %d, doing: %s\n  seed %llu\n", me->number, me->size, me->doing,
            (unsigned long long)me->seed);
    if (me->again[0])
        fprintf(to, "  again: %s\n", me->again);
    if (fault && fault->code != COR_OK)
        fprintf(to, "  its last fault: %d, %s\n", fault->code, fault->text);
}

void *coll_alloc(size_t bytes)
{
    void *memory = calloc(1, bytes ? bytes : 1);
    if (!memory)
        CHECK_FAIL("no memory for %zu bytes", bytes);
    return memory;
}

void coll_turn(coll_rank *me)
{
    atomic_fetch_add_explicit(&me->turns, 1, memory_order_relaxed); /* only a sign of life */
}

/* ---- seeds and counts ------------------------------------------------------------------------------------------- */

uint64_t coll_seed(void)
{
    const char *text = getenv("CORUNNA_TEST_SEED");
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return text ? strtoull(text, NULL, 0)
                : (((uint64_t)now.tv_sec * 1000000007u + (uint64_t)now.tv_nsec) >> 8) & 0xffffffffu;
}

uint64_t coll_count(uint64_t fallback)
{
    const char *text = getenv("CORUNNA_TEST_COUNT");
    if (!text)
        return fallback;
    return strcmp(text, "all") == 0 ? UINT64_MAX : strtoull(text, NULL, 0);
}

/* ---- the watch -------------------------------------------------------------------------------------------------- */

typedef struct watch {
    coll_rank *ranks;
    int count;
    int is_over; /* under the lock */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t thread;
} watch;

static unsigned long watch_turns(const watch *w)
{
    unsigned long turns = 0;
    for (int i = 0; i < w->count; i++)
        turns += atomic_load_explicit(&w->ranks[i].turns, memory_order_relaxed); /* a sign of life */
    return turns;
}

static void watch_tell(const watch *w, int seconds)
{
    fprintf(stderr, "FAILED: nothing moved for %d s, seed %llu. Where the ranks are:\n", seconds,
            (unsigned long long)w->ranks[0].seed);
    for (int i = 0; i < w->count; i++)
        fprintf(stderr, "  rank %d (turn %lu): %s\n", w->ranks[i].number,
                atomic_load_explicit(&w->ranks[i].turns, memory_order_relaxed), w->ranks[i].doing);
    fprintf(stderr, "  again: %s\n", w->ranks[0].again);
    fflush(NULL);
    quick_exit(1);
}

static void *watch_main(void *argument)
{
    enum { LIMIT_SECONDS = 150 }; /* on a quiet machine */
    watch *w = argument;
    unsigned long last = watch_turns(w);
    int still_seconds = 0;
    pthread_mutex_lock(&w->lock);
    while (!w->is_over) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec++;
        pthread_cond_timedwait(&w->changed, &w->lock, &until);
        unsigned long turns = watch_turns(w);
        still_seconds = turns == last ? still_seconds + 1 : 0;
        last = turns;
        if (still_seconds > LIMIT_SECONDS && still_seconds > check_patience_ms(LIMIT_SECONDS * 1000) / 1000 &&
            !w->is_over)
            watch_tell(w, still_seconds);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static void watch_begin(watch *w, coll_rank *ranks, int count)
{
    *w = (watch){.ranks = ranks, .count = count};
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->changed, NULL);
    if (pthread_create(&w->thread, NULL, watch_main, w) != 0)
        CHECK_FAIL("no thread for the watch");
}

static void watch_end(watch *w)
{
    pthread_mutex_lock(&w->lock);
    w->is_over = 1;
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
}

/* ---- ranks ------------------------------------------------------------------------------------------------------ */

/* All ranks go by rank 0's seed. */
static void job_agree_on_seed(coll_rank *me)
{
    cor_payload payload = cor_payload_plain(&me->seed, sizeof me->seed);
    for (int other = 1; me->number == 0 && other < me->size; other++)
        CHECK_OK(cor_send(me->world, &payload, other, 0, COR_STANDARD));
    if (me->number != 0)
        CHECK_OK(cor_recv(me->world, &payload, 0, 0, NULL));
}

static void job_rank(coll_rank *me, cor_team *team, int team_rank)
{
    cor_fault fault = {0};
    cor_rank_options options = {
        .team = team, .team_rank = team_rank, .is_threaded = me->job->is_threaded, .overrides = me->job->overrides};
    check_me = (check_who){job_tell, me};
    snprintf(me->doing, sizeof me->doing, "opening");
    if (cor_rank_open(&options, &me->rank, &fault) != COR_OK)
        CHECK_FAIL("cor_rank_open: %s", fault.text);
    me->number = cor_rank_number(me->rank);
    me->size = cor_rank_size(me->rank);
    me->world = cor_rank_world(me->rank);
    job_agree_on_seed(me);
    if (!coll_kinds_init(&me->kinds))
        CHECK_FAIL("no memory for datatypes");
    me->job->body(me);
    snprintf(me->doing, sizeof me->doing, "closing");
    coll_kinds_fini(&me->kinds);
    if (cor_rank_close(me->rank, &fault) != COR_OK)
        CHECK_FAIL("cor_rank_close: %s", fault.text);
}

typedef struct job_start {
    coll_rank *me;
    cor_team *team;
    int team_rank;
} job_start;

static void *job_thread_main(void *argument)
{
    job_start *start = argument;
    job_rank(start->me, start->team, start->team_rank);
    return NULL;
}

void coll_job_run(const coll_job *job)
{
    int count = job->threads ? job->threads : 1;
    coll_rank *ranks = calloc((size_t)count, sizeof *ranks);
    job_start *starts = calloc((size_t)count, sizeof *starts);
    pthread_t *threads = calloc((size_t)count, sizeof *threads);
    cor_team *team = NULL;
    cor_fault fault = {0};
    watch w;
    if (!ranks || !starts || !threads)
        abort();
    for (int i = 0; i < count; i++) {
        ranks[i].job = job;
        ranks[i].number = i;
        ranks[i].size = count;
        ranks[i].seed = job->seed;
    }
    if (job->threads && cor_team_create(count, &team, &fault) != COR_OK)
        CHECK_FAIL("cor_team_create: %s", fault.text);
    watch_begin(&w, ranks, count);
    for (int i = 0; i < count && job->threads; i++) {
        starts[i] = (job_start){&ranks[i], team, i};
        if (pthread_create(&threads[i], NULL, job_thread_main, &starts[i]) != 0)
            CHECK_FAIL("no thread for the rank");
    }
    if (!job->threads)
        job_rank(&ranks[0], NULL, 0);
    for (int i = 0; i < count && job->threads; i++)
        pthread_join(threads[i], NULL);
    watch_end(&w);
    if (team)
        cor_team_destroy(team);
    free(threads);
    free(starts);
    free(ranks);
}

/* ---- more threads of a rank ------------------------------------------------------------------------------------- */

typedef struct extra {
    void (*body)(void *context, int number);
    void *context;
    int number;
    check_who who;
} extra;

static void *extra_main(void *argument)
{
    extra *e = argument;
    check_me = e->who;
    e->body(e->context, e->number);
    return NULL;
}

void coll_in_threads(int count, void (*body)(void *context, int number), void *context)
{
    enum { MOST = 16 };
    pthread_t threads[MOST];
    extra extras[MOST];
    CHECK(count <= MOST);
    for (int i = 0; i < count; i++) {
        extras[i] = (extra){body, context, i, check_me};
        CHECK_EQUAL(0, pthread_create(&threads[i], NULL, extra_main, &extras[i]));
    }
    for (int i = 0; i < count; i++)
        CHECK_EQUAL(0, pthread_join(threads[i], NULL));
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * IS, integer sort: the rank of each of many small keys, ten times. Keys are put into buckets by their leading bits;
 * each rank of the job gets a range of buckets with about as many keys as the others', and counts its keys.
 *
 * Each iteration has one all-reduce of the buckets' sizes, one all-to-all of counts, and one of all keys.
 */
#include "npb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IS_ITERATIONS = 10, IS_TESTS = 5, IS_TAG_EDGE = 1 };

static const int is_log_keys[] = {16, 20, 23, 25, 27};
static const int is_log_range[] = {11, 16, 19, 21, 23};
static const int is_log_buckets[] = {9, 10, 10, 10, 10};

/* Keys at some places, and what their ranks are in iteration 0; in each iteration a rank grows or falls by one. */
static const int is_test_places[][IS_TESTS] = {{48427, 17148, 23627, 62548, 4431},
                                               {357773, 934767, 875723, 898999, 404505},
                                               {2112377, 662041, 5336171, 3642833, 4250760},
                                               {41869, 812306, 5102857, 18232239, 26860214},
                                               {44172927, 72999161, 74326391, 129606274, 21736814}};
static const int is_test_ranks[][IS_TESTS] = {{0, 18, 346, 64917, 65463},
                                              {1249, 11698, 1039987, 1043896, 1048018},
                                              {104, 17523, 123928, 8288932, 8388264},
                                              {33422937, 10244, 59149, 33135281, 99},
                                              {61147, 882988, 266290, 133997595, 133525895}};
static const int is_test_grows[][IS_TESTS] = {
    {1, 1, 1, 0, 0}, {1, 1, 0, 0, 0}, {1, 1, 1, 0, 0}, {0, 1, 1, 0, 1}, {1, 1, 1, 0, 0}};
static const int is_test_grow_behind[] = {0, 2, 1, 0, 0};
static const int is_test_fall_behind[] = {0, 0, 1, 0, 0};

typedef struct is {
    npb_job *job;
    int key_count; /* of this rank */
    int range, buckets;
    int shift; /* from a key to its bucket */
    int *keys;
    int *sorted; /* by bucket */
    int *sizes;  /* of buckets here, then the test keys */
    int *totals; /* of all ranks */
    int *next;
    int *send_counts, *send_starts, *receive_counts, *receive_starts;
    int *received;
    int received_count, received_room;
    int first_key, last_key; /* of this rank's range */
    int *below;              /* how many received keys are at most first_key + i; room for all keys */
    int lesser_count;        /* keys of the ranks before */
    int passed;
} is;

static int *is_ints(const npb_job *job, int count)
{
    return npb_alloc(job, (size_t)count, sizeof(int));
}

static void is_init(is *s, npb_job *job)
{
    memset(s, 0, sizeof *s);
    s->job = job;
    s->key_count = (1 << is_log_keys[job->index]) / job->size;
    s->range = 1 << is_log_range[job->index];
    s->buckets = 1 << is_log_buckets[job->index];
    s->shift = is_log_range[job->index] - is_log_buckets[job->index];
    s->keys = is_ints(job, s->key_count);
    s->sorted = is_ints(job, s->key_count);
    s->received_room = s->key_count + s->key_count / 2;
    s->received = is_ints(job, s->received_room);
    s->sizes = is_ints(job, s->buckets + IS_TESTS);
    s->totals = is_ints(job, s->buckets + IS_TESTS);
    s->next = is_ints(job, s->buckets);
    s->send_counts = is_ints(job, job->size);
    s->send_starts = is_ints(job, job->size);
    s->receive_counts = is_ints(job, job->size);
    s->receive_starts = is_ints(job, job->size);
    s->below = is_ints(job, s->range);
}

static void is_fini(is *s)
{
    int *all[] = {s->keys,        s->sorted,      s->received,       s->sizes,          s->totals, s->next,
                  s->send_counts, s->send_starts, s->receive_counts, s->receive_starts, s->below};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        free(all[i]);
}

/* Each key is the mean of four random numbers. */
static void is_draw(is *s)
{
    uint64_t x = lcg_times(LCG_SEED, lcg_power(LCG_A, 4 * (uint64_t)s->key_count * (uint64_t)s->job->rank));
    for (int i = 0; i < s->key_count; i++) {
        uint64_t sum = 0;
        for (int k = 0; k < 4; k++) {
            x = lcg_next(x);
            sum += x;
        }
        const int quarter = s->range / 4;
        s->keys[i] = (int)(quarter * lcg_number(sum));
    }
}

/* ---- one iteration ----------------------------------------------------------------------------------------------- */

static void is_sort_by_bucket(is *s)
{
    const int *restrict keys = s->keys;
    int *restrict sizes = s->sizes, *restrict next = s->next, *restrict sorted = s->sorted;
    int shift = s->shift, key_count = s->key_count;
    memset(sizes, 0, (size_t)(s->buckets + IS_TESTS) * sizeof *sizes);
    for (int i = 0; i < IS_TESTS; i++) {
        int place = is_test_places[s->job->index][i];
        if (place / key_count == s->job->rank)
            sizes[s->buckets + i] = keys[place % key_count];
    }
    for (int i = 0; i < key_count; i++)
        sizes[keys[i] >> shift]++;
    next[0] = 0;
    for (int i = 1; i < s->buckets; i++)
        next[i] = next[i - 1] + sizes[i - 1];
    for (int i = 0; i < key_count; i++) {
        int key = keys[i];
        sorted[next[key >> shift]++] = key;
    }
}

/* A rank takes buckets until it and those before have their share of all keys. */
static void is_divide_buckets(is *s)
{
    int bucket = 0, sum = 0, start = 0;
    for (int peer = 0; peer < s->job->size; peer++) {
        int first_bucket = bucket, before = sum, count = 0;
        while (bucket < s->buckets && sum < (peer + 1) * s->key_count) {
            sum += s->totals[bucket];
            count += s->sizes[bucket++];
        }
        s->send_starts[peer] = start;
        s->send_counts[peer] = count;
        start += count;
        if (peer == s->job->rank) {
            s->first_key = first_bucket << s->shift;
            s->last_key = (bucket << s->shift) - 1;
            s->lesser_count = before;
        }
    }
    /* Buckets after the last share are empty, and belong to the last rank. */
    if (s->job->rank == s->job->size - 1)
        s->last_key = s->range - 1;
}

static void is_exchange(is *s)
{
    MPI_Alltoall(s->send_counts, 1, MPI_INT, s->receive_counts, 1, MPI_INT, MPI_COMM_WORLD);
    s->received_count = 0;
    for (int peer = 0; peer < s->job->size; peer++) {
        s->receive_starts[peer] = s->received_count;
        s->received_count += s->receive_counts[peer];
    }
    if (s->received_count > s->received_room) {
        free(s->received);
        s->received_room = s->received_count;
        s->received = is_ints(s->job, s->received_room);
    }
    MPI_Alltoallv(s->sorted, s->send_counts, s->send_starts, MPI_INT, s->received, s->receive_counts,
                  s->receive_starts, MPI_INT, MPI_COMM_WORLD);
}

static void is_count(is *s)
{
    int *restrict below = s->below;
    const int *restrict received = s->received;
    int width = s->last_key - s->first_key + 1, first = s->first_key;
    if (width <= 0)
        return;
    memset(below, 0, (size_t)width * sizeof *below);
    for (int i = 0; i < s->received_count; i++)
        below[received[i] - first]++;
    for (int i = 1; i < width; i++)
        below[i] += below[i - 1];
}

static void is_test(is *s, int iteration)
{
    int index = s->job->index;
    for (int i = 0; i < IS_TESTS; i++) {
        int key = s->totals[s->buckets + i];
        if (key < s->first_key || key > s->last_key)
            continue;
        int rank = s->lesser_count + (key > s->first_key ? s->below[key - s->first_key - 1] : 0);
        int wanted = is_test_grows[index][i] ? is_test_ranks[index][i] + iteration - is_test_grow_behind[index]
                                             : is_test_ranks[index][i] - iteration + is_test_fall_behind[index];
        if (rank == wanted)
            s->passed++;
        else
            fprintf(stderr, "npb IS: rank %d: iteration %d, test key %d has rank %d; its rank is %d\n", s->job->rank,
                    iteration, key, rank, wanted);
    }
}

static void is_rank(is *s, int iteration)
{
    if (s->job->rank == 0) {
        s->keys[iteration] = iteration;
        s->keys[iteration + IS_ITERATIONS] = s->range - iteration;
    }
    is_sort_by_bucket(s);
    MPI_Allreduce(s->sizes, s->totals, s->buckets + IS_TESTS, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    is_divide_buckets(s);
    is_exchange(s);
    is_count(s);
    is_test(s, iteration);
}

/* Puts the keys in order by their ranks, and looks whether they are, across ranks too. */
static int is_is_sorted(is *s)
{
    int *ordered = is_ints(s->job, s->received_count);
    for (int i = 0; i < s->received_count; i++)
        ordered[--s->below[s->received[i] - s->first_key]] = s->received[i];
    int previous = -1, wrong = 0; /* a rank without keys passes on what it was told */
    if (s->job->rank > 0)
        MPI_Recv(&previous, 1, MPI_INT, s->job->rank - 1, IS_TAG_EDGE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < s->received_count; i++) {
        wrong += ordered[i] < previous;
        previous = ordered[i];
    }
    if (s->job->rank < s->job->size - 1)
        MPI_Send(&previous, 1, MPI_INT, s->job->rank + 1, IS_TAG_EDGE, MPI_COMM_WORLD);
    if (wrong > 0)
        fprintf(stderr, "npb IS: rank %d: %d keys are out of order\n", s->job->rank, wrong);
    free(ordered);
    return wrong == 0;
}

static void is_run(npb_job *job)
{
    int all = 0, wanted = IS_TESTS * IS_ITERATIONS + job->size;
    char size[32];
    is s;
    snprintf(size, sizeof size, "%d", 1 << is_log_keys[job->index]);
    npb_title(job, size, IS_ITERATIONS);
    is_init(&s, job);
    is_draw(&s);
    is_rank(&s, 1); /* touches all memory and warms up; not timed */
    s.passed = 0;

    npb_timer_start(job);
    for (int iteration = 1; iteration <= IS_ITERATIONS; iteration++)
        is_rank(&s, iteration);
    double seconds = npb_timer_stop(job);

    s.passed += is_is_sorted(&s);
    MPI_Reduce(&s.passed, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    npb_say(job, " %d of %d tests passed", all, wanted);
    npb_report(job, size, IS_ITERATIONS, seconds, (double)IS_ITERATIONS * (1 << is_log_keys[job->index]),
               "keys ranked", all == wanted);
    is_fini(&s);
}

int main(int argc, char **argv)
{
    npb_job job;
    npb_start(&job, "IS", &argc, &argv);
    npb_accepts_power_of_two(&job, job.index == 0 ? 128 : 1024);
    if (job.is_fine)
        is_run(&job);
    return npb_end(&job);
}

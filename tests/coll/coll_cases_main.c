/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program of the cases of coll_cases.def.
 *
 *   coll_cases --threads 2,4 [group | group.name]...   ranks are threads, first 2, then 4
 *   corunna run -n 4 coll_cases [group...]             ranks are processes
 *
 * The words are those of case_words.h.
 */
#include "coll_cases.h"

#include "mp/create/comm.h"

#include "case_words.h"
#include "rank_counts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct cases_row {
    const char *group, *name;
    void (*run)(coll_rank *me, cor_comm *comm);
    int min_ranks;
} cases_row;

static const cases_row cases_rows[] = {
#define COLL_CASE(group, name, min_ranks) {#group, #name, case_##group##_##name, min_ranks},
#include "coll_cases.def"
#undef COLL_CASE
};

enum { CASES = sizeof cases_rows / sizeof *cases_rows };

typedef struct cases {
    int is_wanted[CASES];
    const char *group;
    int done; /* written by rank 0 */
} cases;

void coll_tell(cor_comm *comm, int to, int tag, int value)
{
    cor_payload payload = cor_payload_plain(&value, sizeof value);
    CHECK_OK(cor_send(comm, &payload, to, tag, COR_STANDARD));
}

int coll_hear(cor_comm *comm, int from, int tag)
{
    int value = -1;
    cor_payload payload = cor_payload_plain(&value, sizeof value);
    CHECK_OK(cor_recv(comm, &payload, from, tag, NULL));
    return value;
}

void coll_still_works(cor_comm *comm)
{
    int in = cor_comm_rank(comm) + 1, out = -1, size = cor_comm_size(comm);
    cor_call call = coll_call_sum(comm, &in, &out, 1);
    CHECK_OK(cor_coll_run(&call));
    CHECK_EQUAL(size * (size + 1) / 2, out);
    CHECK_OK(cor_barrier(comm));
}

static void cases_body(coll_rank *me)
{
    cases *all = me->job->context;
    for (int i = 0; i < CASES; i++) {
        const cases_row *row = &cases_rows[i];
        cor_comm *comm = NULL;
        if (!all->is_wanted[i] || strcmp(row->group, all->group) != 0 || me->size < row->min_ranks)
            continue;
        snprintf(me->doing, sizeof me->doing, "%s.%s", row->group, row->name);
        snprintf(me->again, sizeof me->again, "CORUNNA_TEST_SEED=%llu coll_cases --threads %d %s.%s",
                 (unsigned long long)me->seed, me->size, row->group, row->name);
        CHECK_OK(cor_comm_dup(me->world, &comm));
        row->run(me, comm);
        coll_still_works(comm);
        cor_comm_unref(comm);
        coll_turn(me);
        if (me->number == 0)
            all->done++;
    }
}

/* A word that names no case is a mistake, and would be a test of nothing. */
static void cases_check_word(const char *word)
{
    int is_known = 0;
    for (int i = 0; i < CASES; i++)
        is_known |= case_has_name(cases_rows[i].group, cases_rows[i].name, word + (*word == '-'));
    if (!is_known) {
        CHECK_FAIL("%s names no case", word);
    }
}

/* A job for each group that has a wanted case; threads 0: this process is one of its ranks. */
static void cases_run(cases *all, int threads, uint64_t seed)
{
    static const char *const groups[] = {"flight", "check", "truncate", "shared"};
    static const char *const checked[] = {"check=yes", NULL};
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
        int is_needed = 0;
        all->group = groups[g];
        for (int i = 0; i < CASES; i++)
            is_needed |= all->is_wanted[i] && strcmp(cases_rows[i].group, all->group) == 0;
        if (is_needed)
            coll_job_run(&(coll_job){.threads = threads,
                                     .is_threaded = strcmp(all->group, "flight") == 0,
                                     .seed = seed,
                                     .overrides = strcmp(all->group, "check") == 0 ? checked : NULL,
                                     .body = cases_body,
                                     .context = all});
    }
}

int main(int argc, char **argv)
{
    cases all = {.done = 0};
    uint64_t seed = coll_seed();
    const char *counts = argc > 2 && strcmp(argv[1], "--threads") == 0 ? argv[2] : NULL;
    int first = counts ? 3 : 1;
    for (int i = first; i < argc; i++)
        cases_check_word(argv[i]);
    for (int i = 0; i < CASES; i++)
        all.is_wanted[i] = case_is_wanted(cases_rows[i].group, cases_rows[i].name, argc, argv);
    do
        cases_run(&all, counts ? rank_counts_next(&counts) : 0, seed);
    while (counts && *counts);
    if (all.done > 0)
        printf("coll: %d cases passed, seed %llu\n", all.done, (unsigned long long)seed);
    return 0;
}

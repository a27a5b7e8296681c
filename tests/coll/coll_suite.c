/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every algorithm of the list against the reference: on 1 to 17 ranks, of all sizes, kinds of elements and roots, in
 * place or not, blocking, started and persistent. A row of the list is tested without another line here.
 *
 *   coll_suite bcast reduce                           ranks are threads, several numbers of them, one after the other
 *   coll_suite --threads 5 bcast                      five ranks only
 *   corunna run -n 3 coll_suite --processes bcast     ranks are processes
 *   ... --algorithm mst --mode persistent --case 77   one case; a failure prints the line
 *   coll_suite --list                                 the algorithms, and which of them need one node
 *   ... --met FILE                                    add the algorithms to it that a case was done with
 *
 * CORUNNA_TEST_COUNT says how many cases of each algorithm, number of ranks and mode are tried, or "all". Which ones
 * follows from CORUNNA_TEST_SEED, printed with the result and with every failure.
 */
#include "coll_perform.h"

#include "coll/board/board.h"
#include "coll/choose/choose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES_MAX = 96 };

typedef struct suite_sizes {
    size_t bytes[SIZES_MAX], count;
} suite_sizes;

typedef struct suite {
    int is_wanted[COR_PRIMITIVES];
    suite_sizes sizes[COR_PRIMITIVES];
    int threads; /* 0: several numbers */
    int is_processes;
    int position;    /* of the number of ranks, among those that are tried */
    int is_on_nodes; /* several nodes are played: only for algorithms that need some */
    uint64_t seed, count;
    /* The only ones, or NULL, -1, NULL. */
    const char *algorithm;
    int mode;
    const char *case_number;
    const char *met_path; /* or NULL */
    /* Written by rank 0. */
    unsigned long done, refused, without_elements;
    char *is_met; /* by number in the list of algorithms: a case was done with it */
} suite;

/* ---- sizes ------------------------------------------------------------------------------------------------------ */

static int sizes_compare(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

static void sizes_add(suite_sizes *sizes, size_t bytes)
{
    if (sizes->count < SIZES_MAX && bytes <= (size_t)2 << 20)
        sizes->bytes[sizes->count++] = bytes;
}

/* Around each threshold of the rules and of the ways data go, and others. */
static void sizes_find(suite_sizes *sizes, cor_primitive primitive, const cor_rules *rules)
{
    static const size_t usual[] = {0, 1, 7, 24, 1000, 4097, 12287, 32769, 65536, 300001, 1 << 20};
    /* In the line of a flag, beside it, in a short message. */
    static const size_t borders[] = {COR_BOARD_FLAG_LINE_BYTES, COR_BOARD_SLOT_BYTES, 16 << 10};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        sizes_add(sizes, usual[i]);
    for (size_t i = 0; i < 3 * (sizeof borders / sizeof *borders); i++)
        sizes_add(sizes, borders[i / 3] + i % 3 - 1);
    for (size_t i = 0; i < rules->count; i++) {
        const cor_rule *rule = &rules->rows[i];
        for (size_t d = 0; d < 3 && rule->primitive == primitive; d++) {
            sizes_add(sizes, rule->bytes.low > 1 ? rule->bytes.low + d - 1 : 0);
            sizes_add(sizes, rule->bytes.high < SIZE_MAX - 8 ? rule->bytes.high + d - 1 : 0);
        }
    }
    qsort(sizes->bytes, sizes->count, sizeof *sizes->bytes, sizes_compare);
    size_t kept = 0;
    for (size_t i = 0; i < sizes->count; i++)
        if (kept == 0 || sizes->bytes[kept - 1] != sizes->bytes[i])
            sizes->bytes[kept++] = sizes->bytes[i];
    sizes->count = kept;
}

static void sizes_find_all(suite *s)
{
    cor_rules rules = {0};
    cor_fault fault = {0};
    if (cor_rules_load(&rules, "", &fault) != COR_OK) {
        CHECK_FAIL("%s", fault.text);
    }
    for (int primitive = 0; primitive < COR_PRIMITIVES; primitive++)
        sizes_find(&s->sizes[primitive], (cor_primitive)primitive, &rules);
    cor_rules_free(&rules);
}

/* ---- one case --------------------------------------------------------------------------------------------------- */

/* What the algorithm needs and does not have here. */
static uint32_t suite_unmet(const coll_comms *comms, const coll_case *c)
{
    const coll_series *series = c->series;
    cor_situation situation;
    if (!series->algorithm)
        return 0;
    CHECK_OK(cor_situation_of(comms->of[c->where], coll_kind_is_commutative(c->kind), series->mode == MODE_BLOCKING,
                              &situation));
    return cor_unmet_needs(series->algorithm, &situation);
}

static void suite_tell(coll_rank *me, const suite *s, const coll_case *c)
{
    const coll_series *series = c->series;
    coll_case_tell(c, me->doing, sizeof me->doing);
    int length = snprintf(me->again, sizeof me->again, "CORUNNA_TEST_SEED=%llu ", (unsigned long long)me->seed);
    if (s->is_processes)
        length += snprintf(me->again + length, sizeof me->again - (size_t)length,
                           "corunna run -n %d coll_suite --processes", series->ranks);
    else
        length +=
            snprintf(me->again + length, sizeof me->again - (size_t)length, "coll_suite --threads %d", series->ranks);
    snprintf(me->again + length, sizeof me->again - (size_t)length, " --algorithm %s --mode %s --case %llu %s",
             coll_series_name(series), coll_mode_name(series->mode), (unsigned long long)c->number,
             cor_primitive_name(series->primitive));
}

/* Is one element a rank too much to ask? */
static int suite_lacks_elements(const coll_case *c)
{
    const cor_algorithm *algorithm = c->series->algorithm;
    return algorithm && algorithm->needs & COR_NEEDS_ELEMENTS &&
           c->bytes < (size_t)c->series->ranks * coll_kind_bytes(c->kind);
}

static void suite_mark(suite *s, const cor_algorithm *algorithm)
{
    for (size_t i = 0; i < cor_algorithm_count; i++)
        s->is_met[i] |= cor_algorithms[i] == algorithm;
}

static void suite_case(coll_rank *me, suite *s, const coll_comms *comms, const coll_series *series, uint64_t number)
{
    coll_case c;
    cor_fault fault = {0};
    unsigned long *counter = &s->done;
    coll_case_get(series, number, &c);
    suite_tell(me, s, &c);
    if (suite_lacks_elements(&c)) {
        counter = &s->without_elements;
    } else {
        if (cor_coll_force(me->rank, series->primitive, c.force, &fault) != COR_OK)
            CHECK_FAIL("cor_coll_force: %s", fault.text);
        if (suite_unmet(comms, &c)) {
            counter = &s->refused;
            coll_perform_refused(me, comms, &c);
        } else {
            coll_perform(me, comms, &c);
            if (me->number == 0)
                suite_mark(s, series->algorithm);
        }
    }
    if (me->number == 0)
        ++*counter;
}

/* ---- one algorithm ---------------------------------------------------------------------------------------------- */

static void suite_series(coll_rank *me, suite *s, const coll_comms *comms, const coll_series *series)
{
    uint64_t total = coll_series_count(series);
    coll_case first;
    if (s->case_number) {
        suite_case(me, s, comms, series, strtoull(s->case_number, NULL, 0) % total);
        return;
    }
    /* Refused once is as good as always. */
    coll_case_get(series, 0, &first);
    uint64_t count = suite_unmet(comms, &first) ? 1 : s->count;
    /* Between processes an algorithm of its own has more ways to go than between threads. */
    if (s->is_processes && series->algorithm && series->algorithm->run && count > 1 && count < UINT64_MAX / 8)
        count *= 8;
    uint64_t first_pick = ((uint64_t)s->position * MODES + (uint64_t)series->mode) * count;
    for (uint64_t i = 0; i < count && i < total; i++)
        suite_case(me, s, comms, series, count >= total ? i : coll_series_pick(series, first_pick + i));
}

static void suite_algorithm(coll_rank *me, suite *s, const coll_comms *comms, cor_primitive primitive,
                            const cor_algorithm *algorithm, int is_inter)
{
    for (int mode = 0; mode < MODES; mode++) {
        coll_series series;
        if (s->mode >= 0 && s->mode != mode)
            continue;
        coll_series_init(&series, primitive, algorithm, me->size, (coll_mode)mode, is_inter, me->seed,
                         s->sizes[primitive].bytes, s->sizes[primitive].count);
        const char *name = coll_series_name(&series);
        if (s->algorithm && strcmp(s->algorithm, name) != 0)
            continue;
        suite_series(me, s, comms, &series);
    }
}

static void suite_primitive(coll_rank *me, suite *s, const coll_comms *comms, cor_primitive primitive)
{
    for (size_t i = 0; i < cor_algorithm_count; i++) {
        const cor_algorithm *algorithm = cor_algorithms[i];
        int is_inter = (algorithm->needs & COR_NEEDS_INTER) != 0;
        if (algorithm->primitive == primitive && (!s->is_on_nodes || algorithm->needs & COR_NEEDS_NODES) &&
            !(is_inter && me->size < 2))
            suite_algorithm(me, s, comms, primitive, algorithm, is_inter);
    }
    suite_algorithm(me, s, comms, primitive, NULL, 0);
    if (coll_has_inter(primitive) && !s->is_on_nodes && me->size > 1)
        suite_algorithm(me, s, comms, primitive, NULL, 1);
}

static void suite_body(coll_rank *me)
{
    suite *s = me->job->context;
    coll_comms comms;
    snprintf(me->doing, sizeof me->doing, "making communicators");
    coll_comms_init(&comms, me);
    for (int primitive = 0; primitive < COR_PRIMITIVES; primitive++)
        if (s->is_wanted[primitive])
            suite_primitive(me, s, &comms, (cor_primitive)primitive);
    coll_comms_fini(&comms);
    if (me->number == 0 && s->is_processes)
        printf("seed %llu\n", (unsigned long long)me->seed);
}

/* ---- jobs ------------------------------------------------------------------------------------------------------- */

static int suite_needs_nodes(const suite *s)
{
    int found = 0;
    for (size_t i = 0; i < cor_algorithm_count; i++)
        found |= s->is_wanted[cor_algorithms[i]->primitive] && cor_algorithms[i]->needs & COR_NEEDS_NODES;
    return found;
}

/* Settings that differ from run to run, so that in the end all are tried. */
static void suite_job(suite *s, int threads, int is_on_nodes)
{
    static const char *const boards[] = {"coll.board=256k", "coll.board=16k"};
    static const char *const nodes[] = {"coll.node_ranks=2", "coll.node_ranks=3", "coll.node_ranks=5"};
    uint64_t luck = coll_mix2(s->seed, (uint64_t)threads * 2 + (uint64_t)is_on_nodes);
    const char *overrides[] = {boards[luck % 2], is_on_nodes ? nodes[luck / 2 % 3] : NULL, NULL};
    s->is_on_nodes = is_on_nodes;
    coll_job_run(&(coll_job){.threads = threads,
                             .is_threaded = threads ? luck >> 17 & 1 : 0,
                             .seed = s->seed,
                             .overrides = threads ? overrides : NULL,
                             .body = suite_body,
                             .context = s});
}

static void suite_run(suite *s)
{
    static const int usual[] = {1, 2, 3, 4, 5, 7, 8, 16, 17};
    if (s->is_processes) {
        suite_job(s, 0, 0);
        return;
    }
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        int ranks = s->threads ? s->threads : usual[i];
        /* Sanitized everything is ten times slower: leave out some numbers, others each time. */
        if (TEST_IS_SANITIZED && !s->threads && ranks > 2 && coll_mix2(s->seed, (uint64_t)ranks) % 2)
            continue;
        s->position = (int)i;
        suite_job(s, ranks, 0);
        if (ranks > 2 && suite_needs_nodes(s))
            suite_job(s, ranks, 1);
        if (s->threads)
            break;
    }
}

/* Primitive, algorithm, and the word "near" if it works inside one node only. */
static void suite_print(FILE *to, const cor_algorithm *algorithm)
{
    fprintf(to, "%s %s%s\n", cor_primitive_name(algorithm->primitive), algorithm->name,
            algorithm->needs & COR_NEEDS_ONE_NODE ? " near" : "");
}

static int suite_list(void)
{
    for (size_t i = 0; i < cor_algorithm_count; i++)
        suite_print(stdout, cor_algorithms[i]);
    return 0;
}

static void suite_tell_met(const suite *s)
{
    FILE *file = s->met_path ? fopen(s->met_path, "a") : NULL;
    if (s->met_path && !file) {
        CHECK_FAIL("%s cannot be written", s->met_path);
    }
    for (size_t i = 0; file && i < cor_algorithm_count; i++)
        if (s->is_met[i])
            suite_print(file, cor_algorithms[i]);
    if (file)
        fclose(file);
}

static int suite_report(const suite *s)
{
    size_t algorithms = 0;
    const char *pmi = getenv("PMI_RANK"), *rank = pmi ? pmi : getenv("PMIX_RANK");
    if (s->is_processes && rank && strcmp(rank, "0") != 0)
        return 0;
    for (size_t i = 0; i < cor_algorithm_count; i++)
        algorithms += s->is_wanted[cor_algorithms[i]->primitive] != 0;
    printf("coll: %lu cases of %zu algorithms and of the rules passed; %lu were refused, as their needs were not met, "
           "%lu left out for lack of elements; seed %llu\n",
           s->done, algorithms, s->refused, s->without_elements, (unsigned long long)s->seed);
    suite_tell_met(s);
    if (s->done + s->refused > 0)
        return 0;
    fprintf(stderr, "FAILED: no case ran\n");
    return 1;
}

static int suite_mode_of(const char *name)
{
    int mode = MODES - 1;
    while (mode >= 0 && strcmp(coll_mode_name((coll_mode)mode), name) != 0)
        mode--;
    return mode;
}

int main(int argc, char **argv)
{
    suite s = {.seed = coll_seed(), .count = coll_count(test_is_slow() ? 1 : 4), .mode = -1};
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        cor_primitive primitive = cor_primitive_find(argv[i]);
        if (primitive != COR_PRIMITIVES)
            s.is_wanted[primitive] = 1;
        else if (strcmp(argv[i], "--list") == 0)
            return suite_list();
        else if (strcmp(argv[i], "--processes") == 0)
            s.is_processes = 1;
        else if (strcmp(argv[i], "--threads") == 0)
            s.threads = atoi(value);
        else if (strcmp(argv[i], "--met") == 0)
            s.met_path = value;
        else if (strcmp(argv[i], "--algorithm") == 0)
            s.algorithm = value;
        else if (strcmp(argv[i], "--case") == 0)
            s.case_number = value;
        else if (strcmp(argv[i], "--mode") == 0)
            s.mode = suite_mode_of(value);
    }
    s.is_met = calloc(cor_algorithm_count, 1);
    if (!s.is_met)
        abort();
    sizes_find_all(&s);
    suite_run(&s);
    int status = suite_report(&s);
    free(s.is_met);
    return status;
}

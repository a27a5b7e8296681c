/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cache of registrations against a model: pages have versions, which change when their mapping does; a registration
 * remembers the versions it was made of. Whatever is found must cover the request, have its rights and be of the
 * present versions; nothing is given back while it is used, everything in the end; what is unused keeps to the limits.
 *
 * Also what each kind costs on patterns of access, by counts.
 */
#include "check.h"
#include "unit_random.h"

#include "xxdev/soft/ibv/ibv_cache.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { PAGES = 64, HANDLES = 4096, USES = 12, STEPS = 200000 };

typedef struct model_handle {
    int is_live;
    size_t first, count;
    int rights;
    uint32_t versions[PAGES];
} model_handle;

typedef struct model {
    ibw_cache cache;
    size_t page_bytes;
    uint32_t versions[PAGES];
    int is_watched[PAGES], cannot_watch[PAGES];
    int changing; /* changes that the cache has not been told of, from here to the end */
    size_t changing_first, changing_count;
    int live, refuses;
    model_handle handles[HANDLES];
    uint64_t random;
} model;

static uintptr_t model_address(const model *m, size_t page)
{
    return (page + 1) * m->page_bytes;
}

static size_t model_page(const model *m, uintptr_t address)
{
    return address / m->page_bytes - 1;
}

/* ---- what the cache calls --------------------------------------------------------------------------------------- */

static void *model_add(void *subject, uintptr_t start, size_t bytes, int rights)
{
    model *m = subject;
    int i = 0;
    CHECK(start % m->page_bytes == 0 && bytes % m->page_bytes == 0 && bytes > 0);
    if (m->refuses && m->live > 3) {
        errno = ENOMEM;
        return NULL;
    }
    while (m->handles[i].is_live)
        i++;
    CHECK(i < HANDLES);
    m->handles[i] =
        (model_handle){.is_live = 1, .first = model_page(m, start), .count = bytes / m->page_bytes, .rights = rights};
    memcpy(m->handles[i].versions, m->versions, sizeof m->versions);
    m->live++;
    return &m->handles[i];
}

static void model_remove(void *subject, void *handle)
{
    CHECK(((model_handle *)handle)->is_live);
    ((model_handle *)handle)->is_live = 0;
    ((model *)subject)->live--;
}

static int model_watch(void *subject, uintptr_t start, size_t bytes)
{
    model *m = subject;
    size_t first = model_page(m, start), count = bytes / m->page_bytes;
    for (size_t i = first; i < first + count; i++)
        if (m->cannot_watch[i])
            return 0;
    for (size_t i = first; i < first + count; i++)
        m->is_watched[i] = 1;
    return 1;
}

static void model_unwatch(void *subject, uintptr_t start, size_t bytes)
{
    model *m = subject;
    CHECK(!m->changing);
    for (size_t i = model_page(m, start); i < model_page(m, start) + bytes / m->page_bytes; i++)
        m->is_watched[i] = 0;
}

static int model_is_changing(void *subject)
{
    return ((model *)subject)->changing;
}

static const ibw_cache_ops model_ops = {model_add, model_remove, model_watch, model_unwatch, model_is_changing};

static void model_init(model *m, ibw_cache_kind kind, int entries_max, size_t pages_max, int misses_max)
{
    m->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    m->cache = (ibw_cache){.kind = kind,
                           .entries_max = entries_max,
                           .bytes_max = pages_max * m->page_bytes,
                           .misses_max = misses_max,
                           .ops = &model_ops,
                           .subject = m};
    ibw_cache_init(&m->cache);
}

/* ---- steps ------------------------------------------------------------------------------------------------------ */

static size_t model_draw(model *m, size_t below)
{
    return (size_t)(unit_random(&m->random) % below);
}

static ibw_entry *step_get(model *m)
{
    size_t first = model_draw(m, PAGES), count = 1 + model_draw(m, PAGES - first < 9 ? PAGES - first : 9);
    int rights = model_draw(m, 2) ? 1 : 3;
    /* Some way into the first page, and not quite to the end of the last. */
    uintptr_t start = model_address(m, first) + model_draw(m, m->page_bytes);
    uintptr_t end = model_address(m, first + count - 1) + 1 + model_draw(m, m->page_bytes);
    if (end <= start)
        end = start + 1;
    ibw_entry *entry = ibw_cache_get(&m->cache, (const void *)start, end - start, rights);
    if (!entry) {
        CHECK(m->refuses);
        return NULL;
    }
    const model_handle *handle = entry->handle;
    CHECK(handle->is_live && (handle->rights & rights) == rights);
    CHECK(handle->first <= first && handle->first + handle->count >= first + count);
    for (size_t i = handle->first; i < handle->first + handle->count; i++)
        CHECK_EQUAL(m->versions[i], handle->versions[i]);
    return entry;
}

/* A mapping changes; pages that something uses are the program's to leave alone. */
static void step_change(model *m, ibw_entry *const *uses)
{
    size_t first = model_draw(m, PAGES), count = 1 + model_draw(m, PAGES - first < 5 ? PAGES - first : 5);
    for (int i = 0; i < USES; i++)
        if (uses[i] && uses[i]->start < model_address(m, first + count) && uses[i]->end > model_address(m, first))
            return;
    int is_watched = 0;
    for (size_t i = first; i < first + count; i++) {
        m->versions[i]++;
        is_watched |= m->is_watched[i];
    }
    m->changing = is_watched;
    m->changing_first = first;
    m->changing_count = count;
}

static void step_notice(model *m)
{
    if (!m->changing)
        return;
    pthread_mutex_lock(&m->cache.lock);
    ibw_cache_forget(&m->cache, model_address(m, m->changing_first),
                     model_address(m, m->changing_first + m->changing_count));
    pthread_mutex_unlock(&m->cache.lock);
    for (size_t i = m->changing_first; i < m->changing_first + m->changing_count; i++)
        m->is_watched[i] = 0;
    m->changing = 0;
}

static void random_test(ibw_cache_kind kind, uint64_t seed)
{
    model *m = calloc(1, sizeof *m);
    ibw_entry *uses[USES] = {0};
    m->random = seed;
    model_init(m, kind, 1 + (int)model_draw(m, 20), 4 + model_draw(m, 60), 1 + (int)model_draw(m, 8));
    for (int i = 0; i < PAGES; i++)
        m->cannot_watch[i] = model_draw(m, 16) == 0;
    for (int i = 0; i < STEPS; i++) {
        size_t at = model_draw(m, USES), what = model_draw(m, 20);
        if (uses[at]) {
            ibw_cache_put(&m->cache, uses[at]);
            uses[at] = NULL;
        } else if (what < 15) {
            uses[at] = step_get(m);
        } else if (what == 15) {
            m->refuses = !m->refuses;
        } else if (!m->changing) {
            step_change(m, uses);
        }
        if (model_draw(m, 3) == 0)
            step_notice(m);
        CHECK(m->cache.count <= m->cache.entries_max && m->cache.bytes <= m->cache.bytes_max);
    }
    for (int i = 0; i < USES; i++)
        if (uses[i])
            ibw_cache_put(&m->cache, uses[i]);
    step_notice(m);
    CHECK(kind == IBW_CACHE_OFF || (m->cache.counts.hits > 0 && m->cache.counts.stale > 0));
    ibw_cache_fini(&m->cache);
    CHECK_EQUAL(0, m->live);
    free(m);
}

/* ---- patterns --------------------------------------------------------------------------------------------------- */

typedef struct cost {
    uint64_t registrations, steps;
} cost;

typedef uintptr_t (*pattern_fn)(int i, uintptr_t page, size_t *pages_p);

static uintptr_t pattern_one(int i, uintptr_t page, size_t *pages_p)
{
    (void)i;
    *pages_p = 16;
    return page;
}

static uintptr_t pattern_hundred(int i, uintptr_t page, size_t *pages_p)
{
    *pages_p = 16;
    return page + (uintptr_t)(i % 100) * 17 * page;
}

/* Ten times from 1 to 100 pages of one array. */
static uintptr_t pattern_windows(int i, uintptr_t page, size_t *pages_p)
{
    *pages_p = (size_t)(i % 100) + 1;
    return page;
}

static uintptr_t pattern_two_hundred(int i, uintptr_t page, size_t *pages_p)
{
    *pages_p = 16;
    return page + (uintptr_t)(i % 200) * 17 * page;
}

typedef struct plain {
    ibw_cache cache;
    uint64_t registrations;
} plain;

static void *plain_add(void *subject, uintptr_t start, size_t bytes, int rights)
{
    (void)start;
    (void)bytes;
    (void)rights;
    ((plain *)subject)->registrations++;
    return subject;
}

static void plain_remove(void *subject, void *handle)
{
    (void)subject;
    (void)handle;
}

static int plain_watch(void *subject, uintptr_t start, size_t bytes)
{
    (void)subject;
    (void)start;
    (void)bytes;
    return 1;
}

static void plain_unwatch(void *subject, uintptr_t start, size_t bytes)
{
    (void)subject;
    (void)start;
    (void)bytes;
}

static int plain_is_changing(void *subject)
{
    (void)subject;
    return 0;
}

static const ibw_cache_ops plain_ops = {plain_add, plain_remove, plain_watch, plain_unwatch, plain_is_changing};

static cost pattern_cost(ibw_cache_kind kind, int entries_max, pattern_fn pattern)
{
    plain p = {
        .cache = {
            .kind = kind, .entries_max = entries_max, .bytes_max = SIZE_MAX / 2, .misses_max = 32, .ops = &plain_ops}};
    p.cache.subject = &p;
    ibw_cache_init(&p.cache);
    for (int i = 0; i < 1000; i++) {
        size_t pages;
        uintptr_t start = pattern(i, p.cache.page_bytes, &pages);
        ibw_entry *entry = ibw_cache_get(&p.cache, (const void *)start, pages * p.cache.page_bytes, 1);
        ibw_cache_put(&p.cache, entry);
    }
    ibw_cache_fini(&p.cache);
    return (cost){p.registrations, p.cache.counts.steps};
}

static void pattern_test(const char *name, pattern_fn pattern, int entries_max, uint64_t tree, uint64_t stack)
{
    cost by_tree = pattern_cost(IBW_CACHE_TREE, entries_max, pattern);
    cost by_stack = pattern_cost(IBW_CACHE_STACK, entries_max, pattern);
    cost off = pattern_cost(IBW_CACHE_OFF, entries_max, pattern);
    printf("%-42s tree %4llu registrations, %6llu steps; stack %4llu, %6llu; off %4llu\n", name,
           (unsigned long long)by_tree.registrations, (unsigned long long)by_tree.steps,
           (unsigned long long)by_stack.registrations, (unsigned long long)by_stack.steps,
           (unsigned long long)off.registrations);
    CHECK_EQUAL(tree, by_tree.registrations);
    CHECK_EQUAL(stack, by_stack.registrations);
    CHECK_EQUAL(1000, off.registrations);
}

/* Four buffers in turn, and now and then one that is longer than all that is kept, around the first of them. */
static void test_what_is_too_long_evicts_nothing(ibw_cache_kind kind)
{
    plain p = {.cache = {.kind = kind, .entries_max = 128, .misses_max = 32, .ops = &plain_ops}};
    p.cache.subject = &p;
    ibw_cache_init(&p.cache);
    p.cache.bytes_max = 100 * p.cache.page_bytes;
    for (int i = 0; i < 100; i++) {
        size_t pages = i % 5 == 4 ? 101 : 16, page = p.cache.page_bytes;
        uintptr_t start = i % 5 == 4 ? page : page + (uintptr_t)(i % 5) * 20 * page;
        ibw_entry *entry = ibw_cache_get(&p.cache, (const void *)start, pages * page, 1);
        ibw_cache_put(&p.cache, entry);
    }
    CHECK_EQUAL(4 + 20, p.registrations);
    CHECK_EQUAL(0, p.cache.counts.evicted);
    ibw_cache_fini(&p.cache);
}

int main(void)
{
    uint64_t seed = unit_seed();
    for (int i = 0; i < 4; i++) {
        random_test(IBW_CACHE_TREE, seed + (uint64_t)i);
        random_test(IBW_CACHE_STACK, seed + (uint64_t)i);
    }
    random_test(IBW_CACHE_OFF, seed);
    test_what_is_too_long_evicts_nothing(IBW_CACHE_TREE);
    test_what_is_too_long_evicts_nothing(IBW_CACHE_STACK);
    pattern_test("one buffer", pattern_one, 128, 1, 1);
    pattern_test("100 buffers in turn", pattern_hundred, 128, 100, 100);
    pattern_test("growing windows of one array", pattern_windows, 128, 100, 100);
    pattern_test("200 buffers in turn, more than are kept", pattern_two_hundred, 128, 1000, 880);
    return 0;
}

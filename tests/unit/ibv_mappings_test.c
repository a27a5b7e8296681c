/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that is unmapped, moved or discarded is no longer found in the cache of registrations, whatever call did it. A
 * registration is the stamp that stands in the memory at its time; a stamp that is found must be the present one. Once
 * with each way in which the kernel tells this process, and once unwatched, to see that these tests would fail then.
 */
#define _GNU_SOURCE
#include "check.h"
#include "sanitized.h"

#include "xxdev/soft/ibv/ibv_cache.h"
#include "xxdev/soft/ibv/ibv_mappings.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCK = 1 << 20, RACE_BLOCK = 1 << 16 };

static int rounds = 1000; /* of the race */

typedef struct subject {
    ibw_cache cache;
    ibw_mappings *mappings; /* NULL: unwatched, which the cache does not know */
    int stamps;             /* that are not given back */
} subject;

/* ---- registrations ---------------------------------------------------------------------------------------------- */

static void *stamp_add(void *s, uintptr_t start, size_t bytes, int rights)
{
    uint64_t *stamp = malloc(sizeof *stamp);
    ((subject *)s)->stamps++;
    (void)rights;
    /* As an adapter does, touch all pages. */
    for (size_t i = 0; i < bytes; i += 4096)
        *stamp = *(volatile uint64_t *)(start + i);
    *stamp = *(const uint64_t *)start;
    return stamp;
}

static void stamp_remove(void *s, void *handle)
{
    ((subject *)s)->stamps--;
    free(handle);
}

static int stamp_watch(void *s, uintptr_t start, size_t bytes)
{
    const subject *own = s;
    return own->mappings ? ibw_mappings_add(own->mappings, start, bytes) : 1;
}

static void stamp_unwatch(void *s, uintptr_t start, size_t bytes)
{
    const subject *own = s;
    if (own->mappings)
        ibw_mappings_remove(own->mappings, start, bytes);
}

static int stamp_is_changing(void *s)
{
    const subject *own = s;
    return own->mappings && ibw_mappings_are_changing(own->mappings);
}

static void stamp_gone(void *s, uintptr_t start, uintptr_t end)
{
    ibw_cache_forget(&((subject *)s)->cache, start, end);
}

static const ibw_cache_ops stamp_ops = {stamp_add, stamp_remove, stamp_watch, stamp_unwatch, stamp_is_changing};

/* Is what is found the present stamp? */
static int is_present(subject *s, const uint64_t *memory, size_t bytes)
{
    ibw_entry *entry = ibw_cache_get(&s->cache, memory, bytes, 1);
    int is_right = *(const uint64_t *)entry->handle == *(const uint64_t *)entry->start;
    ibw_cache_put(&s->cache, entry);
    return is_right;
}

/* Stamps that are not given back, when what was noticed is dealt with. */
static int live(subject *s)
{
    pthread_mutex_lock(&s->cache.lock);
    pthread_mutex_unlock(&s->cache.lock);
    ibw_cache_collect(&s->cache);
    return s->stamps;
}

static uint64_t hits(const subject *s)
{
    return s->cache.counts.hits;
}

/* ---- what programs do ------------------------------------------------------------------------------------------- */

static uint64_t *map_at(void *place, size_t bytes, uint64_t stamp)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | (place ? MAP_FIXED_NOREPLACE : 0);
    uint64_t *memory = mmap(place, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    CHECK(memory != MAP_FAILED && (!place || memory == place));
    *memory = stamp;
    return memory;
}

/* Kept as long as nothing happens to it; and after each call below, right. */
static int unmap_is_noticed(subject *s)
{
    uint64_t *memory = map_at(NULL, BLOCK, 1);
    uint64_t before = hits(s);
    CHECK(is_present(s, memory, BLOCK) && is_present(s, memory, BLOCK) && is_present(s, memory + 1000, 4096));
    CHECK_EQUAL(before + 2, hits(s));
    munmap(memory, BLOCK);
    int is_right = live(s) == 0;
    map_at(memory, BLOCK, 2);
    is_right &= is_present(s, memory, BLOCK);
    munmap(memory, BLOCK);
    return is_right && live(s) == 0;
}

static int replace_is_noticed(subject *s)
{
    uint64_t *memory = map_at(NULL, BLOCK, 1);
    CHECK(is_present(s, memory, BLOCK));
    CHECK(mmap(memory, BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == memory);
    int is_right = is_present(s, memory, BLOCK);
    munmap(memory, BLOCK);
    return is_right;
}

static int discard_is_noticed(subject *s)
{
    uint64_t *memory = map_at(NULL, BLOCK, 1);
    CHECK(is_present(s, memory, BLOCK));
    madvise(memory, BLOCK, MADV_DONTNEED);
    int is_right = is_present(s, memory, BLOCK);
    munmap(memory, BLOCK);
    return is_right;
}

/* A system call is the first to touch a page after it was discarded. */
static int discard_and_call_is_noticed(subject *s)
{
    uint64_t *memory = map_at(NULL, BLOCK, 1);
    int zeros = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    CHECK(is_present(s, memory, BLOCK));
    madvise(memory, BLOCK, MADV_DONTNEED);
    CHECK_EQUAL(BLOCK, read(zeros, memory, BLOCK));
    close(zeros);
    int is_right = is_present(s, memory, BLOCK);
    munmap(memory, BLOCK);
    return is_right;
}

static int move_is_noticed(subject *s)
{
    uint64_t *memory = map_at(NULL, BLOCK, 1);
    uint64_t *other = map_at(NULL, BLOCK, 2);
    CHECK(is_present(s, memory, BLOCK) && is_present(s, other, BLOCK));
    CHECK(mremap(memory, BLOCK, BLOCK, MREMAP_MAYMOVE | MREMAP_FIXED, other) == other);
    int is_right = is_present(s, other, BLOCK);
    map_at(memory, BLOCK, 3);
    is_right &= is_present(s, memory, BLOCK);
    munmap(memory, BLOCK);
    munmap(other, BLOCK);
    return is_right;
}

/* A part of it, and what is left is not found either. */
static int part_is_noticed(subject *s)
{
    uint64_t *memory = map_at(NULL, BLOCK, 1);
    CHECK(is_present(s, memory, BLOCK));
    munmap(memory, BLOCK / 2);
    map_at(memory, BLOCK / 2, 2);
    int is_right = is_present(s, memory, BLOCK / 4);
    munmap(memory, BLOCK);
    return is_right;
}

/* The C library unmaps large blocks, and gets the same addresses again. */
static int free_is_noticed(subject *s)
{
    int is_right = 1, is_same = 0;
    void *last = NULL;
    for (uint64_t i = 0; i < 20; i++) {
        void *memory = malloc(64 * BLOCK);
        uint64_t *block = (uint64_t *)(((uintptr_t)memory + BLOCK) / BLOCK * BLOCK);
        *block = i;
        is_same += memory == last;
        is_right &= is_present(s, block, BLOCK);
        last = memory;
        free(memory);
    }
    CHECK(is_same > 0 || TEST_IS_SANITIZED);
    return is_right;
}

/* The child's memory is its own; the parent's stays what it was. */
static int fork_is_survived(subject *s)
{
    uint64_t *memory = map_at(NULL, BLOCK, 1);
    CHECK(is_present(s, memory, BLOCK));
    pid_t child = fork();
    if (child == 0) {
        madvise(memory, BLOCK, MADV_DONTNEED);
        *memory = 7;
        munmap(memory, BLOCK);
        _exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    uint64_t before = hits(s);
    CHECK(is_present(s, memory, BLOCK));
    int is_right = s->cache.kind == IBW_CACHE_OFF || hits(s) == before + 1;
    munmap(memory, BLOCK);
    map_at(memory, BLOCK, 2);
    is_right &= is_present(s, memory, BLOCK);
    munmap(memory, BLOCK);
    return is_right;
}

/* ---- two threads ------------------------------------------------------------------------------------------------ */

typedef struct race {
    _Atomic(uint64_t *) handed;
    atomic_int is_over;
} race;

static void *race_unmap(void *argument)
{
    race *r = argument;
    while (!atomic_load(&r->is_over)) {
        uint64_t *memory = atomic_exchange(&r->handed, NULL);
        if (memory)
            munmap(memory, RACE_BLOCK);
    }
    return NULL;
}

/* Another thread unmaps what this one has used, which maps anew meanwhile, often at the same address. */
static int race_is_noticed(subject *s)
{
    race r = {NULL, 0};
    pthread_t thread;
    int is_right = 1;
    CHECK_OK(pthread_create(&thread, NULL, race_unmap, &r));
    for (uint64_t i = 1; i <= (uint64_t)rounds; i++) {
        uint64_t *memory = map_at(NULL, RACE_BLOCK, i);
        is_right &= is_present(s, memory, RACE_BLOCK);
        while (atomic_load(&r.handed))
            ;
        atomic_store(&r.handed, memory);
    }
    while (atomic_load(&r.handed))
        ;
    atomic_store(&r.is_over, 1);
    pthread_join(thread, NULL);
    return is_right;
}

/* Files and shared memory are not kept. */
static int others_are_not_kept(subject *s)
{
    uint64_t *shared = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(shared != MAP_FAILED);
    *shared = 1;
    uint64_t before = hits(s);
    int is_right = is_present(s, shared, BLOCK);
    *shared = 2;
    is_right &= is_present(s, shared, BLOCK) && hits(s) == before;
    munmap(shared, BLOCK);
    return is_right;
}

typedef struct row {
    const char *name;
    int (*is_noticed)(subject *s);
    int fails_unwatched;
} row;

static const row rows[] = {
    {"unmap", unmap_is_noticed, 1},
    {"map over", replace_is_noticed, 1},
    {"discard", discard_is_noticed, 1},
    {"discard, then a system call", discard_and_call_is_noticed, 1},
    {"move", move_is_noticed, 1},
    {"unmap a part", part_is_noticed, 1},
    {"free", free_is_noticed, !TEST_IS_SANITIZED},
    {"fork", fork_is_survived, 1},
    {"unmap in another thread", race_is_noticed, 0},
    {"shared memory", others_are_not_kept, 1},
};

typedef enum way { WAY_PROTECT, WAY_MISSING, WAY_NONE } way;

static const char *const way_names[] = {"writes to protected pages", "missing pages", "nothing"};

/* 0: the kernel does not offer it. */
static int run(const row *r, ibw_cache_kind kind, way by)
{
    subject s = {
        .cache = {.kind = kind, .entries_max = 16, .bytes_max = (size_t)1 << 30, .misses_max = 8, .ops = &stamp_ops}};
    cor_fault fault;
    s.cache.subject = &s;
    ibw_cache_init(&s.cache);
    if (by != WAY_NONE &&
        ibw_mappings_open(&s.cache.lock, stamp_gone, &s, by == WAY_PROTECT, &s.mappings, &fault) != COR_OK) {
        printf("%s\n", fault.text);
        ibw_cache_fini(&s.cache);
        return 0;
    }
    int is_noticed = r->is_noticed(&s);
    printf("%s, watching %s: %s\n", r->name, way_names[by], is_noticed ? "right" : "stale");
    fflush(stdout);
    if (by != WAY_NONE)
        CHECK(is_noticed);
    else if (r->fails_unwatched)
        CHECK(!is_noticed);
    if (s.mappings)
        ibw_mappings_close(s.mappings);
    s.mappings = NULL;
    ibw_cache_fini(&s.cache);
    return 1;
}

/* With an argument: so many rounds of the race. */
int main(int argc, char **argv)
{
    int watched = 0;
    rounds = argc > 1 ? atoi(argv[1]) : rounds;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (way by = WAY_PROTECT; by <= WAY_NONE; by++)
            watched += run(&rows[i], i % 2 ? IBW_CACHE_STACK : IBW_CACHE_TREE, by) && by != WAY_NONE;
    return watched ? 0 : 77;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- predefined ------------------------------------------------------------------------------------------------- */

#define PAIR(number, type)                                                                                            \
    {                                                                                                                 \
        number, sizeof(struct {                                                                                       \
            type value;                                                                                               \
            int index;                                                                                                \
        }),                                                                                                           \
            _Alignof(type) > _Alignof(int) ? _Alignof(type) : _Alignof(int), 2, {sizeof(type), sizeof(int)},          \
        {                                                                                                             \
            0, offsetof(                                                                                              \
                   struct {                                                                                           \
                       type value;                                                                                    \
                       int index;                                                                                     \
                   },                                                                                                 \
                   index)                                                                                             \
        }                                                                                                             \
    }

const plan_basic plan_basics[] = {
    {0x243, 1, 1, 1, {1, 0}, {0, 0}},                                                         /* CHAR */
    {0x208, 2, _Alignof(short), 1, {2, 0}, {0, 0}},                                           /* SHORT */
    {0x209, 4, _Alignof(int), 1, {4, 0}, {0, 0}},                                             /* INT */
    {0x210, 4, _Alignof(float), 1, {4, 0}, {0, 0}},                                           /* FLOAT */
    {0x214, 8, _Alignof(double), 1, {8, 0}, {0, 0}},                                          /* DOUBLE */
    {0x214, 8, _Alignof(double), 1, {8, 0}, {0, 0}},                                          /* more often */
    {0x216, 16, _Alignof(double), 1, {16, 0}, {0, 0}},                                        /* complex */
    {0x220, sizeof(long double), _Alignof(long double), 1, {sizeof(long double), 0}, {0, 0}}, /* LONG_DOUBLE */
    {0x22b, 8, _Alignof(int), 2, {4, 4}, {0, 4}},                                             /* 2INT */
    PAIR(0x228, float),
    PAIR(0x229, double),
    PAIR(0x22c, short),
    PAIR(0x22d, long double),
};
const size_t plan_basic_count = sizeof plan_basics / sizeof plan_basics[0];

/* ---- chance ----------------------------------------------------------------------------------------------------- */

size_t plan_below(unsigned *seed, size_t limit)
{
    return limit ? (size_t)rand_r(seed) % limit : 0;
}

unsigned plan_seed(void)
{
    const char *text = getenv("CORUNNA_TEST_SEED");
    unsigned seed = text && *text ? (unsigned)strtoul(text, NULL, 10) : (unsigned)time(NULL);
    printf("CORUNNA_TEST_SEED=%u\n", seed);
    fflush(stdout);
    return seed;
}

static ptrdiff_t random_between(unsigned *seed, ptrdiff_t low, ptrdiff_t high)
{
    return low + (ptrdiff_t)plan_below(seed, (size_t)(high - low + 1));
}

/* ---- random plans ----------------------------------------------------------------------------------------------- */

static void random_blocks(plan *p, unsigned *seed, int is_bytes)
{
    int is_regular = plan_below(seed, 3) == 0, is_sorted = plan_below(seed, 3) > 0;
    ptrdiff_t place = random_between(seed, -3, 3);
    ptrdiff_t step = random_between(seed, 1, 6), unit = is_bytes ? random_between(seed, 1, 16) : 1;
    p->count = plan_below(seed, PLAN_BLOCKS_MAX + 1);
    p->length = plan_below(seed, 4);
    for (size_t i = 0; i < p->count; i++) {
        p->lengths[i] = is_regular ? 1 : plan_below(seed, 4);
        if (!is_sorted)
            place = random_between(seed, -20, 20);
        p->displacements[i] = place * unit;
        place += is_regular ? step : random_between(seed, 1, 6);
    }
}

static void random_array(plan *p, unsigned *seed)
{
    p->count = 1 + plan_below(seed, PLAN_DIMENSIONS_MAX);
    p->is_fortran = (int)plan_below(seed, 2);
    size_t processes = 1;
    for (size_t i = 0; i < p->count; i++) {
        p->sizes[i] = 1 + plan_below(seed, 6);
        p->subsizes[i] = 1 + plan_below(seed, p->sizes[i]);
        p->starts[i] = plan_below(seed, p->sizes[i] - p->subsizes[i] + 1);
        p->shares[i] = (plan_share)plan_below(seed, 3);
        p->grid[i] = p->shares[i] == PLAN_SHARE_NONE ? 1 : 1 + plan_below(seed, 3);
        size_t least = (p->sizes[i] + p->grid[i] - 1) / p->grid[i];
        p->dealt[i] = plan_below(seed, 2)                ? 0
                      : p->shares[i] == PLAN_SHARE_BLOCK ? least + plan_below(seed, 2)
                                                         : 1 + plan_below(seed, 3);
        processes *= p->grid[i];
    }
    p->place = plan_below(seed, processes);
}

static plan *random_plan(unsigned *seed, int depth)
{
    plan *p = calloc(1, sizeof *p);
    p->kind = depth > 0 ? (plan_kind)plan_below(seed, PLAN_KINDS) : PLAN_PREDEFINED;
    if (p->kind == PLAN_PREDEFINED) {
        p->basic = &plan_basics[plan_below(seed, plan_basic_count)];
        return p;
    }
    p->count = plan_below(seed, 6);
    p->length = plan_below(seed, 4);
    p->stride = random_between(seed, -6, 12);
    if (p->kind == PLAN_HVECTOR)
        p->stride *= random_between(seed, 1, 16);
    if (p->kind >= PLAN_INDEXED && p->kind <= PLAN_STRUCT)
        random_blocks(p, seed, p->kind != PLAN_INDEXED && p->kind != PLAN_INDEXED_BLOCK);
    if (p->kind == PLAN_SUBARRAY || p->kind == PLAN_DARRAY)
        random_array(p, seed);
    p->lb = random_between(seed, -40, 40);
    p->extent = random_between(seed, -100, 300);
    size_t bases = p->kind == PLAN_STRUCT ? p->count : 1;
    for (size_t i = 0; i < bases; i++)
        p->bases[i] = random_plan(seed, depth - 1);
    return p;
}

plan *plan_random(unsigned *seed, int depth, size_t bytes_max)
{
    for (;;) {
        plan *p = random_plan(seed, depth);
        plan_map map;
        plan_map_make(p, &map);
        /* Types without data are worth a test, but not most of them. */
        int is_fine = map.size <= bytes_max && (map.size > 0 || plan_below(seed, 20) == 0);
        plan_map_free(&map);
        if (is_fine)
            return p;
        plan_free(p);
    }
}

void plan_free(plan *p)
{
    for (size_t i = 0; i < PLAN_BLOCKS_MAX; i++)
        if (p->bases[i])
            plan_free(p->bases[i]);
    free(p);
}

static void plan_print(FILE *to, const plan *p, int indent)
{
    static const char *const names[] = {"predefined", "contiguous",    "vector",         "hvector", "indexed",
                                        "hindexed",   "indexed_block", "hindexed_block", "struct",  "resized",
                                        "dup",        "subarray",      "darray"};
    fprintf(to, "%*s%s", indent, "", names[p->kind]);
    if (p->kind == PLAN_PREDEFINED) {
        fprintf(to, " 0x%x\n", p->basic->number);
        return;
    }
    fprintf(to, " count %zu length %zu stride %td lb %td extent %td%s place %zu", p->count, p->length, p->stride,
            p->lb, p->extent, p->is_fortran ? " fortran" : "", p->place);
    if (p->kind >= PLAN_INDEXED && p->kind <= PLAN_STRUCT)
        for (size_t i = 0; i < p->count; i++)
            fprintf(to, " [%zu at %td]", p->lengths[i], p->displacements[i]);
    if (p->kind == PLAN_SUBARRAY || p->kind == PLAN_DARRAY)
        for (size_t i = 0; i < p->count; i++)
            fprintf(to, " [size %zu sub %zu start %zu share %d dealt %zu grid %zu]", p->sizes[i], p->subsizes[i],
                    p->starts[i], p->shares[i], p->dealt[i], p->grid[i]);
    fprintf(to, "\n");
    for (size_t i = 0; i < PLAN_BLOCKS_MAX; i++)
        if (p->bases[i])
            plan_print(to, p->bases[i], indent + 2);
}

void plan_tell(FILE *to, const void *context)
{
    plan_print(to, context, 2);
}

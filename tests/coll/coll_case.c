/* SPDX-License-Identifier: Apache-2.0 */
#include "coll_case.h"

#include <stdio.h>
#include <string.h>

/* ---- what a primitive is ---------------------------------------------------------------------------------------- */

int coll_is_reduction(cor_primitive primitive)
{
    return primitive >= COR_REDUCE && primitive <= COR_EXSCAN;
}

int coll_is_neighbor(cor_primitive primitive)
{
    return primitive >= COR_NEIGHBOR_ALLGATHER;
}

int coll_is_rooted(cor_primitive primitive)
{
    return primitive == COR_BCAST || primitive == COR_GATHER || primitive == COR_GATHERV || primitive == COR_SCATTER ||
           primitive == COR_SCATTERV || primitive == COR_REDUCE;
}

int coll_is_uneven(cor_primitive primitive)
{
    switch (primitive) {
    case COR_GATHERV:
    case COR_SCATTERV:
    case COR_ALLGATHERV:
    case COR_ALLTOALLV:
    case COR_ALLTOALLW:
    case COR_REDUCE_SCATTER:
    case COR_NEIGHBOR_ALLGATHERV:
    case COR_NEIGHBOR_ALLTOALLV:
    case COR_NEIGHBOR_ALLTOALLW:
        return 1;
    default:
        return 0;
    }
}

int coll_has_inter(cor_primitive primitive)
{
    return !coll_is_neighbor(primitive) && primitive != COR_SCAN && primitive != COR_EXSCAN;
}

static int case_has_in_place(cor_primitive primitive)
{
    return primitive != COR_BARRIER && primitive != COR_BCAST && !coll_is_neighbor(primitive);
}

/* ---- series ----------------------------------------------------------------------------------------------------- */

static void series_choose_kinds(coll_series *series)
{
    const cor_algorithm *algorithm = series->algorithm;
    int is_commutative_only = algorithm && (algorithm->needs & COR_NEEDS_COMMUTATIVE);
    int is_reduction = coll_is_reduction(series->primitive);
    for (int kind = is_reduction ? KIND_MOVED_END : 0; kind < (is_reduction ? (int)KINDS : (int)KIND_MOVED_END);
         kind++)
        if (!is_commutative_only || coll_kind_is_commutative((coll_kind)kind))
            series->kinds[series->kind_count++] = (coll_kind)kind;
}

void coll_series_init(coll_series *series, cor_primitive primitive, const cor_algorithm *algorithm, int ranks,
                      coll_mode mode, int is_inter, uint64_t seed, const size_t *sizes, size_t size_count)
{
    *series = (coll_series){.primitive = primitive,
                            .algorithm = algorithm,
                            .ranks = ranks,
                            .mode = mode,
                            .is_inter = is_inter,
                            .seed = seed,
                            .sizes = sizes,
                            .size_count = primitive == COR_BARRIER ? 1 : size_count,
                            .root_count = coll_is_rooted(primitive) ? (size_t)ranks : 1,
                            .place_count = case_has_in_place(primitive) && !is_inter ? 2 : 1,
                            .where_count = 2,
                            .variant_count = algorithm && algorithm->parameters[0].name ? 2 : 1,
                            .wheres = {WHERE_WORLD, WHERE_REVERSED}};
    series_choose_kinds(series);
    if (primitive == COR_BARRIER)
        series->kind_count = 1;
    if (is_inter) {
        series->where_count = 1;
        series->wheres[0] = WHERE_INTER;
    } else if (coll_is_neighbor(primitive)) {
        series->wheres[0] = WHERE_CART;
        series->wheres[1] = WHERE_GRAPH;
    }
}

uint64_t coll_series_count(const coll_series *series)
{
    return (uint64_t)series->size_count * series->kind_count * series->root_count * series->place_count *
           series->where_count * series->variant_count;
}

const char *coll_series_name(const coll_series *series)
{
    return series->algorithm ? series->algorithm->name : series->is_inter ? "rules-inter" : "rules";
}

const char *coll_mode_name(coll_mode mode)
{
    static const char *const names[MODES] = {"blocking", "started", "persistent"};
    return names[mode];
}

/* ---- cases ------------------------------------------------------------------------------------------------------ */

/*
 * A value for a parameter that is not the usual one. Only lengths may be large: they make pieces of an odd number of
 * bytes, tiny ones of short data, but at most 34, since ranks that share a CPU may take turns at every piece.
 */
static size_t case_parameter(const coll_case *c, const cor_parameter *parameter)
{
    int is_length = parameter->maximum >= 1 << 20;
    uint64_t luck = coll_mix2(c->key, 77);
    size_t pieces = 3 + luck % 32, piece = (c->bytes + pieces - 1) / pieces | 1;
    size_t value = is_length ? piece : parameter->minimum + (size_t)(luck % (parameter->fallback + 4));
    value = value < parameter->minimum ? parameter->minimum : value;
    return value > parameter->maximum ? parameter->maximum : value;
}

static void case_force(coll_case *c)
{
    const cor_algorithm *algorithm = c->series->algorithm;
    size_t length = (size_t)snprintf(c->force, sizeof c->force, "%s", algorithm ? algorithm->name : "");
    for (int i = 0; c->is_varied && i < COR_PARAMETERS_MAX && algorithm->parameters[i].name; i++)
        length += (size_t)snprintf(c->force + length, sizeof c->force - length, " %s=%zu",
                                   algorithm->parameters[i].name, case_parameter(c, &algorithm->parameters[i]));
}

static size_t case_digit(uint64_t *number, size_t base)
{
    size_t digit = (size_t)(*number % base);
    *number /= base;
    return digit;
}

void coll_case_get(const coll_series *series, uint64_t number, coll_case *c)
{
    *c = (coll_case){.series = series, .number = number};
    c->is_varied = (int)case_digit(&number, series->variant_count);
    c->where = series->wheres[case_digit(&number, series->where_count)];
    c->is_in_place = (int)case_digit(&number, series->place_count);
    c->root = (int)case_digit(&number, series->root_count);
    c->kind = series->kinds[case_digit(&number, series->kind_count)];
    c->bytes = series->sizes[case_digit(&number, series->size_count)];
    c->key = coll_mix2(coll_mix2(series->seed, c->number), (uint64_t)series->primitive);
    case_force(c);
}

/* ---- a sample --------------------------------------------------------------------------------------------------- */

/* The digit that case `index` of a sample has where there are `base` of them: one shuffle of all after the other. */
static uint64_t pick_digit(uint64_t key, uint64_t index, size_t base)
{
    uint64_t shuffle = coll_mix2(key, index / base), mine = coll_mix2(shuffle, index % base), digit = 0;
    for (uint64_t other = 0; other < base; other++)
        digit += coll_mix2(shuffle, other) < mine;
    return digit;
}

uint64_t coll_series_pick(const coll_series *series, uint64_t index)
{
    const size_t bases[] = {series->size_count,  series->kind_count,  series->root_count,
                            series->place_count, series->where_count, series->variant_count};
    uint64_t key = coll_mix2(series->seed, (uint64_t)series->primitive), number = 0;
    for (const char *at = coll_series_name(series); *at; at++)
        key = coll_mix2(key, (uint64_t)*at);
    /* The last digit of a number is the one that coll_case_get takes first. */
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++)
        number = number * bases[i] + pick_digit(coll_mix2(key, i), index, bases[i]);
    return number;
}

void coll_case_tell(const coll_case *c, char *out, size_t out_bytes)
{
    static const char *const wheres[WHERES] = {"world", "a communicator in reverse order", "an intercommunicator",
                                               "a grid", "a graph"};
    const coll_series *s = c->series;
    snprintf(out, out_bytes, "%s '%s' (%s), %s, %d ranks of %s, case %llu: %zu bytes of %s, root %d%s",
             cor_primitive_name(s->primitive), c->force, coll_series_name(s), coll_mode_name(s->mode), s->ranks,
             wheres[c->where], (unsigned long long)c->number, c->bytes, coll_kind_name(c->kind), c->root,
             c->is_in_place ? ", in place" : "");
}

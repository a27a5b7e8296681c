/* SPDX-License-Identifier: Apache-2.0 */
/* Random datatypes in the engine against their maps: sizes, bounds, pieces of any length from any offset, blocks of
 * memory, elements. */
#include "check.h"
#include "plan.h"

#include "base/error.h"
#include "dtype/dtype.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- making the type of a plan ---------------------------------------------------------------------------------- */

static const cor_dtype *make(const plan *p);

static const cor_dtype *make_struct(const plan *p)
{
    const cor_dtype *bases[PLAN_BLOCKS_MAX], *type = NULL;
    for (size_t i = 0; i < p->count; i++)
        bases[i] = make(p->bases[i]);
    CHECK_OK(cor_dtype_struct(p->count, p->lengths, p->displacements, bases, &type));
    for (size_t i = 0; i < p->count; i++)
        cor_dtype_unref(bases[i]);
    return type;
}

static int make_darray(const plan *p, const cor_dtype *base, const cor_dtype **type_p)
{
    cor_share shares[PLAN_DIMENSIONS_MAX];
    size_t places[PLAN_DIMENSIONS_MAX];
    plan_coordinates(p, places);
    for (size_t i = 0; i < p->count; i++)
        shares[i] =
            (cor_share){p->sizes[i], plan_dealt(p, i), p->grid[i], places[i], p->shares[i] == PLAN_SHARE_CYCLIC};
    return cor_dtype_darray(p->count, shares, p->is_fortran, base, type_p);
}

static const cor_dtype *make_derived(const plan *p, const cor_dtype *base)
{
    const cor_dtype *type = NULL;
    int rc;
    switch (p->kind) {
    case PLAN_CONTIGUOUS:
        rc = cor_dtype_contiguous(p->count, base, &type);
        break;
    case PLAN_VECTOR:
        rc = cor_dtype_vector(p->count, p->length, p->stride, base, &type);
        break;
    case PLAN_HVECTOR:
        rc = cor_dtype_hvector(p->count, p->length, p->stride, base, &type);
        break;
    case PLAN_INDEXED:
        rc = cor_dtype_indexed(p->count, p->lengths, p->displacements, base, &type);
        break;
    case PLAN_HINDEXED:
        rc = cor_dtype_hindexed(p->count, p->lengths, p->displacements, base, &type);
        break;
    case PLAN_INDEXED_BLOCK:
        rc = cor_dtype_indexed_block(p->count, p->length, p->displacements, base, &type);
        break;
    case PLAN_HINDEXED_BLOCK:
        rc = cor_dtype_hindexed_block(p->count, p->length, p->displacements, base, &type);
        break;
    case PLAN_RESIZED:
        rc = cor_dtype_resized(base, p->lb, p->extent, &type);
        break;
    case PLAN_SUBARRAY:
        rc = cor_dtype_subarray(p->count, p->sizes, p->subsizes, p->starts, p->is_fortran, base, &type);
        break;
    case PLAN_DARRAY:
        rc = make_darray(p, base, &type);
        break;
    default:
        rc = cor_dtype_dup(base, &type);
    }
    CHECK(rc == COR_OK);
    return type;
}

static const cor_dtype *make(const plan *p)
{
    if (p->kind == PLAN_PREDEFINED)
        return cor_dtype_predefined(p->basic->number);
    if (p->kind == PLAN_STRUCT)
        return make_struct(p);
    const cor_dtype *base = make(p->bases[0]);
    const cor_dtype *type = make_derived(p, base);
    cor_dtype_unref(base);
    return type;
}

/* ---- one type --------------------------------------------------------------------------------------------------- */

static void fill(unsigned char *memory, size_t bytes, unsigned *seed)
{
    for (size_t i = 0; i < bytes; i++)
        memory[i] = (unsigned char)rand_r(seed);
}

static void test_numbers(const cor_dtype *type, const plan_map *map)
{
    CHECK(type->size == map->size);
    CHECK(type->lb == map->lb && type->extent == map->ub - map->lb);
    CHECK(type->basic_count == map->count);
    if (map->size > 0)
        CHECK(type->true_lb == map->true_lb && type->true_ub == map->true_ub);
    else
        CHECK(type->true_lb == 0 && type->true_ub == 0);
    if (type->is_contiguous)
        CHECK(map->size == (size_t)(map->ub - map->lb));
}

/* Basic elements in every number of bytes of up to two elements, and back. */
static void test_elements(const cor_dtype *type, const plan_map *map)
{
    uint64_t bytes = 0, back = 1;
    int64_t elements = 0;
    CHECK(cor_dtype_elements(type, 0) == 0);
    for (int round = 0; round < 2; round++)
        for (size_t k = 0; k < map->count; k++) {
            for (size_t b = 1; b < map->values[k].bytes; b++)
                CHECK(cor_dtype_elements(type, bytes + b) == -1);
            CHECK(cor_dtype_element_bytes(type, (uint64_t)elements, &back) == COR_OK && back == bytes);
            bytes += map->values[k].bytes;
            CHECK(cor_dtype_elements(type, bytes) == ++elements);
        }
}

static void test_pack_pieces(const cor_dtype *type, const plan_map *map, const plan_field *f, size_t count,
                             unsigned *seed)
{
    size_t bytes = map->size * count;
    unsigned char *expected = malloc(bytes + 1), *packed = malloc(bytes + 2);
    fill(f->memory, f->bytes, seed);
    plan_pack(map, f->element, count, expected);
    cor_payload payload = cor_dtype_payload(type, f->element, count);
    CHECK(payload.bytes == bytes);
    for (int i = 0; i < 12; i++) {
        size_t offset = plan_below(seed, bytes + 1);
        size_t length = i == 0 ? bytes - offset : plan_below(seed, i < 6 ? bytes - offset + 1 : 40);
        if (i == 1)
            offset = 0, length = bytes;
        if (length > bytes - offset)
            length = bytes - offset;
        memset(packed, 0xee, bytes + 2);
        if (i % 2)
            cor_payload_read(&payload, offset, packed + 1, length);
        else
            cor_dtype_pack(type, f->element, count, offset, packed + 1, length);
        CHECK(memcmp(packed + 1, expected + offset, length) == 0);
        CHECK(packed[0] == 0xee && packed[1 + length] == 0xee);
    }
    free(expected);
    free(packed);
}

/* A whole stream written in random pieces, in order: nothing but the data may change. */
static void test_unpack_pieces(const cor_dtype *type, const plan_map *map, const plan_field *f, size_t count,
                               unsigned *seed)
{
    size_t bytes = map->size * count;
    unsigned char *packed = malloc(bytes + 1), *expected = malloc(f->bytes);
    fill(f->memory, f->bytes, seed);
    fill(packed, bytes, seed);
    memcpy(expected, f->memory, f->bytes);
    plan_unpack(map, expected + (f->element - f->memory), count, packed);
    size_t piece_max = 1 + plan_below(seed, bytes + 1);
    for (size_t offset = 0; offset < bytes;) {
        size_t length = 1 + plan_below(seed, piece_max);
        length = length > bytes - offset ? bytes - offset : length;
        cor_dtype_unpack(type, f->element, count, offset, packed + offset, length);
        offset += length;
    }
    CHECK(memcmp(expected, f->memory, f->bytes) == 0);
    free(packed);
    free(expected);
}

/* Where each byte of the packed stream lies. */
static ptrdiff_t *places_of(const plan_map *map, size_t count)
{
    ptrdiff_t *places = malloc((map->size * count + 1) * sizeof *places), *place = places;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < map->count; k++)
            for (size_t b = 0; b < map->values[k].bytes; b++)
                *place++ = (ptrdiff_t)i * (map->ub - map->lb) + map->values[k].offset + (ptrdiff_t)b;
    return places;
}

/* Bytes [offset, offset + most) of the stream, or as many as `room` blocks hold: every byte in its place, no block that
 * continues the one before, and an end only where it has to be. */
static void check_rows(const cor_dtype *type, size_t count, const ptrdiff_t *places, size_t offset, size_t most,
                       size_t room)
{
    enum { ROOM_MAX = 64 };
    cor_dtype_row rows[ROOM_MAX + 1];
    const cor_dtype_row guard = {0x5a5a5a5a5a5a5a5a, 0x5a5a5a5a5a5a5a5a};
    size_t bytes = 1, whole = type->size * count, done = offset;
    for (size_t i = 0; i <= ROOM_MAX; i++)
        rows[i] = guard;
    CHECK(room <= ROOM_MAX);
    size_t found = cor_dtype_rows(type, count, offset, most, rows, room, &bytes);
    CHECK(found <= room);
    for (size_t i = found; i <= ROOM_MAX; i++)
        CHECK(memcmp(&rows[i], &guard, sizeof guard) == 0);
    for (size_t i = 0; i < found; i++) {
        CHECK(rows[i].bytes > 0 && rows[i].bytes <= whole - done);
        CHECK(i == 0 || rows[i - 1].at + (int64_t)rows[i - 1].bytes != rows[i].at);
        for (size_t b = 0; b < rows[i].bytes; b++)
            CHECK(places[done++] == rows[i].at + (ptrdiff_t)b);
    }
    CHECK(bytes == done - offset);
    if (done < whole && bytes < most)
        CHECK(found == room && (room == 0 || places[done] != places[done - 1] + 1));
}

static void test_rows(const cor_dtype *type, const plan_map *map, size_t count, unsigned *seed)
{
    ptrdiff_t *places = places_of(map, count);
    size_t whole = map->size * count;
    check_rows(type, count, places, 0, SIZE_MAX, 64);
    check_rows(type, count, places, 0, whole, 0);
    check_rows(type, count, places, whole, 8, 8);
    check_rows(type, count, places, whole + 1, 8, 8);
    for (int i = 0; i < 20; i++) {
        size_t offset = plan_below(seed, whole + 1), room = 1 + plan_below(seed, i < 10 ? 4 : 64);
        size_t most = plan_below(seed, i % 2 ? 40 : whole + 2);
        check_rows(type, count, places, offset, i % 4 == 3 ? SIZE_MAX : most, room);
    }
    free(places);
}

/* To external32 and back: the same values again. */
static void test_external(const cor_dtype *type, const plan_map *map, const plan_field *f, size_t count,
                          unsigned *seed)
{
    size_t external_bytes = type->external_bytes * count, bytes = map->size * count;
    unsigned char *external = malloc(external_bytes + 1), *before = malloc(bytes + 1), *after = malloc(bytes + 1);
    fill(f->memory, f->bytes, seed);
    external[external_bytes] = 0xee;
    cor_dtype_pack_external(type, f->element, count, external);
    CHECK(external[external_bytes] == 0xee);
    cor_dtype_unpack_external(type, f->element, count, external);
    plan_pack(map, f->element, count, before);
    /* What random bytes make of a long double may be no number at all; the second time it must be stable. */
    cor_dtype_pack_external(type, f->element, count, external);
    cor_dtype_unpack_external(type, f->element, count, external);
    plan_pack(map, f->element, count, after);
    CHECK(memcmp(before, after, bytes) == 0);
    free(external);
    free(before);
    free(after);
}

static void test_type(const plan *p, unsigned *seed)
{
    enum { COUNT_MAX = 5 };
    plan_map map;
    plan_map_make(p, &map);
    const cor_dtype *type = make(p);
    size_t count = 1 + plan_below(seed, COUNT_MAX);
    plan_field f = plan_field_make(&map, COUNT_MAX + 1);
    test_numbers(type, &map);
    test_elements(type, &map);
    test_pack_pieces(type, &map, &f, count, seed);
    test_rows(type, &map, count, seed);
    size_t receive_max = cor_dtype_receive_max(type), expected_max = plan_receive_max(&map, COUNT_MAX + 1);
    /* Types of more blocks than are looked at may be thought to be without limit, but never the other way round. */
    if (map.count <= 512 || receive_max != SIZE_MAX)
        CHECK((receive_max > COUNT_MAX ? COUNT_MAX + 1 : receive_max) == expected_max);
    CHECK(cor_dtype_receive_max(type) == receive_max);
    if (count <= expected_max) {
        test_unpack_pieces(type, &map, &f, count, seed);
        test_external(type, &map, &f, count, seed);
    }
    free(f.memory);
    plan_map_free(&map);
    cor_dtype_unref(type);
}

int main(int argc, char **argv)
{
    enum { BYTES_MAX = 6000 };
    int types = argc > 1 ? atoi(argv[1]) : 4000;
    unsigned seed = plan_seed();
    for (int i = 0; i < types; i++) {
        plan *p = plan_random(&seed, 1 + i % 5, BYTES_MAX);
        check_me = (check_who){plan_tell, p};
        test_type(p, &seed);
        plan_free(p);
    }
    puts("engine_random: passed");
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pieces of views against a plain model: for random filetypes, whose displacements do not decrease, the offset of
 * each byte of the stream is found by packing memory whose bytes say where they are. Then large numbers, and types of
 * nothing. CORUNNA_TEST_SEED and CORUNNA_TEST_COUNT.
 */
#include "check.h"

#include "file/file_state.h"
#include "unit_random.h"

#include <stdlib.h>
#include <string.h>

enum { BYTE = 0x247, INT32 = 0x250, LONG = 0x20a, TILES = 5, SPAN_MAX = 4096, ROUNDS = 2000, LOOKS = 30 };

static uint64_t seed;

static size_t below(size_t limit)
{
    return unit_random(&seed) % limit;
}

/* A type with displacements from 0 on that rise, of at most about `span` bytes. */
static const cor_dtype *random_type(size_t span, int depth)
{
    static const uint32_t basics[] = {BYTE, INT32, LONG};
    const cor_dtype *base, *type = NULL;
    if (depth == 0 || span < 32 || below(4) == 0)
        return cor_dtype_predefined(basics[below(3)]);
    base = random_type(span / 3, depth - 1);
    size_t extent = (size_t)base->extent ? (size_t)base->extent : 1, room = span / extent;
    if (room < 2 || below(3) == 0) {
        size_t gap = below(20);
        CHECK_OK(cor_dtype_resized(base, 0, base->extent + (ptrdiff_t)gap, &type));
    } else if (below(2) == 0) {
        size_t length = 1 + below(3), stride = length + below(4), count = 1 + below(room / stride + 1);
        CHECK_OK(cor_dtype_vector(count, length, (ptrdiff_t)stride, base, &type));
    } else {
        size_t lengths[8], count = below(9);
        ptrdiff_t at[8], next = 0;
        for (size_t i = 0; i < count; i++) {
            at[i] = next + (ptrdiff_t)(below(2) * below(40));
            lengths[i] = below(4);
            next = at[i] + (ptrdiff_t)(lengths[i] * extent);
        }
        CHECK_OK(cor_dtype_hindexed(count, lengths, at, base, &type));
    }
    cor_dtype_unref(base);
    return type;
}

/* Where each byte of the stream of some elements lies, from the type's own functions. */
static int64_t *model_offsets(const cor_dtype *type, size_t tiles)
{
    size_t span = (size_t)(type->true_ub + type->extent * (ptrdiff_t)tiles) + 1, bytes = type->size * tiles;
    unsigned char *memory = malloc(span), *packed = malloc(bytes + 1);
    int64_t *offsets = calloc(bytes + 1, sizeof *offsets);
    CHECK(memory && packed && offsets);
    for (int part = 0; part < 3; part++) {
        for (size_t i = 0; i < span; i++)
            memory[i] = (unsigned char)(i >> 8 * part);
        cor_dtype_pack(type, memory, tiles, 0, packed, bytes);
        for (size_t i = 0; i < bytes; i++)
            offsets[i] |= (int64_t)packed[i] << 8 * part;
    }
    free(memory);
    free(packed);
    return offsets;
}

static void check_pieces(const file_view *view, const int64_t *offsets, size_t bytes)
{
    file_piece pieces[40];
    file_walk walk = {view, below(bytes + 1)};
    while (walk.position < bytes) {
        size_t wanted = 1 + below(bytes - walk.position), room = 1 + below(40), moved, at = walk.position, sum = 0;
        size_t count = file_walk_next(&walk, pieces, room, wanted, &moved);
        CHECK(count > 0 && count <= room && moved <= wanted);
        CHECK_EQUAL(at + moved, walk.position);
        CHECK(moved == wanted || count == room);
        for (size_t i = 0; i < count; i++) {
            CHECK(pieces[i].bytes > 0);
            CHECK(i == 0 || pieces[i - 1].at + (int64_t)pieces[i - 1].bytes != pieces[i].at);
            for (size_t k = 0; k < pieces[i].bytes; k++)
                CHECK_EQUAL(view->given.displacement + offsets[at + sum + k], pieces[i].at + (int64_t)k);
            sum += pieces[i].bytes;
        }
        CHECK_EQUAL(moved, sum);
    }
}

static void check_positions(const file_view *view, const int64_t *offsets, size_t bytes)
{
    for (int i = 0; i < LOOKS; i++) {
        size_t position = below(bytes);
        int64_t where = view->given.displacement + offsets[position];
        CHECK_EQUAL(where, file_walk_offset(view, position));
        CHECK_EQUAL(position, file_walk_position(view, where));
        int64_t at = view->given.displacement + (int64_t)below((size_t)offsets[bytes - 1] + 1);
        size_t first = 0;
        while (view->given.displacement + offsets[first] < at)
            first++;
        CHECK_EQUAL(first, file_walk_position(view, at));
    }
    CHECK_EQUAL(0, file_walk_position(view, view->given.displacement > 0 ? view->given.displacement - 1 : 0));
}

static void check_random(void)
{
    const char *why, *text = getenv("CORUNNA_TEST_COUNT");
    size_t rounds = text ? strtoul(text, NULL, 0) : ROUNDS, used = 0;
    for (size_t round = 0; round < rounds; round++) {
        const cor_dtype *type = random_type(SPAN_MAX, 4);
        cor_file_view given = {(int64_t)(below(3) * below(100000)), cor_dtype_predefined(BYTE), type,
                               &cor_file_native};
        file_view view;
        int rc = file_view_init(&view, &given, 1, &why);
        if (rc == COR_OK && type->size > 0) {
            int64_t *offsets = model_offsets(type, TILES);
            for (int i = 0; i < LOOKS; i++)
                check_pieces(&view, offsets, type->size * TILES);
            check_positions(&view, offsets, type->size * TILES);
            free(offsets);
            used++;
        } else if (rc != COR_OK) {
            CHECK_FAIL("a filetype that rises was refused: %s", why);
        }
        file_view_fini(&view);
        cor_dtype_unref(type);
    }
    printf("%zu of %zu types have data\n", used, rounds);
}

/* ---- large numbers ---------------------------------------------------------------------------------------------- */

static void check_large(void)
{
    const ptrdiff_t extent = 5LL << 30, at[2] = {3, 4LL << 30};
    const cor_dtype *blocks, *type;
    const char *why;
    CHECK_OK(cor_dtype_hindexed_block(2, 1, at, cor_dtype_predefined(INT32), &blocks));
    CHECK_OK(cor_dtype_resized(blocks, 0, extent, &type));
    cor_file_view given = {INT64_C(1) << 61, cor_dtype_predefined(INT32), type, &cor_file_native};
    file_view view;
    CHECK_OK(file_view_init(&view, &given, 1, &why));
    uint64_t most = (uint64_t)((INT64_MAX - given.displacement) / extent) * 8;
    for (int i = 0; i < 1000; i++) {
        uint64_t position = unit_random(&seed) % most;
        int64_t where =
            given.displacement + (int64_t)(position / 8) * extent + at[position / 4 % 2] + (int64_t)(position % 4);
        CHECK(file_walk_fits(&view, position, 1));
        CHECK_EQUAL(where, file_walk_offset(&view, position));
        CHECK_EQUAL(position, file_walk_position(&view, where));
    }
    CHECK(!file_walk_fits(&view, most, 100));
    CHECK(!file_walk_fits(&view, UINT64_MAX - 3, 100));
    CHECK(!file_walk_fits(&view, UINT64_MAX, 1));
    CHECK(file_walk_fits(&view, UINT64_MAX, 0));
    file_view_fini(&view);
    given = (cor_file_view){INT64_MAX - 100, cor_dtype_predefined(BYTE), cor_dtype_predefined(BYTE), &cor_file_native};
    CHECK_OK(file_view_init(&view, &given, 1, &why));
    CHECK(file_walk_fits(&view, 0, 100));
    CHECK(!file_walk_fits(&view, 0, 101));
    CHECK(!file_walk_fits(&view, 1, 100));
    file_view_fini(&view);
    cor_dtype_unref(blocks);
    cor_dtype_unref(type);
}

/* ---- what is refused, and types of nothing ---------------------------------------------------------------------- */

static void check_refused(const cor_dtype *filetype, int is_written, const char *part)
{
    cor_file_view given = {0, cor_dtype_predefined(INT32), filetype, &cor_file_native};
    const char *why = NULL;
    file_view view;
    CHECK_EQUAL(COR_ERR_ARG, file_view_init(&view, &given, is_written, &why));
    CHECK(why && strstr(why, part));
}

static void check_rules(void)
{
    const cor_dtype *type, *narrow, *nothing;
    const char *why;
    file_view view;
    const ptrdiff_t falls[2] = {8, 0}, overlaps[2] = {0, 2}, negative[1] = {-4};
    CHECK_OK(cor_dtype_hindexed_block(2, 1, falls, cor_dtype_predefined(INT32), &type));
    check_refused(type, 0, "decrease");
    cor_dtype_unref(type);
    CHECK_OK(cor_dtype_hindexed_block(1, 1, negative, cor_dtype_predefined(INT32), &type));
    check_refused(type, 0, "below 0");
    cor_dtype_unref(type);
    check_refused(cor_dtype_predefined(BYTE), 0, "not made of the etype");
    CHECK_OK(cor_dtype_hindexed_block(2, 1, overlaps, cor_dtype_predefined(INT32), &type));
    check_refused(type, 1, "overlaps");
    cor_file_view given = {0, cor_dtype_predefined(INT32), type, &cor_file_native};
    CHECK_OK(file_view_init(&view, &given, 0, &why));
    file_view_fini(&view);
    CHECK_OK(cor_dtype_resized(cor_dtype_predefined(INT32), 0, 2, &narrow));
    given.filetype = narrow;
    CHECK_OK(file_view_init(&view, &given, 1, &why));
    uint64_t position = 6; /* in the second one, at 2 */
    CHECK(file_view_overlaps(&view, 2, 4) && !file_view_overlaps(&view, 4, 4) && !file_view_overlaps(&view, 4, 0));
    file_view_narrow(&view, &position, 4); /* two of them */
    CHECK(view.is_mixed && position == 6);
    file_view_narrow(&view, &position, 2);
    CHECK(!view.is_mixed);
    CHECK_EQUAL(2, position);
    CHECK_EQUAL(4, file_walk_offset(&view, position));
    CHECK_EQUAL(position, file_walk_position(&view, 4));
    CHECK_EQUAL(4, file_walk_position(&view, 6));
    file_view_fini(&view);
    CHECK_OK(cor_dtype_contiguous(0, cor_dtype_predefined(INT32), &nothing));
    given.filetype = nothing;
    CHECK_OK(file_view_init(&view, &given, 1, &why));
    file_walk walk = {&view, 0};
    file_piece piece;
    size_t moved;
    CHECK_EQUAL(0, file_walk_next(&walk, &piece, 1, 10, &moved));
    CHECK_EQUAL(0, moved);
    CHECK_EQUAL(0, file_walk_offset(&view, 0));
    CHECK_EQUAL(0, file_walk_position(&view, 100));
    file_view_fini(&view);
    cor_dtype_unref(type);
    cor_dtype_unref(narrow);
    cor_dtype_unref(nothing);
}

int main(void)
{
    seed = unit_seed();
    check_random();
    check_large();
    check_rules();
    return 0;
}

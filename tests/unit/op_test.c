/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Predefined operators against a plain reference: every operator on every type that is allowed and a refusal for
 * all others, odd lengths, memory without alignment, results in place of either operand or apart.
 */
#include "check.h"
#include "op_reference.h"
#include "unit_random.h"

#include "base/error.h"
#include "dtype/op.h"

#include <string.h>

enum { OP_FIRST = 0x20, OP_LAST = 0x3f, TYPE_FIRST = 0x200, TYPE_LAST = 0x2ff };
enum { LONGEST = 1027, SLACK = 64, ELEMENT_MAX = 32 };

static const size_t lengths[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 257, LONGEST};

/* ---- which there are -------------------------------------------------------------------------------------------- */

static void test_table(void)
{
    static const char *const names[] = {
        [0x01] = "MPI_SUM",     [0x02] = "MPI_MIN",   [0x03] = "MPI_MAX",    [0x04] = "MPI_PROD",
        [0x08] = "MPI_BAND",    [0x09] = "MPI_BOR",   [0x0a] = "MPI_BXOR",   [0x10] = "MPI_LAND",
        [0x11] = "MPI_LOR",     [0x12] = "MPI_LXOR",  [0x18] = "MPI_MINLOC", [0x19] = "MPI_MAXLOC",
        [0x1c] = "MPI_REPLACE", [0x1d] = "MPI_NO_OP", [0x1f] = NULL};
    for (uint32_t number = OP_FIRST; number <= OP_LAST; number++) {
        const cor_op *op = cor_op_predefined(number);
        const char *name = names[number - OP_FIRST];
        CHECK_EQUAL(name != NULL, op != NULL);
        if (!op)
            continue;
        CHECK_EQUAL(0, strcmp(name, op->name));
        CHECK_EQUAL(number, op->number);
        CHECK_EQUAL(number < 0x3c, op->is_commutative);
        cor_op_unref(op); /* leaves them alone */
        cor_op_ref(op);
    }
    CHECK(!cor_op_predefined(OP_FIRST - 1) && !cor_op_predefined(OP_LAST + 1) && !cor_op_predefined(0));
}

static void test_definitions(void)
{
    int defined = 0;
    for (uint32_t number = OP_FIRST; number <= OP_LAST; number++)
        for (uint32_t type_number = TYPE_FIRST; type_number <= TYPE_LAST; type_number++) {
            const cor_op *op = cor_op_predefined(number);
            const cor_dtype *type = cor_dtype_predefined(type_number);
            const ref_type *row = ref_type_find(type_number);
            CHECK_EQUAL(0, row && !type);
            if (!op || !type)
                continue;
            cor_reducer reducer;
            int expected = row && ref_is_defined(number, row) ? COR_OK : COR_ERR_TYPE;
            int code = cor_reducer_init(&reducer, op, type, NULL);
            if (code != expected)
                fprintf(stderr, "%s on %s\n", op->name, type->name);
            CHECK_EQUAL(expected, code);
            defined += code == COR_OK;
        }
    printf("%d pairs of operator and type\n", defined);
    CHECK_EQUAL(367, defined);
}

static void test_made_types(void)
{
    const cor_dtype *copy;
    cor_reducer reducer;
    CHECK_OK(cor_dtype_dup(cor_dtype_predefined(0x209), &copy));
    CHECK_EQUAL(COR_ERR_TYPE, cor_reducer_init(&reducer, cor_op_predefined(REF_SUM), copy, NULL));
    cor_dtype_unref(copy);
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

/* Where the result goes. */
typedef enum place { APART, IN_A, IN_B, PLACES } place;

typedef struct arena {
    unsigned char a[LONGEST * ELEMENT_MAX + SLACK], b[LONGEST * ELEMENT_MAX + SLACK];
    unsigned char out[LONGEST * ELEMENT_MAX + SLACK];
} arena;

static void test_once(const cor_reducer *reducer, const ref_type *row, arena *room, size_t count, place where,
                      uint64_t *random)
{
    size_t bytes = ref_element_bytes(row), shift = unit_random(random) % 16;
    unsigned char *a = room->a + shift, *b = room->b + unit_random(random) % 16;
    unsigned char *out = where == APART ? room->out + unit_random(random) % 16 : where == IN_A ? a : b;
    static unsigned char expected[LONGEST * ELEMENT_MAX];
    for (size_t i = 0; i < count; i++) {
        ref_fill(row, random, a + i * bytes);
        ref_fill(row, random, b + i * bytes);
        memset(expected + i * bytes, 0, bytes);
        ref_combine(reducer->op->number, row, a + i * bytes, b + i * bytes, expected + i * bytes);
    }
    memset(out + count * bytes, 0xa5, 16);
    CHECK_OK(cor_reduce_packed(reducer, a, b, out, count * bytes));
    for (size_t i = 0; i < count; i++)
        if (!ref_is_same(row, expected + i * bytes, out + i * bytes)) {
            fprintf(stderr, "%s on %s, element %zu of %zu, place %d\n", reducer->op->name, row->name, i, count, where);
            CHECK_EQUAL(1, 0);
        }
    for (size_t i = 0; i < 16; i++)
        CHECK_EQUAL(0xa5, out[count * bytes + i]);
}

static void test_values(arena *room, uint64_t *random)
{
    for (uint32_t number = OP_FIRST; number <= OP_LAST; number++)
        for (const ref_type *row = ref_types; row->number; row++) {
            cor_reducer reducer;
            if (!cor_op_predefined(number) || !ref_is_defined(number, row))
                continue;
            const cor_dtype *type = cor_dtype_predefined(row->number);
            CHECK_EQUAL(ref_element_bytes(row), type->size);
            CHECK_OK(cor_reducer_init(&reducer, cor_op_predefined(number), type, NULL));
            for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
                for (place where = APART; where < PLACES; where++)
                    test_once(&reducer, row, room, lengths[i], where, random);
        }
}

/* ---- elements with gaps ----------------------------------------------------------------------------------------- */

/* MPI_Reduce_local on memory as the type lays it out. The gaps stay as they are. */
static void test_local(uint32_t number, const ref_type *row, arena *room, size_t count, uint64_t *random)
{
    const cor_dtype *type = cor_dtype_predefined(row->number);
    size_t bytes = ref_element_bytes(row), whole = count * (size_t)type->extent;
    unsigned char element[2][ELEMENT_MAX], got[ELEMENT_MAX];
    static unsigned char expected[LONGEST * ELEMENT_MAX];
    cor_reducer reducer;
    CHECK_OK(cor_reducer_init(&reducer, cor_op_predefined(number), type, NULL));
    memset(room->a, 1, sizeof room->a);
    memset(room->b, 2, sizeof room->b);
    for (size_t i = 0; i < count; i++) {
        ref_fill(row, random, element[0]);
        ref_fill(row, random, element[1]);
        cor_dtype_unpack(type, room->a, count, i * bytes, element[0], bytes);
        cor_dtype_unpack(type, room->b, count, i * bytes, element[1], bytes);
        ref_combine(number, row, element[0], element[1], expected + i * bytes);
    }
    memcpy(room->out, room->b, sizeof room->b);
    CHECK_OK(cor_reduce_local(&reducer, room->a, room->b, count));
    for (size_t i = 0; i < count; i++) {
        cor_dtype_pack(type, room->b, count, i * bytes, got, bytes);
        CHECK_EQUAL(1, ref_is_same(row, expected + i * bytes, got));
    }
    /* Put the old values back: now nothing may differ. */
    for (size_t i = 0; i < count; i++) {
        cor_dtype_pack(type, room->out, count, i * bytes, got, bytes);
        cor_dtype_unpack(type, room->b, count, i * bytes, got, bytes);
    }
    CHECK_EQUAL(0, memcmp(room->out, room->b, whole + SLACK / 2));
}

static void test_locals(arena *room, uint64_t *random)
{
    for (const ref_type *row = ref_types; row->number; row++)
        for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
            if (ref_is_defined(REF_MINLOC, row)) {
                test_local(REF_MINLOC, row, room, lengths[i], random);
                test_local(REF_MAXLOC, row, room, lengths[i], random);
            } else {
                test_local(ref_is_defined(REF_SUM, row)    ? REF_SUM
                           : ref_is_defined(REF_BXOR, row) ? REF_BXOR
                                                           : REF_LXOR,
                           row, room, lengths[i], random);
            }
        }
}

int main(void)
{
    static arena room;
    uint64_t random = unit_seed();
    test_table();
    test_definitions();
    test_made_types();
    for (int round = 0; round < 2; round++)
        test_values(&room, &random);
    test_locals(&room, &random);
    puts("ok");
    return 0;
}

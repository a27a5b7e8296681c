/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Datatypes below the C face: the table of predefined ones against mpi.h and the compiler, and payloads with gaps read
 * and written in pieces against a naive pack. Random parts print their seed; `dtype_pieces SEED` repeats one.
 */
#include "check.h"

#include "base/error.h"
#include "dtype/dtype.h"
#include "dtype/predefined.h"

#include <complex.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include <wchar.h>

static const cor_dtype *predefined(MPI_Datatype handle)
{
    return cor_dtype_predefined((uint32_t)(uintptr_t)handle);
}

/* ---- the table -------------------------------------------------------------------------------------------------- */

/* Of a type with two names the second is told, as other libraries do. */
static const char *told_name(const char *constant)
{
#define ABI_INTEGER(name, value)
#define ABI_CALLBACK(result, name, parameters)
#define ABI_POINTER(type, name, value)
#define ABI_ALIAS(name, other)                                                                                        \
    if (strcmp(constant, #other) == 0)                                                                                \
        return #name;
#include "abi_values.inc"
#undef ABI_INTEGER
#undef ABI_CALLBACK
#undef ABI_POINTER
#undef ABI_ALIAS
    return constant;
}

static void test_names(void)
{
    size_t named = 0, rows = 0;
    /* Of all pointer-like constants only datatypes lie in the table. */
#define ABI_INTEGER(name, value)
#define ABI_ALIAS(name, other)
#define ABI_CALLBACK(result, name, parameters)
#define ABI_POINTER(type, constant, value)                                                                            \
    if (__builtin_types_compatible_p(type, MPI_Datatype) && (value) != 0x200) {                                       \
        const cor_dtype *found = cor_dtype_predefined(value);                                                         \
        CHECK(found &&strcmp(found->name, told_name(#constant)) == 0 && found->number == (value));                    \
        named++;                                                                                                      \
    }
#include "abi_values.inc"
    for (uint32_t number = 0; number < 0x1000; number++)
        rows += cor_dtype_predefined(number) != NULL;
    CHECK(rows == named);
    CHECK(!predefined(MPI_DATATYPE_NULL));
}

static void test_size(MPI_Datatype handle, size_t size, size_t extent, int is_contiguous)
{
    const cor_dtype *type = predefined(handle);
    if (!type || type->size != size || type->extent != (ptrdiff_t)extent || type->is_contiguous != is_contiguous)
        fprintf(stderr, "wrong layout of %s\n", type ? type->name : "a missing type");
    CHECK(type && type->size == size && type->extent == (ptrdiff_t)extent && type->is_contiguous == is_contiguous);
    CHECK(type && type->lb == 0 && type->is_predefined);
}

#define PAIR_SIZES(value_type)                                                                                        \
    sizeof(value_type) + sizeof(int), sizeof(struct {                                                                 \
        value_type value;                                                                                             \
        int index;                                                                                                    \
    })

static void test_sizes(void)
{
    static const struct {
        MPI_Datatype handle;
        size_t bytes;
    } plain[] = {
        {MPI_AINT, sizeof(MPI_Aint)},
        {MPI_COUNT, sizeof(MPI_Count)},
        {MPI_OFFSET, sizeof(MPI_Offset)},
        {MPI_PACKED, 1},
        {MPI_BYTE, 1},
        {MPI_CHAR, 1},
        {MPI_SHORT, sizeof(short)},
        {MPI_INT, sizeof(int)},
        {MPI_LONG, sizeof(long)},
        {MPI_LONG_LONG_INT, sizeof(long long)},
        {MPI_UNSIGNED_SHORT, sizeof(unsigned short)},
        {MPI_UNSIGNED, sizeof(unsigned)},
        {MPI_UNSIGNED_LONG, sizeof(unsigned long)},
        {MPI_UNSIGNED_LONG_LONG, sizeof(unsigned long long)},
        {MPI_FLOAT, sizeof(float)},
        {MPI_DOUBLE, sizeof(double)},
        {MPI_LONG_DOUBLE, sizeof(long double)},
        {MPI_C_COMPLEX, sizeof(float complex)},
        {MPI_C_DOUBLE_COMPLEX, sizeof(double complex)},
        {MPI_C_LONG_DOUBLE_COMPLEX, sizeof(long double complex)},
        {MPI_CXX_DOUBLE_COMPLEX, sizeof(double complex)},
        {MPI_C_BOOL, sizeof(bool)},
        {MPI_WCHAR, sizeof(wchar_t)},
        {MPI_INT8_T, 1},
        {MPI_UINT16_T, 2},
        {MPI_INT32_T, 4},
        {MPI_UINT64_T, 8},
        {MPI_CHARACTER, 1},
        {MPI_LOGICAL, 4},
        {MPI_INTEGER, 4},
        {MPI_REAL, 4},
        {MPI_DOUBLE_PRECISION, 8},
        {MPI_COMPLEX, 8},
        {MPI_DOUBLE_COMPLEX, 16},
        {MPI_LOGICAL1, 1},
        {MPI_LOGICAL2, 2},
        {MPI_LOGICAL4, 4},
        {MPI_LOGICAL8, 8},
        {MPI_LOGICAL16, 16},
        {MPI_INTEGER1, 1},
        {MPI_INTEGER2, 2},
        {MPI_INTEGER4, 4},
        {MPI_INTEGER8, 8},
        {MPI_INTEGER16, 16},
        {MPI_REAL2, 2},
        {MPI_REAL4, 4},
        {MPI_REAL8, 8},
        {MPI_REAL16, 16},
        {MPI_COMPLEX4, 4},
        {MPI_COMPLEX8, 8},
        {MPI_COMPLEX16, 16},
        {MPI_COMPLEX32, 32},
        {MPI_2INT, 2 * sizeof(int)},
        {MPI_2REAL, 8},
        {MPI_2DOUBLE_PRECISION, 16},
        {MPI_2INTEGER, 8},
    };
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        test_size(plain[i].handle, plain[i].bytes, plain[i].bytes, 1);
    test_size(MPI_FLOAT_INT, PAIR_SIZES(float), 1);
    test_size(MPI_DOUBLE_INT, PAIR_SIZES(double), 0);
    test_size(MPI_LONG_INT, PAIR_SIZES(long), 0);
    test_size(MPI_SHORT_INT, PAIR_SIZES(short), 0);
    test_size(MPI_LONG_DOUBLE_INT, PAIR_SIZES(long double), 0);
}

/* ---- pieces ----------------------------------------------------------------------------------------------------- */

/* A pair type as the test sees it, without a look at the library's runs. */
typedef struct pair_layout {
    MPI_Datatype handle;
    size_t value_bytes, index_offset, extent;
} pair_layout;

#define PAIR_LAYOUT(handle, value_type)                                                                               \
    {                                                                                                                 \
        handle, sizeof(value_type),                                                                                   \
            offsetof(                                                                                                 \
                struct {                                                                                              \
                    value_type value;                                                                                 \
                    int index;                                                                                        \
                },                                                                                                    \
                index),                                                                                               \
            sizeof(struct {                                                                                           \
                value_type value;                                                                                     \
                int index;                                                                                            \
            })                                                                                                        \
    }

static const pair_layout pairs[] = {
    PAIR_LAYOUT(MPI_FLOAT_INT, float), PAIR_LAYOUT(MPI_DOUBLE_INT, double),           PAIR_LAYOUT(MPI_LONG_INT, long),
    PAIR_LAYOUT(MPI_SHORT_INT, short), PAIR_LAYOUT(MPI_LONG_DOUBLE_INT, long double),
};
enum { PAIRS = sizeof pairs / sizeof pairs[0] };

static void fill(unsigned char *memory, size_t bytes, unsigned start)
{
    for (size_t i = 0; i < bytes; i++)
        memory[i] = (unsigned char)(start + 31 * i);
}

static void naive_pack(const pair_layout *pair, size_t count, const unsigned char *memory, unsigned char *packed)
{
    for (size_t i = 0; i < count; i++, memory += pair->extent) {
        memcpy(packed, memory, pair->value_bytes);
        memcpy(packed + pair->value_bytes, memory + pair->index_offset, sizeof(int));
        packed += pair->value_bytes + sizeof(int);
    }
}

static void naive_unpack(const pair_layout *pair, size_t count, const unsigned char *packed, unsigned char *memory)
{
    for (size_t i = 0; i < count; i++, memory += pair->extent) {
        memcpy(memory, packed, pair->value_bytes);
        memcpy(memory + pair->index_offset, packed + pair->value_bytes, sizeof(int));
        packed += pair->value_bytes + sizeof(int);
    }
}

/* One piece, read and written; what lies outside of it must stay as it was. */
static void test_piece(const pair_layout *pair, const cor_payload *payload, size_t count, size_t offset, size_t length)
{
    size_t extent = count * pair->extent, bytes = payload->bytes;
    unsigned char *memory = payload->base;
    unsigned char *packed = malloc(bytes + 2), *expected = malloc(bytes), *before = malloc(extent);
    fill(memory, extent, 1);
    naive_pack(pair, count, memory, expected);
    memset(packed, 0xee, bytes + 2);
    cor_payload_read(payload, offset, packed + 1, length);
    CHECK(memcmp(packed + 1, expected + offset, length) == 0);
    CHECK(packed[0] == 0xee && packed[1 + length] == 0xee);

    /* Write other bytes into the piece and compare the whole memory, gaps included. */
    fill(packed, length, 101);
    memcpy(expected + offset, packed, length);
    memcpy(before, memory, extent);
    naive_unpack(pair, count, expected, before);
    cor_payload_write(payload, offset, packed, length);
    CHECK(memcmp(memory, before, extent) == 0);
    free(packed);
    free(expected);
    free(before);
}

static void test_every_piece(const pair_layout *pair)
{
    enum { COUNT = 3 };
    unsigned char *memory = malloc(COUNT * pair->extent);
    cor_payload payload = cor_dtype_payload(predefined(pair->handle), memory, COUNT);
    CHECK(payload.bytes == COUNT * (pair->value_bytes + sizeof(int)));
    for (size_t offset = 0; offset <= payload.bytes; offset++)
        for (size_t length = 0; offset + length <= payload.bytes; length++)
            test_piece(pair, &payload, COUNT, offset, length);
    free(memory);
}

static size_t random_below(unsigned *seed, size_t limit)
{
    return limit ? (size_t)rand_r(seed) % limit : 0;
}

/* Contiguous types of contiguous types of pairs, and pieces anywhere in many of them. */
static void test_random_pieces(unsigned *seed)
{
    const pair_layout *pair = &pairs[random_below(seed, PAIRS)];
    size_t inner_count = 1 + random_below(seed, 5), outer_count = 1 + random_below(seed, 5);
    size_t count = 1 + random_below(seed, 40);
    const cor_dtype *inner, *outer;
    CHECK_OK(cor_dtype_contiguous(inner_count, predefined(pair->handle), &inner));
    CHECK_OK(cor_dtype_contiguous(outer_count, inner, &outer));
    cor_dtype_unref(inner);
    size_t total = inner_count * outer_count * count;
    CHECK(outer->size == inner_count * outer_count * (pair->value_bytes + sizeof(int)));
    CHECK(outer->extent == (ptrdiff_t)(inner_count * outer_count * pair->extent));
    CHECK(outer->basic_count == 2 * inner_count * outer_count);
    unsigned char *memory = malloc(total * pair->extent);
    cor_payload payload = cor_dtype_payload(outer, memory, count);
    for (int i = 0; i < 20; i++) {
        size_t offset = random_below(seed, payload.bytes + 1);
        test_piece(pair, &payload, total, offset, random_below(seed, payload.bytes - offset + 1));
    }
    free(memory);
    cor_dtype_unref(outer);
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

/* A held payload outlives its type's last handle. The sanitizer sees it if not. */
static void test_hold(void)
{
    struct {
        double value;
        int index;
    } pair[4] = {{1, 2}, {3, 4}, {5, 6}, {7, 8}};
    const cor_dtype *type;
    double value = 0;
    CHECK_OK(cor_dtype_contiguous(2, predefined(MPI_DOUBLE_INT), &type));
    cor_payload payload = cor_dtype_payload(type, pair, 2);
    cor_payload_hold(&payload);
    cor_dtype_unref(type);
    cor_payload_read(&payload, 3 * 12, &value, sizeof value);
    CHECK(value == 7);
    cor_payload_release(&payload);
}

static void test_contiguous(void)
{
    const cor_dtype *type;
    CHECK_OK(cor_dtype_contiguous(10, predefined(MPI_INT), &type));
    CHECK(type->is_contiguous && type->size == 40 && type->extent == 40 && type->basic_count == 10);
    CHECK(!cor_dtype_payload(type, &type, 3).ops && cor_dtype_payload(type, &type, 3).bytes == 120);
    cor_dtype_unref(type);
    CHECK_OK(cor_dtype_contiguous(0, predefined(MPI_DOUBLE_INT), &type));
    CHECK(type->size == 0 && cor_dtype_payload(type, NULL, 3).bytes == 0);
    cor_dtype_unref(type);
    CHECK(cor_dtype_contiguous(SIZE_MAX / 2, predefined(MPI_INT), &type) == COR_ERR_COUNT);
}

/* ---- copies ----------------------------------------------------------------------------------------------------- */

static void *mapped_map(const cor_payload *p)
{
    return p->owner;
}

static void mapped_unmap(const cor_payload *p, void *memory, int is_written)
{
    CHECK(memory == p->owner);
    if (is_written)
        ((unsigned char *)p->base)[0]++;
}

static void mapped_read(const cor_payload *p, size_t offset, void *to, size_t length)
{
    memcpy(to, (char *)p->owner + offset, length);
}

static void mapped_write(const cor_payload *p, size_t offset, const void *from, size_t length)
{
    memcpy((char *)p->owner + offset, from, length);
}

static const cor_payload_ops mapped_ops = {
    .read = mapped_read, .write = mapped_write, .map = mapped_map, .unmap = mapped_unmap};

/* A payload of `kind` over memory with room for 12 bytes in 16 a thousand times. */
static cor_payload copy_payload(int kind, unsigned char *memory, unsigned char *written)
{
    enum { COUNT = 1000 };
    if (kind == 0)
        return cor_payload_plain(memory, COUNT * 12);
    if (kind == 1)
        return cor_dtype_payload(predefined(MPI_DOUBLE_INT), memory, COUNT);
    return (cor_payload){.ops = &mapped_ops, .base = written, .owner = memory, .bytes = COUNT * 12};
}

static void test_copies(void)
{
    enum { ROOM = 16000, BYTES = 12000 };
    unsigned char *source = malloc(ROOM), *target = malloc(ROOM), *first = malloc(BYTES), *second = malloc(BYTES);
    for (int from_kind = 0; from_kind < 3; from_kind++)
        for (int to_kind = 0; to_kind < 3; to_kind++)
            for (size_t length = 0; length <= BYTES; length += length < 40 ? 1 : 3983) {
                unsigned char written = 0;
                fill(source, ROOM, 7);
                memset(target, 0, ROOM);
                cor_payload from = copy_payload(from_kind, source, &written);
                cor_payload to = copy_payload(to_kind, target, &written);
                cor_payload_copy(&to, &from, length);
                cor_payload_read(&from, 0, first, length);
                cor_payload_read(&to, 0, second, length);
                CHECK(memcmp(first, second, length) == 0);
                cor_payload_read(&to, length, second, BYTES - length);
                for (size_t i = 0; i < BYTES - length; i++)
                    CHECK(second[i] == 0);
                CHECK(written == (from_kind == 2 && to_kind == 2 && length > 0));
            }
    free(source);
    free(target);
    free(first);
    free(second);
}

int main(int argc, char **argv)
{
    unsigned seed = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : (unsigned)time(NULL);
    printf("seed %u\n", seed);
    test_names();
    test_sizes();
    for (int i = 0; i < PAIRS; i++)
        test_every_piece(&pairs[i]);
    for (int i = 0; i < 200; i++)
        test_random_pieces(&seed);
    test_contiguous();
    test_hold();
    test_copies();
    puts("dtype_pieces: passed");
    return 0;
}

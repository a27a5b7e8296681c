/* SPDX-License-Identifier: Apache-2.0 */
/* "external32" against bytes worked out by hand. */
#include "check.h"

#include <complex.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <wchar.h>

/* Pack `count` elements, compare with the bytes, unpack over `back` and compare with the elements. */
static void check_bytes(int line, const void *memory, size_t memory_bytes, int count, MPI_Datatype type,
                        const unsigned char *expected, MPI_Aint expected_bytes)
{
    unsigned char packed[256], back[256];
    MPI_Aint size = -1, position = 1;
    MPI_Count place = 1, size_c = -1;
    CHECK(MPI_Pack_external_size("external32", count, type, &size) == MPI_SUCCESS && size == expected_bytes);
    CHECK(MPI_Pack_external_size_c("external32", count, type, &size_c) == MPI_SUCCESS && size_c == expected_bytes);
    memset(packed, 0xee, sizeof packed);
    CHECK_OK(MPI_Pack_external("external32", memory, count, type, packed, sizeof packed, &position));
    CHECK(position == 1 + expected_bytes && packed[0] == 0xee && packed[position] == 0xee);
    int is_right = memcmp(packed + 1, expected, (size_t)expected_bytes) == 0;
    if (!is_right)
        for (MPI_Aint i = 0; i < expected_bytes; i++)
            fprintf(stderr, "line %d: byte %td is %02x, not %02x\n", line, i, packed[1 + i], expected[i]);
    CHECK(is_right);
    memcpy(back, memory, memory_bytes);
    CHECK_OK(MPI_Pack_external_c("external32", memory, count, type, packed, sizeof packed, &place));
    CHECK(place == position);
    position = 1;
    memset(back, 0, sizeof back);
    CHECK_OK(MPI_Unpack_external("external32", packed, sizeof packed, &position, back, count, type));
    CHECK(position == 1 + expected_bytes && memcmp(back, memory, memory_bytes) == 0);
    memset(back, 0, sizeof back);
    place = 1;
    CHECK_OK(MPI_Unpack_external_c("external32", packed, sizeof packed, &place, back, count, type));
    CHECK(memcmp(back, memory, memory_bytes) == 0);
}

#define BYTES(array, count, type, ...)                                                                                \
    check_bytes(__LINE__, array, sizeof array, count, type, (const unsigned char[]){__VA_ARGS__},                     \
                sizeof((const unsigned char[]){__VA_ARGS__}))

static void test_numbers(void)
{
    char chars[] = {'a', 'z'};
    BYTES(chars, 2, MPI_CHAR, 'a', 'z');
    short shorts[] = {0x1234, -2};
    BYTES(shorts, 2, MPI_SHORT, 0x12, 0x34, 0xff, 0xfe);
    int ints[] = {0x12345678, -1};
    BYTES(ints, 2, MPI_INT, 0x12, 0x34, 0x56, 0x78, 0xff, 0xff, 0xff, 0xff);
    /* A long has 4 bytes there. */
    long longs[] = {0x12345678, -2};
    BYTES(longs, 2, MPI_LONG, 0x12, 0x34, 0x56, 0x78, 0xff, 0xff, 0xff, 0xfe);
    unsigned long unsigned_longs[] = {0xfedcba98ul};
    BYTES(unsigned_longs, 1, MPI_UNSIGNED_LONG, 0xfe, 0xdc, 0xba, 0x98);
    long long long_longs[] = {-2};
    BYTES(long_longs, 1, MPI_LONG_LONG, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe);
    MPI_Aint addresses[] = {258};
    BYTES(addresses, 1, MPI_AINT, 0, 0, 0, 0, 0, 0, 1, 2);
    float floats[] = {1.0f, -2.5f};
    BYTES(floats, 2, MPI_FLOAT, 0x3f, 0x80, 0, 0, 0xc0, 0x20, 0, 0);
    double doubles[] = {1.0, -0.15625};
    BYTES(doubles, 2, MPI_DOUBLE, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0, 0xbf, 0xc4, 0, 0, 0, 0, 0, 0);
    double complex complexes[] = {1.0 - 2.0 * I};
    BYTES(complexes, 1, MPI_C_DOUBLE_COMPLEX, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0);
    bool bools[] = {true, false};
    BYTES(bools, 2, MPI_C_BOOL, 1, 0);
    wchar_t wides[] = {L'A', 0x20ac};
    BYTES(wides, 2, MPI_WCHAR, 0, 'A', 0x20, 0xac);
    unsigned char bytes[] = {1, 2, 3};
    BYTES(bytes, 3, MPI_BYTE, 1, 2, 3);
}

/* long double is an IEEE number of 128 bits there, whatever it is here. */
static void test_extended(void)
{
    struct {
        long double value;
        unsigned char bytes[16];
    } rows[] = {
        {1.0L, {0x3f, 0xff}},
        {-2.0L, {0xc0, 0x00}},
        {1.5L, {0x3f, 0xff, 0x80}},
        {0.0L, {0}},
        {1.0L / 3, {0x3f, 0xfd, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55}},
        {__builtin_infl(), {0x7f, 0xff}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        unsigned char packed[16];
        long double back = -1;
        MPI_Aint position = 0;
        CHECK(MPI_Pack_external("external32", &rows[i].value, 1, MPI_LONG_DOUBLE, packed, 16, &position) ==
              MPI_SUCCESS);
        CHECK(position == 16);
        /* The digits of a third that both kinds of machine have. */
        CHECK(memcmp(packed, rows[i].bytes, 9) == 0);
        position = 0;
        CHECK_OK(MPI_Unpack_external("external32", packed, 16, &position, &back, 1, MPI_LONG_DOUBLE));
        CHECK(back == rows[i].value);
    }
}

static void test_derived(void)
{
    struct {
        double value;
        int index;
    } pairs[2];
    memset(pairs, 0, sizeof pairs);
    pairs[0].value = 1;
    pairs[0].index = 2;
    pairs[1].value = 2;
    pairs[1].index = -1;
    BYTES(pairs, 2, MPI_DOUBLE_INT, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0x40, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff,
          0xff, 0xff);

    /* Every other long of four, with a char in front. */
    struct {
        char first;
        long rest[4];
    } mixed;
    MPI_Datatype vector, type;
    memset(&mixed, 0, sizeof mixed);
    mixed.first = 7;
    mixed.rest[0] = 1;
    mixed.rest[2] = -1;
    MPI_Type_vector(2, 1, 2, MPI_LONG, &vector);
    MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 8}, (MPI_Datatype[]){MPI_CHAR, vector}, &type);
    MPI_Type_free(&vector);
    MPI_Type_commit(&type);
    check_bytes(__LINE__, &mixed, sizeof mixed, 1, type,
                (const unsigned char[]){7, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff}, 9);
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    test_numbers();
    test_extended();
    test_derived();
    MPI_Finalize();
    puts("external32: passed");
    return 0;
}

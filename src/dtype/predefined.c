/*
 * The predefined datatypes of the MPI 5.0 ABI: one row each with number, name and layout.
 *
 * Fortran's default kinds are those of its compilers on these machines: INTEGER, LOGICAL and REAL have 4 bytes,
 * DOUBLE PRECISION 8. A type with a size in its name has that size whether or not the C compiler knows it.
 */
#include "dtype/predefined.h"

#include <complex.h>
#include <stdbool.h>
#include <wchar.h>

/* X(number, name, bytes): one value. */
#define PREDEFINED_PLAIN(X)                                                                                           \
    X(0x201, AINT, sizeof(intptr_t))                                                                                  \
    X(0x202, COUNT, sizeof(int64_t))                                                                                  \
    X(0x203, OFFSET, sizeof(int64_t))                                                                                 \
    X(0x207, PACKED, 1)                                                                                               \
    X(0x208, SHORT, sizeof(short))                                                                                    \
    X(0x209, INT, sizeof(int))                                                                                        \
    X(0x20a, LONG, sizeof(long))                                                                                      \
    X(0x20b, LONG_LONG, sizeof(long long))                                                                            \
    X(0x20c, UNSIGNED_SHORT, sizeof(unsigned short))                                                                  \
    X(0x20d, UNSIGNED, sizeof(unsigned))                                                                              \
    X(0x20e, UNSIGNED_LONG, sizeof(unsigned long))                                                                    \
    X(0x20f, UNSIGNED_LONG_LONG, sizeof(unsigned long long))                                                          \
    X(0x210, FLOAT, sizeof(float))                                                                                    \
    X(0x212, C_FLOAT_COMPLEX, sizeof(float _Complex))                                                                 \
    X(0x213, CXX_FLOAT_COMPLEX, sizeof(float _Complex))                                                               \
    X(0x214, DOUBLE, sizeof(double))                                                                                  \
    X(0x216, C_DOUBLE_COMPLEX, sizeof(double _Complex))                                                               \
    X(0x217, CXX_DOUBLE_COMPLEX, sizeof(double _Complex))                                                             \
    X(0x218, LOGICAL, 4)                                                                                              \
    X(0x219, INTEGER, 4)                                                                                              \
    X(0x21a, REAL, 4)                                                                                                 \
    X(0x21b, COMPLEX, 8)                                                                                              \
    X(0x21c, DOUBLE_PRECISION, 8)                                                                                     \
    X(0x21d, DOUBLE_COMPLEX, 16)                                                                                      \
    X(0x21e, CHARACTER, 1)                                                                                            \
    X(0x220, LONG_DOUBLE, sizeof(long double))                                                                        \
    X(0x224, C_LONG_DOUBLE_COMPLEX, sizeof(long double _Complex))                                                     \
    X(0x225, CXX_LONG_DOUBLE_COMPLEX, sizeof(long double _Complex))                                                   \
    X(0x238, C_BOOL, sizeof(bool))                                                                                    \
    X(0x239, CXX_BOOL, sizeof(bool))                                                                                  \
    X(0x23c, WCHAR, sizeof(wchar_t))                                                                                  \
    X(0x240, INT8_T, 1)                                                                                               \
    X(0x241, UINT8_T, 1)                                                                                              \
    X(0x243, CHAR, 1)                                                                                                 \
    X(0x244, SIGNED_CHAR, 1)                                                                                          \
    X(0x245, UNSIGNED_CHAR, 1)                                                                                        \
    X(0x247, BYTE, 1)                                                                                                 \
    X(0x248, INT16_T, 2)                                                                                              \
    X(0x249, UINT16_T, 2)                                                                                             \
    X(0x250, INT32_T, 4)                                                                                              \
    X(0x251, UINT32_T, 4)                                                                                             \
    X(0x258, INT64_T, 8)                                                                                              \
    X(0x259, UINT64_T, 8)                                                                                             \
    X(0x2c0, LOGICAL1, 1)                                                                                             \
    X(0x2c1, INTEGER1, 1)                                                                                             \
    X(0x2c8, LOGICAL2, 2)                                                                                             \
    X(0x2c9, INTEGER2, 2)                                                                                             \
    X(0x2ca, REAL2, 2)                                                                                                \
    X(0x2d0, LOGICAL4, 4)                                                                                             \
    X(0x2d1, INTEGER4, 4)                                                                                             \
    X(0x2d2, REAL4, 4)                                                                                                \
    X(0x2d3, COMPLEX4, 4)                                                                                             \
    X(0x2d8, LOGICAL8, 8)                                                                                             \
    X(0x2d9, INTEGER8, 8)                                                                                             \
    X(0x2da, REAL8, 8)                                                                                                \
    X(0x2db, COMPLEX8, 8)                                                                                             \
    X(0x2e0, LOGICAL16, 16)                                                                                           \
    X(0x2e1, INTEGER16, 16)                                                                                           \
    X(0x2e2, REAL16, 16)                                                                                              \
    X(0x2e3, COMPLEX16, 16)                                                                                           \
    X(0x2eb, COMPLEX32, 32)

/* X(number, name, bytes of a value): two values of one type. */
#define PREDEFINED_TWINS(X)                                                                                           \
    X(0x22b, 2INT, sizeof(int))                                                                                       \
    X(0x230, 2REAL, 4)                                                                                                \
    X(0x231, 2DOUBLE_PRECISION, 8)                                                                                    \
    X(0x232, 2INTEGER, 4)

/* X(number, name, value type): a value and an int, laid out as C lays out a struct of the two. */
#define PREDEFINED_PAIRS(X)                                                                                           \
    X(0x228, FLOAT_INT, float)                                                                                        \
    X(0x229, DOUBLE_INT, double)                                                                                      \
    X(0x22a, LONG_INT, long)                                                                                          \
    X(0x22c, SHORT_INT, short)                                                                                        \
    X(0x22d, LONG_DOUBLE_INT, long double)

#define PREDEFINED_DEFINE_PLAIN(abi_number, suffix, bytes_)                                                           \
    static const cor_run run_##suffix = {0, bytes_};                                                                  \
    static const cor_dtype type_##suffix = {                                                                          \
        .name = "MPI_" #suffix,                                                                                       \
        .size = bytes_,                                                                                               \
        .extent = bytes_,                                                                                             \
        .basic_count = 1,                                                                                             \
        .run_count = 1,                                                                                               \
        .runs = &run_##suffix,                                                                                        \
        .repeat = 1,                                                                                                  \
        .stride = bytes_,                                                                                             \
        .is_contiguous = 1,                                                                                           \
        .is_predefined = 1,                                                                                           \
        .number = abi_number,                                                                                         \
    };
PREDEFINED_PLAIN(PREDEFINED_DEFINE_PLAIN)

#define PREDEFINED_DEFINE_TWINS(abi_number, suffix, bytes_)                                                           \
    static const cor_run run_##suffix = {0, 2 * (bytes_)};                                                            \
    static const cor_dtype type_##suffix = {                                                                          \
        .name = "MPI_" #suffix,                                                                                       \
        .size = 2 * (bytes_),                                                                                         \
        .extent = 2 * (bytes_),                                                                                       \
        .basic_count = 2,                                                                                             \
        .run_count = 1,                                                                                               \
        .runs = &run_##suffix,                                                                                        \
        .repeat = 1,                                                                                                  \
        .stride = 2 * (bytes_),                                                                                       \
        .is_contiguous = 1,                                                                                           \
        .is_predefined = 1,                                                                                           \
        .number = abi_number,                                                                                         \
    };
PREDEFINED_TWINS(PREDEFINED_DEFINE_TWINS)

/* A pair without a gap (float and int) is one run and contiguous; the second row is then unused. */
#define PREDEFINED_DEFINE_PAIR(abi_number, suffix, value_type)                                                        \
    struct pair_##suffix {                                                                                            \
        value_type value;                                                                                             \
        int index;                                                                                                    \
    };                                                                                                                \
    enum {                                                                                                            \
        data_##suffix = sizeof(value_type) + sizeof(int),                                                             \
        full_##suffix = data_##suffix == sizeof(struct pair_##suffix)                                                 \
    };                                                                                                                \
    static const cor_run runs_##suffix[2] = {                                                                         \
        {0, full_##suffix ? (size_t)data_##suffix : sizeof(value_type)},                                              \
        {offsetof(struct pair_##suffix, index), sizeof(int)},                                                         \
    };                                                                                                                \
    static const cor_dtype type_##suffix = {                                                                          \
        .name = "MPI_" #suffix,                                                                                       \
        .size = data_##suffix,                                                                                        \
        .extent = sizeof(struct pair_##suffix),                                                                       \
        .basic_count = 2,                                                                                             \
        .run_count = full_##suffix ? 1 : 2,                                                                           \
        .runs = runs_##suffix,                                                                                        \
        .repeat = 1,                                                                                                  \
        .stride = sizeof(struct pair_##suffix),                                                                       \
        .is_contiguous = full_##suffix,                                                                               \
        .is_predefined = 1,                                                                                           \
        .number = abi_number,                                                                                         \
    };
PREDEFINED_PAIRS(PREDEFINED_DEFINE_PAIR)

const cor_dtype *const cor_dtype_table[COR_DTYPE_ROWS] = {
#define PREDEFINED_ROW(abi_number, suffix, layout) [(abi_number)-COR_DTYPE_FIRST] = &type_##suffix,
    PREDEFINED_PLAIN(PREDEFINED_ROW) PREDEFINED_TWINS(PREDEFINED_ROW) PREDEFINED_PAIRS(PREDEFINED_ROW)};

const cor_dtype *cor_dtype_predefined(uint32_t number)
{
    uint32_t row = number - COR_DTYPE_FIRST;
    return row < COR_DTYPE_ROWS ? cor_dtype_table[row] : NULL;
}

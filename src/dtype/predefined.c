/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The predefined datatypes of the MPI 5.0 ABI: one row each with number, name and layout.
 *
 * Fortran's default kinds are those of its compilers on these machines: INTEGER, LOGICAL and REAL have 4 bytes,
 * DOUBLE PRECISION 8. A type with a size in its name has that size whether or not the C compiler knows it. A value is
 * aligned to its own size, that of a complex number to the size of its parts.
 *
 * The standard gives two types a second name: LONG_LONG is LONG_LONG_INT, and C_FLOAT_COMPLEX is C_COMPLEX.
 * MPI_Type_get_name returns the names that MPICH and Open MPI return.
 */
#include "dtype/predefined.h"

#include "dtype/kernel.h"
#include "dtype/layout.h"

#include <stdbool.h>
#include <wchar.h>

/* X(number, name, kind, parts, bytes of a part, of a part in external32): one value. */
#define PREDEFINED_PLAIN(X)                                                                                           \
    X(0x201, AINT, SIGNED, 1, sizeof(intptr_t), 8)                                                                    \
    X(0x202, COUNT, SIGNED, 1, sizeof(int64_t), 8)                                                                    \
    X(0x203, OFFSET, SIGNED, 1, sizeof(int64_t), 8)                                                                   \
    X(0x207, PACKED, ANYTHING, 1, 1, 1)                                                                               \
    X(0x208, SHORT, SIGNED, 1, sizeof(short), 2)                                                                      \
    X(0x209, INT, SIGNED, 1, sizeof(int), 4)                                                                          \
    X(0x20a, LONG, SIGNED, 1, sizeof(long), 4)                                                                        \
    X(0x20b, LONG_LONG_INT, SIGNED, 1, sizeof(long long), 8)                                                          \
    X(0x20c, UNSIGNED_SHORT, UNSIGNED, 1, sizeof(unsigned short), 2)                                                  \
    X(0x20d, UNSIGNED, UNSIGNED, 1, sizeof(unsigned), 4)                                                              \
    X(0x20e, UNSIGNED_LONG, UNSIGNED, 1, sizeof(unsigned long), 4)                                                    \
    X(0x20f, UNSIGNED_LONG_LONG, UNSIGNED, 1, sizeof(unsigned long long), 8)                                          \
    X(0x210, FLOAT, FLOATING, 1, sizeof(float), 4)                                                                    \
    X(0x212, C_COMPLEX, FLOATING, 2, sizeof(float), 4)                                                                \
    X(0x213, CXX_FLOAT_COMPLEX, FLOATING, 2, sizeof(float), 4)                                                        \
    X(0x214, DOUBLE, FLOATING, 1, sizeof(double), 8)                                                                  \
    X(0x216, C_DOUBLE_COMPLEX, FLOATING, 2, sizeof(double), 8)                                                        \
    X(0x217, CXX_DOUBLE_COMPLEX, FLOATING, 2, sizeof(double), 8)                                                      \
    X(0x218, LOGICAL, LOGICAL, 1, 4, 4)                                                                               \
    X(0x219, INTEGER, SIGNED, 1, 4, 4)                                                                                \
    X(0x21a, REAL, FLOATING, 1, 4, 4)                                                                                 \
    X(0x21b, COMPLEX, FLOATING, 2, 4, 4)                                                                              \
    X(0x21c, DOUBLE_PRECISION, FLOATING, 1, 8, 8)                                                                     \
    X(0x21d, DOUBLE_COMPLEX, FLOATING, 2, 8, 8)                                                                       \
    X(0x21e, CHARACTER, UNSIGNED, 1, 1, 1)                                                                            \
    X(0x220, LONG_DOUBLE, EXTENDED, 1, sizeof(long double), 16)                                                       \
    X(0x224, C_LONG_DOUBLE_COMPLEX, EXTENDED, 2, sizeof(long double), 16)                                             \
    X(0x225, CXX_LONG_DOUBLE_COMPLEX, EXTENDED, 2, sizeof(long double), 16)                                           \
    X(0x238, C_BOOL, LOGICAL, 1, sizeof(bool), 1)                                                                     \
    X(0x239, CXX_BOOL, LOGICAL, 1, sizeof(bool), 1)                                                                   \
    X(0x23c, WCHAR, UNSIGNED, 1, sizeof(wchar_t), 2)                                                                  \
    X(0x240, INT8_T, SIGNED, 1, 1, 1)                                                                                 \
    X(0x241, UINT8_T, UNSIGNED, 1, 1, 1)                                                                              \
    X(0x243, CHAR, UNSIGNED, 1, 1, 1)                                                                                 \
    X(0x244, SIGNED_CHAR, SIGNED, 1, 1, 1)                                                                            \
    X(0x245, UNSIGNED_CHAR, UNSIGNED, 1, 1, 1)                                                                        \
    X(0x247, BYTE, ANYTHING, 1, 1, 1)                                                                                 \
    X(0x248, INT16_T, SIGNED, 1, 2, 2)                                                                                \
    X(0x249, UINT16_T, UNSIGNED, 1, 2, 2)                                                                             \
    X(0x250, INT32_T, SIGNED, 1, 4, 4)                                                                                \
    X(0x251, UINT32_T, UNSIGNED, 1, 4, 4)                                                                             \
    X(0x258, INT64_T, SIGNED, 1, 8, 8)                                                                                \
    X(0x259, UINT64_T, UNSIGNED, 1, 8, 8)                                                                             \
    X(0x2c0, LOGICAL1, LOGICAL, 1, 1, 1)                                                                              \
    X(0x2c1, INTEGER1, SIGNED, 1, 1, 1)                                                                               \
    X(0x2c8, LOGICAL2, LOGICAL, 1, 2, 2)                                                                              \
    X(0x2c9, INTEGER2, SIGNED, 1, 2, 2)                                                                               \
    X(0x2ca, REAL2, FLOATING, 1, 2, 2)                                                                                \
    X(0x2d0, LOGICAL4, LOGICAL, 1, 4, 4)                                                                              \
    X(0x2d1, INTEGER4, SIGNED, 1, 4, 4)                                                                               \
    X(0x2d2, REAL4, FLOATING, 1, 4, 4)                                                                                \
    X(0x2d3, COMPLEX4, FLOATING, 2, 2, 2)                                                                             \
    X(0x2d8, LOGICAL8, LOGICAL, 1, 8, 8)                                                                              \
    X(0x2d9, INTEGER8, SIGNED, 1, 8, 8)                                                                               \
    X(0x2da, REAL8, FLOATING, 1, 8, 8)                                                                                \
    X(0x2db, COMPLEX8, FLOATING, 2, 4, 4)                                                                             \
    X(0x2e0, LOGICAL16, LOGICAL, 1, 16, 16)                                                                           \
    X(0x2e1, INTEGER16, SIGNED, 1, 16, 16)                                                                            \
    X(0x2e2, REAL16, FLOATING, 1, 16, 16)                                                                             \
    X(0x2e3, COMPLEX16, FLOATING, 2, 8, 8)                                                                            \
    X(0x2eb, COMPLEX32, FLOATING, 2, 16, 16)

/* X(number, name, kind, bytes of a value): two values of one type, as long in external32. */
#define PREDEFINED_TWINS(X)                                                                                           \
    X(0x22b, 2INT, SIGNED, sizeof(int))                                                                               \
    X(0x230, 2REAL, FLOATING, 4)                                                                                      \
    X(0x231, 2DOUBLE_PRECISION, FLOATING, 8)                                                                          \
    X(0x232, 2INTEGER, SIGNED, 4)

/* X(number, name, kind, value type, bytes in external32): a value and an int, laid out as C lays out a struct. */
#define PREDEFINED_PAIRS(X)                                                                                           \
    X(0x228, FLOAT_INT, FLOATING, float, 4)                                                                           \
    X(0x229, DOUBLE_INT, FLOATING, double, 8)                                                                         \
    X(0x22a, LONG_INT, SIGNED, long, 4)                                                                               \
    X(0x22c, SHORT_INT, SIGNED, short, 2)                                                                             \
    X(0x22d, LONG_DOUBLE_INT, EXTENDED, long double, 16)

/* A contiguous block. */
#define PREDEFINED_BLOCK(block_bytes)                                                                                 \
    {                                                                                                                 \
        .bytes = block_bytes, .body_bytes = block_bytes, .kernel = COR_KERNEL_OF(block_bytes)                         \
    }

/* What all rows have in common: bytes of data and with gaps, where the data ends, alignment, bytes in external32, and
 * basic elements. */
#define PREDEFINED_TYPE(abi_number, suffix, data, full, end, aligned, external, basics)                               \
    static const cor_dtype type_##suffix = {                                                                          \
        .name = "MPI_" #suffix,                                                                                       \
        .number = abi_number,                                                                                         \
        .is_predefined = 1,                                                                                           \
        .size = data,                                                                                                 \
        .extent = full,                                                                                               \
        .step = full,                                                                                                 \
        .whole = 1,                                                                                                   \
        .is_contiguous = (data) == (full),                                                                            \
        .true_ub = end,                                                                                               \
        .alignment = aligned,                                                                                         \
        .basic_count = basics,                                                                                        \
        .external_bytes = external,                                                                                   \
        .basic = &basic_##suffix,                                                                                     \
        .nest = &nest_##suffix,                                                                                       \
        .receive_max = SIZE_MAX,                                                                                      \
    };

#define PREDEFINED_DEFINE_PLAIN(abi_number, suffix, value_kind, value_parts, value_bytes, value_external)             \
    static const cor_basic basic_##suffix = {                                                                         \
        1, {{COR_VALUE_##value_kind, value_parts, value_bytes, value_external, 0}}};                                  \
    static const cor_nest nest_##suffix = PREDEFINED_BLOCK((value_parts) * (value_bytes));                            \
    PREDEFINED_TYPE(abi_number, suffix, (value_parts) * (value_bytes), (value_parts) * (value_bytes),                 \
                    (value_parts) * (value_bytes), value_bytes, (value_parts) * (value_external), 1)
PREDEFINED_PLAIN(PREDEFINED_DEFINE_PLAIN)

#define PREDEFINED_DEFINE_TWINS(abi_number, suffix, value_kind, value_bytes)                                          \
    static const cor_basic basic_##suffix = {2,                                                                       \
                                             {{COR_VALUE_##value_kind, 1, value_bytes, value_bytes, 0},               \
                                              {COR_VALUE_##value_kind, 1, value_bytes, value_bytes, value_bytes}}};   \
    static const cor_nest nest_##suffix = PREDEFINED_BLOCK(2 * (value_bytes));                                        \
    PREDEFINED_TYPE(abi_number, suffix, 2 * (value_bytes), 2 * (value_bytes), 2 * (value_bytes), value_bytes,         \
                    2 * (value_bytes), 2)
PREDEFINED_TWINS(PREDEFINED_DEFINE_TWINS)

/* A value and an int without a gap between them are one block, and the steps are not used. */
#define PREDEFINED_DEFINE_PAIR(abi_number, suffix, value_kind, value_type, value_external)                            \
    struct pair_##suffix {                                                                                            \
        value_type value;                                                                                             \
        int index;                                                                                                    \
    };                                                                                                                \
    enum {                                                                                                            \
        data_##suffix = sizeof(value_type) + sizeof(int),                                                             \
        index_##suffix = offsetof(struct pair_##suffix, index),                                                       \
        is_block_##suffix = index_##suffix == sizeof(value_type)                                                      \
    };                                                                                                                \
    static const cor_basic basic_##suffix = {2,                                                                       \
                                             {{COR_VALUE_##value_kind, 1, sizeof(value_type), value_external, 0},     \
                                              {COR_VALUE_SIGNED, 1, sizeof(int), 4, index_##suffix}}};                \
    static const cor_step steps_##suffix[3] = {                                                                       \
        {0, 0, NULL}, {index_##suffix, sizeof(value_type), NULL}, {0, data_##suffix, NULL}};                          \
    static const cor_body body_##suffix = {2, data_##suffix, 0, 1, steps_##suffix};                                   \
    static const cor_nest nest_##suffix = {.bytes = data_##suffix,                                                    \
                                           .body_bytes = data_##suffix,                                               \
                                           .body = is_block_##suffix ? NULL : &body_##suffix,                         \
                                           .kernel = COR_KERNEL_OF(data_##suffix)};                                   \
    PREDEFINED_TYPE(abi_number, suffix, data_##suffix, sizeof(struct pair_##suffix), index_##suffix + sizeof(int),    \
                    _Alignof(struct pair_##suffix), (value_external) + 4, 2)
PREDEFINED_PAIRS(PREDEFINED_DEFINE_PAIR)

const cor_dtype *const cor_dtype_table[COR_DTYPE_ROWS] = {
#define PREDEFINED_ROW(abi_number, suffix, ...) [(abi_number)-COR_DTYPE_FIRST] = &type_##suffix,
    PREDEFINED_PLAIN(PREDEFINED_ROW) PREDEFINED_TWINS(PREDEFINED_ROW) PREDEFINED_PAIRS(PREDEFINED_ROW)};

const cor_dtype *cor_dtype_predefined(uint32_t number)
{
    uint32_t row = number - COR_DTYPE_FIRST;
    return row < COR_DTYPE_ROWS ? cor_dtype_table[row] : NULL;
}

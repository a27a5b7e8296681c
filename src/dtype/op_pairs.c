/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MINLOC and MAXLOC: values with an index beside them. A packed element is the value and the index without a gap,
 * which some of these types have in memory.
 */
#include "dtype/op_kernels.h"

#define PAIR_IS_NAN(value) ((value) != (value))
#define PAIR_NEVER(value) 0

/* X(number in the ABI, name, value, index, is a value NaN?) */
#define PAIR_TYPES(X)                                                                                                 \
    X(0x228, FLOAT_INT, float, int, PAIR_IS_NAN)                                                                      \
    X(0x229, DOUBLE_INT, double, int, PAIR_IS_NAN)                                                                    \
    X(0x22a, LONG_INT, long, int, PAIR_NEVER)                                                                         \
    X(0x22b, 2INT, int, int, PAIR_NEVER)                                                                              \
    X(0x22c, SHORT_INT, short, int, PAIR_NEVER)                                                                       \
    X(0x22d, LONG_DOUBLE_INT, long double, int, PAIR_IS_NAN)                                                          \
    X(0x230, 2REAL, float, float, PAIR_IS_NAN)                                                                        \
    X(0x231, 2DOUBLE_PRECISION, double, double, PAIR_IS_NAN)                                                          \
    X(0x232, 2INTEGER, int32_t, int32_t, PAIR_NEVER)

/* The left one is taken if its value comes first, or if the values are equal and its index is lower. */
#define PAIR_LOOP(operator, name, before, is_nan)                                                                     \
    static void operator##_##name(const void *a, const void *b, void *to, size_t count)                               \
    {                                                                                                                 \
        const pair_##name *left = a, *right = b;                                                                      \
        pair_##name *results = to;                                                                                    \
        for (size_t i = 0; i < count; i++) {                                                                          \
            pair_##name x = left[i], y = right[i];                                                                    \
            int is_first = (x.value before y.value) | (is_nan(x.value) & !is_nan(y.value));                           \
            int is_same = (x.value == y.value) | (is_nan(x.value) & is_nan(y.value));                                 \
            int is_left = is_first | (is_same & (x.index < y.index));                                                 \
            results[i].value = is_left ? x.value : y.value;                                                           \
            results[i].index = is_left ? x.index : y.index;                                                           \
        }                                                                                                             \
    }

#define PAIR_DEFINE(number, name, value_type, index_type, is_nan)                                                     \
    typedef struct __attribute__((packed, may_alias)) pair_##name {                                                   \
        value_type value;                                                                                             \
        index_type index;                                                                                             \
    } pair_##name;                                                                                                    \
    PAIR_LOOP(MINLOC, name, <, is_nan)                                                                                \
    PAIR_LOOP(MAXLOC, name, >, is_nan)
PAIR_TYPES(PAIR_DEFINE)

cor_combine_fn cor_op_pair_kernel(uint32_t op_number, uint32_t type_number)
{
    int is_max = op_number == COR_OP_FIRST + COR_OP_ROW_MAXLOC;
    switch (type_number) {
#define PAIR_CASE(number, name, ...)                                                                                  \
    case number:                                                                                                      \
        return is_max ? MAXLOC_##name : MINLOC_##name;
        PAIR_TYPES(PAIR_CASE)
    default:
        return NULL;
    }
}

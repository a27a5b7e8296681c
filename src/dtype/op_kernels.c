/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loops of the predefined operators on single values and complex numbers, and which type uses which.
 *
 * A loop works on one kind of value: its bytes, and how they are read. Many types share a kind. Values are read and
 * written through types without alignment, which compilers can still vectorise.
 */
#include "dtype/op_kernels.h"

#include "dtype/op_half.h"
#include "dtype/predefined.h"

#include <float.h>
#include <stdbool.h>

/* ---- kinds of values -------------------------------------------------------------------------------------------- */

#define OP_AS_IS(value) (value)

/* X(kind, how it is stored, what it is computed in, from store, to store). Integers are computed unsigned, and as at
 * least unsigned int, so that they wrap around. */
#define OP_UNSIGNED(X)                                                                                                \
    X(U8, uint8_t, uint32_t, OP_AS_IS, OP_AS_IS)                                                                      \
    X(U16, uint16_t, uint32_t, OP_AS_IS, OP_AS_IS)                                                                    \
    X(U32, uint32_t, uint32_t, OP_AS_IS, OP_AS_IS)                                                                    \
    X(U64, uint64_t, uint64_t, OP_AS_IS, OP_AS_IS)                                                                    \
    X(U128, unsigned __int128, unsigned __int128, OP_AS_IS, OP_AS_IS)

/* Only for what depends on the sign; the unsigned kind of that size does the rest. */
#define OP_SIGNED(X)                                                                                                  \
    X(I8, int8_t, int8_t, OP_AS_IS, OP_AS_IS)                                                                         \
    X(I16, int16_t, int16_t, OP_AS_IS, OP_AS_IS)                                                                      \
    X(I32, int32_t, int32_t, OP_AS_IS, OP_AS_IS)                                                                      \
    X(I64, int64_t, int64_t, OP_AS_IS, OP_AS_IS)                                                                      \
    X(I128, __int128, __int128, OP_AS_IS, OP_AS_IS)

#define OP_FLOATING(X)                                                                                                \
    X(F16, uint16_t, float, half_in, half_out)                                                                        \
    X(F32, float, float, OP_AS_IS, OP_AS_IS)                                                                          \
    X(F64, double, double, OP_AS_IS, OP_AS_IS)                                                                        \
    X(FLONG, long double, long double, OP_AS_IS, OP_AS_IS)                                                            \
    OP_FLOATING_QUAD(X)

/* Fortran's numbers of 16 bytes: long double, or a type of the compiler's own; or there are none. */
#if LDBL_MANT_DIG == 113
#define OP_FLOATING_QUAD(X) X(F128, long double, long double, OP_AS_IS, OP_AS_IS)
#elif defined(__SIZEOF_FLOAT128__)
#define OP_FLOATING_QUAD(X) X(F128, __float128, __float128, OP_AS_IS, OP_AS_IS)
#else
#define OP_FLOATING_QUAD(X)
#endif

/* Integers are in the order of their sizes. */
typedef enum op_kind {
    OP_NO_KIND,
    OP_U8,
    OP_U16,
    OP_U32,
    OP_U64,
    OP_U128,
    OP_I8,
    OP_I16,
    OP_I32,
    OP_I64,
    OP_I128,
    OP_F16,
    OP_F32,
    OP_F64,
    OP_FLONG,
    OP_F128,
    OP_COMPLEX_F16,
    OP_COMPLEX_F32,
    OP_COMPLEX_F64,
    OP_COMPLEX_FLONG,
    OP_COMPLEX_F128,
    OP_KINDS
} op_kind;

#define OP_DEFINE_STORE(kind, stored, ...) typedef stored op_##kind __attribute__((aligned(1), may_alias));
OP_UNSIGNED(OP_DEFINE_STORE)
OP_SIGNED(OP_DEFINE_STORE)
OP_FLOATING(OP_DEFINE_STORE)

/* ---- loops ------------------------------------------------------------------------------------------------------ */

/* The rounds do not depend on each other, even if the result replaces an operand. Not every kind can be vectorised,
 * and clang would warn. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OP_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define OP_INDEPENDENT _Pragma("GCC ivdep")
#endif

#define OP_LOOP(operator, kind, computed, in, out, result)                                                            \
    static void operator##_##kind(const void *a, const void *b, void *to, size_t count)                               \
    {                                                                                                                 \
        const op_##kind *left = a, *right = b;                                                                        \
        op_##kind *results = to;                                                                                      \
        OP_INDEPENDENT                                                                                                \
        for (size_t i = 0; i < count; i++) {                                                                          \
            computed x = in(left[i]), y = in(right[i]);                                                               \
            results[i] = out(result);                                                                                 \
        }                                                                                                             \
    }

#define OP_DEFINE_UNSIGNED(kind, stored, computed, in, out)                                                           \
    OP_LOOP(SUM, kind, computed, in, out, x + y)                                                                      \
    OP_LOOP(PROD, kind, computed, in, out, x *y)                                                                      \
    OP_LOOP(BAND, kind, computed, in, out, x &y)                                                                      \
    OP_LOOP(BOR, kind, computed, in, out, x | y)                                                                      \
    OP_LOOP(BXOR, kind, computed, in, out, x ^ y)                                                                     \
    OP_LOOP(LAND, kind, computed, in, out, (x != 0) & (y != 0))                                                       \
    OP_LOOP(LOR, kind, computed, in, out, (x | y) != 0)                                                               \
    OP_LOOP(LXOR, kind, computed, in, out, (x != 0) != (y != 0))
OP_UNSIGNED(OP_DEFINE_UNSIGNED)

/* In the stored type, whose vectors hold more values. */
#define OP_DEFINE_ORDER(kind, stored, computed, in, out)                                                              \
    OP_LOOP(MIN, kind, stored, in, out, x < y ? x : y)                                                                \
    OP_LOOP(MAX, kind, stored, in, out, x > y ? x : y)
OP_UNSIGNED(OP_DEFINE_ORDER)
OP_SIGNED(OP_DEFINE_ORDER)

/* NaN on the left is taken by its second test, NaN on the right because no comparison with it holds. */
#define OP_DEFINE_FLOATING(kind, stored, computed, in, out)                                                           \
    OP_LOOP(SUM, kind, computed, in, out, x + y)                                                                      \
    OP_LOOP(PROD, kind, computed, in, out, x *y)                                                                      \
    OP_LOOP(MIN, kind, computed, in, out, ((x < y) | (x != x)) ? x : y)                                               \
    OP_LOOP(MAX, kind, computed, in, out, ((x > y) | (x != x)) ? x : y)
OP_FLOATING(OP_DEFINE_FLOATING)

/* The product is the textbook formula, as in Fortran, without C's treatment of infinities. */
#define OP_DEFINE_COMPLEX(kind, stored, computed, in, out)                                                            \
    static void complex_SUM_##kind(const void *a, const void *b, void *to, size_t count)                              \
    {                                                                                                                 \
        SUM_##kind(a, b, to, 2 * count);                                                                              \
    }                                                                                                                 \
    static void complex_PROD_##kind(const void *a, const void *b, void *to, size_t count)                             \
    {                                                                                                                 \
        const op_##kind(*left)[2] = a, (*right)[2] = b;                                                               \
        op_##kind(*results)[2] = to;                                                                                  \
        OP_INDEPENDENT                                                                                                \
        for (size_t i = 0; i < count; i++) {                                                                          \
            computed x = in(left[i][0]), xi = in(left[i][1]), y = in(right[i][0]), yi = in(right[i][1]);              \
            results[i][0] = out(x * y - xi * yi);                                                                     \
            results[i][1] = out(x * yi + xi * y);                                                                     \
        }                                                                                                             \
    }
OP_FLOATING(OP_DEFINE_COMPLEX)

/* ---- which kind has which --------------------------------------------------------------------------------------- */

#define OP_ROWS_OF_INTEGER(kind, bits)                                                                                \
    [OP_##kind] = {                                                                                                   \
        [COR_OP_ROW_SUM] = SUM_##bits,   [COR_OP_ROW_PROD] = PROD_##bits, [COR_OP_ROW_MIN] = MIN_##kind,              \
        [COR_OP_ROW_MAX] = MAX_##kind,   [COR_OP_ROW_BAND] = BAND_##bits, [COR_OP_ROW_BOR] = BOR_##bits,              \
        [COR_OP_ROW_BXOR] = BXOR_##bits, [COR_OP_ROW_LAND] = LAND_##bits, [COR_OP_ROW_LOR] = LOR_##bits,              \
        [COR_OP_ROW_LXOR] = LXOR_##bits,                                                                              \
    },

#define OP_ROWS_OF_FLOATING(kind, ...)                                                                                \
    [OP_##kind] =                                                                                                     \
        {                                                                                                             \
            [COR_OP_ROW_SUM] = SUM_##kind,                                                                            \
            [COR_OP_ROW_PROD] = PROD_##kind,                                                                          \
            [COR_OP_ROW_MIN] = MIN_##kind,                                                                            \
            [COR_OP_ROW_MAX] = MAX_##kind,                                                                            \
    },                                                                                                                \
    [OP_COMPLEX_##kind] = {                                                                                           \
        [COR_OP_ROW_SUM] = complex_SUM_##kind,                                                                        \
        [COR_OP_ROW_PROD] = complex_PROD_##kind,                                                                      \
    },

static const cor_combine_fn op_loops[OP_KINDS][COR_OP_ROWS] = {
    OP_ROWS_OF_INTEGER(U8, U8) OP_ROWS_OF_INTEGER(I8, U8) OP_ROWS_OF_INTEGER(U16, U16) OP_ROWS_OF_INTEGER(I16, U16)
        OP_ROWS_OF_INTEGER(U32, U32) OP_ROWS_OF_INTEGER(I32, U32) OP_ROWS_OF_INTEGER(U64, U64)
            OP_ROWS_OF_INTEGER(I64, U64) OP_ROWS_OF_INTEGER(U128, U128) OP_ROWS_OF_INTEGER(I128, U128)
                OP_FLOATING(OP_ROWS_OF_FLOATING)};

/* ---- which type is of which kind -------------------------------------------------------------------------------- */

#define OP_SIZED(first, bytes)                                                                                        \
    ((first) + ((bytes) == 1 ? 0 : (bytes) == 2 ? 1 : (bytes) == 4 ? 2 : (bytes) == 8 ? 3 : 4))
#define OP_I(bytes) OP_SIZED(OP_I8, bytes)
#define OP_U(bytes) OP_SIZED(OP_U8, bytes)

/* X(number in the ABI, group, kind). Types that are not here have no predefined operators. */
#define OP_TYPES(X)                                                                                                   \
    X(0x208, C_INTEGER, OP_I(sizeof(short)))              /* SHORT */                                                 \
    X(0x209, C_INTEGER, OP_I(sizeof(int)))                /* INT */                                                   \
    X(0x20a, C_INTEGER, OP_I(sizeof(long)))               /* LONG */                                                  \
    X(0x20b, C_INTEGER, OP_I(sizeof(long long)))          /* LONG_LONG */                                             \
    X(0x20c, C_INTEGER, OP_U(sizeof(unsigned short)))     /* UNSIGNED_SHORT */                                        \
    X(0x20d, C_INTEGER, OP_U(sizeof(unsigned)))           /* UNSIGNED */                                              \
    X(0x20e, C_INTEGER, OP_U(sizeof(unsigned long)))      /* UNSIGNED_LONG */                                         \
    X(0x20f, C_INTEGER, OP_U(sizeof(unsigned long long))) /* UNSIGNED_LONG_LONG */                                    \
    X(0x240, C_INTEGER, OP_I8)                            /* INT8_T */                                                \
    X(0x241, C_INTEGER, OP_U8)                            /* UINT8_T */                                               \
    X(0x243, C_INTEGER, OP_I8)                            /* CHAR */                                                  \
    X(0x244, C_INTEGER, OP_I8)                            /* SIGNED_CHAR */                                           \
    X(0x245, C_INTEGER, OP_U8)                            /* UNSIGNED_CHAR */                                         \
    X(0x248, C_INTEGER, OP_I16)                           /* INT16_T */                                               \
    X(0x249, C_INTEGER, OP_U16)                           /* UINT16_T */                                              \
    X(0x250, C_INTEGER, OP_I32)                           /* INT32_T */                                               \
    X(0x251, C_INTEGER, OP_U32)                           /* UINT32_T */                                              \
    X(0x258, C_INTEGER, OP_I64)                           /* INT64_T */                                               \
    X(0x259, C_INTEGER, OP_U64)                           /* UINT64_T */                                              \
    X(0x219, FORTRAN_INTEGER, OP_I32)                     /* INTEGER */                                               \
    X(0x2c1, FORTRAN_INTEGER, OP_I8)                      /* INTEGER1 */                                              \
    X(0x2c9, FORTRAN_INTEGER, OP_I16)                     /* INTEGER2 */                                              \
    X(0x2d1, FORTRAN_INTEGER, OP_I32)                     /* INTEGER4 */                                              \
    X(0x2d9, FORTRAN_INTEGER, OP_I64)                     /* INTEGER8 */                                              \
    X(0x2e1, FORTRAN_INTEGER, OP_I128)                    /* INTEGER16 */                                             \
    X(0x201, MULTI_LANGUAGE, OP_I(sizeof(intptr_t)))      /* AINT */                                                  \
    X(0x202, MULTI_LANGUAGE, OP_I64)                      /* COUNT */                                                 \
    X(0x203, MULTI_LANGUAGE, OP_I64)                      /* OFFSET */                                                \
    X(0x247, BYTE, OP_U8)                                 /* BYTE */                                                  \
    X(0x238, LOGICAL, OP_U(sizeof(bool)))                 /* C_BOOL */                                                \
    X(0x239, LOGICAL, OP_U(sizeof(bool)))                 /* CXX_BOOL */                                              \
    X(0x218, LOGICAL, OP_U32)                             /* LOGICAL */                                               \
    X(0x2c0, LOGICAL, OP_U8)                              /* LOGICAL1 */                                              \
    X(0x2c8, LOGICAL, OP_U16)                             /* LOGICAL2 */                                              \
    X(0x2d0, LOGICAL, OP_U32)                             /* LOGICAL4 */                                              \
    X(0x2d8, LOGICAL, OP_U64)                             /* LOGICAL8 */                                              \
    X(0x2e0, LOGICAL, OP_U128)                            /* LOGICAL16 */                                             \
    X(0x210, FLOATING, OP_F32)                            /* FLOAT */                                                 \
    X(0x214, FLOATING, OP_F64)                            /* DOUBLE */                                                \
    X(0x220, FLOATING, OP_FLONG)                          /* LONG_DOUBLE */                                           \
    X(0x21a, FLOATING, OP_F32)                            /* REAL */                                                  \
    X(0x21c, FLOATING, OP_F64)                            /* DOUBLE_PRECISION */                                      \
    X(0x2ca, FLOATING, OP_F16)                            /* REAL2 */                                                 \
    X(0x2d2, FLOATING, OP_F32)                            /* REAL4 */                                                 \
    X(0x2da, FLOATING, OP_F64)                            /* REAL8 */                                                 \
    X(0x2e2, FLOATING, OP_F128)                           /* REAL16 */                                                \
    X(0x212, COMPLEX, OP_COMPLEX_F32)                     /* C_FLOAT_COMPLEX */                                       \
    X(0x213, COMPLEX, OP_COMPLEX_F32)                     /* CXX_FLOAT_COMPLEX */                                     \
    X(0x216, COMPLEX, OP_COMPLEX_F64)                     /* C_DOUBLE_COMPLEX */                                      \
    X(0x217, COMPLEX, OP_COMPLEX_F64)                     /* CXX_DOUBLE_COMPLEX */                                    \
    X(0x224, COMPLEX, OP_COMPLEX_FLONG)                   /* C_LONG_DOUBLE_COMPLEX */                                 \
    X(0x225, COMPLEX, OP_COMPLEX_FLONG)                   /* CXX_LONG_DOUBLE_COMPLEX */                               \
    X(0x21b, COMPLEX, OP_COMPLEX_F32)                     /* COMPLEX */                                               \
    X(0x21d, COMPLEX, OP_COMPLEX_F64)                     /* DOUBLE_COMPLEX */                                        \
    X(0x2d3, COMPLEX, OP_COMPLEX_F16)                     /* COMPLEX4 */                                              \
    X(0x2db, COMPLEX, OP_COMPLEX_F32)                     /* COMPLEX8 */                                              \
    X(0x2e3, COMPLEX, OP_COMPLEX_F64)                     /* COMPLEX16 */                                             \
    X(0x2eb, COMPLEX, OP_COMPLEX_F128)                    /* COMPLEX32 */

static const struct {
    uint8_t group, kind;
} op_types[COR_DTYPE_ROWS] = {
#define OP_TYPE_ROW(number, group, kind) [(number)-COR_DTYPE_FIRST] = {COR_OP_##group, kind},
    OP_TYPES(OP_TYPE_ROW)};

static const uint8_t op_groups[COR_OP_ROWS] = {
#define OP_GROUPS_ROW(number, name, is_commutative, groups) [COR_OP_ROW_##name] = groups,
    COR_OP_LIST(OP_GROUPS_ROW)};

cor_combine_fn cor_op_kernel(uint32_t op_number, uint32_t type_number)
{
    uint32_t op = op_number - COR_OP_FIRST, type = type_number - COR_DTYPE_FIRST;
    if (op >= COR_OP_ROWS || type >= COR_DTYPE_ROWS)
        return NULL;
    if (op_groups[op] & COR_OP_PAIR)
        return cor_op_pair_kernel(op_number, type_number);
    return op_groups[op] & op_types[type].group ? op_loops[op_types[type].kind][op] : NULL;
}

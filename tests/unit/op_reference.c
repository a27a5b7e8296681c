/* SPDX-License-Identifier: Apache-2.0 */
#include "op_reference.h"

#include "check.h"
#include "unit_random.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <wchar.h>

#if LDBL_MANT_DIG == 113 || !defined(__SIZEOF_FLOAT128__)
typedef long double ref_quad;
#else
typedef __float128 ref_quad;
#endif

/* ---- types ------------------------------------------------------------------------------------------------------ */

const ref_type ref_types[] = {
    {0x208, "SHORT", "C integer", REF_SIGNED, sizeof(short), 0, 0},
    {0x209, "INT", "C integer", REF_SIGNED, sizeof(int), 0, 0},
    {0x20a, "LONG", "C integer", REF_SIGNED, sizeof(long), 0, 0},
    {0x20b, "LONG_LONG", "C integer", REF_SIGNED, sizeof(long long), 0, 0},
    {0x20c, "UNSIGNED_SHORT", "C integer", REF_UNSIGNED, sizeof(short), 0, 0},
    {0x20d, "UNSIGNED", "C integer", REF_UNSIGNED, sizeof(int), 0, 0},
    {0x20e, "UNSIGNED_LONG", "C integer", REF_UNSIGNED, sizeof(long), 0, 0},
    {0x20f, "UNSIGNED_LONG_LONG", "C integer", REF_UNSIGNED, sizeof(long long), 0, 0},
    {0x240, "INT8_T", "C integer", REF_SIGNED, 1, 0, 0},
    {0x241, "UINT8_T", "C integer", REF_UNSIGNED, 1, 0, 0},
    {0x243, "CHAR", "C integer", REF_SIGNED, 1, 0, 0},
    {0x244, "SIGNED_CHAR", "C integer", REF_SIGNED, 1, 0, 0},
    {0x245, "UNSIGNED_CHAR", "C integer", REF_UNSIGNED, 1, 0, 0},
    {0x248, "INT16_T", "C integer", REF_SIGNED, 2, 0, 0},
    {0x249, "UINT16_T", "C integer", REF_UNSIGNED, 2, 0, 0},
    {0x250, "INT32_T", "C integer", REF_SIGNED, 4, 0, 0},
    {0x251, "UINT32_T", "C integer", REF_UNSIGNED, 4, 0, 0},
    {0x258, "INT64_T", "C integer", REF_SIGNED, 8, 0, 0},
    {0x259, "UINT64_T", "C integer", REF_UNSIGNED, 8, 0, 0},
    {0x219, "INTEGER", "Fortran integer", REF_SIGNED, 4, 0, 0},
    {0x2c1, "INTEGER1", "Fortran integer", REF_SIGNED, 1, 0, 0},
    {0x2c9, "INTEGER2", "Fortran integer", REF_SIGNED, 2, 0, 0},
    {0x2d1, "INTEGER4", "Fortran integer", REF_SIGNED, 4, 0, 0},
    {0x2d9, "INTEGER8", "Fortran integer", REF_SIGNED, 8, 0, 0},
    {0x2e1, "INTEGER16", "Fortran integer", REF_SIGNED, 16, 0, 0},
    {0x201, "AINT", "multi", REF_SIGNED, 8, 0, 0},
    {0x202, "COUNT", "multi", REF_SIGNED, 8, 0, 0},
    {0x203, "OFFSET", "multi", REF_SIGNED, 8, 0, 0},
    {0x247, "BYTE", "byte", REF_UNSIGNED, 1, 0, 0},
    {0x238, "C_BOOL", "logical", REF_UNSIGNED, sizeof(bool), 0, 0},
    {0x239, "CXX_BOOL", "logical", REF_UNSIGNED, sizeof(bool), 0, 0},
    {0x218, "LOGICAL", "logical", REF_UNSIGNED, 4, 0, 0},
    {0x2c0, "LOGICAL1", "logical", REF_UNSIGNED, 1, 0, 0},
    {0x2c8, "LOGICAL2", "logical", REF_UNSIGNED, 2, 0, 0},
    {0x2d0, "LOGICAL4", "logical", REF_UNSIGNED, 4, 0, 0},
    {0x2d8, "LOGICAL8", "logical", REF_UNSIGNED, 8, 0, 0},
    {0x2e0, "LOGICAL16", "logical", REF_UNSIGNED, 16, 0, 0},
    {0x210, "FLOAT", "floating", REF_FLOAT, 4, 0, 0},
    {0x214, "DOUBLE", "floating", REF_DOUBLE, 8, 0, 0},
    {0x220, "LONG_DOUBLE", "floating", REF_LONG_DOUBLE, sizeof(long double), 0, 0},
    {0x21a, "REAL", "floating", REF_FLOAT, 4, 0, 0},
    {0x21c, "DOUBLE_PRECISION", "floating", REF_DOUBLE, 8, 0, 0},
    {0x2ca, "REAL2", "floating", REF_HALF, 2, 0, 0},
    {0x2d2, "REAL4", "floating", REF_FLOAT, 4, 0, 0},
    {0x2da, "REAL8", "floating", REF_DOUBLE, 8, 0, 0},
    {0x2e2, "REAL16", "floating", REF_QUAD, 16, 0, 0},
    {0x212, "C_FLOAT_COMPLEX", "complex", REF_FLOAT, 4, 0, 0},
    {0x213, "CXX_FLOAT_COMPLEX", "complex", REF_FLOAT, 4, 0, 0},
    {0x216, "C_DOUBLE_COMPLEX", "complex", REF_DOUBLE, 8, 0, 0},
    {0x217, "CXX_DOUBLE_COMPLEX", "complex", REF_DOUBLE, 8, 0, 0},
    {0x224, "C_LONG_DOUBLE_COMPLEX", "complex", REF_LONG_DOUBLE, sizeof(long double), 0, 0},
    {0x225, "CXX_LONG_DOUBLE_COMPLEX", "complex", REF_LONG_DOUBLE, sizeof(long double), 0, 0},
    {0x21b, "COMPLEX", "complex", REF_FLOAT, 4, 0, 0},
    {0x21d, "DOUBLE_COMPLEX", "complex", REF_DOUBLE, 8, 0, 0},
    {0x2d3, "COMPLEX4", "complex", REF_HALF, 2, 0, 0},
    {0x2db, "COMPLEX8", "complex", REF_FLOAT, 4, 0, 0},
    {0x2e3, "COMPLEX16", "complex", REF_DOUBLE, 8, 0, 0},
    {0x2eb, "COMPLEX32", "complex", REF_QUAD, 16, 0, 0},
    {0x228, "FLOAT_INT", "pair", REF_FLOAT, 4, REF_SIGNED, sizeof(int)},
    {0x229, "DOUBLE_INT", "pair", REF_DOUBLE, 8, REF_SIGNED, sizeof(int)},
    {0x22a, "LONG_INT", "pair", REF_SIGNED, sizeof(long), REF_SIGNED, sizeof(int)},
    {0x22b, "2INT", "pair", REF_SIGNED, sizeof(int), REF_SIGNED, sizeof(int)},
    {0x22c, "SHORT_INT", "pair", REF_SIGNED, sizeof(short), REF_SIGNED, sizeof(int)},
    {0x22d, "LONG_DOUBLE_INT", "pair", REF_LONG_DOUBLE, sizeof(long double), REF_SIGNED, sizeof(int)},
    {0x230, "2REAL", "pair", REF_FLOAT, 4, REF_FLOAT, 4},
    {0x231, "2DOUBLE_PRECISION", "pair", REF_DOUBLE, 8, REF_DOUBLE, 8},
    {0x232, "2INTEGER", "pair", REF_SIGNED, 4, REF_SIGNED, 4},
    {0, NULL, NULL, 0, 0, 0, 0},
};

const ref_type *ref_type_find(uint32_t number)
{
    for (const ref_type *type = ref_types; type->number; type++)
        if (type->number == number)
            return type;
    return NULL;
}

static int ref_is_complex(const ref_type *type)
{
    return strcmp(type->group, "complex") == 0;
}

/* The table of the standard, chapter 6.9.2, and logical operators on what several languages share; MPI_CHAR stands
 * among the integers above. */
int ref_is_defined(uint32_t op, const ref_type *type)
{
    const char *groups = "";
    switch (op) {
    case REF_MIN:
    case REF_MAX:
        groups = "C integer, Fortran integer, floating, multi";
        break;
    case REF_SUM:
    case REF_PROD:
        groups = "C integer, Fortran integer, floating, complex, multi";
        break;
    case REF_LAND:
    case REF_LOR:
    case REF_LXOR:
        groups = "C integer, logical, multi";
        break;
    case REF_BAND:
    case REF_BOR:
    case REF_BXOR:
        groups = "C integer, Fortran integer, byte, multi";
        break;
    case REF_MINLOC:
    case REF_MAXLOC:
        groups = "pair";
        break;
    default:
        break;
    }
    return strstr(groups, type->group) != NULL;
}

size_t ref_element_bytes(const ref_type *type)
{
    return type->bytes * (ref_is_complex(type) ? 2 : 1) + type->index_bytes;
}

/* ---- numbers of 16 bits ----------------------------------------------------------------------------------------- */

static double half_decode(uint16_t half)
{
    int exponent = half >> 10 & 31, fraction = half & 1023;
    double sign = half & 0x8000 ? -1 : 1;
    if (exponent == 31)
        return fraction ? NAN : sign * INFINITY;
    return sign * (exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24));
}

static uint16_t half_encode(double value)
{
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    if (isnan(value))
        return 0x7e00;
    int exponent = -14;
    if (value != 0 && !isinf(value)) {
        frexp(value, &exponent);
        exponent = exponent - 1 < -14 ? -14 : exponent - 1;
    }
    double digits = nearbyint(ldexp(fabs(value), 10 - exponent));
    if (isinf(value) || ldexp(digits, exponent - 10) > 65504)
        return sign | 0x7c00;
    if (digits >= 2048) {
        digits /= 2;
        exponent++;
    }
    int rest = (int)digits;
    return (uint16_t)(sign | (rest >= 1024 ? (exponent + 15) << 10 | (rest - 1024) : rest));
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

/* One value with room for all kinds: integers as they are, all others as the widest. */
typedef struct ref_value {
    __int128 integer;
    ref_quad real;
} ref_value;

#define REF_LOAD(type)                                                                                                \
    do {                                                                                                              \
        type loaded;                                                                                                  \
        memcpy(&loaded, memory, sizeof loaded);                                                                       \
        value.real = loaded;                                                                                          \
    } while (0)

static ref_value ref_load(ref_kind kind, size_t bytes, const void *memory)
{
    ref_value value = {0};
    uint16_t half;
    switch (kind) {
    case REF_SIGNED:
    case REF_UNSIGNED:
        memcpy(&value.integer, memory, bytes); /* the lowest byte comes first on these machines */
        if (kind == REF_SIGNED && bytes < 16 && value.integer >> (8 * bytes - 1) & 1)
            value.integer -= (__int128)1 << (8 * bytes);
        break;
    case REF_HALF:
        memcpy(&half, memory, sizeof half);
        value.real = half_decode(half);
        break;
    case REF_FLOAT:
        REF_LOAD(float);
        break;
    case REF_DOUBLE:
        REF_LOAD(double);
        break;
    case REF_LONG_DOUBLE:
        REF_LOAD(long double);
        break;
    case REF_QUAD:
        REF_LOAD(ref_quad);
        break;
    }
    return value;
}

#define REF_STORE(type)                                                                                               \
    do {                                                                                                              \
        type stored = (type)value.real;                                                                               \
        memcpy(memory, &stored, sizeof stored);                                                                       \
    } while (0)

static void ref_store(ref_kind kind, size_t bytes, ref_value value, void *memory)
{
    uint16_t half;
    switch (kind) {
    case REF_SIGNED:
    case REF_UNSIGNED:
        memcpy(memory, &value.integer, bytes);
        break;
    case REF_HALF:
        half = half_encode((double)value.real);
        memcpy(memory, &half, sizeof half);
        break;
    case REF_FLOAT:
        REF_STORE(float);
        break;
    case REF_DOUBLE:
        REF_STORE(double);
        break;
    case REF_LONG_DOUBLE:
        REF_STORE(long double);
        break;
    case REF_QUAD:
        REF_STORE(ref_quad);
        break;
    }
}

static int ref_is_integer(ref_kind kind)
{
    return kind == REF_SIGNED || kind == REF_UNSIGNED;
}

/* Numbers with few digits, whose products are exact, every bit pattern there is, and the odd ones. */
static void ref_fill_value(const ref_type *type, uint64_t *random, void *memory)
{
    uint64_t dice = unit_random(random);
    int is_short = dice % 4 != 0 || ref_is_complex(type) || type->index_bytes;
    dice >>= 8;
    ref_value value = {.integer = (int64_t)(dice % 1024) - 512};
    if (type->index_bytes)
        value.integer %= 3;
    value.real = (ref_quad)value.integer / 4;
    if (!is_short) {
        uint64_t more = unit_random(random);
        value.integer = (__int128)((unsigned __int128)more << 64 | unit_random(random));
        value.real = (ref_quad)(int64_t)more / ((uint64_t)1 << dice % 41);
    }
    dice >>= 16;
    if (dice % 16 == 0)
        value.real = dice & 256 ? NAN : dice & 512 ? INFINITY : dice & 1024 ? -INFINITY : -0.0;
    if (strcmp(type->group, "logical") == 0 && dice & 4096)
        value.integer = 0;
    ref_store(type->kind, type->bytes, value, memory);
    if (type->kind == REF_HALF && !is_short)
        memcpy(memory, &dice, 2);
}

void ref_fill(const ref_type *type, uint64_t *random, void *element)
{
    char *memory = element;
    memset(memory, 0, ref_element_bytes(type)); /* long double has bytes without meaning */
    ref_fill_value(type, random, memory);
    if (ref_is_complex(type))
        ref_fill_value(type, random, memory + type->bytes);
    if (type->index_bytes) {
        ref_value index = {.integer = (int64_t)(unit_random(random) % 4) - 1};
        index.real = (ref_quad)index.integer;
        ref_store(type->index, type->index_bytes, index, memory + type->bytes);
    }
}

/* ---- operators -------------------------------------------------------------------------------------------------- */

static int ref_is_nan(ref_value value)
{
    return value.real != value.real;
}

/* Which comes first in MIN? */
static int ref_is_less(ref_kind kind, ref_value x, ref_value y)
{
    return ref_is_integer(kind) ? x.integer < y.integer : x.real < y.real;
}

static ref_value ref_extreme(int is_max, ref_kind kind, ref_value x, ref_value y)
{
    if (ref_is_nan(x) || ref_is_nan(y))
        return ref_is_nan(x) ? x : y;
    if (is_max)
        return ref_is_less(kind, y, x) ? x : y;
    return ref_is_less(kind, x, y) ? x : y;
}

static ref_value ref_apply(uint32_t op, ref_kind kind, ref_value x, ref_value y)
{
    unsigned __int128 left = (unsigned __int128)x.integer, right = (unsigned __int128)y.integer;
    switch (op) {
    case REF_SUM:
        return (ref_value){(__int128)(left + right), x.real + y.real};
    case REF_PROD:
        return (ref_value){(__int128)(left * right), x.real * y.real};
    case REF_MIN:
    case REF_MAX:
        return ref_extreme(op == REF_MAX, kind, x, y);
    case REF_BAND:
        return (ref_value){x.integer & y.integer, 0};
    case REF_BOR:
        return (ref_value){x.integer | y.integer, 0};
    case REF_BXOR:
        return (ref_value){x.integer ^ y.integer, 0};
    case REF_LAND:
        return (ref_value){x.integer && y.integer, 0};
    case REF_LOR:
        return (ref_value){x.integer || y.integer, 0};
    case REF_LXOR:
        return (ref_value){!x.integer != !y.integer, 0};
    default:
        CHECK_FAIL("an operator that is not known");
        return x;
    }
}

static void ref_complex(uint32_t op, const ref_type *type, const char *a, const char *b, char *out)
{
    ref_value x = ref_load(type->kind, type->bytes, a), xi = ref_load(type->kind, type->bytes, a + type->bytes);
    ref_value y = ref_load(type->kind, type->bytes, b), yi = ref_load(type->kind, type->bytes, b + type->bytes);
    ref_value real = {0, x.real + y.real}, imaginary = {0, xi.real + yi.real};
    if (op == REF_PROD) {
        real.real = x.real * y.real - xi.real * yi.real;
        imaginary.real = x.real * yi.real + xi.real * y.real;
    }
    ref_store(type->kind, type->bytes, real, out);
    ref_store(type->kind, type->bytes, imaginary, out + type->bytes);
}

/* Does the pair at a win against the one at b? */
static int ref_is_left(uint32_t op, const ref_type *type, const char *a, const char *b)
{
    ref_value x = ref_load(type->kind, type->bytes, a), y = ref_load(type->kind, type->bytes, b);
    ref_value i = ref_load(type->index, type->index_bytes, a + type->bytes);
    ref_value j = ref_load(type->index, type->index_bytes, b + type->bytes);
    if (ref_is_nan(x) != ref_is_nan(y))
        return ref_is_nan(x);
    if (!ref_is_nan(x) && ref_is_less(type->kind, x, y))
        return op == REF_MINLOC;
    if (!ref_is_nan(x) && ref_is_less(type->kind, y, x))
        return op == REF_MAXLOC;
    return ref_is_less(type->index, i, j);
}

void ref_combine(uint32_t op, const ref_type *type, const void *a, const void *b, void *out)
{
    if (type->index_bytes)
        memcpy(out, ref_is_left(op, type, a, b) ? a : b, ref_element_bytes(type));
    else if (ref_is_complex(type))
        ref_complex(op, type, a, b, out);
    else
        ref_store(
            type->kind, type->bytes,
            ref_apply(op, type->kind, ref_load(type->kind, type->bytes, a), ref_load(type->kind, type->bytes, b)),
            out);
}

int ref_is_same(const ref_type *type, const void *a, const void *b)
{
    const char *left = a, *right = b;
    for (int part = 0; part < (ref_is_complex(type) ? 2 : 1); part++, left += type->bytes, right += type->bytes) {
        ref_value x = ref_load(type->kind, type->bytes, left), y = ref_load(type->kind, type->bytes, right);
        if (ref_is_nan(x) || ref_is_nan(y) ? ref_is_nan(x) != ref_is_nan(y)
                                           : x.integer != y.integer || x.real != y.real)
            return 0;
    }
    return memcmp(left, right, type->index_bytes) == 0;
}

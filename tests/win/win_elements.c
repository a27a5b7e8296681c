/* SPDX-License-Identifier: Apache-2.0 */
#include "win_elements.h"

#include "win_suite.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

/* ---- the table -------------------------------------------------------------------------------------------------- */

#define ELEMENT(name, number, class, type)
#define ELEMENT_PAIR(name, number, class, value_type, index_type)                                                     \
    typedef struct pair_of_##name {                                                                                   \
        value_type value;                                                                                             \
        index_type index;                                                                                             \
    } pair_of_##name;
#include "win_elements.def"
#undef ELEMENT
#undef ELEMENT_PAIR

const element elements[] = {
#define ELEMENT(name, number, class, type)                                                                            \
    {#name, {number, sizeof(type), _Alignof(type), 1, {sizeof(type), 0}, {0, 0}}, ELEMENT_##class, ELEMENT_##class},
#define ELEMENT_PAIR(name, number, class, value_type, index_type)                                                     \
    {#name,                                                                                                           \
     {number,                                                                                                         \
      sizeof(pair_of_##name),                                                                                         \
      _Alignof(pair_of_##name),                                                                                       \
      2,                                                                                                              \
      {sizeof(value_type), sizeof(index_type)},                                                                       \
      {0, offsetof(pair_of_##name, index)}},                                                                          \
     ELEMENT_PAIR,                                                                                                    \
     ELEMENT_##class},
#include "win_elements.def"
#undef ELEMENT
#undef ELEMENT_PAIR
};
const int element_count = sizeof elements / sizeof elements[0];

const element *element_named(const char *name)
{
    for (int i = 0; i < element_count; i++)
        if (strcmp(elements[i].name, name) == 0)
            return &elements[i];
    CHECK_FAIL("there is no element %s", name);
}

MPI_Datatype element_type(const element *e)
{
    return MPI_Type_fromint((int)e->basic.number);
}

/* ---- operators -------------------------------------------------------------------------------------------------- */

enum {
    WHOLE = 1 << ELEMENT_INTEGER | 1 << ELEMENT_SHARED_INTEGER,
    REAL = WHOLE | 1 << ELEMENT_FLOAT,
    NUMBERS = REAL | 1 << ELEMENT_COMPLEX,
    TRUTH = 1 << ELEMENT_INTEGER | 1 << ELEMENT_LOGICAL,
    BITS = WHOLE | 1 << ELEMENT_BYTE,
    PAIRS = 1 << ELEMENT_PAIR,
    ALL = (1 << ELEMENT_CLASSES) - 1,
};

const operator_row operators[] = {
    {"REPLACE", MPI_REPLACE, ALL, 0}, {"NO_OP", MPI_NO_OP, ALL, 0},     {"SUM", MPI_SUM, NUMBERS, 0},
    {"PROD", MPI_PROD, NUMBERS, 0},   {"MIN", MPI_MIN, REAL, 0},        {"MAX", MPI_MAX, REAL, 0},
    {"BAND", MPI_BAND, BITS, 1},      {"BOR", MPI_BOR, BITS, 1},        {"BXOR", MPI_BXOR, BITS, 1},
    {"LAND", MPI_LAND, TRUTH, 0},     {"LOR", MPI_LOR, TRUTH, 0},       {"LXOR", MPI_LXOR, TRUTH, 0},
    {"MINLOC", MPI_MINLOC, PAIRS, 0}, {"MAXLOC", MPI_MAXLOC, PAIRS, 0},
};
const int operator_count = sizeof operators / sizeof operators[0];

int operator_is_for(const operator_row *op, const element *e)
{
    return (op->classes >> e->class & 1) != 0;
}

int element_is_swappable(const element *e)
{
    return (BITS | TRUTH) >> e->class & 1;
}

void element_combine(const element *e, MPI_Op op, const unsigned char *origin, unsigned char *target, size_t count)
{
    if (op == MPI_REPLACE)
        memcpy(target, origin, count * e->basic.extent);
    else if (op != MPI_NO_OP && count > 0)
        CHECK_OK(MPI_Reduce_local(origin, target, (int)count, element_type(e), op));
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

static void set_number(unsigned char *at, size_t bytes, element_class class, int number)
{
    int64_t whole = number;
    float single = (float)number;
    double full = number;
    long double extended = number;
    int is_float = class == ELEMENT_FLOAT;
    if (is_float && bytes == sizeof single)
        memcpy(at, &single, bytes);
    else if (is_float && bytes == sizeof full)
        memcpy(at, &full, bytes);
    else if (is_float)
        memcpy(at, &extended, bytes);
    else
        memcpy(at, &whole, bytes); /* little-endian */
}

static void set_value(const element *e, unsigned char *at, uint64_t random)
{
    int number = (int)(random % 8), other = (int)(random / 8 % 8);
    if (e->class == ELEMENT_COMPLEX) {
        set_number(at, e->basic.bytes[0] / 2, ELEMENT_FLOAT, number);
        set_number(at + e->basic.bytes[0] / 2, e->basic.bytes[0] / 2, ELEMENT_FLOAT, other);
    } else {
        set_number(at, e->basic.bytes[0], e->value_class, e->class == ELEMENT_LOGICAL ? number % 2 : number);
    }
    if (e->class == ELEMENT_PAIR) {
        /* In a pair of two reals the index is one as well. */
        int is_int = e->basic.bytes[1] == sizeof(int) && strncmp(e->name, "2REAL", 5) != 0;
        set_number(at + e->basic.offsets[1], e->basic.bytes[1], is_int ? ELEMENT_INTEGER : ELEMENT_FLOAT, other);
    }
}

unsigned char *element_values(const element *e, uint64_t key, size_t count, int is_raw)
{
    unsigned char *values = malloc(count * e->basic.extent + 1);
    CHECK(values);
    test_fill(values, count * e->basic.extent, key);
    for (size_t i = 0; i < count && (!is_raw || e->class == ELEMENT_LOGICAL); i++)
        set_value(e, values + i * e->basic.extent, test_mix(key + i));
    return values;
}

void element_mask(const element *e, unsigned char *mask)
{
    size_t used = LDBL_MANT_DIG == 64 ? 10 : sizeof(long double);
    int is_long = strncmp(e->name, "LONG_DOUBLE", 11) == 0 || strncmp(e->name, "C_LONG_DOUBLE", 13) == 0;
    for (size_t at = 0; is_long && at + sizeof(long double) <= e->basic.offsets[0] + e->basic.bytes[0];
         at += sizeof(long double))
        memset(mask + at + used, 0, sizeof(long double) - used);
}

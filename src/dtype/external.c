/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "external32", the representation that all machines agree on: big endian, two's complement, IEEE numbers, sizes as in
 * the standard's table. Walks over the layout value by value; it is for files and other libraries, and not optimised
 * for speed.
 */
#include "dtype/layout.h"

#include <float.h>

typedef enum external_way { EXTERNAL_PACK, EXTERNAL_UNPACK } external_way;

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
enum { EXTERNAL_IS_LITTLE = 1 };
#else
enum { EXTERNAL_IS_LITTLE = 0 };
#endif

/* ---- integers, and numbers that only change their order --------------------------------------------------------- */

/* Byte i of a number on this machine, from the least significant on. */
static size_t external_place(size_t i, size_t bytes)
{
    return EXTERNAL_IS_LITTLE ? i : bytes - 1 - i;
}

static void external_pack_number(const cor_value *value, const unsigned char *memory, unsigned char *external)
{
    size_t bytes = value->bytes, external_bytes = value->external_bytes;
    unsigned char top = memory[external_place(bytes - 1, bytes)];
    unsigned char fill = value->kind == COR_VALUE_SIGNED && (top & 0x80) ? 0xff : 0;
    for (size_t i = 0; i < external_bytes; i++)
        external[external_bytes - 1 - i] = i < bytes ? memory[external_place(i, bytes)] : fill;
}

static void external_unpack_number(const cor_value *value, unsigned char *memory, const unsigned char *external)
{
    size_t bytes = value->bytes, external_bytes = value->external_bytes;
    unsigned char fill = value->kind == COR_VALUE_SIGNED && (external[0] & 0x80) ? 0xff : 0;
    for (size_t i = 0; i < bytes; i++)
        memory[external_place(i, bytes)] = i < external_bytes ? external[external_bytes - 1 - i] : fill;
}

/* ---- long double ------------------------------------------------------------------------------------------------ */

#if LDBL_MANT_DIG == 64
/* x87: 64 bits of mantissa with its leading 1, then sign and exponent; external32 has 112 without it. Sign, exponent
 * and bias are the same. */
static void external_pack_extended(const unsigned char *memory, unsigned char *external)
{
    uint64_t mantissa;
    memcpy(&mantissa, memory, 8);
    uint64_t fraction = mantissa << 1; /* 64 upper bits of the fraction */
    external[0] = memory[9];
    external[1] = memory[8];
    for (int i = 0; i < 8; i++)
        external[2 + i] = (unsigned char)(fraction >> (56 - 8 * i));
    memset(external + 10, 0, 6);
}

static void external_unpack_extended(unsigned char *memory, const unsigned char *external)
{
    unsigned exponent = (unsigned)(external[0] & 0x7f) << 8 | external[1];
    uint64_t fraction = 0;
    int is_rest_set = 0;
    for (int i = 0; i < 8; i++)
        fraction = fraction << 8 | external[2 + i];
    for (int i = 10; i < 16; i++)
        is_rest_set |= external[i] != 0;
    uint64_t mantissa = fraction >> 1 | (exponent ? UINT64_C(1) << 63 : 0);
    /* Round to the nearest, ties to even; not infinity or NaN. */
    if (exponent != 0x7fff && (fraction & 1) && (is_rest_set || (mantissa & 1)) && ++mantissa == 0) {
        mantissa = UINT64_C(1) << 63;
        exponent++;
    } else if (exponent == 0x7fff && mantissa == UINT64_C(1) << 63 && (is_rest_set || (fraction & 1))) {
        mantissa |= UINT64_C(1) << 62; /* NaN must not become infinity */
    }
    if (exponent == 0 && mantissa >> 63)
        exponent = 1;
    memset(memory, 0, sizeof(long double));
    memcpy(memory, &mantissa, 8);
    memory[8] = (unsigned char)exponent;
    memory[9] = (unsigned char)((external[0] & 0x80) | exponent >> 8);
}
#elif LDBL_MANT_DIG == 113
/* The same number in another order. */
static const cor_value external_quad = {.kind = COR_VALUE_UNSIGNED, .parts = 1, .bytes = 16, .external_bytes = 16};

static void external_pack_extended(const unsigned char *memory, unsigned char *external)
{
    external_pack_number(&external_quad, memory, external);
}

static void external_unpack_extended(unsigned char *memory, const unsigned char *external)
{
    external_unpack_number(&external_quad, memory, external);
}
#else
#error "external32 does not support the long double of this machine"
#endif

/* ---- layouts ---------------------------------------------------------------------------------------------------- */

static unsigned char *external_value(const cor_value *value, uintptr_t address, unsigned char *external,
                                     external_way way)
{
    unsigned char *memory = (unsigned char *)address + value->offset;
    for (int i = 0; i < value->parts; i++, memory += value->bytes, external += value->external_bytes) {
        if (value->kind == COR_VALUE_EXTENDED && way == EXTERNAL_PACK)
            external_pack_extended(memory, external);
        else if (value->kind == COR_VALUE_EXTENDED)
            external_unpack_extended(memory, external);
        else if (way == EXTERNAL_PACK)
            external_pack_number(value, memory, external);
        else
            external_unpack_number(value, memory, external);
    }
    return external;
}

static unsigned char *external_basic(const cor_dtype *type, uintptr_t address, size_t count, unsigned char *external,
                                     external_way way)
{
    for (; count > 0; count--, address += (uintptr_t)type->extent)
        for (uint32_t i = 0; i < type->basic->count; i++)
            external = external_value(&type->basic->values[i], address, external, way);
    return external;
}

/* Addresses are numbers, since they may start from MPI_BOTTOM. */
static unsigned char *external_walk(const cor_dtype *type, uintptr_t address, size_t count, unsigned char *external,
                                    external_way way)
{
    /* A single element of a single element is followed without recursion: such chains may be long. */
    while (count == 1 && !type->basic && type->layout->count == 1 && cor_layout_length(type->layout, 0) == 1) {
        address += (uintptr_t)cor_layout_displacement(type->layout, 0);
        type = cor_layout_base(type->layout, 0);
    }
    if (type->basic)
        return external_basic(type, address, count, external, way);
    const cor_layout *layout = type->layout;
    for (; count > 0; count--, address += (uintptr_t)type->extent)
        for (size_t i = 0; i < layout->count; i++) {
            const cor_dtype *base = cor_layout_base(layout, i);
            size_t length = cor_layout_length(layout, i);
            if (base->size > 0 && length > 0)
                external = external_walk(base, address + (uintptr_t)cor_layout_displacement(layout, i), length,
                                         external, way);
        }
    return external;
}

void cor_dtype_pack_external(const cor_dtype *type, const void *base, size_t count, void *external)
{
    if (type->size > 0)
        external_walk(type, (uintptr_t)base, count, external, EXTERNAL_PACK);
}

void cor_dtype_unpack_external(const cor_dtype *type, void *base, size_t count, const void *external)
{
    if (type->size > 0)
        external_walk(type, (uintptr_t)base, count, (void *)(uintptr_t)external, EXTERNAL_UNPACK);
}

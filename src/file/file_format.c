/* SPDX-License-Identifier: Apache-2.0 */
/* Data representations: how long elements are in the file, and what types look like there. */
#include "file/file_state.h"

#include "dtype/layout.h"

#include <stdlib.h>

enum { FORMAT_BYTE = 0x247 };

/* Constructors whose displacements are bytes; of the file, when the type is used there. The ABI's numbers. */
enum {
    FORMAT_HVECTOR = 105,
    FORMAT_HINDEXED = 107,
    FORMAT_HINDEXED_BLOCK = 109,
    FORMAT_STRUCT = 110,
    FORMAT_RESIZED = 116
};

const cor_file_format cor_file_native = {.name = "native"};
const cor_file_format cor_file_internal = {.name = "internal"};

/* ---- external32 ------------------------------------------------------------------------------------------------- */

static int external_extent(const cor_file_format *format, const cor_dtype *type, int64_t *extent_p)
{
    (void)format;
    *extent_p = (int64_t)type->external_bytes;
    return COR_OK;
}

static int external_to_file(const cor_file_format *format, const void *memory, const cor_dtype *type, size_t count,
                            size_t first, void *bytes)
{
    (void)format;
    cor_dtype_pack_external(type, (const char *)memory + (ptrdiff_t)first * type->extent, count, bytes);
    return COR_OK;
}

static int external_from_file(const cor_file_format *format, void *memory, const cor_dtype *type, size_t count,
                              size_t first, const void *bytes)
{
    (void)format;
    cor_dtype_unpack_external(type, (char *)memory + (ptrdiff_t)first * type->extent, count, bytes);
    return COR_OK;
}

const cor_file_format cor_file_external32 = {
    .name = "external32",
    .extent = external_extent,
    .to_file = external_to_file,
    .from_file = external_from_file,
};

/* ---- types of the file ------------------------------------------------------------------------------------------ */

/* Displacements that count elements of a type grow or shrink with it; those that count bytes stay. */
typedef struct format_scale {
    int64_t from, to; /* extents of the predefined type that all elements have; equal: they are as long in the file */
    int is_bytes;     /* the type at hand counts bytes, or is part of one that does */
} format_scale;

static format_scale format_scale_in(format_scale scale, const cor_dtype *type)
{
    if (type->recipe) { /* parts that a constructor has made for itself have none */
        int combiner = type->recipe->combiner;
        scale.is_bytes = combiner == FORMAT_HVECTOR || combiner == FORMAT_HINDEXED ||
                         combiner == FORMAT_HINDEXED_BLOCK || combiner == FORMAT_STRUCT || combiner == FORMAT_RESIZED;
    }
    return scale;
}

static int format_scaled(format_scale scale, int64_t value, ptrdiff_t *scaled_p)
{
    int64_t product;
    if (scale.is_bytes || scale.from == scale.to || scale.from == 0 || value % scale.from != 0) {
        *scaled_p = value;
        return COR_OK;
    }
    if (__builtin_mul_overflow(value / scale.from, scale.to, &product))
        return COR_ERR_COUNT;
    *scaled_p = product;
    return COR_OK;
}

/* A predefined type: that many bytes. */
static int format_basic(const cor_file_format *format, const cor_dtype *type, const cor_dtype **type_p)
{
    int64_t extent;
    int rc = format->extent(format, type, &extent);
    if (rc == COR_OK && extent < 0)
        rc = COR_ERR_FILE_CONVERSION;
    return rc == COR_OK ? cor_dtype_contiguous((size_t)extent, cor_dtype_predefined(FORMAT_BYTE), type_p) : rc;
}

static int format_make(const cor_file_format *format, const cor_dtype *type, format_scale scale,
                       const cor_dtype **type_p);

/* What a layout is remade of. */
typedef struct format_parts {
    size_t count;
    size_t *lengths;
    ptrdiff_t *displacements;
    const cor_dtype **bases;
} format_parts;

static int format_parts_init(format_parts *parts, size_t count)
{
    size_t room = count ? count : 1;
    parts->count = 0;
    parts->lengths = calloc(room, sizeof *parts->lengths);
    parts->displacements = calloc(room, sizeof *parts->displacements);
    parts->bases = calloc(room, sizeof *parts->bases);
    return parts->lengths && parts->displacements && parts->bases ? COR_OK : COR_ERR_MEMORY;
}

static void format_parts_fini(format_parts *parts)
{
    for (size_t i = 0; i < parts->count; i++)
        cor_dtype_unref(parts->bases[i]);
    free(parts->lengths);
    free(parts->displacements);
    free((void *)parts->bases);
}

/* The blocks of a layout; those of one base share what was made of it. */
static int format_fill(const cor_file_format *format, const cor_layout *layout, format_scale scale,
                       format_parts *parts)
{
    int rc = COR_OK;
    for (size_t i = 0; i < layout->count && rc == COR_OK; i++) {
        const cor_dtype *base = cor_layout_base(layout, i);
        if (i > 0 && base == cor_layout_base(layout, i - 1)) {
            parts->bases[i] = parts->bases[i - 1];
            cor_dtype_ref(parts->bases[i]);
        } else {
            rc = format_make(format, base, scale, &parts->bases[i]);
        }
        if (rc != COR_OK)
            break;
        parts->count = i + 1;
        parts->lengths[i] = cor_layout_length(layout, i);
        rc = format_scaled(scale, cor_layout_displacement(layout, i), &parts->displacements[i]);
    }
    return rc;
}

static int format_vector(const cor_file_format *format, const cor_layout *layout, format_scale scale,
                         const cor_dtype **type_p)
{
    const cor_dtype *base;
    ptrdiff_t stride;
    int rc = format_make(format, layout->base, scale, &base);
    if (rc != COR_OK)
        return rc;
    rc = format_scaled(scale, layout->stride, &stride);
    if (rc == COR_OK)
        rc = cor_dtype_hvector(layout->count, layout->length, stride, base, type_p);
    cor_dtype_unref(base);
    return rc;
}

static int format_blocks(const cor_file_format *format, const cor_layout *layout, format_scale scale,
                         const cor_dtype **type_p)
{
    format_parts parts;
    int rc = format_parts_init(&parts, layout->count);
    if (rc == COR_OK)
        rc = format_fill(format, layout, scale, &parts);
    if (rc == COR_OK)
        rc = cor_dtype_struct(layout->count, parts.lengths, parts.displacements, parts.bases, type_p);
    format_parts_fini(&parts);
    return rc;
}

/* Bounds that were given stay so. */
static int format_bounds(const cor_dtype *type, format_scale scale, const cor_dtype **type_p)
{
    ptrdiff_t lb, extent;
    const cor_dtype *made = *type_p;
    if (!type->has_bounds)
        return COR_OK;
    int rc = format_scaled(scale, type->lb, &lb);
    if (rc == COR_OK)
        rc = format_scaled(scale, type->extent, &extent);
    if (rc == COR_OK)
        rc = cor_dtype_resized(made, lb, extent, type_p);
    cor_dtype_unref(made);
    return rc;
}

static int format_make(const cor_file_format *format, const cor_dtype *type, format_scale scale,
                       const cor_dtype **type_p)
{
    if (type->is_predefined)
        return format_basic(format, type, type_p);
    const cor_layout *layout = type->layout;
    scale = format_scale_in(scale, type);
    int is_vector = layout->kind == COR_LAYOUT_VECTOR && layout->base && !layout->lengths;
    int rc = is_vector ? format_vector(format, layout, scale, type_p) : format_blocks(format, layout, scale, type_p);
    return rc == COR_OK ? format_bounds(type, scale, type_p) : rc;
}

int file_format_type(const cor_file_format *format, const cor_dtype *type, const cor_dtype **type_p)
{
    const cor_dtype *only = cor_dtype_only(type);
    format_scale scale = {1, 1, 0};
    if (!file_format_converts(format)) {
        cor_dtype_ref(type);
        *type_p = type;
        return COR_OK;
    }
    if (only && !type->is_predefined) {
        int64_t extent;
        int rc = format->extent(format, only, &extent);
        if (rc != COR_OK)
            return rc;
        scale = (format_scale){only->extent, extent, 0};
    }
    return format_make(format, type, scale, type_p);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The constructors that are one layout each. */
#include "dtype/layout.h"

#include "base/error.h"

#include <stdlib.h>

int cor_dtype_contiguous(size_t count, const cor_dtype *base, const cor_dtype **type_p)
{
    cor_layout layout = {.kind = COR_LAYOUT_VECTOR, .count = 1, .length = count, .base = base};
    return cor_layout_make(&layout, NULL, type_p);
}

int cor_dtype_hvector(size_t count, size_t length, ptrdiff_t stride, const cor_dtype *base, const cor_dtype **type_p)
{
    cor_layout layout = {.kind = COR_LAYOUT_VECTOR, .count = count, .length = length, .stride = stride, .base = base};
    return cor_layout_make(&layout, NULL, type_p);
}

int cor_dtype_vector(size_t count, size_t length, ptrdiff_t stride_elements, const cor_dtype *base,
                     const cor_dtype **type_p)
{
    ptrdiff_t stride = 0;
    /* The stride of a single block does not matter. */
    if (count > 1 && __builtin_mul_overflow(stride_elements, base->extent, &stride))
        return COR_ERR_COUNT;
    return cor_dtype_hvector(count, length, stride, base, type_p);
}

/* ---- blocks ----------------------------------------------------------------------------------------------------- */

int cor_dtype_hindexed(size_t count, const size_t *lengths, const ptrdiff_t *displacements, const cor_dtype *base,
                       const cor_dtype **type_p)
{
    cor_layout layout = {
        .kind = COR_LAYOUT_BLOCKS, .count = count, .lengths = lengths, .displacements = displacements, .base = base};
    return cor_layout_make(&layout, NULL, type_p);
}

int cor_dtype_hindexed_block(size_t count, size_t length, const ptrdiff_t *displacements, const cor_dtype *base,
                             const cor_dtype **type_p)
{
    cor_layout layout = {
        .kind = COR_LAYOUT_BLOCKS, .count = count, .length = length, .displacements = displacements, .base = base};
    return cor_layout_make(&layout, NULL, type_p);
}

int cor_dtype_struct(size_t count, const size_t *lengths, const ptrdiff_t *displacements,
                     const cor_dtype *const *types, const cor_dtype **type_p)
{
    cor_layout layout = {
        .kind = COR_LAYOUT_BLOCKS, .count = count, .lengths = lengths, .displacements = displacements, .bases = types};
    return cor_layout_make(&layout, NULL, type_p);
}

/* Displacements in bytes, to be freed; NULL with *code_p set if that fails. */
static ptrdiff_t *construct_in_bytes(size_t count, const ptrdiff_t *elements, const cor_dtype *base, int *code_p)
{
    ptrdiff_t *bytes = malloc((count + 1) * sizeof *bytes);
    if (!bytes) {
        *code_p = COR_ERR_MEMORY;
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        if (__builtin_mul_overflow(elements[i], base->extent, &bytes[i])) {
            *code_p = COR_ERR_COUNT;
            free(bytes);
            return NULL;
        }
    return bytes;
}

int cor_dtype_indexed(size_t count, const size_t *lengths, const ptrdiff_t *displacements_elements,
                      const cor_dtype *base, const cor_dtype **type_p)
{
    int rc;
    ptrdiff_t *displacements = construct_in_bytes(count, displacements_elements, base, &rc);
    if (!displacements)
        return rc;
    rc = cor_dtype_hindexed(count, lengths, displacements, base, type_p);
    free(displacements);
    return rc;
}

int cor_dtype_indexed_block(size_t count, size_t length, const ptrdiff_t *displacements_elements,
                            const cor_dtype *base, const cor_dtype **type_p)
{
    int rc;
    ptrdiff_t *displacements = construct_in_bytes(count, displacements_elements, base, &rc);
    if (!displacements)
        return rc;
    rc = cor_dtype_hindexed_block(count, length, displacements, base, type_p);
    free(displacements);
    return rc;
}

/* ---- one element ------------------------------------------------------------------------------------------------ */

int cor_dtype_resized(const cor_dtype *base, ptrdiff_t lb, ptrdiff_t extent, const cor_dtype **type_p)
{
    cor_layout layout = {.kind = COR_LAYOUT_VECTOR, .count = 1, .length = 1, .base = base};
    return cor_layout_make(&layout, &(cor_bounds){lb, extent}, type_p);
}

int cor_dtype_dup(const cor_dtype *base, const cor_dtype **type_p)
{
    cor_layout layout = {.kind = COR_LAYOUT_VECTOR, .count = 1, .length = 1, .base = base};
    return cor_layout_make(&layout, NULL, type_p);
}

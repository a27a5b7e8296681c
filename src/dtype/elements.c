/* SPDX-License-Identifier: Apache-2.0 */
/* Counting basic elements: walks the layout, one block at a time, to the end of the bytes or the elements. */
#include "dtype/layout.h"

#include "base/error.h"

static size_t elements_value_bytes(const cor_value *value)
{
    return (size_t)value->parts * value->bytes;
}

/* Bytes or basic elements: one is counted down, the other up. */
typedef size_t (*elements_measure_fn)(const cor_dtype *type);

static size_t elements_size(const cor_dtype *type)
{
    return type->size;
}

static size_t elements_basics(const cor_dtype *type)
{
    return type->basic_count;
}

/* Go down one level: *amount_p, less than one element of *type_p, is what is left of it in the element of the base
 * where it ends; the other measure of all that lies before is returned. */
static uint64_t elements_descend(const cor_dtype **type_p, uint64_t *amount_p, elements_measure_fn measure,
                                 elements_measure_fn other)
{
    const cor_layout *layout = (*type_p)->layout;
    uint64_t amount = *amount_p, passed = 0;
    const cor_dtype *base = layout->base;
    /* Blocks of one base are all alike here. */
    for (size_t i = 0; !layout->base && i < layout->count; i++) {
        base = layout->bases[i];
        uint64_t block = (uint64_t)measure(base) * cor_layout_length(layout, i);
        if (amount < block)
            break;
        amount -= block;
        passed += (uint64_t)other(base) * cor_layout_length(layout, i);
    }
    passed += amount / measure(base) * other(base);
    *amount_p = amount % measure(base);
    *type_p = base;
    return passed;
}

int64_t cor_dtype_elements(const cor_dtype *type, uint64_t bytes)
{
    if (type->size == 0)
        return bytes == 0 ? 0 : -1;
    uint64_t elements = bytes / type->size * type->basic_count;
    bytes %= type->size;
    while (bytes > 0 && !type->basic)
        elements += elements_descend(&type, &bytes, elements_size, elements_basics);
    if (bytes == 0)
        return (int64_t)elements;
    /* Less than one predefined element: only the first value of a pair can be complete. */
    int has_first = type->basic->count == 2 && bytes == elements_value_bytes(&type->basic->values[0]);
    return has_first ? (int64_t)elements + 1 : -1;
}

int cor_dtype_element_bytes(const cor_dtype *type, uint64_t elements, uint64_t *bytes_p)
{
    uint64_t bytes = 0;
    if (type->basic_count == 0) {
        *bytes_p = 0;
        return elements == 0 ? COR_OK : COR_ERR_COUNT;
    }
    if (__builtin_mul_overflow(elements / type->basic_count, (uint64_t)type->size, &bytes))
        return COR_ERR_COUNT;
    elements %= type->basic_count;
    while (elements > 0 && !type->basic)
        bytes += elements_descend(&type, &elements, elements_basics, elements_size);
    if (elements > 0)
        bytes += elements_value_bytes(&type->basic->values[0]);
    *bytes_p = bytes;
    return COR_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* From a layout to a datatype: sizes, bounds, program; and the life of types. */
#include "dtype/layout.h"

#include "base/error.h"

#include <stdlib.h>

/* A type that is made at run time, with all that belongs to it. */
typedef struct made {
    cor_dtype type;
    cor_layout layout;
    cor_program_memory memory; /* of program, layout and recipe */
    struct made *next;         /* while it waits to be freed */
} made;

/* ---- sizes and bounds ------------------------------------------------------------------------------------------- */

/* An interval that grows, and whether it has overflowed. */
typedef struct span {
    ptrdiff_t low, high;
    int is_set, is_wrong;
} span;

/* Add [low, high) repeated `count` times, `stride` apart, the first at `offset`. */
static void span_add(span *s, ptrdiff_t offset, size_t count, ptrdiff_t stride, ptrdiff_t low, ptrdiff_t high)
{
    ptrdiff_t first_low, first_high, reach, last_low, last_high;
    int is_wrong =
        __builtin_add_overflow(offset, low, &first_low) || __builtin_add_overflow(offset, high, &first_high) ||
        __builtin_mul_overflow(count - 1, stride, &reach) || __builtin_add_overflow(first_low, reach, &last_low) ||
        __builtin_add_overflow(first_high, reach, &last_high);
    if (is_wrong) {
        s->is_wrong = 1;
        return;
    }
    ptrdiff_t lowest = reach < 0 ? last_low : first_low, highest = reach < 0 ? first_high : last_high;
    s->low = s->is_set && s->low < lowest ? s->low : lowest;
    s->high = s->is_set && s->high > highest ? s->high : highest;
    s->is_set = 1;
}

/* Extent of the data; of the elements, each with its padding; and the bounds that were given to elements. */
typedef struct spans {
    span data, elements, given;
} spans;

/* Add `length` times [low, high), `extent` apart, as a block that is repeated `count` times, `stride` apart. */
static void span_add_block(span *s, ptrdiff_t offset, size_t count, ptrdiff_t stride, size_t length, ptrdiff_t extent,
                           ptrdiff_t low, ptrdiff_t high)
{
    span block = {0};
    span_add(&block, 0, length, extent, low, high);
    s->is_wrong |= block.is_wrong;
    if (block.is_set)
        span_add(s, offset, count, stride, block.low, block.high);
}

/* Add `length` elements of a type, repeated `count` times, `stride` apart. */
static void spans_add(spans *s, ptrdiff_t offset, size_t count, ptrdiff_t stride, size_t length, const cor_dtype *base)
{
    ptrdiff_t extent = base->extent, ub = base->lb + extent;
    if (count == 0 || length == 0)
        return;
    if (base->size > 0)
        span_add_block(&s->data, offset, count, stride, length, extent, base->true_lb, base->true_ub);
    if (base->has_bounds)
        span_add_block(&s->given, offset, count, stride, length, extent, base->lb, ub);
    else if (base->size > 0)
        span_add_block(&s->elements, offset, count, stride, length, extent, base->lb, ub);
}

/* Totals over all blocks. */
typedef struct sums {
    size_t size, basic_count, external_bytes, alignment;
    int is_wrong;
} sums;

static void sums_add(sums *s, size_t elements, const cor_dtype *base)
{
    size_t size, basic_count, external_bytes;
    if (__builtin_mul_overflow(elements, base->size, &size) || __builtin_add_overflow(s->size, size, &s->size) ||
        (s->size > PTRDIFF_MAX) || __builtin_mul_overflow(elements, base->basic_count, &basic_count) ||
        __builtin_add_overflow(s->basic_count, basic_count, &s->basic_count) ||
        __builtin_mul_overflow(elements, base->external_bytes, &external_bytes) ||
        __builtin_add_overflow(s->external_bytes, external_bytes, &s->external_bytes) ||
        (s->external_bytes > PTRDIFF_MAX))
        s->is_wrong = 1;
    if (elements > 0 && base->alignment > s->alignment)
        s->alignment = base->alignment;
}

/*
 * Size and bounds. Given bounds take precedence, also those of elements (MPI's markers). Without any the type reaches
 * from where the first element begins to where the last one ends, and that is padded to a multiple of the strictest
 * alignment (MPI's epsilon).
 *
 * An element ends where its own extent says, padding included, as in MPICH and Open MPI. The standard's formula looks
 * at the basic elements only. The two differ where an element that is padded lies at an offset that does not fit its
 * alignment: {double, char} takes 16 bytes, and at offset 1, after a char, it ends at 17 and makes a type of 24 bytes;
 * its last char ends at 10, which would make one of 16. Where all is aligned, as in a C struct, both are the same.
 * Every constructor pads, as in the standard and Open MPI; MPICH pads structs only.
 */
static int layout_measure(const cor_layout *layout, const cor_bounds *bounds, cor_dtype *type)
{
    spans found = {0};
    sums all = {.alignment = 1};
    size_t elements;
    if (layout->kind == COR_LAYOUT_VECTOR) {
        all.is_wrong |= __builtin_mul_overflow(layout->count, layout->length, &elements);
        sums_add(&all, elements, layout->base);
        spans_add(&found, 0, layout->count, layout->stride, layout->length, layout->base);
    } else {
        for (size_t i = 0; i < layout->count; i++) {
            const cor_dtype *base = cor_layout_base(layout, i);
            sums_add(&all, cor_layout_length(layout, i), base);
            spans_add(&found, layout->displacements[i], 1, 0, cor_layout_length(layout, i), base);
        }
    }
    ptrdiff_t bytes = 0, extent = 0, ub;
    int is_wrong = all.is_wrong | found.data.is_wrong | found.elements.is_wrong | found.given.is_wrong;
    is_wrong |= __builtin_sub_overflow(found.data.high, found.data.low, &bytes);
    is_wrong |= __builtin_sub_overflow(found.elements.high, found.elements.low, &bytes);
    if (bounds)
        found.given = (span){.is_set = 1, .low = bounds->lb, .high = 0};
    ptrdiff_t lb = found.given.is_set ? found.given.low : found.elements.low;
    if (bounds)
        extent = bounds->extent;
    else if (found.given.is_set)
        is_wrong |= __builtin_sub_overflow(found.given.high, found.given.low, &extent);
    else
        is_wrong |= __builtin_add_overflow(bytes, (ptrdiff_t)(-(size_t)bytes % all.alignment), &extent);
    if (is_wrong | __builtin_add_overflow(lb, extent, &ub))
        return COR_ERR_COUNT;
    type->size = all.size;
    type->basic_count = all.basic_count;
    type->external_bytes = all.external_bytes;
    type->alignment = all.alignment;
    type->true_lb = found.data.low;
    type->true_ub = found.data.high;
    type->has_bounds = found.given.is_set;
    type->lb = lb;
    type->extent = extent;
    return COR_OK;
}

/* ---- program ---------------------------------------------------------------------------------------------------- */

static cor_root layout_root(const cor_dtype *type)
{
    return (cor_root){type->first, type->nest};
}

static int layout_program_vector(const cor_layout *layout, cor_program_memory *memory, cor_root *root_p)
{
    cor_program_list list;
    cor_root block;
    cor_program_open(&list, memory);
    cor_program_add(&list, 0, layout_root(layout->base), layout->length, layout->base->extent);
    if (layout->count == 1)
        return cor_program_finish(&list, root_p);
    int rc = cor_program_finish(&list, &block);
    if (rc != COR_OK)
        return rc;
    cor_program_open(&list, memory);
    cor_program_add(&list, 0, block, layout->count, layout->stride);
    return cor_program_finish(&list, root_p);
}

static int layout_program_blocks(const cor_layout *layout, cor_program_memory *memory, cor_root *root_p)
{
    cor_program_list list;
    cor_program_open(&list, memory);
    for (size_t i = 0; i < layout->count; i++) {
        const cor_dtype *base = cor_layout_base(layout, i);
        cor_program_add(&list, layout->displacements[i], layout_root(base), cor_layout_length(layout, i),
                        base->extent);
    }
    return cor_program_finish(&list, root_p);
}

static int layout_program(made *m)
{
    cor_dtype *type = &m->type;
    cor_root root;
    int rc = m->layout.kind == COR_LAYOUT_VECTOR ? layout_program_vector(&m->layout, &m->memory, &root)
                                                 : layout_program_blocks(&m->layout, &m->memory, &root);
    if (rc != COR_OK)
        return rc;
    const cor_nest *nest = root.nest;
    ptrdiff_t end;
    type->first = root.first;
    type->nest = nest;
    type->step = type->extent;
    type->whole = 1;
    /* Elements that continue the outermost loop of the last one make that loop longer. */
    if (nest && nest->depth > 0 && !__builtin_mul_overflow(nest->loops[0].count, nest->loops[0].stride, &end) &&
        end == type->extent) {
        type->level = 1;
        type->whole = nest->loops[0].count;
        type->step = nest->loops[0].stride;
    }
    int is_block = !nest || (nest->depth == 0 && !nest->body);
    type->is_contiguous = is_block && root.first == 0 && type->extent == (ptrdiff_t)type->size;
    return COR_OK;
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

static void *layout_copy(cor_program_memory *memory, const void *array, size_t bytes, int *is_short_p)
{
    void *copy = array ? cor_program_alloc(memory, bytes) : NULL;
    if (copy)
        memcpy(copy, array, bytes);
    *is_short_p |= array && !copy;
    return copy;
}

static int layout_keep(made *m, const cor_layout *layout)
{
    int is_short = 0;
    cor_layout *kept = &m->layout;
    *kept = *layout;
    kept->displacements = layout_copy(&m->memory, layout->displacements, layout->count * sizeof(ptrdiff_t), &is_short);
    kept->lengths = layout_copy(&m->memory, layout->lengths, layout->count * sizeof(size_t), &is_short);
    kept->bases = layout_copy(&m->memory, layout->bases, layout->count * sizeof(cor_dtype *), &is_short);
    return is_short ? COR_ERR_MEMORY : COR_OK;
}

int cor_layout_make(const cor_layout *layout, const cor_bounds *bounds, const cor_dtype **type_p)
{
    made *m = calloc(1, sizeof *m);
    if (!m)
        return COR_ERR_MEMORY;
    int rc = layout_measure(layout, bounds, &m->type);
    if (rc == COR_OK)
        rc = layout_keep(m, layout);
    if (rc == COR_OK)
        rc = layout_program(m);
    if (rc != COR_OK) {
        cor_program_free(&m->memory);
        free(m);
        return rc;
    }
    m->type.name = "";
    m->type.layout = &m->layout;
    atomic_init(&m->type.references, 1);
    atomic_init(&m->type.receive_max, 0);
    if (layout->base)
        cor_dtype_ref(layout->base);
    for (size_t i = 0; !layout->base && i < layout->count; i++)
        cor_dtype_ref(layout->bases[i]);
    *type_p = &m->type;
    return COR_OK;
}

int cor_dtype_set_recipe(const cor_dtype *type, const cor_recipe *recipe)
{
    made *m = (made *)(uintptr_t)type;
    int is_short = 0;
    cor_recipe *copy = layout_copy(&m->memory, recipe, sizeof *recipe, &is_short);
    if (!copy)
        return COR_ERR_MEMORY;
    copy->integers = layout_copy(&m->memory, recipe->integers, recipe->integer_count * sizeof(int), &is_short);
    copy->addresses = layout_copy(&m->memory, recipe->addresses, recipe->address_count * sizeof(ptrdiff_t), &is_short);
    copy->larges = layout_copy(&m->memory, recipe->larges, recipe->large_count * sizeof(int64_t), &is_short);
    copy->types = layout_copy(&m->memory, recipe->types, recipe->type_count * sizeof(cor_dtype *), &is_short);
    if (is_short)
        return COR_ERR_MEMORY;
    for (size_t i = 0; i < recipe->type_count; i++)
        cor_dtype_ref(recipe->types[i]);
    m->type.recipe = copy;
    return COR_OK;
}

/* Types are immutable except for the reference count. */
static _Atomic int *dtype_references(const cor_dtype *type)
{
    return (_Atomic int *)(uintptr_t)&type->references;
}

void cor_dtype_ref(const cor_dtype *type)
{
    /* relaxed: the caller already has a reference. */
    if (!type->is_predefined)
        atomic_fetch_add_explicit(dtype_references(type), 1, memory_order_relaxed);
}

/* Drop one reference; an unreferenced type joins the list of types to free. */
static void dtype_let_go(const cor_dtype *type, made **dead_p)
{
    /* release: this thread's uses of the type are over before it is freed; acquire: the freeing thread sees the uses
     * of all others. */
    if (type->is_predefined || atomic_fetch_sub_explicit(dtype_references(type), 1, memory_order_acq_rel) != 1)
        return;
    made *m = (made *)(uintptr_t)type;
    m->next = *dead_p;
    *dead_p = m;
}

void cor_dtype_unref(const cor_dtype *type)
{
    /* A list and not recursion, so that a long chain of types cannot use up the stack. */
    made *dead = NULL;
    dtype_let_go(type, &dead);
    while (dead) {
        made *m = dead;
        const cor_recipe *recipe = m->type.recipe;
        dead = m->next;
        if (m->layout.base)
            dtype_let_go(m->layout.base, &dead);
        for (size_t i = 0; !m->layout.base && i < m->layout.count; i++)
            dtype_let_go(m->layout.bases[i], &dead);
        for (size_t i = 0; recipe && i < recipe->type_count; i++)
            dtype_let_go(recipe->types[i], &dead);
        cor_program_free(&m->memory);
        free(m);
    }
}

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

/* An interval that grows, with a memory for overflows. */
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

/* Add `length` elements of a type, repeated `count` times, `stride` apart. */
static void span_add_block(span *data, span *given, ptrdiff_t offset, size_t count, ptrdiff_t stride, size_t length,
                           const cor_dtype *base)
{
    if (count == 0 || length == 0)
        return;
    span block = {0}, marks = {0};
    if (base->size > 0)
        span_add(&block, 0, length, base->extent, base->true_lb, base->true_ub);
    if (base->has_bounds)
        span_add(&marks, 0, length, base->extent, base->lb, base->lb + base->extent);
    data->is_wrong |= block.is_wrong | marks.is_wrong;
    if (block.is_set)
        span_add(data, offset, count, stride, block.low, block.high);
    if (marks.is_set)
        span_add(given, offset, count, stride, marks.low, marks.high);
}

/* What all blocks have together. */
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

/* Size, bounds and the like. The extent is padded to the alignment unless somebody has set bounds (MPI's epsilon). */
static int layout_measure(const cor_layout *layout, const cor_bounds *bounds, cor_dtype *type)
{
    span data = {0}, given = {0};
    sums all = {.alignment = 1};
    size_t elements;
    if (layout->kind == COR_LAYOUT_VECTOR) {
        all.is_wrong |= __builtin_mul_overflow(layout->count, layout->length, &elements);
        sums_add(&all, elements, layout->base);
        span_add_block(&data, &given, 0, layout->count, layout->stride, layout->length, layout->base);
    } else {
        for (size_t i = 0; i < layout->count; i++) {
            const cor_dtype *base = cor_layout_base(layout, i);
            sums_add(&all, cor_layout_length(layout, i), base);
            span_add_block(&data, &given, layout->displacements[i], 1, 0, cor_layout_length(layout, i), base);
        }
    }
    ptrdiff_t data_bytes = 0, extent = 0, ub;
    int is_wrong = all.is_wrong | data.is_wrong | given.is_wrong;
    is_wrong |= __builtin_sub_overflow(data.high, data.low, &data_bytes);
    if (bounds)
        given = (span){.is_set = 1, .low = bounds->lb, .high = 0};
    ptrdiff_t lb = given.is_set ? given.low : data.low;
    if (bounds)
        extent = bounds->extent;
    else if (given.is_set)
        is_wrong |= __builtin_sub_overflow(given.high, given.low, &extent);
    else
        is_wrong |= __builtin_add_overflow(data_bytes, (ptrdiff_t)(-(size_t)data_bytes % all.alignment), &extent);
    if (is_wrong | __builtin_add_overflow(lb, extent, &ub))
        return COR_ERR_COUNT;
    type->size = all.size;
    type->basic_count = all.basic_count;
    type->external_bytes = all.external_bytes;
    type->alignment = all.alignment;
    type->true_lb = data.low;
    type->true_ub = data.high;
    type->has_bounds = given.is_set;
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
    /* Elements that go on where the last one's outermost loop ended make that loop longer. */
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

/* Types are const to everybody but their reference count. */
static _Atomic int *dtype_references(const cor_dtype *type)
{
    return (_Atomic int *)(uintptr_t)&type->references;
}

void cor_dtype_ref(const cor_dtype *type)
{
    /* relaxed: whoever takes a reference already has one. */
    if (!type->is_predefined)
        atomic_fetch_add_explicit(dtype_references(type), 1, memory_order_relaxed);
}

/* Let go of one reference; a type that nobody has any more joins the list of those to free. */
static void dtype_let_go(const cor_dtype *type, made **dead_p)
{
    /* release: this thread's uses of the type are over before it is freed; acquire: the freeing thread sees that of
     * all the others. */
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

/* Elements in a row, and the life of datatypes that are made at run time. */
#include "dtype/dtype.h"

#include "base/error.h"

#include <stdlib.h>

/* A made type keeps its run and the type whose runs it borrows. */
typedef struct contiguous {
    cor_dtype type;
    cor_run run;
    const cor_dtype *base;
} contiguous;

int cor_dtype_contiguous(size_t count, const cor_dtype *base, const cor_dtype **type_p)
{
    size_t size, repeat, basic_count;
    ptrdiff_t extent;
    if (__builtin_mul_overflow(count, base->size, &size) || __builtin_mul_overflow(count, base->extent, &extent) ||
        __builtin_mul_overflow(count, base->repeat, &repeat) ||
        __builtin_mul_overflow(count, base->basic_count, &basic_count) || size > PTRDIFF_MAX)
        return COR_ERR_COUNT;
    contiguous *made = calloc(1, sizeof *made);
    if (!made)
        return COR_ERR_MEMORY;
    cor_dtype *type = &made->type;
    type->name = "";
    type->size = size;
    type->extent = extent;
    type->lb = count ? base->lb : 0;
    type->basic_count = basic_count;
    atomic_init(&type->references, 1);
    if (base->is_contiguous) {
        made->run = (cor_run){0, size};
        type->run_count = size ? 1 : 0;
        type->runs = &made->run;
        type->repeat = 1;
        type->stride = extent;
        type->is_contiguous = 1;
    } else {
        type->run_count = base->run_count;
        type->runs = base->runs;
        type->repeat = repeat;
        type->stride = base->stride;
    }
    made->base = base;
    cor_dtype_ref(base);
    *type_p = type;
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

void cor_dtype_unref(const cor_dtype *type)
{
    /* Not recursive, so that a long chain of types cannot use up the stack. */
    while (!type->is_predefined) {
        /* release: this thread's uses of the type are over before it is freed; acquire: the freeing thread sees that
         * of all the others. */
        if (atomic_fetch_sub_explicit(dtype_references(type), 1, memory_order_acq_rel) != 1)
            return;
        contiguous *made = (contiguous *)(uintptr_t)type;
        type = made->base;
        free(made);
    }
}

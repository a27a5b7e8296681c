/* SPDX-License-Identifier: Apache-2.0 */
/* Operators: their life, and applying them to packed streams and to memory under a datatype. */
#include "dtype/op.h"

#include "base/copy.h"
#include "base/error.h"
#include "dtype/op_kernels.h"

#include <stdlib.h>
#include <string.h>

/* ---- life ------------------------------------------------------------------------------------------------------- */

#define OP_DEFINE(abi_number, suffix, commutes, ...)                                                                  \
    static const cor_op op_##suffix = {.name = "MPI_" #suffix, .number = abi_number, .is_commutative = commutes};
COR_OP_LIST(OP_DEFINE)

const cor_op *cor_op_predefined(uint32_t number)
{
    static const cor_op *const table[COR_OP_ROWS] = {
#define OP_ROW(abi_number, suffix, ...) [COR_OP_ROW_##suffix] = &op_##suffix,
        COR_OP_LIST(OP_ROW)};
    uint32_t row = number - COR_OP_FIRST;
    return row < COR_OP_ROWS ? table[row] : NULL;
}

cor_op *cor_op_create(cor_op_apply_fn apply, int is_commutative, void *context, void (*free_fn)(void *context))
{
    cor_op *op = calloc(1, sizeof *op);
    if (!op)
        return NULL;
    op->is_commutative = is_commutative;
    op->apply = apply;
    op->context = context;
    op->free_fn = free_fn;
    atomic_init(&op->references, 1);
    return op;
}

/* Operators are immutable except for the reference count. */
static _Atomic int *op_references(const cor_op *op)
{
    return (_Atomic int *)(uintptr_t)&op->references;
}

void cor_op_ref(const cor_op *op)
{
    /* relaxed: the caller already has a reference. */
    if (op->apply)
        atomic_fetch_add_explicit(op_references(op), 1, memory_order_relaxed);
}

void cor_op_unref(const cor_op *op)
{
    /* release: this thread's uses of the operator are over before it is freed; acquire: the freeing thread sees the
     * uses of all others. */
    if (!op->apply || atomic_fetch_sub_explicit(op_references(op), 1, memory_order_acq_rel) != 1)
        return;
    if (op->free_fn)
        op->free_fn(op->context);
    free((cor_op *)(uintptr_t)op);
}

int cor_reducer_init(cor_reducer *reducer, const cor_op *op, const cor_dtype *type, void *handle)
{
    cor_combine_fn combine = NULL;
    if (!op->apply) {
        combine = type->is_predefined ? cor_op_kernel(op->number, type->number) : NULL;
        if (!combine)
            return COR_ERR_TYPE;
    }
    *reducer = (cor_reducer){.op = op, .type = type, .handle = handle, .combine = combine};
    return COR_OK;
}

void cor_reducer_hold(const cor_reducer *reducer)
{
    cor_op_ref(reducer->op);
    cor_dtype_ref(reducer->type);
    if (reducer->op->hold_handle)
        reducer->op->hold_handle(reducer->handle);
}

void cor_reducer_release(const cor_reducer *reducer)
{
    if (reducer->op->release_handle)
        reducer->op->release_handle(reducer->handle);
    cor_dtype_unref(reducer->type);
    cor_op_unref(reducer->op);
}

/* ---- scratch memory --------------------------------------------------------------------------------------------- */

enum { OP_SCRATCH_BYTES = 64 << 10, OP_SCRATCH_ALIGNMENT = 16 };

/* Two pieces of memory for some elements each, laid out as their type says. */
typedef struct op_scratch {
    size_t elements;    /* that fit at once, at least 1 */
    void *memory;       /* of both */
    void *left, *right; /* the address of the first element in MPI's sense: its data may lie before or after it */
} op_scratch;

/* How many elements are worked on at once: as many as fit without overlapping. */
static size_t scratch_elements(const cor_dtype *type, size_t span, size_t count)
{
    size_t step = (size_t)(type->extent < 0 ? -type->extent : type->extent);
    size_t fit = span >= OP_SCRATCH_BYTES ? 1 : (OP_SCRATCH_BYTES - span) / (step ? step : 1) + 1;
    size_t apart = cor_dtype_receive_max(type);
    fit = fit < apart ? fit : apart;
    fit = fit < count ? fit : count;
    return fit ? fit : 1;
}

static int scratch_init(op_scratch *scratch, const cor_dtype *type, size_t count)
{
    /* A user's function may copy a whole struct: the bounds count as well as the data. */
    ptrdiff_t ub = type->lb + type->extent;
    ptrdiff_t low = type->lb < type->true_lb ? type->lb : type->true_lb;
    ptrdiff_t high = ub > type->true_ub ? ub : type->true_ub;
    low = low < ub ? low : ub; /* an extent may be negative */
    high = high > type->lb ? high : type->lb;
    size_t span = (size_t)(high - low);
    scratch->elements = scratch_elements(type, span, count);
    ptrdiff_t reach = (ptrdiff_t)(scratch->elements - 1) * type->extent;
    low += reach < 0 ? reach : 0;
    size_t bytes = span + (size_t)(reach < 0 ? -reach : reach);
    /* The place where an element begins is aligned, whatever its lower bound. */
    ptrdiff_t shift = low & (OP_SCRATCH_ALIGNMENT - 1);
    bytes = (bytes + (size_t)shift + OP_SCRATCH_ALIGNMENT - 1) & ~(size_t)(OP_SCRATCH_ALIGNMENT - 1);
    /* Zeroed, because gaps are read too when a struct is copied. */
    scratch->memory = calloc(2, bytes);
    if (!scratch->memory)
        return COR_ERR_MEMORY;
    uintptr_t begin = (uintptr_t)scratch->memory - (uintptr_t)(low - shift);
    scratch->left = (void *)begin;
    scratch->right = (void *)(begin + bytes);
    return COR_OK;
}

static void scratch_fini(op_scratch *scratch)
{
    free(scratch->memory);
}

/* ---- packed streams --------------------------------------------------------------------------------------------- */

/* A user's operator on a stream, where the type has gaps. */
static int op_apply_unpacked(const cor_reducer *reducer, const char *a, const char *b, char *out, size_t count)
{
    const cor_dtype *type = reducer->type;
    op_scratch scratch;
    int code = scratch_init(&scratch, type, count);
    if (code != COR_OK)
        return code;
    while (count > 0) {
        size_t elements = count < scratch.elements ? count : scratch.elements, bytes = elements * type->size;
        cor_dtype_unpack(type, scratch.left, elements, 0, a, bytes);
        cor_dtype_unpack(type, scratch.right, elements, 0, b, bytes);
        reducer->op->apply(reducer->op, scratch.left, scratch.right, elements, type, reducer->handle);
        cor_dtype_pack(type, scratch.right, elements, 0, out, bytes);
        a += bytes;
        b += bytes;
        out += bytes;
        count -= elements;
    }
    scratch_fini(&scratch);
    return COR_OK;
}

static int op_is_aligned(const void *memory, const cor_dtype *type)
{
    return type->alignment < 2 || (uintptr_t)memory % type->alignment == 0;
}

int cor_reduce_packed(const cor_reducer *reducer, const void *a, const void *b, void *out, size_t bytes)
{
    const cor_dtype *type = reducer->type;
    if (bytes == 0)
        return COR_OK;
    size_t count = bytes / type->size;
    if (reducer->combine) {
        cor_copy_announce(out, bytes);
        reducer->combine(a, b, out, count);
        return COR_OK;
    }
    if (!type->is_contiguous || !op_is_aligned(a, type) || !op_is_aligned(b, type) || !op_is_aligned(out, type))
        return op_apply_unpacked(reducer, a, b, out, count);
    /* The function writes its second operand: where the result replaces the left one, swap them. */
    const void *in = out == a ? b : a;
    if (out != a && out != b)
        memcpy(out, b, bytes);
    reducer->op->apply(reducer->op, in, out, count, type, reducer->handle);
    return COR_OK;
}

/* ---- memory under a datatype ------------------------------------------------------------------------------------ */

/* A predefined operator on elements with gaps: pairs. */
static void op_combine_pieces(const cor_reducer *reducer, const void *in, void *inout, size_t count)
{
    const cor_dtype *type = reducer->type;
    char left[4096], right[sizeof left];
    size_t piece = sizeof left / type->size;
    for (size_t done = 0; done < count; done += piece) {
        size_t elements = count - done < piece ? count - done : piece;
        size_t offset = done * type->size, bytes = elements * type->size;
        cor_dtype_pack(type, in, count, offset, left, bytes);
        cor_dtype_pack(type, inout, count, offset, right, bytes);
        reducer->combine(left, right, right, elements);
        cor_dtype_unpack(type, inout, count, offset, right, bytes);
    }
}

int cor_reduce_local(const cor_reducer *reducer, const void *in, void *inout, size_t count)
{
    const cor_dtype *type = reducer->type;
    if (count == 0 || type->size == 0)
        return COR_OK;
    if (!reducer->combine) {
        reducer->op->apply(reducer->op, in, inout, count, type, reducer->handle);
    } else if (type->is_contiguous) {
        cor_copy_announce(inout, count * type->size);
        reducer->combine(in, inout, inout, count);
    } else {
        op_combine_pieces(reducer, in, inout, count);
    }
    return COR_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling programs: lists of steps in which adjacent bytes are merged and loops are found. */
#include "dtype/kernel.h"

#include "base/error.h"

#include <stdlib.h>

enum {
    PROGRAM_INLINE_STEPS = 16, /* a list repeated up to this many steps is written out instead of looped over */
    PROGRAM_FOLD_STEPS = 4,    /* equal steps in a row that are worth a loop, if there are others beside them */
    PROGRAM_FOLD_PASSES = 4,
};

/* ---- memory ----------------------------------------------------------------------------------------------------- */

struct program_chunk {
    struct program_chunk *next;
    max_align_t data[];
};

void *cor_program_alloc(cor_program_memory *memory, size_t bytes)
{
    struct program_chunk *chunk = malloc(sizeof *chunk + bytes);
    if (!chunk)
        return NULL;
    chunk->next = memory->chunks;
    memory->chunks = chunk;
    return chunk->data;
}

void cor_program_free(cor_program_memory *memory)
{
    while (memory->chunks) {
        struct program_chunk *chunk = memory->chunks;
        memory->chunks = chunk->next;
        free(chunk);
    }
}

/* ---- nests ------------------------------------------------------------------------------------------------------ */

static int nest_is_block(const cor_nest *nest)
{
    return nest->depth == 0 && !nest->body;
}

static cor_nest *nest_of_block(cor_program_memory *memory, size_t bytes)
{
    cor_nest *nest = cor_program_alloc(memory, sizeof *nest);
    if (nest)
        *nest = (cor_nest){.bytes = bytes, .body_bytes = bytes, .kernel = COR_KERNEL_OF(bytes)};
    return nest;
}

static cor_nest *nest_of_body(cor_program_memory *memory, const cor_body *body)
{
    cor_nest *nest = cor_program_alloc(memory, sizeof *nest);
    if (nest)
        *nest = (cor_nest){.bytes = body->bytes, .body_bytes = body->bytes, .body = body};
    return nest;
}

/* A body of these steps, whose begins hold their bytes; and of one more, for its begin. */
static cor_body *body_make(cor_program_memory *memory, const cor_step *steps, size_t count)
{
    cor_body *body = cor_program_alloc(memory, sizeof *body);
    cor_step *copy = body ? cor_program_alloc(memory, (count + 1) * sizeof *copy) : NULL;
    if (!copy)
        return NULL;
    *body = (cor_body){.count = count, .steps = copy, .is_flat = 1, .uniform = steps[0].begin};
    for (size_t i = 0; i < count; i++) {
        size_t bytes = steps[i].begin;
        copy[i] = (cor_step){steps[i].offset - steps[0].offset, body->bytes, steps[i].nest};
        body->bytes += bytes;
        body->is_flat &= !steps[i].nest;
        if (steps[i].nest || bytes != body->uniform)
            body->uniform = 0;
    }
    copy[count] = (cor_step){.begin = body->bytes};
    return body;
}

/* One loop more around a nest. Sizes cannot overflow: the type's own size was checked before. */
static const cor_nest *nest_loop(cor_program_memory *memory, const cor_nest *inner, size_t count, ptrdiff_t stride)
{
    cor_nest *nest;
    if (inner->depth == COR_NEST_DEPTH) {
        cor_step step = {.begin = inner->bytes, .nest = inner};
        const cor_body *body = body_make(memory, &step, 1);
        nest = body ? nest_of_body(memory, body) : NULL;
    } else {
        nest = cor_program_alloc(memory, sizeof *nest);
        if (nest)
            *nest = *inner;
    }
    if (!nest)
        return NULL;
    nest->bytes = count * inner->bytes;
    cor_loop *outer = &nest->loops[0];
    ptrdiff_t end;
    if (nest->depth > 0 && !__builtin_mul_overflow(outer->count, outer->stride, &end) && stride == end) {
        outer->count *= count;
        outer->bytes = nest->bytes;
        return nest;
    }
    for (uint32_t i = nest->depth++; i > 0; i--)
        nest->loops[i] = nest->loops[i - 1];
    *outer = (cor_loop){count, stride, nest->bytes};
    return nest;
}

static int nest_is_equal(const cor_nest *a, const cor_nest *b)
{
    if (a == b)
        return 1;
    if (!a || !b || a->depth != b->depth || a->body != b->body || a->body_bytes != b->body_bytes)
        return 0;
    for (uint32_t i = 0; i < a->depth; i++)
        if (a->loops[i].count != b->loops[i].count || a->loops[i].stride != b->loops[i].stride)
            return 0;
    return 1;
}

/* ---- lists ------------------------------------------------------------------------------------------------------ */

void cor_program_open(cor_program_list *list, cor_program_memory *memory)
{
    *list = (cor_program_list){.memory = memory};
}

static void list_push(cor_program_list *list, ptrdiff_t offset, size_t bytes, const cor_nest *nest)
{
    if (list->count > 0 && !nest) {
        cor_step *last = &list->steps[list->count - 1];
        if (!last->nest && last->offset + (ptrdiff_t)last->begin == offset) {
            last->begin += bytes;
            return;
        }
    }
    if (list->count == list->room) {
        size_t room = list->room ? 2 * list->room : 8;
        cor_step *grown = realloc(list->steps, room * sizeof *grown);
        if (!grown) {
            list->is_out_of_memory = 1;
            return;
        }
        list->steps = grown;
        list->room = room;
    }
    list->steps[list->count++] = (cor_step){offset, bytes, nest};
}

static void list_push_loop(cor_program_list *list, ptrdiff_t offset, cor_root root, size_t count, ptrdiff_t stride)
{
    if (!list->last_nest || list->last_of.nest != root.nest || list->last_count != count ||
        list->last_stride != stride) {
        list->last_of = root;
        list->last_count = count;
        list->last_stride = stride;
        list->last_nest = nest_loop(list->memory, root.nest, count, stride);
    }
    if (list->last_nest)
        list_push(list, offset, list->last_nest->bytes, list->last_nest);
    else
        list->is_out_of_memory = 1;
}

static void list_push_body(cor_program_list *list, ptrdiff_t offset, const cor_body *body)
{
    for (const cor_step *step = body->steps; step < body->steps + body->count; step++)
        list_push(list, offset + step->offset, step[1].begin - step->begin, step->nest);
}

void cor_program_add(cor_program_list *list, ptrdiff_t offset, cor_root root, size_t count, ptrdiff_t stride)
{
    const cor_nest *nest = root.nest;
    if (!nest || count == 0)
        return;
    offset += root.first;
    int is_list = nest->depth == 0 && nest->body;
    if (nest_is_block(nest) && (count == 1 || stride == (ptrdiff_t)nest->bytes))
        list_push(list, offset, count * nest->bytes, NULL);
    else if (is_list && (count == 1 || count <= PROGRAM_INLINE_STEPS / nest->body->count))
        for (size_t i = 0; i < count; i++)
            list_push_body(list, offset + (ptrdiff_t)i * stride, nest->body);
    else if (count == 1)
        list_push(list, offset, nest->bytes, nest);
    else
        list_push_loop(list, offset, root, count, stride);
}

/* ---- loops in lists --------------------------------------------------------------------------------------------- */

/* How many steps from here on are equal and equally spaced. */
static size_t list_alike(const cor_program_list *list, size_t from)
{
    const cor_step *steps = list->steps;
    size_t i = from + 1;
    for (; i < list->count; i++) {
        if (steps[i].begin != steps[from].begin || !nest_is_equal(steps[i].nest, steps[from].nest) ||
            steps[i].offset - steps[i - 1].offset != steps[from + 1].offset - steps[from].offset)
            break;
    }
    return i - from;
}

/* Equal steps become one with one more loop. */
static void list_fold(cor_program_list *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count;) {
        cor_step *steps = list->steps, step = steps[i];
        size_t alike = list_alike(list, i);
        if (alike >= PROGRAM_FOLD_STEPS || (alike > 1 && alike == list->count)) {
            const cor_nest *inner = step.nest ? step.nest : nest_of_block(list->memory, step.begin);
            ptrdiff_t stride = steps[i + 1].offset - steps[i].offset;
            step.nest = inner ? nest_loop(list->memory, inner, alike, stride) : NULL;
            if (!step.nest) {
                list->is_out_of_memory = 1;
                return;
            }
            step.begin = step.nest->bytes;
        } else {
            alike = 1;
        }
        steps[kept++] = step;
        i += alike;
    }
    list->count = kept;
}

static const cor_nest *list_nest(cor_program_list *list)
{
    const cor_step *first = list->steps;
    if (list->count > 1) {
        const cor_body *body = body_make(list->memory, list->steps, list->count);
        return body ? nest_of_body(list->memory, body) : NULL;
    }
    return first->nest ? first->nest : nest_of_block(list->memory, first->begin);
}

int cor_program_finish(cor_program_list *list, cor_root *root_p)
{
    cor_root root = {0, NULL};
    for (int pass = 0; pass < PROGRAM_FOLD_PASSES && list->count > 1 && !list->is_out_of_memory; pass++) {
        size_t before = list->count;
        list_fold(list);
        if (list->count == before)
            break;
    }
    if (list->count > 0 && !list->is_out_of_memory) {
        root = (cor_root){list->steps[0].offset, list_nest(list)};
        list->is_out_of_memory = !root.nest;
    }
    free(list->steps);
    if (list->is_out_of_memory)
        return COR_ERR_MEMORY;
    *root_p = root;
    return COR_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "win/win_check.h"

#include "mp/internal.h"
#include "win/win_ranges.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How an operation accesses bytes. Those from ACCESS_OWN_READ on are in buffers of this rank. */
typedef enum check_class {
    ACCESS_PUT,
    ACCESS_GET,
    ACCESS_UPDATE,
    ACCESS_FETCH,
    ACCESS_OWN_READ,
    ACCESS_OWN_WRITE,
    ACCESS_CLASSES
} check_class;

#define ACCESS_BIT(class) (1u << (class))
static const uint8_t check_conflicts[ACCESS_CLASSES] = {
    [ACCESS_PUT] =
        ACCESS_BIT(ACCESS_PUT) | ACCESS_BIT(ACCESS_GET) | ACCESS_BIT(ACCESS_UPDATE) | ACCESS_BIT(ACCESS_FETCH),
    [ACCESS_GET] = ACCESS_BIT(ACCESS_PUT) | ACCESS_BIT(ACCESS_UPDATE),
    [ACCESS_UPDATE] = ACCESS_BIT(ACCESS_PUT) | ACCESS_BIT(ACCESS_GET),
    [ACCESS_FETCH] = ACCESS_BIT(ACCESS_PUT),
    [ACCESS_OWN_READ] = ACCESS_BIT(ACCESS_OWN_WRITE),
    [ACCESS_OWN_WRITE] = ACCESS_BIT(ACCESS_OWN_READ) | ACCESS_BIT(ACCESS_OWN_WRITE),
};

typedef struct check_target {
    win_ranges sets[ACCESS_CLASSES];
} check_target;

/* What a member tells the others in a fence. */
typedef struct check_fence {
    uint64_t ranges;
    uint32_t asserts;
    uint32_t has_ops; /* since the last fence */
} check_fence;

struct win_check {
    check_target *targets;
    check_fence *fences; /* of all members: the last one */
};

int win_check_open(cor_win *win)
{
    win->check = calloc(1, sizeof *win->check);
    if (!win->check)
        return COR_ERR_MEMORY;
    win->check->targets = calloc((size_t)win->size, sizeof *win->check->targets);
    win->check->fences = calloc((size_t)win->size, sizeof *win->check->fences);
    return win->check->targets && win->check->fences ? COR_OK : COR_ERR_MEMORY;
}

void win_check_close(cor_win *win)
{
    if (!win->check)
        return;
    for (int i = 0; win->check->targets && i < win->size; i++)
        for (int class = 0; class < ACCESS_CLASSES; class ++)
            free(win->check->targets[i].sets[class].ranges);
    free(win->check->targets);
    free(win->check->fences);
    free(win->check);
    win->check = NULL;
}

void win_check_forget(cor_win *win, int target, int is_local)
{
    int first = target == COR_WIN_ALL ? 0 : target, end = target == COR_WIN_ALL ? win->size : target + 1;
    for (int i = first; i < end; i++)
        for (int class = is_local ? ACCESS_OWN_READ : 0; class < ACCESS_CLASSES; class ++)
            win->check->targets[i].sets[class].count = 0;
}

/* ---- sentences -------------------------------------------------------------------------------------------------- */

static const char *check_name(uint32_t kind)
{
    static const char *const names[] = {"a put", "a get", "an accumulate", "a get_accumulate", "a compare_and_swap"};
    return kind < sizeof names / sizeof *names ? names[kind] : "an operation";
}

/* "a put of bytes 8 to 15 of rank 2" */
static const char *check_text(const cor_win *win, const win_range *range, char text[96])
{
    const char *name = check_name(range->kind);
    unsigned long long low = range->low, last = range->high - 1;
    if (range->class >= ACCESS_OWN_READ)
        snprintf(text, 96, "%s %s rank %d at %#llx to %#llx",
                 range->class == ACCESS_OWN_READ ? "the origin buffer of" : "the result buffer of", name,
                 range->target, low, last);
    else if (win->flavour == COR_WIN_DYNAMIC)
        snprintf(text, 96, "%s at %#llx to %#llx of rank %d", name, low, last, range->target);
    else
        snprintf(text, 96, "%s of bytes %llu to %llu of rank %d", name, low, last, range->target);
    return text;
}

static int check_fail(const cor_win *win, const win_range *now, const win_range *before)
{
    char one[96], other[96];
    check_text(win, now, one);
    check_text(win, before, other);
    if (now->class >= ACCESS_OWN_READ)
        return win_fail(win, COR_ERR_RMA_CONFLICT, "%s overlaps %s, which is not complete", one, other);
    return win_fail(win, COR_ERR_RMA_CONFLICT, "%s conflicts with %s, which this rank started in the same epoch", one,
                    other);
}

/* ---- an operation ----------------------------------------------------------------------------------------------- */

static int check_compare(const cor_win *win, const win_range *range)
{
    /* Buffers are this rank's, whichever target the operation that uses them has. */
    int is_own = range->class >= ACCESS_OWN_READ;
    int first = is_own ? 0 : range->target, end = is_own ? win->size : range->target + 1;
    for (int i = first; i < end; i++)
        for (int class = 0; class < ACCESS_CLASSES; class ++) {
            const win_ranges *set = &win->check->targets[i].sets[class];
            if (set->count == 0 || !(check_conflicts[range->class] & ACCESS_BIT(class)))
                continue;
            const win_range *before = win_ranges_find(set, range->low, range->high);
            if (before)
                return check_fail(win, range, before);
        }
    return COR_OK;
}

static int check_no_memory(const cor_win *win, int target)
{
    return win_fail(win, COR_ERR_MEMORY, "no memory to check accesses to rank %d for conflicts", target);
}

static check_class check_class_of(const cor_win_op *op)
{
    if (op->kind == COR_WIN_PUT || op->kind == COR_WIN_GET)
        return op->kind == COR_WIN_PUT ? ACCESS_PUT : ACCESS_GET;
    return op->kind == COR_WIN_GET_ACCUMULATE && op->origin.bytes == 0 ? ACCESS_FETCH : ACCESS_UPDATE;
}

/* Carry out `step` on an own buffer of the operation. */
typedef int (*check_step)(cor_win *win, const win_range *range);

static int check_step_add(cor_win *win, const win_range *range)
{
    int rc = win_ranges_add(&win->check->targets[range->target].sets[range->class], *range);
    return rc == COR_OK ? rc : check_no_memory(win, range->target);
}

static int check_step_compare(cor_win *win, const win_range *range)
{
    return check_compare(win, range);
}

static int check_buffer(cor_win *win, const cor_win_op *op, const cor_payload *payload, check_class class,
                        check_step step)
{
    if (payload->ops || payload->bytes == 0)
        return COR_OK;
    uint64_t low = (uint64_t)(uintptr_t)payload->base;
    win_range range = {low, low + payload->bytes, op->kind, class, win->me, op->target};
    return step(win, &range);
}

static int check_buffers(cor_win *win, const cor_win_op *op, check_step step)
{
    int rc = COR_OK;
    if (op->kind != COR_WIN_GET)
        rc = check_buffer(win, op, &op->origin, ACCESS_OWN_READ, step);
    if (rc == COR_OK && op->kind != COR_WIN_PUT && op->kind != COR_WIN_ACCUMULATE)
        rc = check_buffer(win, op, &op->result, ACCESS_OWN_WRITE, step);
    return rc;
}

/* What the operation accesses at its target, to the end of `ranges`. */
static int check_collect(cor_win *win, const cor_win_op *op, uint64_t at, win_ranges *ranges)
{
    enum { ROWS = 64 };
    cor_dtype_row rows[ROWS];
    size_t whole = op->type->size * op->count, bytes;
    for (size_t offset = 0; offset < whole; offset += bytes) {
        size_t count = cor_dtype_rows(op->type, op->count, offset, whole, rows, ROWS, &bytes);
        if (win_ranges_reserve(ranges, ranges->count + count) != COR_OK)
            return check_no_memory(win, op->target);
        for (size_t i = 0; i < count; i++) {
            uint64_t low = at + (uint64_t)rows[i].at;
            ranges->ranges[ranges->count++] =
                (win_range){low, low + rows[i].bytes, op->kind, check_class_of(op), win->me, op->target};
        }
    }
    return COR_OK;
}

/* Compared as a whole first: blocks of one operation do not conflict with each other. */
int win_check_start(cor_win *win, const cor_win_op *op, uint64_t at, int has_request)
{
    win_ranges ranges = {0};
    check_class class = check_class_of(op);
    int rc = check_buffers(win, op, check_step_compare);
    if (rc == COR_OK)
        rc = check_collect(win, op, at, &ranges);
    for (size_t i = 0; i < ranges.count && rc == COR_OK; i++)
        rc = check_compare(win, &ranges.ranges[i]);
    if (rc == COR_OK && !has_request)
        rc = check_buffers(win, op, check_step_add);
    if (rc == COR_OK && (!has_request || class == ACCESS_PUT || class == ACCESS_UPDATE) &&
        win_ranges_add_all(&win->check->targets[op->target].sets[class], ranges.ranges, ranges.count) != COR_OK)
        rc = check_no_memory(win, op->target);
    free(ranges.ranges);
    return rc;
}

/* ---- a fence ---------------------------------------------------------------------------------------------------- */

/* This rank's ranges at all targets; returns how many. ranges NULL: only count. */
static size_t fence_collect(const cor_win *win, win_range *ranges)
{
    size_t count = 0;
    for (int i = 0; i < win->size; i++)
        for (int class = 0; class < ACCESS_OWN_READ; class ++) {
            const win_ranges *set = &win->check->targets[i].sets[class];
            if (ranges && set->count > 0)
                memcpy(ranges + count, set->ranges, set->count * sizeof *ranges);
            count += set->count;
        }
    return count;
}

static int fence_order(const void *a, const void *b)
{
    const win_range *one = a, *other = b;
    if (one->target != other->target)
        return one->target < other->target ? -1 : 1;
    if (one->low != other->low)
        return one->low < other->low ? -1 : 1;
    if (one->origin != other->origin)
        return one->origin < other->origin ? -1 : 1;
    return one->class < other->class ? -1 : one->class > other->class;
}

/* A member that says that nobody puts until the next fence. */
static int fence_check_puts(cor_win *win, const win_range *all, size_t count)
{
    char text[96];
    for (size_t i = 0; i < count; i++) {
        if (!(win->check->fences[all[i].target].asserts & COR_WIN_NOPUT) ||
            (all[i].class != ACCESS_PUT && all[i].class != ACCESS_UPDATE))
            continue;
        check_text(win, &all[i], text);
        return win_fail(win, COR_ERR_RMA_ASSERT,
                        "%s by rank %d, though rank %d said MPI_MODE_NOPUT in the fence before it", text,
                        all[i].origin, all[i].target);
    }
    return COR_OK;
}

/* The first conflict in this order, which is the same at all members. */
static int fence_search(cor_win *win, win_range *all, size_t count)
{
    char one[96], other[96];
    qsort(all, count, sizeof *all, fence_order);
    int rc = fence_check_puts(win, all, count);
    for (size_t i = 0; i < count && rc == COR_OK; i++)
        for (size_t k = i + 1; k < count && all[k].target == all[i].target && all[k].low < all[i].high; k++) {
            if (all[k].origin == all[i].origin || !(check_conflicts[all[i].class] & ACCESS_BIT(all[k].class)))
                continue;
            check_text(win, &all[i], one);
            check_text(win, &all[k], other);
            return win_fail(win, COR_ERR_RMA_CONFLICT,
                            "%s by rank %d conflicts with %s by rank %d in the epoch that ends", one, all[i].origin,
                            other, all[k].origin);
        }
    return rc;
}

/* What members say of the fence itself. */
static int fence_check_asserts(cor_win *win, const check_fence *fences)
{
    static const struct {
        uint32_t bit;
        const char *name;
    } common[] = {{COR_WIN_NOPRECEDE, "MPI_MODE_NOPRECEDE"}, {COR_WIN_NOSUCCEED, "MPI_MODE_NOSUCCEED"}};
    for (size_t k = 0; k < sizeof common / sizeof *common; k++)
        for (int i = 1; i < win->size; i++) {
            int is_said = (fences[i].asserts & common[k].bit) != 0;
            if (is_said != ((fences[0].asserts & common[k].bit) != 0))
                return win_fail(win, COR_ERR_RMA_ASSERT,
                                "rank %d says %s and rank %d does not: all ranks must or none", is_said ? i : 0,
                                common[k].name, is_said ? 0 : i);
        }
    for (int i = 0; i < win->size; i++)
        if ((fences[i].asserts & COR_WIN_NOPRECEDE) && fences[i].has_ops)
            return win_fail(win, COR_ERR_RMA_ASSERT,
                            "rank %d says MPI_MODE_NOPRECEDE, but has started operations since the last fence", i);
    return COR_OK;
}

/* Blocks as long as the longest; what is missing in a shorter one has an origin below 0. */
static int fence_exchange(cor_win *win, win_range *own, win_range *all, size_t most)
{
    size_t count = 0;
    int rc = cor_internal_gather_all(win->comm, own, most * sizeof *own, all);
    if (rc != COR_OK)
        return rc;
    for (size_t i = 0; i < most * (size_t)win->size; i++)
        if (all[i].origin >= 0 && all[i].class < ACCESS_OWN_READ && all[i].target >= 0 && all[i].target < win->size)
            all[count++] = all[i];
    cor_comm_enter(win->comm);
    rc = fence_search(win, all, count);
    cor_comm_leave(win->comm);
    return rc;
}

/* The ranges of all members, of at most `most` each. */
static int fence_ranges(cor_win *win, size_t most)
{
    size_t size = (size_t)win->size;
    win_range *own = malloc(most * sizeof *own), *all = calloc(most * size, sizeof *all);
    uint64_t is_fine = own != NULL && all != NULL;
    cor_comm_enter(win->comm);
    for (size_t i = 0; own && i < most; i++)
        own[i] = (win_range){.origin = -1};
    if (own)
        fence_collect(win, own);
    cor_comm_leave(win->comm);
    int rc = cor_internal_all_and(win->comm, &is_fine, 1);
    if (rc == COR_OK && is_fine) /* else some rank has no memory to check */
        rc = fence_exchange(win, own, all, most);
    free(own);
    free(all);
    return rc;
}

int win_check_fence(cor_win *win, int asserts, int has_ops)
{
    size_t size = (size_t)win->size, most = 0;
    check_fence own = {.asserts = (uint32_t)asserts, .has_ops = (uint32_t)has_ops};
    check_fence *fences = calloc(size, sizeof *fences);
    uint64_t is_fine = fences != NULL;
    int rc = cor_internal_all_and(win->comm, &is_fine, 1);
    if (rc != COR_OK || !is_fine) {
        free(fences);
        return rc;
    }
    cor_comm_enter(win->comm);
    own.ranges = fence_collect(win, NULL);
    cor_comm_leave(win->comm);
    rc = cor_internal_gather_all(win->comm, &own, sizeof own, fences);
    for (size_t i = 0; rc == COR_OK && i < size; i++)
        most = fences[i].ranges > most ? (size_t)fences[i].ranges : most;
    cor_comm_enter(win->comm);
    if (rc == COR_OK)
        rc = fence_check_asserts(win, fences);
    cor_comm_leave(win->comm);
    if (rc == COR_OK && most > 0)
        rc = fence_ranges(win, most);
    cor_comm_enter(win->comm);
    win_check_complete(win, COR_WIN_ALL);
    free(win->check->fences);
    win->check->fences = fences;
    cor_comm_leave(win->comm);
    return rc;
}

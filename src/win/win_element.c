/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Updates of elements, each atomic to all others. Elements of 1, 2, 4 and 8 bytes that are aligned to their size are
 * changed by atomic instructions; all others under the lock of wide elements of their target. Whether an element is
 * aligned is the same in all mappings of its memory, which begin at pages.
 *
 * Many such elements in a row are changed by ordinary instructions, which take a tenth of the time, while no other
 * origin is at elements of the target:
 *
 *   An origin with few elements writes itself into a slot and then reads the lock. If the lock is held, it clears the
 *   slot, waits until the lock is free, and begins again. Otherwise it changes its elements and clears the slot.
 *   An origin with many takes the lock and then reads all slots, waiting at each until it is clear.
 *
 * Both write before they read, in one order for all (seq_cst), so one of two sees the other at least. Slots and lock
 * name their member, so that those of a lost one can be cleared.
 */
#include "win/win_state.h"

#include "dtype/layout.h"
#include "dtype/op_kernels.h"

#include <sched.h>
#include <string.h>

enum {
    OP_SUM = 0x21, /* numbers of the MPI ABI */
    OP_BAND = 0x28,
    OP_BOR = 0x29,
    OP_BXOR = 0x2a,
    OP_REPLACE = 0x3c,
    OP_NO_OP = 0x3d,
    ELEMENT_MAX = 64, /* bytes of the widest predefined type are fewer */
};

int win_update_init(win_update *update, cor_win_kind kind, const cor_dtype *element, uint32_t op)
{
    *update = (win_update){.kind = kind, .element = element, .op = op};
    if (kind == COR_WIN_COMPARE_SWAP || op == OP_REPLACE || op == OP_NO_OP)
        return COR_OK;
    update->combine = cor_op_kernel(op, element->number);
    return update->combine ? COR_OK : COR_ERR_TYPE;
}

int win_update_needs_no_data(const win_update *update)
{
    return update->kind != COR_WIN_COMPARE_SWAP && update->op == OP_NO_OP;
}

/* ---- atomic instructions ---------------------------------------------------------------------------------------- */

static int element_is_integer(const cor_dtype *element)
{
    uint8_t kind = element->basic->values[0].kind;
    return element->basic->count == 1 && element->basic->values[0].parts == 1 &&
           (kind == COR_VALUE_SIGNED || kind == COR_VALUE_UNSIGNED || kind == COR_VALUE_ANYTHING);
}

/*
 * All updates of one row, for one width. acq_rel: an update that another origin sees has behind it what its origin
 * wrote before it, and old values are followed by what they stand for.
 */
#define ELEMENT_ROWS(bits)                                                                                            \
    static uint##bits##_t element_update_##bits(const win_update *update, uint##bits##_t *at, uint##bits##_t in,      \
                                                int integer_op)                                                       \
    {                                                                                                                 \
        uint##bits##_t old, next, expected;                                                                           \
        if (update->kind == COR_WIN_COMPARE_SWAP) {                                                                   \
            memcpy(&expected, update->compare, sizeof expected);                                                      \
            __atomic_compare_exchange_n(at, &expected, in, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);                    \
            return expected;                                                                                          \
        }                                                                                                             \
        switch (integer_op) {                                                                                         \
        case OP_NO_OP:                                                                                                \
            return __atomic_load_n(at, __ATOMIC_ACQUIRE);                                                             \
        case OP_REPLACE:                                                                                              \
            return __atomic_exchange_n(at, in, __ATOMIC_ACQ_REL);                                                     \
        case OP_SUM:                                                                                                  \
            return __atomic_fetch_add(at, in, __ATOMIC_ACQ_REL);                                                      \
        case OP_BAND:                                                                                                 \
            return __atomic_fetch_and(at, in, __ATOMIC_ACQ_REL);                                                      \
        case OP_BOR:                                                                                                  \
            return __atomic_fetch_or(at, in, __ATOMIC_ACQ_REL);                                                       \
        case OP_BXOR:                                                                                                 \
            return __atomic_fetch_xor(at, in, __ATOMIC_ACQ_REL);                                                      \
        }                                                                                                             \
        old = __atomic_load_n(at, __ATOMIC_ACQUIRE);                                                                  \
        do {                                                                                                          \
            update->combine(&old, &in, &next, 1);                                                                     \
        } while (!__atomic_compare_exchange_n(at, &old, next, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));                \
        return old;                                                                                                   \
    }                                                                                                                 \
                                                                                                                      \
    static void element_row_##bits(const win_update *update, char *at, size_t count, const char *in, char *out,       \
                                   int integer_op)                                                                    \
    {                                                                                                                 \
        uint##bits##_t value = 0, old;                                                                                \
        for (size_t i = 0; i < count; i++) {                                                                          \
            if (in)                                                                                                   \
                memcpy(&value, in + i * sizeof value, sizeof value);                                                  \
            old = element_update_##bits(update, (uint##bits##_t *)(void *)at + i, value, integer_op);                 \
            if (out)                                                                                                  \
                memcpy(out + i * sizeof old, &old, sizeof old);                                                       \
        }                                                                                                             \
    }

ELEMENT_ROWS(8)
ELEMENT_ROWS(16)
ELEMENT_ROWS(32)
ELEMENT_ROWS(64)

/* The operator, if there is an instruction for it; else 0. */
static int element_integer_op(const win_update *update)
{
    if (!update->combine)
        return (int)update->op;
    switch (update->op) {
    case OP_SUM:
    case OP_BAND:
    case OP_BOR:
    case OP_BXOR:
        return element_is_integer(update->element) ? (int)update->op : 0;
    }
    return 0;
}

/* ---- the lock of wide elements ---------------------------------------------------------------------------------- */

static int element_is_lost(cor_win *win, uint32_t holder)
{
    cor_device_look(win->device);
    return holder > 0 && holder <= (uint32_t)win->size &&
           cor_losses_of(&win->device->losses, win->targets[holder - 1].peer) != NULL;
}

/* Turn `i` of a wait for a member. Returns 1 if it is lost. */
static int element_pause(cor_win *win, uint32_t i, uint32_t holder)
{
    enum { SPINS = 100, YIELDS_A_LOOK = 4096 };
    if (i > SPINS)
        sched_yield();
    else
        cor_cpu_relax();
    return i % YIELDS_A_LOOK == 0 && element_is_lost(win, holder);
}

/* seq_cst: before the slots are read. Held for a few elements, or some KiB, at a time. A holder that was killed
 * meanwhile would keep it: it is taken over from a member that is known to be lost. */
static void element_lock(const win_update *update)
{
    cor_win *win = update->win;
    uint32_t mine = (uint32_t)win->me + 1;
    for (uint32_t i = 1;; i++) {
        uint32_t holder = 0;
        if (atomic_compare_exchange_weak_explicit(&update->control->wide, &holder, mine, memory_order_seq_cst,
                                                  memory_order_relaxed))
            return;
        if (element_pause(win, i, holder) &&
            atomic_compare_exchange_strong_explicit(&update->control->wide, &holder, mine, memory_order_seq_cst,
                                                    memory_order_relaxed))
            return;
    }
}

/* release: the next holder sees the elements. */
static void element_unlock(const win_update *update)
{
    uint32_t mine = (uint32_t)update->win->me + 1;
    atomic_compare_exchange_strong_explicit(&update->control->wide, &mine, 0, memory_order_release,
                                            memory_order_relaxed);
}

/* ---- few elements beside many ----------------------------------------------------------------------------------- */

/* Where the member is not at other elements: its operations are one after the other, under its lock. Another member may
 * have the slot. */
static win_slot *element_take_slot(const win_update *update)
{
    uint32_t mine = (uint32_t)update->win->me + 1;
    for (uint32_t i = 1;; i++) {
        win_slot *slot = &update->control->slots[(mine + i) % WIN_SLOTS];
        uint32_t member = 0;
        if (atomic_compare_exchange_strong_explicit(&slot->member, &member, mine, memory_order_seq_cst,
                                                    memory_order_relaxed))
            return slot;
        if (element_pause(update->win, i, member))
            atomic_compare_exchange_strong_explicit(&slot->member, &member, 0, memory_order_seq_cst,
                                                    memory_order_relaxed);
    }
}

/* Budget: two atomic instructions on a cache line that other members seldom read. */
static win_slot *element_enter(const win_update *update)
{
    for (uint32_t i = 1;;) {
        win_slot *slot = element_take_slot(update);
        if (COR_LIKELY(!atomic_load_explicit(&update->control->wide, memory_order_seq_cst)))
            return slot;
        atomic_store_explicit(&slot->member, 0, memory_order_release);
        uint32_t holder;
        while ((holder = atomic_load_explicit(&update->control->wide, memory_order_relaxed)) != 0)
            if (element_pause(update->win, i++, holder))
                atomic_compare_exchange_strong_explicit(&update->control->wide, &holder, 0, memory_order_seq_cst,
                                                        memory_order_relaxed);
    }
}

/* release: who finds the slot clear sees the elements. */
static void element_leave(win_slot *slot)
{
    atomic_store_explicit(&slot->member, 0, memory_order_release);
}

static void element_await_slots(const win_update *update)
{
    for (int k = 0; k < WIN_SLOTS; k++) {
        _Atomic uint32_t *slot = &update->control->slots[k].member;
        uint32_t member;
        for (uint32_t i = 1; (member = atomic_load_explicit(slot, memory_order_seq_cst)) != 0; i++)
            if (element_pause(update->win, i, member))
                atomic_compare_exchange_strong_explicit(slot, &member, 0, memory_order_seq_cst, memory_order_relaxed);
    }
}

/* ---- wide elements, and memory that nobody else updates --------------------------------------------------------- */

/* One element, read and written by its packed stream. */
static void element_wide(const win_update *update, char *at, const char *in, char *out)
{
    const cor_dtype *element = update->element;
    _Alignas(16) char old[ELEMENT_MAX], next[ELEMENT_MAX];
    cor_dtype_pack(element, at, 1, 0, old, element->size);
    if (update->kind == COR_WIN_COMPARE_SWAP) {
        if (memcmp(old, update->compare, element->size) == 0)
            cor_dtype_unpack(element, at, 1, 0, in, element->size);
    } else if (update->op == OP_REPLACE) {
        cor_dtype_unpack(element, at, 1, 0, in, element->size);
    } else if (update->op != OP_NO_OP) {
        memcpy(next, in, element->size);
        update->combine(old, next, next, 1);
        cor_dtype_unpack(element, at, 1, 0, next, element->size);
    }
    if (out)
        memcpy(out, old, element->size);
}

static void element_row_wide(const win_update *update, char *at, size_t count, const char *in, char *out)
{
    enum { AT_ONCE = 64 };
    size_t size = update->element->size;
    for (size_t done = 0; done < count;) {
        size_t end = count - done > AT_ONCE ? done + AT_ONCE : count;
        element_lock(update);
        for (; done < end; done++)
            element_wide(update, at + done * size, in ? in + done * size : NULL, out ? out + done * size : NULL);
        element_unlock(update);
    }
}

static void element_row_alone(const win_update *update, char *at, size_t bytes, const char *in, char *out)
{
    if (out)
        memcpy(out, at, bytes);
    if (update->op == OP_REPLACE)
        memcpy(at, in, bytes);
    else if (update->op != OP_NO_OP)
        update->combine(at, in, at, bytes / update->element->size);
}

/* Portions: others have their turns between them. */
static void element_row_many(const win_update *update, char *at, size_t bytes, const char *in, char *out)
{
    enum { PORTION = 32 << 10 };
    for (size_t done = 0; done < bytes; done += PORTION) {
        size_t part = bytes - done < PORTION ? bytes - done : PORTION;
        element_lock(update);
        element_await_slots(update);
        element_row_alone(update, at + done, part, in ? in + done : NULL, out ? out + done : NULL);
        element_unlock(update);
    }
}

static void element_row_few(const win_update *update, char *at, size_t count, const char *in, char *out)
{
    int integer_op = element_integer_op(update);
    win_slot *slot = element_enter(update);
    switch (update->element->size) {
    case 8:
        element_row_64(update, at, count, in, out, integer_op);
        break;
    case 4:
        element_row_32(update, at, count, in, out, integer_op);
        break;
    case 2:
        element_row_16(update, at, count, in, out, integer_op);
        break;
    default:
        element_row_8(update, at, count, in, out, integer_op);
    }
    element_leave(slot);
}

void win_update_row(const win_update *update, char *at, size_t bytes, const char *in, char *out)
{
    enum { MANY_BYTES = 512 };
    size_t size = update->element->size, count = bytes / size;
    if (update->is_alone && update->kind != COR_WIN_COMPARE_SWAP &&
        update->element->true_ub - update->element->true_lb == (ptrdiff_t)size) {
        element_row_alone(update, at, bytes, in, out);
        return;
    }
    int is_aligned = (size & (size - 1)) == 0 && size <= 8 && (uintptr_t)at % size == 0;
    if (!is_aligned || update->element->true_ub - update->element->true_lb != (ptrdiff_t)size)
        element_row_wide(update, at, count, in, out);
    else if (bytes >= MANY_BYTES && update->kind != COR_WIN_COMPARE_SWAP)
        element_row_many(update, at, bytes, in, out);
    else
        element_row_few(update, at, count, in, out);
}

size_t win_update_merge(const win_update *update, cor_dtype_row *rows, size_t count)
{
    const cor_dtype *element = update->element;
    if (!element || element->true_ub - element->true_lb == (ptrdiff_t)element->size)
        return count;
    /* Elements with a gap inside: a row becomes the beginnings of those that begin in it. */
    size_t merged = 0, within = 0;
    for (size_t i = 0; i < count; i++) {
        cor_dtype_row row = rows[i];
        while (row.bytes > 0) {
            size_t piece = row.bytes < element->size - within ? row.bytes : element->size - within;
            if (within == 0)
                rows[merged++] = (cor_dtype_row){row.at, element->size};
            within = (within + piece) % element->size;
            row.at += (int64_t)piece;
            row.bytes -= piece;
        }
    }
    if (within > 0)
        merged--;
    return merged;
}

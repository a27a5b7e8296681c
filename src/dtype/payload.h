/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A payload is the data of a message, which can be read and written in pieces.
 *
 * Plain memory (ops == NULL) is the fast path: one memcpy. All others (memory under a datatype, a Java heap array) have
 * a table of operations. A payload is a small value that may be copied freely; it owns nothing until hold().
 *
 * Pieces are addressed by their offset in the *packed* stream, 0 .. bytes, in any order and of any size. Operations
 * do not block and cannot fail: bounds and types are checked where the payload is made.
 */
#ifndef COR_DTYPE_PAYLOAD_H
#define COR_DTYPE_PAYLOAD_H

#include "base/copy.h"
#include "base/cpu.h"

#include <stddef.h>
#include <stdint.h>

typedef struct cor_payload cor_payload;

typedef struct cor_payload_ops {
    /* Copy bytes [offset, offset + length) of the packed stream to / from plain memory. */
    void (*read)(const cor_payload *p, size_t offset, void *to, size_t length);
    void (*write)(const cor_payload *p, size_t offset, const void *from, size_t length);
    /* Optional (both NULL otherwise): plain memory with the whole stream until unmap. Between the two the thread must
     * neither wait nor call any other payload's operation than map/unmap. */
    void *(*map)(const cor_payload *p);
    void (*unmap)(const cor_payload *p, void *memory, int is_written);
    /* Optional: make the payload usable by other threads and beyond the call that made it, and undo that. hold may
     * be called at most once; release only after hold. */
    void (*hold)(cor_payload *p);
    void (*release)(cor_payload *p);
} cor_payload_ops;

struct cor_payload {
    const cor_payload_ops *ops; /* NULL: plain memory at base */
    void *base;
    size_t bytes; /* length of the packed stream */
    void *owner;  /* private to the operations: datatype, array reference */
    int32_t kind; /* private to the operations */
    uint16_t is_held;
    uint16_t type_class; /* type class of the elements, as the face numbers them, 1..255; 0: not given */
};

static inline cor_payload cor_payload_plain(const void *base, size_t bytes)
{
    return (cor_payload){.base = (void *)(uintptr_t)base, .bytes = bytes};
}

static inline void cor_payload_read(const cor_payload *p, size_t offset, void *to, size_t length)
{
    if (COR_LIKELY(!p->ops))
        cor_copy(to, (const char *)p->base + offset, length);
    else
        p->ops->read(p, offset, to, length);
}

static inline void cor_payload_write(const cor_payload *p, size_t offset, const void *from, size_t length)
{
    if (COR_LIKELY(!p->ops))
        cor_copy((char *)p->base + offset, from, length);
    else
        p->ops->write(p, offset, from, length);
}

/* Is it memory of C, plain or under a datatype, which any thread of the process may read and write? */
int cor_payload_is_native(const cor_payload *p);

/* Is the payload plain memory, or can it be mapped? */
static inline int cor_payload_is_mappable(const cor_payload *p)
{
    return !p->ops || p->ops->map;
}

static inline void *cor_payload_map(const cor_payload *p)
{
    return p->ops ? p->ops->map(p) : p->base;
}

static inline void cor_payload_unmap(const cor_payload *p, void *memory, int is_written)
{
    if (p->ops)
        p->ops->unmap(p, memory, is_written);
}

static inline void cor_payload_hold(cor_payload *p)
{
    if (p->ops && p->ops->hold && !p->is_held) {
        p->ops->hold(p);
        p->is_held = 1;
    }
}

static inline void cor_payload_release(cor_payload *p)
{
    if (p->is_held) {
        p->ops->release(p);
        p->is_held = 0;
    }
}

/* The type classes of a message and of the receive that it does not match, as one number. */
static inline size_t cor_mismatch(unsigned sent, unsigned expected)
{
    return (size_t)sent << 8 | expected;
}

static inline unsigned cor_mismatch_sent(size_t mismatch)
{
    return (unsigned)(mismatch >> 8);
}

static inline unsigned cor_mismatch_expected(size_t mismatch)
{
    return (unsigned)(mismatch & 0xff);
}

/* Copy the first `length` bytes of one payload to another in this address space: one memcpy where both sides are
 * plain or can be mapped, pieces through a small bounce buffer otherwise. */
void cor_payload_copy(const cor_payload *to, const cor_payload *from, size_t length);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Payloads over datatypes, and copies between payloads of any kind. */
#include "dtype/payload.h"

#include "dtype/program.h"

/* ---- memory under a datatype with gaps -------------------------------------------------------------------------- */

/* The payload's base is where the program of the first element begins. */
static void payload_typed_read(const cor_payload *p, size_t offset, void *to, size_t length)
{
    cor_program_pack(p->owner, p->base, offset, to, length);
}

static void payload_typed_write(const cor_payload *p, size_t offset, const void *from, size_t length)
{
    cor_program_unpack(p->owner, p->base, offset, from, length);
}

static void payload_typed_hold(cor_payload *p)
{
    cor_dtype_ref(p->owner);
}

static void payload_typed_release(cor_payload *p)
{
    cor_dtype_unref(p->owner);
}

static const cor_payload_ops payload_typed_ops = {
    .read = payload_typed_read,
    .write = payload_typed_write,
    .hold = payload_typed_hold,
    .release = payload_typed_release,
};

int cor_payload_is_native(const cor_payload *p)
{
    return !p->ops || p->ops == &payload_typed_ops;
}

/* As a number, since the base may be MPI_BOTTOM and the displacement an address. */
static void *payload_begin(const cor_dtype *type, const void *base)
{
    return (void *)((uintptr_t)base + (uintptr_t)type->first);
}

cor_payload cor_dtype_payload(const cor_dtype *type, const void *base, size_t count)
{
    cor_payload payload = cor_payload_plain(base, type->size * count);
    if (type->is_contiguous || payload.bytes == 0)
        return payload;
    payload.base = payload_begin(type, base);
    int is_block = type->nest->depth == 0 && !type->nest->body;
    if (!is_block || (count > 1 && type->extent != (ptrdiff_t)type->size)) {
        payload.ops = &payload_typed_ops;
        payload.owner = (void *)(uintptr_t)type;
    }
    return payload;
}

void cor_dtype_pack(const cor_dtype *type, const void *base, size_t count, size_t offset, void *to, size_t length)
{
    (void)count;
    if (length == 0)
        return;
    if (type->is_contiguous)
        memcpy(to, (const char *)base + offset, length);
    else
        cor_program_pack(type, payload_begin(type, base), offset, to, length);
}

void cor_dtype_unpack(const cor_dtype *type, void *base, size_t count, size_t offset, const void *from, size_t length)
{
    (void)count;
    if (length == 0)
        return;
    if (type->is_contiguous)
        memcpy((char *)base + offset, from, length);
    else
        cor_program_unpack(type, payload_begin(type, base), offset, from, length);
}

/* ---- copies ----------------------------------------------------------------------------------------------------- */

/* Both sides as plain memory at once: one copy. */
static void payload_copy_mapped(const cor_payload *to, const cor_payload *from, size_t length)
{
    void *source = from->ops->map(from);
    void *target = to->ops->map(to);
    memcpy(target, source, length);
    to->ops->unmap(to, target, 1);
    from->ops->unmap(from, source, 0);
}

static void payload_copy_in_pieces(const cor_payload *to, const cor_payload *from, size_t length)
{
    char bounce[4096];
    for (size_t done = 0; done < length;) {
        size_t piece = length - done < sizeof bounce ? length - done : sizeof bounce;
        from->ops->read(from, done, bounce, piece);
        to->ops->write(to, done, bounce, piece);
        done += piece;
    }
}

void cor_payload_copy(const cor_payload *to, const cor_payload *from, size_t length)
{
    if (length == 0)
        return;
    if (!from->ops)
        cor_payload_write(to, 0, from->base, length);
    else if (!to->ops)
        from->ops->read(from, 0, to->base, length);
    else if (from->ops->map && to->ops->map)
        payload_copy_mapped(to, from, length);
    else
        payload_copy_in_pieces(to, from, length);
}

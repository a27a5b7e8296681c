/* Payloads over gapped datatypes, and copies between payloads of any kind. */
#include "dtype/payload.h"

#include "dtype/dtype.h"

/* ---- memory under a datatype with gaps ----------------------------------------------------------------------------
 */

/* A place in the packed stream: which run of which block, and how far into it. */
typedef struct payload_place {
    const cor_dtype *type;
    char *block;
    size_t run;
    size_t within;
} payload_place;

static payload_place payload_seek(const cor_payload *p, size_t offset)
{
    const cor_dtype *type = p->owner;
    size_t block_bytes = type->size / type->repeat;
    payload_place place = {.type = type};
    place.block = (char *)p->base + (ptrdiff_t)(offset / block_bytes) * type->stride;
    place.within = offset % block_bytes;
    while (place.within >= type->runs[place.run].bytes)
        place.within -= type->runs[place.run++].bytes;
    return place;
}

/* The piece of memory at the place, at most `length` bytes; the place moves behind it. */
static char *payload_next(payload_place *place, size_t length, size_t *piece_p)
{
    const cor_run *run = &place->type->runs[place->run];
    size_t rest = run->bytes - place->within;
    char *memory = place->block + run->offset + place->within;
    if (length < rest) {
        place->within += length;
        *piece_p = length;
        return memory;
    }
    place->within = 0;
    if (++place->run == place->type->run_count) {
        place->run = 0;
        place->block += place->type->stride;
    }
    *piece_p = rest;
    return memory;
}

static void payload_gapped_read(const cor_payload *p, size_t offset, void *to, size_t length)
{
    if (length == 0)
        return;
    payload_place place = payload_seek(p, offset);
    for (char *t = to; length > 0;) {
        size_t piece;
        const char *memory = payload_next(&place, length, &piece);
        cor_copy(t, memory, piece);
        t += piece;
        length -= piece;
    }
}

static void payload_gapped_write(const cor_payload *p, size_t offset, const void *from, size_t length)
{
    if (length == 0)
        return;
    payload_place place = payload_seek(p, offset);
    for (const char *f = from; length > 0;) {
        size_t piece;
        char *memory = payload_next(&place, length, &piece);
        cor_copy(memory, f, piece);
        f += piece;
        length -= piece;
    }
}

static void payload_gapped_hold(cor_payload *p)
{
    cor_dtype_ref(p->owner);
}

static void payload_gapped_release(cor_payload *p)
{
    cor_dtype_unref(p->owner);
}

static const cor_payload_ops payload_gapped_ops = {
    .read = payload_gapped_read,
    .write = payload_gapped_write,
    .hold = payload_gapped_hold,
    .release = payload_gapped_release,
};

cor_payload cor_dtype_payload(const cor_dtype *type, const void *base, size_t count)
{
    cor_payload payload = cor_payload_plain(base, type->size * count);
    if (!type->is_contiguous && payload.bytes > 0) {
        payload.ops = &payload_gapped_ops;
        payload.owner = (void *)(uintptr_t)type;
    }
    return payload;
}

/* ---- copies --------------------------------------------------------------------------------------------------------
 */

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

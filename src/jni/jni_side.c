/* SPDX-License-Identifier: Apache-2.0 */
#include "jni/jni_side.h"

#include <stdlib.h>

/* ---- in one piece ----------------------------------------------------------------------------------------------- */

/* What the elements are. */
static const cor_dtype *jni_side_type(const jni_buffer *buffer)
{
    return buffer->kind & JNI_KIND_TYPED ? (const cor_dtype *)(uintptr_t)buffer->bytes : jni_kind_type(buffer->kind);
}

static inline int jni_is_array(jint kind)
{
    return jni_kind_is_array(kind & ~JNI_KIND_TYPED);
}

/* Which bytes the side covers. Under a datatype that is not known without a walk: everything. */
static void jni_side_cover(jni_side *side)
{
    const cor_payload *payload = &side->stream.payload;
    if (side->buffer.kind & JNI_KIND_TYPED) {
        side->low = 0;
        side->high = UINTPTR_MAX;
    } else {
        side->low = (uintptr_t)payload->base;
        side->high = side->low + payload->bytes;
    }
}

void jni_side_open(JNIEnv *env, jni_side *side, jni_buffer buffer, int how, int blocks)
{
    side->is_shared = (buffer.kind & JNI_KIND_SHARED) != 0;
    buffer.kind &= ~JNI_KIND_SHARED;
    side->buffer = buffer;
    side->staged = side->many = NULL;
    side->is_small = 0;
    side->stream.parts = NULL;
    side->stream.starts = NULL;
    side->stream.type = NULL;
    side->stream.types = NULL;
    if (how == JNI_SIDE_NONE) {
        side->stream.payload = cor_payload_plain(NULL, 0);
        side->stream.bytes = 0;
        side->low = side->high = 0;
        return;
    }
    side->stream.payload = jni_payload(env, buffer.object, buffer.offset, buffer.bytes, buffer.kind);
    size_t bytes = side->stream.payload.bytes;
    side->stream.bytes = blocks == 1 ? bytes : bytes / (size_t)blocks;
    side->stream.type = jni_side_type(&buffer);
    if (bytes <= JNI_SIDE_STACK_BYTES && bytes > 0 && buffer.kind < JNI_KIND_DIRECT) {
        side->is_small = 1;
        side->origin = side->stream.payload;
        if (how & JNI_SIDE_READ)
            jni_array_read(env, buffer.object, buffer.kind, (size_t)buffer.offset, side->small, bytes);
        side->stream.payload = cor_payload_plain(side->small, bytes);
    } else {
        jni_side_cover(side);
    }
}

int jni_sides_overlap(const jni_side *send, const jni_side *recv)
{
    if (send->is_small || recv->is_small)
        return 0;
    int is_array = jni_is_array(send->buffer.kind);
    if (is_array != jni_is_array(recv->buffer.kind) || (is_array && !send->is_shared))
        return 0;
    return send->low < recv->high && recv->low < send->high;
}

int jni_side_stage(jni_side *side, int how)
{
    size_t bytes = side->stream.payload.bytes;
    if (side->is_small || bytes == 0 || side->staged)
        return COR_OK;
    void *memory = malloc(bytes);
    if (!memory)
        return COR_ERR_MEMORY;
    side->staged = memory;
    side->origin = side->stream.payload;
    if (how & JNI_SIDE_READ)
        cor_payload_read(&side->origin, 0, memory, bytes);
    side->stream.payload = cor_payload_plain(memory, bytes);
    return COR_OK;
}

void jni_side_close(JNIEnv *env, jni_side *side, int is_written)
{
    if (is_written && side->is_small)
        jni_array_write(env, side->buffer.object, side->buffer.kind, (size_t)side->buffer.offset, side->small,
                        side->origin.bytes);
    else if (is_written && side->staged && !side->stream.parts)
        cor_payload_write(&side->origin, 0, side->staged, side->origin.bytes);
    free(side->staged);
    free(side->many);
}

/* ---- in parts --------------------------------------------------------------------------------------------------- */

/* A part as a buffer of its own: where it begins and its elements, of the buffer's unit. */
static jni_buffer jni_part(jni_buffer buffer, const jlong place[2])
{
    if (buffer.kind & JNI_KIND_TYPED)
        buffer.offset = place[0] * ((jlong)1 << 32) | place[1];
    else {
        buffer.offset = place[0];
        buffer.bytes *= place[1];
    }
    return buffer;
}

static cor_payload jni_part_payload(JNIEnv *env, const jni_buffer *buffer, const jlong place[2])
{
    if (place[1] == 0)
        return cor_payload_plain(NULL, 0);
    jni_buffer part = jni_part(*buffer, place);
    return jni_payload(env, part.object, part.offset, part.bytes, part.kind);
}

/* Room for the parts of a side: the side's own, or for many parts memory that goes with it. */
typedef struct jni_part_room {
    cor_payload *parts;
    size_t *starts;
    jlong (*places)[2];
} jni_part_room;

static int jni_part_room_init(jni_part_room *room, jni_side *side, size_t n)
{
    if (n <= JNI_SIDE_FEW_PARTS) {
        *room = (jni_part_room){side->few_parts, side->few_starts, side->few_places};
        return COR_OK;
    }
    side->many = malloc(n * sizeof *room->parts + (n + 1) * sizeof *room->starts + n * sizeof *room->places);
    if (!side->many)
        return COR_ERR_MEMORY;
    room->parts = side->many;
    room->starts = (size_t *)(void *)(room->parts + n);
    room->places = (jlong(*)[2])(void *)(room->starts + n + 1);
    return COR_OK;
}

int jni_side_open_parts(JNIEnv *env, jni_side *side, jni_buffer buffer, jlongArray places, int count)
{
    jni_side_open(env, side, buffer, JNI_SIDE_NONE, 1);
    size_t n = (size_t)count;
    jni_part_room room;
    if (jni_part_room_init(&room, side, n) < 0)
        return COR_ERR_MEMORY;
    (*env)->GetLongArrayRegion(env, places, 0, 2 * count, room.places[0]);
    side->low = UINTPTR_MAX;
    side->high = 0;
    room.starts[0] = 0;
    for (size_t i = 0; i < n; i++) {
        cor_payload part = jni_part_payload(env, &side->buffer, room.places[i]);
        uintptr_t base = (uintptr_t)part.base;
        if (part.bytes > 0 && base < side->low)
            side->low = base;
        if (part.bytes > 0 && base + part.bytes > side->high)
            side->high = base + part.bytes;
        room.parts[i] = part;
        room.starts[i + 1] = room.starts[i] + part.bytes;
    }
    if (buffer.kind & JNI_KIND_TYPED)
        jni_side_cover(side);
    side->stream.parts = room.parts;
    side->stream.starts = room.starts;
    side->stream.type = jni_side_type(&side->buffer);
    return COR_OK;
}

void jni_side_open_part(JNIEnv *env, jni_side *side, jni_buffer buffer, jlongArray places, int how)
{
    jlong place[2];
    (*env)->GetLongArrayRegion(env, places, 0, 2, place);
    jni_side_open(env, side, jni_part(buffer, place), how, 1);
}

int jni_side_stage_parts(jni_side *side, int count)
{
    cor_payload *parts = (cor_payload *)(uintptr_t)side->stream.parts;
    const size_t *starts = side->stream.starts;
    char *memory = malloc(starts[count] + 1);
    if (!memory)
        return COR_ERR_MEMORY;
    side->staged = memory;
    for (int i = 0; i < count; i++) {
        cor_payload_read(&parts[i], 0, memory + starts[i], parts[i].bytes);
        parts[i] = cor_payload_plain(memory + starts[i], parts[i].bytes);
    }
    return COR_OK;
}

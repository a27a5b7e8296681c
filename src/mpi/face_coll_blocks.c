/* SPDX-License-Identifier: Apache-2.0 */
/* The blocks of v and w forms: one payload each, and where it begins in the stream of all. */
#include "mpi/face_coll.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- room ------------------------------------------------------------------------------------------------------- */

static int room_take(const coll_frame *frame, coll_room *room, int count)
{
    room->parts = room->few_parts;
    room->starts = room->few_starts;
    room->types = room->few_types;
    if (count <= COLL_FEW)
        return MPI_SUCCESS;
    size_t many = (size_t)count;
    room->many =
        malloc(many * (sizeof *room->parts + sizeof *room->starts + sizeof *room->types) + sizeof *room->starts);
    if (!room->many)
        return face_fail(frame->form->name, frame->comm, MPI_ERR_NO_MEM, "no memory to describe %d blocks", count);
    room->parts = room->many;
    room->starts = (size_t *)(room->parts + many);
    room->types = (const cor_dtype **)(room->starts + many + 1);
    return MPI_SUCCESS;
}

void coll_room_fini(coll_room *room)
{
    free(room->many);
}

/* ---- one block -------------------------------------------------------------------------------------------------- */

static int blocks_fail_type(const coll_frame *frame, const coll_blocks *blocks, int i, MPI_Datatype handle)
{
    char argument[40];
    if (!blocks->is_typed)
        return face_fail_type(frame->form->name, frame->comm, blocks->type_name, handle);
    snprintf(argument, sizeof argument, "%s[%d]", blocks->type_name, i);
    return face_fail_type(frame->form->name, frame->comm, argument, handle);
}

/* Where is block i? NULL with the error reported in *error_p. Displacements may be addresses from MPI_BOTTOM, if they
 * are wide or the datatype contains addresses. */
static const void *blocks_address(const coll_frame *frame, const coll_blocks *blocks, int i, const cor_dtype *type,
                                  int *error_p)
{
    int64_t place = face_array_at(&blocks->places, (size_t)i);
    ptrdiff_t offset, address;
    if (blocks->is_typed)
        offset = (ptrdiff_t)place;
    else if (__builtin_mul_overflow(place, type->extent, &offset)) {
        *error_p = face_fail(frame->form->name, frame->comm, MPI_ERR_ARG,
                             "%s[%d] is %lld elements of extent %td, beyond the address space", blocks->places.name, i,
                             (long long)place, type->extent);
        return NULL;
    }
    address = (ptrdiff_t)((uintptr_t)blocks->buffer + (uintptr_t)offset);
    int is_wild = !blocks->buffer && !blocks->places.is_wide && type->true_lb <= (ptrdiff_t)FACE_RESERVED_MAX;
    if (is_wild || (uintptr_t)(address + type->true_lb) <= FACE_RESERVED_MAX) {
        *error_p =
            face_fail(frame->form->name, frame->comm, MPI_ERR_BUFFER, "%s is a NULL pointer, but %s[%d] is %lld",
                      blocks->name, blocks->counts.name, i, (long long)face_array_at(&blocks->counts, (size_t)i));
        return NULL;
    }
    return (const void *)address;
}

static int blocks_fail_overlap(const coll_frame *frame, const coll_blocks *blocks, int i, const cor_dtype *type)
{
    return face_fail(frame->form->name, frame->comm, MPI_ERR_TYPE,
                     "elements of %s overlap when there are more than %zu, and %s[%d] is %lld", blocks->type_name,
                     cor_dtype_receive_max(type), blocks->counts.name, i,
                     (long long)face_array_at(&blocks->counts, (size_t)i));
}

static int blocks_fail_count(const coll_frame *frame, const char *name, int i, int64_t count, size_t element_bytes)
{
    if (count < 0)
        return face_fail(frame->form->name, frame->comm, MPI_ERR_COUNT, "%s[%d] is %lld, but must not be negative",
                         name, i, (long long)count);
    return face_fail(frame->form->name, frame->comm, MPI_ERR_COUNT,
                     "%s[%d] is %lld elements of %zu bytes, with the blocks before it more than memory can hold", name,
                     i, (long long)count, element_bytes);
}

/* The bytes of a block and where the next begins; 0 if they are too many. */
static int blocks_add(int64_t count, size_t element_bytes, size_t start, int64_t *bytes_p, size_t *next_p)
{
    int64_t next;
    if (count < 0 || __builtin_mul_overflow(count, (int64_t)element_bytes, bytes_p) ||
        __builtin_add_overflow((int64_t)start, *bytes_p, &next))
        return 0;
    *next_p = (size_t)next;
    return 1;
}

static int blocks_check(const coll_frame *frame, const coll_blocks *blocks, int i, int is_written, coll_room *room)
{
    int64_t count = face_array_at(&blocks->counts, (size_t)i), bytes = 0;
    MPI_Datatype handle = blocks->is_typed ? blocks->types[i] : blocks->type;
    const cor_dtype *type = face_type_find(handle);
    int error = MPI_SUCCESS;
    cor_payload *part = &room->parts[i];
    size_t *starts = room->starts;
    room->types[i] = count > 0 ? type : NULL;
    /* The datatype of an empty block does not matter where every block has its own. */
    if (count == 0 && blocks->is_typed) {
        *part = cor_payload_plain(NULL, 0);
        starts[i + 1] = starts[i];
        return MPI_SUCCESS;
    }
    if (!type)
        return blocks_fail_type(frame, blocks, i, handle);
    if (!blocks_add(count, type->size, starts[i], &bytes, &starts[i + 1]))
        return blocks_fail_count(frame, blocks->counts.name, i, count, type->size);
    if (bytes == 0) {
        *part = cor_payload_plain(NULL, 0);
        return MPI_SUCCESS;
    }
    const void *address = blocks_address(frame, blocks, i, type, &error);
    if (error != MPI_SUCCESS)
        return error;
    if (is_written && p2p_is_overlapping(type, count))
        return blocks_fail_overlap(frame, blocks, i, type);
    p2p_payload(type, address, count, bytes, part);
    return MPI_SUCCESS;
}

/* ---- all blocks ------------------------------------------------------------------------------------------------- */

int coll_check_blocks(coll_frame *frame, const coll_blocks *blocks, int count, int is_written, coll_room *room,
                      cor_stream *stream)
{
    if (count > 0 && (!blocks->counts.values || !blocks->places.values))
        return face_fail_null(frame->form->name, frame->comm,
                              blocks->counts.values ? blocks->places.name : blocks->counts.name);
    if (count > 0 && blocks->is_typed && !blocks->types)
        return face_fail_null(frame->form->name, frame->comm, blocks->type_name);
    if (count > 0 && blocks->buffer == MPI_IN_PLACE)
        return coll_fail_in_place(frame, blocks->name);
    int error = room_take(frame, room, count);
    if (error != MPI_SUCCESS)
        return error;
    room->starts[0] = 0;
    for (int i = 0; i < count && error == MPI_SUCCESS; i++)
        error = blocks_check(frame, blocks, i, is_written, room);
    stream->parts = room->parts;
    stream->starts = room->starts;
    if (blocks->is_typed)
        stream->types = room->types;
    else
        stream->type = face_type_find(blocks->type);
    return error;
}

int coll_check_starts(coll_frame *frame, const face_array *counts, int count, size_t element_bytes, coll_room *room,
                      cor_stream *stream)
{
    if (!counts->values)
        return face_fail_null(frame->form->name, frame->comm, counts->name);
    int error = room_take(frame, room, count);
    if (error != MPI_SUCCESS)
        return error;
    room->starts[0] = 0;
    for (int i = 0; i < count; i++) {
        int64_t elements = face_array_at(counts, (size_t)i), bytes;
        if (!blocks_add(elements, element_bytes, room->starts[i], &bytes, &room->starts[i + 1]))
            return blocks_fail_count(frame, counts->name, i, elements, element_bytes);
    }
    stream->starts = room->starts;
    return MPI_SUCCESS;
}

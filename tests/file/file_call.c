/* SPDX-License-Identifier: Apache-2.0 */
#include "file_call.h"

#include "check.h"

#include <string.h>

const file_way file_ways[] = {
#define FILE_WAY(name, pointer, is_collective, form)                                                                  \
    {(FILE_##form == FILE_SPLIT ? #name "_begin" : #name) + 0, FILE_##pointer, is_collective, FILE_##form},
#include "file_ways.def"
#undef FILE_WAY
};
const int file_way_count = (int)(sizeof file_ways / sizeof file_ways[0]);

const file_way *file_way_of(file_pointer pointer, int is_collective, file_form form)
{
    for (int i = 0; i < file_way_count; i++)
        if (file_ways[i].pointer == pointer && file_ways[i].is_collective == is_collective &&
            file_ways[i].form == form)
            return &file_ways[i];
    CHECK_FAIL("there is no way with pointer %d, collective %d, form %d", pointer, is_collective, form);
}

#if MPI_VERSION >= 4
#define LARGE(large, plain) (c->is_large ? (large) : (plain))
#else
#define LARGE(large, plain) (plain)
#endif

/* The function with this name, with or without a place, of reading or writing. */
#define EITHER(i, name, ...)                                                                                          \
    (c->is_write ? LARGE(MPI_File_##i##write##name##_c(PLACE c->memory, c->count, c->type, __VA_ARGS__),              \
                         MPI_File_##i##write##name(PLACE c->memory, (int)c->count, c->type, __VA_ARGS__))             \
                 : LARGE(MPI_File_##i##read##name##_c(PLACE c->memory, c->count, c->type, __VA_ARGS__),               \
                         MPI_File_##i##read##name(PLACE c->memory, (int)c->count, c->type, __VA_ARGS__)))
#define EITHER_BEGIN(name)                                                                                            \
    (c->is_write ? LARGE(MPI_File_write##name##_begin_c(PLACE c->memory, c->count, c->type),                          \
                         MPI_File_write##name##_begin(PLACE c->memory, (int)c->count, c->type))                       \
                 : LARGE(MPI_File_read##name##_begin_c(PLACE c->memory, c->count, c->type),                           \
                         MPI_File_read##name##_begin(PLACE c->memory, (int)c->count, c->type)))
#define EITHER_END(name)                                                                                              \
    (c->is_write ? MPI_File_write##name##_end(c->file, c->memory, &c->status)                                         \
                 : MPI_File_read##name##_end(c->file, c->memory, &c->status))

static int call_explicit(file_call *c)
{
#define PLACE c->file, c->offset,
    if (c->way->form == FILE_SPLIT)
        return EITHER_BEGIN(_at_all);
    if (c->way->form == FILE_REQUEST)
        return c->way->is_collective ? EITHER(i, _at_all, &c->request) : EITHER(i, _at, &c->request);
    return c->way->is_collective ? EITHER(, _at_all, &c->status) : EITHER(, _at, &c->status);
#undef PLACE
}

#define PLACE c->file,
static int call_individual(file_call *c)
{
    if (c->way->form == FILE_SPLIT)
        return EITHER_BEGIN(_all);
    if (c->way->form == FILE_REQUEST)
        return c->way->is_collective ? EITHER(i, _all, &c->request) : EITHER(i, , &c->request);
    return c->way->is_collective ? EITHER(, _all, &c->status) : EITHER(, , &c->status);
}

static int call_shared(file_call *c)
{
    if (c->way->form == FILE_SPLIT)
        return EITHER_BEGIN(_ordered);
    if (c->way->form == FILE_REQUEST)
        return EITHER(i, _shared, &c->request);
    return c->way->is_collective ? EITHER(, _ordered, &c->status) : EITHER(, _shared, &c->status);
}

int file_call_begin(file_call *call)
{
    memset(&call->status, 0, sizeof call->status);
    call->request = MPI_REQUEST_NULL;
    switch (call->way->pointer) {
    case FILE_EXPLICIT:
        return call_explicit(call);
    case FILE_INDIVIDUAL:
        return call_individual(call);
    default:
        return call_shared(call);
    }
}

int file_call_end(file_call *c)
{
    if (c->way->form == FILE_REQUEST)
        return MPI_Wait(&c->request, &c->status);
    if (c->way->form == FILE_PLAIN)
        return MPI_SUCCESS;
    switch (c->way->pointer) {
    case FILE_EXPLICIT:
        return EITHER_END(_at_all);
    case FILE_INDIVIDUAL:
        return EITHER_END(_all);
    default:
        return EITHER_END(_ordered);
    }
}

int file_call_run(file_call *call)
{
    int rc = file_call_begin(call);
    return rc == MPI_SUCCESS ? file_call_end(call) : rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data representations: those of the engine, and those of the program, whose functions convert between memory and file.
 * They last until the rank ends, since files left open have them.
 */
#include "mpi/face_file.h"
#include "mpi/face_type.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* One that the program registered. */
struct face_format {
    cor_file_format format; /* its subject is this struct */
    struct face_format *next;
    face_rank *owner;
    int is_large;        /* conversion functions count with MPI_Count */
    void (*read)(void);  /* an MPI_Datarep_conversion_function or _c */
    void (*write)(void); /* the same; NULL for both: nothing is converted */
    MPI_Datarep_extent_function *extent;
    void *state;
    char name[MPI_MAX_DATAREP_STRING];
};

/* ---- the program's functions ------------------------------------------------------------------------------------ */

/* A call of one. A thread of the engine's makes it, too, and the function may call MPI: it does so as its own rank. */
typedef struct format_call {
    face_rank *before;
    MPI_Datatype handle;
} format_call;

static int format_enter(format_call *call, const struct face_format *format, const cor_dtype *type)
{
    call->before = face_current;
    face_current = format->owner;
    if (face_type_handle_of("MPI_Register_datarep", type, &call->handle) == MPI_SUCCESS)
        return COR_OK;
    face_current = call->before;
    return COR_ERR_MEMORY;
}

static int format_leave(format_call *call, const struct face_format *format, int error)
{
    face_type_unref(format->owner, call->handle);
    face_current = call->before;
    return error == MPI_SUCCESS ? COR_OK : COR_ERR_FILE_CONVERSION;
}

static int format_extent(const cor_file_format *format, const cor_dtype *type, int64_t *extent_p)
{
    const struct face_format *made = format->subject;
    format_call call;
    MPI_Aint extent = -1;
    int code = format_enter(&call, made, type);
    if (code != COR_OK)
        return code;
    code = format_leave(&call, made, made->extent(call.handle, &extent, made->state));
    if (code == COR_OK && extent < 0)
        code = COR_ERR_FILE_CONVERSION;
    if (code == COR_OK)
        *extent_p = extent;
    return code;
}

/* The function counts basic elements, of which each element of the type has several. */
static int format_convert(const struct face_format *made, void (*function)(void), void *memory, const cor_dtype *type,
                          size_t count, size_t first, void *bytes)
{
    int64_t each = cor_dtype_elements(type, type->size);
    MPI_Count items = (MPI_Count)count * each;
    MPI_Offset position = (MPI_Offset)first * each;
    format_call call;
    int error;
    if (!made->is_large && items > INT_MAX)
        return COR_ERR_FILE_CONVERSION;
    int code = format_enter(&call, made, type);
    if (code != COR_OK)
        return code;
    if (made->is_large)
        error =
            ((MPI_Datarep_conversion_function_c *)function)(memory, call.handle, items, bytes, position, made->state);
    else
        error = ((MPI_Datarep_conversion_function *)function)(memory, call.handle, (int)items, bytes, position,
                                                              made->state);
    return format_leave(&call, made, error);
}

/* Without a function for one of the ways, the file has the bytes of memory. */
static int format_check_same(const cor_file_format *format, const cor_dtype *type)
{
    int64_t extent = 0;
    int code = format_extent(format, type, &extent);
    return code == COR_OK && extent != (int64_t)type->size ? COR_ERR_FILE_CONVERSION : code;
}

static int format_to_file(const cor_file_format *format, const void *memory, const cor_dtype *type, size_t count,
                          size_t first, void *bytes)
{
    const struct face_format *made = format->subject;
    if (made->write)
        return format_convert(made, made->write, (void *)(uintptr_t)memory, type, count, first, bytes);
    int code = format_check_same(format, type);
    if (code == COR_OK)
        cor_dtype_pack(type, memory, first + count, first * type->size, bytes, count * type->size);
    return code;
}

static int format_from_file(const cor_file_format *format, void *memory, const cor_dtype *type, size_t count,
                            size_t first, const void *bytes)
{
    const struct face_format *made = format->subject;
    if (made->read)
        return format_convert(made, made->read, memory, type, count, first, (void *)(uintptr_t)bytes);
    int code = format_check_same(format, type);
    if (code == COR_OK)
        cor_dtype_unpack(type, memory, first + count, first * type->size, bytes, count * type->size);
    return code;
}

/* ---- the list --------------------------------------------------------------------------------------------------- */

/* Under the lock. */
static const cor_file_format *format_in(const face_rank *rank, const char *name)
{
    static const cor_file_format *const ours[] = {&cor_file_native, &cor_file_internal, &cor_file_external32};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (strcmp(ours[i]->name, name) == 0)
            return ours[i];
    for (const struct face_format *made = rank->formats; made; made = made->next)
        if (strcmp(made->name, name) == 0)
            return &made->format;
    return NULL;
}

const cor_file_format *face_format_find(face_rank *rank, const char *name)
{
    pthread_mutex_lock(&rank->lock);
    const cor_file_format *found = format_in(rank, name);
    pthread_mutex_unlock(&rank->lock);
    return found;
}

/* Takes the memory over, unless there is one of this name. */
static int format_add(face_rank *rank, struct face_format *made)
{
    pthread_mutex_lock(&rank->lock);
    int is_new = !format_in(rank, made->name);
    if (is_new) {
        made->next = rank->formats;
        rank->formats = made;
    }
    pthread_mutex_unlock(&rank->lock);
    return is_new;
}

void face_formats_free(face_rank *rank)
{
    while (rank->formats) {
        struct face_format *made = rank->formats;
        rank->formats = made->next;
        free(made);
    }
}

static int format_register(const face_form *form, const char *datarep, void (*read_conversion_fn)(void),
                           void (*write_conversion_fn)(void), MPI_Datarep_extent_function *dtype_file_extent_fn,
                           void *extra_state)
{
    face_rank *rank = face_get();
    size_t length = strnlen(datarep, MPI_MAX_DATAREP_STRING);
    if (length == 0 || length == MPI_MAX_DATAREP_STRING)
        return face_fail(form->name, &rank->no_file, MPI_ERR_ARG, "datarep is %s, but must have 1 to %d characters",
                         length ? "longer" : "empty", MPI_MAX_DATAREP_STRING - 1);
    struct face_format *made = calloc(1, sizeof *made);
    if (!made)
        return face_fail(form->name, &rank->no_file, MPI_ERR_NO_MEM, "no memory for a data representation");
    memcpy(made->name, datarep, length + 1);
    made->owner = rank;
    made->is_large = form->is_large;
    made->read = read_conversion_fn;
    made->write = write_conversion_fn;
    made->extent = dtype_file_extent_fn;
    made->state = extra_state;
    made->format = (cor_file_format){.name = made->name, .extent = format_extent, .subject = made};
    if (read_conversion_fn || write_conversion_fn) {
        made->format.to_file = format_to_file;
        made->format.from_file = format_from_file;
    }
    if (format_add(rank, made))
        return MPI_SUCCESS;
    free(made);
    return face_fail(form->name, &rank->no_file, MPI_ERR_DUP_DATAREP, "datarep is \"%s\", which is already registered",
                     datarep);
}

FACE_API(Register_datarep, format_register)

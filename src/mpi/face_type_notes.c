/* SPDX-License-Identifier: Apache-2.0 */
#include "mpi/face_type.h"

#include <stdlib.h>

_Static_assert(sizeof(MPI_Aint) == 8 && sizeof(MPI_Count) == 8 && sizeof(size_t) == 8,
               "arrays of these are read as one kind");

void type_notes_open(type_notes *notes, const char *call, int combiner, int is_large)
{
    *notes = (type_notes){.call = call, .is_large = is_large, .recipe.combiner = combiner};
}

/* Room for one more in an array of `size` bytes a row. */
static void *notes_next(type_notes *notes, const void *const_array, size_t *count_p, size_t *room_p, size_t size)
{
    void *array = (void *)(uintptr_t)const_array;
    if (*count_p == *room_p) {
        size_t room = *room_p ? 2 * *room_p : 8;
        void *grown = realloc(array, room * size);
        if (!grown) {
            notes->is_out_of_memory = 1;
            return array;
        }
        array = grown;
        *room_p = room;
    }
    *count_p += 1;
    return array;
}

void type_note_int(type_notes *notes, int value)
{
    cor_recipe *recipe = &notes->recipe;
    int *rows = notes_next(notes, recipe->integers, &recipe->integer_count, &notes->integer_room, sizeof *rows);
    recipe->integers = rows;
    if (!notes->is_out_of_memory)
        rows[recipe->integer_count - 1] = value;
}

static void note_large(type_notes *notes, int64_t value)
{
    cor_recipe *recipe = &notes->recipe;
    int64_t *rows = notes_next(notes, recipe->larges, &recipe->large_count, &notes->large_room, sizeof *rows);
    recipe->larges = rows;
    if (!notes->is_out_of_memory)
        rows[recipe->large_count - 1] = value;
}

void type_note_count(type_notes *notes, int64_t value)
{
    if (notes->is_large)
        note_large(notes, value);
    else
        type_note_int(notes, (int)value);
}

void type_note_address(type_notes *notes, int64_t value)
{
    if (notes->is_large) {
        note_large(notes, value);
        return;
    }
    cor_recipe *recipe = &notes->recipe;
    ptrdiff_t *rows = notes_next(notes, recipe->addresses, &recipe->address_count, &notes->address_room, sizeof *rows);
    recipe->addresses = rows;
    if (!notes->is_out_of_memory)
        rows[recipe->address_count - 1] = value;
}

void type_note_type(type_notes *notes, const cor_dtype *type)
{
    cor_recipe *recipe = &notes->recipe;
    const cor_dtype **rows = notes_next(notes, recipe->types, &recipe->type_count, &notes->type_room, sizeof *rows);
    recipe->types = rows;
    if (!notes->is_out_of_memory)
        rows[recipe->type_count - 1] = type;
}

static void notes_close(type_notes *notes)
{
    free((void *)(uintptr_t)notes->recipe.integers);
    free((void *)(uintptr_t)notes->recipe.addresses);
    free((void *)(uintptr_t)notes->recipe.larges);
    free((void *)(uintptr_t)notes->recipe.types);
}

int type_notes_finish(type_notes *notes, int code, const cor_dtype *type, MPI_Datatype *handle_p)
{
    const char *call = notes->call;
    if (code == COR_OK) {
        code = notes->is_out_of_memory ? COR_ERR_MEMORY : cor_dtype_set_recipe(type, &notes->recipe);
        if (code != COR_OK)
            cor_dtype_unref(type);
    }
    notes_close(notes);
    if (code == COR_ERR_COUNT)
        return face_fail(call, NULL, MPI_ERR_COUNT,
                         "the datatype would span %lld bytes or more, more than memory can hold",
                         (long long)PTRDIFF_MAX);
    if (code != COR_OK)
        return face_fail(call, NULL, face_class_of(code), "no memory for a datatype");
    return face_type_handle(call, type, 0, handle_p);
}

void *type_array_copy(const char *call, const face_array *array, size_t count, int is_signed, int *error_p)
{
    int64_t *copy = NULL;
    *error_p = MPI_SUCCESS;
    if (count > 0 && !array->values) {
        *error_p = face_fail_null(call, NULL, array->name);
        return NULL;
    }
    if (count < SIZE_MAX / sizeof *copy)
        copy = malloc((count + 1) * sizeof *copy);
    if (!copy) {
        *error_p = face_fail(call, NULL, MPI_ERR_NO_MEM, "no memory for %zu values of %s", count, array->name);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        copy[i] = face_array_at(array, i);
        if (!is_signed && copy[i] < 0) {
            *error_p = face_fail(call, NULL, MPI_ERR_ARG, "%s[%zu] is %lld, but must not be negative", array->name, i,
                                 (long long)copy[i]);
            free(copy);
            return NULL;
        }
    }
    return copy;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* How a datatype was made: its envelope and contents. */
#include "mpi/face_type.h"

#include <limits.h>
#include <string.h>

/* A predefined type, and one made by another language binding, has no recipe. */
static const cor_recipe contents_named = {.combiner = MPI_COMBINER_NAMED};

static const cor_recipe *contents_recipe(const cor_dtype *type)
{
    return type->recipe ? type->recipe : &contents_named;
}

static int contents_fail_large(const char *call, const char *instead)
{
    return face_fail(call, NULL, MPI_ERR_TYPE, "datatype was made with large counts, which only %s returns", instead);
}

/* num_large_counts is NULL in the function with ints. */
static int contents_envelope(const char *call, const cor_dtype *datatype, MPI_Count *num_integers,
                             MPI_Count *num_addresses, MPI_Count *num_large_counts, MPI_Count *num_datatypes,
                             int *combiner)
{
    const cor_recipe *recipe = contents_recipe(datatype);
    if (!num_large_counts && recipe->large_count > 0)
        return contents_fail_large(call, "MPI_Type_get_envelope_c");
    if (!num_large_counts &&
        (recipe->integer_count > INT_MAX || recipe->address_count > INT_MAX || recipe->type_count > INT_MAX))
        return face_fail(call, NULL, MPI_ERR_VALUE_TOO_LARGE, "num_integers would be %zu, more than an int can hold",
                         recipe->integer_count);
    *num_integers = (MPI_Count)recipe->integer_count;
    *num_addresses = (MPI_Count)recipe->address_count;
    *num_datatypes = (MPI_Count)recipe->type_count;
    if (num_large_counts)
        *num_large_counts = (MPI_Count)recipe->large_count;
    *combiner = recipe->combiner;
    return MPI_SUCCESS;
}

FACE_API(Type_get_envelope, contents_envelope)

/* ---- contents --------------------------------------------------------------------------------------------------- */

/* Is there room for `needed` rows of `row_bytes` in an array argument? If so they are copied there. */
static int contents_copy(const char *call, const char *array_name, const char *max_name, MPI_Count max, void *array,
                         const void *rows, size_t needed, size_t row_bytes)
{
    if (max < 0 || (size_t)max < needed)
        return face_fail(call, NULL, MPI_ERR_ARG, "%s is %lld, but there are %zu", max_name, (long long)max, needed);
    if (needed > 0 && !array)
        return face_fail_null(call, NULL, array_name);
    if (needed > 0 && rows)
        memcpy(array, rows, needed * row_bytes);
    return MPI_SUCCESS;
}

/* Handles of the types: what is predefined as it is, for others new ones, which the caller will free. */
static int contents_types(const char *call, const cor_recipe *recipe, MPI_Datatype *handles)
{
    int error = MPI_SUCCESS;
    size_t done = 0;
    for (; done < recipe->type_count && error == MPI_SUCCESS; done++)
        error = face_type_handle_of(call, recipe->types[done], &handles[done]);
    return error;
}

static int contents_get(const char *call, const cor_recipe *recipe, MPI_Count max_integers, MPI_Count max_addresses,
                        MPI_Count max_datatypes, int *integers, MPI_Aint *addresses, MPI_Datatype *datatypes)
{
    if (recipe->combiner == MPI_COMBINER_NAMED)
        return face_fail(call, NULL, MPI_ERR_TYPE, "datatype is predefined and was not made by a constructor");
    return contents_copy(call, "array_of_integers", "max_integers", max_integers, integers, recipe->integers,
                         recipe->integer_count, sizeof *integers)
               ?: contents_copy(call, "array_of_addresses", "max_addresses", max_addresses, addresses,
                                recipe->addresses, recipe->address_count, sizeof *addresses)
               ?: contents_copy(call, "array_of_datatypes", "max_datatypes", max_datatypes, datatypes, NULL,
                                recipe->type_count, sizeof *datatypes)
               ?: contents_types(call, recipe, datatypes);
}

static int contents(const face_form *form, const cor_dtype *datatype, MPI_Count max_integers, MPI_Count max_addresses,
                    MPI_Count max_large_counts, MPI_Count max_datatypes, int array_of_integers[],
                    MPI_Aint array_of_addresses[], MPI_Count array_of_large_counts[],
                    MPI_Datatype array_of_datatypes[])
{
    const cor_recipe *recipe = contents_recipe(datatype);
    if (!form->is_large && recipe->large_count > 0)
        return contents_fail_large(form->name, "MPI_Type_get_contents_c");
    int error = MPI_SUCCESS;
    if (form->is_large)
        error = contents_copy(form->name, "array_of_large_counts", "max_large_counts", max_large_counts,
                              array_of_large_counts, recipe->larges, recipe->large_count, sizeof(MPI_Count));
    return error
               ?: contents_get(form->name, recipe, max_integers, max_addresses, max_datatypes, array_of_integers,
                               array_of_addresses, array_of_datatypes);
}

FACE_API(Type_get_contents, contents)

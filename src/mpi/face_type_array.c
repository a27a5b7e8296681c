/* SPDX-License-Identifier: Apache-2.0 */
/* Datatypes that are a part of an array. */
#include "mpi/face_type.h"

#include <stdlib.h>

/* What both kinds check. NULL with the error reported in *error_p if an argument is invalid. */
static const cor_dtype *array_base(const char *call, int dimensions, int order, MPI_Datatype oldtype,
                                   const MPI_Datatype *newtype, int *error_p)
{
    face_open(call);
    const cor_dtype *base = face_type_any(oldtype);
    *error_p = MPI_SUCCESS;
    if (dimensions < 1)
        *error_p = face_fail(call, NULL, MPI_ERR_ARG, "ndims is %d, but must be at least 1", dimensions);
    else if (order != MPI_ORDER_C && order != MPI_ORDER_FORTRAN)
        *error_p =
            face_fail(call, NULL, MPI_ERR_ARG, "order is %d, but must be MPI_ORDER_C or MPI_ORDER_FORTRAN", order);
    else if (!base)
        *error_p = face_fail_type(call, NULL, "oldtype", oldtype);
    else if (!newtype)
        *error_p = face_fail_null(call, NULL, "newtype");
    return *error_p == MPI_SUCCESS ? base : NULL;
}

static void array_note(type_notes *notes, size_t dimensions, const size_t *values)
{
    for (size_t i = 0; i < dimensions; i++)
        type_note_count(notes, (int64_t)values[i]);
}

/* ---- subarray --------------------------------------------------------------------------------------------------- */

/* The three arrays. */
typedef struct array_box {
    size_t *sizes, *subsizes, *starts;
} array_box;

static void array_box_free(array_box *box)
{
    free(box->sizes);
    free(box->subsizes);
    free(box->starts);
}

static int array_box_check(const char *call, size_t dimensions, const array_box *box)
{
    for (size_t i = 0; i < dimensions; i++) {
        size_t size = box->sizes[i], subsize = box->subsizes[i], start = box->starts[i];
        if (size < 1)
            return face_fail(call, NULL, MPI_ERR_ARG, "array_of_sizes[%zu] is 0, but must be at least 1", i);
        if (subsize < 1 || subsize > size)
            return face_fail(call, NULL, MPI_ERR_ARG, "array_of_subsizes[%zu] is %zu, but must be 1..%zu", i, subsize,
                             size);
        if (start > size - subsize)
            return face_fail(call, NULL, MPI_ERR_ARG, "array_of_starts[%zu] is %zu, but must be 0..%zu", i, start,
                             size - subsize);
    }
    return MPI_SUCCESS;
}

static int array_box_make(type_notes *notes, int dimensions, const array_box *box, int order, const cor_dtype *base,
                          MPI_Datatype *newtype)
{
    size_t count = (size_t)dimensions;
    const cor_dtype *type = NULL;
    type_note_int(notes, dimensions);
    array_note(notes, count, box->sizes);
    array_note(notes, count, box->subsizes);
    array_note(notes, count, box->starts);
    type_note_int(notes, order);
    type_note_type(notes, base);
    int code =
        cor_dtype_subarray(count, box->sizes, box->subsizes, box->starts, order == MPI_ORDER_FORTRAN, base, &type);
    return type_notes_finish(notes, code, type, newtype);
}

static int array_subarray(const char *call, int dimensions, const void *sizes, const void *subsizes,
                          const void *starts, int order, MPI_Datatype oldtype, MPI_Datatype *newtype, int is_large)
{
    int error;
    const cor_dtype *base = array_base(call, dimensions, order, oldtype, newtype, &error);
    if (!base)
        return error;
    size_t count = (size_t)dimensions;
    array_box box = {0};
    box.sizes = type_array_copy(call, &(type_array){"array_of_sizes", sizes, is_large}, count, 0, &error);
    if (error == MPI_SUCCESS)
        box.subsizes = type_array_copy(call, &(type_array){"array_of_subsizes", subsizes, is_large}, count, 0, &error);
    if (error == MPI_SUCCESS)
        box.starts = type_array_copy(call, &(type_array){"array_of_starts", starts, is_large}, count, 0, &error);
    if (error == MPI_SUCCESS)
        error = array_box_check(call, count, &box);
    if (error == MPI_SUCCESS) {
        type_notes notes;
        type_notes_open(&notes, call, MPI_COMBINER_SUBARRAY, is_large);
        error = array_box_make(&notes, dimensions, &box, order, base, newtype);
    }
    array_box_free(&box);
    return error;
}

COR_API(int, Type_create_subarray,
        (int ndims, const int array_of_sizes[], const int array_of_subsizes[], const int array_of_starts[], int order,
         MPI_Datatype oldtype, MPI_Datatype *newtype))
{
    return array_subarray("MPI_Type_create_subarray", ndims, array_of_sizes, array_of_subsizes, array_of_starts, order,
                          oldtype, newtype, 0);
}

COR_API(int, Type_create_subarray_c,
        (int ndims, const MPI_Count array_of_sizes[], const MPI_Count array_of_subsizes[],
         const MPI_Count array_of_starts[], int order, MPI_Datatype oldtype, MPI_Datatype *newtype))
{
    return array_subarray("MPI_Type_create_subarray_c", ndims, array_of_sizes, array_of_subsizes, array_of_starts,
                          order, oldtype, newtype, 1);
}

/* ---- darray ----------------------------------------------------------------------------------------------------- */

/* The arguments of a distributed array. */
typedef struct array_deal {
    int size, rank, dimensions, order;
    type_array sizes;
    const int *distribs, *dargs, *psizes;
} array_deal;

static int array_deal_check(const char *call, const array_deal *deal)
{
    if (deal->size < 1)
        return face_fail(call, NULL, MPI_ERR_ARG, "size is %d, but must be at least 1", deal->size);
    if (deal->rank < 0 || deal->rank >= deal->size)
        return face_fail(call, NULL, MPI_ERR_RANK, "rank is %d, but must be 0..%d", deal->rank, deal->size - 1);
    if (!deal->distribs || !deal->dargs || !deal->psizes)
        return face_fail_null(call, NULL,
                              !deal->distribs ? "array_of_distribs"
                              : !deal->dargs  ? "array_of_dargs"
                                              : "array_of_psizes");
    int64_t processes = 1;
    for (int i = 0; i < deal->dimensions; i++) {
        if (deal->psizes[i] < 1)
            return face_fail(call, NULL, MPI_ERR_ARG, "array_of_psizes[%d] is %d, but must be at least 1", i,
                             deal->psizes[i]);
        processes *= deal->psizes[i];
        if (processes > deal->size)
            break;
    }
    if (processes != deal->size)
        return face_fail(call, NULL, MPI_ERR_ARG, "array_of_psizes has a product other than size, which is %d",
                         deal->size);
    return MPI_SUCCESS;
}

/* One dimension, all but our place in it. */
static int array_share(const char *call, const array_deal *deal, int i, size_t size, cor_share *share)
{
    int distrib = deal->distribs[i], darg = deal->dargs[i], processes = deal->psizes[i];
    int is_default = darg == MPI_DISTRIBUTE_DFLT_DARG;
    *share = (cor_share){.size = size, .block = size, .processes = (size_t)processes};
    if (size < 1)
        return face_fail(call, NULL, MPI_ERR_ARG, "array_of_gsizes[%d] is 0, but must be at least 1", i);
    if (distrib != MPI_DISTRIBUTE_BLOCK && distrib != MPI_DISTRIBUTE_CYCLIC && distrib != MPI_DISTRIBUTE_NONE)
        return face_fail(call, NULL, MPI_ERR_ARG, "array_of_distribs[%d] is %d, which is not a distribution", i,
                         distrib);
    if (distrib == MPI_DISTRIBUTE_NONE && processes != 1)
        return face_fail(call, NULL, MPI_ERR_ARG,
                         "array_of_psizes[%d] is %d, but must be 1 for a dimension that is not distributed", i,
                         processes);
    if (distrib == MPI_DISTRIBUTE_NONE)
        return MPI_SUCCESS;
    if (!is_default && darg < 1)
        return face_fail(call, NULL, MPI_ERR_ARG, "array_of_dargs[%d] is %d, but must be at least 1", i, darg);
    share->is_cyclic = distrib == MPI_DISTRIBUTE_CYCLIC;
    size_t least = (size - 1) / (size_t)processes + 1;
    share->block = !is_default ? (size_t)darg : share->is_cyclic ? 1 : least;
    if (!share->is_cyclic && share->block < least)
        return face_fail(call, NULL, MPI_ERR_ARG,
                         "array_of_dargs[%d] is %d, but blocks must have %zu elements to hold all %zu", i, darg, least,
                         size);
    return MPI_SUCCESS;
}

static void array_deal_note(type_notes *notes, const array_deal *deal, const cor_share *shares, const cor_dtype *base)
{
    type_note_int(notes, deal->size);
    type_note_int(notes, deal->rank);
    type_note_int(notes, deal->dimensions);
    for (int i = 0; i < deal->dimensions; i++)
        type_note_count(notes, (int64_t)shares[i].size);
    const int *const arrays[] = {deal->distribs, deal->dargs, deal->psizes};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < deal->dimensions; i++)
            type_note_int(notes, arrays[k][i]);
    type_note_int(notes, deal->order);
    type_note_type(notes, base);
}

/* Ranks are mapped to the grid in C order, whatever the order of the array. */
static void array_places(const array_deal *deal, cor_share *shares)
{
    size_t rest = (size_t)deal->rank;
    for (int i = deal->dimensions - 1; i >= 0; i--) {
        shares[i].place = rest % shares[i].processes;
        rest /= shares[i].processes;
    }
}

static int array_darray(const char *call, const array_deal *deal, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    int error;
    const cor_dtype *base = array_base(call, deal->dimensions, deal->order, oldtype, newtype, &error), *type = NULL;
    if (!base || (error = array_deal_check(call, deal)) != MPI_SUCCESS)
        return error;
    size_t count = (size_t)deal->dimensions;
    size_t *sizes = type_array_copy(call, &deal->sizes, count, 0, &error);
    if (!sizes)
        return error;
    cor_share *shares = calloc(count, sizeof *shares);
    if (!shares)
        error = face_fail(call, NULL, MPI_ERR_NO_MEM, "no memory for %zu dimensions", count);
    for (int i = 0; error == MPI_SUCCESS && i < deal->dimensions; i++)
        error = array_share(call, deal, i, sizes[i], &shares[i]);
    if (error == MPI_SUCCESS) {
        type_notes notes;
        type_notes_open(&notes, call, MPI_COMBINER_DARRAY, deal->sizes.is_wide);
        array_places(deal, shares);
        array_deal_note(&notes, deal, shares, base);
        int code = cor_dtype_darray(count, shares, deal->order == MPI_ORDER_FORTRAN, base, &type);
        error = type_notes_finish(&notes, code, type, newtype);
    }
    free(shares);
    free(sizes);
    return error;
}

COR_API(int, Type_create_darray,
        (int size, int rank, int ndims, const int array_of_gsizes[], const int array_of_distribs[],
         const int array_of_dargs[], const int array_of_psizes[], int order, MPI_Datatype oldtype,
         MPI_Datatype *newtype))
{
    array_deal deal = {
        size,           rank,           ndims, order, {"array_of_gsizes", array_of_gsizes, 0}, array_of_distribs,
        array_of_dargs, array_of_psizes};
    return array_darray("MPI_Type_create_darray", &deal, oldtype, newtype);
}

COR_API(int, Type_create_darray_c,
        (int size, int rank, int ndims, const MPI_Count array_of_gsizes[], const int array_of_distribs[],
         const int array_of_dargs[], const int array_of_psizes[], int order, MPI_Datatype oldtype,
         MPI_Datatype *newtype))
{
    array_deal deal = {
        size,           rank,           ndims, order, {"array_of_gsizes", array_of_gsizes, 1}, array_of_distribs,
        array_of_dargs, array_of_psizes};
    return array_darray("MPI_Type_create_darray_c", &deal, oldtype, newtype);
}

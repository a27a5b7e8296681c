/* SPDX-License-Identifier: Apache-2.0 */
/* Datatypes that are a part of an array. */
#include "mpi/face_type.h"

#include <stdlib.h>

static int array_check_order(const char *call, int order)
{
    if (order == MPI_ORDER_C || order == MPI_ORDER_FORTRAN)
        return MPI_SUCCESS;
    return face_fail(call, NULL, MPI_ERR_ARG, "order is %d, but must be MPI_ORDER_C or MPI_ORDER_FORTRAN", order);
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

static int array_subarray(const face_form *form, int ndims, const face_array *sizes, const face_array *subsizes,
                          const face_array *starts, int order, const cor_dtype *oldtype, MPI_Datatype *newtype)
{
    const char *call = form->name;
    int error = array_check_order(call, order);
    size_t count = (size_t)ndims;
    array_box box = {0};
    if (error == MPI_SUCCESS)
        box.sizes = type_array_copy(call, sizes, count, 0, &error);
    if (error == MPI_SUCCESS)
        box.subsizes = type_array_copy(call, subsizes, count, 0, &error);
    if (error == MPI_SUCCESS)
        box.starts = type_array_copy(call, starts, count, 0, &error);
    if (error == MPI_SUCCESS)
        error = array_box_check(call, count, &box);
    if (error == MPI_SUCCESS) {
        type_notes notes;
        type_notes_open(&notes, call, MPI_COMBINER_SUBARRAY, form->is_large);
        error = array_box_make(&notes, ndims, &box, order, oldtype, newtype);
    }
    array_box_free(&box);
    return error;
}

FACE_API(Type_create_subarray, array_subarray)

/* ---- darray ----------------------------------------------------------------------------------------------------- */

/* The arguments of a distributed array. */
typedef struct array_deal {
    int size, rank, dimensions, order;
    const int *distribs, *dargs, *psizes;
} array_deal;

static int array_deal_check(const char *call, const array_deal *deal)
{
    if (deal->rank < 0 || deal->rank >= deal->size)
        return face_fail(call, NULL, MPI_ERR_RANK, "rank is %d, but must be 0..%d", deal->rank, deal->size - 1);
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

static int array_deal_make(const face_form *form, const array_deal *deal, const size_t *sizes, const cor_dtype *base,
                           MPI_Datatype *newtype)
{
    const cor_dtype *type = NULL;
    int error = MPI_SUCCESS;
    size_t count = (size_t)deal->dimensions;
    cor_share *shares = calloc(count, sizeof *shares);
    if (!shares)
        error = face_fail(form->name, NULL, MPI_ERR_NO_MEM, "no memory for %zu dimensions", count);
    for (int i = 0; error == MPI_SUCCESS && i < deal->dimensions; i++)
        error = array_share(form->name, deal, i, sizes[i], &shares[i]);
    if (error == MPI_SUCCESS) {
        type_notes notes;
        type_notes_open(&notes, form->name, MPI_COMBINER_DARRAY, form->is_large);
        array_places(deal, shares);
        array_deal_note(&notes, deal, shares, base);
        int code = cor_dtype_darray(count, shares, deal->order == MPI_ORDER_FORTRAN, base, &type);
        error = type_notes_finish(&notes, code, type, newtype);
    }
    free(shares);
    return error;
}

static int array_darray(const face_form *form, int size, int rank, int ndims, const face_array *gsizes,
                        const int distribs[], const int dargs[], const int psizes[], int order,
                        const cor_dtype *oldtype, MPI_Datatype *newtype)
{
    const array_deal deal = {size, rank, ndims, order, distribs, dargs, psizes};
    int error = array_check_order(form->name, order) ?: array_deal_check(form->name, &deal);
    size_t *sizes = error == MPI_SUCCESS ? type_array_copy(form->name, gsizes, (size_t)ndims, 0, &error) : NULL;
    if (error == MPI_SUCCESS)
        error = array_deal_make(form, &deal, sizes, oldtype, newtype);
    free(sizes);
    return error;
}

FACE_API(Type_create_darray, array_darray)

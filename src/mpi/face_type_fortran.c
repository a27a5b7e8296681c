/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Datatypes that are found by what they can hold: by size, by Fortran's range and precision, by value and index.
 *
 * Types for a range are predefined but have no name: the same arguments give the same handle, which is not freed
 * before Finalize. They are in a list of the rank.
 */
#include "mpi/face_type.h"

/* ---- by size ---------------------------------------------------------------------------------------------------- */

/* What Fortran's compilers offer, in growing order. */
typedef struct fortran_kind {
    MPI_Datatype handle;
    int bytes;
    int precision, range; /* in decimal digits, as Fortran's intrinsic functions give them */
} fortran_kind;

typedef struct fortran_class {
    int number;
    const char *name;
    fortran_kind kinds[5]; /* ends at 0 bytes */
} fortran_class;

static const fortran_class fortran_integers = {MPI_TYPECLASS_INTEGER,
                                               "integer",
                                               {{MPI_INTEGER1, 1, 0, 2},
                                                {MPI_INTEGER2, 2, 0, 4},
                                                {MPI_INTEGER4, 4, 0, 9},
                                                {MPI_INTEGER8, 8, 0, 18},
                                                {MPI_INTEGER16, 16, 0, 38}}};
static const fortran_class fortran_reals = {
    MPI_TYPECLASS_REAL,
    "real",
    {{MPI_REAL2, 2, 3, 4}, {MPI_REAL4, 4, 6, 37}, {MPI_REAL8, 8, 15, 307}, {MPI_REAL16, 16, 33, 4931}}};
static const fortran_class fortran_complexes = {
    MPI_TYPECLASS_COMPLEX,
    "complex",
    {{MPI_COMPLEX4, 4, 3, 4}, {MPI_COMPLEX8, 8, 6, 37}, {MPI_COMPLEX16, 16, 15, 307}, {MPI_COMPLEX32, 32, 33, 4931}}};

enum { FORTRAN_KINDS = sizeof fortran_integers.kinds / sizeof fortran_integers.kinds[0] };

static int fortran_match_size(const char *call, int typeclass, int size, MPI_Datatype *datatype)
{
    static const fortran_class *const classes[] = {&fortran_integers, &fortran_reals, &fortran_complexes};
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        if (classes[i]->number != typeclass)
            continue;
        for (int k = 0; k < FORTRAN_KINDS; k++)
            if (classes[i]->kinds[k].bytes == size && size > 0) {
                *datatype = classes[i]->kinds[k].handle;
                return MPI_SUCCESS;
            }
        return face_fail(call, NULL, MPI_ERR_ARG, "size is %d, but there is no %s type of that size", size,
                         classes[i]->name);
    }
    return face_fail(call, NULL, MPI_ERR_ARG, "typeclass is %d, which is not one of MPI_TYPECLASS_*", typeclass);
}

FACE_API(Type_match_size, fortran_match_size)

/* ---- by range --------------------------------------------------------------------------------------------------- */

MPI_Datatype face_type_fortran(const cor_dtype *type)
{
    face_rank *rank = face_get();
    MPI_Datatype found = MPI_DATATYPE_NULL;
    pthread_mutex_lock(&rank->lock);
    for (face_type *made = rank->fortran_types; made; made = made->next_fortran)
        if (made->type == type)
            found = (MPI_Datatype)made;
    pthread_mutex_unlock(&rank->lock);
    return found;
}

/* The one that was made with the same arguments. */
static face_type *fortran_find(const face_rank *rank, const cor_recipe *recipe)
{
    for (face_type *made = rank->fortran_types; made; made = made->next_fortran) {
        const cor_recipe *other = made->type->recipe;
        if (other->combiner == recipe->combiner && other->integers[0] == recipe->integers[0] &&
            other->integers[recipe->integer_count - 1] == recipe->integers[recipe->integer_count - 1])
            return made;
    }
    return NULL;
}

static int fortran_make(const char *call, const cor_recipe *recipe, const fortran_kind *kind, MPI_Datatype *newtype)
{
    face_rank *rank = face_get();
    const cor_dtype *type;
    pthread_mutex_lock(&rank->lock);
    face_type *made = fortran_find(rank, recipe);
    pthread_mutex_unlock(&rank->lock);
    if (made) {
        *newtype = (MPI_Datatype)made;
        return MPI_SUCCESS;
    }
    int code = cor_dtype_dup(face_type_predefined(kind->handle), &type);
    if (code == COR_OK && (code = cor_dtype_set_recipe(type, recipe)) != COR_OK)
        cor_dtype_unref(type);
    if (code != COR_OK)
        return face_fail(call, NULL, face_class_of(code), "no memory for a datatype");
    int error = face_type_handle(call, type, 1, newtype);
    if (error != MPI_SUCCESS)
        return error;
    /* Another thread may have made the same meanwhile; then there are two, which is harmless. */
    made = face_type_made(*newtype);
    face_check_forget(rank, made); /* it cannot be freed */
    pthread_mutex_lock(&rank->lock);
    made->next_fortran = rank->fortran_types;
    rank->fortran_types = made;
    pthread_mutex_unlock(&rank->lock);
    return MPI_SUCCESS;
}

/* MPI_UNDEFINED for one of the two means that it does not matter. */
static int fortran_range(const char *call, int p, int r, MPI_Datatype *newtype, const fortran_class *class,
                         int combiner)
{
    int is_integer = class == &fortran_integers;
    if (!is_integer && p == MPI_UNDEFINED && r == MPI_UNDEFINED)
        return face_fail(call, NULL, MPI_ERR_ARG, "p and r are both MPI_UNDEFINED");
    for (int k = 0; k<FORTRAN_KINDS &&class->kinds[k].bytes> 0; k++) {
        const fortran_kind *kind = &class->kinds[k];
        if ((p == MPI_UNDEFINED || p <= kind->precision) && (r == MPI_UNDEFINED || r <= kind->range)) {
            int arguments[] = {p, r};
            cor_recipe recipe = {.combiner = combiner,
                                 .integer_count = is_integer ? 1 : 2,
                                 .integers = is_integer ? &arguments[1] : arguments};
            return fortran_make(call, &recipe, kind, newtype);
        }
    }
    if (is_integer)
        return face_fail(call, NULL, MPI_ERR_ARG, "r is %d, but no %s type has that range", r, class->name);
    return face_fail(call, NULL, MPI_ERR_ARG, "p is %d and r is %d, but no %s type has that precision and range", p, r,
                     class->name);
}

static int fortran_integer(const char *call, int r, MPI_Datatype *newtype)
{
    return fortran_range(call, MPI_UNDEFINED, r, newtype, &fortran_integers, MPI_COMBINER_F90_INTEGER);
}

FACE_API(Type_create_f90_integer, fortran_integer)

FACE_API(Type_create_f90_real, fortran_range, &fortran_reals, MPI_COMBINER_F90_REAL)

FACE_API(Type_create_f90_complex, fortran_range, &fortran_complexes, MPI_COMBINER_F90_COMPLEX)

/* ---- by value and index ----------------------------------------------------------------------------------------- */

static int fortran_value_index(const char *call, MPI_Datatype value_type, MPI_Datatype index_type,
                               MPI_Datatype *pair_type)
{
    static const struct {
        MPI_Datatype value, index, pair;
    } pairs[] = {
        {MPI_FLOAT, MPI_INT, MPI_FLOAT_INT},      {MPI_DOUBLE, MPI_INT, MPI_DOUBLE_INT},
        {MPI_LONG, MPI_INT, MPI_LONG_INT},        {MPI_INT, MPI_INT, MPI_2INT},
        {MPI_SHORT, MPI_INT, MPI_SHORT_INT},      {MPI_LONG_DOUBLE, MPI_INT, MPI_LONG_DOUBLE_INT},
        {MPI_REAL, MPI_REAL, MPI_2REAL},          {MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_2DOUBLE_PRECISION},
        {MPI_INTEGER, MPI_INTEGER, MPI_2INTEGER},
    };
    /* Only pairs with a name: others are reported as missing, as the standard allows. */
    *pair_type = MPI_DATATYPE_NULL;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if (pairs[i].value == value_type && pairs[i].index == index_type)
            *pair_type = pairs[i].pair;
    return MPI_SUCCESS;
}

FACE_API(Type_get_value_index, fortran_value_index)

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sections of arrays with gaps. The elements of a section, in the order of Fortran, are the buffer; count and datatype
 * are for that buffer. Where it can, a datatype describes the elements in their places: one message is an hvector for
 * each dimension; for blocks at displacements, a section with one stride is an element of a wider extent. Otherwise the
 * elements are copied, and written back when the call or its request is complete.
 */
#include "fort.h"

#include <string.h>

/* ---- the dimensions --------------------------------------------------------------------------------------------- */

/* Those of a section, the first one the innermost; dimensions that continue each other are one. */
typedef struct section_shape {
    char *base;
    size_t element_bytes;
    MPI_Count elements;
    int rank;
    struct {
        MPI_Count extent, stride; /* in bytes */
    } dims[CFI_MAX_RANK];
} section_shape;

static void shape_init(section_shape *shape, const CFI_cdesc_t *array)
{
    shape->base = array->base_addr;
    shape->element_bytes = array->elem_len;
    shape->elements = 1;
    shape->rank = 0;
    for (int i = 0; i < array->rank; i++) {
        MPI_Count extent = array->dim[i].extent, stride = array->dim[i].sm;
        shape->elements *= extent;
        if (extent == 1)
            continue;
        int last = shape->rank - 1;
        if (last >= 0 && stride == shape->dims[last].stride * shape->dims[last].extent)
            shape->dims[last].extent *= extent;
        else {
            shape->dims[shape->rank].extent = extent;
            shape->dims[shape->rank++].stride = stride;
        }
    }
}

/* ---- copies ----------------------------------------------------------------------------------------------------- */

struct fort_copy {
    fort_later later; /* for a copy that ends with a request */
    section_shape shape;
    int is_output;
    char bytes[]; /* of the elements; behind them, for output, those that they began with */
};

static size_t shape_bytes(const section_shape *shape)
{
    return (size_t)shape->elements * shape->element_bytes;
}

/* The elements from dimension `rank` inwards to contiguous memory; returns its end. */
static char *copy_in(const section_shape *shape, int rank, const char *place, char *bytes)
{
    if (rank == 0) {
        memcpy(bytes, place, shape->element_bytes);
        return bytes + shape->element_bytes;
    }
    for (MPI_Count i = 0; i < shape->dims[rank - 1].extent; i++)
        bytes = copy_in(shape, rank - 1, place + i * shape->dims[rank - 1].stride, bytes);
    return bytes;
}

/* Back to the section, but only what has changed since `before`: what the datatype leaves out belongs to the program,
 * or to another operation that is under way. */
static void copy_out(const section_shape *shape, int rank, char *place, const char **bytes, const char **before)
{
    if (rank > 0) {
        for (MPI_Count i = 0; i < shape->dims[rank - 1].extent; i++)
            copy_out(shape, rank - 1, place + i * shape->dims[rank - 1].stride, bytes, before);
        return;
    }
    for (size_t i = 0; i < shape->element_bytes; i++)
        if ((*bytes)[i] != (*before)[i])
            place[i] = (*bytes)[i];
    *bytes += shape->element_bytes;
    *before += shape->element_bytes;
}

static void copy_end(fort_copy *copy, int is_complete)
{
    const char *bytes = copy->bytes, *before = copy->bytes + shape_bytes(&copy->shape);
    if (copy->is_output && is_complete)
        copy_out(&copy->shape, copy->shape.rank, copy->shape.base, &bytes, &before);
    free(copy);
}

static void copy_run(fort_later *later, int is_complete)
{
    copy_end((fort_copy *)later, is_complete);
}

static int open_copy(fort_section *section, const char *call, const char *argument, const section_shape *shape,
                     fort_end end, int is_output)
{
    if (shape_bytes(shape) == 0)
        return MPI_SUCCESS;
    if (end == FORT_NEVER)
        return fort_fail(call, MPI_ERR_BUFFER,
                         "%s is a section of an array with gaps for which no datatype can stand here; it must be "
                         "contiguous",
                         argument);
    size_t bytes = shape_bytes(shape);
    fort_copy *copy = malloc(sizeof *copy + (is_output ? 2 : 1) * bytes);
    if (!copy)
        return fort_fail(call, MPI_ERR_NO_MEM, "no memory to copy the %zu bytes of %s", bytes, argument);
    copy->later.run = copy_run;
    copy->shape = *shape;
    copy->is_output = is_output;
    copy_in(shape, shape->rank, shape->base, copy->bytes);
    if (is_output)
        memcpy(copy->bytes + bytes, copy->bytes, bytes);
    section->copy = copy;
    section->base = copy->bytes;
    return MPI_SUCCESS;
}

/* ---- datatypes -------------------------------------------------------------------------------------------------- */

static void type_replace(MPI_Datatype *type, MPI_Datatype by)
{
    PMPI_Type_free(type);
    *type = by;
}

/* All elements of the innermost dimensions. The caller frees the datatype. */
static int type_of_dims(const section_shape *shape, int rank, MPI_Datatype element, MPI_Datatype *made)
{
    int error = PMPI_Type_dup(element, made);
    for (int i = 0; error == MPI_SUCCESS && i < rank; i++) {
        MPI_Datatype outer;
        error = PMPI_Type_create_hvector_c(shape->dims[i].extent, 1, shape->dims[i].stride, *made, &outer);
        if (error == MPI_SUCCESS)
            type_replace(made, outer);
    }
    return error;
}

/* The first `count` elements of them. */
static int type_of_first(const section_shape *shape, int rank, MPI_Count count, MPI_Datatype element,
                         MPI_Datatype *made)
{
    MPI_Count inner = 1;
    for (int i = 0; i < rank - 1; i++)
        inner *= shape->dims[i].extent;
    if (rank == 0 || count == inner * shape->dims[rank - 1].extent)
        return type_of_dims(shape, rank, element, made);
    MPI_Count stride = shape->dims[rank - 1].stride, rows = count / inner, rest = count % inner;
    MPI_Datatype row, parts[2];
    int error = type_of_dims(shape, rank - 1, element, &row);
    if (error != MPI_SUCCESS)
        return error;
    error = PMPI_Type_create_hvector_c(rows, 1, stride, row, &parts[0]);
    PMPI_Type_free(&row);
    if (error != MPI_SUCCESS || rest == 0) {
        *made = parts[0];
        return error;
    }
    error = type_of_first(shape, rank - 1, rest, element, &parts[1]);
    if (error == MPI_SUCCESS) {
        error = PMPI_Type_create_struct_c(2, (MPI_Count[]){1, 1}, (MPI_Count[]){0, rows * stride}, parts, made);
        PMPI_Type_free(&parts[1]);
    }
    PMPI_Type_free(&parts[0]);
    return error;
}

/* The extent of a datatype without gaps, or 0. */
static MPI_Count dense_extent(MPI_Datatype type)
{
    MPI_Count size, lb, extent, true_lb, true_extent;
    if (PMPI_Type_size_c(type, &size) != MPI_SUCCESS || PMPI_Type_get_extent_c(type, &lb, &extent) != MPI_SUCCESS ||
        PMPI_Type_get_true_extent_c(type, &true_lb, &true_extent) != MPI_SUCCESS)
        return 0;
    return lb == 0 && true_lb == 0 && extent == size && true_extent == size ? size : 0;
}

/* The datatype of one element of the array, given that of the program: itself, several of it, or a part of it. The
 * caller frees it. */
static int element_type(MPI_Count element_bytes, MPI_Count type_bytes, MPI_Datatype type, MPI_Datatype *made)
{
    if (type_bytes == element_bytes)
        return PMPI_Type_dup(type, made);
    if (element_bytes % type_bytes == 0)
        return PMPI_Type_contiguous_c(element_bytes / type_bytes, type, made);
    return PMPI_Type_contiguous_c(element_bytes, MPI_BYTE, made);
}

/* One message: `first` elements of the section. */
static int open_whole(fort_section *section, const section_shape *shape, MPI_Count type_bytes, MPI_Count first)
{
    MPI_Datatype element, made;
    int error = element_type((MPI_Count)shape->element_bytes, type_bytes, section->type, &element);
    if (error != MPI_SUCCESS)
        return error;
    error = type_of_first(shape, shape->rank, first, element, &made);
    PMPI_Type_free(&element);
    if (error != MPI_SUCCESS)
        return error;
    section->type = section->made = made;
    section->count = 1;
    return PMPI_Type_commit(&section->type);
}

/* Blocks: an element reaches to the next one. */
static int open_blocks(fort_section *section, const section_shape *shape)
{
    MPI_Datatype made;
    int error = PMPI_Type_create_resized_c(section->type, 0, shape->dims[0].stride, &made);
    if (error != MPI_SUCCESS)
        return error;
    section->type = section->made = made;
    return PMPI_Type_commit(&section->type);
}

/* Are `count` elements of the datatype within so many bytes? */
static int is_within(MPI_Datatype type, MPI_Count count, MPI_Count bytes)
{
    MPI_Count lb, extent, true_lb, true_extent, last;
    if (PMPI_Type_get_extent_c(type, &lb, &extent) != MPI_SUCCESS ||
        PMPI_Type_get_true_extent_c(type, &true_lb, &true_extent) != MPI_SUCCESS || true_extent == 0)
        return 1;
    if (__builtin_mul_overflow(count - 1, extent, &last))
        return 0;
    return true_lb + (last < 0 ? last : 0) >= 0 && true_lb + true_extent <= bytes - (last > 0 ? last : 0);
}

int fort_open_gaps(fort_section *section, const char *call, const char *argument, const CFI_cdesc_t *array,
                   fort_use use, fort_end end, int is_output)
{
    section_shape shape;
    shape_init(&shape, array);
    MPI_Count element_bytes = (MPI_Count)shape.element_bytes, all_bytes = (MPI_Count)shape_bytes(&shape), bytes;
    int has_type = section->type != MPI_DATATYPE_NULL && section->type != PMPI_Type_fromint(0);
    if (has_type && section->count > 0 && !is_within(section->type, section->count, all_bytes))
        return fort_fail(call, MPI_ERR_COUNT,
                         "%s is a section of %lld elements of %lld bytes, where %lld elements of the datatype have no "
                         "room",
                         argument, (long long)shape.elements, (long long)element_bytes, (long long)section->count);
    if (use == FORT_COPIED)
        return open_copy(section, call, argument, &shape, end, is_output);
    /* What is wrong with these, the call tells. */
    if (!has_type || section->count < 0 || (use == FORT_WHOLE && section->count == 0))
        return MPI_SUCCESS;
    MPI_Count type_bytes = dense_extent(section->type);
    if (type_bytes > 0 && use == FORT_BLOCKS && shape.rank == 1 && type_bytes == element_bytes)
        return open_blocks(section, &shape);
    if (type_bytes > 0 && use == FORT_WHOLE && !__builtin_mul_overflow(section->count, type_bytes, &bytes) &&
        element_bytes > 0 && bytes % element_bytes == 0) {
        /* Several elements in one have types that bytes do not: for data in another representation. */
        if (element_bytes % type_bytes == 0 || end == FORT_NEVER)
            return open_whole(section, &shape, type_bytes, bytes / element_bytes);
    }
    return open_copy(section, call, argument, &shape, end, is_output);
}

void fort_close_gaps(fort_section *section, int error, fort_later **later_p)
{
    if (section->made != MPI_DATATYPE_NULL)
        PMPI_Type_free(&section->made); /* operations that have begun keep it */
    if (!section->copy)
        return;
    if (later_p && error == MPI_SUCCESS)
        fort_later_add(later_p, &section->copy->later);
    else
        copy_end(section->copy, error == MPI_SUCCESS);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Views: which bytes of the file a member sees. */
#include "file/file_state.h"

#include <errno.h>
#include <string.h>

enum { VIEW_ROWS = 256 };

/* ---- checks ----------------------------------------------------------------------------------------------------- */

/* The blocks of the filetype lie one behind the other, from 0 on; those of a file that is written do not overlap. */
static int view_check_order(file_view *view, int is_written, const char **why_p)
{
    const cor_dtype *tile = view->tile;
    cor_dtype_row rows[VIEW_ROWS];
    int64_t last = 0, end = 0;
    size_t moved;
    for (size_t at = 0; at < tile->size; at += moved) {
        size_t count = cor_dtype_rows(tile, 1, at, tile->size - at, rows, VIEW_ROWS, &moved);
        for (size_t i = 0; i < count; i++) {
            *why_p = rows[i].at < 0                   ? "the filetype has a displacement below 0"
                     : rows[i].at < last              ? "the displacements of the filetype decrease"
                     : is_written && rows[i].at < end ? "the filetype overlaps itself, and the file can be written"
                                                      : NULL;
            if (*why_p)
                return COR_ERR_ARG;
            view->is_mixed |= rows[i].at < end;
            last = rows[i].at;
            end = rows[i].at + (int64_t)rows[i].bytes;
        }
    }
    view->is_rising = !view->is_mixed;
    view->is_mixed |= tile->size > 0 && end - (int64_t)tile->true_lb > (int64_t)tile->extent;
    return COR_OK;
}

static int view_check(file_view *view, size_t etype_bytes, int is_written, const char **why_p)
{
    const cor_dtype *tile = view->tile;
    *why_p = NULL;
    if (view->given.displacement < 0)
        *why_p = "the displacement is below 0";
    else if (etype_bytes == 0 ? tile->size > 0 : tile->size % etype_bytes != 0)
        *why_p = "the filetype is not made of the etype";
    else if (tile->size > 0 && tile->extent <= 0)
        *why_p = "the extent of the filetype is not above 0";
    return *why_p ? COR_ERR_ARG : view_check_order(view, is_written, why_p);
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

void file_view_ref(const file_view *view)
{
    cor_dtype_ref(view->given.etype);
    cor_dtype_ref(view->given.filetype);
    cor_dtype_ref(view->tile);
}

void file_view_fini(file_view *view)
{
    if (!view->tile)
        return;
    cor_dtype_unref(view->given.etype);
    cor_dtype_unref(view->given.filetype);
    cor_dtype_unref(view->tile);
    view->tile = NULL;
}

int file_view_init(file_view *view, const cor_file_view *given, int is_written, const char **why_p)
{
    const cor_dtype *etype;
    *view = (file_view){.given = *given};
    *why_p = "no memory for the view, or its types are too large for the data representation";
    int rc = file_format_type(given->format, given->etype, &etype);
    if (rc != COR_OK)
        return rc;
    rc = file_format_type(given->format, given->filetype, &view->tile);
    if (rc == COR_OK)
        rc = view_check(view, etype->size, is_written, why_p);
    view->etype_bytes = etype->size;
    cor_dtype_unref(etype);
    if (rc != COR_OK) {
        if (view->tile)
            cor_dtype_unref(view->tile);
        view->tile = NULL;
        return rc;
    }
    cor_dtype_ref(given->etype);
    cor_dtype_ref(given->filetype);
    view->tile_extent = view->tile->extent;
    view->tile_bytes = view->tile->size;
    view->is_contiguous = view->tile->is_contiguous && view->tile_bytes > 0;
    return COR_OK;
}

/* ---- a part of it ----------------------------------------------------------------------------------------------- */

static uint64_t view_tiles(const file_view *view, uint64_t position, uint64_t bytes)
{
    return bytes == 0 ? 0 : (position + bytes - 1) / view->tile_bytes - position / view->tile_bytes + 1;
}

void file_view_narrow(file_view *view, uint64_t *position_p, uint64_t bytes)
{
    if (!view->is_mixed || !view->is_rising || view_tiles(view, *position_p, bytes) != 1)
        return;
    view->given.displacement += (int64_t)(*position_p / view->tile_bytes) * view->tile_extent;
    *position_p %= view->tile_bytes;
    view->tile_extent = (int64_t)view->tile->true_ub;
    view->is_mixed = 0;
}

int file_view_overlaps(const file_view *view, uint64_t position, uint64_t bytes)
{
    return view->is_mixed && view_tiles(view, position, bytes) > cor_dtype_receive_max(view->tile);
}

/* ---- setting it ------------------------------------------------------------------------------------------------- */

/* A number for the name of a format, to compare among members. */
static uint64_t view_number_of(const char *name)
{
    uint64_t number = 0xcbf29ce484222325u;
    for (; *name; name++)
        number = (number ^ (unsigned char)*name) * 0x100000001b3u;
    return number;
}

/* The displacement that stands for where the shared pointer is. */
static int view_find_here(cor_file *file, cor_file_view *given)
{
    int64_t elements;
    if (given->displacement != COR_FILE_HERE)
        return file->mode & COR_FILE_SEQUENTIAL
                   ? file_fail(file, COR_ERR_FILE_OPERATION,
                               "the file is sequential, so a view of it begins at MPI_DISPLACEMENT_CURRENT")
                   : COR_OK;
    if (!(file->mode & COR_FILE_SEQUENTIAL))
        return file_fail(file, COR_ERR_ARG,
                         "the displacement is MPI_DISPLACEMENT_CURRENT, but the file is not sequential");
    int rc = cor_file_position_shared(file, &elements);
    return rc == COR_OK ? cor_file_byte_offset(file, elements, &given->displacement) : rc;
}

/* All have read the shared pointer before it is set. */
static int view_set(cor_file *file, file_view *view)
{
    file_view before;
    int rc = cor_comm_enter_open(file->comm);
    if (rc == COR_OK) {
        before = file->view;
        file->view = *view;
        file->position = 0;
        cor_comm_leave(file->comm);
        file_view_fini(&before);
        rc = file_pointer_set(file, 0);
    } else {
        file_view_fini(view);
    }
    return rc;
}

int cor_file_set_view(cor_file *file, const cor_file_view *given)
{
    cor_file_view wanted = *given;
    file_view view = {.tile = NULL};
    const char *why;
    int rc = file->split ? file_fail(file, COR_ERR_FILE_BUSY, "a split collective access has not ended") : COR_OK;
    if (rc == COR_OK && given->format->is_unknown)
        rc = file_fail(file, COR_ERR_FILE_FORMAT,
                       "rank %d gives the data representation \"%.128s\", which is neither native, internal nor "
                       "external32, nor registered",
                       file->me, given->format->name);
    if (rc == COR_OK)
        rc = view_find_here(file, &wanted);
    if (rc == COR_OK) {
        rc = file_view_init(&view, &wanted, file_is_written(file), &why);
        if (rc != COR_OK)
            rc = file_fail(file, rc, "rank %d cannot set the view: %s", file->me, why);
    }
    uint64_t values[2] = {view.etype_bytes, view_number_of(wanted.format->name)};
    rc = file_agree_same(file, rc, values, 2, "extent of the etype, or data representation,");
    if (rc != COR_OK) {
        file_view_fini(&view);
        return rc;
    }
    return view_set(file, &view);
}

/* ---- questions -------------------------------------------------------------------------------------------------- */

const cor_file_view *cor_file_view_of(const cor_file *file)
{
    return &file->view.given;
}

int cor_file_byte_offset(cor_file *file, int64_t offset, int64_t *bytes_p)
{
    uint64_t position;
    if (offset < 0 || __builtin_mul_overflow((uint64_t)offset, file->view.etype_bytes, &position) ||
        !file_walk_fits(&file->view, position, file->view.tile_bytes > 0))
        return file_fail(file, COR_ERR_ARG, "the offset %lld is not inside of a file", (long long)offset);
    *bytes_p = file_walk_offset(&file->view, position);
    return COR_OK;
}

int cor_file_type_extent(cor_file *file, const cor_dtype *type, int64_t *extent_p)
{
    const cor_dtype *in_file;
    int rc = file_format_type(file->view.given.format, type, &in_file);
    if (rc != COR_OK)
        return file_fail(file, rc, "the extent of the datatype is not known in the data representation %s",
                         file->view.given.format->name);
    *extent_p = in_file->extent;
    cor_dtype_unref(in_file);
    return COR_OK;
}

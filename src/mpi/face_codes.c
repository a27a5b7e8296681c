/* SPDX-License-Identifier: Apache-2.0 */
/* Error classes and codes that the program adds, above those of MPI. All of this may be called at any time. */
#include "mpi/face_error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CODES_FIRST = MPI_ERR_LASTCODE + 1 };

typedef struct code_row {
    int error_class; /* its own code if it is a class; -1: removed */
    char *text;      /* NULL: none */
} code_row;

struct face_codes {
    code_row *rows; /* by code - CODES_FIRST */
    int count, capacity;
};

/* ---- the table, under the rank's lock --------------------------------------------------------------------------- */

static code_row *codes_find(face_rank *rank, int code)
{
    struct face_codes *codes = rank->codes;
    int row = code - CODES_FIRST;
    return codes && code >= CODES_FIRST && row < codes->count && codes->rows[row].error_class >= 0 ? &codes->rows[row]
                                                                                                   : NULL;
}

static int codes_is_class(face_rank *rank, int code)
{
    code_row *row = codes_find(rank, code);
    return row ? row->error_class == code : face_class_text(code) != NULL;
}

/* A new row, or NULL when memory is out. */
static code_row *codes_add(face_rank *rank, int *code_p)
{
    if (!rank->codes && !(rank->codes = calloc(1, sizeof *rank->codes)))
        return NULL;
    struct face_codes *codes = rank->codes;
    if (codes->count == codes->capacity) {
        int capacity = codes->capacity ? 2 * codes->capacity : 16;
        code_row *rows = realloc(codes->rows, (size_t)capacity * sizeof *rows);
        if (!rows)
            return NULL;
        codes->rows = rows;
        codes->capacity = capacity;
    }
    *code_p = CODES_FIRST + codes->count;
    rank->attributes.last_used_code = *code_p;
    code_row *row = &codes->rows[codes->count++];
    *row = (code_row){0};
    return row;
}

static void codes_remove(face_rank *rank, code_row *row)
{
    struct face_codes *codes = rank->codes;
    free(row->text);
    *row = (code_row){.error_class = -1};
    while (codes->count > 0 && codes->rows[codes->count - 1].error_class < 0)
        codes->count--;
    rank->attributes.last_used_code = CODES_FIRST + codes->count - 1;
}

void face_codes_free(face_rank *rank)
{
    for (int i = 0; rank->codes && i < rank->codes->count; i++)
        free(rank->codes->rows[i].text);
    if (rank->codes)
        free(rank->codes->rows);
    free(rank->codes);
    rank->codes = NULL;
}

/* ---- questions of the face -------------------------------------------------------------------------------------- */

int face_code_class(face_rank *rank, int code)
{
    if (face_class_text(code))
        return code;
    pthread_mutex_lock(&rank->lock);
    code_row *row = codes_find(rank, code);
    int error_class = row ? row->error_class : -1;
    pthread_mutex_unlock(&rank->lock);
    return error_class;
}

void face_code_text(face_rank *rank, int code, char *out)
{
    pthread_mutex_lock(&rank->lock);
    code_row *row = codes_find(rank, code);
    snprintf(out, MPI_MAX_ERROR_STRING, "%s", row && row->text ? row->text : "");
    pthread_mutex_unlock(&rank->lock);
}

/* ---- adding ----------------------------------------------------------------------------------------------------- */

static int codes_add_class(const char *call, int *errorclass)
{
    face_rank *rank = face_get();
    int code;
    pthread_mutex_lock(&rank->lock);
    code_row *row = codes_add(rank, &code);
    if (row)
        row->error_class = code;
    pthread_mutex_unlock(&rank->lock);
    if (!row)
        return face_fail_early(call, MPI_ERR_NO_MEM, "no memory for an error class");
    *errorclass = code;
    return MPI_SUCCESS;
}

FACE_API(Add_error_class, codes_add_class)

static int codes_add_code(const char *call, int errorclass, int *errorcode)
{
    face_rank *rank = face_get();
    int code;
    pthread_mutex_lock(&rank->lock);
    int is_class = codes_is_class(rank, errorclass);
    code_row *row = is_class ? codes_add(rank, &code) : NULL;
    if (row)
        row->error_class = errorclass;
    pthread_mutex_unlock(&rank->lock);
    if (!is_class)
        return face_fail_early(call, MPI_ERR_ARG, "errorclass is %d, which is not an error class", errorclass);
    if (!row)
        return face_fail_early(call, MPI_ERR_NO_MEM, "no memory for an error code");
    *errorcode = code;
    return MPI_SUCCESS;
}

FACE_API(Add_error_code, codes_add_code)

static int codes_add_text(const char *call, int errorcode, const char *string)
{
    face_rank *rank = face_get();
    char *copy = strndup(string, MPI_MAX_ERROR_STRING - 1);
    if (!copy)
        return face_fail_early(call, MPI_ERR_NO_MEM, "no memory for the text");
    pthread_mutex_lock(&rank->lock);
    code_row *row = codes_find(rank, errorcode);
    char *old = row ? row->text : copy;
    if (row)
        row->text = copy;
    pthread_mutex_unlock(&rank->lock);
    free(old);
    if (!row)
        return face_fail_early(call, MPI_ERR_ARG, "errorcode is %d, which is not a code that the program added",
                               errorcode);
    return MPI_SUCCESS;
}

FACE_API(Add_error_string, codes_add_text)

/* ---- and taking back -------------------------------------------------------------------------------------------- */

/* What has to be removed before this row, with what removes it; NULL: nothing. A class is a code as well, so its text
 * goes first, too. Under the lock. */
static const char *codes_needed_by(const face_rank *rank, const code_row *row)
{
    const struct face_codes *codes = rank->codes;
    int own = CODES_FIRST + (int)(row - codes->rows);
    for (int i = 0; i < codes->count; i++)
        if (codes->rows[i].error_class == own && CODES_FIRST + i != own)
            return "error codes; MPI_Remove_error_code removes them";
    return row->text ? "a text; MPI_Remove_error_string removes it" : NULL;
}

static int codes_take_back(const char *call, int code, const char *argument, int is_class)
{
    face_rank *rank = face_get();
    pthread_mutex_lock(&rank->lock);
    code_row *row = codes_find(rank, code);
    if (row && (row->error_class == code) != is_class)
        row = NULL;
    const char *needed_by = row ? codes_needed_by(rank, row) : NULL;
    if (row && !needed_by)
        codes_remove(rank, row);
    pthread_mutex_unlock(&rank->lock);
    if (!row)
        return face_fail_early(call, MPI_ERR_ARG, "%s is %d, which is not a %s that the program added", argument, code,
                               is_class ? "class" : "code");
    if (needed_by)
        return face_fail_early(call, MPI_ERR_ARG, "%s is %d, which still has %s", argument, code, needed_by);
    return MPI_SUCCESS;
}

FACE_API(Remove_error_class, codes_take_back, "errorclass", 1)
FACE_API(Remove_error_code, codes_take_back, "errorcode", 0)

static int codes_remove_text(const char *call, int errorcode)
{
    face_rank *rank = face_get();
    pthread_mutex_lock(&rank->lock);
    code_row *row = codes_find(rank, errorcode);
    char *old = row ? row->text : NULL;
    if (row)
        row->text = NULL;
    pthread_mutex_unlock(&rank->lock);
    if (!old)
        return face_fail_early(call, MPI_ERR_ARG, "errorcode is %d, for which the program added no text", errorcode);
    free(old);
    return MPI_SUCCESS;
}

FACE_API(Remove_error_string, codes_remove_text)

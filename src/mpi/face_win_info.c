/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hints on windows: one row for each known hint. Values that a hint does not allow are ignored, as other hints are.
 * Hints that are assertions of the program have no effect, and are stored and returned.
 */
#include "mpi/face_comm.h"
#include "mpi/face_win.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ----------------------------------------------------------------------------------------------------- */

static int hint_is_logical(const char *value)
{
    return strcmp(value, "true") == 0 || strcmp(value, "false") == 0;
}

/* "none", or some of the four orders. */
static int hint_is_ordering(const char *value)
{
    static const char orders[] = " rar raw war waw ";
    char order[6] = "     ";
    if (strcmp(value, "none") == 0)
        return 1;
    for (; strlen(value) >= 3; value += 4) {
        memcpy(order + 1, value, 3);
        if (strchr(order + 1, ' ') != order + 4 || !strstr(orders, order) || (value[3] && value[3] != ','))
            return 0;
        if (!value[3])
            return 1;
    }
    return 0;
}

static int hint_is_ops(const char *value)
{
    return strcmp(value, "same_op") == 0 || strcmp(value, "same_op_no_op") == 0;
}

/* A number without a sign, or -1. */
static int64_t hint_number(const char *value)
{
    char *end;
    if (*value < '0' || *value > '9' || strlen(value) > 18)
        return -1;
    int64_t number = strtoll(value, &end, 10);
    return *end ? -1 : number;
}

static int hint_is_number(const char *value)
{
    return hint_number(value) >= 0;
}

static int hint_is_alignment(const char *value)
{
    int64_t bytes = hint_number(value);
    return bytes > 0 && bytes <= (int64_t)COR_WIN_ALIGNMENT_MAX && (bytes & (bytes - 1)) == 0;
}

/* ---- the known hints -------------------------------------------------------------------------------------------- */

#define HINT_TEXT_(value) #value
#define HINT_TEXT(value) HINT_TEXT_(value)

/* Sorts of windows. */
enum { HINT_SHARED = 1, HINT_ALLOCATED = 2, HINT_OTHER = 4, HINT_ALL = HINT_SHARED | HINT_ALLOCATED | HINT_OTHER };

static const struct hint {
    const char *key, *initial;
    int (*is_valid)(const char *value);
    int sorts;    /* of windows that it is for */
    int is_fixed; /* known when the window is made, and does not change after that */
} hints[] = {
    {"no_locks", "false", hint_is_logical, HINT_ALL, 1},
    {"accumulate_ordering", "rar,raw,war,waw", hint_is_ordering, HINT_ALL, 0},
    {"accumulate_ops", "same_op_no_op", hint_is_ops, HINT_ALL, 0},
    {"mpi_accumulate_granularity", "0", hint_is_number, HINT_ALL, 0},
    {"same_size", "false", hint_is_logical, HINT_ALL, 0},
    {"same_disp_unit", "false", hint_is_logical, HINT_ALL, 0},
    {"alloc_shared_noncontig", "false", hint_is_logical, HINT_SHARED, 1},
    {"mpi_minimum_memory_alignment", HINT_TEXT(COR_CACHE_LINE), hint_is_alignment, HINT_SHARED | HINT_ALLOCATED, 1},
};

enum { HINT_COUNT = sizeof hints / sizeof *hints };

static int hint_is_for(const struct hint *hint, const face_win *win)
{
    int sort = win->flavour == MPI_WIN_FLAVOR_SHARED     ? HINT_SHARED
               : win->flavour == MPI_WIN_FLAVOR_ALLOCATE ? HINT_ALLOCATED
                                                         : HINT_OTHER;
    return (hint->sorts & sort) != 0;
}

int face_win_take_hints(face_win *win, const cor_info *info, int is_new)
{
    int code = COR_OK;
    pthread_mutex_lock(&win->as.owner->lock);
    if (!win->as.hints && !(win->as.hints = cor_info_create()))
        code = COR_ERR_MEMORY;
    for (int i = 0; i < HINT_COUNT && code == COR_OK; i++) {
        const char *value = cor_info_get(info, hints[i].key);
        if (value && hint_is_for(&hints[i], win) && hints[i].is_valid(value) && (is_new || !hints[i].is_fixed))
            code = cor_info_set(win->as.hints, hints[i].key, value);
    }
    pthread_mutex_unlock(&win->as.owner->lock);
    return code;
}

static const char *hint_value(const face_win *win, const char *key)
{
    return win->as.hints ? cor_info_get(win->as.hints, key) : NULL;
}

static int hint_is_true(const face_win *win, const char *key)
{
    const char *value = hint_value(win, key);
    return value && strcmp(value, "true") == 0;
}

cor_win_options face_win_options(const face_win *win)
{
    const char *alignment = hint_value(win, "mpi_minimum_memory_alignment");
    return (cor_win_options){
        .is_without_locks = hint_is_true(win, "no_locks"),
        .is_noncontiguous = hint_is_true(win, "alloc_shared_noncontig"),
        .alignment_bytes = alignment ? (size_t)hint_number(alignment) : 0,
    };
}

/* ---- the calls -------------------------------------------------------------------------------------------------- */

static int hint_set(const char *call, face_win *win, cor_info *info)
{
    if (info && face_win_take_hints(win, info, 0) != COR_OK)
        return face_fail(call, &win->as, MPI_ERR_NO_MEM, "no memory for the hints");
    return MPI_SUCCESS;
}

FACE_API(Win_set_info, hint_set)

/* All hints for this sort of window, as they are in force. NULL: no memory. */
static cor_info *hint_list(face_win *win)
{
    cor_info *info = cor_info_create();
    int code = info ? COR_OK : COR_ERR_MEMORY;
    pthread_mutex_lock(&win->as.owner->lock);
    for (int i = 0; i < HINT_COUNT && code == COR_OK; i++) {
        const char *value = hint_value(win, hints[i].key);
        if (hint_is_for(&hints[i], win))
            code = cor_info_set(info, hints[i].key, value ? value : hints[i].initial);
    }
    pthread_mutex_unlock(&win->as.owner->lock);
    if (code != COR_OK) {
        cor_info_destroy(info);
        info = NULL;
    }
    return info;
}

static int hint_get(const char *call, face_win *win, MPI_Info *info_used)
{
    return face_info_used(call, hint_list(win), info_used);
}

FACE_API(Win_get_info, hint_get)

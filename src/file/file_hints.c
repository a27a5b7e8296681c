/* SPDX-License-Identifier: Apache-2.0 */
/* Hints: what a program says of how it will use a file. A value that cannot be used is ignored, with a warning. */
#include "file/file_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    HINTS_BUFFER = 16 << 20,
    HINTS_READ_BUFFER = 4 << 20,
    HINTS_UNIT_MAX = 1 << 30,
    HINTS_PERMISSIONS = 0666,
    HINTS_TEXT_MAX = 32,
};

static const char *const hints_choices[] = {"automatic", "enable", "disable"};

/* ---- values ----------------------------------------------------------------------------------------------------- */

static void hints_ignore(const cor_log *log, const char *key, const char *value, const char *right)
{
    COR_LOG(log, WARN, "the hint %s of a file is \"%s\", which is ignored: it has to be %s", key, value, right);
}

/* Leaves *number_p alone if there is no such hint, or it is none of min .. max. */
static void hints_number(const cor_info *info, const char *key, int base, long long min, long long max,
                         long long *number_p, const cor_log *log)
{
    const char *value = cor_info_get(info, key);
    char *end, right[80];
    if (!value)
        return;
    errno = 0;
    long long number = strtoll(value, &end, base);
    if (end != value && *end == 0 && errno == 0 && number >= min && number <= max) {
        *number_p = number;
        return;
    }
    snprintf(right, sizeof right, base == 8 ? "an octal number from %llo to %llo" : "a number from %lld to %lld", min,
             max);
    hints_ignore(log, key, value, right);
}

static void hints_bytes(const cor_info *info, const char *key, size_t *bytes_p, const cor_log *log)
{
    long long bytes = (long long)*bytes_p;
    hints_number(info, key, 10, 1, 1LL << 40, &bytes, log);
    *bytes_p = (size_t)bytes;
}

static void hints_choice(const cor_info *info, const char *key, uint8_t *choice_p, const cor_log *log)
{
    const char *value = cor_info_get(info, key);
    for (int i = 0; value && i < (int)(sizeof hints_choices / sizeof *hints_choices); i++)
        if (strcmp(value, hints_choices[i]) == 0) {
            *choice_p = (uint8_t)i;
            return;
        }
    if (value)
        hints_ignore(log, key, value, "enable, disable or automatic");
}

/* MPI's own hint for collective buffering, which means reading and writing. */
static void hints_collective(file_hints *hints, const cor_info *info, const cor_log *log)
{
    const char *value = cor_info_get(info, "collective_buffering");
    if (value && strcmp(value, "true") == 0)
        hints->cb_read = hints->cb_write = FILE_ENABLE;
    else if (value && strcmp(value, "false") == 0)
        hints->cb_read = hints->cb_write = FILE_DISABLE;
    else if (value)
        hints_ignore(log, "collective_buffering", value, "true or false");
}

/* ---- what has no effect ----------------------------------------------------------------------------------------- */

static const char *const hints_kept[] = {"access_style", "striping_factor", "chunked",
                                         "io_node_list", "num_io_nodes",    "nb_proc"};

/* What has an effect, or is told of by the functions above, and what MPI_File_get_info adds. */
static const char *const hints_used[] = {"filename",       "mpi_memory_alloc_kinds", "cb_nodes",
                                         "cb_buffer_size", "ind_rd_buffer_size",     "romio_cb_read",
                                         "romio_cb_write", "collective_buffering",   "romio_ds_read",
                                         "romio_ds_write", "striping_unit",          "file_perm"};

static int hints_have(const char *const *names, size_t count, const char *key)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], key) == 0)
            return 1;
    return 0;
}

/* Names of other libraries, and misspelt ones. */
static void hints_tell_unknown(const cor_info *info, const cor_log *log)
{
    for (int i = 0; i < cor_info_count(info); i++) {
        const char *key = cor_info_key(info, i);
        if (!hints_have(hints_used, sizeof hints_used / sizeof *hints_used, key) &&
            !hints_have(hints_kept, sizeof hints_kept / sizeof *hints_kept, key))
            COR_LOG(log, INFO, "the hint %s=%s of a file is not known here, and has no effect", key,
                    cor_info_get(info, key));
    }
}

static int hints_keep(file_hints *hints, const cor_info *info, const cor_log *log)
{
    for (size_t i = 0; i < sizeof hints_kept / sizeof *hints_kept; i++) {
        const char *value = cor_info_get(info, hints_kept[i]);
        if (!value)
            continue;
        if (!hints->others && !(hints->others = cor_info_create()))
            return COR_ERR_MEMORY;
        if (cor_info_set(hints->others, hints_kept[i], value) != COR_OK)
            return COR_ERR_MEMORY;
        COR_LOG(log, INFO, "the hint %s=%s of a file is kept, but has no effect", hints_kept[i], value);
    }
    return COR_OK;
}

/* ---- all -------------------------------------------------------------------------------------------------------- */

int file_hints_change(file_hints *hints, const cor_info *info, const cor_log *log)
{
    long long nodes = hints->cb_nodes, unit = hints->striping_unit;
    if (!info)
        return COR_OK;
    hints_number(info, "cb_nodes", 10, 1, 1 << 20, &nodes, log);
    hints->cb_nodes = (int)nodes;
    hints_number(info, "striping_unit", 10, 1, HINTS_UNIT_MAX, &unit, log);
    hints->striping_unit = (uint32_t)unit;
    hints_bytes(info, "cb_buffer_size", &hints->cb_buffer_size, log);
    hints_bytes(info, "ind_rd_buffer_size", &hints->ind_rd_buffer_size, log);
    hints_collective(hints, info, log);
    hints_choice(info, "romio_cb_read", &hints->cb_read, log);
    hints_choice(info, "romio_cb_write", &hints->cb_write, log);
    hints_choice(info, "romio_ds_read", &hints->ds_read, log);
    hints_choice(info, "romio_ds_write", &hints->ds_write, log);
    if (hints->ds_write == FILE_ENABLE) {
        COR_LOG(log, INFO,
                "the hint romio_ds_write=enable of a file has no effect: nothing is written between pieces");
        hints->ds_write = FILE_DISABLE;
    }
    hints_tell_unknown(info, log);
    return hints_keep(hints, info, log);
}

int file_hints_init(file_hints *hints, const cor_info *info, const cor_log *log)
{
    long long permissions = HINTS_PERMISSIONS;
    *hints = (file_hints){
        .cb_buffer_size = HINTS_BUFFER, .ind_rd_buffer_size = HINTS_READ_BUFFER, .ds_write = FILE_DISABLE};
    if (info)
        hints_number(info, "file_perm", 8, 0, 07777, &permissions, log);
    hints->permissions = (int)permissions;
    return file_hints_change(hints, info, log);
}

void file_hints_fini(file_hints *hints)
{
    cor_info_destroy(hints->others);
    hints->others = NULL;
}

/* ---- the program's view ----------------------------------------------------------------------------------------- */

int cor_file_set_hints(cor_file *file, const cor_info *info)
{
    int rc = cor_comm_enter_open(file->comm);
    if (rc == COR_OK) {
        rc = file_hints_change(&file->hints, info, cor_rank_log(file_rank(file)));
        cor_comm_leave(file->comm);
    }
    if (rc == COR_ERR_MEMORY)
        file_fail(file, rc, "rank %d has no memory for the hints", file->me);
    return rc == COR_ERR_FINALIZED ? rc : file_agree(file->comm, rc);
}

static int hints_tell_number(cor_info *hints, const char *key, unsigned long long number, const char *format)
{
    char text[HINTS_TEXT_MAX];
    snprintf(text, sizeof text, format, number);
    return cor_info_set(hints, key, text);
}

static int hints_tell_others(const cor_info *others, cor_info *hints)
{
    int rc = COR_OK;
    for (int i = 0; others && rc == COR_OK && i < cor_info_count(others); i++)
        rc = cor_info_set(hints, cor_info_key(others, i), cor_info_get(others, cor_info_key(others, i)));
    return rc;
}

int cor_file_hints(const cor_file *file, cor_info *info)
{
    const file_hints *hints = &file->hints;
    int rc = cor_info_set(info, "filename", file->name);
    if (rc == COR_OK && hints->cb_nodes > 0)
        rc = hints_tell_number(info, "cb_nodes", (unsigned long long)hints->cb_nodes, "%llu");
    if (rc == COR_OK && hints->striping_unit > 0)
        rc = hints_tell_number(info, "striping_unit", hints->striping_unit, "%llu");
    if (rc == COR_OK)
        rc = hints_tell_number(info, "cb_buffer_size", hints->cb_buffer_size, "%llu");
    if (rc == COR_OK)
        rc = cor_info_set(info, "romio_cb_read", hints_choices[hints->cb_read]);
    if (rc == COR_OK)
        rc = cor_info_set(info, "romio_cb_write", hints_choices[hints->cb_write]);
    if (rc == COR_OK && hints->cb_read == hints->cb_write && hints->cb_read != FILE_AUTOMATIC)
        rc = cor_info_set(info, "collective_buffering", hints->cb_read == FILE_ENABLE ? "true" : "false");
    if (rc == COR_OK)
        rc = hints_tell_number(info, "ind_rd_buffer_size", hints->ind_rd_buffer_size, "%llu");
    if (rc == COR_OK)
        rc = cor_info_set(info, "romio_ds_read", hints_choices[hints->ds_read]);
    if (rc == COR_OK)
        rc = cor_info_set(info, "romio_ds_write", hints_choices[hints->ds_write]);
    if (rc == COR_OK)
        rc = hints_tell_number(info, "file_perm", (unsigned long long)hints->permissions, "%llo");
    return rc == COR_OK ? hints_tell_others(hints->others, info) : rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Control variables: the settings. One that is written before MPI_Init becomes an override of the rank that MPI_Init
 * opens, as if the program's user had set it with the highest priority; from then on they are constant.
 */
#include "mpi/face_tool.h"

#include <stdlib.h>
#include <string.h>

typedef struct tool_cvar {
    cor_link link; /* face_tool.cvars */
    size_t index;
} tool_cvar;

static tool_cvar *cvar_find(const face_tool *tool, MPI_T_cvar_handle handle)
{
    for (cor_link *link = tool->cvars.next; link != &tool->cvars; link = link->next) {
        tool_cvar *cvar = COR_OWNER(link, tool_cvar, link);
        if ((void *)cvar == (void *)handle)
            return cvar;
    }
    return NULL;
}

static void cvar_destroy(tool_cvar *cvar)
{
    cor_list_remove(&cvar->link);
    free(cvar);
}

void face_tool_free_cvars(face_tool *tool)
{
    while (!cor_list_is_empty(&tool->cvars))
        cvar_destroy(COR_OWNER(tool->cvars.next, tool_cvar, link));
}

static int cvar_is_index(int index)
{
    return index >= 0 && (size_t)index < cor_setting_count();
}

static int cvar_is_text(const cor_knob *knob)
{
    return knob->type == COR_KNOB_TEXT || knob->type == COR_KNOB_MAP;
}

/* ---- queries ---------------------------------------------------------------------------------------------------- */

static int cvar_get_num(const char *call, int *num_cvar)
{
    if (!face_tool_is_ready(face_get()))
        return MPI_T_ERR_NOT_INITIALIZED;
    if (!num_cvar)
        return MPI_T_ERR_INVALID;
    *num_cvar = (int)cor_setting_count();
    return MPI_SUCCESS;
}

FACE_API(T_cvar_get_num, cvar_get_num)

static MPI_Datatype cvar_type(const cor_knob *knob)
{
    return cvar_is_text(knob) ? MPI_CHAR : knob->type == COR_KNOB_SIZE ? MPI_UNSIGNED_LONG : MPI_INT;
}

_Static_assert(sizeof(size_t) == sizeof(unsigned long), "sizes are MPI_UNSIGNED_LONG");

static int cvar_verbosity(const cor_setting *setting)
{
    if (setting->topic == 0) /* the general ones */
        return MPI_T_VERBOSITY_USER_BASIC;
    return setting->is_common ? MPI_T_VERBOSITY_TUNER_BASIC : MPI_T_VERBOSITY_TUNER_DETAIL;
}

static int cvar_get_info(const char *call, int cvar_index, char *name, int *name_len, int *verbosity,
                         MPI_Datatype *datatype, MPI_T_enum *enumtype, char *desc, int *desc_len, int *bind,
                         int *scope)
{
    if (!face_tool_is_ready(face_get()))
        return MPI_T_ERR_NOT_INITIALIZED;
    if (!cvar_is_index(cvar_index))
        return MPI_T_ERR_INVALID_INDEX;
    if (!face_tool_is_length(name_len) || !face_tool_is_length(desc_len))
        return MPI_T_ERR_INVALID;
    cor_setting setting = cor_setting_at((size_t)cvar_index);
    face_tool_string(setting.knob->name, name, name_len);
    face_tool_string(setting.knob->help, desc, desc_len);
    face_tool_int(cvar_verbosity(&setting), verbosity);
    face_tool_int(MPI_T_BIND_NO_OBJECT, bind);
    face_tool_int(setting.is_common ? MPI_T_SCOPE_ALL_EQ : MPI_T_SCOPE_LOCAL, scope);
    if (datatype)
        *datatype = cvar_type(setting.knob);
    if (enumtype)
        *enumtype =
            setting.knob->type == COR_KNOB_CHOICE ? face_tool_enum_of_setting((size_t)cvar_index) : MPI_T_ENUM_NULL;
    return MPI_SUCCESS;
}

FACE_API(T_cvar_get_info, cvar_get_info)

static int cvar_get_index(const char *call, const char *name, int *cvar_index)
{
    if (!face_tool_is_ready(face_get()))
        return MPI_T_ERR_NOT_INITIALIZED;
    if (!name || !cvar_index)
        return MPI_T_ERR_INVALID;
    for (size_t i = 0; i < cor_setting_count(); i++)
        if (strcmp(cor_setting_at(i).knob->name, name) == 0) {
            *cvar_index = (int)i;
            return MPI_SUCCESS;
        }
    return MPI_T_ERR_INVALID_NAME;
}

FACE_API(T_cvar_get_index, cvar_get_index)

/* ---- handles ---------------------------------------------------------------------------------------------------- */

static int cvar_handle_alloc(const char *call, int cvar_index, void *obj_handle, MPI_T_cvar_handle *handle, int *count)
{
    face_rank *rank = face_get();
    face_tool *tool = face_tool_enter(rank);
    if (!tool)
        return MPI_T_ERR_NOT_INITIALIZED;
    int error = MPI_SUCCESS;
    tool_cvar *cvar = NULL;
    if (!cvar_is_index(cvar_index))
        error = MPI_T_ERR_INVALID_INDEX;
    else if (!handle || !count)
        error = MPI_T_ERR_INVALID;
    else if (!(cvar = malloc(sizeof *cvar)))
        error = MPI_T_ERR_MEMORY;
    if (error == MPI_SUCCESS) {
        const cor_knob *knob = cor_setting_at((size_t)cvar_index).knob;
        cvar->index = (size_t)cvar_index;
        cor_list_append(&tool->cvars, &cvar->link);
        *handle = (MPI_T_cvar_handle)cvar;
        *count = cvar_is_text(knob) ? (int)knob->maximum : 1;
    }
    face_tool_leave(rank);
    return error;
}

FACE_API(T_cvar_handle_alloc, cvar_handle_alloc)

static int cvar_handle_free(const char *call, MPI_T_cvar_handle *handle)
{
    face_rank *rank = face_get();
    face_tool *tool = face_tool_enter(rank);
    if (!tool)
        return MPI_T_ERR_NOT_INITIALIZED;
    tool_cvar *cvar = handle ? cvar_find(tool, *handle) : NULL;
    if (cvar) {
        cvar_destroy(cvar);
        *handle = MPI_T_CVAR_HANDLE_NULL;
    }
    face_tool_leave(rank);
    return cvar ? MPI_SUCCESS : handle ? MPI_T_ERR_INVALID_HANDLE : MPI_T_ERR_INVALID;
}

FACE_API(T_cvar_handle_free, cvar_handle_free)

/* ---- values ----------------------------------------------------------------------------------------------------- */

/* The interface has no error messages, so what is wrong goes to the log. */
static void cvar_warn(const char *call, const cor_fault *fault)
{
    const cor_log log = {.level = COR_LOG_WARN, .rank = -1};
    COR_LOG(&log, WARN, "%s: %s", call, fault->text);
}

/* The value in force: of the rank, or, before there is one, what MPI_Init would find. */
static int cvar_read_value(const char *call, const face_rank *rank, const face_tool *tool, size_t index, void *buf)
{
    cor_fault fault = {0};
    int is_there =
        face_tool_is_open(rank) || atomic_load_explicit(&rank->state, memory_order_acquire) == FACE_FINALIZED;
    int rc = cor_setting_read(is_there ? rank->rank : NULL, index, (const char *const *)tool->overrides, buf, &fault);
    if (rc == COR_OK)
        return MPI_SUCCESS;
    cvar_warn(call, &fault);
    return rc == COR_ERR_MEMORY ? MPI_T_ERR_MEMORY : MPI_T_ERR_NOT_ACCESSIBLE;
}

static int cvar_read(const char *call, MPI_T_cvar_handle handle, void *buf)
{
    face_rank *rank = face_get();
    face_tool *tool = face_tool_enter(rank);
    if (!tool)
        return MPI_T_ERR_NOT_INITIALIZED;
    const tool_cvar *cvar = cvar_find(tool, handle);
    int error = !cvar  ? MPI_T_ERR_INVALID_HANDLE
                : !buf ? MPI_T_ERR_INVALID
                       : cvar_read_value(call, rank, tool, cvar->index, buf);
    face_tool_leave(rank);
    return error;
}

FACE_API(T_cvar_read, cvar_read)

/* May the override be printed at all? What else is wrong with a value, the settings find. */
static int cvar_is_printable(size_t index, const void *buf)
{
    const cor_knob *knob = cor_setting_at(index).knob;
    int number, items = 1;
    if (cvar_is_text(knob))
        return memchr(buf, '\0', (size_t)knob->maximum) != NULL;
    if (knob->type == COR_KNOB_SIZE)
        return 1;
    memcpy(&number, buf, sizeof number);
    if (knob->type == COR_KNOB_BOOL)
        return number == 0 || number == 1;
    if (knob->type == COR_KNOB_INT)
        return 1;
    for (const char *next = knob->choices; (next = strchr(next, '|')) != NULL; next++)
        items++;
    return number >= 0 && number < items;
}

/* The overrides with this one instead of the setting's former one; NULL: no memory. The strings stay where they are. */
static char **cvar_with(const face_tool *tool, const char *name, char *override, size_t *place_p)
{
    char **changed = calloc(tool->override_count + 2, sizeof *changed);
    size_t length = strlen(name), place = tool->override_count;
    if (!changed)
        return NULL;
    for (size_t i = 0; i < tool->override_count; i++) {
        changed[i] = tool->overrides[i];
        if (strncmp(changed[i], name, length) == 0 && changed[i][length] == '=')
            place = i;
    }
    changed[place] = override;
    *place_p = place;
    return changed;
}

static int cvar_write_value(const char *call, face_tool *tool, size_t index, const void *buf)
{
    const cor_knob *knob = cor_setting_at(index).knob;
    cor_fault fault = {0};
    size_t place = 0;
    char *override = cor_setting_override(knob, buf);
    char **changed = override ? cvar_with(tool, knob->name, override, &place) : NULL;
    void *checked = changed ? malloc(cor_setting_bytes(knob)) : NULL;
    int rc = checked ? cor_setting_read(NULL, index, (const char *const *)changed, checked, &fault) : COR_ERR_MEMORY;
    free(checked);
    if (rc != COR_OK) {
        if (rc != COR_ERR_MEMORY)
            cvar_warn(call, &fault);
        free(changed);
        free(override);
        return rc == COR_ERR_MEMORY ? MPI_T_ERR_MEMORY : MPI_T_ERR_INVALID;
    }
    if (place < tool->override_count)
        free(tool->overrides[place]);
    else
        tool->override_count++;
    free(tool->overrides);
    tool->overrides = changed;
    return MPI_SUCCESS;
}

/* A setting can be written as long as MPI_Init has not read it. */
static int cvar_when(const face_rank *rank, const face_tool *tool)
{
    face_state state = atomic_load_explicit(&rank->state, memory_order_acquire);
    if (state == FACE_FINALIZED)
        return MPI_T_ERR_CVAR_SET_NEVER;
    return face_tool_is_open(rank) || tool->is_taken ? MPI_T_ERR_CVAR_SET_NOT_NOW : MPI_SUCCESS;
}

static int cvar_write(const char *call, MPI_T_cvar_handle handle, const void *buf)
{
    face_rank *rank = face_get();
    face_tool *tool = face_tool_enter(rank);
    if (!tool)
        return MPI_T_ERR_NOT_INITIALIZED;
    const tool_cvar *cvar = cvar_find(tool, handle);
    int error = cvar ? cvar_when(rank, tool) : MPI_T_ERR_INVALID_HANDLE;
    if (error == MPI_SUCCESS && (!buf || !cvar_is_printable(cvar->index, buf)))
        error = MPI_T_ERR_INVALID;
    if (error == MPI_SUCCESS)
        error = cvar_write_value(call, tool, cvar->index, buf);
    face_tool_leave(rank);
    return error;
}

FACE_API(T_cvar_write, cvar_write)

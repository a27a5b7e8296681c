/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Performance variables: the counters of the engine, each seen through handles.
 *
 * The engine counts for everybody, and never stops. A handle has its own value: what it has counted in former times
 * between start and stop, and while it is started the difference of the engine's number to the one at the beginning. So
 * sessions do not disturb each other. Peaks cannot be told apart by a difference: the engine returns the highest level
 * since it was last asked, and every answer raises the values of all started handles.
 *
 * Levels are continuous and can only be read; all others can be started, stopped, written and reset. Before MPI_Init
 * the engine's numbers are 0, and after MPI_Finalize those of its end.
 */
#include "mpi/face_tool.h"

#include <stdlib.h>
#include <string.h>

typedef struct tool_session {
    cor_link link;    /* face_tool.sessions */
    cor_list handles; /* tool_pvar.link */
} tool_session;

typedef struct tool_pvar {
    cor_link link;
    const cor_counter *counter;
    int is_started;
    int length;
    uint64_t *value; /* without what has been counted since `base` */
    uint64_t *base;  /* the engine's numbers when it was started, written or reset */
    uint64_t *last;  /* as last seen; zero before MPI_Init */
} tool_pvar;

#define PVAR_NANO 1e-9

/* ---- queries ---------------------------------------------------------------------------------------------------- */

static int pvar_class(const cor_counter *counter)
{
    static const int classes[] = {[COR_COUNTER_COUNT] = MPI_T_PVAR_CLASS_COUNTER,
                                  [COR_COUNTER_SUM] = MPI_T_PVAR_CLASS_AGGREGATE,
                                  [COR_COUNTER_TIME] = MPI_T_PVAR_CLASS_TIMER,
                                  [COR_COUNTER_LEVEL] = MPI_T_PVAR_CLASS_LEVEL,
                                  [COR_COUNTER_PEAK] = MPI_T_PVAR_CLASS_HIGHWATERMARK};
    return classes[counter->class];
}

static int pvar_is_level(const cor_counter *counter)
{
    return counter->class == COR_COUNTER_LEVEL;
}

static int pvar_is_index(int index)
{
    return index >= 0 && (size_t)index < cor_counter_count;
}

static int pvar_get_num(const char *call, int *num_pvar)
{
    if (!face_tool_is_ready(face_get()))
        return MPI_T_ERR_NOT_INITIALIZED;
    if (!num_pvar)
        return MPI_T_ERR_INVALID;
    *num_pvar = (int)cor_counter_count;
    return MPI_SUCCESS;
}

FACE_API(T_pvar_get_num, pvar_get_num)

static int pvar_get_info(const char *call, int pvar_index, char *name, int *name_len, int *verbosity, int *var_class,
                         MPI_Datatype *datatype, MPI_T_enum *enumtype, char *desc, int *desc_len, int *bind,
                         int *readonly, int *continuous, int *atomic)
{
    if (!face_tool_is_ready(face_get()))
        return MPI_T_ERR_NOT_INITIALIZED;
    if (!pvar_is_index(pvar_index))
        return MPI_T_ERR_INVALID_INDEX;
    if (!face_tool_is_length(name_len) || !face_tool_is_length(desc_len))
        return MPI_T_ERR_INVALID;
    const cor_counter *counter = &cor_counters[pvar_index];
    face_tool_string(counter->name, name, name_len);
    face_tool_string(counter->help, desc, desc_len);
    face_tool_int(counter->is_per_peer || counter->is_timed ? MPI_T_VERBOSITY_USER_BASIC : MPI_T_VERBOSITY_TUNER_BASIC,
                  verbosity);
    face_tool_int(pvar_class(counter), var_class);
    face_tool_int(MPI_T_BIND_NO_OBJECT, bind);
    face_tool_int(pvar_is_level(counter), readonly);
    face_tool_int(pvar_is_level(counter), continuous);
    face_tool_int(!pvar_is_level(counter), atomic);
    if (datatype)
        *datatype = counter->class == COR_COUNTER_TIME ? MPI_DOUBLE : MPI_UNSIGNED_LONG_LONG;
    if (enumtype)
        *enumtype = MPI_T_ENUM_NULL;
    return MPI_SUCCESS;
}

FACE_API(T_pvar_get_info, pvar_get_info)

static int pvar_get_index(const char *call, const char *name, int var_class, int *pvar_index)
{
    if (!face_tool_is_ready(face_get()))
        return MPI_T_ERR_NOT_INITIALIZED;
    if (!name || !pvar_index)
        return MPI_T_ERR_INVALID;
    for (size_t i = 0; i < cor_counter_count; i++)
        if (strcmp(cor_counters[i].name, name) == 0 && pvar_class(&cor_counters[i]) == var_class) {
            *pvar_index = (int)i;
            return MPI_SUCCESS;
        }
    return MPI_T_ERR_INVALID_NAME;
}

FACE_API(T_pvar_get_index, pvar_get_index)

/* ---- values, with the lock held --------------------------------------------------------------------------------- */

static void pvar_raise(uint64_t *value, uint64_t other)
{
    if (other > *value)
        *value = other;
}

/* The engine has just given up this peak: whatever is started has seen it. */
static void pvar_spread_peak(face_tool *tool, const cor_counter *counter, uint64_t peak)
{
    for (cor_link *at = tool->sessions.next; at != &tool->sessions; at = at->next) {
        cor_list *handles = &COR_OWNER(at, tool_session, link)->handles;
        for (cor_link *link = handles->next; link != handles; link = link->next) {
            tool_pvar *pvar = COR_OWNER(link, tool_pvar, link);
            if (pvar->counter == counter && pvar->is_started)
                pvar_raise(pvar->value, peak);
        }
    }
}

/* The engine's numbers now go to `last`, where they stay as they are if there is no engine (any more). */
static void pvar_look(face_rank *rank, face_tool *tool, tool_pvar *pvar)
{
    if (!face_tool_is_open(rank) || cor_counter_read(rank->rank, pvar->counter, pvar->last) != COR_OK)
        return;
    if (pvar->counter->class == COR_COUNTER_PEAK)
        pvar_spread_peak(tool, pvar->counter, *pvar->last);
}

/* Begin to count at the engine's present numbers. */
static void pvar_rebase(face_rank *rank, face_tool *tool, tool_pvar *pvar)
{
    pvar_look(rank, tool, pvar);
    if (pvar->counter->class == COR_COUNTER_PEAK)
        pvar_look(rank, tool, pvar); /* the first one gave up the former peak, this one is the level */
    memcpy(pvar->base, pvar->last, sizeof *pvar->base * (size_t)pvar->length);
}

/* Element i of the handle's value, after pvar_look. */
static uint64_t pvar_value(const tool_pvar *pvar, int i)
{
    if (pvar_is_level(pvar->counter))
        return pvar->last[i];
    if (pvar->counter->class == COR_COUNTER_PEAK || !pvar->is_started)
        return pvar->value[i];
    return pvar->value[i] + (pvar->last[i] - pvar->base[i]);
}

static void pvar_copy_out(const tool_pvar *pvar, void *buf)
{
    for (int i = 0; i < pvar->length; i++)
        if (pvar->counter->class == COR_COUNTER_TIME)
            ((double *)buf)[i] = (double)pvar_value(pvar, i) * PVAR_NANO;
        else
            ((unsigned long long *)buf)[i] = pvar_value(pvar, i);
}

_Static_assert(sizeof(unsigned long long) == sizeof(uint64_t), "counters are MPI_UNSIGNED_LONG_LONG");

static void pvar_count_timed(face_rank *rank, face_tool *tool, const tool_pvar *pvar, int change)
{
    if (!pvar->counter->is_timed)
        return;
    tool->timed += change;
    face_tool_listen(rank, tool);
}

static void pvar_start(face_rank *rank, face_tool *tool, tool_pvar *pvar)
{
    if (pvar->is_started)
        return;
    pvar_rebase(rank, tool, pvar);
    if (pvar->counter->class == COR_COUNTER_PEAK)
        pvar_raise(pvar->value, *pvar->last);
    pvar->is_started = 1;
    pvar_count_timed(rank, tool, pvar, 1);
}

static void pvar_stop(face_rank *rank, face_tool *tool, tool_pvar *pvar)
{
    if (!pvar->is_started)
        return;
    pvar_look(rank, tool, pvar);
    for (int i = 0; i < pvar->length; i++)
        pvar->value[i] = pvar_value(pvar, i);
    pvar->is_started = 0;
    pvar_count_timed(rank, tool, pvar, -1);
}

/* To the starting value: nothing is counted, or the level of now. Only what was just read is given up, nothing that was
 * counted since. */
static void pvar_clear(face_rank *rank, face_tool *tool, tool_pvar *pvar)
{
    if (pvar->counter->class == COR_COUNTER_PEAK)
        pvar_look(rank, tool, pvar);
    memcpy(pvar->base, pvar->last, sizeof *pvar->base * (size_t)pvar->length);
    if (pvar->counter->class == COR_COUNTER_PEAK)
        *pvar->value = *pvar->last;
    else
        memset(pvar->value, 0, sizeof *pvar->value * (size_t)pvar->length);
}

void face_tool_keep_values(face_rank *rank, face_tool *tool)
{
    for (cor_link *at = tool->sessions.next; at != &tool->sessions; at = at->next) {
        cor_list *handles = &COR_OWNER(at, tool_session, link)->handles;
        for (cor_link *link = handles->next; link != handles; link = link->next) {
            tool_pvar *pvar = COR_OWNER(link, tool_pvar, link);
            pvar_look(rank, tool, pvar);
            if (pvar_is_level(pvar->counter)) /* MPI_Finalize leaves nothing */
                *pvar->last = 0;
        }
    }
}

/* ---- sessions --------------------------------------------------------------------------------------------------- */

static tool_session *session_find(const face_tool *tool, MPI_T_pvar_session handle)
{
    for (cor_link *link = tool->sessions.next; link != &tool->sessions; link = link->next) {
        tool_session *session = COR_OWNER(link, tool_session, link);
        if ((void *)session == (void *)handle)
            return session;
    }
    return NULL;
}

static void pvar_destroy(face_tool *tool, tool_pvar *pvar)
{
    tool->timed -= pvar->is_started && pvar->counter->is_timed;
    cor_list_remove(&pvar->link);
    free(pvar->value);
    free(pvar);
}

static void session_destroy(face_tool *tool, tool_session *session)
{
    while (!cor_list_is_empty(&session->handles))
        pvar_destroy(tool, COR_OWNER(session->handles.next, tool_pvar, link));
    cor_list_remove(&session->link);
    free(session);
}

void face_tool_free_sessions(face_tool *tool)
{
    while (!cor_list_is_empty(&tool->sessions))
        session_destroy(tool, COR_OWNER(tool->sessions.next, tool_session, link));
}

static int pvar_session_create(const char *call, MPI_T_pvar_session *session)
{
    face_rank *rank = face_get();
    face_tool *tool = face_tool_enter(rank);
    if (!tool)
        return MPI_T_ERR_NOT_INITIALIZED;
    tool_session *made = session ? malloc(sizeof *made) : NULL;
    if (made) {
        cor_list_init(&made->handles);
        cor_list_append(&tool->sessions, &made->link);
        *session = (MPI_T_pvar_session)made;
    }
    face_tool_leave(rank);
    return made ? MPI_SUCCESS : session ? MPI_T_ERR_MEMORY : MPI_T_ERR_INVALID;
}

FACE_API(T_pvar_session_create, pvar_session_create)

static int pvar_session_free(const char *call, MPI_T_pvar_session *session)
{
    face_rank *rank = face_get();
    face_tool *tool = face_tool_enter(rank);
    if (!tool)
        return MPI_T_ERR_NOT_INITIALIZED;
    tool_session *found = session ? session_find(tool, *session) : NULL;
    if (found) {
        session_destroy(tool, found);
        face_tool_listen(rank, tool);
        *session = MPI_T_PVAR_SESSION_NULL;
    }
    face_tool_leave(rank);
    return found ? MPI_SUCCESS : session ? MPI_T_ERR_INVALID_SESSION : MPI_T_ERR_INVALID;
}

FACE_API(T_pvar_session_free, pvar_session_free)

/* ---- handles ---------------------------------------------------------------------------------------------------- */

static tool_pvar *pvar_find(tool_session *session, MPI_T_pvar_handle handle)
{
    for (cor_link *link = session->handles.next; link != &session->handles; link = link->next) {
        tool_pvar *pvar = COR_OWNER(link, tool_pvar, link);
        if ((void *)pvar == (void *)handle)
            return pvar;
    }
    return NULL;
}

/* NULL: no memory. */
static tool_pvar *pvar_create(const cor_counter *counter, int length)
{
    tool_pvar *pvar = calloc(1, sizeof *pvar);
    uint64_t *numbers = calloc(3 * (size_t)length, sizeof *numbers);
    if (!pvar || !numbers) {
        free(pvar);
        free(numbers);
        return NULL;
    }
    pvar->counter = counter;
    pvar->length = length;
    pvar->value = numbers;
    pvar->base = numbers + length;
    pvar->last = numbers + 2 * (size_t)length;
    return pvar;
}

/* The length of a variable of all ranks is known, and a device that does not count is found, from MPI_Init on. */
static int pvar_make(face_rank *rank, tool_session *session, const cor_counter *counter, tool_pvar **pvar_p)
{
    int is_open = face_tool_is_open(rank);
    if (counter->is_per_peer && !is_open)
        return MPI_T_ERR_NOT_ACCESSIBLE;
    tool_pvar *pvar = pvar_create(counter, counter->is_per_peer ? cor_rank_size(rank->rank) : 1);
    if (!pvar)
        return MPI_T_ERR_MEMORY;
    if (is_open && counter->class != COR_COUNTER_PEAK &&
        cor_counter_read(rank->rank, counter, pvar->last) == COR_ERR_UNSUPPORTED) {
        free(pvar->value);
        free(pvar);
        return MPI_T_ERR_NOT_SUPPORTED;
    }
    cor_list_append(&session->handles, &pvar->link);
    *pvar_p = pvar;
    return MPI_SUCCESS;
}

static int pvar_handle_alloc(const char *call, MPI_T_pvar_session session, int pvar_index, void *obj_handle,
                             MPI_T_pvar_handle *handle, int *count)
{
    face_rank *rank = face_get();
    face_tool *tool = face_tool_enter(rank);
    if (!tool)
        return MPI_T_ERR_NOT_INITIALIZED;
    tool_session *found = session_find(tool, session);
    tool_pvar *pvar = NULL;
    int error = !found                       ? MPI_T_ERR_INVALID_SESSION
                : !pvar_is_index(pvar_index) ? MPI_T_ERR_INVALID_INDEX
                : !handle || !count          ? MPI_T_ERR_INVALID
                                             : pvar_make(rank, found, &cor_counters[pvar_index], &pvar);
    if (error == MPI_SUCCESS) {
        *handle = (MPI_T_pvar_handle)pvar;
        *count = pvar->length;
    }
    face_tool_leave(rank);
    return error;
}

FACE_API(T_pvar_handle_alloc, pvar_handle_alloc)

/* The lock, and the handle of the session. An error, and the lock is not taken. */
static int pvar_enter(face_rank *rank, MPI_T_pvar_session session, MPI_T_pvar_handle handle, face_tool **tool_p,
                      tool_pvar **pvar_p)
{
    face_tool *tool = face_tool_enter(rank);
    if (!tool)
        return MPI_T_ERR_NOT_INITIALIZED;
    tool_session *found = session_find(tool, session);
    tool_pvar *pvar = found ? pvar_find(found, handle) : NULL;
    if (!pvar) {
        face_tool_leave(rank);
        return found ? MPI_T_ERR_INVALID_HANDLE : MPI_T_ERR_INVALID_SESSION;
    }
    *tool_p = tool;
    *pvar_p = pvar;
    return MPI_SUCCESS;
}

static int pvar_handle_free(const char *call, MPI_T_pvar_session session, MPI_T_pvar_handle *handle)
{
    face_rank *rank = face_get();
    face_tool *tool;
    tool_pvar *pvar;
    if (!handle)
        return face_tool_is_ready(rank) ? MPI_T_ERR_INVALID : MPI_T_ERR_NOT_INITIALIZED;
    int error = pvar_enter(rank, session, *handle, &tool, &pvar);
    if (error != MPI_SUCCESS)
        return error;
    pvar_destroy(tool, pvar);
    face_tool_listen(rank, tool);
    face_tool_leave(rank);
    *handle = MPI_T_PVAR_HANDLE_NULL;
    return MPI_SUCCESS;
}

FACE_API(T_pvar_handle_free, pvar_handle_free)

/* ---- start, stop and reset: one handle, or all of a session ----------------------------------------------------- */

typedef void (*pvar_change_fn)(face_rank *rank, face_tool *tool, tool_pvar *pvar);

static void pvar_reset_now(face_rank *rank, face_tool *tool, tool_pvar *pvar)
{
    pvar_look(rank, tool, pvar);
    pvar_clear(rank, tool, pvar);
}

/* Levels are left out of all, and refused alone. */
static int pvar_change(MPI_T_pvar_session session, MPI_T_pvar_handle handle, pvar_change_fn change, int refusal)
{
    face_rank *rank = face_get();
    face_tool *tool = face_tool_enter(rank);
    if (!tool)
        return MPI_T_ERR_NOT_INITIALIZED;
    tool_session *found = session_find(tool, session);
    int error = found ? MPI_SUCCESS : MPI_T_ERR_INVALID_SESSION;
    if (found && handle == MPI_T_PVAR_ALL_HANDLES) {
        for (cor_link *link = found->handles.next; link != &found->handles; link = link->next) {
            tool_pvar *each = COR_OWNER(link, tool_pvar, link);
            if (!pvar_is_level(each->counter))
                change(rank, tool, each);
        }
    } else if (found) {
        tool_pvar *pvar = pvar_find(found, handle);
        error = !pvar ? MPI_T_ERR_INVALID_HANDLE : pvar_is_level(pvar->counter) ? refusal : MPI_SUCCESS;
        if (error == MPI_SUCCESS)
            change(rank, tool, pvar);
    }
    face_tool_leave(rank);
    return error;
}

static int pvar_start_call(const char *call, MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
    return pvar_change(session, handle, pvar_start, MPI_T_ERR_PVAR_NO_STARTSTOP);
}

FACE_API(T_pvar_start, pvar_start_call)

static int pvar_stop_call(const char *call, MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
    return pvar_change(session, handle, pvar_stop, MPI_T_ERR_PVAR_NO_STARTSTOP);
}

FACE_API(T_pvar_stop, pvar_stop_call)

static int pvar_reset_call(const char *call, MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
    return pvar_change(session, handle, pvar_reset_now, MPI_T_ERR_PVAR_NO_WRITE);
}

FACE_API(T_pvar_reset, pvar_reset_call)

/* ---- access ----------------------------------------------------------------------------------------------------- */

static int pvar_read_call(const char *call, MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf)
{
    face_rank *rank = face_get();
    face_tool *tool;
    tool_pvar *pvar;
    int error = pvar_enter(rank, session, handle, &tool, &pvar);
    if (error != MPI_SUCCESS)
        return error;
    if (buf) {
        pvar_look(rank, tool, pvar);
        pvar_copy_out(pvar, buf);
    }
    face_tool_leave(rank);
    return buf ? MPI_SUCCESS : MPI_T_ERR_INVALID;
}

FACE_API(T_pvar_read, pvar_read_call)

static int pvar_readreset_call(const char *call, MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf)
{
    face_rank *rank = face_get();
    face_tool *tool;
    tool_pvar *pvar;
    int error = pvar_enter(rank, session, handle, &tool, &pvar);
    if (error != MPI_SUCCESS)
        return error;
    if (pvar_is_level(pvar->counter)) {
        error = MPI_T_ERR_PVAR_NO_ATOMIC;
    } else if (!buf) {
        error = MPI_T_ERR_INVALID;
    } else {
        pvar_look(rank, tool, pvar);
        pvar_copy_out(pvar, buf);
        pvar_clear(rank, tool, pvar);
    }
    face_tool_leave(rank);
    return error;
}

FACE_API(T_pvar_readreset, pvar_readreset_call)

/* Are they values of this variable? Only times can be wrong. */
static int pvar_is_right(const tool_pvar *pvar, const void *buf)
{
    const double most = (double)(UINT64_MAX / 2) * PVAR_NANO;
    for (int i = 0; pvar->counter->class == COR_COUNTER_TIME && i < pvar->length; i++)
        if (!(((const double *)buf)[i] >= 0 && ((const double *)buf)[i] <= most))
            return 0;
    return 1;
}

/* The nearest number of nanoseconds. */
static uint64_t pvar_ns(double seconds)
{
    double ns = seconds / PVAR_NANO;
    uint64_t below = (uint64_t)ns;
    return below + (ns - (double)below >= 0.5);
}

static void pvar_copy_in(tool_pvar *pvar, const void *buf)
{
    for (int i = 0; i < pvar->length; i++)
        pvar->value[i] = pvar->counter->class == COR_COUNTER_TIME ? pvar_ns(((const double *)buf)[i])
                                                                  : ((const unsigned long long *)buf)[i];
}

static int pvar_write_call(const char *call, MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void *buf)
{
    face_rank *rank = face_get();
    face_tool *tool;
    tool_pvar *pvar;
    int error = pvar_enter(rank, session, handle, &tool, &pvar);
    if (error != MPI_SUCCESS)
        return error;
    if (pvar_is_level(pvar->counter)) {
        error = MPI_T_ERR_PVAR_NO_WRITE;
    } else if (!buf || !pvar_is_right(pvar, buf)) {
        error = MPI_T_ERR_INVALID;
    } else {
        pvar_rebase(rank, tool, pvar);
        pvar_copy_in(pvar, buf);
    }
    face_tool_leave(rank);
    return error;
}

FACE_API(T_pvar_write, pvar_write_call)

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events: a type for each kind of call that the engine reports, raised when the call is complete, and one source.
 *
 * The engine reports a call in the thread that made it, at its end and without locks. So a callback may do everything:
 * the safety that it needs is MPI_T_CB_REQUIRE_NONE, and of the callbacks of a registration the one for the lowest
 * level is called. What is not raised, and therefore counted as dropped, are calls that a callback makes itself: they
 * could go on without end.
 *
 * A registration that is freed while its callbacks run goes when the last of them has returned, in this or another
 * thread; free_cb_function is called then.
 */
#include "mpi/face_tool.h"

#include "base/clock.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { EVENT_LEVELS = 4, EVENT_TICKS_PER_SECOND = 1000000000 };

typedef struct tool_callback {
    MPI_T_event_cb_function *function; /* NULL: none */
    void *user_data;
} tool_callback;

typedef struct tool_registration {
    cor_link link; /* face_tool.registrations */
    uint64_t serial;
    int kind; /* of calls */
    tool_callback callbacks[EVENT_LEVELS];
    MPI_T_event_dropped_cb_function *on_dropped;
    MPI_Count dropped; /* since that was last called */
    int running;       /* callbacks */
    int is_freed;
    MPI_T_event_free_cb_function *on_freed;
    void *freed_data;
} tool_registration;

/* What MPI_T_event_copy copies. */
typedef struct tool_call_event {
    int peer, tag;
    unsigned long bytes, ns, waited_ns;
} tool_call_event;

/* A report whose callbacks run: what event instances point to, on the stack of its thread. */
typedef struct tool_delivery {
    cor_link link; /* face_tool.deliveries */
    pthread_t thread;
    uint64_t end_ns;
    tool_call_event event;
} tool_delivery;

#define EVENT_ELEMENT(field, name, type)                                                                              \
    {                                                                                                                 \
        name, type, offsetof(tool_call_event, field), sizeof(((tool_call_event *)0)->field)                           \
    }

const face_tool_element face_tool_elements[FACE_TOOL_ELEMENTS] = {
    EVENT_ELEMENT(peer, "peer: its rank in MPI_COMM_WORLD; negative: several, or none", MPI_INT),
    EVENT_ELEMENT(tag, "tag: of a message; of other calls without meaning", MPI_INT),
    EVENT_ELEMENT(bytes, "bytes: sent, received, or of the longer buffer", MPI_UNSIGNED_LONG),
    EVENT_ELEMENT(ns, "time: nanoseconds in the call, which has ended at the time stamp", MPI_UNSIGNED_LONG),
    EVENT_ELEMENT(waited_ns, "waited: nanoseconds of these", MPI_UNSIGNED_LONG),
};

/* ---- types ------------------------------------------------------------------------------------------------------ */

int face_tool_event_count(void)
{
    int count = 0;
    for (int kind = 0; kind < COR_CALL_KINDS_MAX; kind++)
        count += cor_call_kind_name(kind) != NULL;
    return count;
}

/* The kind of calls of this type; -1: there is no such type. */
static int event_kind(int index)
{
    for (int kind = 0; index >= 0 && kind < COR_CALL_KINDS_MAX; kind++)
        if (cor_call_kind_name(kind) && index-- == 0)
            return kind;
    return -1;
}

static int event_get_num(const char *call, int *num_events)
{
    if (!face_tool_is_ready(face_get()))
        return MPI_T_ERR_NOT_INITIALIZED;
    if (!num_events)
        return MPI_T_ERR_INVALID;
    *num_events = face_tool_event_count();
    return MPI_SUCCESS;
}

FACE_API(T_event_get_num, event_get_num)

static void event_types(MPI_Datatype array_of_datatypes[], MPI_Aint array_of_displacements[], int *num_elements)
{
    if (!num_elements)
        return;
    for (int i = 0; i < FACE_TOOL_ELEMENTS && i < *num_elements; i++) {
        if (array_of_datatypes)
            array_of_datatypes[i] = face_tool_elements[i].type;
        if (array_of_displacements)
            array_of_displacements[i] = (MPI_Aint)face_tool_elements[i].offset;
    }
    *num_elements = FACE_TOOL_ELEMENTS;
}

static int event_get_info(const char *call, int event_index, char *name, int *name_len, int *verbosity,
                          MPI_Datatype array_of_datatypes[], MPI_Aint array_of_displacements[], int *num_elements,
                          MPI_T_enum *enumtype, MPI_Info *info, char *desc, int *desc_len, int *bind)
{
    face_rank *rank = face_get();
    if (!face_tool_is_ready(rank))
        return MPI_T_ERR_NOT_INITIALIZED;
    int kind = event_kind(event_index);
    if (kind < 0)
        return MPI_T_ERR_INVALID_INDEX;
    if (!face_tool_is_length(name_len) || !face_tool_is_length(desc_len) || !face_tool_is_length(num_elements))
        return MPI_T_ERR_INVALID;
    int error = info ? face_tool_no_hints(rank, call, info) : MPI_SUCCESS;
    if (error != MPI_SUCCESS)
        return error;
    face_tool_string(cor_call_kind_name(kind), name, name_len);
    face_tool_string("raised at the end of each call of this function", desc, desc_len);
    face_tool_int(MPI_T_VERBOSITY_USER_BASIC, verbosity);
    face_tool_int(MPI_T_BIND_NO_OBJECT, bind);
    event_types(array_of_datatypes, array_of_displacements, num_elements);
    if (enumtype)
        *enumtype = face_tool_enum_of_event();
    return MPI_SUCCESS;
}

FACE_API(T_event_get_info, event_get_info)

static int event_get_index(const char *call, const char *name, int *event_index)
{
    if (!face_tool_is_ready(face_get()))
        return MPI_T_ERR_NOT_INITIALIZED;
    if (!name || !event_index)
        return MPI_T_ERR_INVALID;
    int kind;
    for (int index = 0; (kind = event_kind(index)) >= 0; index++)
        if (strcmp(cor_call_kind_name(kind), name) == 0) {
            *event_index = index;
            return MPI_SUCCESS;
        }
    return MPI_T_ERR_INVALID_NAME;
}

FACE_API(T_event_get_index, event_get_index)

/* ---- the source ------------------------------------------------------------------------------------------------- */

static int source_get_num(const char *call, int *num_sources)
{
    if (!face_tool_is_ready(face_get()))
        return MPI_T_ERR_NOT_INITIALIZED;
    if (!num_sources)
        return MPI_T_ERR_INVALID;
    *num_sources = 1;
    return MPI_SUCCESS;
}

FACE_API(T_source_get_num, source_get_num)

/* Threads that end calls at once report them in any order. */
static int source_get_info(const char *call, int source_index, char *name, int *name_len, char *desc, int *desc_len,
                           MPI_T_source_order *ordering, MPI_Count *ticks_per_second, MPI_Count *max_ticks,
                           MPI_Info *info)
{
    face_rank *rank = face_get();
    if (!face_tool_is_ready(rank))
        return MPI_T_ERR_NOT_INITIALIZED;
    if (source_index != 0)
        return MPI_T_ERR_INVALID_INDEX;
    if (!face_tool_is_length(name_len) || !face_tool_is_length(desc_len))
        return MPI_T_ERR_INVALID;
    int error = info ? face_tool_no_hints(rank, call, info) : MPI_SUCCESS;
    if (error != MPI_SUCCESS)
        return error;
    face_tool_string(COR_COUNTER_CALLS, name, name_len);
    face_tool_string("calls of this rank, by the clock of its host", desc, desc_len);
    if (ordering)
        *ordering = MPI_T_SOURCE_UNORDERED;
    if (ticks_per_second)
        *ticks_per_second = EVENT_TICKS_PER_SECOND;
    if (max_ticks)
        *max_ticks = INT64_MAX;
    return MPI_SUCCESS;
}

FACE_API(T_source_get_info, source_get_info)

static int source_get_timestamp(const char *call, int source_index, MPI_Count *timestamp)
{
    if (!face_tool_is_ready(face_get()))
        return MPI_T_ERR_NOT_INITIALIZED;
    if (source_index != 0)
        return MPI_T_ERR_INVALID_INDEX;
    if (!timestamp)
        return MPI_T_ERR_INVALID;
    *timestamp = (MPI_Count)cor_clock_ns();
    return MPI_SUCCESS;
}

FACE_API(T_source_get_timestamp, source_get_timestamp)

/* ---- registrations ---------------------------------------------------------------------------------------------- */

static tool_registration *event_find(const face_tool *tool, MPI_T_event_registration handle)
{
    for (cor_link *link = tool->registrations.next; link != &tool->registrations; link = link->next) {
        tool_registration *registration = COR_OWNER(link, tool_registration, link);
        if ((void *)registration == (void *)handle && !registration->is_freed)
            return registration;
    }
    return NULL;
}

/* Nothing is raised for it any more: tell the program, without the lock, and free it. */
static void event_end(face_rank *rank, tool_registration *registration)
{
    cor_list_remove(&registration->link);
    face_tool_leave(rank);
    if (registration->on_freed)
        registration->on_freed((MPI_T_event_registration)registration, MPI_T_CB_REQUIRE_NONE,
                               registration->freed_data);
    free(registration);
    pthread_mutex_lock(&rank->tool_lock);
}

/* Those whose callbacks run go later. */
void face_tool_free_registrations(face_tool *tool)
{
    cor_link *link = tool->registrations.next;
    while (link != &tool->registrations) {
        tool_registration *registration = COR_OWNER(link, tool_registration, link);
        link = link->next;
        registration->is_freed = 1;
        if (registration->running == 0) {
            cor_list_remove(&registration->link);
            free(registration);
        }
    }
}

/* The callback that may be called in any context is for the highest level; here the lowest is enough. NULL: none. */
static const tool_callback *event_callback(const tool_registration *registration)
{
    for (int level = 0; level < EVENT_LEVELS && !registration->is_freed; level++)
        if (registration->callbacks[level].function)
            return &registration->callbacks[level];
    return NULL;
}

int face_tool_has_callbacks(const face_tool *tool)
{
    for (cor_link *link = tool->registrations.next; link != &tool->registrations; link = link->next)
        if (event_callback(COR_OWNER(link, tool_registration, link)))
            return 1;
    return 0;
}

static int event_handle_alloc(const char *call, int event_index, void *obj_handle, MPI_Info info,
                              MPI_T_event_registration *event_registration)
{
    face_rank *rank = face_get();
    face_tool *tool = face_tool_enter(rank);
    if (!tool)
        return MPI_T_ERR_NOT_INITIALIZED;
    int kind = event_kind(event_index);
    int error = kind < 0                                                ? MPI_T_ERR_INVALID_INDEX
                : !event_registration || !face_tool_is_info(rank, info) ? MPI_T_ERR_INVALID
                                                                        : MPI_SUCCESS;
    tool_registration *made = error == MPI_SUCCESS ? calloc(1, sizeof *made) : NULL;
    if (made) {
        made->kind = kind;
        made->serial = ++tool->last_serial;
        cor_list_append(&tool->registrations, &made->link);
        *event_registration = (MPI_T_event_registration)made;
    } else if (error == MPI_SUCCESS) {
        error = MPI_T_ERR_MEMORY;
    }
    face_tool_leave(rank);
    return error;
}

FACE_API(T_event_handle_alloc, event_handle_alloc)

static int event_handle_free(const char *call, MPI_T_event_registration event_registration, void *user_data,
                             MPI_T_event_free_cb_function free_cb_function)
{
    face_rank *rank = face_get();
    face_tool *tool = face_tool_enter(rank);
    if (!tool)
        return MPI_T_ERR_NOT_INITIALIZED;
    tool_registration *registration = event_find(tool, event_registration);
    if (registration) {
        registration->is_freed = 1;
        registration->on_freed = free_cb_function;
        registration->freed_data = user_data;
        face_tool_listen(rank, tool);
        if (registration->running == 0)
            event_end(rank, registration);
    }
    face_tool_leave(rank);
    return registration ? MPI_SUCCESS : MPI_T_ERR_INVALID_HANDLE;
}

FACE_API(T_event_handle_free, event_handle_free)

/* The place of a level's callback, or -1. */
static int event_level(MPI_T_cb_safety cb_safety)
{
    switch (cb_safety) {
    case MPI_T_CB_REQUIRE_NONE:
        return 0;
    case MPI_T_CB_REQUIRE_MPI_RESTRICTED:
        return 1;
    case MPI_T_CB_REQUIRE_THREAD_SAFE:
        return 2;
    case MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE:
        return 3;
    }
    return -1;
}

static int event_register_callback(const char *call, MPI_T_event_registration event_registration,
                                   MPI_T_cb_safety cb_safety, MPI_Info info, void *user_data,
                                   MPI_T_event_cb_function event_cb_function)
{
    face_rank *rank = face_get();
    face_tool *tool = face_tool_enter(rank);
    if (!tool)
        return MPI_T_ERR_NOT_INITIALIZED;
    tool_registration *registration = event_find(tool, event_registration);
    int level = event_level(cb_safety);
    int error = !registration                                 ? MPI_T_ERR_INVALID_HANDLE
                : level < 0 || !face_tool_is_info(rank, info) ? MPI_T_ERR_INVALID
                                                              : MPI_SUCCESS;
    if (error == MPI_SUCCESS) {
        registration->callbacks[level] = (tool_callback){event_cb_function, user_data};
        face_tool_listen(rank, tool);
    }
    face_tool_leave(rank);
    return error;
}

FACE_API(T_event_register_callback, event_register_callback)

static int event_set_dropped_handler(const char *call, MPI_T_event_registration event_registration,
                                     MPI_T_event_dropped_cb_function dropped_cb_function)
{
    face_rank *rank = face_get();
    face_tool *tool = face_tool_enter(rank);
    if (!tool)
        return MPI_T_ERR_NOT_INITIALIZED;
    tool_registration *registration = event_find(tool, event_registration);
    if (registration) {
        registration->on_dropped = dropped_cb_function;
        registration->dropped = 0;
    }
    face_tool_leave(rank);
    return registration ? MPI_SUCCESS : MPI_T_ERR_INVALID_HANDLE;
}

FACE_API(T_event_set_dropped_handler, event_set_dropped_handler)

/* ---- hints, of which there are none ----------------------------------------------------------------------------- */

static int event_hints(MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety, int is_right)
{
    face_rank *rank = face_get();
    face_tool *tool = face_tool_enter(rank);
    if (!tool)
        return MPI_T_ERR_NOT_INITIALIZED;
    int is_found = event_find(tool, event_registration) != NULL;
    face_tool_leave(rank);
    if (!is_found)
        return MPI_T_ERR_INVALID_HANDLE;
    return event_level(cb_safety) >= 0 && is_right ? MPI_SUCCESS : MPI_T_ERR_INVALID;
}

static int event_handle_set_info(const char *call, MPI_T_event_registration event_registration, MPI_Info info)
{
    return event_hints(event_registration, MPI_T_CB_REQUIRE_NONE, face_tool_is_info(face_get(), info));
}

FACE_API(T_event_handle_set_info, event_handle_set_info)

static int event_handle_get_info(const char *call, MPI_T_event_registration event_registration, MPI_Info *info_used)
{
    int error = event_hints(event_registration, MPI_T_CB_REQUIRE_NONE, info_used != NULL);
    return error == MPI_SUCCESS ? face_tool_no_hints(face_get(), call, info_used) : error;
}

FACE_API(T_event_handle_get_info, event_handle_get_info)

static int event_callback_set_info(const char *call, MPI_T_event_registration event_registration,
                                   MPI_T_cb_safety cb_safety, MPI_Info info)
{
    return event_hints(event_registration, cb_safety, face_tool_is_info(face_get(), info));
}

FACE_API(T_event_callback_set_info, event_callback_set_info)

static int event_callback_get_info(const char *call, MPI_T_event_registration event_registration,
                                   MPI_T_cb_safety cb_safety, MPI_Info *info_used)
{
    int error = event_hints(event_registration, cb_safety, info_used != NULL);
    return error == MPI_SUCCESS ? face_tool_no_hints(face_get(), call, info_used) : error;
}

FACE_API(T_event_callback_get_info, event_callback_get_info)

/* ---- raising ---------------------------------------------------------------------------------------------------- */

int face_tool_is_delivering(const face_tool *tool)
{
    for (cor_link *link = tool->deliveries.next; link != &tool->deliveries; link = link->next)
        if (pthread_equal(COR_OWNER(link, tool_delivery, link)->thread, pthread_self()))
            return 1;
    return 0;
}

static void event_drop(face_tool *tool, int kind)
{
    for (cor_link *link = tool->registrations.next; link != &tool->registrations; link = link->next) {
        tool_registration *registration = COR_OWNER(link, tool_registration, link);
        if (registration->kind == kind && registration->on_dropped && event_callback(registration))
            registration->dropped++;
    }
}

/* The oldest registration after this serial, which has a callback, and either events to be told as dropped, or this
 * kind; NULL: none. */
static tool_registration *event_next(const face_tool *tool, uint64_t serial, int kind, int is_for_dropped)
{
    for (cor_link *link = tool->registrations.next; link != &tool->registrations; link = link->next) {
        tool_registration *registration = COR_OWNER(link, tool_registration, link);
        int is_meant = is_for_dropped ? registration->dropped > 0 : registration->kind == kind;
        if (registration->serial > serial && is_meant && event_callback(registration))
            return registration;
    }
    return NULL;
}

/* Call one function of the program, without the lock. */
static void event_call(face_rank *rank, tool_registration *registration, tool_delivery *delivery, int is_for_dropped)
{
    const tool_callback callback = *event_callback(registration);
    MPI_T_event_dropped_cb_function *on_dropped = registration->on_dropped;
    MPI_T_event_registration handle = (MPI_T_event_registration)registration;
    MPI_Count dropped = registration->dropped;
    if (is_for_dropped)
        registration->dropped = 0;
    registration->running++;
    face_tool_leave(rank);
    if (!is_for_dropped)
        callback.function((MPI_T_event_instance)delivery, handle, MPI_T_CB_REQUIRE_NONE, callback.user_data);
    else if (on_dropped)
        on_dropped(dropped, handle, 0, MPI_T_CB_REQUIRE_NONE, callback.user_data);
    pthread_mutex_lock(&rank->tool_lock);
    if (--registration->running == 0 && registration->is_freed)
        event_end(rank, registration);
}

/* Registrations may come and go while callbacks run; serials only grow. */
static void event_call_all(face_rank *rank, face_tool *tool, tool_delivery *delivery, int kind, int is_for_dropped)
{
    uint64_t serial = 0;
    tool_registration *registration;
    while ((registration = event_next(tool, serial, kind, is_for_dropped)) != NULL) {
        serial = registration->serial;
        event_call(rank, registration, delivery, is_for_dropped);
    }
}

void face_tool_event_report(void *subject, const cor_call_report *report)
{
    face_rank *rank = subject;
    face_tool *tool = face_tool_enter(rank);
    if (!tool)
        return;
    if (face_tool_is_delivering(tool)) {
        event_drop(tool, report->kind);
    } else {
        tool_delivery delivery = {.thread = pthread_self(),
                                  .end_ns = report->end_ns,
                                  .event = {.peer = report->peer,
                                            .tag = report->tag,
                                            .bytes = report->bytes,
                                            .ns = report->ns,
                                            .waited_ns = report->waited_ns}};
        cor_list_append(&tool->deliveries, &delivery.link);
        event_call_all(rank, tool, &delivery, report->kind, 1);
        event_call_all(rank, tool, &delivery, report->kind, 0);
        cor_list_remove(&delivery.link);
    }
    face_tool_leave(rank);
}

/* ---- what a callback reads -------------------------------------------------------------------------------------- */

/* Copy what an instance is. 0: there is no such instance now. */
static int event_instance(MPI_T_event_instance handle, tool_delivery *found_p)
{
    face_rank *rank = face_get();
    int is_found = 0;
    pthread_mutex_lock(&rank->tool_lock);
    const face_tool *tool = rank->tool;
    for (cor_link *link = tool ? tool->deliveries.next : NULL; tool && link != &tool->deliveries; link = link->next)
        if ((void *)COR_OWNER(link, tool_delivery, link) == (void *)handle) {
            *found_p = *COR_OWNER(link, tool_delivery, link);
            is_found = 1;
        }
    pthread_mutex_unlock(&rank->tool_lock);
    return is_found;
}

static int event_read(const char *call, MPI_T_event_instance event_instance_handle, int element_index, void *buffer)
{
    tool_delivery found;
    if (!face_tool_is_ready(face_get()))
        return MPI_T_ERR_NOT_INITIALIZED;
    if (!event_instance(event_instance_handle, &found))
        return MPI_T_ERR_INVALID_HANDLE;
    if (element_index < 0 || element_index >= FACE_TOOL_ELEMENTS)
        return MPI_T_ERR_INVALID_INDEX;
    if (!buffer)
        return MPI_T_ERR_INVALID;
    const face_tool_element *element = &face_tool_elements[element_index];
    memcpy(buffer, (const char *)&found.event + element->offset, element->bytes);
    return MPI_SUCCESS;
}

FACE_API(T_event_read, event_read)

static int event_copy(const char *call, MPI_T_event_instance event_instance_handle, void *buffer)
{
    tool_delivery found;
    if (!face_tool_is_ready(face_get()))
        return MPI_T_ERR_NOT_INITIALIZED;
    if (!event_instance(event_instance_handle, &found))
        return MPI_T_ERR_INVALID_HANDLE;
    if (!buffer)
        return MPI_T_ERR_INVALID;
    memcpy(buffer, &found.event, sizeof found.event);
    return MPI_SUCCESS;
}

FACE_API(T_event_copy, event_copy)

static int event_get_timestamp(const char *call, MPI_T_event_instance event_instance_handle,
                               MPI_Count *event_timestamp)
{
    tool_delivery found;
    if (!face_tool_is_ready(face_get()))
        return MPI_T_ERR_NOT_INITIALIZED;
    if (!event_instance(event_instance_handle, &found))
        return MPI_T_ERR_INVALID_HANDLE;
    if (!event_timestamp)
        return MPI_T_ERR_INVALID;
    *event_timestamp = (MPI_Count)found.end_ns;
    return MPI_SUCCESS;
}

FACE_API(T_event_get_timestamp, event_get_timestamp)

static int event_get_source(const char *call, MPI_T_event_instance event_instance_handle, int *source_index)
{
    tool_delivery found;
    if (!face_tool_is_ready(face_get()))
        return MPI_T_ERR_NOT_INITIALIZED;
    if (!event_instance(event_instance_handle, &found))
        return MPI_T_ERR_INVALID_HANDLE;
    if (!source_index)
        return MPI_T_ERR_INVALID;
    *source_index = 0;
    return MPI_SUCCESS;
}

FACE_API(T_event_get_source, event_get_source)

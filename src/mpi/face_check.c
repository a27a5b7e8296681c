/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The knob `check` within one rank: which handles the program holds, and what is not freed in MPI_Finalize.
 * coll/check/check.h compares the ranks' arguments.
 *
 * Every handle of the program is in one table, found by its address, with the call that made it and the place in the
 * program that called it. A reused address keeps its row. Rows of completed requests stay until then, since completion
 * does not touch the table: whether a request is complete is checked at the end.
 */
#define _GNU_SOURCE
#include "mpi/face_error.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if __has_include(<execinfo.h>)
#include <execinfo.h>
#else
#define backtrace(frames, count) 0
#endif

typedef struct check_row {
    const void *handle;
    face_kind kind; /* FACE_FREE: the program does not hold it any more */
    const char *call;
    void *place; /* return address in the program; NULL: not known */
} check_row;

struct face_check {
    check_row *rows;
    size_t count, capacity; /* capacity is a power of two */
    uint32_t *slots;        /* twice the capacity: 1 + index into rows, 0 empty; linear probing by address */
};

/* ---- the table, under the rank's lock --------------------------------------------------------------------------- */

static size_t check_slot(const struct face_check *check, const void *handle)
{
    size_t mask = 2 * check->capacity - 1;
    size_t slot = ((uintptr_t)handle >> 4) * 0x9e3779b97f4a7c15u >> 20 & mask;
    while (check->slots[slot] && check->rows[check->slots[slot] - 1].handle != handle)
        slot = (slot + 1) & mask;
    return slot;
}

static int check_grow(struct face_check *check)
{
    size_t capacity = check->capacity ? 2 * check->capacity : 64;
    check_row *rows = realloc(check->rows, capacity * sizeof *rows);
    if (rows)
        check->rows = rows;
    uint32_t *slots = calloc(2 * capacity, sizeof *slots);
    if (!rows || !slots) {
        free(slots);
        return 0;
    }
    free(check->slots);
    check->slots = slots;
    check->capacity = capacity;
    for (size_t i = 0; i < check->count; i++)
        check->slots[check_slot(check, rows[i].handle)] = (uint32_t)i + 1;
    return 1;
}

/* The row of a handle, a new one if need be; NULL when memory is out. */
static check_row *check_row_of(face_rank *rank, const void *handle)
{
    if (!rank->check && !(rank->check = calloc(1, sizeof *rank->check)))
        return NULL;
    struct face_check *check = rank->check;
    if (check->count == check->capacity && !check_grow(check))
        return NULL;
    size_t slot = check_slot(check, handle);
    if (!check->slots[slot])
        check->slots[slot] = (uint32_t)++check->count;
    return &check->rows[check->slots[slot] - 1];
}

static check_row *check_find(const face_rank *rank, const void *handle)
{
    const struct face_check *check = rank->check;
    uint32_t place = check ? check->slots[check_slot(check, handle)] : 0;
    return place ? &check->rows[place - 1] : NULL;
}

/* ---- where in the program --------------------------------------------------------------------------------------- */

/* The innermost return address that is not in this library. */
static void *check_place(void)
{
    enum { FRAMES = 16 };
    void *frames[FRAMES];
    Dl_info ours, found;
    int count = backtrace(frames, FRAMES);
    if (!dladdr((void *)(uintptr_t)face_check_note, &ours))
        return NULL;
    for (int i = 0; i < count; i++)
        if (dladdr(frames[i], &found) && found.dli_fbase != ours.dli_fbase)
            return frames[i];
    return NULL;
}

/* " at solve+0x1d in libsolver.so", or "" where it is not known; addr2line gives the line. */
static const char *check_describe(void *place, char *room, size_t room_bytes)
{
    Dl_info found;
    room[0] = '\0';
    if (!place || !dladdr(place, &found) || !found.dli_fname)
        return room;
    const char *file = strrchr(found.dli_fname, '/') ? strrchr(found.dli_fname, '/') + 1 : found.dli_fname;
    if (found.dli_sname)
        snprintf(room, room_bytes, " at %s+0x%tx in %s", found.dli_sname, (char *)place - (char *)found.dli_saddr,
                 file);
    else
        snprintf(room, room_bytes, " at %s+0x%tx", file, (char *)place - (char *)found.dli_fbase);
    return room;
}

/* ---- handles that come and go ----------------------------------------------------------------------------------- */

void face_check_note(face_rank *rank, face_kind kind, const void *handle, const char *call)
{
    if (!rank->is_checked)
        return;
    void *place = check_place();
    pthread_mutex_lock(&rank->lock);
    check_row *row = check_row_of(rank, handle);
    if (row)
        *row = (check_row){handle, kind, call, place};
    pthread_mutex_unlock(&rank->lock);
}

void face_check_forget(face_rank *rank, const void *handle)
{
    if (!rank->is_checked)
        return;
    pthread_mutex_lock(&rank->lock);
    check_row *row = check_find(rank, handle);
    if (row)
        row->kind = FACE_FREE;
    pthread_mutex_unlock(&rank->lock);
}

void face_check_free(face_rank *rank)
{
    if (rank->check) {
        free(rank->check->rows);
        free(rank->check->slots);
        free(rank->check);
        rank->check = NULL;
    }
}

/* ---- the end ---------------------------------------------------------------------------------------------------- */

/* The first few of a kind are reported one by one, the others are counted. */
typedef struct check_report {
    face_rank *rank;
    const char *when;
    int count;
} check_report;

enum { CHECK_TOLD = 10 };

static void check_tell(check_report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void check_tell(check_report *report, const char *format, ...)
{
    char sentence[FACE_SENTENCE_BYTES];
    if (report->count++ >= CHECK_TOLD)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    const cor_rank *rank = report->rank->rank;
    fprintf(stderr, "corunna: rank %d on %s: %s: %s\n", cor_rank_number(rank), cor_rank_host(rank), report->when,
            sentence);
}

/* Report how many more there are, with their name in the plural. */
static void check_tell_rest(check_report *report, const char *things, const char *fate)
{
    int rest = report->count - CHECK_TOLD;
    report->count = 0;
    if (rest > 0)
        check_tell(report, "%d more %s %s %s", rest, things, rest == 1 ? "was" : "were", fate);
    report->count = 0;
}

/* " MPI_COMM_WORLD", or " \"name\"", or nothing; of a window or file, too. */
static const char *check_comm_name(const face_comm *comm, char room[MPI_MAX_OBJECT_NAME + 4])
{
    if (comm->name)
        snprintf(room, MPI_MAX_OBJECT_NAME + 4, " \"%s\"", comm->name);
    else
        snprintf(room, MPI_MAX_OBJECT_NAME + 4, "%s",
                 comm->handle == MPI_COMM_WORLD  ? " MPI_COMM_WORLD"
                 : comm->handle == MPI_COMM_SELF ? " MPI_COMM_SELF"
                                                 : "");
    return room;
}

static void check_tell_message(void *subject, cor_comm *comm, const cor_status *status)
{
    char name[MPI_MAX_OBJECT_NAME + 4], place[160] = "";
    check_report *report = subject;
    const face_comm *face = comm ? cor_comm_face(comm) : NULL;
    if (!face || face->kind == FACE_FREE) {
        check_tell(report,
                   "a message of %zu bytes from rank %d%s with tag %d was never received; its communicator was freed",
                   status->message_bytes, status->source, comm ? "" : " of the job", status->tag);
        return;
    }
    const check_row *made = check_find(report->rank, face);
    if (!face->name && made)
        snprintf(place, sizeof place, " of %s", made->call);
    check_tell(report, "a message of %zu bytes from rank %d with tag %d in the communicator%s%s was never received",
               status->message_bytes, status->source, status->tag, check_comm_name(face, name), place);
}

/* How many of an error handler's references come from objects it is attached to? */
static int check_count_holders(const face_rank *rank, MPI_Errhandler handler)
{
    int count = (rank->world_comm.errhandler == handler) + (rank->self_comm.errhandler == handler) +
                (rank->no_file.errhandler == handler);
    for (size_t i = 0; i < rank->check->count; i++) {
        const check_row *row = &rank->check->rows[i];
        count +=
            (row->kind == FACE_COMM || row->kind == FACE_WIN || row->kind == FACE_FILE || row->kind == FACE_SESSION) &&
            ((const face_comm *)row->handle)->errhandler == handler;
    }
    return count;
}

/* Must the program still free or complete this handle? */
static int check_is_left(const face_rank *rank, const check_row *row)
{
    if (row->kind == FACE_REQUEST)
        return cor_request_comm(row->handle) != NULL;
    if (row->kind == FACE_ERRHANDLER)
        return ((const face_errhandler *)row->handle)->references >
               check_count_holders(rank, (MPI_Errhandler)(uintptr_t)row->handle);
    return 1;
}

static void check_tell_handle(check_report *report, const check_row *row, const char *thing, const char *fate)
{
    char place[256], name[MPI_MAX_OBJECT_NAME + 4] = "";
    if (row->kind == FACE_COMM || row->kind == FACE_WIN || row->kind == FACE_FILE)
        check_comm_name(row->handle, name);
    if (row->kind == FACE_REQUEST && !cor_request_is_active(row->handle))
        fate = "was never freed";
    check_tell(report, "%s%s of %s%s %s", thing, name, row->call, check_describe(row->place, place, sizeof place),
               fate);
}

void face_check_finish(face_rank *rank, const char *when)
{
    static const struct {
        face_kind kind;
        const char *one, *many, *fate;
    } sorts[] = {
        {FACE_REQUEST, "the request", "requests", "was never completed"},
        {FACE_MESSAGE, "the message", "messages", "was never received"},
        {FACE_FILE, "the file", "files", "was never closed"},
        {FACE_WIN, "the window", "windows", "was never freed"},
        {FACE_COMM, "the communicator", "communicators", "was never freed"},
        {FACE_GROUP, "the group", "groups", "was never freed"},
        {FACE_TYPE, "the datatype", "datatypes", "was never freed"},
        {FACE_OP, "the operator", "operators", "was never freed"},
        {FACE_INFO, "the info", "infos", "was never freed"},
        {FACE_ERRHANDLER, "the error handler", "error handlers", "was never freed"},
    };
    check_report report = {.rank = rank, .when = when};
    /* If a rank is lost, so are its last messages, and MPI_Finalize reports that itself. */
    if (cor_rank_visit_leftovers(rank->rank, check_tell_message, &report) == COR_OK)
        check_tell_rest(&report, "messages", "never received");
    for (size_t sort = 0; rank->check && sort < sizeof sorts / sizeof *sorts; sort++) {
        for (size_t i = 0; i < rank->check->count; i++) {
            const check_row *row = &rank->check->rows[i];
            if (row->kind == sorts[sort].kind && check_is_left(rank, row))
                check_tell_handle(&report, row, sorts[sort].one, sorts[sort].fate);
        }
        check_tell_rest(&report, sorts[sort].many, sorts[sort].fate + strlen("was "));
    }
}

void face_check_tell_sessions(face_rank *rank)
{
    check_report report = {.rank = rank, .when = "the end of the program"};
    for (size_t i = 0; rank->check && i < rank->check->count; i++)
        if (rank->check->rows[i].kind == FACE_SESSION)
            check_tell_handle(&report, &rank->check->rows[i], "the session", "was never finalised");
    check_tell_rest(&report, "sessions", "never finalised");
}

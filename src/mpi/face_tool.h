/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MPI's tool information interface (MPI_T_*): what its parts share.
 *
 * Variables are rows of tables of the engine: control variables the settings (mp/settings.h), performance variables the
 * counters (mp/counters.h), event types the kinds of calls that are reported (mp/call_report.h). A category is a topic
 * of these, and one more contains all others. Their numbers and order are those of the tables, and never change.
 *
 * The interface may be used before MPI_Init and after MPI_Finalize. Its state is of the face_rank, so each rank that is
 * a thread has its own. Everything is freed by the MPI_T_finalize that ends the last use, except settings that were
 * written: they are for MPI_Init, whenever that comes.
 *
 * Errors. Functions return codes and call no error handler. Wrong arguments are found as far as they can be: handles
 * are looked up before they are read, so a stale one is an error and no crash. Outputs that the standard lets a program
 * leave out may be NULL; another NULL is MPI_T_ERR_INVALID. Nothing is written before all arguments are checked.
 *
 * Locking. face_rank.tool_lock guards all of it; functions of the engine that take the rank's lock are called with it
 * held. Functions of the program (callbacks of events) are called with neither.
 */
#ifndef COR_MPI_FACE_TOOL_H
#define COR_MPI_FACE_TOOL_H

#include "mpi/face.h"

#include "mp/call_report.h"
#include "mp/counters.h"
#include "mp/settings.h"

typedef struct face_tool {
    int users;              /* MPI_T_init_thread without MPI_T_finalize */
    int level;              /* the highest one that was asked for */
    cor_list cvars;         /* cvar handles */
    cor_list sessions;      /* of performance variables */
    cor_list registrations; /* for events, the oldest first */
    cor_list deliveries;    /* callbacks that run now */
    uint64_t last_serial;   /* of registrations */
    int timed;              /* handles that are started and need calls to be measured */
    char **overrides;       /* of settings, NULL-terminated; NULL: none */
    size_t override_count;
    int is_taken; /* MPI_Init has read them */
} face_tool;

/* ---- face_tool.c: life ------------------------------------------------------------------------------------------ */

/* Enter a function of the interface: take the lock. NULL, and the lock is not taken: it is not initialised. */
face_tool *face_tool_enter(face_rank *rank);
void face_tool_leave(face_rank *rank);
/* For functions that only read tables, which need no lock. */
int face_tool_is_ready(face_rank *rank);

/* With the lock held: may counters be read, and is the size of the job known? The engine is open, used or idle. */
static inline int face_tool_is_open(const face_rank *rank)
{
    /* acquire: all that opening it wrote is seen. */
    return atomic_load_explicit(&rank->life.is_running, memory_order_acquire);
}

/* With the lock held, after a change of what is started or registered. */
void face_tool_listen(face_rank *rank, const face_tool *tool);

/* The engine is going to be opened: the settings that were written, and whether a thread of a tool may call beside one
 * of the program, so that the engine needs a lock; and is open. */
const char *const *face_tool_overrides(face_rank *rank);
int face_tool_is_threaded(face_rank *rank);
void face_tool_opened(face_rank *rank);
/* The engine is going to be closed: keep what variables have counted, and report no more calls. */
void face_tool_finalize(face_rank *rank);
/* Is this thread in a callback of an event? MPI_Finalize cannot be called there. */
int face_tool_is_inside(face_rank *rank);
/* Free the memory, with the face_rank. */
void face_tool_free(face_rank *rank);

/* ---- what functions return -------------------------------------------------------------------------------------- */

/* Is a length of a string right? NULL is. */
static inline int face_tool_is_length(const int *length)
{
    return !length || *length >= 0;
}

/* Return a string by the standard's convention: at most *length - 1 characters and their end, and in *length how much
 * room all of it needs. NULL, or no room: only that. */
void face_tool_string(const char *text, char *out, int *length);

/* Write a result that the program may leave out. */
static inline void face_tool_int(int value, int *out)
{
    if (out)
        *out = value;
}

/* A new info without keys, as there are no hints. MPI_T_ERR_MEMORY. */
int face_tool_no_hints(face_rank *rank, const char *call, MPI_Info *info_p);
/* Is it MPI_INFO_NULL or an info? */
int face_tool_is_info(face_rank *rank, MPI_Info info);

/* ---- enumerations (face_tool_enum.c) ---------------------------------------------------------------------------- */

/* The handle of the enumeration with the choices of a control variable; and of the elements of an event. */
MPI_T_enum face_tool_enum_of_setting(size_t index);
MPI_T_enum face_tool_enum_of_event(void);

/* ---- events (face_tool_event.c) --------------------------------------------------------------------------------- */

/* The elements of an event, which are the same for all types. */
typedef struct face_tool_element {
    const char *name;
    MPI_Datatype type;
    size_t offset, bytes; /* in the memory that MPI_T_event_copy fills */
} face_tool_element;

enum { FACE_TOOL_ELEMENTS = 5 };
extern const face_tool_element face_tool_elements[FACE_TOOL_ELEMENTS];

int face_tool_event_count(void);
void face_tool_event_report(void *subject, const cor_call_report *report); /* a cor_listen_fn; the subject is a rank */
int face_tool_has_callbacks(const face_tool *tool);
int face_tool_is_delivering(const face_tool *tool); /* in this thread */
void face_tool_free_registrations(face_tool *tool);

/* ---- performance variables (face_tool_pvar.c) ------------------------------------------------------------------- */

void face_tool_keep_values(face_rank *rank, face_tool *tool);
void face_tool_free_sessions(face_tool *tool);

/* ---- control variables (face_tool_cvar.c) ----------------------------------------------------------------------- */

void face_tool_free_cvars(face_tool *tool);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The C side of the Fortran procedures: what the functions that are made from the table (fort_entries.awk), and those
 * that are written by hand (fort_by_hand.inc), stand on. It uses the standard ABI alone.
 *
 * A handle of Fortran is an integer (MPI_*_toint); in mpi_f08 it is a structure with that integer, which is passed the
 * same way. A status has the layout of MPI_Status. So one function serves a procedure in mpif.h, module mpi and module
 * mpi_f08, unless it has buffers of any type: mpi_f08 passes descriptors of these.
 *
 * Errors of arguments are found by the library of C. A failure of this one is told in one sentence, on stderr, and goes
 * to the error handler of MPI_COMM_SELF.
 */
#ifndef COR_FORTRAN_FORT_H
#define COR_FORTRAN_FORT_H

#define CORUNNA_ABI_ONLY
#include <mpi.h>

#include <ISO_Fortran_binding.h>
#include <stddef.h>
#include <stdlib.h>

/* ---- names ------------------------------------------------------------------------------------------------------ */

/* Every function is compiled twice: mpi_* calls MPI_*, which a tool may replace, pmpi_* calls PMPI_*. */
#define FORT_EXPORT __attribute__((visibility("default")))
#ifdef FORT_IS_PMPI
#define FORT_SYMBOL(NAME, END) pmpi_##NAME##END
#define FORT_CALL(NAME) PMPI_##NAME
#else
#define FORT_SYMBOL(NAME, END) mpi_##NAME##END
#define FORT_CALL(NAME) MPI_##NAME
#endif
#define FORT_NAME(NAME) FORT_EXPORT FORT_SYMBOL(NAME, _)     /* mpif.h, module mpi */
#define FORT_F08(NAME) FORT_EXPORT FORT_SYMBOL(NAME, _f08_)  /* mpi_f08 */
#define FORT_TS(NAME) FORT_EXPORT FORT_SYMBOL(NAME, _f08ts_) /* mpi_f08, with descriptors */
/* The same function for mpi_f08. */
#define FORT_QUOTED_(TEXT) #TEXT
#define FORT_QUOTED(TEXT) FORT_QUOTED_(TEXT)
#define FORT_ALIAS(NAME)                                                                                              \
    FORT_EXPORT extern __typeof(FORT_SYMBOL(NAME, _)) FORT_SYMBOL(NAME, _f08_)                                        \
        __attribute__((alias(FORT_QUOTED(FORT_SYMBOL(NAME, _)))));

/* ierror is optional in mpi_f08. */
#define FORT_RETURN(ERROR)                                                                                            \
    do {                                                                                                              \
        int error_to_return = (ERROR);                                                                                \
        if (ierror)                                                                                                   \
            *ierror = error_to_return;                                                                                \
        return;                                                                                                       \
    } while (0)

/* ---- constants that are addresses: common blocks of Fortran ----------------------------------------------------- */

extern int corunna_bottom_, corunna_in_place_, corunna_buffer_automatic_;
extern int corunna_status_ignore_[], corunna_statuses_ignore_[], corunna_errcodes_ignore_[];
extern int corunna_unweighted_[], corunna_weights_empty_[];
extern char corunna_argv_null_[], corunna_argvs_null_[];

static inline void *fort_address(void *address)
{
    if (address == &corunna_bottom_)
        return MPI_BOTTOM;
    if (address == &corunna_in_place_)
        return MPI_IN_PLACE;
    return address == &corunna_buffer_automatic_ ? MPI_BUFFER_AUTOMATIC : address;
}

static inline int fort_is_in_place(const void *buffer)
{
    return buffer == &corunna_in_place_;
}

static inline MPI_Status *fort_status(int *status)
{
    return status == corunna_status_ignore_ || status == corunna_statuses_ignore_ ? MPI_STATUS_IGNORE
                                                                                  : (MPI_Status *)status;
}

static inline int *fort_codes(int *codes)
{
    return codes == corunna_errcodes_ignore_ ? MPI_ERRCODES_IGNORE : codes;
}

static inline int *fort_weights(int *weights)
{
    if (weights == corunna_unweighted_)
        return MPI_UNWEIGHTED;
    return weights == corunna_weights_empty_ ? MPI_WEIGHTS_EMPTY : weights;
}

/* ---- logical values, indices ------------------------------------------------------------------------------------ */

/* .true. and .false. of the compiler that has compiled the modules. */
extern const int corunna_fortran_true, corunna_fortran_false;

static inline int fort_is_true(int logical)
{
    return logical != corunna_fortran_false;
}

static inline int fort_logical(int is_true)
{
    return is_true ? corunna_fortran_true : corunna_fortran_false;
}

/* ---- arrays that are converted ---------------------------------------------------------------------------------- */

enum { FORT_FEW = 32 }; /* elements on the stack */

static inline size_t fort_count(MPI_Count count)
{
    return count > 0 ? (size_t)count : 0;
}

/* Room for `count` elements: `few`, which has few_count, or from the heap. Ends the job if there is none. */
void *fort_room(void *few, size_t few_count, size_t count, size_t element_bytes);

static inline void fort_room_free(void *few, void *room)
{
    if (room != few)
        free(room);
}

/* Lengths of arrays that the standard does not name: 0 if the communicator is not what it should be, because the call
 * itself tells that. */
int fort_peers(int comm);
int fort_neighbours(int comm, int is_out);
int fort_dimensions(int comm);

/* Is this rank the root, so that its arguments for the root matter? */
int fort_is_root(int comm, int root);

/* ---- strings ---------------------------------------------------------------------------------------------------- */

typedef struct fort_text {
    char *text;
    char few[128];
} fort_text;

/* A string of Fortran with a closing zero and without the blanks at its end; is_stripped: also without those before it,
 * as in infos, commands and their arguments. */
char *fort_text_in(fort_text *text, const char *from, size_t length, int is_stripped);

static inline void fort_text_free(fort_text *text)
{
    if (text->text != text->few)
        free(text->text);
}

/* Cut to the length of Fortran's, or filled up with blanks. */
void fort_text_out(const char *text, char *to, size_t length);

/* The argument list of a program: `step` strings from one to the next, a blank one at the end. NULL for
 * MPI_ARGV_NULL. */
char **fort_strings(const char *argv, size_t length, size_t step);
void fort_strings_free(char **strings);

/* ---- what is done when a request is complete -------------------------------------------------------------------- */

/* A step that is done when the operation that a request stands for is complete; it frees itself. */
typedef struct fort_later fort_later;
struct fort_later {
    fort_later *next;
    MPI_Request request;
    int is_persistent;                               /* the request stays, and the step with it */
    void (*run)(fort_later *later, int is_complete); /* not complete: only free what it has */
};

/* Steps that wait. Read without the lock: a rank that completes a request has started it before. */
extern int fort_later_count;

void fort_later_add(fort_later **list, fort_later *later);
/* Free memory then. */
void fort_later_free(fort_later **list, void *memory);
/* Do these steps when `request` is complete, or now if it is MPI_REQUEST_NULL. */
void fort_later_keep(MPI_Request request, fort_later *list, int is_persistent);
void fort_later_run(fort_later **taken, MPI_Request request);
fort_later *fort_later_take(const int *requests, size_t count);
void fort_later_give_back(fort_later *taken);
void fort_later_see(const int *requests, size_t count);
void fort_later_drop(MPI_Request request);
/* Instead of MPI_Request_free, for a request with these steps: complete it while other requests are completed. */
void fort_later_finish_alone(MPI_Request request, fort_later *taken);
/* Before MPI ends. */
void fort_later_end(void);

static inline int fort_has_later(void)
{
    return __atomic_load_n(&fort_later_count, __ATOMIC_RELAXED) != 0;
}

/* Before a function that may complete these requests: another thread may get a handle as soon as it is free, and must
 * not find these steps under it. */
static inline fort_later *fort_take(const int *requests, size_t count)
{
    return fort_has_later() ? fort_later_take(requests, count) : NULL;
}

/* The handle of a request after such a function; then fort_give_back what is left. */
static inline void fort_finish(int *request, MPI_Request now, fort_later **taken)
{
    if (now != MPI_REQUEST_NULL)
        return;
    if (*taken)
        fort_later_run(taken, PMPI_Request_fromint(*request));
    *request = PMPI_Request_toint(MPI_REQUEST_NULL);
}

static inline void fort_give_back(fort_later *taken)
{
    if (taken)
        fort_later_give_back(taken);
}

/* These are complete, but stay requests: the program may look at what they have received. */
static inline void fort_see(const int *requests, size_t count)
{
    if (fort_has_later())
        fort_later_see(requests, count);
}

/* A new request: what C has completed under the same handle is over. */
static inline void fort_started(MPI_Request request)
{
    if (fort_has_later())
        fort_later_drop(request);
}

/* A handle that the library writes by the time the request is complete. */
typedef struct fort_new_comm {
    fort_later later;
    MPI_Comm handle;
    int *newcomm;
} fort_new_comm;

fort_new_comm *fort_new_comm_of(int *newcomm);
void fort_new_comm_keep(fort_new_comm *made, int error, MPI_Request request);

/* ---- sections of arrays ----------------------------------------------------------------------------------------- */

/* How the elements are used: one message; blocks of which each begins at a displacement in units of the datatype; or in
 * a way for which no datatype can stand, as by a reduction. */
typedef enum fort_use { FORT_WHOLE, FORT_BLOCKS, FORT_COPIED } fort_use;
/* If a copy is needed: it ends with the call, with its request, or there can be none. */
typedef enum fort_end { FORT_NOW, FORT_LATER, FORT_NEVER } fort_end;

typedef struct fort_copy fort_copy;

/* What the call gets in place of buffer, count and datatype. */
typedef struct fort_section {
    void *base;
    MPI_Count count;
    MPI_Datatype type;
    MPI_Datatype made; /* to be freed, or MPI_DATATYPE_NULL */
    fort_copy *copy;   /* or NULL */
} fort_section;

static inline int fort_is_contiguous(const CFI_cdesc_t *array)
{
    ptrdiff_t next = (ptrdiff_t)array->elem_len;
    for (int i = 0; i < array->rank; i++) {
        if (array->dim[i].sm != next && array->dim[i].extent != 1)
            return array->dim[i].extent == 0;
        if (array->dim[i].extent < 0) /* an assumed-size array */
            return 1;
        next *= array->dim[i].extent;
    }
    return 1;
}

/* A buffer that may be a section with gaps. MPI_SUCCESS, or the error, already reported; close it in both cases. */
int fort_open_gaps(fort_section *section, const char *call, const char *argument, const CFI_cdesc_t *array,
                   fort_use use, fort_end end, int is_output);

static inline int fort_open(fort_section *section, const CFI_cdesc_t *array, MPI_Count count, int type)
{
    section->base = fort_address(array->base_addr);
    section->count = count;
    section->type = PMPI_Type_fromint(type);
    section->made = MPI_DATATYPE_NULL;
    section->copy = NULL;
    return fort_is_contiguous(array);
}

#define FORT_OPEN(SECTION, CALL, ARGUMENT, ARRAY, IS_SIGNIFICANT, USE, END, IS_OUTPUT, COUNT, TYPE)                   \
    (fort_open(SECTION, ARRAY, COUNT, TYPE) || !(IS_SIGNIFICANT)                                                      \
         ? MPI_SUCCESS                                                                                                \
         : fort_open_gaps(SECTION, CALL, ARGUMENT, ARRAY, USE, END, IS_OUTPUT))

void fort_close_gaps(fort_section *section, int error, fort_later **later_p);

static inline void fort_close(fort_section *section, int error)
{
    if (section->made != MPI_DATATYPE_NULL || section->copy)
        fort_close_gaps(section, error, NULL);
}

/* The same for an operation that has only begun: what is left to do is put into *later_p. */
static inline void fort_close_later(fort_section *section, int error, fort_later **later_p)
{
    if (section->made != MPI_DATATYPE_NULL || section->copy)
        fort_close_gaps(section, error, later_p);
}

/* Memory that must not have gaps. */
int fort_check_whole(const char *call, const char *argument, const CFI_cdesc_t *array);

/* ---- callbacks: the C function and the state to pass on for procedures of Fortran ------------------------------- */

typedef void (*fort_procedure)(void);

/* By family of the error handler. NULL: there are too many different ones; reported. */
MPI_User_function *fort_op(fort_procedure procedure);
MPI_User_function_c *fort_op_c(fort_procedure procedure);
MPI_Comm_errhandler_function *fort_comm_handler(fort_procedure procedure);
MPI_File_errhandler_function *fort_file_handler(fort_procedure procedure);
MPI_Session_errhandler_function *fort_session_handler(fort_procedure procedure);
MPI_Win_errhandler_function *fort_win_handler(fort_procedure procedure);

/* The two functions of a key and their state; is_narrow: values are default integers, as in MPI-1. */
typedef enum fort_family { FORT_COMM, FORT_TYPE, FORT_WIN } fort_family;
typedef struct fort_keyval fort_keyval;
fort_keyval *fort_keyval_of(fort_procedure copy, fort_procedure discard, MPI_Aint state, int is_narrow);
MPI_Comm_copy_attr_function *fort_comm_copy(const fort_keyval *keyval);
MPI_Comm_delete_attr_function *fort_comm_discard(void);
MPI_Type_copy_attr_function *fort_type_copy(const fort_keyval *keyval);
MPI_Type_delete_attr_function *fort_type_discard(void);
MPI_Win_copy_attr_function *fort_win_copy(const fort_keyval *keyval);
MPI_Win_delete_attr_function *fort_win_discard(void);
/* The value of an attribute: those that MPI defines are behind a pointer in C. */
MPI_Aint fort_attribute(int keyval, void *value);

/* What C gets for an attribute that Fortran sets: the address of its value. is_narrow: a default integer, as in
 * MPI-1. */
void *fort_value_create(MPI_Aint number, int is_narrow);
/* The next three take what C has, too, which is an address that is not looked at. */
void fort_value_destroy(void *address);
void *fort_value_copy(void *address);
MPI_Aint fort_value_read(void *address);

typedef struct fort_grequest fort_grequest;
fort_grequest *fort_grequest_of(fort_procedure query, fort_procedure discard, fort_procedure cancel, MPI_Aint state);
MPI_Grequest_query_function fort_grequest_query;
MPI_Grequest_free_function fort_grequest_free;
MPI_Grequest_cancel_function fort_grequest_cancel;

typedef struct fort_datarep fort_datarep;
fort_datarep *fort_datarep_of(fort_procedure reader, fort_procedure writer, fort_procedure extent, MPI_Aint state);
MPI_Datarep_conversion_function *fort_datarep_reader(const fort_datarep *datarep);
MPI_Datarep_conversion_function *fort_datarep_writer(const fort_datarep *datarep);
MPI_Datarep_conversion_function_c *fort_datarep_reader_c(const fort_datarep *datarep);
MPI_Datarep_conversion_function_c *fort_datarep_writer_c(const fort_datarep *datarep);
MPI_Datarep_extent_function fort_datarep_extent;

/* ---- others ----------------------------------------------------------------------------------------------------- */

/* Reports an error of this library; returns it. */
int fort_fail(const char *call, int error_class, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Before MPI is initialised: tell the library of C what Fortran's logical values are, if it does not know. */
void fort_begin(void);

#endif

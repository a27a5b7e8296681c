/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Procedures of Fortran that MPI calls. Where C passes a state on, it is a structure here that has the procedures; a
 * key or a data representation that is made again of the same ones uses the same structure, because C does not tell
 * when it needs none any more. Operators and error handlers have no state: there is a pool of C functions, and each
 * calls one procedure. A procedure keeps its function, so the limit is one of different procedures, not of operators.
 */
#include "fort.h"

#include <pthread.h>
#include <string.h>

static pthread_mutex_t callback_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- pools ------------------------------------------------------------------------------------------------------ */

/* F(n) for the octal numbers n from 000 to 077, and from 0000 to 0377. */
#define CALLBACK_8(F, N) F(N##0) F(N##1) F(N##2) F(N##3) F(N##4) F(N##5) F(N##6) F(N##7)
#define CALLBACK_64(F, N)                                                                                             \
    CALLBACK_8(F, N##0)                                                                                               \
    CALLBACK_8(F, N##1)                                                                                               \
    CALLBACK_8(F, N##2)                                                                                               \
    CALLBACK_8(F, N##3)                                                                                               \
    CALLBACK_8(F, N##4)                                                                                               \
    CALLBACK_8(F, N##5)                                                                                               \
    CALLBACK_8(F, N##6)                                                                                               \
    CALLBACK_8(F, N##7)
#define CALLBACK_256(F) CALLBACK_64(F, 00) CALLBACK_64(F, 01) CALLBACK_64(F, 02) CALLBACK_64(F, 03)

/* The number of a procedure in its pool; -1: the pool is full, reported. An entry is written before any C function that
 * reads it is handed out. */
static int pool_find(fort_procedure *pool, int pool_size, fort_procedure procedure, const char *call, const char *what)
{
    int found = -1;
    pthread_mutex_lock(&callback_lock);
    for (int i = 0; i < pool_size && found < 0; i++) {
        if (!pool[i])
            pool[i] = procedure;
        if (pool[i] == procedure)
            found = i;
    }
    pthread_mutex_unlock(&callback_lock);
    if (found < 0)
        fort_fail(call, MPI_ERR_NO_MEM, "%d different Fortran procedures are %s already, which is the most", pool_size,
                  what);
    return found;
}

typedef void (*op_procedure)(void *in, void *inout, void *length, int *datatype);

#define OP_POOL(NAME, COUNT_TYPE, FUNCTION_TYPE, CALL)                                                                \
    static fort_procedure NAME##_pool[256];                                                                           \
    static void NAME##_run(int i, void *in, void *inout, COUNT_TYPE *length, MPI_Datatype *datatype)                  \
    {                                                                                                                 \
        int type = PMPI_Type_toint(*datatype);                                                                        \
        ((op_procedure)NAME##_pool[i])(in, inout, length, &type);                                                     \
    }                                                                                                                 \
    CALLBACK_256(NAME##_FUNCTION)                                                                                     \
    static FUNCTION_TYPE *const NAME##_functions[256] = {CALLBACK_256(NAME##_ENTRY)};                                 \
    FUNCTION_TYPE *fort_##NAME(fort_procedure procedure)                                                              \
    {                                                                                                                 \
        int i = pool_find(NAME##_pool, 256, procedure, CALL, "operators");                                            \
        return i < 0 ? NULL : NAME##_functions[i];                                                                    \
    }

#define op_ENTRY(N) op_##N,
#define op_FUNCTION(N)                                                                                                \
    static void op_##N(void *in, void *inout, int *length, MPI_Datatype *datatype)                                    \
    {                                                                                                                 \
        op_run(N, in, inout, length, datatype);                                                                       \
    }
OP_POOL(op, int, MPI_User_function, "MPI_Op_create")

#define op_c_ENTRY(N) op_c_##N,
#define op_c_FUNCTION(N)                                                                                              \
    static void op_c_##N(void *in, void *inout, MPI_Count *length, MPI_Datatype *datatype)                            \
    {                                                                                                                 \
        op_c_run(N, in, inout, length, datatype);                                                                     \
    }
OP_POOL(op_c, MPI_Count, MPI_User_function_c, "MPI_Op_create_c")

typedef void (*handler_procedure)(int *handle, int *error_code);

#define HANDLER_FUNCTION(NAME, TYPE, N)                                                                               \
    static void NAME##_##N(TYPE *handle, int *error_code, ...)                                                        \
    {                                                                                                                 \
        NAME##_run(N, *handle, error_code);                                                                           \
    }
#define HANDLER_POOL(NAME, TYPE, HANDLE)                                                                              \
    static fort_procedure NAME##_pool[64];                                                                            \
    static void NAME##_run(int i, TYPE object, int *error_code)                                                       \
    {                                                                                                                 \
        int handle = PMPI_##HANDLE##_toint(object);                                                                   \
        ((handler_procedure)NAME##_pool[i])(&handle, error_code);                                                     \
    }                                                                                                                 \
    CALLBACK_64(NAME##_FUNCTION, 0)                                                                                   \
    static TYPE##_errhandler_function *const NAME##_functions[64] = {CALLBACK_64(NAME##_ENTRY, 0)};                   \
    TYPE##_errhandler_function *fort_##NAME(fort_procedure procedure)                                                 \
    {                                                                                                                 \
        int i = pool_find(NAME##_pool, 64, procedure, "MPI_" #HANDLE "_create_errhandler", "error handlers");         \
        return i < 0 ? NULL : NAME##_functions[i];                                                                    \
    }

#define comm_handler_ENTRY(N) comm_handler_##N,
#define comm_handler_FUNCTION(N) HANDLER_FUNCTION(comm_handler, MPI_Comm, N)
HANDLER_POOL(comm_handler, MPI_Comm, Comm)
#define file_handler_ENTRY(N) file_handler_##N,
#define file_handler_FUNCTION(N) HANDLER_FUNCTION(file_handler, MPI_File, N)
HANDLER_POOL(file_handler, MPI_File, File)
#define session_handler_ENTRY(N) session_handler_##N,
#define session_handler_FUNCTION(N) HANDLER_FUNCTION(session_handler, MPI_Session, N)
HANDLER_POOL(session_handler, MPI_Session, Session)
#define win_handler_ENTRY(N) win_handler_##N,
#define win_handler_FUNCTION(N) HANDLER_FUNCTION(win_handler, MPI_Win, N)
HANDLER_POOL(win_handler, MPI_Win, Win)

/* ---- keys of attributes ----------------------------------------------------------------------------------------- */

/* MPI's own functions, as procedures that a program may call, too. Their addresses are recognised below. */
typedef void(narrow_copy)(int *, int *, int *, int *, int *, int *, int *);
typedef void(narrow_discard)(int *, int *, int *, int *, int *);
typedef void(wide_copy)(int *, int *, MPI_Aint *, MPI_Aint *, MPI_Aint *, int *, int *);
typedef void(wide_discard)(int *, int *, MPI_Aint *, MPI_Aint *, int *);

#define KEYVAL_PREDEFINED(WIDTH, VALUE, PREFIX)                                                                       \
    FORT_EXPORT WIDTH##_copy mpi_##PREFIX##null_copy_fn_, mpi_##PREFIX##dup_fn_;                                      \
    FORT_EXPORT WIDTH##_discard mpi_##PREFIX##null_delete_fn_;                                                        \
    void mpi_##PREFIX##null_copy_fn_(int *object, int *keyval, VALUE *state, VALUE *in, VALUE *out, int *flag,        \
                                     int *ierror)                                                                     \
    {                                                                                                                 \
        (void)object, (void)keyval, (void)state, (void)in, (void)out;                                                 \
        *flag = corunna_fortran_false;                                                                                \
        *ierror = MPI_SUCCESS;                                                                                        \
    }                                                                                                                 \
    void mpi_##PREFIX##dup_fn_(int *object, int *keyval, VALUE *state, VALUE *in, VALUE *out, int *flag, int *ierror) \
    {                                                                                                                 \
        (void)object, (void)keyval, (void)state;                                                                      \
        *out = *in;                                                                                                   \
        *flag = corunna_fortran_true;                                                                                 \
        *ierror = MPI_SUCCESS;                                                                                        \
    }                                                                                                                 \
    void mpi_##PREFIX##null_delete_fn_(int *object, int *keyval, VALUE *value, VALUE *state, int *ierror)             \
    {                                                                                                                 \
        (void)object, (void)keyval, (void)value, (void)state;                                                         \
        *ierror = MPI_SUCCESS;                                                                                        \
    }

KEYVAL_PREDEFINED(narrow, int, )
KEYVAL_PREDEFINED(wide, MPI_Aint, comm_)
KEYVAL_PREDEFINED(wide, MPI_Aint, type_)
KEYVAL_PREDEFINED(wide, MPI_Aint, win_)

struct fort_keyval {
    fort_keyval *next;
    fort_procedure copy, discard;
    MPI_Aint state;
    int is_narrow;
};

static fort_keyval *keyval_list;

fort_keyval *fort_keyval_of(fort_procedure copy, fort_procedure discard, MPI_Aint state, int is_narrow)
{
    pthread_mutex_lock(&callback_lock);
    fort_keyval *keyval = keyval_list;
    while (keyval && (keyval->copy != copy || keyval->discard != discard || keyval->state != state ||
                      keyval->is_narrow != is_narrow))
        keyval = keyval->next;
    if (!keyval) {
        keyval = fort_room(NULL, 0, 1, sizeof *keyval);
        *keyval = (fort_keyval){keyval_list, copy, discard, state, is_narrow};
        keyval_list = keyval;
    }
    pthread_mutex_unlock(&callback_lock);
    return keyval;
}

static int is_one_of(fort_procedure procedure, const fort_procedure *list)
{
    while (*list && *list != procedure)
        list++;
    return *list != NULL;
}

static int is_null_copy(fort_procedure procedure)
{
    return is_one_of(procedure, (const fort_procedure[]){(fort_procedure)mpi_null_copy_fn_,
                                                         (fort_procedure)mpi_comm_null_copy_fn_,
                                                         (fort_procedure)mpi_type_null_copy_fn_,
                                                         (fort_procedure)mpi_win_null_copy_fn_, NULL});
}

static int is_dup(fort_procedure procedure)
{
    return is_one_of(procedure, (const fort_procedure[]){(fort_procedure)mpi_dup_fn_, (fort_procedure)mpi_comm_dup_fn_,
                                                         (fort_procedure)mpi_type_dup_fn_,
                                                         (fort_procedure)mpi_win_dup_fn_, NULL});
}

static int keyval_copy(int object, int key, const fort_keyval *keyval, void *in, void *out_p, int *flag)
{
    int error = MPI_SUCCESS, is_copied = corunna_fortran_false;
    MPI_Aint state = keyval->state, wide_in = fort_value_read(in), out = 0;
    if (is_dup(keyval->copy)) {
        *flag = 1;
        *(void **)out_p = fort_value_copy(in);
        return MPI_SUCCESS;
    }
    if (keyval->is_narrow) {
        int narrow_state = (int)state, narrow_in = (int)wide_in, narrow_out = 0;
        ((narrow_copy *)keyval->copy)(&object, &key, &narrow_state, &narrow_in, &narrow_out, &is_copied, &error);
        out = narrow_out;
    } else
        ((wide_copy *)keyval->copy)(&object, &key, &state, &wide_in, &out, &is_copied, &error);
    *flag = fort_is_true(is_copied);
    if (*flag && error == MPI_SUCCESS)
        *(void **)out_p = fort_value_create(out, keyval->is_narrow);
    return error;
}

static int keyval_discard(int object, int key, void *value, const fort_keyval *keyval)
{
    int error = MPI_SUCCESS;
    MPI_Aint state = keyval->state, wide_value = fort_value_read(value);
    if (keyval->is_narrow) {
        int narrow_state = (int)state, narrow_value = (int)wide_value;
        ((narrow_discard *)keyval->discard)(&object, &key, &narrow_value, &narrow_state, &error);
    } else
        ((wide_discard *)keyval->discard)(&object, &key, &wide_value, &state, &error);
    if (error == MPI_SUCCESS)
        fort_value_destroy(value);
    return error;
}

#define KEYVAL_FAMILY(NAME, TYPE, UPPER, TOINT, PREFIX)                                                               \
    static int NAME##_run_copy(TYPE object, int key, void *state, void *in, void *out_p, int *flag)                   \
    {                                                                                                                 \
        return keyval_copy(TOINT(object), key, state, in, out_p, flag);                                               \
    }                                                                                                                 \
    static int NAME##_run_discard(TYPE object, int key, void *value, void *state)                                     \
    {                                                                                                                 \
        return keyval_discard(TOINT(object), key, value, state);                                                      \
    }                                                                                                                 \
    PREFIX##_copy_attr_function *fort_##NAME##_copy(const fort_keyval *keyval)                                        \
    {                                                                                                                 \
        return is_null_copy(keyval->copy) ? MPI_##UPPER##_NULL_COPY_FN : NAME##_run_copy;                             \
    }                                                                                                                 \
    PREFIX##_delete_attr_function *fort_##NAME##_discard(void)                                                        \
    {                                                                                                                 \
        return NAME##_run_discard;                                                                                    \
    }

KEYVAL_FAMILY(comm, MPI_Comm, COMM, PMPI_Comm_toint, MPI_Comm)
KEYVAL_FAMILY(type, MPI_Datatype, TYPE, PMPI_Type_toint, MPI_Type)
KEYVAL_FAMILY(win, MPI_Win, WIN, PMPI_Win_toint, MPI_Win)

MPI_Aint fort_attribute(int keyval, void *value)
{
    switch (keyval) {
    case MPI_TAG_UB:
    case MPI_IO:
    case MPI_HOST:
    case MPI_WTIME_IS_GLOBAL:
    case MPI_APPNUM:
    case MPI_LASTUSEDCODE:
    case MPI_UNIVERSE_SIZE:
    case MPI_WIN_DISP_UNIT:
    case MPI_WIN_CREATE_FLAVOR:
    case MPI_WIN_MODEL:
        return *(int *)value;
    case MPI_WIN_SIZE:
        return *(MPI_Aint *)value;
    case MPI_WIN_BASE:
        return (MPI_Aint)value;
    default: /* of the program */
        return fort_value_read(value);
    }
}

/* ---- generalized requests --------------------------------------------------------------------------------------- */

typedef void(grequest_query)(MPI_Aint *state, int *status, int *ierror);
typedef void(grequest_discard)(MPI_Aint *state, int *ierror);
typedef void(grequest_cancel)(MPI_Aint *state, int *complete, int *ierror);

struct fort_grequest {
    grequest_query *query;
    grequest_discard *discard;
    grequest_cancel *cancel;
    MPI_Aint state;
};

fort_grequest *fort_grequest_of(fort_procedure query, fort_procedure discard, fort_procedure cancel, MPI_Aint state)
{
    fort_grequest *grequest = fort_room(NULL, 0, 1, sizeof *grequest);
    *grequest =
        (fort_grequest){(grequest_query *)query, (grequest_discard *)discard, (grequest_cancel *)cancel, state};
    return grequest;
}

int fort_grequest_query(void *state, MPI_Status *status)
{
    fort_grequest *grequest = state;
    int error = MPI_SUCCESS;
    grequest->query(&grequest->state, (int *)status, &error);
    return error;
}

int fort_grequest_free(void *state)
{
    fort_grequest *grequest = state;
    int error = MPI_SUCCESS;
    grequest->discard(&grequest->state, &error);
    free(grequest);
    return error;
}

int fort_grequest_cancel(void *state, int complete)
{
    fort_grequest *grequest = state;
    int error = MPI_SUCCESS, is_complete = fort_logical(complete);
    grequest->cancel(&grequest->state, &is_complete, &error);
    return error;
}

/* ---- data representations --------------------------------------------------------------------------------------- */

typedef void(datarep_conversion)(void *user, int *datatype, void *count, void *file, MPI_Offset *position,
                                 MPI_Aint *state, int *ierror);
typedef void(datarep_extent)(int *datatype, MPI_Aint *extent, MPI_Aint *state, int *ierror);

struct fort_datarep {
    fort_datarep *next;
    fort_procedure reader, writer, extent;
    MPI_Aint state;
};

static fort_datarep *datarep_list;

/* Never called: that there is no conversion is what they say. */
FORT_EXPORT void mpi_conversion_fn_null_(void);
FORT_EXPORT void mpi_conversion_fn_null_c_(void);
void mpi_conversion_fn_null_(void)
{
}
void mpi_conversion_fn_null_c_(void)
{
}

static int is_no_conversion(fort_procedure procedure)
{
    return procedure == mpi_conversion_fn_null_ || procedure == mpi_conversion_fn_null_c_;
}

fort_datarep *fort_datarep_of(fort_procedure reader, fort_procedure writer, fort_procedure extent, MPI_Aint state)
{
    pthread_mutex_lock(&callback_lock);
    fort_datarep *datarep = datarep_list;
    while (datarep && (datarep->reader != reader || datarep->writer != writer || datarep->extent != extent ||
                       datarep->state != state))
        datarep = datarep->next;
    if (!datarep) {
        datarep = fort_room(NULL, 0, 1, sizeof *datarep);
        *datarep = (fort_datarep){datarep_list, reader, writer, extent, state};
        datarep_list = datarep;
    }
    pthread_mutex_unlock(&callback_lock);
    return datarep;
}

static int datarep_convert(fort_procedure procedure, fort_datarep *datarep, void *user, MPI_Datatype datatype,
                           void *count, void *file, MPI_Offset position)
{
    int error = MPI_SUCCESS, type = PMPI_Type_toint(datatype);
    ((datarep_conversion *)procedure)(user, &type, count, file, &position, &datarep->state, &error);
    return error;
}

#define DATAREP_WAY(WAY, COUNT_TYPE, FUNCTION_TYPE, END, NONE)                                                        \
    static int WAY##_run##END(void *user, MPI_Datatype datatype, COUNT_TYPE count, void *file, MPI_Offset position,   \
                              void *state)                                                                            \
    {                                                                                                                 \
        return datarep_convert(((fort_datarep *)state)->WAY, state, user, datatype, &count, file, position);          \
    }                                                                                                                 \
    FUNCTION_TYPE *fort_datarep_##WAY##END(const fort_datarep *datarep)                                               \
    {                                                                                                                 \
        return is_no_conversion(datarep->WAY) ? NONE : WAY##_run##END;                                                \
    }

DATAREP_WAY(reader, int, MPI_Datarep_conversion_function, , MPI_CONVERSION_FN_NULL)
DATAREP_WAY(writer, int, MPI_Datarep_conversion_function, , MPI_CONVERSION_FN_NULL)
DATAREP_WAY(reader, MPI_Count, MPI_Datarep_conversion_function_c, _c, MPI_CONVERSION_FN_NULL_C)
DATAREP_WAY(writer, MPI_Count, MPI_Datarep_conversion_function_c, _c, MPI_CONVERSION_FN_NULL_C)

int fort_datarep_extent(MPI_Datatype datatype, MPI_Aint *extent, void *state)
{
    fort_datarep *datarep = state;
    int error = MPI_SUCCESS, type = PMPI_Type_toint(datatype);
    ((datarep_extent *)datarep->extent)(&type, extent, &datarep->state, &error);
    return error;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions: process sets, and what is derived from them. */
#include "sessions.h"
#include "wrong.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- process sets ----------------------------------------------------------------------------------------------- */

static int pset_size(MPI_Session session, const char *name)
{
    MPI_Info info;
    char value[16];
    int length = sizeof value, flag;
    CHECK_OK(MPI_Session_get_pset_info(session, name, &info));
    CHECK_OK(MPI_Info_get_string(info, "mpi_size", &length, value, &flag));
    CHECK(flag);
    CHECK_OK(MPI_Info_free(&info));
    return atoi(value);
}

/* The name of a set, asked for in all ways that there are. */
static void pset_name(MPI_Session session, int n, char name[MPI_MAX_PSET_NAME_LEN])
{
    char piece[8] = "xxxxxxx";
    int length = 0, again = MPI_MAX_PSET_NAME_LEN;
    CHECK_OK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, n, &length, NULL));
    CHECK_OK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, n, &again, name));
    CHECK_EQUAL(length, again);
    CHECK_EQUAL(length, (int)strlen(name) + 1);
    again = 5;
    CHECK_OK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, n, &again, piece));
    CHECK_EQUAL(length, again);
    CHECK(memcmp(piece, name, 4) == 0 && piece[4] == '\0' && piece[5] == 'x');
}

/* What the launcher has made of hosts and programs is in the environment. */
static int expected(const char *variable)
{
    return getenv(variable) ? atoi(getenv(variable)) : 1;
}

int case_psets(void)
{
    char name[MPI_MAX_PSET_NAME_LEN], all[4096] = "", first[4096];
    MPI_Session session = session_open();
    int count, hosts = 0, programs = 0, host_ranks = 0, program_ranks = 0, length = 9, ranks = job_size(session);
    CHECK_OK(MPI_Session_get_num_psets(session, MPI_INFO_NULL, &count));
    for (int n = 0; n < count; n++) {
        MPI_Group group;
        int size, rank;
        pset_name(session, n, name);
        strcat(strcat(all, name), " ");
        CHECK_OK(MPI_Group_from_session_pset(session, name, &group));
        CHECK_OK(MPI_Group_size(group, &size));
        CHECK_OK(MPI_Group_rank(group, &rank));
        CHECK_EQUAL(size, pset_size(session, name));
        hosts += strncmp(name, "corunna://host/", 15) == 0;
        host_ranks += strncmp(name, "corunna://host/", 15) == 0 ? size : 0;
        programs += strncmp(name, "corunna://program/", 18) == 0;
        program_ranks += strncmp(name, "corunna://program/", 18) == 0 ? size : 0;
        if (n == 0)
            CHECK(strcmp(name, "mpi://WORLD") == 0 && size == ranks && rank != MPI_UNDEFINED);
        if (n == 1)
            CHECK(strcmp(name, "mpi://SELF") == 0 && size == 1 && rank == 0);
        CHECK_OK(MPI_Group_free(&group));
    }
    CHECK_EQUAL(expected("SESSIONS_HOSTS"), hosts);
    CHECK_EQUAL(ranks, host_ranks);
    CHECK_EQUAL(expected("SESSIONS_PROGRAMS"), programs > 0 ? programs : 1);
    CHECK_EQUAL(programs > 0 ? ranks : 0, program_ranks);
    CHECK_EQUAL(2 + hosts + programs, count);

    /* The same on all ranks. */
    MPI_Comm comm = session_comm(session, "mpi://WORLD", "psets");
    memcpy(first, all, sizeof first);
    CHECK_OK(MPI_Bcast(first, sizeof first, MPI_CHAR, 0, comm));
    CHECK_TEXT(first, all);
    CHECK_OK(MPI_Comm_free(&comm));

    MPI_Group none, self;
    MPI_Info info;
    CHECK_EQUAL(ranks, pset_size(session, "mpi://world"));
    CHECK_OK(MPI_Group_from_session_pset(session, "MPI://Self", &self));
    CHECK_OK(MPI_Group_size(self, &length));
    CHECK_EQUAL(1, length);
    CHECK_OK(MPI_Group_free(&self));
    WRONG(MPI_ERR_ARG, "n is -1, but there are", MPI_Session_get_nth_pset(session, MPI_INFO_NULL, -1, &length, name));
    CHECK_EQUAL(MPI_ERR_ARG, MPI_Session_get_nth_pset(session, MPI_INFO_NULL, count, &length, name));
    length = -2;
    WRONG(MPI_ERR_ARG, "*pset_len is -2", MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &length, name));
    length = 4;
    WRONG(MPI_ERR_ARG, "pset_name is a NULL", MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &length, NULL));
    memset(&none, 0xff, sizeof none);
    WRONG(MPI_ERR_ARG, "pset_name is \"mpi://worlds\"", MPI_Group_from_session_pset(session, "mpi://worlds", &none));
    CHECK(none == MPI_GROUP_NULL);
    WRONG(MPI_ERR_ARG, "did you mean mpi://SELF", MPI_Session_get_pset_info(session, "mpi//SELF", &info));
    CHECK_OK(MPI_Session_finalize(&session));
    return 0;
}

/* ---- groups ----------------------------------------------------------------------------------------------------- */

int case_subgroups(void)
{
    library one = library_open("one");
    MPI_Group all, half, other, twice, empty;
    MPI_Comm comm, inter;
    int size, sum, range[1][3] = {{one.rank % 2, one.ranks - 1, 2}};
    CHECK_OK(MPI_Group_from_session_pset(one.session, "mpi://WORLD", &all));
    CHECK_OK(MPI_Group_range_incl(all, 1, range, &half));
    CHECK_OK(MPI_Group_difference(all, half, &other));
    CHECK_OK(MPI_Group_union(half, other, &twice));
    CHECK_OK(MPI_Group_size(twice, &size));
    CHECK_EQUAL(one.ranks, size);
    CHECK_OK(MPI_Comm_create_from_group(half, one.rank % 2 ? "odd" : "even", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    CHECK_OK(MPI_Allreduce(&(int){1}, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK_EQUAL((one.ranks + 1 - one.rank % 2) / 2, sum);
    CHECK_OK(MPI_Comm_free(&comm));
    if (one.ranks > 1) {
        CHECK_OK(
            MPI_Intercomm_create_from_groups(half, 0, other, 0, "both", MPI_INFO_NULL, MPI_ERRORS_RETURN, &inter));
        CHECK_OK(MPI_Allreduce(&one.rank, &sum, 1, MPI_INT, MPI_MAX, inter));
        CHECK_EQUAL(one.rank % 2, (sum + 1) % 2);
        CHECK_OK(MPI_Comm_free(&inter));
    }
    CHECK_OK(MPI_Group_difference(all, all, &empty));
    CHECK_OK(MPI_Comm_create_from_group(empty, "none", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    CHECK(comm == MPI_COMM_NULL);
    CHECK_OK(MPI_Comm_free(&one.comm));
    CHECK_OK(MPI_Session_finalize(&one.session));

    /* A group may outlive its session, but is of no use. */
    library next = library_open("one");
    expect_error(MPI_Comm_create_from_group(all, "late", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm), MPI_ERR_GROUP,
                 "group is of a session that was finalised");
    MPI_Group groups[] = {all, half, other, twice};
    for (int i = 0; i < 4; i++)
        if (groups[i] != MPI_GROUP_EMPTY)
            CHECK_OK(MPI_Group_free(&groups[i]));
    library_close(&next);
    return 0;
}

/* ---- error handlers --------------------------------------------------------------------------------------------- */

static _Thread_local MPI_Session heard_session;
static _Thread_local int heard_code, comm_codes;

static void hear_session(MPI_Session *session, int *code, ...)
{
    heard_session = *session;
    heard_code = *code;
}

static void hear_comm(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    comm_codes += *code == MPI_ERR_RANK;
}

static void wrong_init(MPI_Errhandler for_comms)
{
    MPI_Session session;
    MPI_Info info;
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "thread_level", "MPI_THREAD_MANY"));
    WRONG(MPI_ERR_ARG, "session is a NULL pointer", MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, NULL));
    WRONG(MPI_ERR_INFO_VALUE, "thread_level is \"MPI_THREAD_MANY\"",
          MPI_Session_init(info, MPI_ERRORS_RETURN, &session));
    WRONG(MPI_ERR_INFO, "which is not an info",
          MPI_Session_init((MPI_Info)MPI_COMM_WORLD, MPI_ERRORS_RETURN, &session));
    CHECK_EQUAL(MPI_ERR_ERRHANDLER, MPI_Session_init(MPI_INFO_NULL, for_comms, &session));
    CHECK_EQUAL(MPI_ERR_ERRHANDLER, MPI_Session_init(MPI_INFO_NULL, MPI_ERRHANDLER_NULL, &session));
    CHECK_OK(MPI_Info_free(&info));
}

int case_handlers(void)
{
    MPI_Errhandler handler, got, for_comms, wrong = MPI_ERRORS_RETURN;
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    CHECK_OK(MPI_Session_create_errhandler(hear_session, &handler));
    CHECK_EQUAL(MPI_ERR_SESSION, MPI_Session_get_errhandler(MPI_SESSION_NULL, &got)); /* nothing is open yet */
    CHECK_OK(MPI_Session_init(MPI_INFO_NULL, handler, &session));
    CHECK_OK(MPI_Session_get_errhandler(session, &got));
    CHECK(got == handler);
    CHECK_OK(MPI_Errhandler_free(&got));
    CHECK_OK(MPI_Errhandler_free(&handler)); /* the session has it still */
    CHECK_EQUAL(MPI_ERR_ARG, MPI_Group_from_session_pset(session, "nothing", &group));
    CHECK(heard_session == session && heard_code == MPI_ERR_ARG);
    CHECK_OK(MPI_Session_call_errhandler(session, MPI_ERR_TOPOLOGY));
    CHECK_EQUAL(MPI_ERR_TOPOLOGY, heard_code);
    CHECK_OK(MPI_Session_set_errhandler(session, wrong));
    WRONG(MPI_ERR_ARG, "errorcode is 9999", MPI_Session_call_errhandler(session, 9999));
    CHECK_EQUAL(MPI_ERR_TOPOLOGY, heard_code);

    /* Each communicator has the handler that it was made with. */
    CHECK_OK(MPI_Comm_create_errhandler(hear_comm, &for_comms));
    CHECK_EQUAL(MPI_ERR_ERRHANDLER, MPI_Session_set_errhandler(session, for_comms));
    CHECK_OK(MPI_Group_from_session_pset(session, "mpi://SELF", &group));
    CHECK_OK(MPI_Comm_create_from_group(group, "own", MPI_INFO_NULL, for_comms, &comm));
    CHECK_EQUAL(MPI_ERR_RANK, MPI_Send(NULL, 0, MPI_INT, 5, 0, comm));
    CHECK_EQUAL(1, comm_codes);
    CHECK_OK(MPI_Comm_free(&comm));
    CHECK_OK(MPI_Group_free(&group));

    /* Beside the world, whose handlers hear of what belongs to no session. */
    MPI_Session stale = session;
    CHECK_OK(MPI_Init(NULL, NULL));
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    wrong_init(for_comms);
    CHECK_OK(MPI_Errhandler_free(&for_comms));
    CHECK_OK(MPI_Session_finalize(&session));
    WRONG(MPI_ERR_SESSION, "*session is MPI_SESSION_NULL", MPI_Session_finalize(&session));
    WRONG(MPI_ERR_SESSION, "session is not a session", MPI_Session_flush_buffer(stale));
    CHECK_OK(MPI_Finalize());
    return 0;
}

/* ---- buffers ---------------------------------------------------------------------------------------------------- */

enum { BUFFER_INTS = 100, BUFFER_BYTES = BUFFER_INTS * sizeof(int) + MPI_BSEND_OVERHEAD };

static void swap_buffered(MPI_Comm comm, int expected_error)
{
    int sent[BUFFER_INTS], got[BUFFER_INTS];
    for (int i = 0; i < BUFFER_INTS; i++)
        sent[i] = i;
    CHECK_EQUAL(expected_error, MPI_Bsend(sent, BUFFER_INTS, MPI_INT, 0, 1, comm));
    if (expected_error != MPI_SUCCESS)
        return;
    CHECK_OK(MPI_Recv(got, BUFFER_INTS, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE));
    CHECK(memcmp(sent, got, sizeof got) == 0);
}

int case_buffers(void)
{
    char first[BUFFER_BYTES], second[BUFFER_BYTES];
    MPI_Session one = session_open(), other = session_open();
    MPI_Comm comm = session_comm(one, "mpi://SELF", "one"), foreign = session_comm(other, "mpi://SELF", "other"), dup;
    MPI_Request request;
    void *memory = NULL;
    int size = 0;
    MPI_Count large = 0;
    swap_buffered(comm, MPI_ERR_BUFFER);
    CHECK_OK(MPI_Session_attach_buffer(one, first, sizeof first));
    WRONG(MPI_ERR_BUFFER, "already attached", MPI_Session_attach_buffer(one, first, sizeof first));
    WRONG(MPI_ERR_BUFFER, "buffer is a NULL pointer", MPI_Session_attach_buffer(other, NULL, 8));
    CHECK_OK(MPI_Comm_dup(comm, &dup));
    swap_buffered(comm, MPI_SUCCESS);
    swap_buffered(dup, MPI_SUCCESS);
    swap_buffered(foreign, MPI_ERR_BUFFER);
    CHECK_OK(MPI_Session_flush_buffer(one));
    CHECK_OK(MPI_Session_iflush_buffer(one, &request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    /* A communicator's own comes first: the other one is not needed any more. */
    CHECK_OK(MPI_Comm_attach_buffer(dup, second, sizeof second));
    CHECK_OK(MPI_Session_detach_buffer(one, &memory, &size));
    CHECK(memory == first && size == (int)sizeof first);
    swap_buffered(dup, MPI_SUCCESS);
    swap_buffered(comm, MPI_ERR_BUFFER);
    CHECK_OK(MPI_Comm_detach_buffer(dup, &memory, &size));
    CHECK_OK(MPI_Session_attach_buffer_c(one, MPI_BUFFER_AUTOMATIC, 0));
    swap_buffered(dup, MPI_SUCCESS);
    CHECK_OK(MPI_Session_detach_buffer_c(one, &memory, &large));
    CHECK(memory == MPI_BUFFER_AUTOMATIC);
    /* Left attached, with a flush under way: the end of the session detaches it. */
    CHECK_OK(MPI_Session_attach_buffer(one, first, sizeof first));
    CHECK_OK(MPI_Session_iflush_buffer(one, &request));
    CHECK_OK(MPI_Comm_free(&dup));
    CHECK_OK(MPI_Comm_free(&comm));
    CHECK_OK(MPI_Comm_free(&foreign));
    CHECK_OK(MPI_Session_finalize(&one));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Session_finalize(&other));
    return 0;
}

/* A buffer belongs to the program again when what it was attached to has ended: a thread that still waits, or a request
 * that is pending, keeps a communicator alive, but not its buffer. */
int case_buffers_left(void)
{
    library one = library_open("one");
    char *memory = malloc(BUFFER_BYTES);
    MPI_Comm dup;
    MPI_Request request;
    CHECK(memory);
    CHECK_OK(MPI_Comm_dup(one.comm, &dup));
    CHECK_OK(MPI_Comm_attach_buffer(dup, memory, BUFFER_BYTES));
    CHECK_OK(MPI_Irecv(NULL, 0, MPI_INT, one.rank, 2, dup, &request));
    CHECK_OK(MPI_Send(NULL, 0, MPI_INT, one.rank, 2, one.comm));
    CHECK_OK(MPI_Recv(NULL, 0, MPI_INT, one.rank, 2, one.comm, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Comm_free(&dup));
    memset(memory, 0x5a, BUFFER_BYTES);
    CHECK_OK(MPI_Cancel(&request));

    /* A left one, with a request as well. */
    CHECK_OK(MPI_Comm_dup(one.comm, &dup));
    CHECK_OK(MPI_Comm_attach_buffer(dup, memory, BUFFER_BYTES));
    CHECK_OK(MPI_Irecv(NULL, 0, MPI_INT, one.rank, 2, dup, &request));
    library other = library_open("other");
    CHECK_OK(MPI_Comm_free(&one.comm));
    CHECK_OK(MPI_Session_finalize(&one.session));
    memset(memory, 0x5a, BUFFER_BYTES);
    library_use(&other);
    library_close(&other);
    free(memory);
    return 0;
}

/* Buffered messages of the world have left when MPI_Finalize returns, also while a session is open. */
int case_buffers_of_world(void)
{
    enum { INTS = 1 << 18, BYTES = INTS * sizeof(int) + MPI_BSEND_OVERHEAD };
    library one = library_open("one");
    int last = one.ranks - 1, *sent = malloc(INTS * sizeof *sent), *got = malloc(INTS * sizeof *got);
    char *memory = malloc(BYTES), *own = malloc(BYTES);
    MPI_Comm dup;
    CHECK(sent && got && memory && own);
    for (int i = 0; i < INTS; i++)
        sent[i] = i;
    CHECK_OK(MPI_Init(NULL, NULL));
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    CHECK_OK(MPI_Buffer_attach(memory, BYTES));
    CHECK_OK(MPI_Comm_attach_buffer(dup, own, BYTES));
    if (one.rank == 0 && last > 0) {
        CHECK_OK(MPI_Bsend(sent, INTS, MPI_INT, last, 1, MPI_COMM_WORLD));
        CHECK_OK(MPI_Bsend(sent, INTS, MPI_INT, last, 1, dup));
    } else if (last > 0 && one.rank == last) {
        usleep(100000); /* so that rank 0 is in MPI_Finalize, or has left it */
        for (int i = 0; i < 2; i++) {
            memset(got, 0, INTS * sizeof *got);
            CHECK_OK(MPI_Recv(got, INTS, MPI_INT, 0, 1, i == 0 ? MPI_COMM_WORLD : dup, MPI_STATUS_IGNORE));
            CHECK(memcmp(sent, got, INTS * sizeof *got) == 0);
        }
    }
    CHECK_OK(MPI_Finalize());
    memset(memory, 0x5a, BYTES);
    memset(own, 0x5a, BYTES);
    library_use(&one);
    CHECK_EQUAL(MPI_ERR_BUFFER, MPI_Bsend(sent, 1, MPI_INT, one.rank, 1, one.comm));
    library_close(&one);
    free(memory);
    free(own);
    free(sent);
    free(got);
    return 0;
}

/* ---- windows and files ------------------------------------------------------------------------------------------ */

static MPI_File open_file(const library *self, char name[64])
{
    MPI_File file;
    int process = (int)getpid();
    CHECK_OK(MPI_Bcast(&process, 1, MPI_INT, 0, self->comm));
    snprintf(name, 64, "/tmp/cface_sessions.%d", process);
    CHECK_OK(MPI_File_open(self->comm, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                           &file));
    return file;
}

int case_windows(void)
{
    library one = library_open("one");
    char name[64];
    int *base, got = -1, next = (one.rank + 1) % one.ranks;
    MPI_Win win;
    MPI_Group group, whole;
    MPI_Comm comm;
    CHECK_OK(MPI_Win_allocate(sizeof *base, sizeof *base, MPI_INFO_NULL, one.comm, &base, &win));
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_OK(MPI_Put(&one.rank, 1, MPI_INT, next, 0, 1, MPI_INT, win));
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_EQUAL((one.rank + one.ranks - 1) % one.ranks, *base);
    CHECK_OK(MPI_Win_get_group(win, &group));

    MPI_File file = open_file(&one, name);
    CHECK_OK(MPI_File_get_group(file, &whole));
    CHECK_OK(MPI_File_write_at_all(file, one.rank * (MPI_Offset)sizeof got, &one.rank, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_sync(file));
    CHECK_OK(MPI_Barrier(one.comm));
    CHECK_OK(MPI_File_read_at_all(file, next * (MPI_Offset)sizeof got, &got, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_EQUAL(next, got);
    CHECK_OK(MPI_File_close(&file));
    CHECK_OK(MPI_Win_free(&win));
    /* Groups of both are of the session, too. */
    CHECK_OK(MPI_Comm_create_from_group(group, "win", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    CHECK_OK(MPI_Comm_free(&comm));
    CHECK_OK(MPI_Comm_create_from_group(whole, "file", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    CHECK_OK(MPI_Comm_free(&comm));
    CHECK_OK(MPI_Group_free(&group));
    CHECK_OK(MPI_Group_free(&whole));
    library_close(&one);
    return 0;
}

/* ---- what is left at the end of a session ----------------------------------------------------------------------- */

static int count_delete(MPI_Comm comm, int keyval, void *value, void *count)
{
    (void)comm;
    (void)keyval;
    (void)value;
    ++*(int *)count;
    return MPI_SUCCESS;
}

int case_left(void)
{
    char name[64];
    int *base, deleted = 0, key;
    library one = library_open("one"), other = library_open("other");
    MPI_Comm dup;
    MPI_Win win;
    MPI_Group group;
    MPI_Request request;
    CHECK_OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, count_delete, &key, &deleted));
    CHECK_OK(MPI_Comm_dup(one.comm, &dup));
    CHECK_OK(MPI_Comm_set_attr(dup, key, NULL));
    CHECK_OK(MPI_Comm_free_keyval(&key));
    CHECK_OK(MPI_Win_allocate(sizeof *base, sizeof *base, MPI_INFO_NULL, dup, &base, &win));
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    open_file(&one, name);
    CHECK_OK(MPI_Group_from_session_pset(one.session, "mpi://WORLD", &group));
    CHECK_OK(MPI_Irecv(&deleted, 0, MPI_INT, 0, 77, dup, &request)); /* nobody sends it */
    CHECK_OK(MPI_Cancel(&request));
    CHECK_OK(MPI_Request_free(&request));
    CHECK_OK(MPI_Session_finalize(&one.session));
    CHECK_EQUAL(1, deleted);
    CHECK(access(name, F_OK) != 0); /* closed, and so deleted */
    library_use(&other);
    library_close(&other);
    return 0;
}

/* More than there can be at once. */
int case_many_left(void)
{
    library one = library_open("one");
    for (int i = 0; i < 5000; i++) {
        MPI_Session session = session_open();
        session_comm(session, "mpi://SELF", "left");
        CHECK_OK(MPI_Session_finalize(&session));
    }
    library_use(&one);
    library_close(&one);
    return 0;
}

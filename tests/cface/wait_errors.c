/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests that fail, in every call that completes them: the error handler is that of the communicator whose request
 * failed, also when the program has freed the communicator meanwhile; and a handle that is stale is told. Ranks are
 * threads of this process.
 */
#include "wrong.h"

#include <corunna/threads.h>

/* What the error handler of this rank was last told. */
typedef struct wait_heard {
    int count, code;
    MPI_Comm comm;
} wait_heard;

static _Thread_local wait_heard heard;

static void hear(MPI_Comm *comm, int *code, ...)
{
    heard.count++;
    heard.code = *code;
    heard.comm = *comm;
}

/* A copy of `parent` whose errors are heard, and only it keeps the handler. */
static MPI_Comm make_heard(MPI_Comm parent)
{
    MPI_Comm comm;
    MPI_Errhandler handler;
    MPI_Comm_dup(parent, &comm);
    MPI_Comm_create_errhandler(hear, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler_free(&handler);
    return comm;
}

/* Enough new handles that whatever was let go of too early is something else by now. */
static void churn(void)
{
    for (int i = 0; i < 100; i++) {
        MPI_Group group;
        MPI_Comm_group(MPI_COMM_WORLD, &group);
        MPI_Group_free(&group);
    }
}

/* ---- the calls -------------------------------------------------------------------------------------------------- */

typedef enum wait_way {
    WAY_WAITALL,
    WAY_TESTALL,
    WAY_WAITANY,
    WAY_TESTANY,
    WAY_WAITSOME,
    WAY_TESTSOME,
    WAY_WAIT, /* from here on one request at a time */
    WAY_TEST,
    WAY_COUNT,
} wait_way;

enum { WAIT_REQUESTS = 70 }; /* more than the calls have room for on the stack */

static int complete_one(wait_way way, MPI_Request *request)
{
    int is_done = 0, code = MPI_SUCCESS;
    if (way == WAY_WAIT)
        return MPI_Wait(request, MPI_STATUS_IGNORE);
    while (!is_done && code == MPI_SUCCESS)
        code = MPI_Test(request, &is_done, MPI_STATUS_IGNORE);
    return code;
}

/* Call once; *is_done_p says whether there is nothing left to complete. */
static int complete_some(wait_way way, int count, MPI_Request requests[], MPI_Status statuses[], int *is_done_p)
{
    int indices[WAIT_REQUESTS], code, done = 0, is_found = 0;
    *is_done_p = 1;
    switch (way) {
    case WAY_WAITALL:
        return MPI_Waitall(count, requests, statuses);
    case WAY_TESTALL:
        return MPI_Testall(count, requests, is_done_p, statuses);
    case WAY_WAITANY:
        code = MPI_Waitany(count, requests, &done, MPI_STATUS_IGNORE);
        break;
    case WAY_TESTANY:
        code = MPI_Testany(count, requests, &done, &is_found, MPI_STATUS_IGNORE);
        *is_done_p = is_found && done == MPI_UNDEFINED;
        return code;
    case WAY_WAITSOME:
        code = MPI_Waitsome(count, requests, &done, indices, statuses);
        break;
    default:
        code = MPI_Testsome(count, requests, &done, indices, statuses);
        break;
    }
    *is_done_p = done == MPI_UNDEFINED;
    return code;
}

/* Complete all of them. Returns the code that was not MPI_SUCCESS; there is at most one. */
static int complete(wait_way way, int count, MPI_Request requests[], MPI_Status statuses[])
{
    int failed = MPI_SUCCESS, is_done = 0;
    if (way >= WAY_WAIT) {
        for (int i = 0; i < count; i++) {
            int code = complete_one(way, &requests[i]);
            failed = code != MPI_SUCCESS ? code : failed;
        }
        return failed;
    }
    while (!is_done) {
        int code = complete_some(way, count, requests, statuses, &is_done);
        failed = code != MPI_SUCCESS ? code : failed;
    }
    return failed;
}

static int has_statuses(wait_way way, const MPI_Status *statuses)
{
    return statuses && (way == WAY_WAITALL || way == WAY_TESTALL || way == WAY_WAITSOME || way == WAY_TESTSOME);
}

/* ---- whose handler ---------------------------------------------------------------------------------------------- */

/* A message of two numbers to oneself, received where there is room for `room`. */
static void start_receive(MPI_Comm comm, int tag, int room, int received[2], MPI_Request *request)
{
    static const int sent[2] = {1, 2};
    CHECK_OK(MPI_Irecv(received, room, MPI_INT, 0, tag, comm, request));
    CHECK_OK(MPI_Send(sent, 2, MPI_INT, 0, tag, comm));
}

/* `count` requests, of which the one at `bad` fails: it is on a communicator of its own. */
static void try_handler(wait_way way, int count, int bad, int frees_bad, int frees_good, int wants_statuses)
{
    int received[WAIT_REQUESTS][2];
    MPI_Request requests[WAIT_REQUESTS];
    MPI_Status room[WAIT_REQUESTS], *statuses = wants_statuses ? room : MPI_STATUSES_IGNORE;
    MPI_Comm good_comm = make_heard(MPI_COMM_SELF), bad_comm = make_heard(MPI_COMM_SELF), expected = bad_comm;
    for (int i = 0; i < count; i++)
        start_receive(i == bad ? bad_comm : good_comm, i, i == bad ? 1 : 2, received[i], &requests[i]);
    if (frees_bad)
        MPI_Comm_free(&bad_comm);
    if (frees_good)
        MPI_Comm_free(&good_comm);
    heard = (wait_heard){0};
    int code = complete(way, count, requests, statuses);
    churn();
    int is_right = code == (has_statuses(way, statuses) ? MPI_ERR_IN_STATUS : MPI_ERR_TRUNCATE) && heard.count == 1 &&
                   heard.code == code && heard.comm == expected;
    for (int i = 0; i < count; i++)
        is_right &= requests[i] == MPI_REQUEST_NULL;
    if (!is_right)
        fprintf(stderr, "way %d, %d requests, bad %d, freed %d %d, statuses %d: code %d, heard %d times %d of %s\n",
                (int)way, count, bad, frees_bad, frees_good, wants_statuses, code, heard.count, heard.code,
                heard.comm == expected ? "the right one" : "another one");
    CHECK(is_right);
    if (!frees_bad)
        MPI_Comm_free(&bad_comm);
    if (!frees_good)
        MPI_Comm_free(&good_comm);
}

static void test_handlers(void)
{
    static const int counts[] = {1, 3, WAIT_REQUESTS};
    for (int way = 0; way < WAY_COUNT; way++)
        for (int i = 0; i < 3; i++)
            for (int freed = 0; freed < 4; freed++)
                for (int wants_statuses = 0; wants_statuses < 2; wants_statuses++) {
                    try_handler(way, counts[i], counts[i] - 1, freed & 1, freed & 2, wants_statuses);
                    try_handler(way, counts[i], 0, freed & 1, freed & 2, wants_statuses);
                }
}

/* Two fail, each on a communicator of its own: the first one's handler is called. */
static void test_first_of_two(void)
{
    int received[3][2];
    MPI_Request requests[4] = {MPI_REQUEST_NULL};
    MPI_Status statuses[4];
    MPI_Comm comms[3];
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 3; i++) {
            comms[i] = make_heard(MPI_COMM_SELF);
            start_receive(comms[i], i, i == 0 ? 2 : 1, received[i], &requests[i + 1]);
        }
        heard = (wait_heard){0};
        int code = MPI_Waitall(4, requests, round ? statuses : MPI_STATUSES_IGNORE);
        CHECK(code == (round ? MPI_ERR_IN_STATUS : MPI_ERR_TRUNCATE));
        CHECK(heard.count == 1 && heard.comm == comms[1]);
        if (round)
            CHECK(statuses[1].MPI_ERROR == MPI_SUCCESS && statuses[2].MPI_ERROR == MPI_ERR_TRUNCATE &&
                  statuses[3].MPI_ERROR == MPI_ERR_TRUNCATE);
        for (int i = 0; i < 3; i++)
            MPI_Comm_free(&comms[i]);
    }
}

/* A persistent request keeps its communicator and fails as often as it is started. */
static void test_persistent(void)
{
    int received[2][2];
    static const int sent[2] = {1, 2};
    MPI_Request requests[2], persistent;
    MPI_Comm good = make_heard(MPI_COMM_SELF), bad = make_heard(MPI_COMM_SELF), freed = bad;
    CHECK_OK(MPI_Recv_init(received[1], 1, MPI_INT, 0, 1, bad, &persistent));
    for (int round = 0; round < 2; round++) {
        start_receive(good, 0, 2, received[0], &requests[0]);
        requests[1] = persistent;
        CHECK_OK(MPI_Start(&requests[1]));
        CHECK_OK(MPI_Send(sent, 2, MPI_INT, 0, 1, bad));
        heard = (wait_heard){0};
        CHECK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE) == MPI_ERR_TRUNCATE);
        CHECK(heard.count == 1 && heard.comm == bad && requests[1] == persistent);
    }
    MPI_Comm_free(&freed);
    /* Inactive ones are complete, however their last start ended. */
    start_receive(good, 0, 2, received[0], &requests[0]);
    CHECK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS && heard.count == 1);
    CHECK(MPI_Wait(&requests[1], MPI_STATUS_IGNORE) == MPI_SUCCESS && requests[1] == persistent);
    CHECK_OK(MPI_Request_free(&persistent));
    MPI_Comm_free(&good);
}

/* On two ranks and more: the members have no room for what the root sends. */
static void test_collective(int size)
{
    int numbers[5] = {0}, rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int way = 0; way < WAY_COUNT && size > 1; way++)
        for (int round = 0; round < 4; round++) {
            MPI_Request requests[2];
            int is_freed = round & 1;
            MPI_Status room[2], *statuses = round & 2 ? room : MPI_STATUSES_IGNORE;
            MPI_Comm good = make_heard(MPI_COMM_WORLD), bad = make_heard(MPI_COMM_WORLD), expected = bad;
            CHECK_OK(MPI_Ibarrier(good, &requests[0]));
            CHECK_OK(MPI_Ibcast(numbers, rank == 0 ? 5 : 3, MPI_INT, 0, bad, &requests[1]));
            if (is_freed)
                MPI_Comm_free(&bad);
            heard = (wait_heard){0};
            int code = complete(way, 2, requests, statuses);
            churn();
            CHECK(rank == 0 || code == (has_statuses(way, statuses) ? MPI_ERR_IN_STATUS : MPI_ERR_TRUNCATE));
            CHECK(heard.count == (code != MPI_SUCCESS) && (heard.count == 0 || heard.comm == expected));
            MPI_Comm_free(&good);
            if (!is_freed)
                MPI_Comm_free(&bad);
        }
}

/* ---- generalized requests --------------------------------------------------------------------------------------- */

static int general_query(void *state, MPI_Status *status)
{
    (void)state;
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    return MPI_SUCCESS;
}

static int general_free(void *state)
{
    return *(int *)state;
}

static int general_cancel(void *state, int is_complete)
{
    (void)state, (void)is_complete;
    return MPI_SUCCESS;
}

/* What they belong to is MPI_COMM_SELF. */
static void test_general(void)
{
    int received[2], code = MPI_ERR_OTHER;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Errhandler handler;
    MPI_Comm comm = make_heard(MPI_COMM_SELF);
    MPI_Comm_create_errhandler(hear, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    MPI_Errhandler_free(&handler);
    for (int round = 0; round < 2; round++) {
        start_receive(comm, 0, 2, received, &requests[0]);
        CHECK_OK(MPI_Grequest_start(general_query, general_free, general_cancel, &code, &requests[1]));
        CHECK_OK(MPI_Grequest_complete(requests[1]));
        heard = (wait_heard){0};
        CHECK(MPI_Waitall(2, requests, round ? statuses : MPI_STATUSES_IGNORE) ==
              (round ? MPI_ERR_IN_STATUS : MPI_ERR_OTHER));
        CHECK(heard.count == 1 && heard.comm == MPI_COMM_SELF);
    }
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_free(&comm);
}

/* ---- stale handles ---------------------------------------------------------------------------------------------- */

static void try_stale(MPI_Request stale)
{
    static const char gone[] = "which was freed or is a handle of another kind";
    MPI_Request requests[2] = {MPI_REQUEST_NULL, stale};
    MPI_Status status, statuses[2];
    int flag, index, indices[2];
    WRONG(MPI_ERR_REQUEST, gone, MPI_Wait(&stale, &status));
    WRONG(MPI_ERR_REQUEST, gone, MPI_Test(&stale, &flag, &status));
    WRONG(MPI_ERR_REQUEST, gone, MPI_Request_get_status(stale, &flag, &status));
    WRONG(MPI_ERR_REQUEST, gone, MPI_Cancel(&stale));
    WRONG(MPI_ERR_REQUEST, gone, MPI_Request_free(&stale));
    WRONG(MPI_ERR_REQUEST, gone, MPI_Start(&stale));
    WRONG(MPI_ERR_REQUEST, gone, MPI_Startall(1, &stale));
    WRONG(MPI_ERR_REQUEST, gone, MPI_Grequest_complete(stale));
    WRONG(MPI_ERR_REQUEST, gone, MPI_Waitall(2, requests, statuses));
    WRONG(MPI_ERR_REQUEST, "array_of_requests[1] is not a request but", MPI_Waitall(2, requests, statuses));
    WRONG(MPI_ERR_REQUEST, gone, MPI_Testall(2, requests, &flag, statuses));
    WRONG(MPI_ERR_REQUEST, gone, MPI_Waitany(2, requests, &index, &status));
    WRONG(MPI_ERR_REQUEST, gone, MPI_Testany(2, requests, &index, &flag, &status));
    WRONG(MPI_ERR_REQUEST, gone, MPI_Waitsome(2, requests, &index, indices, statuses));
    WRONG(MPI_ERR_REQUEST, gone, MPI_Testsome(2, requests, &index, indices, statuses));
    CHECK(requests[1] == stale);
}

static void test_stale(void)
{
    static const int sent[2] = {1, 2};
    int received[2], late[2] = {0}, code = MPI_SUCCESS;
    MPI_Request request, stale;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    start_receive(comm, 0, 2, received, &request);
    stale = request;
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    try_stale(stale);
    CHECK_OK(MPI_Ibarrier(comm, &request));
    stale = request;
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    try_stale(stale);
    CHECK_OK(MPI_Recv_init(received, 2, MPI_INT, 0, 0, comm, &request));
    stale = request;
    CHECK(MPI_Wait(&stale, MPI_STATUS_IGNORE) == MPI_SUCCESS && stale == request); /* inactive, not stale */
    CHECK_OK(MPI_Request_free(&request));
    try_stale(stale);
    CHECK_OK(MPI_Barrier_init(comm, MPI_INFO_NULL, &request));
    stale = request;
    CHECK(MPI_Start(&request) == MPI_SUCCESS && MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK_OK(MPI_Request_free(&request));
    try_stale(stale);
    /* Freed while it is still under way: its message comes later, before the next one. */
    CHECK_OK(MPI_Irecv(late, 2, MPI_INT, 0, 0, comm, &request));
    stale = request;
    CHECK_OK(MPI_Request_free(&request));
    try_stale(stale);
    CHECK_OK(MPI_Send(sent, 2, MPI_INT, 0, 0, comm));
    start_receive(comm, 0, 2, received, &request);
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS && late[1] == 2);
    CHECK_OK(MPI_Grequest_start(general_query, general_free, general_cancel, &code, &request));
    stale = request;
    CHECK(MPI_Grequest_complete(request) == MPI_SUCCESS && MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    try_stale(stale);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_free(&comm);
}

static int body(int argc, char **argv)
{
    int size;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    test_handlers();
    test_first_of_two();
    test_persistent();
    test_collective(size);
    test_general();
    test_stale();
    MPI_Finalize();
    return 0;
}

int main(int argc, char **argv)
{
    for (int ranks = 1; ranks <= 3; ranks++)
        CHECK(corunna_threads_run(ranks, body, argc, argv) == 0);
    puts("wait_errors: passed");
    return 0;
}

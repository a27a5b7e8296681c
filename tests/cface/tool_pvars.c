/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Performance variables under traffic: what was sent and received is what they say, by peer and protocol, where the
 * limit between protocols is a control variable that was written; queues, requests, times and sleeps; sessions that do
 * not disturb each other; start, stop, reset, write and their combinations; before MPI_Init and after MPI_Finalize.
 */
#include "check.h"

#include <corunna/threads.h>
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef unsigned long long number;

enum { RANKS_MAX = 16, LIMIT = 2048, SHORT = 2000, LONG = 300000, SHORTS = 5, LONGS = 3, TAG = 7, GO = 8 };

static _Thread_local int rank, ranks;
static _Thread_local MPI_T_pvar_session session;

static int pvar_index(const char *name)
{
    int count;
    CHECK_OK(MPI_T_pvar_get_num(&count));
    for (int i = 0; i < count; i++) {
        char text[64];
        int length = sizeof text;
        CHECK_OK(MPI_T_pvar_get_info(i, text, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
        if (strcmp(text, name) == 0)
            return i;
    }
    CHECK_FAIL("there is no variable %s", name);
    return -1;
}

static MPI_T_pvar_handle pvar_open(const char *name)
{
    MPI_T_pvar_handle handle;
    int count;
    CHECK_OK(MPI_T_pvar_handle_alloc(session, pvar_index(name), NULL, &handle, &count));
    CHECK(count == 1 || count == ranks);
    return handle;
}

static MPI_T_pvar_handle pvar_begin(const char *name)
{
    MPI_T_pvar_handle handle = pvar_open(name);
    CHECK_OK(MPI_T_pvar_start(session, handle));
    return handle;
}

static number pvar_number(MPI_T_pvar_handle handle)
{
    number value = 123456789;
    CHECK_OK(MPI_T_pvar_read(session, handle, &value));
    return value;
}

static double pvar_seconds(MPI_T_pvar_handle handle)
{
    double value = -1;
    CHECK_OK(MPI_T_pvar_read(session, handle, &value));
    return value;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static void test_table(void)
{
    int count, other;
    CHECK_OK(MPI_T_pvar_get_num(&count));
    CHECK(count > 10);
    for (int i = 0; i < count; i++) {
        char name[64], desc[512], cut[4] = "xxx";
        int length = sizeof name, desc_length = sizeof desc, cut_length = 3;
        int verbosity, class, bind, is_readonly, is_continuous, is_atomic;
        MPI_Datatype type;
        MPI_T_enum items = (MPI_T_enum)1;
        CHECK_OK(MPI_T_pvar_get_info(i, name, &length, &verbosity, &class, &type, &items, desc, &desc_length, &bind,
                                     &is_readonly, &is_continuous, &is_atomic));
        CHECK(length > 3 && length == (int)strlen(name) + 1 && desc_length == (int)strlen(desc) + 1);
        CHECK(desc_length > 10 && items == MPI_T_ENUM_NULL && bind == MPI_T_BIND_NO_OBJECT);
        CHECK(verbosity >= MPI_T_VERBOSITY_USER_BASIC && verbosity <= MPI_T_VERBOSITY_MPIDEV_ALL);
        CHECK((class == MPI_T_PVAR_CLASS_TIMER) == (type == MPI_DOUBLE));
        CHECK(type == MPI_DOUBLE || type == MPI_UNSIGNED_LONG_LONG);
        CHECK((class == MPI_T_PVAR_CLASS_LEVEL) == is_readonly && is_continuous == is_readonly);
        CHECK(is_atomic == !is_readonly);
        CHECK_OK(MPI_T_pvar_get_index(name, class, &other));
        CHECK_EQUAL(i, other);
        CHECK_OK(MPI_T_pvar_get_info(i, cut, &cut_length, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
        CHECK(cut_length == length && strncmp(cut, name, 2) == 0 && cut[2] == 0);
    }
    CHECK_OK(MPI_T_pvar_get_info(0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
}

/* ---- traffic ----------------------------------------------------------------------------------------------------- */

static const char *const traffic_names[] = {
    "eager_sent",        "eager_sent_bytes",        "eager_received",      "eager_received_bytes",
    "rendezvous_sent",   "rendezvous_sent_bytes",   "rendezvous_received", "rendezvous_received_bytes",
    "one_copy_received", "one_copy_received_bytes",
};

enum {
    EAGER_SENT,
    EAGER_SENT_BYTES,
    EAGER_RECEIVED,
    EAGER_RECEIVED_BYTES,
    LONG_SENT,
    LONG_SENT_BYTES,
    LONG_RECEIVED,
    LONG_RECEIVED_BYTES,
    COPIED,
    COPIED_BYTES,
    TRAFFIC
};

/* To each peer SHORTS and LONGS messages, and one or the other more, by its number; and as many come from it. */
static int shorts_to(int from, int to)
{
    return SHORTS + from + 2 * to;
}

static int longs_to(int from, int to)
{
    return LONGS + to + 3 * from;
}

/* A rank sends only to those that have said that they count. Data are received from peer to peer. */
static void exchange(char *room)
{
    MPI_Request requests[2 * RANKS_MAX];
    int count = 0;
    for (int peer = 0; peer < ranks; peer++) {
        MPI_Isend(NULL, 0, MPI_CHAR, peer, GO, MPI_COMM_WORLD, &requests[count++]);
        MPI_Irecv(NULL, 0, MPI_CHAR, peer, GO, MPI_COMM_WORLD, &requests[count++]);
    }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    for (int step = 0; step < ranks; step++) {
        int to = (rank + step) % ranks, from = (rank + ranks - step) % ranks;
        int out = shorts_to(rank, to) + longs_to(rank, to), in = shorts_to(from, rank) + longs_to(from, rank);
        for (int i = 0; i < out || i < in; i++) {
            MPI_Request request = MPI_REQUEST_NULL;
            if (i < in)
                MPI_Irecv(room + LONG, LONG, MPI_CHAR, from, TAG, MPI_COMM_WORLD, &request);
            if (i < out)
                MPI_Send(room, i < shorts_to(rank, to) ? SHORT : LONG, MPI_CHAR, to, TAG, MPI_COMM_WORLD);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    }
}

static void check_traffic(number values[TRAFFIC][RANKS_MAX], int is_team)
{
    for (int peer = 0; peer < ranks; peer++) {
        number out = (number)shorts_to(rank, peer), in = (number)shorts_to(peer, rank);
        number long_out = (number)longs_to(rank, peer), long_in = (number)longs_to(peer, rank);
        CHECK_EQUAL(out + 1, values[EAGER_SENT][peer]); /* the go has no bytes */
        CHECK_EQUAL(out * SHORT, values[EAGER_SENT_BYTES][peer]);
        /* The go may come early, and what belongs to the next barrier, which has no bytes, too. */
        CHECK(values[EAGER_RECEIVED][peer] >= in && values[EAGER_RECEIVED][peer] <= in + 4);
        CHECK_EQUAL(in * SHORT, values[EAGER_RECEIVED_BYTES][peer]);
        CHECK_EQUAL(long_out, values[LONG_SENT][peer]);
        CHECK_EQUAL(long_out * LONG, values[LONG_SENT_BYTES][peer]);
        CHECK_EQUAL(long_in, values[LONG_RECEIVED][peer]);
        CHECK_EQUAL(long_in * LONG, values[LONG_RECEIVED_BYTES][peer]);
        CHECK(values[COPIED][peer] <= long_in && values[COPIED_BYTES][peer] == values[COPIED][peer] * LONG);
        if (is_team)
            CHECK_EQUAL(long_in, values[COPIED][peer]); /* out of the memory of the other thread */
    }
}

/* A thread of the tool, in a session of its own, beside a program that has one thread for MPI. */
typedef struct sampler {
    pthread_t thread;
    corunna_thread_rank *rank;
    _Atomic int is_over;
} sampler;

static void *sample(void *argument)
{
    sampler *s = argument;
    int count, length;
    number values[RANKS_MAX];
    MPI_T_pvar_session own;
    MPI_T_pvar_handle handles[64];
    corunna_threads_adopt(s->rank);
    CHECK_OK(MPI_T_pvar_get_num(&count));
    CHECK_OK(MPI_T_pvar_session_create(&own));
    for (int i = 0; i < count; i++)
        CHECK_OK(MPI_T_pvar_handle_alloc(own, i, NULL, &handles[i], &length));
    CHECK_OK(MPI_T_pvar_start(own, MPI_T_PVAR_ALL_HANDLES));
    while (!s->is_over) {
        for (int i = 0; i < count; i++)
            CHECK_OK(MPI_T_pvar_read(own, handles[i], values));
        usleep(100);
    }
    CHECK_OK(MPI_T_pvar_session_free(&own));
    corunna_threads_adopt(NULL);
    return NULL;
}

static void test_traffic(int is_team)
{
    char *room = calloc(2, LONG);
    MPI_T_pvar_handle handles[TRAFFIC];
    number values[TRAFFIC][RANKS_MAX], again[RANKS_MAX];
    CHECK(room);
    sampler s = {.rank = corunna_threads_self()};
    if (is_team)
        CHECK(pthread_create(&s.thread, NULL, sample, &s) == 0);
    for (int i = 0; i < TRAFFIC; i++)
        handles[i] = pvar_begin(traffic_names[i]);
    exchange(room);
    for (int i = 0; i < TRAFFIC; i++) {
        CHECK_OK(MPI_T_pvar_stop(session, handles[i]));
        CHECK_OK(MPI_T_pvar_read(session, handles[i], values[i]));
    }
    check_traffic(values, is_team);
    /* What is stopped does not count; started again, it goes on; reset, it begins again. */
    MPI_Barrier(MPI_COMM_WORLD);
    exchange(room);
    for (int i = 0; i < TRAFFIC; i++) {
        CHECK_OK(MPI_T_pvar_read(session, handles[i], again));
        CHECK(memcmp(again, values[i], sizeof *again * (size_t)ranks) == 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < TRAFFIC; i++)
        CHECK_OK(MPI_T_pvar_start(session, handles[i]));
    exchange(room);
    for (int i = 0; i < TRAFFIC; i++) {
        CHECK_OK(MPI_T_pvar_readreset(session, handles[i], again));
        for (int peer = 0; peer < ranks && i != EAGER_RECEIVED && i < COPIED; peer++)
            CHECK_EQUAL(2 * values[i][peer], again[peer]);
        CHECK_OK(MPI_T_pvar_read(session, handles[i], again));
        CHECK_EQUAL(0, again[rank]);
        CHECK_OK(MPI_T_pvar_handle_free(session, &handles[i]));
    }
    s.is_over = 1;
    if (is_team)
        CHECK(pthread_join(s.thread, NULL) == 0);
    free(room);
}

/* ---- queues and requests ----------------------------------------------------------------------------------------- */

/* To itself, as only that comes when it is meant to. */
static void test_unexpected(void)
{
    enum { MESSAGES = 7, BYTES = 100 };
    char out[BYTES] = "", in[BYTES];
    MPI_Request requests[MESSAGES];
    MPI_T_pvar_handle level = pvar_open("unexpected"), bytes = pvar_open("unexpected_bytes");
    number before = pvar_number(level), bytes_before = pvar_number(bytes);
    MPI_T_pvar_handle peak = pvar_begin("unexpected_peak"), peak_bytes = pvar_begin("unexpected_bytes_peak");
    MPI_T_pvar_handle late = pvar_open("unexpected_peak");
    CHECK(pvar_number(peak) >= before);
    for (int i = 0; i < MESSAGES; i++)
        MPI_Isend(out, BYTES, MPI_CHAR, rank, TAG, MPI_COMM_WORLD, &requests[i]);
    for (int flag = 0; !flag;)
        MPI_Iprobe(rank, TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE);
    CHECK_UNTIL(pvar_number(level) >= before + MESSAGES,
                MPI_Iprobe(rank, TAG + 1, MPI_COMM_WORLD, &(int){0}, MPI_STATUS_IGNORE));
    CHECK(pvar_number(bytes) >= bytes_before + (number)MESSAGES * BYTES);
    CHECK_OK(MPI_T_pvar_start(session, late));
    CHECK(pvar_number(late) >= MESSAGES);
    for (int i = 0; i < MESSAGES; i++) {
        if (i == 3) { /* a matched probe takes it out, too */
            MPI_Message message;
            MPI_Mprobe(rank, TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
            MPI_Mrecv(in, BYTES, MPI_CHAR, &message, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(in, BYTES, MPI_CHAR, rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    if (ranks == 1) {
        CHECK_EQUAL(before, pvar_number(level));
        CHECK_EQUAL(bytes_before, pvar_number(bytes));
        CHECK_EQUAL(before + MESSAGES, pvar_number(peak));
        CHECK_EQUAL(bytes_before + (number)MESSAGES * BYTES, pvar_number(peak_bytes));
        /* A reset begins with the level of now, for this handle alone. */
        CHECK_OK(MPI_T_pvar_reset(session, peak));
        CHECK_EQUAL(before, pvar_number(peak));
        CHECK_EQUAL(before + MESSAGES, pvar_number(late));
        number high = 1000;
        CHECK_OK(MPI_T_pvar_write(session, late, &high));
        CHECK_EQUAL(1000, pvar_number(late));
    }
    CHECK(pvar_number(peak_bytes) >= (number)MESSAGES * BYTES);
    CHECK_OK(MPI_T_pvar_handle_free(session, &late));
    CHECK_OK(MPI_T_pvar_handle_free(session, &peak));
    CHECK_OK(MPI_T_pvar_handle_free(session, &peak_bytes));
    CHECK_OK(MPI_T_pvar_handle_free(session, &level));
    CHECK_OK(MPI_T_pvar_handle_free(session, &bytes));
}

static void test_requests(void)
{
    enum { REQUESTS = 9 };
    MPI_Request requests[REQUESTS];
    MPI_T_pvar_handle level = pvar_open("requests");
    number before = pvar_number(level);
    for (int i = 0; i < REQUESTS; i++)
        MPI_Recv_init(NULL, 0, MPI_INT, rank, TAG, MPI_COMM_WORLD, &requests[i]);
    CHECK_EQUAL(before + REQUESTS, pvar_number(level));
    for (int i = 0; i < REQUESTS; i++)
        MPI_Request_free(&requests[i]);
    CHECK_EQUAL(before, pvar_number(level));
    CHECK_OK(MPI_T_pvar_handle_free(session, &level));
}

/* ---- time and sleep ---------------------------------------------------------------------------------------------- */

/* Rank 0 waits for a message that the last one sends late. */
static void wait_long(int ms)
{
    if (rank == ranks - 1) {
        MPI_Recv(NULL, 0, MPI_INT, 0, GO, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        usleep((useconds_t)ms * 1000);
        MPI_Send(NULL, 0, MPI_INT, 0, TAG, MPI_COMM_WORLD);
    } else if (rank == 0) {
        MPI_Send(NULL, 0, MPI_INT, ranks - 1, GO, MPI_COMM_WORLD);
        MPI_Recv(NULL, 0, MPI_INT, ranks - 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void test_times(void)
{
    enum { MS = 60, CALLS = 20 };
    MPI_T_pvar_handle waited = pvar_open("wait_time"), spent = pvar_open("call_time"), calls = pvar_open("calls");
    MPI_T_pvar_handle sleeps = pvar_begin("sleeps"), yields = pvar_begin("yields");
    wait_long(1); /* not started */
    CHECK(pvar_seconds(waited) == 0 && pvar_seconds(spent) == 0 && pvar_number(calls) == 0);
    CHECK_OK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES));
    wait_long(MS);
    CHECK_OK(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES));
    double waited_s = pvar_seconds(waited), spent_s = pvar_seconds(spent);
    CHECK_EQUAL(rank == 0 || rank == ranks - 1 ? 2 : 0, pvar_number(calls));
    CHECK(spent_s >= waited_s && spent_s < 600);
    if (rank == 0) /* what it waits for begins after its own message */
        CHECK(waited_s > MS * 0.5e-3);
    if (rank == 0)
        CHECK(pvar_number(sleeps) > 0); /* it neither spins nor yields */
    CHECK_EQUAL(0, pvar_number(yields));
    wait_long(1);
    CHECK(pvar_seconds(waited) == waited_s && pvar_seconds(spent) == spent_s);
    double half = 0.5;
    CHECK_OK(MPI_T_pvar_write(session, waited, &half));
    CHECK(pvar_seconds(waited) > 0.4999999 && pvar_seconds(waited) < 0.5000001);
    CHECK_OK(MPI_T_pvar_reset(session, waited));
    CHECK(pvar_seconds(waited) == 0);
    number value = 40;
    CHECK_OK(MPI_T_pvar_write(session, calls, &value));
    CHECK_OK(MPI_T_pvar_start(session, calls));
    for (int i = 0; i < CALLS; i++)
        MPI_Sendrecv(NULL, 0, MPI_INT, rank, TAG, NULL, 0, MPI_INT, rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_EQUAL(40 + CALLS, pvar_number(calls));
    MPI_T_pvar_handle *all[] = {&waited, &spent, &calls, &sleeps, &yields};
    for (int i = 0; i < 5; i++)
        CHECK_OK(MPI_T_pvar_handle_free(session, all[i]));
}

/* ---- sessions ---------------------------------------------------------------------------------------------------- */

static void send_to_myself(int times)
{
    for (int i = 0; i < times; i++)
        MPI_Sendrecv(NULL, 0, MPI_INT, rank, TAG, NULL, 0, MPI_INT, rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void test_sessions(void)
{
    MPI_T_pvar_session first = session, second;
    MPI_T_pvar_handle mine, other, same;
    number values[RANKS_MAX] = {0};
    mine = pvar_begin("eager_sent");
    CHECK_OK(MPI_T_pvar_session_create(&second));
    session = second;
    other = pvar_open("eager_sent");
    same = pvar_open("eager_sent");
    CHECK_OK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES));
    send_to_myself(4);
    CHECK_OK(MPI_T_pvar_start(session, other)); /* it is started */
    CHECK_OK(MPI_T_pvar_readreset(session, other, values));
    CHECK_EQUAL(4, values[rank]);
    send_to_myself(3);
    CHECK_OK(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES));
    send_to_myself(2);
    CHECK_OK(MPI_T_pvar_read(session, other, values));
    CHECK_EQUAL(3, values[rank]);
    CHECK_OK(MPI_T_pvar_read(session, same, values));
    CHECK_EQUAL(7, values[rank]);
    CHECK_OK(MPI_T_pvar_reset(session, MPI_T_PVAR_ALL_HANDLES));
    CHECK_OK(MPI_T_pvar_read(session, same, values));
    CHECK_EQUAL(0, values[rank]);
    CHECK(MPI_T_pvar_read(first, same, values) == MPI_T_ERR_INVALID_HANDLE);
    CHECK_OK(MPI_T_pvar_session_free(&second)); /* with its handles */
    session = first;
    CHECK_OK(MPI_T_pvar_read(session, mine, values));
    CHECK_EQUAL(9, values[rank]);
    CHECK_OK(MPI_T_pvar_handle_free(session, &mine));
    /* All of none. */
    CHECK_OK(MPI_T_pvar_session_create(&second));
    CHECK_OK(MPI_T_pvar_start(second, MPI_T_PVAR_ALL_HANDLES));
    CHECK_OK(MPI_T_pvar_session_free(&second));
}

/* ---- the life of a rank ------------------------------------------------------------------------------------------ */

static void write_settings(void)
{
    static const char *const limits[] = {"sm.eager_max", "tcp.eager_max"};
    unsigned long bytes = LIMIT;
    int zero = 0, count, index;
    MPI_T_cvar_handle handle;
    for (int i = 0; i < 2; i++) {
        CHECK_OK(MPI_T_cvar_get_index(limits[i], &index));
        CHECK_OK(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count));
        CHECK_OK(MPI_T_cvar_write(handle, &bytes));
    }
    CHECK_OK(MPI_T_cvar_get_index("wait.spin_us", &index));
    CHECK_OK(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count));
    CHECK_OK(MPI_T_cvar_write(handle, &zero));
    CHECK_OK(MPI_T_cvar_get_index("wait.yields", &index));
    CHECK_OK(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count));
    CHECK_OK(MPI_T_cvar_write(handle, &zero));
}

static int body_of(int argc, char **argv, int is_team)
{
    int provided, count;
    MPI_T_pvar_handle early, early_calls, late, level;
    CHECK_OK(MPI_T_init_thread(is_team ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided));
    CHECK_EQUAL(is_team ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, provided);
    ranks = 1;
    write_settings();
    test_table();
    CHECK_OK(MPI_T_pvar_session_create(&session));
    CHECK(MPI_T_pvar_handle_alloc(session, pvar_index("eager_sent"), NULL, &early, &count) ==
          MPI_T_ERR_NOT_ACCESSIBLE); /* how many ranks there are is not known */
    early = pvar_begin("unexpected_peak");
    early_calls = pvar_begin("calls");
    level = pvar_open("requests");
    CHECK(pvar_number(early) == 0 && pvar_number(early_calls) == 0 && pvar_number(level) == 0);

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    CHECK(ranks <= RANKS_MAX);
    number calls = pvar_number(early_calls);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_EQUAL(calls + 1, pvar_number(early_calls));
    CHECK_OK(MPI_T_pvar_stop(session, early_calls));
    test_table();
    test_unexpected();
    MPI_Barrier(MPI_COMM_WORLD);
    test_requests();
    test_sessions();
    MPI_Barrier(MPI_COMM_WORLD);
    test_traffic(is_team);
    MPI_Barrier(MPI_COMM_WORLD);
    if (ranks > 1) {
        test_times();
        MPI_Barrier(MPI_COMM_WORLD);
    }
    CHECK(pvar_number(early) >= 7);
    late = pvar_begin("eager_sent_bytes");
    number sent[RANKS_MAX];
    send_to_myself(3);
    MPI_Sendrecv("four", 4, MPI_CHAR, rank, TAG, (char[4]){0}, 4, MPI_CHAR, rank, TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Finalize();

    /* What was counted stays, and can be used as before. */
    CHECK_OK(MPI_T_pvar_read(session, late, sent));
    CHECK(sent[rank] >= 4);
    CHECK_OK(MPI_T_pvar_readreset(session, late, sent));
    CHECK_OK(MPI_T_pvar_read(session, late, sent));
    CHECK_EQUAL(0, sent[rank]);
    CHECK_OK(MPI_T_pvar_stop(session, late));
    CHECK(pvar_number(early) >= 7 && pvar_number(level) == 0);
    ranks = 1;
    CHECK_EQUAL(0, pvar_number(pvar_begin("sleeps")));
    CHECK(MPI_T_pvar_handle_alloc(session, pvar_index("eager_sent"), NULL, &early, &count) ==
          MPI_T_ERR_NOT_ACCESSIBLE);
    test_table();
    CHECK_OK(MPI_T_finalize());
    return 0;
}

static int body_of_threads(int argc, char **argv)
{
    return body_of(argc, argv, 1);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return body_of(argc, argv, 0);
    for (int count = 1; count <= 4; count++)
        CHECK(corunna_threads_run(count, body_of_threads, argc, argv) == 0);
    puts("tool_pvars: passed");
    return 0;
}

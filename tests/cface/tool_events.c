/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events: each call raises one, with what the call has done and when; callbacks by their levels, in the order of their
 * registrations, that call MPI themselves, and that free what they belong to; dropped events; several threads. As
 * processes, and as ranks that are threads.
 */
#include "check.h"

#include <corunna/threads.h>
#include <malloc.h>
#include <mpi.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

enum { ELEMENTS = 5, TAG = 5, BYTES = 48, THREADS = 4, CALLS = 50 };

static _Thread_local int rank, ranks;

/* As MPI_T_event_get_info describes it. */
typedef struct seen_call {
    int peer, tag;
    unsigned long bytes, ns, waited_ns;
} seen_call;

/* What the callbacks of a registration have seen; the memory that is given to them. */
typedef struct seen {
    _Atomic int calls, dropped_calls, freed, inside;
    MPI_Count dropped, stamp;
    MPI_T_event_registration registration;
    MPI_T_cb_safety level; /* of the callback that this is given to */
    seen_call last;
    const char *order;
    char *log; /* the order of callbacks: a letter each */
    int sends_inside, frees_inside;
} seen;

static int event_index(const char *name)
{
    int index;
    CHECK_OK(MPI_T_event_get_index(name, &index));
    return index;
}

/* ---- callbacks --------------------------------------------------------------------------------------------------- */

static void on_freed(MPI_T_event_registration registration, MPI_T_cb_safety safety, void *data)
{
    seen *s = data;
    CHECK(registration == s->registration && safety == MPI_T_CB_REQUIRE_NONE && s->inside == 0);
    s->freed++;
}

static void on_dropped(MPI_Count count, MPI_T_event_registration registration, int source, MPI_T_cb_safety safety,
                       void *data)
{
    seen *s = data;
    CHECK(registration == s->registration && source == 0 && safety == MPI_T_CB_REQUIRE_NONE);
    s->dropped_calls++;
    s->dropped += count;
}

static void check_elements(MPI_T_event_instance event, const seen_call *whole)
{
    seen_call parts = {0};
    void *places[ELEMENTS] = {&parts.peer, &parts.tag, &parts.bytes, &parts.ns, &parts.waited_ns};
    int source = -1;
    for (int i = 0; i < ELEMENTS; i++)
        CHECK_OK(MPI_T_event_read(event, i, places[i]));
    CHECK(memcmp(&parts, whole, sizeof parts) == 0);
    CHECK(MPI_T_event_read(event, ELEMENTS, &parts) == MPI_T_ERR_INVALID_INDEX);
    CHECK(MPI_T_event_read(event, -1, &parts) == MPI_T_ERR_INVALID_INDEX);
    CHECK(MPI_T_event_read(event, 0, NULL) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_event_copy(event, NULL) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_event_get_timestamp(event, NULL) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_event_get_source(event, NULL) == MPI_T_ERR_INVALID);
    CHECK_OK(MPI_T_event_get_source(event, &source));
    CHECK_EQUAL(0, source);
}

static void on_call(MPI_T_event_instance event, MPI_T_event_registration registration, MPI_T_cb_safety safety,
                    void *data)
{
    seen *s = data;
    MPI_Count now;
    s->inside++;
    CHECK(registration == s->registration && safety == MPI_T_CB_REQUIRE_NONE);
    CHECK_OK(MPI_T_event_copy(event, &s->last));
    check_elements(event, &s->last);
    CHECK_OK(MPI_T_event_get_timestamp(event, &s->stamp));
    CHECK_OK(MPI_T_source_get_timestamp(0, &now));
    CHECK(now >= s->stamp && s->last.waited_ns <= s->last.ns);
    s->calls++;
    if (s->log)
        strcat(s->log, s->order);
    for (int i = 0; i < s->sends_inside; i++) {
        int out = i, in = -1;
        MPI_Request request;
        CHECK_OK(MPI_Irecv(&in, 1, MPI_INT, 0, TAG + 1, MPI_COMM_SELF, &request));
        CHECK_OK(MPI_Send(&out, 1, MPI_INT, 0, TAG + 1, MPI_COMM_SELF));
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK_EQUAL(i, in);
    }
    int is_last = s->frees_inside && s->freed == 0;
    s->inside--;
    if (is_last) {
        s->inside++; /* until this callback has returned it must not be told to be freed */
        CHECK_OK(MPI_T_event_handle_free(registration, s, NULL));
        CHECK(MPI_T_event_handle_free(registration, s, NULL) == MPI_T_ERR_INVALID_HANDLE);
        s->inside--;
    }
}

/* For threads: only counts. */
static void on_counted(MPI_T_event_instance event, MPI_T_event_registration registration, MPI_T_cb_safety safety,
                       void *data)
{
    seen_call call;
    seen *s = data;
    (void)registration, (void)safety;
    CHECK_OK(MPI_T_event_copy(event, &call));
    CHECK_EQUAL(BYTES, call.bytes);
    s->calls++;
}

static void listen(const char *name, MPI_T_cb_safety level, seen *s)
{
    CHECK_OK(MPI_T_event_handle_alloc(event_index(name), NULL, MPI_INFO_NULL, &s->registration));
    CHECK_OK(MPI_T_event_register_callback(s->registration, level, MPI_INFO_NULL, s, on_call));
}

static void forget(seen *s)
{
    CHECK_OK(MPI_T_event_handle_free(s->registration, s, on_freed));
    CHECK_EQUAL(1, s->freed);
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static void test_tables(void)
{
    int count, index;
    CHECK_OK(MPI_T_event_get_num(&count));
    CHECK(count > 40);
    for (int i = 0; i < count; i++) {
        char name[64], desc[128];
        int length = sizeof name, desc_length = sizeof desc, verbosity, bind, elements = ELEMENTS + 2, keys = -1;
        MPI_Datatype types[ELEMENTS + 2] = {0};
        MPI_Aint places[ELEMENTS + 2] = {-7, -7, -7, -7, -7, -7, -7};
        MPI_T_enum names;
        MPI_Info info;
        CHECK_OK(MPI_T_event_get_info(i, name, &length, &verbosity, types, places, &elements, &names, &info, desc,
                                      &desc_length, &bind));
        CHECK(length > 4 && length == (int)strlen(name) + 1 && desc_length == (int)strlen(desc) + 1);
        CHECK(elements == ELEMENTS && bind == MPI_T_BIND_NO_OBJECT && verbosity == MPI_T_VERBOSITY_USER_BASIC);
        CHECK(types[0] == MPI_INT && types[1] == MPI_INT && types[4] == MPI_UNSIGNED_LONG && types[5] == NULL);
        CHECK(places[0] == 0 && places[2] == offsetof(seen_call, bytes) && places[5] == -7);
        CHECK(places[4] == offsetof(seen_call, waited_ns));
        CHECK_OK(MPI_T_enum_get_info(names, &elements, NULL, NULL));
        CHECK_EQUAL(ELEMENTS, elements);
        CHECK_OK(MPI_Info_get_nkeys(info, &keys));
        CHECK_EQUAL(0, keys);
        CHECK_OK(MPI_Info_free(&info));
        CHECK_OK(MPI_T_event_get_index(name, &index));
        CHECK_EQUAL(i, index);
        elements = 1;
        places[1] = -7;
        CHECK_OK(MPI_T_event_get_info(i, NULL, NULL, NULL, NULL, places, &elements, NULL, NULL, NULL, NULL, NULL));
        CHECK(elements == ELEMENTS && places[1] == -7);
    }
    CHECK_OK(MPI_T_event_get_info(0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    char name[64], desc[128], word[128];
    int length = sizeof name, desc_length = sizeof desc, sources, value = -1;
    MPI_T_source_order order;
    MPI_Count ticks, most, now, then;
    MPI_Info info;
    MPI_T_enum names;
    CHECK_OK(MPI_T_source_get_num(&sources));
    CHECK_EQUAL(1, sources);
    CHECK_OK(MPI_T_source_get_info(0, name, &length, desc, &desc_length, &order, &ticks, &most, &info));
    CHECK(length > 1 && desc_length > 1 && order == MPI_T_SOURCE_UNORDERED);
    CHECK(ticks == 1000000000 && most > (MPI_Count)1 << 60);
    CHECK_OK(MPI_Info_free(&info));
    CHECK_OK(MPI_T_source_get_info(0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    CHECK_OK(MPI_T_source_get_timestamp(0, &then));
    CHECK_OK(MPI_T_source_get_timestamp(0, &now));
    CHECK(now >= then && then > 0);
    CHECK_OK(MPI_T_event_get_info(0, NULL, NULL, NULL, NULL, NULL, NULL, &names, NULL, NULL, NULL, NULL));
    length = sizeof word;
    CHECK_OK(MPI_T_enum_get_item(names, 2, &value, word, &length));
    CHECK(value == 2 && strncmp(word, "bytes", 5) == 0);
}

static void test_hints(void)
{
    MPI_T_event_registration registration;
    MPI_Info info, used;
    int keys = -1;
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "colour", "blue"));
    CHECK_OK(MPI_T_event_handle_alloc(0, NULL, info, &registration));
    CHECK_OK(MPI_T_event_handle_set_info(registration, info));
    CHECK_OK(MPI_T_event_callback_set_info(registration, MPI_T_CB_REQUIRE_THREAD_SAFE, info));
    CHECK_OK(MPI_T_event_handle_get_info(registration, &used));
    CHECK(MPI_Info_get_nkeys(used, &keys) == MPI_SUCCESS && keys == 0);
    CHECK_OK(MPI_Info_free(&used));
    CHECK_OK(MPI_T_event_callback_get_info(registration, MPI_T_CB_REQUIRE_NONE, &used));
    CHECK(MPI_Info_get_nkeys(used, &keys) == MPI_SUCCESS && keys == 0);
    CHECK_OK(MPI_Info_free(&used));
    CHECK_OK(MPI_T_event_handle_free(registration, NULL, NULL));
    CHECK_OK(MPI_Info_free(&info));
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static void test_messages(void)
{
    char out[BYTES] = "", in[2 * BYTES];
    int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    seen starts = {0}, receives = {0}, waits = {0}, sums = {0};
    MPI_Count begin, end;
    MPI_Request request;
    listen("MPI_Isend", MPI_T_CB_REQUIRE_NONE, &starts);
    listen("MPI_Recv", MPI_T_CB_REQUIRE_NONE, &receives);
    listen("MPI_Wait", MPI_T_CB_REQUIRE_NONE, &waits);
    listen("MPI_Allreduce", MPI_T_CB_REQUIRE_NONE, &sums);
    CHECK_OK(MPI_T_source_get_timestamp(0, &begin));
    CHECK_OK(MPI_Isend(out, BYTES, MPI_CHAR, next, TAG, MPI_COMM_WORLD, &request));
    CHECK_OK(MPI_Recv(in, sizeof in, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_T_source_get_timestamp(0, &end));
    CHECK(starts.calls == 1 && receives.calls == 1 && waits.calls == 1 && sums.calls == 0);
    CHECK(starts.last.peer == next && starts.last.tag == TAG && starts.last.bytes == BYTES);
    CHECK(receives.last.peer == before && receives.last.tag == TAG && receives.last.bytes == BYTES);
    CHECK(begin <= starts.stamp && starts.stamp <= receives.stamp && receives.stamp <= waits.stamp);
    CHECK(waits.stamp <= end && receives.last.ns <= (unsigned long)(end - begin));
    int x = 1, sum;
    CHECK_OK(MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK(sum == ranks && sums.calls == 1 && sums.last.bytes == sizeof x && receives.calls == 1);
    forget(&starts);
    forget(&receives);
    forget(&waits);
    /* Nothing is raised that is freed, or has no callback. */
    CHECK_OK(MPI_T_event_register_callback(sums.registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL, NULL));
    CHECK_OK(MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_OK(MPI_Sendrecv(out, 1, MPI_CHAR, rank, TAG, in, 1, MPI_CHAR, rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(sums.calls == 1 && receives.calls == 1);
    forget(&sums);
}

static void exchange_with_myself(int times)
{
    for (int i = 0; i < times; i++)
        CHECK_OK(MPI_Sendrecv(NULL, 0, MPI_CHAR, rank, TAG, NULL, 0, MPI_CHAR, rank, TAG, MPI_COMM_WORLD,
                              MPI_STATUS_IGNORE));
}

/* Of the callbacks of a registration the one with the lowest level is called, and registrations in their order. */
static void test_levels(void)
{
    char log[64] = "";
    seen highest = {.order = "h", .log = log}, lower = {.order = "l", .log = log}, lowest = {.order = "n", .log = log};
    seen second = {.order = "2", .log = log};
    listen("MPI_Sendrecv", MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE, &highest);
    lower.registration = lowest.registration = highest.registration;
    listen("MPI_Sendrecv", MPI_T_CB_REQUIRE_THREAD_SAFE, &second);
    exchange_with_myself(1);
    CHECK_OK(MPI_T_event_register_callback(highest.registration, MPI_T_CB_REQUIRE_MPI_RESTRICTED, MPI_INFO_NULL,
                                           &lower, on_call));
    exchange_with_myself(1);
    CHECK_OK(
        MPI_T_event_register_callback(highest.registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, &lowest, on_call));
    exchange_with_myself(1);
    CHECK_OK(MPI_T_event_register_callback(highest.registration, MPI_T_CB_REQUIRE_MPI_RESTRICTED, MPI_INFO_NULL,
                                           &lower, NULL));
    CHECK_OK(MPI_T_event_register_callback(highest.registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, &lowest, NULL));
    exchange_with_myself(1);
    CHECK_TEXT("h2l2n2h2", log);
    forget(&highest);
    exchange_with_myself(1);
    CHECK_TEXT("h2l2n2h22", log);
    forget(&second);
}

/* A callback that sends raises nothing; what it has not raised is told before the next event. */
static void test_inside(void)
{
    seen outer = {.sends_inside = 3}, sends = {0};
    listen("MPI_Sendrecv", MPI_T_CB_REQUIRE_NONE, &outer);
    listen("MPI_Send", MPI_T_CB_REQUIRE_NONE, &sends);
    exchange_with_myself(1);
    CHECK(outer.calls == 1 && sends.calls == 0 && sends.dropped_calls == 0);
    CHECK_OK(MPI_T_event_set_dropped_handler(sends.registration, on_dropped)); /* from now on */
    exchange_with_myself(1);
    CHECK(sends.calls == 0 && sends.dropped_calls == 0);
    exchange_with_myself(1);
    CHECK(outer.calls == 3 && sends.dropped_calls == 1 && sends.dropped == 3);
    outer.sends_inside = 0;
    exchange_with_myself(2);
    CHECK(sends.dropped_calls == 2 && sends.dropped == 6);
    CHECK_OK(MPI_T_event_set_dropped_handler(sends.registration, NULL));
    outer.sends_inside = 1;
    exchange_with_myself(2);
    CHECK(sends.dropped_calls == 2 && sends.dropped == 6);
    /* It frees its own registration, and is not called again. */
    outer.frees_inside = 1;
    outer.sends_inside = 0;
    exchange_with_myself(1);
    CHECK_EQUAL(8, outer.calls);
    exchange_with_myself(1);
    CHECK_EQUAL(8, outer.calls);
    forget(&sends);
}

/* A callback cannot end MPI, which goes on. */
static void on_end(MPI_T_event_instance event, MPI_T_event_registration registration, MPI_T_cb_safety safety,
                   void *data)
{
    (void)event, (void)registration, (void)safety;
    *(int *)data = MPI_Finalize();
}

static void test_finalize_inside(void)
{
    MPI_T_event_registration registration;
    int code = -1;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK_OK(MPI_T_event_handle_alloc(event_index("MPI_Sendrecv"), NULL, MPI_INFO_NULL, &registration));
    CHECK_OK(MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, &code, on_end));
    exchange_with_myself(1);
    CHECK_EQUAL(MPI_ERR_OTHER, code);
    CHECK_OK(MPI_T_event_handle_free(registration, NULL, NULL));
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    exchange_with_myself(1);
}

/* A callback may free the communicator of the call that has raised it. */
static void on_free(MPI_T_event_instance event, MPI_T_event_registration registration, MPI_T_cb_safety safety,
                    void *data)
{
    (void)event, (void)registration, (void)safety;
    CHECK_OK(MPI_Comm_free(data));
}

static void test_free_inside(void)
{
    static const char *const names[] = {"MPI_Barrier", "MPI_Send", "MPI_Sendrecv", "MPI_Ibarrier", "MPI_Probe"};
    mallopt(M_PERTURB, 0x5a); /* freed memory is overwritten */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        MPI_T_event_registration registration;
        MPI_Comm comm;
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Status status = {.MPI_SOURCE = 0, .MPI_TAG = TAG};
        MPI_Comm_dup(MPI_COMM_SELF, &comm);
        CHECK_OK(MPI_T_event_handle_alloc(event_index(names[i]), NULL, MPI_INFO_NULL, &registration));
        CHECK_OK(MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, &comm, on_free));
        if (i == 0)
            MPI_Barrier(comm);
        else if (i == 1) {
            MPI_Irecv(NULL, 0, MPI_CHAR, 0, TAG, comm, &request);
            MPI_Send(NULL, 0, MPI_CHAR, 0, TAG, comm);
        } else if (i == 2)
            MPI_Sendrecv(NULL, 0, MPI_CHAR, 0, TAG, NULL, 0, MPI_CHAR, 0, TAG, comm, &status);
        else if (i == 3)
            MPI_Ibarrier(comm, &request);
        else {
            MPI_Send(NULL, 0, MPI_CHAR, 0, TAG, comm); /* is never received */
            MPI_Probe(0, TAG, comm, &status);
        }
        CHECK(comm == MPI_COMM_NULL && status.MPI_SOURCE == 0 && status.MPI_TAG == TAG);
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_T_event_handle_free(registration, NULL, NULL));
    }
    mallopt(M_PERTURB, 0);
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

typedef struct caller {
    pthread_t thread;
    corunna_thread_rank *rank;
    int number;
} caller;

static void *call_often(void *argument)
{
    const caller *c = argument;
    char out[BYTES] = "", in[BYTES];
    corunna_threads_adopt(c->rank);
    for (int i = 0; i < CALLS; i++) {
        MPI_Request request;
        CHECK_OK(MPI_Irecv(in, BYTES, MPI_CHAR, 0, c->number, MPI_COMM_SELF, &request));
        CHECK_OK(MPI_Send(out, BYTES, MPI_CHAR, 0, c->number, MPI_COMM_SELF));
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    corunna_threads_adopt(NULL);
    return NULL;
}

static void test_threads(void)
{
    caller callers[THREADS];
    seen sends = {0}, more = {0};
    CHECK_OK(MPI_T_event_handle_alloc(event_index("MPI_Send"), NULL, MPI_INFO_NULL, &sends.registration));
    CHECK_OK(MPI_T_event_register_callback(sends.registration, MPI_T_CB_REQUIRE_THREAD_SAFE, MPI_INFO_NULL, &sends,
                                           on_counted));
    for (int i = 0; i < THREADS; i++) {
        callers[i] = (caller){.rank = corunna_threads_self(), .number = i};
        CHECK(pthread_create(&callers[i].thread, NULL, call_often, &callers[i]) == 0);
    }
    for (int i = 0; i < CALLS; i++) { /* others come and go meanwhile */
        CHECK_OK(MPI_T_event_handle_alloc(event_index("MPI_Send"), NULL, MPI_INFO_NULL, &more.registration));
        CHECK_OK(MPI_T_event_register_callback(more.registration, MPI_T_CB_REQUIRE_THREAD_SAFE, MPI_INFO_NULL, &more,
                                               on_counted));
        CHECK_OK(MPI_T_event_handle_free(more.registration, NULL, NULL));
    }
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(callers[i].thread, NULL) == 0);
    CHECK_EQUAL(THREADS * CALLS, sends.calls);
    forget(&sends);
}

/* A callback that waits for ever, of a call of another thread. */
typedef struct waiting {
    corunna_thread_rank *rank;
    MPI_Comm comm;
    _Atomic int is_inside;
    int code;
} waiting;

static void on_wait(MPI_T_event_instance event, MPI_T_event_registration registration, MPI_T_cb_safety safety,
                    void *data)
{
    waiting *w = data;
    int x;
    (void)event, (void)registration, (void)safety;
    w->is_inside = 1;
    w->code = MPI_Recv(&x, 1, MPI_INT, 0, TAG + 1, w->comm, MPI_STATUS_IGNORE);
}

static void *wait_inside(void *argument)
{
    const waiting *w = argument;
    corunna_threads_adopt(w->rank);
    MPI_Barrier(w->comm);
    corunna_threads_adopt(NULL);
    return NULL;
}

/* MPI_Finalize beside a callback that waits: that ends its wait, as one of any other call. */
static void finalize_beside(void)
{
    waiting w = {.rank = corunna_threads_self()};
    MPI_T_event_registration registration;
    pthread_t thread;
    MPI_Comm_dup(MPI_COMM_SELF, &w.comm);
    MPI_Comm_set_errhandler(w.comm, MPI_ERRORS_RETURN);
    CHECK_OK(MPI_T_event_handle_alloc(event_index("MPI_Barrier"), NULL, MPI_INFO_NULL, &registration));
    CHECK_OK(MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, &w, on_wait));
    CHECK(pthread_create(&thread, NULL, wait_inside, &w) == 0);
    CHECK_UNTIL(w.is_inside, check_nap());
    check_nap(); /* until it waits */
    MPI_Finalize();
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK_EQUAL(MPI_ERR_OTHER, w.code);
    CHECK_OK(MPI_T_event_handle_free(registration, NULL, NULL));
}

static int body(int argc, char **argv)
{
    int provided;
    seen early = {0};
    CHECK_OK(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided));
    test_tables();
    test_hints();
    listen("MPI_Sendrecv", MPI_T_CB_REQUIRE_NONE, &early);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    CHECK_EQUAL(MPI_THREAD_MULTIPLE, provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    exchange_with_myself(2);
    CHECK_EQUAL(2, early.calls);
    forget(&early);
    test_tables();
    test_hints();
    test_messages();
    test_levels();
    test_inside();
    test_finalize_inside();
    test_free_inside();
    test_threads();
    seen kept = {0}, late = {0};
    listen("MPI_Sendrecv", MPI_T_CB_REQUIRE_NONE, &kept);
    exchange_with_myself(1);
    finalize_beside();
    CHECK_EQUAL(1, kept.calls);
    forget(&kept);
    listen("MPI_Sendrecv", MPI_T_CB_REQUIRE_NONE, &late);
    test_tables();
    test_hints();
    CHECK_OK(MPI_T_finalize()); /* with the registration that is left */
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return body(argc, argv);
    for (int count = 1; count <= 4; count++)
        CHECK(corunna_threads_run(count, body, argc, argv) == 0);
    puts("tool_events: passed");
    return 0;
}

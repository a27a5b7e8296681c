/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranks that start under our own server, each in a thread: what one of them asks and is told by its socket does not
 * grow with the number of ranks, because the server gives all values in a table. Without one, or where a value is too
 * long for it, the ranks fetch the values one by one and learn the same.
 */
#include "check.h"
#include "pmi/boot_private.h"
#include "pmi/pmi_server.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { FEW = 4, MANY = 48, EXCHANGES = 3, LONG_BYTES = COR_BOOT_VALUE_MAX };

typedef struct table_case {
    int size;
    int has_table;
    int is_long; /* values in several pieces */
} table_case;

/* What passed through the socket of a rank. */
typedef struct traffic {
    int requests, bytes;
} traffic;

typedef struct table_rank {
    const table_case *plan;
    int rank, ends[2]; /* the rank's, the server's */
    traffic traffic;
    pthread_t thread;
} table_rank;

/* ---- the ranks -------------------------------------------------------------------------------------------------- */

static void write_value(const table_case *plan, int rank, int round, char *out)
{
    int length = sprintf(out, "value-%d-of-%d", round, rank);
    if (plan->is_long) {
        memset(out + length, 'a' + rank % 26, (size_t)(LONG_BYTES - length));
        out[LONG_BYTES] = '\0';
    }
}

static void *rank_main(void *argument)
{
    table_rank *self = argument;
    const cor_log quiet = {.level = COR_LOG_WARN, .rank = self->rank};
    char value[LONG_BYTES + 1];
    cor_boot *boot = NULL;
    cor_fault fault = {0};
    CHECK_OK(cor_boot_pmi1_open(self->ends[0], self->rank, self->plan->size, 60, &quiet, &boot, &fault));
    for (int round = 0; round < EXCHANGES; round++) {
        const char *const *values = NULL;
        write_value(self->plan, self->rank, round, value);
        CHECK_OK(boot->ops->exchange(boot, "card", value, &values, &fault));
        for (int rank = 0; rank < self->plan->size; rank++) {
            write_value(self->plan, rank, round, value);
            CHECK_TEXT(value, values[rank]);
        }
    }
    CHECK_OK(boot->ops->fence(boot, "met", &fault));
    CHECK_OK(boot->ops->finalize(boot, &fault));
    boot->ops->close(boot);
    close(self->ends[0]);
    return NULL;
}

/* ---- the launcher ----------------------------------------------------------------------------------------------- */

static void on_abort(void *context, int rank, int status, const char *reason)
{
    (void)context;
    CHECK_FAIL("rank %d aborts with %d: %s", rank, status, reason);
}

static void answer(cor_pmi_server *server, table_rank *self)
{
    size_t length;
    const char *bytes;
    while ((bytes = cor_pmi_server_pending(server, self->rank, &length)) != NULL) {
        ssize_t sent = send(self->ends[1], bytes, length, MSG_NOSIGNAL);
        CHECK(sent > 0);
        cor_pmi_server_sent(server, self->rank, (size_t)sent);
        self->traffic.bytes += (int)sent;
    }
}

/* One read; 0 at the end of the connection. */
static int serve(cor_pmi_server *server, table_rank *self)
{
    char bytes[4096];
    cor_fault fault = {0};
    ssize_t got = read(self->ends[1], bytes, sizeof bytes);
    if (got <= 0)
        return 0;
    self->traffic.bytes += (int)got;
    for (ssize_t i = 0; i < got; i++)
        self->traffic.requests += bytes[i] == '\n';
    CHECK_OK(cor_pmi_server_feed(server, self->rank, bytes, (size_t)got, &fault));
    return 1;
}

static void serve_all(cor_pmi_server *server, table_rank *ranks, int size)
{
    struct pollfd fds[MANY];
    for (int left = size; left > 0;) {
        for (int i = 0; i < size; i++)
            fds[i] = (struct pollfd){.fd = ranks[i].ends[1], .events = POLLIN};
        CHECK(poll(fds, (nfds_t)size, -1) > 0);
        for (int i = 0; i < size; i++)
            if (fds[i].revents && !serve(server, &ranks[i])) {
                close(ranks[i].ends[1]);
                ranks[i].ends[1] = -1;
                left--;
            }
        for (int i = 0; i < size; i++) /* a barrier releases all */
            if (ranks[i].ends[1] >= 0)
                answer(server, &ranks[i]);
    }
}

/* Start and end a job; the largest traffic of a rank. */
static traffic run(table_case plan)
{
    cor_pmi_server *server = NULL;
    cor_fault fault = {0};
    table_rank ranks[MANY] = {{0}};
    traffic most = {0};
    CHECK_OK(cor_pmi_server_create(plan.size, "job", on_abort, NULL, &server, &fault));
    CHECK(!plan.has_table || cor_pmi_server_open_table(server) >= 0);
    for (int i = 0; i < plan.size; i++) {
        ranks[i] = (table_rank){.plan = &plan, .rank = i};
        CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ranks[i].ends) == 0);
        CHECK_OK(pthread_create(&ranks[i].thread, NULL, rank_main, &ranks[i]));
    }
    serve_all(server, ranks, plan.size);
    for (int i = 0; i < plan.size; i++) {
        pthread_join(ranks[i].thread, NULL);
        most.requests = ranks[i].traffic.requests > most.requests ? ranks[i].traffic.requests : most.requests;
        most.bytes = ranks[i].traffic.bytes > most.bytes ? ranks[i].traffic.bytes : most.bytes;
    }
    cor_pmi_server_destroy(server);
    return most;
}

int main(void)
{
    enum { DIGITS = 400 }; /* larger numbers of ranks and places have more digits */
    alarm(600);
    traffic few = run((table_case){.size = FEW, .has_table = 1});
    traffic many = run((table_case){.size = MANY, .has_table = 1});
    CHECK_EQUAL(few.requests, many.requests);
    CHECK(many.bytes <= few.bytes + DIGITS);
    /* That it would be seen: here both grow. */
    traffic fetched = run((table_case){.size = MANY});
    CHECK(fetched.requests >= many.requests + EXCHANGES * (MANY - 1));
    CHECK(fetched.bytes > many.bytes + DIGITS);
    run((table_case){.size = FEW, .has_table = 1, .is_long = 1});
    run((table_case){.size = FEW, .is_long = 1});
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The way back to TCP. */
#define _GNU_SOURCE
#include "core.h"

#include "check.h"
#include "unit/unit_random.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

/* Back to TCP while the peer is in a blocking read; bytes that were not read are not lost. */
void core_withdraws(void)
{
    for (int unread = 0; unread < 3; unread++) {
        struct sockaddr_in address;
        int listener = core_listen(&address);
        pid_t child = core_fork();
        char bytes[300000];
        if (child == 0) {
            core_end client = core_connect(&address, 1);
            CHECK_EQUAL(1, core_write(&client, "a", 1, 0));
            CHECK_EQUAL(1, core_read(&client, bytes, 1, 0));
            memset(bytes, 'u', sizeof bytes);
            size_t more = unread == 0 ? 0 : unread == 1 ? 10 : 200000;
            if (more)
                CHECK_EQUAL((ssize_t)more, core_write(&client, bytes, more, 0));
            CHECK_EQUAL(5, core_read(&client, bytes, 5, MSG_WAITALL));
            CHECK(memcmp(bytes, "plain", 5) == 0);
            CHECK_EQUAL(6, core_write(&client, "answer", 6, 0));
            CHECK_EQUAL(0, core_read(&client, bytes, 1, 0));
            core_close(&client);
            exit(0);
        }
        core_end server = core_accept(listener, 1);
        CHECK_EQUAL(1, core_read(&server, bytes, 1, 0));
        CHECK_EQUAL(1, core_write(&server, "b", 1, 0));
        size_t more = unread == 0 ? 0 : unread == 1 ? 10 : 200000;
        while (cor_conn_available(server.conn, server.fd) < (int)more)
            usleep(100);
        check_asleep(child);
        CHECK_OK(cor_conn_withdraw(server.conn, server.fd, CORE_LONG_MS));
        CHECK(cor_conn_is_plain(server.conn));
        CHECK_EQUAL(5, send(server.fd, "plain", 5, 0));
        if (more) {
            CHECK_EQUAL((ssize_t)more, recv(server.fd, bytes, more, MSG_WAITALL));
            for (size_t i = 0; i < more; i++)
                CHECK_EQUAL('u', bytes[i]);
        }
        CHECK_EQUAL(6, recv(server.fd, bytes, 6, MSG_WAITALL));
        CHECK(memcmp(bytes, "answer", 6) == 0);
        core_close(&server);
        core_wait_child(child);
        core_unlisten(listener);
    }
}

/* An offer that is withdrawn while the server has it mapped already: a call takes all parts that it is given. */
void core_withdraws_offer(void)
{
    enum { PARTS = 40, PART = 10 };
    struct sockaddr_in address;
    char bytes[PARTS * PART], got[PARTS * PART];
    struct iovec parts[PARTS];
    int listener = core_listen(&address);
    core_end client = core_connect(&address, 1), server = core_accept(listener, 1);
    CHECK(cor_conn_segment(server.conn) != NULL);
    for (int i = 0; i < PARTS; i++) {
        memset(bytes + i * PART, 'a' + i % 26, PART);
        parts[i] = (struct iovec){bytes + i * PART, PART};
    }
    CHECK_OK(cor_conn_withdraw(client.conn, client.fd, CORE_LONG_MS));
    CHECK_EQUAL(PARTS * PART, cor_conn_write(server.conn, server.fd, parts, PARTS, 0));
    CHECK(cor_conn_is_plain(server.conn));
    CHECK_EQUAL(PARTS * PART, core_read(&client, got, sizeof got, MSG_WAITALL));
    CHECK(memcmp(bytes, got, sizeof got) == 0);
    core_close(&client);
    core_close(&server);
    core_unlisten(listener);
}

/* A peer that makes no call does not answer. What it wrote is read, and once it makes one, both directions are TCP. */
void core_withdraws_alone(void)
{
    for (int is_unread = 0; is_unread < 2; is_unread++) {
        struct sockaddr_in address;
        char bytes[8];
        int listener = core_listen(&address);
        core_end client = core_connect(&address, 1), server = core_accept(listener, 1);
        core_hello(&client, &server);
        if (is_unread)
            CHECK_EQUAL(4, core_write(&server, "ring", 4, 0));
        CHECK_EQUAL(-1, cor_conn_withdraw(client.conn, client.fd, 20));
        CHECK_EQUAL(-2, cor_conn_withdraw(client.conn, client.fd, 600 * 1000)); /* it is not waited for again */
        CHECK_EQUAL(5, core_write(&client, "tcp 1", 5, 0));
        if (is_unread) {
            CHECK_EQUAL(4, core_read(&client, bytes, 4, MSG_WAITALL));
            CHECK(memcmp(bytes, "ring", 4) == 0);
        }
        CHECK_EQUAL(5, core_read(&server, bytes, 5, MSG_WAITALL));
        CHECK(memcmp(bytes, "tcp 1", 5) == 0);
        CHECK_EQUAL(5, core_write(&server, "tcp 2", 5, 0));
        CHECK_EQUAL(5, core_read(&client, bytes, 5, MSG_WAITALL));
        CHECK(memcmp(bytes, "tcp 2", 5) == 0);
        CHECK_OK(cor_conn_withdraw(client.conn, client.fd, 0));
        CHECK(cor_conn_is_plain(client.conn) && cor_conn_is_plain(server.conn));
        core_close(&client);
        core_close(&server);
        core_unlisten(listener);
    }
}

/* What the peer wrote before the mark and after it comes with one read: a shorter one says that no more is there. */
void core_withdraws_in_one_read(void)
{
    enum { RING = 4, TCP = 500 };
    for (int is_seen = 0; is_seen < 2; is_seen++) {
        struct sockaddr_in address;
        char bytes[RING + TCP], got[sizeof bytes + 1];
        int listener = core_listen(&address);
        core_end client = core_connect(&address, 1), server = core_accept(listener, 1);
        core_hello(&client, &server);
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (char)core_byte(core_seed, i);
        CHECK_EQUAL(RING, core_write(&client, bytes, RING, 0));
        CHECK_EQUAL(-1, cor_conn_withdraw(client.conn, client.fd, 20));
        if (is_seen) /* the mark alone */
            cor_conn_take_bells(server.conn, server.fd, 0);
        CHECK_EQUAL(TCP, core_write(&client, bytes + RING, TCP, 0));
        if (!is_seen) /* with some of what follows it */
            cor_conn_take_bells(server.conn, server.fd, 0);
        CHECK_EQUAL(sizeof bytes, core_read(&server, got, sizeof got, 0));
        CHECK(memcmp(bytes, got, sizeof bytes) == 0);
        CHECK_EQUAL(-1, core_read(&server, got, 1, MSG_DONTWAIT));
        core_close(&client);
        core_close(&server);
        core_unlisten(listener);
    }
}

typedef struct core_waiter {
    core_end *end;
    char got[6];
} core_waiter;

static void *core_wait_for_word(void *argument)
{
    core_waiter *waiter = argument;
    CHECK_EQUAL(5, core_read(waiter->end, waiter->got, 5, MSG_WAITALL));
    return NULL;
}

/* Waits in a call, so that it answers, and then sends by TCP. */
static void *core_answer_word(void *argument)
{
    char byte;
    CHECK_EQUAL(1, core_read(argument, &byte, 1, 0));
    CHECK_EQUAL(5, core_write(argument, "hello", 5, 0));
    return NULL;
}

/* A thread sleeps in a read while another one takes the connection back to TCP: it loses no byte that follows. */
void core_withdraws_beside(void)
{
    uint64_t state = core_seed;
    for (int round = 0; round < 200; round++) {
        struct sockaddr_in address;
        struct timeval limit = {CORE_LONG_MS / 1000, 0};
        pthread_t reader, peer;
        int listener = core_listen(&address);
        core_end client = core_connect(&address, 1), server = core_accept(listener, 1);
        core_waiter waiter = {.end = &client};
        core_hello(&client, &server);
        CHECK_OK(setsockopt(client.fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit));
        cor_conn_set_receive_limit(client.conn, round % 2);
        CHECK_OK(pthread_create(&reader, NULL, core_wait_for_word, &waiter));
        CHECK_OK(pthread_create(&peer, NULL, core_answer_word, &server));
        usleep((useconds_t)(unit_random(&state) % 500));
        while (cor_conn_withdraw(client.conn, client.fd, CORE_LONG_MS) != 0)
            usleep(1000);
        CHECK_EQUAL(1, send(client.fd, "g", 1, MSG_NOSIGNAL));
        pthread_join(reader, NULL);
        pthread_join(peer, NULL);
        CHECK_TEXT("hello", waiter.got);
        core_close(&client);
        core_close(&server);
        core_unlisten(listener);
    }
}

/* ---- much that was not read -------------------------------------------------------------------------------------- */

enum {
    CORE_BACKLOG = 8 << 20,
    CORE_AHEAD = 100000,
    CORE_MORE = 4 << 20,
    CORE_BOTH_ROUNDS = 8,
    CORE_BOTH_PATIENCE_MS = 30
};

/* One of two ends. */
typedef struct core_side {
    core_end end;
    uint64_t seed, peer_seed;
    uint64_t ahead; /* written before the way back */
    const uint64_t *peer_ahead;
    int is_asking, is_left; /* is_left: closed at once */
    pthread_barrier_t *both;
} core_side;

static void core_get_ahead(core_side *side)
{
    unsigned char bytes[CORE_AHEAD];
    while (side->ahead < CORE_BACKLOG) {
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = core_byte(side->seed, side->ahead + i);
        ssize_t sent = core_write(&side->end, bytes, sizeof bytes, MSG_DONTWAIT);
        if (sent < 0)
            return;
        side->ahead += (uint64_t)sent;
    }
}

static void *core_read_side(void *argument)
{
    const core_side *side = argument;
    core_stream in = {(core_end *)&side->end, side->peer_seed, *side->peer_ahead + CORE_MORE, 1, 0};
    core_run_stream(&in);
    return NULL;
}

static void *core_run_side(void *argument)
{
    core_side *side = argument;
    unsigned char bytes[1000];
    pthread_t reader;
    core_get_ahead(side);
    pthread_barrier_wait(side->both);
    if (side->is_asking)
        cor_conn_withdraw(side->end.conn, side->end.fd, CORE_BOTH_PATIENCE_MS);
    if (!side->is_left) {
        CHECK_EQUAL(0, pthread_create(&reader, NULL, core_read_side, side));
        for (uint64_t at = side->ahead; at < side->ahead + CORE_MORE;) {
            size_t length = sizeof bytes;
            if (length > side->ahead + CORE_MORE - at)
                length = (size_t)(side->ahead + CORE_MORE - at);
            for (size_t i = 0; i < length; i++)
                bytes[i] = core_byte(side->seed, at + i);
            CHECK_EQUAL((ssize_t)length, core_write(&side->end, bytes, length, 0));
            at += length;
        }
        CHECK_EQUAL(0, pthread_join(reader, NULL));
        pthread_barrier_wait(side->both);
    }
    core_close(&side->end);
    return NULL;
}

/* Both ends have written much that was not read, more than TCP takes, and go back to TCP at once, or one of them; then
 * both go on, or close. */
void core_withdraws_both(void)
{
    for (int round = 0; round < CORE_BOTH_ROUNDS; round++) {
        struct sockaddr_in address;
        pthread_barrier_t both;
        pthread_t thread;
        int listener = core_listen(&address);
        core_side sides[2] = {{.seed = core_seed, .peer_seed = core_seed + 1, .is_asking = 1},
                              {.seed = core_seed + 1, .peer_seed = core_seed, .is_asking = round % 2}};
        CHECK_EQUAL(0, pthread_barrier_init(&both, NULL, 2));
        sides[0].end = core_connect(&address, 1);
        sides[1].end = core_accept(listener, 1);
        for (int i = 0; i < 2; i++) {
            sides[i].peer_ahead = &sides[!i].ahead;
            sides[i].is_left = round >= CORE_BOTH_ROUNDS - 2;
            sides[i].both = &both;
        }
        core_hello(&sides[0].end, &sides[1].end);
        CHECK_EQUAL(0, pthread_create(&thread, NULL, core_run_side, &sides[1]));
        core_run_side(&sides[0]);
        CHECK_EQUAL(0, pthread_join(thread, NULL));
        pthread_barrier_destroy(&both);
        core_unlisten(listener);
    }
}

static void *core_answer_all(void *argument)
{
    core_side *side = argument;
    core_get_ahead(side);
    pthread_barrier_wait(side->both);
    core_stream in = {&side->end, side->peer_seed, CORE_BACKLOG, 1, 0};
    core_run_stream(&in);
    CHECK_OK(cor_conn_shutdown(side->end.conn, side->end.fd, SHUT_WR));
    core_close(&side->end);
    return NULL;
}

/* An end that goes back to TCP writes much before it reads what the other one has written before: as the other one
 * reads, both go on. What was written before comes first, and the end after it. */
void core_withdraws_far(void)
{
    static unsigned char bytes[CORE_BACKLOG + CORE_AHEAD];
    struct sockaddr_in address;
    pthread_barrier_t both;
    pthread_t thread;
    int listener = core_listen(&address);
    core_side side = {.seed = core_seed, .peer_seed = core_seed + 1, .both = &both};
    CHECK_EQUAL(0, pthread_barrier_init(&both, NULL, 2));
    core_end client = core_connect(&address, 1);
    side.end = core_accept(listener, 1);
    core_hello(&client, &side.end);
    CHECK_EQUAL(0, pthread_create(&thread, NULL, core_answer_all, &side));
    pthread_barrier_wait(&both);
    CHECK_OK(cor_conn_withdraw(client.conn, client.fd, CORE_LONG_MS));
    CHECK(cor_conn_is_plain(client.conn));
    for (size_t i = 0; i < CORE_BACKLOG; i++)
        bytes[i] = core_byte(core_seed + 1, i);
    for (size_t done = 0; done < CORE_BACKLOG;) {
        ssize_t sent = send(client.fd, bytes + done, CORE_BACKLOG - done, MSG_NOSIGNAL);
        CHECK(sent > 0);
        done += (size_t)sent;
    }
    CHECK_EQUAL((ssize_t)side.ahead, recv(client.fd, bytes, (size_t)side.ahead, MSG_WAITALL));
    for (size_t i = 0; i < side.ahead; i++)
        if (bytes[i] != core_byte(core_seed, i))
            CHECK_FAIL("byte %zu is %d", i, bytes[i]);
    CHECK_EQUAL(0, recv(client.fd, bytes, 1, 0));
    CHECK_EQUAL(0, pthread_join(thread, NULL));
    core_close(&client);
    pthread_barrier_destroy(&both);
    core_unlisten(listener);
}

typedef struct core_asker {
    core_end *end;
    pthread_barrier_t *both;
} core_asker;

static void *core_ask(void *argument)
{
    const core_asker *asker = argument;
    pthread_barrier_wait(asker->both);
    CHECK_OK(cor_conn_withdraw(asker->end->conn, asker->end->fd, CORE_LONG_MS));
    CHECK(cor_conn_is_plain(asker->end->conn));
    return NULL;
}

/* Both ends go back to TCP at once, and neither has read what the other has written: all of that is given back. */
void core_withdraws_each(void)
{
    for (int round = 0; round < 200; round++) {
        struct sockaddr_in address;
        pthread_barrier_t both;
        pthread_t thread;
        char bytes[8];
        int listener = core_listen(&address);
        core_end client = core_connect(&address, 1), server = core_accept(listener, 1);
        core_asker askers[2] = {{&client, &both}, {&server, &both}};
        CHECK_EQUAL(0, pthread_barrier_init(&both, NULL, 2));
        core_hello(&client, &server);
        CHECK_EQUAL(4, core_write(&client, "from", 4, 0));
        CHECK_EQUAL(4, core_write(&server, "back", 4, 0));
        CHECK_EQUAL(0, pthread_create(&thread, NULL, core_ask, &askers[1]));
        core_ask(&askers[0]);
        CHECK_EQUAL(0, pthread_join(thread, NULL));
        CHECK_EQUAL(4, recv(client.fd, bytes, sizeof bytes, 0));
        CHECK(memcmp(bytes, "back", 4) == 0);
        CHECK_EQUAL(4, recv(server.fd, bytes, sizeof bytes, 0));
        CHECK(memcmp(bytes, "from", 4) == 0);
        core_close(&client);
        core_close(&server);
        pthread_barrier_destroy(&both);
        core_unlisten(listener);
    }
}

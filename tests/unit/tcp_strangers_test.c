/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A connection from outside the job is dropped, does no harm and is reported once: garbage, silence, a byte now and
 * then, far too many at once, other jobs, other versions, and a process that knows everything but the secret.
 */
#define _GNU_SOURCE
#include "base/clock.h"
#include "check.h"
#include "device_pair.h"
#include "tcp_proxy.h"
#include "unit_random.h"
#include "xxdev/soft/tcp/tcp_state.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CONTEXT = 4, MANY = 300 };

typedef struct scene {
    device_pair pair;
    int port; /* where rank 1 listens */
    tcp_address rank0;
} scene;

static void note_address(void *context, int rank, char *address)
{
    scene *s = context;
    if (rank == 0)
        CHECK_OK(tcp_address_parse(address, &s->rank0, NULL));
    else
        s->port = tcp_proxy_text_port(address);
}

static void scene_open(scene *s)
{
    device_pair_open_with(
        &s->pair,
        &(device_pair_options){.wire = &cor_tcp_wire, .log_level = COR_LOG_WARN, .edit = note_address, .context = s});
}

/* The ranks still understand each other: a short message and a long one, there and back. */
static void scene_works(scene *s)
{
    static char out[200000], in[200000];
    static const size_t sizes[] = {8, sizeof out};
    for (int round = 0; round < 4; round++) {
        int from = round % 2;
        size_t bytes = sizes[round / 2];
        cor_device *source = s->pair.device[from], *sink = s->pair.device[1 - from];
        cor_transfer send = {0}, receive = {0};
        cor_payload out_payload = cor_payload_plain(out, bytes), in_payload = cor_payload_plain(in, bytes);
        memset(out, 'a' + round, bytes);
        CHECK_OK(sink->ops->irecv(sink, &receive, from, CONTEXT, round, &in_payload));
        CHECK_OK(source->ops->isend(source, &send, 1 - from, CONTEXT, round, &out_payload));
        CHECK_UNTIL(send.is_done && receive.is_done, device_pair_step(&s->pair));
        CHECK_OK(receive.error);
        CHECK_EQUAL(0, memcmp(out, in, bytes));
    }
}

static tcp_wire *scene_wire(scene *s, int rank)
{
    return tcp_of(cor_soft_wire_at(s->pair.device[rank], 0));
}

/* ---- what the log says ------------------------------------------------------------------------------------------ */

/* While it is listened to, stderr goes into a file. */
typedef struct listener {
    FILE *heard;
    int stderr_fd; /* the real one; -1: none */
} listener;

static listener ear = {.stderr_fd = -1};

static void log_end(void)
{
    char line[1024];
    if (ear.stderr_fd < 0)
        return;
    dup2(ear.stderr_fd, STDERR_FILENO);
    close(ear.stderr_fd);
    ear.stderr_fd = -1;
    rewind(ear.heard);
    while (fgets(line, sizeof line, ear.heard))
        fputs(line, stderr);
}

/* From here on the next stranger is told of, as if it were the first. */
static void log_begin(scene *s)
{
    scene_wire(s, 1)->strangers_told = 0;
    ear.heard = tmpfile();
    CHECK(ear.heard != NULL);
    ear.stderr_fd = dup(STDERR_FILENO);
    dup2(fileno(ear.heard), STDERR_FILENO);
}

/* Wait until something was written. */
static void log_is_written(scene *s)
{
    struct stat now = {0};
    CHECK_UNTIL(now.st_size > 0, (device_pair_step(&s->pair), fstat(fileno(ear.heard), &now)));
}

/* One line was written, and it says this. */
static void log_says(const char *sentence)
{
    char line[1024] = "", last[1024] = "";
    int lines = 0;
    log_end();
    rewind(ear.heard);
    for (; fgets(line, sizeof line, ear.heard); lines++)
        memcpy(last, line, sizeof last);
    fclose(ear.heard);
    if (lines == 1 && strstr(last, sentence))
        return;
    CHECK_FAIL("%d lines instead of one that says \"%s\"", lines, sentence);
}

/* ---- strangers -------------------------------------------------------------------------------------------------- */

static int stranger_call(const scene *s)
{
    struct sockaddr_in place = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)s->port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK_EQUAL(0, connect(fd, (struct sockaddr *)(void *)&place, sizeof place));
    CHECK_EQUAL(0, fcntl(fd, F_SETFL, O_NONBLOCK));
    return fd;
}

static void stranger_says(int fd, const void *data, size_t bytes)
{
    ssize_t sent = send(fd, data, bytes, MSG_NOSIGNAL);
    CHECK(sent == (ssize_t)bytes || errno == EPIPE || errno == ECONNRESET);
}

/* One step of the ranks; 1: they have hung up. Adds up what they say. */
static int stranger_hears(scene *s, int fd, size_t *total)
{
    char heard[256];
    device_pair_step(&s->pair);
    ssize_t got = recv(fd, heard, sizeof heard, 0);
    *total += got > 0 ? (size_t)got : 0;
    return got == 0 || (got < 0 && errno != EAGAIN);
}

/* Wait until the rank hangs up; returns how many bytes it said before. One that must be dropped at once is dropped
 * sooner than one that only takes too long. */
static size_t stranger_is_dropped(scene *s, int fd, int is_at_once)
{
    size_t total = 0;
    int limit_ms = is_at_once ? TCP_GREETING_S * 1000 - 500 : 60000, is_dropped = 0;
    CHECK_WITHIN(limit_ms, is_dropped, is_dropped = stranger_hears(s, fd, &total));
    close(fd);
    return total;
}

static void test_garbage(scene *s)
{
    char garbage[1000];
    uint64_t seed = unit_seed();
    for (size_t i = 0; i < sizeof garbage; i++)
        garbage[i] = (char)unit_random(&seed);
    log_begin(s);
    int fd = stranger_call(s);
    stranger_says(fd, garbage, sizeof garbage);
    CHECK_EQUAL(0, stranger_is_dropped(s, fd, 1));
    log_says("it does not begin as a rank of ours does");
    fd = stranger_call(s);
    static const char question[] =
        "GET / HTTP/1.1\r\nHost: somewhere\r\nAccept: everything, really everything\r\n\r\n";
    stranger_says(fd, question, sizeof question);
    CHECK_EQUAL(0, stranger_is_dropped(s, fd, 1));
    s->pair.log[1].level = COR_LOG_INFO;
    log_begin(s);
    close(stranger_call(s)); /* looks and goes */
    log_is_written(s);
    log_says("was closed without a word");
    s->pair.log[1].level = COR_LOG_WARN;
    log_begin(s);
    fd = stranger_call(s);
    stranger_says(fd, "CORU", 4);
    close(fd); /* half a word */
    log_is_written(s);
    log_says("it said nothing, or not enough, and went away");
    scene_works(s);
}

static void make_hello(const scene *s, cor_hello *hello, uint8_t bytes[COR_HELLO_BYTES])
{
    *hello = cor_hello_make(s->rank0.secret, 0, 1);
    memset(hello->nonce, 7, sizeof hello->nonce);
    cor_hello_encode(hello, bytes);
}

/* Hellos that a rank must not answer with a proof. */
static void test_wrong_hellos(scene *s)
{
    static const char *const sentences[] = {"it speaks version 4 of the protocol, this side version 3",
                                            "it is a 32-bit", "it belongs to another job", "it looks for another rank",
                                            "it looks for another rank"};
    cor_hello hello;
    uint8_t bytes[COR_HELLO_BYTES];
    make_hello(s, &hello, bytes);
    for (int i = 0; i < 5; i++) {
        cor_hello wrong = hello;
        int says_hello = 1;
        if (i == 0)
            wrong.version = COR_HELLO_VERSION + 1;
        else if (i == 1)
            wrong.word_bytes = 4;
        else if (i == 2)
            wrong.job++;
        else
            says_hello = 0;
        if (i == 3)
            wrong.to = 0; /* no rank of that number here */
        if (i == 4)
            wrong.from = 1 << 20;
        cor_hello_encode(&wrong, bytes);
        log_begin(s);
        int fd = stranger_call(s);
        stranger_says(fd, bytes, sizeof bytes);
        /* At most what it is itself, so that the other side can tell why. */
        CHECK_EQUAL(says_hello ? COR_HELLO_BYTES : 0, stranger_is_dropped(s, fd, 1));
        log_says(sentences[i]);
    }
    scene_works(s);
}

/* The hello is right, the proof is not. The link that is open must not suffer. */
static void test_wrong_proof(scene *s)
{
    cor_hello hello;
    uint8_t bytes[COR_HELLO_BYTES], proof[COR_PROOF_BYTES] = {0};
    make_hello(s, &hello, bytes);
    log_begin(s);
    int fd = stranger_call(s);
    stranger_says(fd, bytes, sizeof bytes);
    char answer[COR_ANSWER_BYTES];
    CHECK_UNTIL(recv(fd, answer, sizeof answer, MSG_PEEK) == COR_ANSWER_BYTES, device_pair_step(&s->pair));
    CHECK_EQUAL(COR_ANSWER_BYTES, recv(fd, answer, sizeof answer, 0));
    stranger_says(fd, proof, sizeof proof);
    stranger_is_dropped(s, fd, 1);
    log_says("it does not know the secret of this job");
    scene_works(s);
    CHECK_EQUAL(1, scene_wire(s, 1)->open_count);
}

/* More than there are places for. All are dropped in the end, and ranks come through all the while. */
static void test_too_many(scene *s)
{
    int fds[MANY];
    log_begin(s);
    for (int i = 0; i < MANY; i++) {
        fds[i] = stranger_call(s);
        if (i % 50 == 0)
            device_pair_step(&s->pair);
    }
    scene_works(s);
    CHECK(scene_wire(s, 1)->incoming_count <= TCP_INCOMINGS_MAX);
    for (int i = 0; i < MANY; i++)
        stranger_is_dropped(s, fds[i], 0);
    log_says("too many connections wait to prove who they are");
    CHECK_EQUAL(0, scene_wire(s, 1)->incoming_count);
    scene_works(s);
}

/* One step of the ranks; how many have got their answer since the last one. */
static int ranks_answered(scene *s, int fds[MANY])
{
    uint8_t answer[COR_ANSWER_BYTES];
    int count = 0;
    device_pair_step(&s->pair);
    for (int i = 0; i < MANY; i++) {
        if (fds[i] < 0 || (recv(fds[i], answer, sizeof answer, MSG_PEEK) < 0 && errno == EAGAIN))
            continue;
        CHECK_EQUAL(COR_ANSWER_BYTES, recv(fds[i], answer, sizeof answer, 0));
        close(fds[i]); /* it has thought better of it */
        fds[i] = -1;
        count++;
    }
    CHECK(scene_wire(s, 1)->incoming_count <= TCP_INCOMINGS_MAX);
    return count;
}

/* More ranks at once than there are places for, as when they all have waited for this one. None is foreign: one that
 * finds no place waits outside until others have gone. */
static void test_many_ranks(scene *s)
{
    int fds[MANY], answered = 0;
    uint64_t strangers = scene_wire(s, 1)->strangers;
    cor_hello hello;
    uint8_t bytes[COR_HELLO_BYTES];
    make_hello(s, &hello, bytes);
    for (int i = 0; i < MANY; i++) {
        fds[i] = stranger_call(s);
        stranger_says(fds[i], bytes, sizeof bytes);
    }
    CHECK_UNTIL(answered == MANY, answered += ranks_answered(s, fds));
    CHECK_EQUAL(strangers, scene_wire(s, 1)->strangers);
    scene_works(s);
}

/* How many have proofs that the rank has not read; a busy machine may be late to hand them over. */
static int proofs_come(const tcp_wire *wire)
{
    int count = 0;
    for (int i = 0; i < TCP_INCOMINGS_MAX; i++) {
        int unread = 0;
        CHECK_OK(ioctl(wire->incoming[i]->base.fd, FIONREAD, &unread));
        count += unread == COR_PROOF_BYTES;
    }
    return count;
}

/* The rank computes while its incoming prove themselves, and looks too late, at the next caller first: what has come in
 * time counts. The proofs are of calls that were given up since, so that the link stays as it is. */
static void test_late_look(scene *s)
{
    enum { CALLS = TCP_INCOMINGS_MAX + 20 };
    int fds[CALLS];
    tcp_wire *wire = scene_wire(s, 1);
    uint64_t strangers = wire->strangers;
    cor_hello hello;
    uint8_t bytes[COR_HELLO_BYTES], answer[COR_ANSWER_BYTES], proofs[TCP_INCOMINGS_MAX][COR_PROOF_BYTES] = {{0}};
    CHECK(wire->links[0]->out.first > 1);
    make_hello(s, &hello, bytes);
    for (int i = 0; i < TCP_INCOMINGS_MAX; i++) {
        fds[i] = stranger_call(s);
        stranger_says(fds[i], bytes, sizeof bytes);
    }
    int answered = 0;
    for (check_wait wait = {.patience_s = 60}; answered < TCP_INCOMINGS_MAX;) {
        device_pair_step(&s->pair);
        for (int i = 0; i < TCP_INCOMINGS_MAX; i++)
            if (recv(fds[i], answer, sizeof answer, 0) == sizeof answer) {
                cor_hello_prove(s->rank0.secret, COR_HELLO_CALLER, bytes, answer, 0, proofs[i]);
                answered++;
            }
        check_wait_on(&wait, __FILE__, __LINE__, "all places are taken");
    }
    /* The rank looks away from here on. */
    for (int i = 0; i < TCP_INCOMINGS_MAX; i++)
        stranger_says(fds[i], proofs[i], sizeof proofs[i]);
    for (int i = TCP_INCOMINGS_MAX; i < CALLS; i++) {
        fds[i] = stranger_call(s);
        stranger_says(fds[i], bytes, sizeof bytes);
    }
    CHECK_EQUAL(TCP_INCOMINGS_MAX, wire->incoming_count);
    CHECK_UNTIL(proofs_come(wire) == TCP_INCOMINGS_MAX, check_nap());
    for (int i = 0; i < TCP_INCOMINGS_MAX; i++)
        wire->incoming[i]->moved_ns = wire->incoming[i]->deadline_ns = 1;
    tcp_timer(wire, 1);
    for (int i = 0; i < wire->listener_count; i++)
        tcp_accept(wire, i);
    for (int i = 0; i < 200; i++)
        device_pair_step(&s->pair);
    for (int i = 0; i < CALLS; i++)
        close(fds[i]);
    CHECK_UNTIL(wire->incoming_count == 0, device_pair_step(&s->pair));
    CHECK_EQUAL(strangers, wire->strangers);
    scene_works(s);
}

/* A byte now and then: the time for all of it is limited. So it is for a connection that sends nothing, and for one
 * that stops half way, as a host does that loses its power. */
static void test_slow(scene *s)
{
    cor_hello hello;
    uint8_t bytes[COR_HELLO_BYTES];
    make_hello(s, &hello, bytes);
    log_begin(s);
    int fd = stranger_call(s);
    int silent_fd = stranger_call(s), half_fd = stranger_call(s);
    stranger_says(half_fd, bytes, sizeof bytes);
    uint64_t said = cor_clock_ns();
    size_t at = 0, heard = 0;
    for (check_wait wait = {.patience_s = 60}; !stranger_hears(s, fd, &heard);) {
        uint64_t now = cor_clock_ns();
        if (at < sizeof bytes - 1 && now - said > 150000000u) {
            stranger_says(fd, bytes + at++, 1);
            said = now;
        }
        check_wait_on(&wait, __FILE__, __LINE__, "a slow stranger is dropped");
    }
    CHECK_EQUAL(0, heard);
    close(fd);
    stranger_is_dropped(s, silent_fd, 0);
    CHECK_EQUAL(COR_ANSWER_BYTES, stranger_is_dropped(s, half_fd, 0));
    log_says("it did not prove its identity in time");
    scene_works(s);
}

int main(void)
{
    static scene s;
    atexit(log_end);
    at_quick_exit(log_end);
    scene_open(&s);
    /* Before the ranks know each other, and again when they are connected. */
    test_garbage(&s);
    CHECK(scene_wire(&s, 1)->strangers > 0);
    test_wrong_hellos(&s);
    test_wrong_proof(&s);
    test_many_ranks(&s);
    test_late_look(&s);
    test_slow(&s);
    test_too_many(&s);
    test_garbage(&s);
    /* One more within the same minute is only counted. */
    char nonsense[COR_HELLO_BYTES] = "nonsense";
    int fd = stranger_call(&s);
    stranger_says(fd, nonsense, sizeof nonsense);
    stranger_is_dropped(&s, fd, 1);
    CHECK(scene_wire(&s, 1)->strangers_told < scene_wire(&s, 1)->strangers);
    /* One connection has done all the work. */
    CHECK_EQUAL(1, scene_wire(&s, 0)->open_count);
    device_pair_close(&s.pair);
    puts("strangers came and went");
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The client of a launcher with PMI-1: `corunna run`, MPICH's Hydra and its descendants, Slurm's pmi2, Flux.
 *
 * One request, one answer, both lines of text. Our own launcher announces (table= in its answer to init) a file in
 * which it gives all values of an exchange at once (pmi_table.h), and (pipeline=1) that it takes many requests at once;
 * where the file is missing the gets of an exchange are pipelined. Its answer has the number of the program and of
 * slots, too (appnum=, universe=). Other launchers get one request at a time.
 * With losses=told it announces that it reports which rank has died, and ends the job.
 */
#define _GNU_SOURCE
#include "pmi/boot_private.h"
#include "pmi/boot_values.h"
#include "pmi/boot_watch.h"
#include "pmi/pmi_conn.h"
#include "pmi/pmi_table.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    PMI1_BATCH = 64,           /* gets in one batch: both directions fit any socket buffer */
    PMI1_NAME_MAX = 256,       /* of the key-value space */
    PMI1_KEY_MAX = 80,         /* of a key of ours */
    PMI1_LINE_MAX = 1000,      /* of a put: other launchers read lines into 1024 bytes */
    PMI1_HEAD_MAX = 5,         /* "1024:" before the first piece of a value */
    PMI1_ABORT_WAIT_MS = 2000, /* how long an aborting rank waits to be ended */
    PMI1_ABORT_SETTLE_MS = 100 /* other launchers may drop its last output unless given time */
};

#define PMI1_WHOLE "1:" /* before a value in one piece */
#define PMI1_PUT "cmd=put kvsname=%s key=%s value=%.*s\n"

typedef struct pmi1_boot {
    cor_boot base;
    int is_pipelined;
    int lists_dead; /* the launcher may let the others live when a rank has died, and then lists it */
    int key_max, value_max;
    int table_fd;       /* the launcher's, not ours to close; -1: none */
    unsigned exchanges; /* so far; makes the keys of each unique */
    char kvsname[PMI1_NAME_MAX + 1];
    boot_values *values;
    boot_watch watch;
    cor_pmi_conn conn; /* on a duplicate of PMI_FD */
} pmi1_boot;

/* ---- exchange --------------------------------------------------------------------------------------------------- */

/*
 * A value that is longer than the launcher allows is put in pieces, each with its own key. The first piece begins with
 * the number of pieces and a colon.
 */
typedef struct pmi1_piece {
    int rank, number;
} pmi1_piece;

static void pmi1_key(const pmi1_boot *self, const char *key, pmi1_piece piece, char *out, size_t room)
{
    int length = snprintf(out, room, "cor%u-%s-%d", self->exchanges, key, piece.rank);
    if (piece.number > 0)
        snprintf(out + length, room - (size_t)length, "-%d", piece.number);
}

/* How many characters of a value one put may carry. The launcher's limit counts the zero at the end. */
static int pmi1_piece_room(const pmi1_boot *self, const char *name)
{
    int room = self->value_max - 1;
    int line = PMI1_LINE_MAX - (int)(strlen(PMI1_PUT) + strlen(self->kvsname) + strlen(name));
    return self->is_pipelined || room < line ? room : line;
}

static int pmi1_put_piece(pmi1_boot *self, const char *key, int number, const char *text, int length, cor_fault *fault)
{
    char name[PMI1_KEY_MAX], request[PMI1_NAME_MAX + PMI1_KEY_MAX + BOOT_TEXT_MAX + 64];
    pmi1_key(self, key, (pmi1_piece){self->base.rank, number}, name, sizeof name);
    snprintf(request, sizeof request, PMI1_PUT, self->kvsname, name, length, text);
    return cor_pmi_conn_request(&self->conn, request, "put_result", fault);
}

static int pmi1_put(pmi1_boot *self, const char *key, const char *value, cor_fault *fault)
{
    char name[PMI1_KEY_MAX], first[BOOT_TEXT_MAX + PMI1_HEAD_MAX + 1];
    pmi1_key(self, key, (pmi1_piece){self->base.rank, BOOT_TEXT_MAX}, name, sizeof name);
    int room = pmi1_piece_room(self, name), length = (int)strlen(value);
    if (strlen(name) >= (size_t)self->key_max || room <= PMI1_HEAD_MAX)
        return cor_fault_set(
            fault, COR_ERR_BOOT,
            "rank %d: the launcher allows keys of %d and values of %d characters, too short for the exchange of %s",
            self->base.rank, self->key_max, self->value_max, key);
    int head = room - PMI1_HEAD_MAX < length ? room - PMI1_HEAD_MAX : length;
    int count = 1 + (length - head + room - 1) / room;
    int written = snprintf(first, sizeof first, "%d:%.*s", count, head, value);
    int code = pmi1_put_piece(self, key, 0, first, written, fault);
    for (int number = 1, at = head; code == COR_OK && number < count; number++, at += room)
        code = pmi1_put_piece(self, key, number, value + at, length - at < room ? length - at : room, fault);
    return code;
}

static int pmi1_meanwhile(void *subject, cor_fault *fault)
{
    pmi1_boot *self = subject;
    return cor_boot_watch_meanwhile(&self->watch, &self->base, fault);
}

static int pmi1_fence(cor_boot *boot, const char *purpose, cor_fault *fault)
{
    pmi1_boot *self = (pmi1_boot *)boot;
    cor_pmi_conn *conn = &self->conn;
    cor_boot_watch_begin(&self->watch, purpose, conn->timeout_s);
    conn->meanwhile = pmi1_meanwhile;
    conn->subject = self;
    conn->nap_ms = cor_boot_watch_nap_ms(boot);
    int code = cor_pmi_conn_request(conn, "cmd=barrier_in\n", "barrier_out", fault);
    conn->meanwhile = NULL;
    return code;
}

/* Append a piece to those before it. Of a first piece, *count_p is the number of pieces. */
static int pmi1_take(pmi1_boot *self, pmi1_piece piece, boot_values *values, int *count_p)
{
    const char *text = cor_pmi_line_get(&self->conn.answer, "value");
    if (text && piece.number == 0) {
        char *colon;
        long count = strtol(text, &colon, 10);
        if (*colon != ':' || count < 1 || count > BOOT_TEXT_MAX)
            return 0;
        *count_p = (int)count;
        text = colon + 1;
    }
    return text && cor_boot_values_append(values, piece.rank, text);
}

/* Request these pieces, at most PMI1_BATCH, then read the answers, which come in the same order. `counts`, for first
 * pieces, receives how many each value has. */
static int pmi1_get(pmi1_boot *self, const char *key, const pmi1_piece *pieces, int count, boot_values *values,
                    int *counts, cor_fault *fault)
{
    char requests[PMI1_BATCH * (PMI1_NAME_MAX + PMI1_KEY_MAX + 32)] = "";
    size_t length = 0;
    for (int i = 0; i < count; i++) {
        char name[PMI1_KEY_MAX];
        pmi1_key(self, key, pieces[i], name, sizeof name);
        length += (size_t)snprintf(requests + length, sizeof requests - length, "cmd=get kvsname=%s key=%s\n",
                                   self->kvsname, name);
    }
    int code = cor_pmi_conn_send(&self->conn, requests, length, fault);
    for (int i = 0; code == COR_OK && i < count; i++) {
        code = cor_pmi_conn_receive(&self->conn, "get_result", fault);
        if (code == COR_OK && !pmi1_take(self, pieces[i], values, &counts[i]))
            code = cor_fault_set(fault, COR_ERR_BOOT, "rank %d: the launcher's answer has no valid %s of rank %d",
                                 self->base.rank, key, pieces[i].rank);
    }
    return code;
}

/* The pieces of one rank's value after the first. */
static int pmi1_get_rest(pmi1_boot *self, const char *key, int rank, int count, boot_values *values, cor_fault *fault)
{
    int batch = self->is_pipelined ? PMI1_BATCH : 1, code = COR_OK;
    for (int number = 1; code == COR_OK && number < count;) {
        pmi1_piece pieces[PMI1_BATCH];
        int ignored[PMI1_BATCH], asked = 0;
        for (; asked < batch && number < count; asked++, number++)
            pieces[asked] = (pmi1_piece){rank, number};
        code = pmi1_get(self, key, pieces, asked, values, ignored, fault);
    }
    return code;
}

/* All values from the launcher's table. COR_AGAIN: it does not have them, or one was put in pieces. */
static int pmi1_gather(pmi1_boot *self, const char *key, boot_values *values, cor_fault *fault)
{
    char request[PMI1_NAME_MAX + PMI1_KEY_MAX + 32];
    int offset = 0, bytes = 0;
    if (self->table_fd < 0)
        return COR_AGAIN;
    snprintf(request, sizeof request, "cmd=gather kvsname=%s key=cor%u-%s-\n", self->kvsname, self->exchanges, key);
    int code = cor_pmi_conn_request(&self->conn, request, "gather_result", fault);
    if (code != COR_OK)
        return code;
    if (!cor_pmi_line_int(&self->conn.answer, "offset", &offset) ||
        !cor_pmi_line_int(&self->conn.answer, "bytes", &bytes) || offset < 0 || bytes <= 0)
        return COR_AGAIN;
    char *block = cor_pmi_table_read(self->table_fd, (size_t)offset, (size_t)bytes);
    if (!block || !cor_boot_values_adopt(values, self->base.size, block, (size_t)bytes, PMI1_WHOLE)) {
        free(block);
        return COR_AGAIN;
    }
    for (int rank = 0; code == COR_OK && rank < self->base.size; rank++)
        code = cor_boot_watch_decode(&self->watch, &self->base, key, rank, values, fault);
    return code;
}

static int pmi1_get_all(pmi1_boot *self, const char *key, boot_values *values, cor_fault *fault)
{
    int batch = self->is_pipelined ? PMI1_BATCH : 1, code = COR_OK;
    for (int rank = 0; code == COR_OK && rank < self->base.size;) {
        pmi1_piece pieces[PMI1_BATCH];
        int counts[PMI1_BATCH] = {0}, asked = 0;
        for (; asked < batch && rank < self->base.size; asked++, rank++)
            pieces[asked] = (pmi1_piece){rank, 0};
        code = pmi1_get(self, key, pieces, asked, values, counts, fault);
        for (int i = 0; code == COR_OK && i < asked; i++)
            code = pmi1_get_rest(self, key, pieces[i].rank, counts[i], values, fault);
        for (int i = 0; code == COR_OK && i < asked; i++)
            code = cor_boot_watch_decode(&self->watch, &self->base, key, pieces[i].rank, values, fault);
    }
    return code;
}

static int pmi1_exchange(cor_boot *boot, const char *key, const char *value, const char *const **values_p,
                         cor_fault *fault)
{
    pmi1_boot *self = (pmi1_boot *)boot;
    boot_values *values;
    int code = cor_boot_values_begin(boot, key, value, &self->values, &values, fault);
    if (code != COR_OK)
        return code;
    char text[BOOT_TEXT_MAX + 1], purpose[64];
    cor_boot_watch_encode(&self->watch, value, text);
    snprintf(purpose, sizeof purpose, "published their %s", key);
    code = pmi1_put(self, key, text, fault);
    if (code == COR_OK)
        code = pmi1_fence(boot, purpose, fault);
    if (code == COR_OK)
        code = pmi1_gather(self, key, values, fault);
    if (code == COR_AGAIN)
        code = pmi1_get_all(self, key, values, fault);
    self->exchanges++;
    if (code == COR_OK)
        *values_p = values->by_rank;
    return code;
}

/* ---- deaths ----------------------------------------------------------------------------------------------------- */

/* Is the rank in a list such as "1,4-6"? */
static int pmi1_is_listed(const char *list, int rank)
{
    while (*list) {
        char *end;
        long first = strtol(list, &end, 10), last = first;
        if (end == list)
            return 0;
        if (*end == '-')
            last = strtol(end + 1, &end, 10);
        if (first <= rank && rank <= last)
            return 1;
        list = *end ? end + 1 : end;
    }
    return 0;
}

/* Hydra lists the ranks that have died under a key of its own. */
static int pmi1_has_ended(cor_boot *boot, int rank)
{
    pmi1_boot *self = (pmi1_boot *)boot;
    char request[PMI1_NAME_MAX + 64];
    cor_fault ignored;
    if (cor_boot_watch_has_ended(&self->watch, rank))
        return 1;
    if (!self->lists_dead || self->conn.meanwhile)
        return 0;
    snprintf(request, sizeof request, "cmd=get kvsname=%s key=PMI_dead_processes\n", self->kvsname);
    if (cor_pmi_conn_request(&self->conn, request, "get_result", &ignored) != COR_OK)
        return 0; /* none has died yet */
    const char *list = cor_pmi_line_get(&self->conn.answer, "value");
    return list && pmi1_is_listed(list, rank);
}

/* The launcher has closed its end. What it has sent before is still to be read. */
static int pmi1_is_orphaned(const cor_boot *boot)
{
    int fd = ((const pmi1_boot *)boot)->conn.fd;
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    char byte;
    if (poll(&wait, 1, 0) <= 0)
        return 0;
    if (!(wait.revents & POLLIN))
        return (wait.revents & (POLLHUP | POLLERR)) != 0;
    return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

/* ---- the end ---------------------------------------------------------------------------------------------------- */

static int pmi1_finalize(cor_boot *boot, cor_fault *fault)
{
    return cor_pmi_conn_request(&((pmi1_boot *)boot)->conn, "cmd=finalize\n", "finalize_ack", fault);
}

/* As one readable word: other launchers know no escapes. */
static void pmi1_flatten(const char *text, char *out, size_t room)
{
    size_t length = 0;
    for (; text[length] && length + 1 < room; length++)
        out[length] = (unsigned char)text[length] <= ' ' || text[length] == 127 ? '_' : text[length];
    out[length] = '\0';
}

/* Any thread may call it: it only writes, one line in one call, and does not read the answer. Our launcher reads the
 * reason, and Flux reads it under its other name; other launchers ignore unknown words. */
static void pmi1_abort(cor_boot *boot, int status, const char *reason)
{
    pmi1_boot *self = (pmi1_boot *)boot;
    char word[300] = "", request[400];
    if (!self->is_pipelined)
        poll(NULL, 0, PMI1_ABORT_SETTLE_MS);
    if (reason && self->is_pipelined)
        cor_pmi_escape(reason, word, sizeof word);
    else if (reason)
        pmi1_flatten(reason, word, sizeof word);
    const char *key = self->is_pipelined ? " reason=" : " error_msg=";
    snprintf(request, sizeof request, "cmd=abort exitcode=%d%s%s\n", status, *word ? key : "", word);
    cor_fault ignored = {0};
    if (cor_pmi_conn_send(&self->conn, request, strlen(request), &ignored) != COR_OK)
        return;
    /* No event is requested: only POLLHUP ends the wait early. */
    struct pollfd gone = {.fd = self->conn.fd};
    poll(&gone, 1, PMI1_ABORT_WAIT_MS);
}

static void pmi1_close(cor_boot *boot)
{
    pmi1_boot *self = (pmi1_boot *)boot;
    close(self->conn.fd);
    cor_boot_watch_fini(&self->watch);
    cor_boot_values_destroy(&self->values);
    free(self);
}

/* ---- the start -------------------------------------------------------------------------------------------------- */

static void pmi1_on_notice(int signal)
{
    (void)signal; /* a waiting call finds the lost rank by itself */
}

/* With -disable-auto-cleanup, Hydra sends SIGUSR1 to the remaining ranks when a rank has died, which would end them
 * too. Nothing in a rank's environment says how Hydra was called. MPICH handles the signal in all its ranks; we do so
 * only where the program has no handler, and one that it sets later replaces ours. A handler, because programs that a
 * rank starts would inherit that the signal is ignored; it stays until the process ends, since ranks may die after our
 * MPI_Finalize. */
static void pmi1_expect_notice(void)
{
    struct sigaction now, ours = {.sa_handler = pmi1_on_notice, .sa_flags = SA_RESTART};
    if (sigaction(SIGUSR1, NULL, &now) != 0)
        return;
    if (!(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL) {
        sigemptyset(&ours.sa_mask);
        sigaction(SIGUSR1, &ours, NULL);
    }
}

/* A number that our launcher sends with its answer to init, and others when asked; they need not know it. */
static int pmi1_ask_number(pmi1_boot *self, const char *request, const char *answer, const char *key)
{
    cor_fault ignored;
    int number = 0;
    if (cor_pmi_conn_request(&self->conn, request, answer, &ignored) != COR_OK ||
        !cor_pmi_line_int(&self->conn.answer, key, &number) || number < 0)
        return 0;
    return number;
}

static void pmi1_ask_numbers(pmi1_boot *self)
{
    self->base.universe = pmi1_ask_number(self, "cmd=get_universe_size\n", "universe_size", "size");
    self->base.appnum = pmi1_ask_number(self, "cmd=get_appnum\n", "appnum", "appnum");
}

static int pmi1_greet(pmi1_boot *self, cor_fault *fault)
{
    int code =
        cor_pmi_conn_request(&self->conn, "cmd=init pmi_version=1 pmi_subversion=1\n", "response_to_init", fault);
    if (code != COR_OK)
        return code;
    int version = 0, pipeline = 0;
    if (!cor_pmi_line_int(&self->conn.answer, "pmi_version", &version) || version != 1)
        return cor_fault_set(fault, COR_ERR_BOOT,
                             "rank %d: the launcher uses PMI version %d; only version 1 is supported", self->base.rank,
                             version);
    self->is_pipelined = cor_pmi_line_int(&self->conn.answer, "pipeline", &pipeline) && pipeline == 1;
    cor_pmi_line_int(&self->conn.answer, "appnum", &self->base.appnum);
    cor_pmi_line_int(&self->conn.answer, "universe", &self->base.universe);
    const char *losses = cor_pmi_line_get(&self->conn.answer, "losses");
    self->base.announces_failures = losses && strcmp(losses, "told") == 0;
    const char *table = cor_pmi_line_get(&self->conn.answer, "table");
    self->table_fd = table ? cor_pmi_table_find(table) : -1;
    if (self->table_fd >= 0)
        fcntl(self->table_fd, F_SETFD, FD_CLOEXEC);

    code = cor_pmi_conn_request(&self->conn, "cmd=get_maxes\n", "maxes", fault);
    if (code != COR_OK)
        return code;
    if (!cor_pmi_line_int(&self->conn.answer, "keylen_max", &self->key_max) ||
        !cor_pmi_line_int(&self->conn.answer, "vallen_max", &self->value_max) || self->key_max < 0 ||
        self->value_max < 0)
        return cor_fault_set(fault, COR_ERR_BOOT,
                             "rank %d: the launcher does not give the maximum lengths of keys and values",
                             self->base.rank);

    code = cor_pmi_conn_request(&self->conn, "cmd=get_my_kvsname\n", "my_kvsname", fault);
    if (code != COR_OK)
        return code;
    const char *name = cor_pmi_line_get(&self->conn.answer, "kvsname");
    if (!name || !*name || strlen(name) > PMI1_NAME_MAX)
        return cor_fault_set(fault, COR_ERR_BOOT, "rank %d: the launcher gives no valid key-value space",
                             self->base.rank);
    memcpy(self->kvsname, name, strlen(name) + 1);
    if (!self->is_pipelined)
        pmi1_ask_numbers(self);
    return COR_OK;
}

static const cor_boot_ops pmi1_ops = {
    .name = "pmi1",
    .exchange = pmi1_exchange,
    .fence = pmi1_fence,
    .has_ended = pmi1_has_ended,
    .is_orphaned = pmi1_is_orphaned,
    .finalize = pmi1_finalize,
    .abort = pmi1_abort,
    .close = pmi1_close,
};

int cor_boot_pmi1_open(int fd, int rank, int size, int timeout_s, const cor_log *log, cor_boot **boot_p,
                       cor_fault *fault)
{
    pmi1_boot *self = calloc(1, sizeof *self);
    if (!self)
        return cor_fault_set(fault, COR_ERR_MEMORY, "rank %d: no memory to boot", rank);
    self->base.ops = &pmi1_ops;
    self->base.rank = rank;
    self->base.size = size;
    self->conn.rank = rank;
    self->conn.timeout_s = timeout_s;
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    self->conn.fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (self->conn.fd < 0) {
        int code = cor_pmi_conn_failed(&self->conn, "taking the socket to", fault);
        free(self);
        return code;
    }
    self->lists_dead = getenv("HYDI_CONTROL_FD") != NULL;
    if (self->lists_dead)
        pmi1_expect_notice();
    int code = pmi1_greet(self, fault);
    if (code != COR_OK) {
        pmi1_close(&self->base);
        return code;
    }
    COR_LOG(log, DEBUG, "boot: PMI-1 on fd %d, rank %d of %d, space %s, gets %s", fd, rank, size, self->kvsname,
            self->table_fd >= 0  ? "from a table"
            : self->is_pipelined ? "pipelined"
                                 : "one by one");
    *boot_p = &self->base;
    return COR_OK;
}

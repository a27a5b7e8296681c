/*
 * The client of a launcher that speaks PMI-1: `corunna run`, MPICH's Hydra and its descendants.
 *
 * One request, one answer, both lines of text. Our own launcher announces (pipeline=1 in its answer to init) that it
 * takes many requests at once; then the many gets of an exchange are sent in bunches. Others are asked one by one.
 */
#define _GNU_SOURCE
#include "pmi/boot_private.h"
#include "pmi/pmi_line.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    PMI1_BUNCH = 16,           /* gets under way at once: both directions then fit any socket buffer */
    PMI1_NAME_MAX = 256,       /* of the key-value space */
    PMI1_ABORT_WAIT_MS = 5000, /* how long an aborting rank waits to be ended */
    PMI1_ABORT_SETTLE_MS = 100 /* what it wrote before, other launchers may throw away unless given time */
};

typedef struct pmi1_boot {
    cor_boot base;
    int fd; /* our own duplicate of PMI_FD */
    int is_pipelined;
    int key_max, value_max;
    unsigned exchanges; /* so far; makes the keys of each unique */
    char kvsname[PMI1_NAME_MAX + 1];
    boot_values *values;
    cor_pmi_line answer; /* points into the reader */
    cor_pmi_reader reader;
} pmi1_boot;

/* ---- lines out and in ------------------------------------------------------------------------------------------- */

static int pmi1_system(const pmi1_boot *self, const char *what, cor_fault *fault)
{
    if (errno == EPIPE || errno == ECONNRESET)
        return cor_fault_set(fault, COR_ERR_BOOT,
                             "rank %d: the launcher has hung up; most launchers let a process boot only once",
                             self->base.rank);
    return cor_fault_set(fault, COR_ERR_BOOT, "rank %d: %s the launcher failed: %s", self->base.rank, what,
                         strerror(errno));
}

/* All of the text. A launcher that has gone must not raise SIGPIPE in a user's program. */
static int pmi1_send(pmi1_boot *self, const char *text, size_t length, cor_fault *fault)
{
    while (length > 0) {
        ssize_t sent = send(self->fd, text, length, MSG_NOSIGNAL);
        if (sent < 0 && errno == ENOTSOCK)
            sent = write(self->fd, text, length);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0 && errno == EAGAIN) {
            struct pollfd wait = {.fd = self->fd, .events = POLLOUT};
            poll(&wait, 1, -1);
            continue;
        }
        if (sent < 0)
            return pmi1_system(self, "writing to", fault);
        text += sent;
        length -= (size_t)sent;
    }
    return COR_OK;
}

/* Wait for bytes and take them. */
static int pmi1_fill(pmi1_boot *self, const char *expected, cor_fault *fault)
{
    size_t room;
    char *bytes = cor_pmi_reader_room(&self->reader, &room);
    for (;;) {
        ssize_t got = read(self->fd, bytes, room);
        if (got > 0) {
            cor_pmi_reader_filled(&self->reader, (size_t)got);
            return COR_OK;
        }
        if (got == 0)
            return cor_fault_set(fault, COR_ERR_BOOT, "rank %d: the launcher hung up instead of answering with %s",
                                 self->base.rank, expected);
        if (errno == EAGAIN) {
            struct pollfd wait = {.fd = self->fd, .events = POLLIN};
            poll(&wait, 1, -1);
        } else if (errno != EINTR) {
            return pmi1_system(self, "reading from", fault);
        }
    }
}

/* The next answer into self->answer; it must be cmd=<expected> and not tell a failure. */
static int pmi1_receive(pmi1_boot *self, const char *expected, cor_fault *fault)
{
    char *text = NULL;
    size_t length = 0;
    cor_fault why = {0};
    int code;
    while ((code = cor_pmi_reader_next(&self->reader, &text, &length, &why)) == COR_AGAIN) {
        code = pmi1_fill(self, expected, fault);
        if (code != COR_OK)
            return code;
    }
    if (code == COR_OK)
        code = cor_pmi_line_parse(text, length, &self->answer, &why);
    if (code != COR_OK)
        return cor_fault_set(fault, COR_ERR_BOOT, "rank %d: the launcher does not speak PMI-1: %s", self->base.rank,
                             why.text);
    const char *command = cor_pmi_line_get(&self->answer, "cmd");
    if (!command || strcmp(command, expected) != 0)
        return cor_fault_set(fault, COR_ERR_BOOT, "rank %d: the launcher answered cmd=%.40s where %s was due",
                             self->base.rank, command ? command : "", expected);
    int status = 0;
    if (cor_pmi_line_get(&self->answer, "rc") && (!cor_pmi_line_int(&self->answer, "rc", &status) || status != 0)) {
        const char *message = cor_pmi_line_get(&self->answer, "msg");
        return cor_fault_set(fault, COR_ERR_BOOT, "rank %d: the launcher answered %s with rc=%.20s: %.80s",
                             self->base.rank, expected, cor_pmi_line_get(&self->answer, "rc"),
                             message ? message : "no reason given");
    }
    return COR_OK;
}

static int pmi1_ask(pmi1_boot *self, const char *request, const char *expected, cor_fault *fault)
{
    int code = pmi1_send(self, request, strlen(request), fault);
    return code == COR_OK ? pmi1_receive(self, expected, fault) : code;
}

/* ---- exchange --------------------------------------------------------------------------------------------------- */

static void pmi1_key(const pmi1_boot *self, const char *key, int rank, char *out, size_t room)
{
    snprintf(out, room, "cor%u-%s-%d", self->exchanges, key, rank);
}

static int pmi1_put(pmi1_boot *self, const char *key, const char *value, cor_fault *fault)
{
    char name[64], request[PMI1_NAME_MAX + 512];
    pmi1_key(self, key, self->base.rank, name, sizeof name);
    if (strlen(name) > (size_t)self->key_max || strlen(value) > (size_t)self->value_max)
        return cor_fault_set(fault, COR_ERR_BOOT,
                             "rank %d: the launcher takes keys up to %d and values up to %d characters; %s needs %zu "
                             "and %zu",
                             self->base.rank, self->key_max, self->value_max, key, strlen(name), strlen(value));
    snprintf(request, sizeof request, "cmd=put kvsname=%s key=%s value=%s\n", self->kvsname, name, value);
    return pmi1_ask(self, request, "put_result", fault);
}

static int pmi1_fence(cor_boot *boot, cor_fault *fault)
{
    return pmi1_ask((pmi1_boot *)boot, "cmd=barrier_in\n", "barrier_out", fault);
}

/* Ask for the values of `count` ranks from `first` on, then take the answers, which come in the same order. */
static int pmi1_get(pmi1_boot *self, const char *key, int first, int count, boot_values *values, cor_fault *fault)
{
    char requests[PMI1_BUNCH * (PMI1_NAME_MAX + 128)] = "";
    size_t length = 0;
    for (int i = 0; i < count; i++) {
        char name[64];
        pmi1_key(self, key, first + i, name, sizeof name);
        length += (size_t)snprintf(requests + length, sizeof requests - length, "cmd=get kvsname=%s key=%s\n",
                                   self->kvsname, name);
    }
    int code = pmi1_send(self, requests, length, fault);
    for (int i = 0; code == COR_OK && i < count; i++) {
        code = pmi1_receive(self, "get_result", fault);
        if (code != COR_OK)
            break;
        const char *value = cor_pmi_line_get(&self->answer, "value");
        if (!value || strlen(value) > COR_BOOT_VALUE_MAX)
            code = cor_fault_set(fault, COR_ERR_BOOT,
                                 "rank %d: the launcher's answer has no usable value of %s of "
                                 "rank %d",
                                 self->base.rank, key, first + i);
        else
            cor_boot_values_set(values, first + i, value);
    }
    return code;
}

static int pmi1_exchange(cor_boot *boot, const char *key, const char *value, const char *const **values_p,
                         cor_fault *fault)
{
    pmi1_boot *self = (pmi1_boot *)boot;
    int code = cor_boot_check_value(key, value, fault);
    if (code != COR_OK)
        return code;
    boot_values *values = cor_boot_values_create(boot->size, &self->values);
    if (!values)
        return cor_fault_set(fault, COR_ERR_MEMORY, "rank %d: no memory for the exchange of %s", boot->rank, key);
    code = pmi1_put(self, key, value, fault);
    if (code == COR_OK)
        code = pmi1_fence(boot, fault);
    int bunch = self->is_pipelined ? PMI1_BUNCH : 1;
    for (int first = 0; code == COR_OK && first < boot->size; first += bunch)
        code = pmi1_get(self, key, first, boot->size - first < bunch ? boot->size - first : bunch, values, fault);
    self->exchanges++;
    if (code == COR_OK)
        *values_p = values->by_rank;
    return code;
}

/* ---- the end ---------------------------------------------------------------------------------------------------- */

static int pmi1_finalize(cor_boot *boot, cor_fault *fault)
{
    return pmi1_ask((pmi1_boot *)boot, "cmd=finalize\n", "finalize_ack", fault);
}

/* May come from any thread: only writes, one line in one call, and leaves the answer to whoever reads. */
static void pmi1_abort(cor_boot *boot, int status, const char *reason)
{
    pmi1_boot *self = (pmi1_boot *)boot;
    char word[300] = "", request[400];
    if (reason)
        cor_pmi_escape(reason, word, sizeof word);
    if (!self->is_pipelined)
        poll(NULL, 0, PMI1_ABORT_SETTLE_MS);
    /* Only our own launcher reads the reason; the others pass over words they do not know. */
    snprintf(request, sizeof request, "cmd=abort exitcode=%d%s%s\n", status, *word ? " reason=" : "", word);
    cor_fault ignored = {0};
    if (pmi1_send(self, request, strlen(request), &ignored) != COR_OK)
        return;
    poll(NULL, 0, PMI1_ABORT_WAIT_MS);
}

static void pmi1_close(cor_boot *boot)
{
    pmi1_boot *self = (pmi1_boot *)boot;
    close(self->fd);
    cor_boot_values_destroy(&self->values);
    free(self);
}

/* ---- the start -------------------------------------------------------------------------------------------------- */

static int pmi1_greet(pmi1_boot *self, cor_fault *fault)
{
    int code = pmi1_ask(self, "cmd=init pmi_version=1 pmi_subversion=1\n", "response_to_init", fault);
    if (code != COR_OK)
        return code;
    int version = 0, pipeline = 0;
    if (!cor_pmi_line_int(&self->answer, "pmi_version", &version) || version != 1)
        return cor_fault_set(fault, COR_ERR_BOOT, "rank %d: the launcher speaks PMI version %d, not 1",
                             self->base.rank, version);
    self->is_pipelined = cor_pmi_line_int(&self->answer, "pipeline", &pipeline) && pipeline == 1;

    code = pmi1_ask(self, "cmd=get_maxes\n", "maxes", fault);
    if (code != COR_OK)
        return code;
    if (!cor_pmi_line_int(&self->answer, "keylen_max", &self->key_max) ||
        !cor_pmi_line_int(&self->answer, "vallen_max", &self->value_max) || self->key_max < 0 || self->value_max < 0)
        return cor_fault_set(fault, COR_ERR_BOOT,
                             "rank %d: the launcher does not tell how long keys and values may be", self->base.rank);

    code = pmi1_ask(self, "cmd=get_my_kvsname\n", "my_kvsname", fault);
    if (code != COR_OK)
        return code;
    const char *name = cor_pmi_line_get(&self->answer, "kvsname");
    if (!name || !*name || strlen(name) > PMI1_NAME_MAX)
        return cor_fault_set(fault, COR_ERR_BOOT, "rank %d: the launcher names no usable key-value space",
                             self->base.rank);
    memcpy(self->kvsname, name, strlen(name) + 1);
    return COR_OK;
}

static const cor_boot_ops pmi1_ops = {
    .name = "pmi1",
    .exchange = pmi1_exchange,
    .fence = pmi1_fence,
    .finalize = pmi1_finalize,
    .abort = pmi1_abort,
    .close = pmi1_close,
};

int cor_boot_pmi1_open(int fd, int rank, int size, const cor_log *log, cor_boot **boot_p, cor_fault *fault)
{
    pmi1_boot *self = calloc(1, sizeof *self);
    if (!self)
        return cor_fault_set(fault, COR_ERR_MEMORY, "rank %d: no memory to boot", rank);
    self->base.ops = &pmi1_ops;
    self->base.rank = rank;
    self->base.size = size;
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    self->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (self->fd < 0) {
        int code = pmi1_system(self, "taking the socket to", fault);
        free(self);
        return code;
    }
    int code = pmi1_greet(self, fault);
    if (code != COR_OK) {
        pmi1_close(&self->base);
        return code;
    }
    if (log)
        COR_LOG(log, DEBUG, "boot: PMI-1 on fd %d, rank %d of %d, space %s, gets %s", fd, rank, size, self->kvsname,
                self->is_pipelined ? "in bunches" : "one by one");
    *boot_p = &self->base;
    return COR_OK;
}

#define _GNU_SOURCE
#include "pmi/pmi_talk.h"

#include "base/clock.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int cor_pmi_talk_failed(const cor_pmi_talk *talk, const char *what, cor_fault *fault)
{
    if (errno == EPIPE || errno == ECONNRESET)
        return cor_fault_set(
            fault, COR_ERR_BOOT,
            "rank %d: the launcher has closed the connection; most launchers let a process start MPI only once",
            talk->rank);
    return cor_fault_set(fault, COR_ERR_BOOT, "rank %d: %s the launcher failed: %s", talk->rank, what,
                         strerror(errno));
}

/* The launcher has had its time, `expected` or not. */
static int talk_late(const cor_pmi_talk *talk, const char *expected, cor_fault *fault)
{
    if (!expected)
        return cor_fault_set(fault, COR_ERR_BOOT,
                             "rank %d: the launcher has not read a request within %d s (setting pmi.timeout)",
                             talk->rank, talk->timeout_s);
    return cor_fault_set(fault, COR_ERR_BOOT,
                         "rank %d: the launcher has not answered with %s within %d s (setting pmi.timeout)",
                         talk->rank, expected, talk->timeout_s);
}

/* Until the launcher has sent something (POLLIN; `expected`, for the message) or takes something (POLLOUT), or has had
 * its time. */
static int talk_await(cor_pmi_talk *talk, short events, const char *expected, cor_fault *fault)
{
    struct pollfd wait = {.fd = talk->fd, .events = events};
    uint64_t until = cor_clock_ns() + (uint64_t)talk->timeout_s * 1000000000u;
    for (;;) {
        int64_t left_ms = (int64_t)(until - cor_clock_ns()) / 1000000;
        int wait_ms = talk->meanwhile ? talk->nap_ms : talk->timeout_s == 0 ? -1 : left_ms < 0 ? 0 : (int)left_ms;
        int ready = poll(&wait, 1, wait_ms);
        if (ready > 0)
            return COR_OK;
        if (ready < 0 && errno != EINTR)
            return cor_pmi_talk_failed(talk, "waiting for", fault);
        if (ready == 0 && !talk->meanwhile)
            return talk_late(talk, expected, fault);
        int code = talk->meanwhile ? talk->meanwhile(talk->subject, fault) : COR_OK;
        if (code != COR_OK)
            return code;
    }
}

int cor_pmi_talk_send(cor_pmi_talk *talk, const char *text, size_t length, cor_fault *fault)
{
    while (length > 0) {
        ssize_t sent = send(talk->fd, text, length, MSG_NOSIGNAL);
        if (sent < 0 && errno == ENOTSOCK)
            sent = write(talk->fd, text, length);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0 && errno == EAGAIN) {
            int code = talk_await(talk, POLLOUT, NULL, fault);
            if (code != COR_OK)
                return code;
            continue;
        }
        if (sent < 0)
            return cor_pmi_talk_failed(talk, "writing to", fault);
        text += sent;
        length -= (size_t)sent;
    }
    return COR_OK;
}

/* Wait for bytes and take them. */
static int talk_fill(cor_pmi_talk *talk, const char *expected, cor_fault *fault)
{
    size_t room;
    char *bytes = cor_pmi_reader_room(&talk->reader, &room);
    for (;;) {
        int code = talk_await(talk, POLLIN, expected, fault);
        if (code != COR_OK)
            return code;
        ssize_t got = read(talk->fd, bytes, room);
        if (got > 0) {
            cor_pmi_reader_filled(&talk->reader, (size_t)got);
            return COR_OK;
        }
        if (got == 0)
            return cor_fault_set(fault, COR_ERR_BOOT,
                                 "rank %d: the launcher closed the connection instead of answering with %s",
                                 talk->rank, expected);
        if (errno != EAGAIN && errno != EINTR)
            return cor_pmi_talk_failed(talk, "reading from", fault);
    }
}

int cor_pmi_talk_receive(cor_pmi_talk *talk, const char *expected, cor_fault *fault)
{
    char *text = NULL;
    size_t length = 0;
    cor_fault why = {0};
    int code;
    while ((code = cor_pmi_reader_next(&talk->reader, &text, &length, &why)) == COR_AGAIN) {
        code = talk_fill(talk, expected, fault);
        if (code != COR_OK)
            return code;
    }
    if (code == COR_OK)
        code = cor_pmi_line_parse(text, length, &talk->answer, &why);
    if (code != COR_OK)
        return cor_fault_set(fault, COR_ERR_BOOT, "rank %d: the launcher sent invalid PMI-1: %s", talk->rank,
                             why.text);
    const char *command = cor_pmi_line_get(&talk->answer, "cmd");
    if (!command || strcmp(command, expected) != 0)
        return cor_fault_set(fault, COR_ERR_BOOT, "rank %d: the launcher answered cmd=%.40s instead of %s", talk->rank,
                             command ? command : "", expected);
    int status = 0;
    if (cor_pmi_line_get(&talk->answer, "rc") && (!cor_pmi_line_int(&talk->answer, "rc", &status) || status != 0)) {
        const char *message = cor_pmi_line_get(&talk->answer, "msg");
        return cor_fault_set(fault, COR_ERR_BOOT, "rank %d: the launcher answered %s with rc=%.20s: %.80s", talk->rank,
                             expected, cor_pmi_line_get(&talk->answer, "rc"), message ? message : "no reason given");
    }
    return COR_OK;
}

int cor_pmi_talk_ask(cor_pmi_talk *talk, const char *request, const char *expected, cor_fault *fault)
{
    int code = cor_pmi_talk_send(talk, request, strlen(request), fault);
    return code == COR_OK ? cor_pmi_talk_receive(talk, expected, fault) : code;
}

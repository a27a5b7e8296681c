/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "pmi/pmi_conn.h"

#include "base/clock.h"
#include "base/patience.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CONN_LOOK_MS = 200 }; /* how often to look how long it has been waited */

int cor_pmi_conn_failed(const cor_pmi_conn *conn, const char *what, cor_fault *fault)
{
    if (errno == EPIPE || errno == ECONNRESET)
        return cor_fault_set(
            fault, COR_ERR_BOOT,
            "rank %d: the launcher has closed the connection; most launchers let a process start MPI only once",
            conn->rank);
    return cor_fault_set(fault, COR_ERR_BOOT, "rank %d: %s the launcher failed: %s", conn->rank, what,
                         strerror(errno));
}

/* The launcher has not answered, or not read, in time. */
static int conn_timeout(const cor_pmi_conn *conn, const char *expected, cor_fault *fault)
{
    if (!expected)
        return cor_fault_set(fault, COR_ERR_BOOT,
                             "rank %d: the launcher has not read a request within %d s (setting pmi.timeout)",
                             conn->rank, conn->timeout_s);
    return cor_fault_set(fault, COR_ERR_BOOT,
                         "rank %d: the launcher has not answered with %s within %d s (setting pmi.timeout)",
                         conn->rank, expected, conn->timeout_s);
}

/* Wait until the launcher has sent something (POLLIN; `expected`, for the message) or reads (POLLOUT), or until the
 * timeout. */
static int conn_await(cor_pmi_conn *conn, short events, const char *expected, cor_fault *fault)
{
    struct pollfd wait = {.fd = conn->fd, .events = events};
    cor_patience waited = cor_patience_begin(cor_clock_ns());
    int wait_ms = conn->meanwhile ? conn->nap_ms : conn->timeout_s == 0 ? -1 : CONN_LOOK_MS;
    for (;;) {
        int ready = poll(&wait, 1, wait_ms);
        if (ready > 0)
            return COR_OK;
        if (ready < 0 && errno != EINTR)
            return cor_pmi_conn_failed(conn, "waiting for", fault);
        uint64_t passed_ns = cor_patience_passed_ns(&waited, cor_clock_ns());
        int code = conn->meanwhile ? conn->meanwhile(conn->subject, fault) : COR_OK;
        if (code != COR_OK)
            return code;
        if (!conn->meanwhile && conn->timeout_s > 0 && passed_ns >= (uint64_t)conn->timeout_s * 1000000000u)
            return conn_timeout(conn, expected, fault);
    }
}

int cor_pmi_conn_send(cor_pmi_conn *conn, const char *text, size_t length, cor_fault *fault)
{
    while (length > 0) {
        ssize_t sent = send(conn->fd, text, length, MSG_NOSIGNAL);
        if (sent < 0 && errno == ENOTSOCK)
            sent = write(conn->fd, text, length);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0 && errno == EAGAIN) {
            int code = conn_await(conn, POLLOUT, NULL, fault);
            if (code != COR_OK)
                return code;
            continue;
        }
        if (sent < 0)
            return cor_pmi_conn_failed(conn, "writing to", fault);
        text += sent;
        length -= (size_t)sent;
    }
    return COR_OK;
}

/* Wait for bytes and read them. */
static int conn_fill(cor_pmi_conn *conn, const char *expected, cor_fault *fault)
{
    size_t room;
    char *bytes = cor_pmi_reader_room(&conn->reader, &room);
    for (;;) {
        int code = conn_await(conn, POLLIN, expected, fault);
        if (code != COR_OK)
            return code;
        ssize_t got = read(conn->fd, bytes, room);
        if (got > 0) {
            cor_pmi_reader_filled(&conn->reader, (size_t)got);
            return COR_OK;
        }
        if (got == 0)
            return cor_fault_set(fault, COR_ERR_BOOT,
                                 "rank %d: the launcher closed the connection instead of answering with %s",
                                 conn->rank, expected);
        if (errno != EAGAIN && errno != EINTR)
            return cor_pmi_conn_failed(conn, "reading from", fault);
    }
}

int cor_pmi_conn_receive(cor_pmi_conn *conn, const char *expected, cor_fault *fault)
{
    char *text = NULL;
    size_t length = 0;
    cor_fault why = {0};
    int code;
    while ((code = cor_pmi_reader_next(&conn->reader, &text, &length, &why)) == COR_AGAIN) {
        code = conn_fill(conn, expected, fault);
        if (code != COR_OK)
            return code;
    }
    if (code == COR_OK)
        code = cor_pmi_line_parse(text, length, &conn->answer, &why);
    if (code != COR_OK)
        return cor_fault_set(fault, COR_ERR_BOOT, "rank %d: the launcher sent invalid PMI-1: %s", conn->rank,
                             why.text);
    const char *command = cor_pmi_line_get(&conn->answer, "cmd");
    if (!command || strcmp(command, expected) != 0)
        return cor_fault_set(fault, COR_ERR_BOOT, "rank %d: the launcher answered cmd=%.40s instead of %s", conn->rank,
                             command ? command : "", expected);
    int status = 0;
    if (cor_pmi_line_get(&conn->answer, "rc") && (!cor_pmi_line_int(&conn->answer, "rc", &status) || status != 0)) {
        const char *message = cor_pmi_line_get(&conn->answer, "msg");
        return cor_fault_set(fault, COR_ERR_BOOT, "rank %d: the launcher answered %s with rc=%.20s: %.80s", conn->rank,
                             expected, cor_pmi_line_get(&conn->answer, "rc"), message ? message : "no reason given");
    }
    return COR_OK;
}

int cor_pmi_conn_request(cor_pmi_conn *conn, const char *request, const char *expected, cor_fault *fault)
{
    int code = cor_pmi_conn_send(conn, request, strlen(request), fault);
    return code == COR_OK ? cor_pmi_conn_receive(conn, expected, fault) : code;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A client's connection with PMI-1: one request, one answer, both lines of text, on a socket that the launcher has
 * passed.
 *
 * Every error message names the rank. The timeout, or `meanwhile`, ends a wait. Used by one thread, except
 * cor_pmi_conn_send, which any thread may call.
 */
#ifndef COR_PMI_CONN_H
#define COR_PMI_CONN_H

#include "pmi/pmi_line.h"

typedef struct cor_pmi_conn {
    int fd;
    int rank;      /* for messages */
    int timeout_s; /* for one answer; 0: no limit. The time that this process was stopped does not count. */
    /* If set, called every nap_ms while waiting for an answer; a result other than COR_OK ends the wait. */
    int (*meanwhile)(void *subject, cor_fault *fault);
    int nap_ms;
    void *subject;
    cor_pmi_line answer; /* the last one; points into the reader */
    cor_pmi_reader reader;
} cor_pmi_conn;

/* Send all of the text. A closed socket raises no SIGPIPE. */
int cor_pmi_conn_send(cor_pmi_conn *conn, const char *text, size_t length, cor_fault *fault);

/* Read the next answer into conn->answer; it must be cmd=<expected> and not an error. */
int cor_pmi_conn_receive(cor_pmi_conn *conn, const char *expected, cor_fault *fault);

/* Send and receive. */
int cor_pmi_conn_request(cor_pmi_conn *conn, const char *request, const char *expected, cor_fault *fault);

/* The message for a failed system call; `what` is "reading from" or the like. */
int cor_pmi_conn_failed(const cor_pmi_conn *conn, const char *what, cor_fault *fault);

#endif

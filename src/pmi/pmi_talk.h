/*
 * The client's end of a dialogue in PMI-1: one request, one answer, both lines of text, on a socket that the launcher
 * has handed over.
 *
 * Every failure is a sentence that names the rank. No answer is waited for longer than the time set, or than
 * `meanwhile` allows. One thread, but for cor_pmi_talk_send, which any may call.
 */
#ifndef COR_PMI_TALK_H
#define COR_PMI_TALK_H

#include "pmi/pmi_line.h"

typedef struct cor_pmi_talk {
    int fd;
    int rank;      /* for messages */
    int timeout_s; /* of one answer; 0: for ever */
    /* If set, called every nap_ms while an answer is awaited, which then ends when this says other than COR_OK. */
    int (*meanwhile)(void *subject, cor_fault *fault);
    int nap_ms;
    void *subject;
    cor_pmi_line answer; /* the last one; points into the reader */
    cor_pmi_reader reader;
} cor_pmi_talk;

/* All of the text. A launcher that has gone raises no SIGPIPE. */
int cor_pmi_talk_send(cor_pmi_talk *talk, const char *text, size_t length, cor_fault *fault);

/* The next answer into talk->answer; it must be cmd=<expected> and not tell a failure. */
int cor_pmi_talk_receive(cor_pmi_talk *talk, const char *expected, cor_fault *fault);

/* Both. */
int cor_pmi_talk_ask(cor_pmi_talk *talk, const char *request, const char *expected, cor_fault *fault);

/* The sentence for a system call that failed while `what` the launcher: "reading from". */
int cor_pmi_talk_failed(const cor_pmi_talk *talk, const char *what, cor_fault *fault);

#endif

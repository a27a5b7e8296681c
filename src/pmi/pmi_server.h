/*
 * The launcher's side of PMI-1: a state machine without any input or output of its own.
 *
 * The owner feeds it the bytes that came from a rank's socket and sends what it has pending for each rank. It never
 * blocks and keeps whatever a rank sends bounded. Used by one thread.
 */
#ifndef COR_PMI_SERVER_H
#define COR_PMI_SERVER_H

#include "base/error.h"

#include <stddef.h>

typedef struct cor_pmi_server cor_pmi_server;

/* A rank asked to end the job; `reason` may be empty and is valid during the call. */
typedef void (*cor_pmi_abort_fn)(void *context, int rank, int status, const char *reason);

/* `name` distinguishes this job's key-value spaces from other jobs'. */
int cor_pmi_server_create(int size, const char *name, cor_pmi_abort_fn on_abort, void *context,
                          cor_pmi_server **server_p, cor_fault *fault);
void cor_pmi_server_destroy(cor_pmi_server *server);

/* Bytes from a rank. COR_ERR_BOOT: what it sent is no PMI-1; the connection is useless from then on. */
int cor_pmi_server_feed(cor_pmi_server *server, int rank, const char *bytes, size_t length, cor_fault *fault);

/* What is to be sent to a rank, and that so much of it was sent. */
const char *cor_pmi_server_pending(const cor_pmi_server *server, int rank, size_t *length_p);
void cor_pmi_server_sent(cor_pmi_server *server, int rank, size_t length);

/* Between init and finalize? A rank that ends then has ended too early. */
int cor_pmi_server_is_active(const cor_pmi_server *server, int rank);

/* A rank's process has ended, it will not take part in any barrier. */
void cor_pmi_server_gone(cor_pmi_server *server, int rank);

/* A rank that has gone although another waits for it in a barrier, or -1. */
int cor_pmi_server_missing(const cor_pmi_server *server);

#endif

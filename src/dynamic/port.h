/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ports: listening sockets, and a name that tells where they are and a secret:
 *
 *   corunna2+<secret, 64 digits>+<port>@<address>+<port>@<address>...
 *
 * The name is all that a process must know to be let in, and not to be guessed; the secret never crosses a connection.
 * Sockets listen where ranks do: tcp.interface, tcp.ports (base/listen.h).
 *
 * The protocol. A connection begins with the greeting of base/hello.h under the port's secret, without a rank on either
 * side (from and to are 0). Then both make the key of the connection and seal it (bridge.h), and the first sealed frame
 * says that the call was accepted:
 *
 *    caller                                   port
 *    CONNECTING      hello ----------------->  AWAITS_HELLO
 *    AWAITS_ANSWER   <---------- hello, proof  AWAITS_PROOF
 *    AWAITS_WELCOME  proof ----------------->  PROVEN
 *                                              ... until an accept takes it
 *                    <-------- welcome, sealed taken: the connection is that accept's
 *
 * Rules of the port. Connections move on only while a thread of its process is in accept; up to then the kernel keeps
 * them, and what has come from the kernel stays where it is.
 *  1. PORT_INCOMINGS_MAX connections at most are past the kernel, and none waits for another: each has a stage and a
 *  limit of its
 *     own, PORT_GREETING_S for a stage. What has come is read before a limit is looked at, since this process may have
 *     been away.
 *  2. Where all places are taken and more come, the one that has been silent for longest makes room, once it was silent
 *  for
 *     PORT_SILENT_MS. A caller says its hello at once, and its proof as soon as it has the answer.
 *  3. A connection that sends something wrong is dropped at once. If it may be a caller of another version or of a port
 *  that was here before,
 *     it gets our hello first, without a proof.
 *  4. PROVEN callers are never dropped; they are accepted in the order in which they proved themselves. One that goes
 *  away frees
 *     its place.
 *  5. When the port is closed, all its connections are.
 *
 * Rules of the caller. All of it together ends after PORT_CONNECT_S, with COR_ERR_PORT and the reason.
 *  1. The addresses are tried in turn, each for PORT_ADDRESS_S to be connected. The kernel of the port's host connects
 *  while the
 *     process is in no accept, so a connection without an answer may be the right one: the other addresses are tried
 *     after PORT_ADDRESS_S, and then all of them again for twice as long. A single address is waited for to the end.
 *  2. Nobody is believed without a proof. Another program at one of the addresses is no error while there are further
 *  addresses.
 *  3. A connection that is closed before the welcome may have had to make room: it is tried again, PORT_TRIES times at
 *  most, after a pause
 *     that grows. If the port is closed by then, the connection is refused, and that is the reason told.
 *  4. A welcome that was changed on its way is the end.
 *
 * tests/dynamic/port_model_test.c walks through all interleavings, with these rules and without any one of them.
 */
#ifndef COR_DYNAMIC_PORT_H
#define COR_DYNAMIC_PORT_H

#include "base/hello.h"
#include "base/list.h"
#include "base/place.h"
#include "dynamic/bridge.h"
#include "dynamic/dynamic.h"

#include <pthread.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    PORT_PLACES_MAX = 6,
    PORT_INCOMINGS_MAX = 64,
    PORT_GREETING_S = 5,
    PORT_SILENT_MS = 100,
    PORT_ADDRESS_S = 5,
    PORT_CONNECT_S = BRIDGE_TIMEOUT_S,
    PORT_TRIES = 6,
    PORT_PAUSE_MS = 25, /* doubled before each further attempt */
    PORT_WELCOME = 1,   /* the byte of the first frame */
};

/* ---- port_name.c ------------------------------------------------------------------------------------------------ */

typedef struct port_name {
    uint8_t secret[COR_SECRET_BYTES];
    int count;
    cor_place places[PORT_PLACES_MAX];
} port_name;

enum { PORT_WHERE_MAX = 96 };

void port_name_print(const port_name *name, char text[COR_PORT_MAX]);
/* 1: it is a name as above. */
int port_name_parse(const char *text, port_name *name_p);
/* For messages: where it is, without the secret; what is no name, its first characters. */
void port_name_describe(const char *text, char where[PORT_WHERE_MAX]);

/* ---- port.c ----------------------------------------------------------------------------------------------------- */

/* Either end of a connection: it breaks when the other host is gone, as a connection of ranks does (tcp.heartbeat_s).
 * Both sides may wait for a caller or an accept however long. */
void port_keep(const cor_rank *rank, int fd);

/* ---- port_incoming.c -------------------------------------------------------------------------------------------- */

typedef enum port_stage { PORT_AWAITS_HELLO, PORT_AWAITS_PROOF, PORT_PROVEN } port_stage;

typedef struct port_incoming {
    cor_greeting greeting; /* fd -1: the place is free */
    port_stage stage;
    uint64_t moved_ns; /* when its stage began */
    uint64_t turn;     /* of a proven one: its number */
} port_incoming;

/* One open port. Fields below the mutex are used under it; it is never held while waiting. */
typedef struct dynamic_port {
    cor_link link; /* cor_dynamic.ports */
    int users;     /* threads in accept, under the mutex of cor_dynamic */
    char text[COR_PORT_MAX];
    port_name name;
    pthread_mutex_t mutex;
    int is_closed;
    int listeners[PORT_PLACES_MAX]; /* of each place */
    port_incoming incoming[PORT_INCOMINGS_MAX];
    int incoming_count;
    uint64_t proofs, strangers;
} dynamic_port;

/* Let all connections move on. 1: *bridge_p is a caller's, which has been told; 0: none yet; an error: no connection
 * can be had, and the fault says why. */
int port_incoming_turn(cor_rank *rank, dynamic_port *port, dynamic_bridge **bridge_p, cor_fault *fault);
/* Wait for something to happen, and for two milliseconds at most. */
void port_incoming_wait(dynamic_port *port);
/* Close all connections and sockets. */
void port_incoming_close(dynamic_port *port);

/* ---- port_call.c ------------------------------------------------------------------------------------------------ */

int port_connect(cor_rank *rank, const char *text, dynamic_bridge **bridge_p);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ports: listening sockets, and a name with their addresses and a secret:
 *
 *   corunna2+<secret, 64 digits>+<port>@<address>+<port>@<address>...
 *
 * The name is all that a process needs to connect, and cannot be guessed; the secret is never sent over a connection.
 * Sockets listen where ranks do: tcp.interface, tcp.ports (base/listen.h).
 *
 * The protocol. A connection begins with the greeting of base/hello.h under the port's secret, without a rank on either
 * side (from and to are 0). Then both derive the key of the connection and seal it (bridge.h), and the first sealed
 * frame confirms that the connection was accepted:
 *
 *    caller                                   port
 *    CONNECTING      hello ----------------->  AWAITS_HELLO
 *    AWAITS_ANSWER   <---------- hello, proof  AWAITS_PROOF
 *    AWAITS_WELCOME  proof ----------------->  PROVEN
 *                                              ... until an accept takes it
 *                    <-------- welcome, sealed taken: the connection is that accept's
 *
 * Rules of the port. Connections make progress only while a thread of its process is in accept; until then the kernel
 * keeps new ones, and those already accepted from the kernel stay in their stage.
 *  1. At most PORT_INCOMINGS_MAX connections are accepted from the kernel, and none waits for another: each has its own
 *     stage and time limit, PORT_GREETING_S for a stage. Input is read before a limit is checked, since this process
 *     may not have polled for a while.
 *  2. If all places are taken and more connections come, the one that has been silent for longest is dropped, once it
 *     was silent for PORT_SILENT_MS. A caller sends its hello at once, and its proof as soon as it has the answer.
 *  3. A connection that violates the protocol is dropped at once. If it may be a caller of another version or of an
 *     earlier port at this address, it first gets this end's hello, without a proof.
 *  4. PROVEN callers are never dropped; they are accepted in the order of their proofs. One that disconnects frees its
 *     place.
 *  5. When the port is closed, all its connections are.
 *
 * Rules of the caller. All of it together ends after PORT_CONNECT_S, with COR_ERR_PORT and the reason.
 *  1. The addresses are tried in turn, each with PORT_ADDRESS_S to connect. The kernel of the port's host connects even
 *     while the process is in no accept, so a connection without an answer may be the right one: the other addresses
 *     are tried after PORT_ADDRESS_S, and then all of them again for twice as long. A single address is waited for to
 *     the end.
 *  2. No answer is trusted without a proof. Another program at one of the addresses is no error while there are further
 *     addresses.
 *  3. A connection that is closed before the welcome may have been dropped to make room: it is tried again, at most
 *     PORT_TRIES times, after a growing pause. If the port is closed by then, the connection is refused, and that is
 *     the reason reported.
 *  4. A welcome that was changed on its way is a final error.
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

/* Make progress on all connections. 1: *bridge_p is that of a caller, which was sent the welcome; 0: none yet; an
 * error: no connection is possible, and the fault says why. */
int port_incoming_turn(cor_rank *rank, dynamic_port *port, dynamic_bridge **bridge_p, cor_fault *fault);
/* Wait for something to happen, and for two milliseconds at most. */
void port_incoming_wait(dynamic_port *port);
/* Close all connections and sockets. */
void port_incoming_close(dynamic_port *port);

/* ---- port_call.c ------------------------------------------------------------------------------------------------ */

int port_connect(cor_rank *rank, const char *text, dynamic_bridge **bridge_p);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hammer for sockets: every kind of call and of waiting in random turns, both ends unmodified programs.
 *
 * The host, which has no sockets, starts two ends, a server and a client, each plain or below the preloaded library.
 * All of them share a board: what is to be done, and a row for each worker, which tells what it waits for and how many
 * bytes it has moved. The host watches the rows. Where none moves for long, something hangs; the host prints the rows
 * and the seed, and ends both ends.
 *
 * Both ends draw what a connection does from the same seed. Its bytes are a pattern of their position, which the reader
 * compares, so that one that is lost, doubled or misplaced is found where it happens.
 *
 * A worker is one thread that uses one connection. Failed checks end the process; the host tells of the others.
 */
#ifndef TESTS_NET_HAMMER_H
#define TESTS_NET_HAMMER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* ---- words ------------------------------------------------------------------------------------------------------ */

/* How a worker waits. X(name) */
#define HAMMER_KINDS(X) X(block) X(poll) X(select) X(epoll_level) X(epoll_edge) X(epoll_oneshot)
/* What a worker is at: a call that reads, one that writes, or none. X(name) */
#define HAMMER_READS(X) X(read) X(recv) X(recv_waitall) X(recv_peek) X(recvfrom) X(readv) X(recvmsg) X(splice_in)
#define HAMMER_WRITES(X) X(write) X(send) X(sendto) X(writev) X(sendmsg) X(sendfile) X(splice_out)
#define HAMMER_RESTS(X) X(wait_in) X(wait_out) X(wait_any) X(pause) X(done)
#define HAMMER_ACTS(X) X(begin) HAMMER_READS(X) HAMMER_WRITES(X) HAMMER_RESTS(X)
/* A phase is a way to use connections, a file each. X(name) */
#define HAMMER_PHASES(X) X(threads) X(forks) X(turns) X(loops)
#define HAMMER_ENDS(X) X(server) X(client)
#define HAMMER_ROLES(X) X(reader) X(writer) X(both)

#define HAMMER_KIND(name) HAMMER_KIND_##name,
#define HAMMER_ACT(name) HAMMER_ACT_##name,
#define HAMMER_PHASE(name) HAMMER_PHASE_##name,
#define HAMMER_END(name) HAMMER_END_##name,
#define HAMMER_ROLE(name) HAMMER_ROLE_##name,
typedef enum hammer_kind { HAMMER_KINDS(HAMMER_KIND) HAMMER_KIND_COUNT } hammer_kind;
typedef enum hammer_act { HAMMER_ACTS(HAMMER_ACT) HAMMER_ACT_COUNT } hammer_act;
typedef enum hammer_phase { HAMMER_PHASES(HAMMER_PHASE) HAMMER_PHASE_COUNT } hammer_phase;
typedef enum hammer_end { HAMMER_ENDS(HAMMER_END) HAMMER_END_COUNT } hammer_end;
typedef enum hammer_role { HAMMER_ROLES(HAMMER_ROLE) HAMMER_ROLE_COUNT } hammer_role;

/* ---- the board -------------------------------------------------------------------------------------------------- */

/* Written by its worker, read by the host; each word by itself, so nothing is ordered. */
typedef struct hammer_row {
    _Atomic int is_used, end, role, connection, kind, act, process, thread;
    _Atomic uint64_t moved, total; /* bytes */
} hammer_row;

enum { HAMMER_ROWS = 4096 };

typedef struct hammer_board {
    uint64_t seed;
    hammer_phase phase;
    size_t bytes; /* that a connection moves in each direction at most */
    size_t chunk; /* the largest size of one call */
    int connections;
    int may_splice;                        /* some connections do, which makes them return to TCP */
    _Atomic int port;                      /* of the server; 0: not yet */
    _Atomic int is_fast[HAMMER_END_COUNT]; /* bytes went through shared memory */
    _Atomic int row_count;
    hammer_row rows[HAMMER_ROWS];
} hammer_board;

/* A row of this thread. */
hammer_row *hammer_row_take(hammer_board *board, hammer_end end, hammer_role role, int connection, uint64_t total);
/* The bytes that all rows have moved. */
uint64_t hammer_board_moved(hammer_board *board);
/* All rows that are not done, to stderr. */
void hammer_board_tell(hammer_board *board);

/* ---- chance and bytes
 * --------------------------------------------------------------------------------------------- */

typedef struct hammer_dice {
    uint64_t state;
} hammer_dice;

/* Both ends get the same numbers for the same words. */
hammer_dice hammer_dice_of(uint64_t seed, uint64_t first, uint64_t second);
uint64_t hammer_roll(hammer_dice *dice);
size_t hammer_below(hammer_dice *dice, size_t limit);
/* 1 to limit, every order of magnitude as often. */
size_t hammer_size(hammer_dice *dice, size_t limit);

/* The bytes of a stream from this position on. */
void hammer_fill(uint64_t salt, uint64_t at, unsigned char *bytes, size_t length);
void hammer_compare(uint64_t salt, uint64_t at, const unsigned char *bytes, size_t length);

/* ---- workers ---------------------------------------------------------------------------------------------------- */

typedef struct hammer_worker {
    hammer_row *row;
    hammer_dice dice;
    int fd;
    hammer_kind kind;
    int is_blocking; /* the descriptor; where the kind is not, calls have MSG_DONTWAIT */
    int may_splice;
    int sets[HAMMER_KIND_COUNT]; /* of epoll; -1: not yet */
    unsigned set_events[HAMMER_KIND_COUNT];
    int file;             /* for sendfile */
    int pipe[2];          /* for splice */
    size_t in_pipe;       /* bytes there that have not been sent */
    unsigned char *bytes; /* of the chunk at work */
    size_t room;
} hammer_worker;

void hammer_worker_init(hammer_worker *worker, hammer_row *row, int fd, hammer_kind kind, hammer_dice dice);
void hammer_worker_fini(hammer_worker *worker);
/* The worker's memory, so large at least. */
unsigned char *hammer_room(hammer_worker *worker, size_t length);
/* By the worker's kind, without a time limit. Events are POLLIN, POLLOUT or both. A blocking one does not wait here. */
void hammer_wait(hammer_worker *worker, short events);

/* One call of any kind, as read and write. One that wrote no byte may have put bytes into the pipe: the next call is
 * with the same ones. EAGAIN: wait first. Every other error fails. */
ssize_t hammer_take(hammer_worker *worker, void *bytes, size_t length);
ssize_t hammer_give(hammer_worker *worker, const void *bytes, size_t length);

/* All bytes of a part of a stream, in calls of any size up to chunk. */
void hammer_read(hammer_worker *worker, uint64_t salt, uint64_t at, uint64_t length, size_t chunk);
void hammer_write(hammer_worker *worker, uint64_t salt, uint64_t at, uint64_t length, size_t chunk);
/* The peer has sent its last byte. */
void hammer_read_end(hammer_worker *worker);
void hammer_set_blocking(int fd, int is_blocking);
/* The events of epoll for these of poll, and how such a set tells of them. */
unsigned hammer_epoll_events(hammer_kind kind, short events);

/* ---- phases ----------------------------------------------------------------------------------------------------- */

/* What one connection does; the same at both ends. */
typedef struct hammer_plan {
    uint64_t total[HAMMER_END_COUNT]; /* bytes that an end sends */
    uint64_t salt[HAMMER_END_COUNT];
    hammer_kind reader[HAMMER_END_COUNT], writer[HAMMER_END_COUNT];
    int may_splice[HAMMER_END_COUNT];
} hammer_plan;

hammer_plan hammer_plan_of(const hammer_board *board, int connection);
/* The plan's worker of an end, with a row, in the thread that calls. */
void hammer_worker_of(hammer_worker *worker, hammer_board *board, hammer_end end, hammer_role role, int connection,
                      int fd);

/* One end of all connections, descriptors by number. The phase closes them. */
void hammer_phase_threads(hammer_board *board, hammer_end end, int *fds);
void hammer_phase_forks(hammer_board *board, hammer_end end, int *fds);
void hammer_phase_turns(hammer_board *board, hammer_end end, int *fds);
void hammer_phase_loops(hammer_board *board, hammer_end end, int *fds);

/* An end, in a process of its own: connect, run the phase. Its status. */
int hammer_end_run(hammer_board *board, hammer_end end);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A connected TCP socket whose bytes go through shared memory when both ends are on one host and both use this.
 *
 * TCP keeps the life cycle, two rings carry the bytes. The kernel's connection stays open underneath: refused, reset
 * and closed connections, fork, dup and addresses are the kernel's. The descriptor belongs to the caller, which passes
 * it with every call, since a connection may have several.
 *
 * Young connections. Most connections are closed after some messages, and memory for two processes costs more than
 * those would gain. So a connection begins as TCP alone: the program's calls are the kernel's, and nothing is created
 * but a place that counts them. When it has shown that it lives, by turns (a read of bytes after a write) or by bytes
 * (16 KiB count as a turn), it moves: net.turns tells after how many, 0 at once. Rules of a young connection
 * (net_young.c):
 *   Gate    A call that hands the descriptor to the kernel, to read, write or poll, is counted meanwhile (`gate`). A
 *           connection moves only while no call is inside, and a call that comes meanwhile waits until it has moved: so
 *           no thread sleeps in the kernel that takes a bell for data.
 *   Alone   It moves only while one process has it. Of those that a fork has made, the one that is left may move it
 *           later.
 *   Counts  Bytes are counted by the calls that this library sees. Before it moves, the kernel's own counts must agree;
 *           else other calls had a part in it (a system call by number, io_uring), and it stays on TCP.
 *   Sets    The members of epoll sets are the kernel's until then. The preload is called before a connection moves
 *           (cor_net_on_move), and makes them members whose bells it understands.
 *   Give up A young connection that is asked for what only TCP has is plain from then on, without a word to the peer.
 * tests/unit/net_young_model_test.c walks through all interleavings of Gate and Alone, and of those without one of
 * them.
 *
 * The hand-over, C the side that connected, S the side that accepted
 *   0. S announces the port that it listens on, by an abstract socket that carries port and user. (cor_net_announce)
 *   1. C, before it connects, looks for that. None: the server is plain, and so is the connection. Else C, when it is
 *      due, creates a segment (a memfd, sealed against shrinking) and a symbolic link in /dev/shm, whose name is the
 *      network namespace and both addresses and ports, and whose target is the segment under /proc. (net_offer)
 *   2. S, when it is due, looks for that link. None: it looks again when it has counted a quarter more. Link and
 *      segment must belong to this user, and the header must name this connection, and the socket that the kernel says
 *      is its other end: a client that was reset may hold an offer whose ports are another's by now (net_peer.c). S
 *      removes the link, also that of a client that has died meanwhile, and maps the segment. (net_find)
 *   3. S stores how many bytes it has sent by TCP, sets `switched` of its direction and writes to the ring from then
 *      on.
 *   4. C sends on TCP until it sees that. Then it does the same with its own direction. A reader takes exactly so many
 *      bytes from TCP first; what follows them there is bells. C withdraws an offer that S has not taken when it has
 *      counted several times as much.
 *
 * Bells. A side that is about to sleep says so in the segment (`armed`), looks once more, and sleeps on the descriptor.
 * A writer that finds its reader armed sends one byte by TCP, whose arrival wakes recv, poll and epoll alike. A writer
 * without room sleeps on a futex in the segment, or, when it does not block, asks for a bell too. Bells carry nothing:
 * one too many is harmless.
 *
 * Sleeping. Several threads, in several processes since a fork, may sleep on one connection, for bytes or for room, and
 * a bell does not say for which. The kernel wakes all of them, but each looks again whether a byte is there before it
 * returns: a bell that one of them takes is one that the others have not heard. Hence:
 *   Count   A thread that sleeps in recv or poll until a byte comes is counted (`sleepers`), in memory of all processes
 *           that share the connection. It is counted before it arms, and until the kernel has let it go.
 *   Take    Bells are taken only while no thread is counted: the last that wakes takes them. A thread that must leave
 *           them notes that (`is_rung`). To look and to take is one step, by `bell_lock`, and so is to look at
 *           `is_rung` and to be counted. recv looks at the bell (MSG_PEEK) and leaves it.
 *   Tick    A thread that is about to sleep while bells are left would be woken by them at once. It is not counted
 *           then, does not ask the kernel for bytes, and looks again after a millisecond. That lasts until those that
 *           the bells woke have run. The seventh thread that sleeps on a connection ticks, too.
 *   Rely    `reader_armed` is cleared by the writer that rings, and otherwise by a thread that wakes for another
 *           reason, if no counted reader and no epoll set (`watchers`) relies on it. `writer_armed` is cleared by the
 *           reader that rings alone.
 *   Edge    An epoll set has the descriptor edge-triggered, for input and output, and the socket is always writable:
 *           each bell wakes the set, whichever thread takes it. Threads that sleep in a set are not counted.
 *   Switch  The event of a bell, the mark or the end may come while bytes that went by TCP are to be read first, and a
 *           set is told once. So the thread with which the input switches to the ring takes what is there.
 *   Death   A thread that has ended is not counted: one that finds bells left a second time looks for such. A process
 *           that died while it relied on `reader_armed` costs bells that nobody needs. One that is stopped makes the
 *           others tick; then all bells but one are taken, so that they do not pile up.
 *   End     FIN and RST wake all, and stay: from then on any thread may take what is before them.
 *   Futex   A thread that blocks in recv sleeps on a futex in the segment first (net.futex_ms), which costs it and its
 *           writer a cheap system call each, and leaves nothing to take. It reads the futex, sets a bit of its own in
 *           `reader_armed`, looks once more, and sleeps; the writer that finds the bit changes the futex and wakes all.
 *           A sleep that ends otherwise leaves the bit, which another thread may rely on. Whatever else such a thread
 *           is to see is stored first, and then it is woken: a mark, a wish for TCP, an end (`is_ending`). After that,
 *           and when its time is over, it sleeps on the descriptor, where the kernel tells of an end that no call tells
 *           of. (net_futex.c; tests/unit/net_futex_model_test.c)
 * tests/unit/net_bell_model_test.c walks through all interleavings of these rules, and of those without one of them;
 * net_switch_model_test.c through those of Switch.
 *
 * The end. FIN and RST come by TCP, also after kill -9; what is in the ring is read first. A peer that left bytes of
 * ours unread would have sent RST; one that read them all, FIN; the same is reported here, whatever the bells in its
 * socket made the kernel send.
 *
 * Back to TCP (cor_conn_withdraw), before exec and the like. The side that wants it sends a mark after its last bell:
 * what follows is data. It asks the peer for the same, which takes back what was not read yet and sends that by TCP. A
 * peer that does not answer in time does so with its next call, and leaves in the ring what it has written. What the
 * peer has taken back is not read from the ring any more, although it still lies there: it follows the mark, and
 * another thread may have taken that and some of it (`stash`). What TCP has no room for goes with the calls that
 * follow, none of which waits for that (net_back.c tells the rules).
 *
 * Fork. Positions are in the segment; locks and phases in memory that forked processes share. All of them may go on.
 *
 * Trust. Another user's process is never attached to. A process of the same user that writes nonsense to the segment
 * breaks its own connection: positions are checked, sizes are those of the file.
 *
 * Calls return -1 and set errno as the system calls do that they stand for; none of them closes a descriptor. Any
 * thread may call any function at any time, as long as it holds a reference, also of a thread that is cancelled
 * (pthread_cancel) while it waits: its caller gives that up.
 */
#ifndef COR_NET_NET_H
#define COR_NET_NET_H

#include "base/error.h"
#include "base/knob.h"
#include "base/log.h"

#include <poll.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

typedef struct cor_net cor_net;   /* of a process: settings, counters, connections */
typedef struct cor_conn cor_conn; /* one end of a connection */

typedef struct cor_net_config {
    int is_on;
    size_t ring_bytes, far_bytes;
    int turns;
    int spin_us;
    int futex_ms;
    int log_level;
} cor_net_config;

extern const cor_knob_table cor_net_knobs;

/* What a process has done; `corunna sock --stats` prints it. X(name, text) */
#define COR_NET_COUNTERS(X)                                                                                           \
    X(offered, "connections offered as client")                                                                       \
    X(attached, "connections attached as server")                                                                     \
    X(switched, "connections switched to shared memory")                                                              \
    X(plain, "connections that stayed on TCP")                                                                        \
    X(returned, "connections returned to TCP")                                                                        \
    X(closed, "connections closed")                                                                                   \
    X(ring_in, "bytes read from shared memory")                                                                       \
    X(ring_out, "bytes written to shared memory")                                                                     \
    X(tcp_in, "bytes read by TCP on these connections")                                                               \
    X(tcp_out, "bytes written by TCP on these connections")                                                           \
    X(bells, "bells sent")                                                                                            \
    X(sleeps, "sleeps of readers and writers")                                                                        \
    X(wakes, "readers woken without a bell")

/* Why connections stayed on TCP, or returned to it; counted, and some of them told once by the log. X(NAME, name,
 * text) */
#define COR_NET_REASONS(X)                                                                                            \
    X(SERVER, server, "the server has no fast sockets, or is of another user or namespace")                           \
    X(CLIENT, client, "the client, of what was accepted, has none, or is of another user, host or namespace")         \
    X(ELSEWHERE, elsewhere, "the destination is not on this host")                                                    \
    X(YOUNG, young, "it ended before it had shown that it lives")                                                     \
    X(UNSEEN, unseen, "bytes went by system calls that are not seen")                                                 \
    X(OPTION, option, "it asked for what only TCP has, such as SO_RCVLOWAT, SO_ZEROCOPY or TCP_ULP")                  \
    X(DESCRIPTORS, descriptors, "the process has few descriptors left, or too many offers that no server took")       \
    X(MEMORY, memory, "there was no shared memory, or no descriptor or mapping for it")                               \
    X(LINK, link, "no link could be made in /dev/shm")                                                                \
    X(OWNER, owner, "the segment belongs to another user")                                                            \
    X(GARBAGE, garbage, "a link or segment is none of ours")                                                          \
    X(MAP, map, "the client's memory cannot be opened")                                                               \
    X(ANNOUNCE, announce, "a listener's port cannot be announced")                                                    \
    X(PEER, peer, "the peer took no part in it, or returned to TCP")                                                  \
    X(BROKEN, broken, "the peer destroyed the memory, which ended the connection")                                    \
    X(STOPPED, stopped, "the program filters its system calls, uses io_uring, or is told to (net.on)")                \
    X(IMAGE, image, "another program got it, by exec or the like")                                                    \
    X(RIGHTS, rights, "it was sent to another process")                                                               \
    X(STANDARD, standard, "it became a standard stream")                                                              \
    X(AIO, aio, "it was used by asynchronous input and output")                                                       \
    X(SPLICE, splice, "it was spliced before it had moved")                                                           \
    X(URGENT, urgent, "urgent data were sent")                                                                        \
    X(SIGNALS, signals, "the program asked for signals when bytes come")

typedef enum cor_net_why {
#define COR_NET_WHY(NAME, name, text) COR_NET_WHY_##NAME,
    COR_NET_REASONS(COR_NET_WHY)
#undef COR_NET_WHY
        COR_NET_WHYS
} cor_net_why;

typedef struct cor_net_counters {
    uint64_t magic;
    int64_t pid;
#define COR_NET_COUNTER(name, text) _Atomic uint64_t name;
    COR_NET_COUNTERS(COR_NET_COUNTER)
#undef COR_NET_COUNTER
    _Atomic uint64_t reasons[COR_NET_WHYS];
} cor_net_counters;

#define COR_NET_COUNTERS_MAGIC 0x32746e436b636f53ull
#define COR_NET_COUNTERS_NAME "corunna-sock-stats" /* the memfd; a process has at most one */

/* Also removes links of processes that have ended. COR_ERR_KNOB, COR_ERR_MEMORY. */
int cor_net_create(cor_net **net_p, const char *const *overrides, cor_fault *fault);
/* Removes links of offers that no acceptor has taken. Connections must not be used any more. */
void cor_net_destroy(cor_net *net);
/* Around fork: before it, and after it in both processes. */
uint64_t cor_net_before_fork(cor_net *net);
void cor_net_after_fork(cor_net *net, int is_child);
/* No child was made: after the latter, with the number that the former has returned. Connections belong to this process
 * alone again. */
void cor_net_fork_failed(cor_net *net, uint64_t number);
/*
 * What is said, and where. This is below programs that know nothing of it: their descriptor 2 may be a file of their
 * own by now, and others may read their words. So a line goes to descriptor 2 only while that is the file that it was
 * at the begin of the process, and only errors are said unless CORUNNA_LOG asks for more: what a program has lost. Why
 * a connection stays on TCP is a warning, and counted in any case.
 */
typedef struct cor_net_log {
    int level; /* cor_log_level */
    int is_open;
    uint64_t device, number; /* of the file at the begin */
} cor_net_log;

/* Descriptor 2 is that file now. */
cor_net_log cor_net_log_begin(int level);
/* `format` follows on "fast sockets". Keeps errno. */
void cor_net_log_write(const cor_net_log *log, cor_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* cor_net_create takes the file of its own time: this is an earlier one. The level stays. */
void cor_net_set_log(cor_net *net, const cor_net_log *log);
const cor_net_log *cor_net_get_log(const cor_net *net);

/* No new connection from now on. The log gets the reason. */
void cor_net_stop(cor_net *net, const char *reason);
int cor_net_is_stopped(const cor_net *net);
/* Puts the counters into memory that `corunna sock --stats` finds among the descriptors of this process: returns that
 * descriptor, or -1: they stay private. */
int cor_net_publish(cor_net *net);
/* The process ends: no new connection, and links of offers that no acceptor has taken are removed. */
void cor_net_leave(cor_net *net);
/* The lowest descriptor of ours that is `from` or above; -1: none. A program that closes all descriptors must not close
 * these. */
int cor_net_next_own(cor_net *net, int from);
/* The program wants this number, which is one of ours, for a file of its own: another number is taken, or nothing is
 * kept. */
void cor_net_make_way(cor_net *net, int fd);
/* Where they begin: far from those that a program counts on. */
int cor_net_own_base(void);
cor_net_counters *cor_net_get_counters(cor_net *net);
/* A connection stays on TCP, or returned to it, for this reason. */
void cor_net_note(cor_net *net, cor_net_why why);
const cor_net_config *cor_net_get_config(const cor_net *net);

/* ---- listening --------------------------------------------------------------------------------------------------- */

/* A socket listens, or is about to, and cor_conn_accepted will be called for what it accepts: clients of this user make
 * offers from now on. To be called again with every accept, since a listener may be inherited and the user may change;
 * costs one system call if there is nothing new. A socket without a port, or not of TCP, is ignored. */
void cor_net_announce(cor_net *net, int listener);
/* It is about to be closed. Also removes links of clients that died before they were accepted. */
void cor_net_unannounce(cor_net *net, int listener);
/* 0: it was not announced, and cor_net_unannounce has nothing to do. */
int cor_net_is_announcing(cor_net *net, int listener);

/* ---- options ---------------------------------------------------------------------------------------------------- */

/* 1: setsockopt() of this would ask for what only TCP has. `value` may be NULL. */
int cor_net_option_is_of_tcp(int level, int name, const void *value, socklen_t length);
/* 0: the socket has such an option. */
int cor_net_has_usual_options(int fd);

/* ---- life ------------------------------------------------------------------------------------------------------- */

/* Before connect(): a young connection, with one reference. NULL: it stays plain, because the destination is not
 * announced, or for want of memory. A server may have closed its listening socket when the connection is due, so it is
 * asked for now. */
cor_conn *cor_conn_connecting(cor_net *net, const struct sockaddr *to, socklen_t length);
/* After accept(): likewise. Costs no system call; whether the peer is fast is found out when the connection is due. */
cor_conn *cor_conn_accepted(cor_net *net);
/* Before a connection moves, `fn` is called, by the thread that moves it, with the descriptor of its call: when it is
 * due, and may be withdrawn, and again when there is a segment for it and no call is inside (is_sure). 0: it must not
 * move. */
typedef int (*cor_net_move_fn)(cor_conn *conn, int fd, int is_sure);
void cor_net_on_move(cor_net *net, cor_net_move_fn fn);
/* A call is about to give the descriptor to the kernel, as it does with plain ones. 1: the connection is young, and
 * stays so until cor_conn_leave. 0: it is not, or no longer. */
int cor_conn_enter(cor_conn *conn);
void cor_conn_leave(cor_conn *conn);
/* A call that had entered has read or written so many bytes. */
void cor_conn_count(cor_conn *conn, ssize_t bytes, int is_write);
/* A young connection never moves, and is plain. 0: it has moved already. */
int cor_conn_keep_young(cor_conn *conn);
/* If it is due: move it. The functions for bytes do so themselves. */
void cor_conn_look_due(cor_conn *conn, int fd);
/* Its members of epoll sets are to be such as understand bells, although it is young: several descriptors have it, or
 * it is about to move. Until then they may be the kernel's. */
void cor_conn_set_tagged(cor_conn *conn);
int cor_conn_is_tagged(const cor_conn *conn);

/* The last reference unmaps it, and removes the link of an offer. */
int cor_conn_ref(cor_conn *conn); /* 0: it is gone. Memory of connections stays readable, so this is safe to try. */
void cor_conn_unref(cor_conn *conn);
/* A reference becomes that of a descriptor or an epoll set of this process, or a call's again. References that are
 * neither are those of calls. */
void cor_conn_hold(cor_conn *conn, int is_on);

/* connect() has failed, or dissolved the connection (AF_UNSPEC), for which cor_conn_closing was told of an abort
 * before: plain for all processes that have it. */
void cor_conn_disconnected(cor_conn *conn);

/* The process ends, or becomes another image: remove the link of an offer that no acceptor has taken. */
void cor_conn_abandon(cor_conn *conn);

/* Likewise: send what is on its way back to TCP, and not there yet. is_over: the process ends, and reads no more. */
void cor_conn_flush(cor_conn *conn, int fd, int is_over);

/* From now on plain TCP, for this process and all others. An offer is taken back at once. A connection that has
 * switched needs the peer's help, for which this waits so long, and some milliseconds at least; and for a peer that is
 * to read what goes back with it, as long as it reads. 0, or -1 if the peer did not answer, or read: what is written
 * goes by TCP then, and what the peer sends will as soon as it makes a call. -2: nor
 * did it in an earlier call of this, after which there was little sense in waiting. */
int cor_conn_withdraw(cor_conn *conn, int fd, int patience_ms);
enum { COR_NET_PATIENCE_MS = 1000 }; /* the usual */
/* 1: system calls on the descriptor do all that is needed, and the reference may be given up; that of a descriptor once
 * the connection is not busy, since calls that are inside must be told when it is closed (cor_conn_closing). */
int cor_conn_is_plain(cor_conn *conn);
/* Calls of others than the caller, whose reference is a call's, are inside. Once a connection is plain no more come. */
int cor_conn_is_busy(cor_conn *conn);
/* 1: TCP carries bells from here to the peer, for which Nagle's algorithm and TCP_CORK must stay off. */
int cor_conn_sends_bells(cor_conn *conn);
/* 1: bytes go through memory in both directions. */
int cor_conn_is_switched(cor_conn *conn);

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

/* As recvmsg and sendmsg, flags MSG_DONTWAIT, MSG_PEEK, MSG_WAITALL, MSG_NOSIGNAL, MSG_TRUNC (discards). They block
 * where the descriptor does, with SO_RCVTIMEO and SO_SNDTIMEO. MSG_OOB is not for these. */
ssize_t cor_conn_read(cor_conn *conn, int fd, const struct iovec *parts, int count, int flags);
ssize_t cor_conn_write(cor_conn *conn, int fd, const struct iovec *parts, int count, int flags);
/* Bytes that a read would return at once. */
int cor_conn_available(cor_conn *conn, int fd);
/* Bytes that the ring has room for; SIZE_MAX where they go by TCP, which tells itself. */
size_t cor_conn_room(cor_conn *conn);
int cor_conn_shutdown(cor_conn *conn, int fd, int how);
/* Sends FIN before a close, as Java's sockets do: the peer reads the end and no reset, whatever is left unread here. A
 * thread of this process that waits to write ends with EPIPE. */
void cor_conn_finish(cor_conn *conn, int fd);
/* The caller, whose reference is a call's, is about to close a descriptor, or to make it another file, and has seen to
 * it that no call begins with it: a call that has taken a reference looks once more (seq_cst) whether the descriptor
 * has the connection. is_abort: SO_LINGER with 0 seconds, which resets the connection. Calls of other threads go on, as
 * the kernel's do, by a copy of the descriptor that lives until the last of them has returned: its number may be
 * another file's soon. */
void cor_conn_closing(cor_conn *conn, int fd, int is_abort);
/* The descriptor has become blocking, or not: to be told whenever O_NONBLOCK changes. */
void cor_conn_set_blocking(cor_conn *conn, int is_blocking);
/* A time-out for reads (SO_RCVTIMEO) was set, or taken away: to be told likewise. */
void cor_conn_set_receive_limit(cor_conn *conn, int has_one);

/* ---- readiness --------------------------------------------------------------------------------------------------- */

/* What poll would report of POLLIN, POLLOUT, POLLRDHUP, POLLHUP, POLLERR. Costs a system call before the switch, and
 * when may_ask_kernel is set. Without it the end of the connection is not noticed. */
unsigned cor_conn_ready(cor_conn *conn, int fd, int may_ask_kernel);
/* Bytes are in the ring; for spinning. */
int cor_conn_has_bytes(cor_conn *conn);
/* The kernel reported the descriptor: take the bells. has_ended: it reported POLLRDHUP, POLLHUP or POLLERR, and the end
 * is noticed. */
void cor_conn_take_bells(cor_conn *conn, int fd, int has_ended);
/* Before sleeping in an epoll set for these events (POLLIN, POLLOUT): the peer will send a bell. 0: do not sleep, there
 * is something already. *limit_ms_p, if not NULL, is lowered where no bell can come: look again after that time. */
int cor_conn_arm(cor_conn *conn, unsigned events, int *limit_ms_p);
/* An epoll set arms the connection for input from now on, or does no longer: until then no other makes it need no
 * bell. */
void cor_conn_watch(cor_conn *conn, int is_on);
/* As cor_conn_arm, for a thread that is about to wait for these events of the descriptor in the kernel's poll. Changes
 * *one to what it must ask the kernel for, not longer than the limit. cor_conn_sleep_end must follow, whatever this
 * returns. */
int cor_conn_sleep_begin(cor_conn *conn, struct pollfd *one, int *limit_ms_p);
/* Awake again. found: what the kernel reported; bells are taken if no other thread needs them. */
void cor_conn_sleep_end(cor_conn *conn, int fd, short found);
/* Which events to ask the kernel for, to be woken for these. */
short cor_conn_kernel_events(cor_conn *conn, short events);
/* Two counts for edge-triggered waiters: they change when bytes arrive, and when a write finds no room. */
uint64_t cor_conn_arrivals(cor_conn *conn);
uint32_t cor_conn_refusals(cor_conn *conn);
/* The memory that both sides share, for tests. */
struct cor_net_segment *cor_conn_segment(cor_conn *conn);
/* May this thread spin for this connection: the peer runs on another CPU, and spinning has paid lately? Tell what came
 * of it. */
int cor_conn_may_spin(cor_conn *conn);
void cor_conn_spun(cor_conn *conn, int has_paid);

#endif

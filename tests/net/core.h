/* SPDX-License-Identifier: Apache-2.0 */
/* What the cases of core_test share: one end of a connection, fast or plain, and streams over it. */
#ifndef TESTS_NET_CORE_H
#define TESTS_NET_CORE_H

#include "net/net.h"

#include <netinet/in.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct core_end {
    cor_net *net;
    cor_conn *conn; /* NULL: plain */
    int fd;
} core_end;

/* One direction, for core_run_stream. */
typedef struct core_stream {
    core_end *end;
    uint64_t seed, bytes;
    int is_reader, may_break;
} core_stream;

/* The limit of a wait that must not come to its end. */
enum { CORE_LONG_MS = 600 * 1000, CORE_YOUNG_STREAM = 1 << 19 };

extern uint64_t core_seed;

/* A listening socket on a free port, announced for fast clients; the same without that; its end. */
int core_listen(struct sockaddr_in *address);
void core_unannounce(int listener);
void core_unlisten(int listener);
cor_net *core_net(void); /* connections move at once; likewise after so many turns */
cor_net *core_net_after(int turns);
core_end core_connect(const struct sockaddr_in *address, int is_fast);
core_end core_accept(int listener, int is_fast);
void core_close(core_end *end);
ssize_t core_read(core_end *end, void *buffer, size_t length, int flags);
ssize_t core_write(core_end *end, const void *buffer, size_t length, int flags);
/* A byte each way. */
void core_hello(core_end *client, core_end *server);
/* Names of a process that are left in the folder of links. */
int core_left_behind(pid_t pid);

unsigned char core_byte(uint64_t seed, uint64_t at);
void *core_run_stream(void *stream);
/* Both directions at once: the other side does the same with the seeds exchanged. */
void core_exchange(core_end *end, uint64_t out_seed, uint64_t in_seed, uint64_t bytes, int may_break);
pid_t core_fork(void);
void core_wait_child(pid_t child);

void core_prefix(void);
void core_switches(void);
void core_streams(void);
void core_half_close(void);
void core_full(void);
void core_ahead(void);
void core_turns(void);
void core_futex(void);
void core_futex_ends(void);

void core_withdraws(void);
void core_withdraws_offer(void);
void core_withdraws_alone(void);
void core_withdraws_in_one_read(void);
void core_withdraws_beside(void);
void core_withdraws_both(void);
void core_withdraws_far(void);
void core_withdraws_each(void);

void core_kills(void);
void core_ends(void);
void core_gap(void);
void core_forks(void);
void core_zombies(void);
void core_sleepers(void);
void core_time_out(void);
void core_places(void);
void core_names(void);
void core_stale(void);
void core_lock_of_others(void);
void core_lock_of_dead(void);
void core_lock_spaces(void);

void core_offers(void);
void core_cancel_later(void);
void core_withdraws_before_sleep(void);

void core_young(void);
void core_young_unseen(void);
void core_young_forked(void);
void core_young_untaken(void);
void core_young_streams(void);

void core_strangers(void);
void core_owners(void);
void core_in_the_way(void);
void core_nonsense(void);
void core_beyond(void);
void core_limits(void);
void core_no_memory(void);
void core_maps(void);
void core_strict(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of sock_calls: programs as others write them, with nothing of ours in them. */
#ifndef TESTS_NET_CALLS_H
#define TESTS_NET_CALLS_H

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The time limit of a wait that must not come to its end, where a call needs one: longer than a case may take. */
enum { CALLS_LIMIT_S = 600, CALLS_LONG_MS = 2 * CALLS_LIMIT_S * 1000 };

/* A listening socket on a free port. */
int calls_listen(struct sockaddr_in *address);
int calls_connect(const struct sockaddr_in *address);
/* A byte each way. */
void calls_greet(int client, int server);
/* A connection of this process with itself, [0] the client's end, after one byte each way. */
void calls_pair(int fds[2]);
void calls_write_all(int fd, const void *bytes, size_t length);
void calls_read_all(int fd, void *bytes, size_t length);
/* A thread that writes "late" to the descriptor at `argument` once the other threads sleep. */
void *calls_write_late(void *argument);
unsigned char calls_byte(size_t at, unsigned salt);
/* 1: the byte streams of this process went through shared memory, as the preloaded library counts. */
int calls_is_fast(void);
/* How many connections of this process have returned to TCP. */
uint64_t calls_returned(void);
pid_t calls_fork(void);
void calls_wait(pid_t child);
/* A child that answers everything on one connection. */
pid_t calls_echo(int listener);

/* The path of this program, to be run again as another image: calls_self MODE FD. */
extern const char *calls_self;
/* What that image does: --image answers one request, --serve some connections of a listening socket, --links counts
 * what this process offers by links to its descriptors. */
int calls_image(int fd);
int calls_serve_image(int listener);
int calls_links_image(void);
/* A server that tells its port by a file, and a client of it. */
void calls_serve_on(const char *path);
int calls_ask(int port);

void calls_sizes(void);
void calls_vectors(void);
void calls_peek(void);
void calls_flags(void);
void calls_files(void);
void calls_streams(void);

void calls_shutdown(void);
void calls_linger(void);
void calls_refused(void);
void calls_killed(void);
void calls_reset(void);
void calls_closed(void);
void calls_urgent(void);
void calls_churn(void);
void calls_hang_up_alone(void);
void calls_nested_asleep(void);
void calls_nested_half(void);
void calls_nested_half_late(void);
void calls_nested_normal(void);
void calls_beside_sets(void);
void calls_beside_copies(void);
void calls_beside_modes(void);
void calls_beside_forks(void);
void calls_beside_signals(void);
void calls_beside_cancels(void);
void calls_beside_told(void);
void calls_exec_offered(void);
void calls_self_connect(void);
void calls_six(void);

void calls_dup(void);
void calls_standard(void);
void calls_fork_share(void);
void calls_fork_server(void);
void calls_descriptors(void);
void calls_many(void);
void calls_no_memory(void);
void calls_untaken(void);
void calls_low_mark(void);
void calls_zero_copy(void);
void calls_layers(void);
void calls_peek_all(void);
void calls_aio(void);
void calls_vectors_at(void);
void calls_unspec(void);
void calls_faults(void);
void calls_normal(void);
void calls_select_many(void);
void calls_forks(void);
void calls_forks_failed(void);
void calls_networks(void);
void calls_bulk(void);
void calls_settings(void);
void calls_later(void);
void calls_interrupted(void);
void calls_masks(void);
void calls_broken_pipe(void);
void calls_numbers(void);
void calls_lines(void);
void calls_exec(void);
void calls_exec_otherwise(void);
void calls_spawn(void);
void calls_inherit(void);
void calls_run_beside(void);
void calls_close_on_exec(void);
void calls_vfork(void);
void calls_vfork_exec(void);
void calls_inherited(void);
void calls_rights(void);

void calls_epoll_level(void);
void calls_epoll_edge(void);
void calls_epoll_oneshot(void);
void calls_epoll_before_connect(void);
void calls_epoll_out(void);
void calls_epoll_end(void);
void calls_epoll_returned(void);
void calls_epoll_threads(void);
void calls_epoll_edges(void);
void calls_epoll_again(void);
void calls_epoll_storm(void);
void calls_poll(void);
void calls_select(void);
void calls_duplex(void);
void calls_duplex_forked(void);
void calls_ahead(void);
void calls_idle(void);
void calls_signals(void);
void calls_cancel(void);
void calls_jump(void);
void calls_urgent_beside(void);
void calls_epoll_edge_whole(void);
void calls_close_by_number(void);
void calls_splice(void);
void calls_shut_unread(void);
void calls_pipe_handler(void);
void calls_epoll_copied(void);
void calls_epoll_nested(void);
void calls_epoll_fine(void);
void calls_epoll_range(void);
void calls_epoll_handler(void);
void calls_epoll_exclusive(void);
void calls_cancel_and_close(void);
void calls_jump_and_close(void);
void calls_restarted(void);
void calls_fortified(void);
void calls_stream_before(void);
void calls_low(void);
void calls_empty(void);
void calls_splice_full(void);
void calls_numbers_all(void);
void calls_file_limit(void);
void calls_closed_plain(void);
void calls_any_address(void);
void calls_errno_kept(void);
void calls_life_handler(void);
void calls_small_stack(void);
void calls_backlog(void);
void calls_handlers_two(void);
void calls_handlers_jump(void);
void calls_end_before(void);
void calls_once_nested(void);
void calls_once_forked(void);
void calls_once_before_connect(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Socket calls as programs make them, both ends in this program. It is run plain, where the kernel shows that the test
 * is right, and below the preloaded library, which must not make a difference.
 *
 *   sock_calls [CASE]
 *   sock_calls --image FD     another image of the program, which got a connection: answers one request
 *   sock_calls --serve FD     another one, which got a listening socket
 *   sock_calls --serve-on F   writes its port into file F, and answers for ever
 *   sock_calls --ask PORT     asks such a server once
 */
#define _GNU_SOURCE
#include "calls.h"

#include "check.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *calls_self;

static const struct calls_case {
    const char *name;
    void (*run)(void);
    int is_fast; /* some of its bytes go through shared memory in this process */
} calls_cases[] = {
    {"sizes", calls_sizes, 1},
    {"vectors", calls_vectors, 1},
    {"peek", calls_peek, 1},
    {"flags", calls_flags, 1},
    {"files", calls_files, 1},
    {"streams", calls_streams, 1},
    {"shutdown", calls_shutdown, 1},
    {"linger", calls_linger, 1},
    {"refused", calls_refused, 0},
    {"killed", calls_killed, 1},
    {"reset", calls_reset, 1},
    {"closed", calls_closed, 1},
    {"dup", calls_dup, 1},
    {"standard", calls_standard, 1},
    {"fork_share", calls_fork_share, 1},
    {"fork_server", calls_fork_server, 1},
    {"exec", calls_exec, 1},
    {"exec_otherwise", calls_exec_otherwise, 1},
    {"spawn", calls_spawn, 1},
    {"inherit", calls_inherit, 1},
    {"run_beside", calls_run_beside, 1},
    {"close_on_exec", calls_close_on_exec, 1},
    {"vfork", calls_vfork, 1},
    {"vfork_exec", calls_vfork_exec, 1},
    {"inherited", calls_inherited, 1},
    {"rights", calls_rights, 0},
    {"descriptors", calls_descriptors, 1},
    {"many", calls_many, 1},
    {"untaken", calls_untaken, 1},
    {"low_mark", calls_low_mark, 1},
    {"zero_copy", calls_zero_copy, 1},
    {"layers", calls_layers, 1},
    {"peek_all", calls_peek_all, 1},
    {"aio", calls_aio, 1},
    {"vectors_at", calls_vectors_at, 1},
    {"unspec", calls_unspec, 1},
    {"faults", calls_faults, 1},
    {"normal", calls_normal, 1},
    {"select_many", calls_select_many, 1},
    {"forks", calls_forks, 1},
    {"networks", calls_networks, 0},
    {"bulk", calls_bulk, 1},
    {"settings", calls_settings, 1},
    {"later", calls_later, 1},
    {"interrupted", calls_interrupted, 1},
    {"masks", calls_masks, 1},
    {"broken_pipe", calls_broken_pipe, 1},
    {"numbers", calls_numbers, 1},
    {"lines", calls_lines, 1},
    {"urgent", calls_urgent, 1},
    {"self_connect", calls_self_connect, 0},
    {"six", calls_six, 1},
    {"poll", calls_poll, 1},
    {"select", calls_select, 1},
    {"epoll_level", calls_epoll_level, 1},
    {"epoll_edge", calls_epoll_edge, 1},
    {"epoll_oneshot", calls_epoll_oneshot, 1},
    {"epoll_before_connect", calls_epoll_before_connect, 1},
    {"epoll_out", calls_epoll_out, 1},
    {"epoll_end", calls_epoll_end, 1},
    {"epoll_returned", calls_epoll_returned, 1},
    {"epoll_threads", calls_epoll_threads, 1},
    {"epoll_edges", calls_epoll_edges, 1},
    {"epoll_again", calls_epoll_again, 1},
    {"epoll_storm", calls_epoll_storm, 1},
    {"duplex", calls_duplex, 1},
    {"ahead", calls_ahead, 1},
    {"duplex_forked", calls_duplex_forked, 0},
    {"idle", calls_idle, 1},
    {"signals", calls_signals, 1},
    {"cancel", calls_cancel, 1},
    {"jump", calls_jump, 1},
    {"urgent_beside", calls_urgent_beside, 0},
    {"epoll_edge_whole", calls_epoll_edge_whole, 1},
    {"close_by_number", calls_close_by_number, 1},
    {"splice", calls_splice, 1},
    {"shut_unread", calls_shut_unread, 1},
    {"pipe_handler", calls_pipe_handler, 1},
    {"epoll_copied", calls_epoll_copied, 1},
    {"epoll_nested", calls_epoll_nested, 1},
    {"epoll_fine", calls_epoll_fine, 1},
    {"epoll_range", calls_epoll_range, 1},
    {"epoll_handler", calls_epoll_handler, 1},
    {"epoll_exclusive", calls_epoll_exclusive, 1},
    {"cancel_and_close", calls_cancel_and_close, 1},
    {"jump_and_close", calls_jump_and_close, 1},
    {"restarted", calls_restarted, 1},
    {"fortified", calls_fortified, 1},
    {"stream_before", calls_stream_before, 1},
    {"low", calls_low, 0},
    {"empty", calls_empty, 1},
    {"splice_full", calls_splice_full, 1},
    {"numbers_all", calls_numbers_all, 1},
    {"file_limit", calls_file_limit, 0},
    {"closed_plain", calls_closed_plain, 0},
    {"any_address", calls_any_address, 0},
    {"errno_kept", calls_errno_kept, 1},
    {"life_handler", calls_life_handler, 1},
    {"small_stack", calls_small_stack, 1},
    {"churn", calls_churn, 1},
    {"hang_up_alone", calls_hang_up_alone, 1},
    {"nested_asleep", calls_nested_asleep, 1},
    {"nested_half", calls_nested_half, 1},
    {"nested_half_late", calls_nested_half_late, 1},
    {"nested_normal", calls_nested_normal, 1},
    {"beside_sets", calls_beside_sets, 0},
    {"beside_copies", calls_beside_copies, 0},
    {"beside_modes", calls_beside_modes, 0},
    {"beside_forks", calls_beside_forks, 0},
    {"beside_signals", calls_beside_signals, 0},
    {"beside_cancels", calls_beside_cancels, 0},
    {"beside_told", calls_beside_told, 0},
    {"exec_offered", calls_exec_offered, 0},
    {"forks_failed", calls_forks_failed, 1},
    {"backlog", calls_backlog, 1},
    {"handlers_two", calls_handlers_two, 1},
    {"handlers_jump", calls_handlers_jump, 1},
    {"end_before", calls_end_before, 1},
    {"once_nested", calls_once_nested, 1},
    {"once_before_connect", calls_once_before_connect, 1},
    {"once_forked", calls_once_forked, 1},
    {"no_memory", calls_no_memory, 1},
};

/* A connection that moves in the middle tells an edge-triggered set once more what it has; a write that waits for TCP
 * then is not begun again after a signal. */
static int calls_may_run(const struct calls_case *one)
{
    return !getenv("SOCK_MOVES") || (one->run != calls_epoll_out && one->run != calls_restarted);
}

/* Each case in a process of its own. With SOCK_FAST=1 in the environment the library must have been at work. */
static void calls_run(const struct calls_case *one)
{
    printf("%s\n", one->name);
    pid_t child = calls_fork();
    if (child == 0) {
        alarm(CALLS_LIMIT_S); /* a hang is a failure */
        one->run();
        if (getenv("SOCK_FAST") && one->is_fast && !calls_is_fast())
            CHECK_FAIL("%s: no byte went through shared memory", one->name);
        exit(0);
    }
    calls_wait(child);
}

int main(int argc, char **argv)
{
    static char self[4096];
    CHECK(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    calls_self = self;
    signal(SIGPIPE, SIG_IGN);
    if (argc == 3 && strcmp(argv[1], "--image") == 0)
        return calls_image(atoi(argv[2]));
    if (argc == 3 && strcmp(argv[1], "--serve") == 0)
        return calls_serve_image(atoi(argv[2]));
    if (argc == 3 && strcmp(argv[1], "--links") == 0)
        return calls_links_image();
    if (argc == 3 && strcmp(argv[1], "--serve-on") == 0)
        calls_serve_on(argv[2]);
    if (argc == 3 && strcmp(argv[1], "--ask") == 0)
        return calls_ask(atoi(argv[2]));
    for (size_t i = 0; i < sizeof calls_cases / sizeof *calls_cases; i++)
        if (argc < 2 ? calls_may_run(&calls_cases[i]) : strcmp(argv[1], calls_cases[i].name) == 0)
            calls_run(&calls_cases[i]);
    return 0;
}

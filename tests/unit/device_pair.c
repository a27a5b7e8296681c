/* SPDX-License-Identifier: Apache-2.0 */
#include "device_pair.h"

#include "check.h"
#include "xxdev/closing.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

enum {
    PAIR_FDS = 64,          /* the sockets of the two ranks are among these */
    PAIR_QUIET_MAX = 20000, /* a rank may leave bytes unread for good */
    PAIR_CONNECTS = 2,      /* SYN_SENT and LISTEN of the kernel */
    PAIR_LISTENS = 10,
};

static void pair_must(int rc, const cor_fault *fault)
{
    if (rc != COR_OK)
        CHECK_FAIL("set-up of two devices: %s", fault->text);
}

void device_pair_open(device_pair *pair, const char *const *overrides)
{
    device_pair_open_with(pair, &(device_pair_options){.overrides = overrides, .log_level = COR_LOG_WARN});
}

/* One round of the set-up, which belongs to one wire. */
static void pair_meet(device_pair *pair, const device_pair_options *options, int round)
{
    cor_fault fault = {0};
    char addresses[2][COR_WIRE_ADDRESS_MAX];
    const char *all[2] = {addresses[0], addresses[1]};
    for (int i = 0; i < 2; i++) {
        CHECK_EQUAL(1, pair->device[i]->ops->address(pair->device[i], round, addresses[i], &fault));
        if (options->edit)
            options->edit(options->context, i, addresses[i]);
    }
    for (int i = 0; i < 2; i++)
        pair_must(pair->device[i]->ops->connect(pair->device[i], round, all, &fault), &fault);
}

void device_pair_open_with(device_pair *pair, const device_pair_options *options)
{
    cor_fault fault = {0};
    const cor_wire_ops *ops = options->wire ? options->wire : &cor_sm_wire;
    int uses_sockets = ops != &cor_sm_wire;
    *pair = (device_pair){.uses_sockets = uses_sockets, .patience = uses_sockets ? 200 : 3};
    pair_must(cor_knobs_load(&cor_soft_knobs, options->overrides, &pair->soft, NULL, &fault), &fault);
    pair_must(cor_knobs_load(&cor_sm_knobs, options->overrides, &pair->sm, NULL, &fault), &fault);
    pair_must(cor_knobs_load(&cor_tcp_knobs, options->overrides, &pair->tcp, NULL, &fault), &fault);
    const void *config = ops == &cor_sm_wire ? (const void *)&pair->sm : (const void *)&pair->tcp;
    const cor_soft_wire wires[] = {{.absent_address = options->absent_address}, {.ops = ops, .config = config}};
    int first = options->absent_address ? 0 : 1;
    pair_must(cor_knobs_load(&cor_wait_knobs, options->overrides, &pair->wait, NULL, &fault), &fault);
    pair->log[0] = (cor_log){.level = options->log_level};
    host_pair_open(&pair->hosts, ops != &cor_sm_wire, &pair->log[0]);
    for (int i = 0; i < 2; i++) {
        pair->log[i] = (cor_log){.level = options->log_level, .rank = i};
        cor_device_options soft = {.rank = i,
                                   .size = 2,
                                   .host = pair->hosts.host[i],
                                   .lock = &pair->lock[i],
                                   .wait = &pair->wait,
                                   .log = &pair->log[i],
                                   .settings = &pair->soft,
                                   .fault = &pair->fault[i],
                                   .holds = options->holds,
                                   .has_ended = options->has_ended,
                                   .owner = pair};
        pair_must(cor_soft_open(&soft, "unit", &wires[first], 2 - first, &pair->device[i], &fault), &fault);
    }
    for (int round = 0; round < 2 - first; round++)
        pair_meet(pair, options, round);
    host_pair_attach(&pair->hosts);
    for (int i = 0; i < 2; i++)
        pair_must(pair->device[i]->ops->attach(pair->device[i], &fault), &fault);
    for (int i = 0; i < 2; i++)
        pair_must(cor_device_settle(pair->device[i], &fault), &fault);
}

void device_pair_close(device_pair *pair)
{
    for (int i = 0; i < 2; i++)
        if (pair->device[i]) {
            cor_device_close(pair->device[i]);
            cor_device_destroy(pair->device[i]);
        }
    host_pair_close(&pair->hosts);
}

int device_pair_step(device_pair *pair)
{
    int events = 0;
    for (int i = 0; i < 2; i++) {
        if (!pair->device[i])
            continue;
        cor_device_enter(pair->device[i]);
        events += pair->device[i]->ops->progress(pair->device[i], -1);
        cor_device_leave(pair->device[i]);
    }
    return events;
}

/* 1: the kernel has bytes of a connection, or a connection, that it has not handed over yet. On a busy machine that may
 * take longer than any number of rounds. Both ends of a connection are in this process. */
static int pair_is_on_the_way(void)
{
    uint64_t sent = 0, received = 0;
    for (int fd = 0; fd < PAIR_FDS; fd++) {
        struct tcp_info info;
        socklen_t length = sizeof info;
        int unread = 0;
        memset(&info, 0, sizeof info);
        if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) != 0)
            continue;
        if (info.tcpi_state == PAIR_LISTENS)
            unread = (int)info.tcpi_unacked; /* connections that wait for accept */
        else
            ioctl(fd, FIONREAD, &unread);
        if (unread > 0 || info.tcpi_state == PAIR_CONNECTS)
            return 1;
        sent += info.tcpi_bytes_sent - info.tcpi_bytes_retrans;
        received += info.tcpi_bytes_received;
    }
    return sent != received;
}

void device_pair_settle(device_pair *pair)
{
    int most = pair->uses_sockets ? PAIR_QUIET_MAX : pair->patience;
    for (int quiet = 0; quiet < most;) {
        quiet = device_pair_step(pair) > 0 ? 0 : quiet + 1;
        if (quiet >= pair->patience && !pair_is_on_the_way())
            break;
        if (quiet >= pair->patience)
            sched_yield();
    }
}

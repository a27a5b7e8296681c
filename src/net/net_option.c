/* SPDX-License-Identifier: Apache-2.0 */
/* Options that ask the kernel for what rings do not have: how many bytes wake a reader, messages beside the stream, or
 * another hand on its bytes. */
#define _GNU_SOURCE
#include "net/net.h"
#include "net/net_sys.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>

/* Of Linux, not all of them in older headers. */
enum {
    OPTION_RCVLOWAT = 18,
    OPTION_ATTACH_FILTER = 26,
    OPTION_TIMESTAMP = 29,
    OPTION_TIMESTAMPNS = 35,
    OPTION_TIMESTAMPING = 37,
    OPTION_PEEK_OFF = 42,
    OPTION_ATTACH_BPF = 50,
    OPTION_ZEROCOPY = 60,
    OPTION_TIMESTAMP_NEW = 63,
    OPTION_TIMESTAMPNS_NEW = 64,
    OPTION_TIMESTAMPING_NEW = 65,
    OPTION_REPAIR = 19,
    OPTION_ULP = 31,
    OPTION_INQ = 36,
};

enum { OPTION_ALWAYS = INT32_MIN }; /* there is no value to compare */

static const struct option_row {
    int level, name;
    int usual;   /* this value, or none, asks for nothing */
    int is_kept; /* getsockopt tells it, also of a socket that was accepted from one that has it */
} option_rows[] = {
    {SOL_SOCKET, OPTION_RCVLOWAT, 1, 1},
    {SOL_SOCKET, OPTION_ZEROCOPY, 0, 1},
    {SOL_SOCKET, OPTION_PEEK_OFF, -1, 1},
    {SOL_SOCKET, OPTION_TIMESTAMP, 0, 1},
    {SOL_SOCKET, OPTION_TIMESTAMPNS, 0, 0},
    {SOL_SOCKET, OPTION_TIMESTAMPING, 0, 1},
    {SOL_SOCKET, OPTION_TIMESTAMP_NEW, 0, 0},
    {SOL_SOCKET, OPTION_TIMESTAMPNS_NEW, 0, 0},
    {SOL_SOCKET, OPTION_TIMESTAMPING_NEW, 0, 0},
    {SOL_SOCKET, OPTION_ATTACH_FILTER, OPTION_ALWAYS, 0},
    {SOL_SOCKET, OPTION_ATTACH_BPF, OPTION_ALWAYS, 0},
    {IPPROTO_TCP, OPTION_ULP, OPTION_ALWAYS, 0},
    {IPPROTO_TCP, OPTION_REPAIR, 0, 0},
    {IPPROTO_TCP, OPTION_INQ, 0, 1},
};

enum { OPTION_ROWS = sizeof option_rows / sizeof *option_rows };

static int option_asks(const struct option_row *row, int value)
{
    /* No bytes at all count as one. */
    return row->usual == OPTION_ALWAYS || (value != row->usual && !(row->name == OPTION_RCVLOWAT && value == 0));
}

int cor_net_option_is_of_tcp(int level, int name, const void *value, socklen_t length)
{
    int number = 1;
    for (int i = 0; i < OPTION_ROWS; i++) {
        if (option_rows[i].level != level || option_rows[i].name != name)
            continue;
        if (value && length >= (socklen_t)sizeof number)
            memcpy(&number, value, sizeof number);
        return option_asks(&option_rows[i], number);
    }
    return 0;
}

int cor_net_has_usual_options(int fd)
{
    int saved = errno, is_usual = 1;
    for (int i = 0; i < OPTION_ROWS && is_usual; i++) {
        int value = option_rows[i].usual;
        socklen_t length = sizeof value;
        if (option_rows[i].is_kept &&
            net_sys_getsockopt(fd, option_rows[i].level, option_rows[i].name, &value, &length) == 0)
            is_usual = !option_asks(&option_rows[i], value);
    }
    errno = saved;
    return is_usual;
}

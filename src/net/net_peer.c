/* SPDX-License-Identifier: Apache-2.0 */
/* Which socket is the other end of a connection of this host: the kernel tells its number, by sock_diag. */
#define _GNU_SOURCE
#include "net/net_name.h"
#include "net/net_sys.h"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <string.h>

enum { PEER_ANSWER_BYTES = 1024 };

typedef struct peer_question {
    struct nlmsghdr header;
    struct inet_diag_req_v2 body;
} peer_question;

static void peer_ask(peer_question *question, const cor_net_name *name)
{
    static const uint8_t v4[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    int is_v4 = memcmp(name->from, v4, sizeof v4) == 0;
    size_t skipped = is_v4 ? sizeof v4 : 0, length = sizeof name->from - skipped;
    *question = (peer_question){
        .header = {sizeof *question, SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST, 0, 0},
        .body = {.sdiag_family = is_v4 ? AF_INET : AF_INET6,
                 .sdiag_protocol = IPPROTO_TCP,
                 .idiag_states = UINT32_MAX,
                 .id = {.idiag_sport = htons(name->from_port),
                        .idiag_dport = htons(name->to_port),
                        .idiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE}}},
    };
    memcpy(question->body.id.idiag_src, name->from + skipped, length);
    memcpy(question->body.id.idiag_dst, name->to + skipped, length);
}

static uint32_t peer_answer(int fd, const peer_question *question)
{
    _Alignas(struct nlmsghdr) char bytes[PEER_ANSWER_BYTES];
    struct nlmsghdr header;
    struct inet_diag_msg body;
    ssize_t length = net_sys_recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
    if (length < (ssize_t)NLMSG_LENGTH(sizeof body))
        return 0;
    memcpy(&header, bytes, sizeof header);
    memcpy(&body, NLMSG_DATA(bytes), sizeof body);
    if (header.nlmsg_type != SOCK_DIAG_BY_FAMILY || body.id.idiag_sport != question->body.id.idiag_sport ||
        body.id.idiag_dport != question->body.id.idiag_dport)
        return 0;
    return body.idiag_inode;
}

uint32_t cor_net_name_socket(const cor_net_name *name)
{
    peer_question question;
    uint32_t number = 0;
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (fd < 0)
        return 0;
    peer_ask(&question, name);
    /* This thread may be in another network than the connection. */
    if (cor_net_name_space(fd) == name->space &&
        net_sys_send(fd, &question, sizeof question, MSG_NOSIGNAL) == sizeof question)
        number = peer_answer(fd, &question);
    net_sys_close(fd);
    return number;
}

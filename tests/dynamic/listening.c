/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listening WORD... -- COMMAND...: runs the command and listens to the loopback of this network namespace meanwhile.
 * Fails if the command fails, if a packet has one of the words, or if nothing was heard.
 */
#define _GNU_SOURCE
#include "check.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PACKET_MAX = 1 << 17, HEARD_ROOM = 64 << 20 };

static int listen_to_loopback(void)
{
    int fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, htons(ETH_P_ALL)), room = HEARD_ROOM;
    struct sockaddr_ll lo = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL)};
    lo.sll_ifindex = (int)if_nametoindex("lo");
    CHECK(fd >= 0 && lo.sll_ifindex > 0);
    if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room) != 0)
        CHECK_EQUAL(0, setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room));
    CHECK_EQUAL(0, bind(fd, (struct sockaddr *)(void *)&lo, sizeof lo));
    return fd;
}

/* Words may be at the border of two packets; what is looked for crosses many times. */
static void hear(const char *packet, size_t bytes, char **words)
{
    for (char **word = words; strcmp(*word, "--") != 0; word++)
        if (memmem(packet, bytes, *word, strlen(*word)))
            CHECK_FAIL("\"%s\" crosses the network in a packet of %zu bytes", *word, bytes);
}

int main(int argc, char **argv)
{
    static char packet[PACKET_MAX];
    char **words = argv + 1, **command = words;
    int status;
    size_t heard = 0;
    while (command < argv + argc && strcmp(*command, "--") != 0)
        command++;
    CHECK(command > words && command + 1 < argv + argc);
    int fd = listen_to_loopback();
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        execvp(command[1], command + 1);
        _exit(127);
    }
    for (int has_ended = 0;;) {
        struct pollfd one = {.fd = fd, .events = POLLIN};
        ssize_t bytes = poll(&one, 1, has_ended ? 0 : 20) > 0 ? recv(fd, packet, sizeof packet, MSG_DONTWAIT) : 0;
        if (bytes > 0) {
            heard += (size_t)bytes;
            hear(packet, (size_t)bytes, words);
        } else if (has_ended) {
            break;
        } else {
            has_ended = waitpid(child, &status, WNOHANG) == child;
        }
    }
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(heard > 10000);
    return 0;
}

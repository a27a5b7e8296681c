/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "launch/hosts/host_here.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static int here_is_local_name(const char *name, size_t length)
{
    static const char *const local[] = {"localhost", "localhost.localdomain", "ip6-localhost", "127.0.1.1"};
    for (size_t i = 0; i < sizeof local / sizeof local[0]; i++)
        if (strlen(local[i]) == length && strncasecmp(local[i], name, length) == 0)
            return 1;
    return 0;
}

/* A domain after only one of the names does not matter; two different domains are two machines. */
static int here_is_host_name(const char *name, size_t length)
{
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    if (strlen(host) == length && strncasecmp(host, name, length) == 0)
        return 1;
    size_t host_short = strcspn(host, ".");
    const char *dot = memchr(name, '.', length);
    size_t name_short = dot ? (size_t)(dot - name) : length;
    int may_match = !dot || !host[host_short];
    return may_match && host_short == name_short && strncasecmp(host, name, host_short) == 0;
}

static int here_is_own_address(int family, const void *address, size_t length)
{
    struct ifaddrs *all, *each;
    if (getifaddrs(&all) != 0)
        return 0;
    int is_own = 0;
    for (each = all; each && !is_own; each = each->ifa_next) {
        if (!each->ifa_addr || each->ifa_addr->sa_family != family)
            continue;
        const void *theirs = family == AF_INET ? (const void *)&((struct sockaddr_in *)each->ifa_addr)->sin_addr
                                               : (const void *)&((struct sockaddr_in6 *)each->ifa_addr)->sin6_addr;
        is_own = memcmp(theirs, address, length) == 0;
    }
    freeifaddrs(all);
    return is_own;
}

int cor_host_is_here(const char *name, int length)
{
    char text[INET6_ADDRSTRLEN + IF_NAMESIZE] = "";
    struct in_addr address4;
    struct in6_addr address6;
    if (here_is_local_name(name, (size_t)length) || here_is_host_name(name, (size_t)length))
        return 1;
    if ((size_t)length >= sizeof text)
        return 0;
    memcpy(text, name, (size_t)length);
    if (inet_pton(AF_INET, text, &address4) == 1)
        return ntohl(address4.s_addr) >> 24 == 127 || here_is_own_address(AF_INET, &address4, sizeof address4);
    if (inet_pton(AF_INET6, text, &address6) == 1)
        return IN6_IS_ADDR_LOOPBACK(&address6) || here_is_own_address(AF_INET6, &address6, sizeof address6);
    return 0;
}

/* ---- its addresses ---------------------------------------------------------------------------------------------- */

void cor_host_here_addresses(const char *name, char *out, size_t room)
{
    const struct addrinfo wanted = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    size_t at = 0;
    if (if_nametoindex(name) == 0 && getaddrinfo(name, NULL, &wanted, &found) != 0)
        found = NULL;
    for (const struct addrinfo *each = found; each; each = each->ai_next) {
        char text[NI_MAXHOST];
        if (getnameinfo(each->ai_addr, each->ai_addrlen, text, sizeof text, NULL, 0, NI_NUMERICHOST) == 0 &&
            at + strlen(text) + 2 <= room)
            at += (size_t)snprintf(out + at, room - at, "%s%s", at ? "," : "", text);
    }
    if (found)
        freeaddrinfo(found);
    if (at == 0)
        snprintf(out, room, "%s", name);
}

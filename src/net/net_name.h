/* SPDX-License-Identifier: Apache-2.0 */
/* How the two ends of a connection find one segment: by a symbolic link that carries the connection's name. */
#ifndef COR_NET_NET_NAME_H
#define COR_NET_NET_NAME_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

#define COR_NET_FOLDER "/dev/shm"
#define COR_NET_PREFIX "corunna-sock-"

enum { COR_NET_PATH_MAX = 160 };

/* A connection, as seen from the client. IPv4 addresses are written as IPv6 does (::ffff:a.b.c.d), so that both ends of
 * a connection to a dual-stack server have the same name. Plain data, compared as bytes. */
typedef struct cor_net_name {
    uint64_t space; /* the socket's network namespace */
    uint8_t from[16], to[16];
    uint16_t from_port, to_port;
    uint32_t pids; /* the namespace of process ids, one of which the link names */
} cor_net_name;

/* 0, or -1: not an IP address. */
int cor_net_name_set(cor_net_name *name, const struct sockaddr *from, const struct sockaddr *to);
/* Is this a connection of this host with itself? */
int cor_net_name_is_local(const cor_net_name *name);
/* Of a socket, which stays where it was created, wherever its process goes. */
uint64_t cor_net_name_space(int fd);
/* Of this process; 0: /proc does not tell, or is that of another namespace. */
uint32_t cor_net_name_pids(void);

/* The number (inode) of the socket that is the client's end of this connection now; 0: there is none, or the kernel
 * does not tell. */
uint32_t cor_net_name_socket(const cor_net_name *name);

/* The abstract socket that announces a port of a user's server. Returns its length. */
socklen_t cor_net_port_name(struct sockaddr_un *name, uid_t user, uint16_t port);

/* The path of the link. */
void cor_net_name_path(const cor_net_name *name, char path[COR_NET_PATH_MAX]);

/* The target of a link: the process and its descriptor. 0: it is something else. */
int cor_net_target_parse(const char *target, int *pid_p, int *fd_p);
void cor_net_target_print(char target[COR_NET_PATH_MAX], int pid, int fd);

/* Remove links of processes of this namespace that have ended. Returns how many. */
int cor_net_name_sweep(void);

#endif

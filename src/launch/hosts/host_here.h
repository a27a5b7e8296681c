/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a name or address is this machine, and which of its addresses a name stands for. */
#ifndef COR_RUN_HOST_HERE_H
#define COR_RUN_HOST_HERE_H

#include <stddef.h>

/* Compares with the names of this machine and the addresses of its interfaces. Asks no name server. */
int cor_host_is_here(const char *name, int length);

/* What a name of one of this machine's interfaces is for the setting tcp.interface: "ib0" and addresses are that
 * already; the name of a host means its addresses. An unknown name is left as it is, and the rank reports it. */
void cor_host_here_addresses(const char *name, char *out, size_t room);

#endif

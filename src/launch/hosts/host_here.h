/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a name or address is this machine, and which of its addresses a name means. */
#ifndef COR_RUN_HOST_HERE_H
#define COR_RUN_HOST_HERE_H

#include <stddef.h>

/* Compares with the names of this machine and the addresses of its interfaces, without a name server. */
int cor_host_is_here(const char *name, int length);

/* Convert a name from a host file to a value of the setting tcp.interface: interface names ("ib0") and addresses are
 * unchanged; the name of a host is replaced by its addresses. An unknown name is unchanged, and the rank reports it. */
void cor_host_here_addresses(const char *name, char *out, size_t room);

#endif

/* Is a name or address this very machine, and which of its addresses does a name mean? */
#ifndef COR_RUN_HOST_HERE_H
#define COR_RUN_HOST_HERE_H

#include <stddef.h>

/* By any of the names this machine goes by, or an address one of its interfaces has. Asks no name server. */
int cor_host_is_here(const char *name, int length);

/* What a name of one of this machine's interfaces is for the setting tcp.interface: "ib0" and addresses are that
 * already; the name of a host means its addresses. What cannot be found is left as it is, for the rank to tell. */
void cor_host_here_addresses(const char *name, char *out, size_t room);

#endif

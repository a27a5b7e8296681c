/* Is a name or address this very machine? */
#ifndef COR_RUN_HOST_HERE_H
#define COR_RUN_HOST_HERE_H

/* By any of the names this machine goes by, or an address one of its interfaces has. Asks no name server. */
int cor_host_is_here(const char *name, int length);

#endif

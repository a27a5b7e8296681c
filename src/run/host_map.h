/* Maps ranks to hosts. */
#ifndef COR_RUN_HOST_MAP_H
#define COR_RUN_HOST_MAP_H

#include "run/host_list.h"

typedef enum host_order {
    HOST_BY_SLOT, /* fill a host, then the next */
    HOST_BY_NODE  /* one rank per host in turn */
} host_order;

/* "slot", "node" or "round-robin" (the same as node), and Open MPI's names for them. 0 or -1. */
int cor_host_order_parse(const char *word, host_order *order_p);

/* The default number of ranks: one per slot. */
int cor_host_map_slots(const host_list *list);

/* Fill host_of_rank with indices into the list. More ranks than given slots are an error unless `may_oversubscribe`;
 * max_slots is never exceeded. 0, or -1 after a message. */
int cor_host_map(const host_list *list, const char *command_name, int size, host_order order, int may_oversubscribe,
                 int *host_of_rank);

#endif

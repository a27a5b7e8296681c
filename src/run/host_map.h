/* Which rank goes to which machine. */
#ifndef COR_RUN_HOST_MAP_H
#define COR_RUN_HOST_MAP_H

#include "run/host_list.h"

typedef enum host_order {
    HOST_BY_SLOT, /* fill a machine, then the next */
    HOST_BY_NODE  /* one rank each in turn */
} host_order;

/* "slot", "node" or "round-robin" (another word for node), and what Open MPI's users write for them. 0 or -1. */
int cor_host_order_parse(const char *word, host_order *order_p);

/* How many ranks a job has that says no number: every slot one. */
int cor_host_map_slots(const host_list *list);

/* Fill host_of_rank with indices into the list. More ranks than stated slots are refused unless `may_oversubscribe`;
 * max_slots is never exceeded. 0, or -1 after one sentence. */
int cor_host_map(const host_list *list, const char *speaker, int size, host_order order, int may_oversubscribe,
                 int *host_of_rank);

#endif

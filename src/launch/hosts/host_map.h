/* SPDX-License-Identifier: Apache-2.0 */
/* Maps ranks to hosts. */
#ifndef COR_RUN_HOST_MAP_H
#define COR_RUN_HOST_MAP_H

#include "launch/hosts/host_list.h"

typedef enum host_order {
    HOST_BY_SLOT, /* fill a host, then the next */
    HOST_BY_NODE  /* one rank per host in turn */
} host_order;

/* "slot", "node" or "round-robin" (the same as node), and Open MPI's names for them. 0 or -1. */
int cor_host_order_parse(const char *word, host_order *order_p);

/* The default number of ranks: one per slot. */
int cor_host_map_slots(const host_list *list);
/* Was a number of slots given for a host? */
int cor_host_map_is_stated(const host_list *list);

/* How ranks are divided among hosts. */
typedef struct host_mapping {
    host_order order;      /* by which ranks are counted out to hosts */
    int in_turn;           /* number of ranks a host gets in turn when they are numbered; 0: by the order */
    int may_oversubscribe; /* more ranks than given slots are no error; max_slots is never exceeded */
} host_mapping;

enum { HOST_ALL_IN_TURN = 1 << 30 }; /* host by host */

/* Fill host_of_rank with indices into the list. 0, or -1 after a message. */
int cor_host_map(const host_list *list, const char *command_name, int size, const host_mapping *mapping,
                 int *host_of_rank);

#endif

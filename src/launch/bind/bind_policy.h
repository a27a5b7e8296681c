/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options for mapping, ranking and binding, as a policy.
 *
 * Mapping lays ranks out over hosts and, inside a host, over its objects; a rank takes `pe` units there, which are
 * cores or, if asked, hardware threads. Ranking numbers what was laid out. Binding restricts a rank to its units, or to
 * the larger objects that these are part of.
 */
#ifndef COR_RUN_BIND_POLICY_H
#define COR_RUN_BIND_POLICY_H

#include "launch/bind/bind_machine.h"
#include "launch/run_plan.h"

typedef enum bind_map {
    BIND_MAP_SLOT,   /* fill a host, then the next; units in the order of the machine */
    BIND_MAP_NODE,   /* hosts in turn; units in the order of the machine */
    BIND_MAP_OBJECT, /* fill a host; its objects of map_kind in turn */
    BIND_MAP_PPR     /* per_object ranks on every object of map_kind; BIND_BOARD: of a host */
} bind_map;

typedef enum bind_rank {
    BIND_RANK_MAPPED, /* as they were laid out */
    BIND_RANK_SLOT,   /* likewise, but host by host */
    BIND_RANK_NODE,   /* hosts in turn */
    BIND_RANK_OBJECT, /* objects of rank_kind in turn */
    BIND_RANK_FILL    /* all ranks of an object of map_kind, then the next */
} bind_rank;

typedef enum bind_wish {
    BIND_FREE,     /* not bound */
    BIND_DEFAULT,  /* to cores, if the ranks fit and have the host for themselves */
    BIND_DERIVED,  /* to `kind`, because of another option; not bound if they do not fit */
    BIND_REQUESTED /* to `kind`; an error if they do not fit */
} bind_wish;

typedef struct bind_policy {
    bind_wish wish;
    bind_kind kind;
    int may_overload;    /* several ranks may share a unit */
    int is_if_supported; /* not bound where the host has no such objects */
    bind_map map;
    bind_kind map_kind;
    int per_object;
    int is_map_span;       /* ranks spread evenly over the objects of all hosts */
    int may_oversubscribe; /* more ranks than slots: 1, 0, or -1: not said */
    int pe;                /* units of each rank */
    bind_kind unit;        /* BIND_CORE or BIND_HWTHREAD, or of several objects for each rank their kind */
    bind_rank rank;
    bind_kind rank_kind;
    int is_rank_span; /* BIND_RANK_OBJECT: the objects of all hosts in turn */
    int has_set;
    cor_cpu_set set; /* --cpu-set */
} bind_policy;

/* COR_ERR_ARG: the fault names option, value and what is allowed. */
int cor_bind_policy_parse(const run_binding *binding, bind_policy *policy_p, cor_fault *fault);

/* Does the policy map, number or bind ranks inside a host other than by default? */
int cor_bind_policy_is_inside(const bind_policy *policy);

#endif

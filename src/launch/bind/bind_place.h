/* SPDX-License-Identifier: Apache-2.0 */
/* Which CPUs the ranks of a host get: computed from a machine and a policy alone. */
#ifndef COR_RUN_BIND_PLACE_H
#define COR_RUN_BIND_PLACE_H

#include "launch/bind/bind_policy.h"

typedef struct bind_places {
    int is_bound;     /* else `sets` has nothing */
    cor_fault notice; /* code COR_OK: none; else why an option has no effect here */
} bind_places;

/* Fill sets[0..count-1], for the ranks of this host in rising order. `slots`: what a rank file has for each of them, or
 * NULL. COR_ERR_ARG: they do not fit, and the fault says what would. */
int cor_bind_place(const bind_machine *machine, const bind_policy *policy, const char *const *slots, int count,
                   cor_cpu_set *sets, bind_places *places_p, cor_fault *fault);

/* A kind that the policy names and this machine does not have; BIND_KINDS: none. */
bind_kind cor_bind_missing(const bind_machine *machine, const bind_policy *policy);

/* The CPUs of one slot list of a rank file: "1:0-2" is cores 0 to 2 of socket 1, "0,3" are cores of the host, "*" all;
 * with unit BIND_HWTHREAD hardware threads instead of cores. COR_ERR_ARG. */
int cor_bind_slots(const bind_machine *machine, bind_kind unit, const char *text, cor_cpu_set *set_p,
                   cor_fault *fault);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cluster that a user describes: `nodes=256,ppn=16,model=F`. One text for `corunna bench --sim` and `corunna run
 * --sim`; COR_SIM_KEY_LIST has its keys.
 *
 * A link's model is a file that `corunna model fit` wrote, whose ping-pong is used, or one of the built-in names.
 */
#ifndef COR_SIM_SPEC_H
#define COR_SIM_SPEC_H

#include "xxdev/sim/sim_net.h"

/* X(NAME, key, value, meaning) */
#define COR_SIM_KEY_LIST(X)                                                                                           \
    X(NODES, nodes, "N", "nodes")                                                                                     \
    X(PPN, ppn, "N", "ranks of each node (1)")                                                                        \
    X(MODEL, model, "FILE", "the link between nodes: a file of corunna model, or fabric, tcp, memory (fabric)")       \
    X(INSIDE, inside, "FILE", "the link inside a node, likewise (memory)")                                            \
    X(EAGER, eager, "BYTES", "longest eager message between nodes (from the model's pieces)")                         \
    X(OVERHEAD, overhead, "SHARE",                                                                                    \
      "share of T(0) that the CPU of each side spends, at most 0.5 (0.3; inside from the file's exchange)")           \
    X(MOVING, moving, "SHARE",                                                                                        \
      "the same share of the time that bytes add, at most 1 (0; inside from the file's exchange)")                    \
    X(COPY, copy, "NS", "time to copy a byte (0.1)")                                                                  \
    X(REDUCE, reduce, "NS", "time to combine a byte (0.2)")                                                           \
    X(CALL, call, "NS",                                                                                               \
      "CPU time of a rank for a collective call, besides its messages; only for bench and tune (0)")                  \
    X(FACTOR, factor, "F", "factor by which the CPU time of a running program counts (1)")                            \
    X(SKEW, skew, "US", "longest random delay of a rank's begin (0)")                                                 \
    X(SEED, seed, "N", "seed of these delays (1)")                                                                    \
    X(MEMORY, memory, "BYTES", "memory limit of predictions (80 % of the free memory)")

enum { COR_SIM_NAME_MAX = 96 };

typedef struct cor_sim_spec {
    cor_sim_net net; /* net.ranks: nodes times ppn, 0 if no nodes were given */
    int nodes;
    double skew_us;
    uint64_t seed;
    size_t memory_max;
    char between[COR_SIM_NAME_MAX], inside[COR_SIM_NAME_MAX]; /* names of the links, for output */
} cor_sim_spec;

/* COR_ERR_ARG, COR_ERR_SYSTEM, COR_ERR_MEMORY, with a sentence that names the key. */
int cor_sim_spec_parse(const char *text, cor_sim_spec *spec_p, cor_fault *fault);

/* One line on the cluster. */
void cor_sim_spec_describe(const cor_sim_spec *spec, int ranks, char *out, size_t room);

/* The keys, a line each, for help. */
void cor_sim_spec_help(void);

#endif

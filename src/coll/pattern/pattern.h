/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patterns: ways to move data, from which algorithms are composed. A pattern appends its steps to a plan, for any party
 * of ranks and any piece of memory; members outside of the party (me < 0) append nothing.
 *
 * Names, as in the literature: flat tree (ft), minimum-spanning tree (mst: recursive halving of the ranks, so it works
 * from any root), binomial tree, four-ary and k-nomial tree, bucket (a ring), bidirectional exchange (bde: recursive
 * doubling and halving).
 *
 * `starts` are the blocks of the members of the party: starts[i] .. starts[i + 1] in the stream `all`.
 *
 * When a pattern ends, its receives and sends are complete; only the sends of a broadcast may still be under way.
 */
#ifndef COR_COLL_PATTERN_H
#define COR_COLL_PATTERN_H

#include "coll/plan/plan.h"

/* ---- from one to all: `data` is the root's, and every rank's afterwards ------------------------------------------ */

void cor_bcast_ft(cor_plan *plan, const cor_party *party, int root, cor_ref data, int is_blocking);
void cor_bcast_mst(cor_plan *plan, const cor_party *party, int root, cor_ref data);
void cor_bcast_tree(cor_plan *plan, const cor_party *party, int root, cor_ref data, int fan); /* fan-ary */
void cor_bcast_knomial(cor_plan *plan, const cor_party *party, int root, cor_ref data, int radix);

/* ---- blocks between the root's `all` and every member's own, `mine`: gathered or scattered ---------------------- */

typedef enum cor_way { COR_TO_ROOT, COR_FROM_ROOT } cor_way;

/* is_blocking: the root completes the transfer of one member after the other. */
void cor_blocks_ft(cor_plan *plan, const cor_party *party, cor_way way, int root, cor_ref all, const size_t *starts,
                   cor_ref mine, int is_blocking);
void cor_blocks_mst(cor_plan *plan, const cor_party *party, cor_way way, int root, cor_ref all, const size_t *starts,
                    cor_ref mine);
/* The same where every member has room for all blocks, and its own is in its place in `all`. */
void cor_blocks_mst_within(cor_plan *plan, const cor_party *party, cor_way way, int root, cor_ref all,
                           const size_t *starts);

/* For gatherv and scatterv: the root broadcasts where the blocks begin, down a minimum-spanning tree; then the steps
 * that `build` appends run, with plan->starts known to all. The end of a plan. */
void cor_starts_tell(cor_plan *plan, cor_build_fn build);

/* ---- blocks to all: a member's own block is in `all` already -------------------------------------------------- */

/* is_posted: all receives first. */
void cor_allgather_bucket(cor_plan *plan, const cor_party *party, cor_ref all, const size_t *starts, int is_posted);
void cor_allgather_bde(cor_plan *plan, const cor_party *party, cor_ref all, const size_t *starts); /* any number */

/* ---- combining: `in` is read, `out` is written as stated; in and out may be the same --------------------------- */

/* To the root's `out`. Keeps the order of the ranks. */
void cor_reduce_ft(cor_plan *plan, const cor_party *party, int root, cor_ref in, cor_ref out, int is_blocking);
void cor_reduce_mst(cor_plan *plan, const cor_party *party, int root, cor_ref in, cor_ref out);
/* Block i of the result to member i's `mine`. Commutative operators only. */
void cor_reduce_scatter_bucket(cor_plan *plan, const cor_party *party, cor_ref in, const size_t *starts, cor_ref mine,
                               int is_posted);
void cor_reduce_scatter_halving(cor_plan *plan, const cor_party *party, cor_ref in, const size_t *starts,
                                cor_ref mine);
/* To every rank's `out`. Any number of members; keeps the order. */
void cor_allreduce_bde(cor_plan *plan, const cor_party *party, cor_ref in, cor_ref out);

/* ---- nothing to carry ------------------------------------------------------------------------------------------- */

void cor_barrier_dissemination(cor_plan *plan, const cor_party *party);
void cor_barrier_mst(cor_plan *plan, const cor_party *party);

/* ---- help ------------------------------------------------------------------------------------------------------- */

/* Cut `bytes` into one block for each member, as evenly as possible: at whole elements; without elements, and if blocks
 * are long, at words or cache lines. A note of the plan; NULL: no memory. */
const size_t *cor_even_starts(cor_plan *plan, size_t bytes, int members);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trees over the members of a party, seen from one of them: its parent and its children. The functions that move data
 * up or down take any tree.
 *
 * A rank outside the party has neither parent nor children.
 */
#ifndef COR_COLL_TREE_H
#define COR_COLL_TREE_H

#include "coll/pattern/pattern.h"

typedef struct cor_tree_child {
    int member;
    int low, high; /* the members of its subtree, itself included: flat and minimum-spanning trees only */
} cor_tree_child;

typedef struct cor_tree {
    int parent;    /* -1: this is the root */
    int low, high; /* as for a child */
    int child_count;
    cor_tree_child *children; /* the one with the largest subtree first; a note of the plan */
} cor_tree;

/* Every rank below the root. */
cor_tree cor_tree_flat(cor_plan *plan, const cor_party *party, int root);
/* The root sends to the far end of the half of the members that it is not in, and so on in both halves: every subtree
 * is a run of consecutive members. */
cor_tree cor_tree_mst(cor_plan *plan, const cor_party *party, int root);
/* Member i, counted from the root, has the children fan * i + 1 .. fan * i + fan. */
cor_tree cor_tree_fan(cor_plan *plan, const cor_party *party, int root, int fan);
/* The children of member i, counted from the root, are i with one of its trailing zero digits set, in the given radix.
 * Radix two: the binomial tree. */
cor_tree cor_tree_knomial(cor_plan *plan, const cor_party *party, int root, int radix);
cor_tree cor_tree_chain(cor_plan *plan, const cor_party *party, int root);
/* One of two binary trees, `which` is 0 or 1. The root has one child in each; all others have up to two in one of them
 * and, except one member at most, none in the other. */
cor_tree cor_tree_twin(cor_plan *plan, const cor_party *party, int root, int which);

/* Down: receive data from the parent and send them to the children. Sends may still be under way at the end. */
void cor_tree_bcast(cor_plan *plan, const cor_party *party, const cor_tree *tree, cor_ref data, int is_blocking);
/* The same, pipelined in pieces of about `segment` bytes. Piece i goes down trees[i % tree_count]. */
void cor_tree_bcast_pieces(cor_plan *plan, const cor_party *party, const cor_tree *trees, int tree_count, cor_ref data,
                           size_t segment);
/* Up: no data; wait until every rank of the subtree has called. */
void cor_tree_meet(cor_plan *plan, const cor_party *party, const cor_tree *tree);
/* Up: the values of every rank, combined, to the root's `out`. Keeps the order of the members if the subtree of each
 * child is a run of members next to the run of its later siblings and its parent, as in a minimum-spanning tree. */
void cor_tree_reduce(cor_plan *plan, const cor_party *party, const cor_tree *tree, cor_ref in, cor_ref out);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every algorithm sends, against closed formulas: messages, bytes, and bytes combined, of all ranks together, for
 * 2 to 64 ranks and for 1024. An algorithm without a row here fails the test.
 *
 * The formulas belong to the cost line of the algorithm, which is of one rank: "lg p (a + n b)" down a tree is p - 1
 * messages of n bytes, "(p - 1) (a + n b)" round a ring p times as many. Blocks in a minimum-spanning tree have no
 * simple sum unless p is a power of two, where it is p/2 lg p; else the tree's halves are added up.
 */
#include "check.h"
#include "coll/choose/algorithms.h"
#include "sim/sim_run.h"

#include <inttypes.h>
#include <string.h>

enum { COUNTS_ELEMENT = 8, COUNTS_PIECES = 4, COUNTS_LARGE = 1024 };

typedef uint64_t u64;

/* p ranks, on nodes of `ppn`; n bytes, a multiple of COUNTS_PIECES, p and q elements; q: the power of two up to p. */
typedef struct counts_case {
    u64 p, n, q, nodes, ppn;
} counts_case;

typedef struct counts {
    u64 messages, bytes, reduced;
} counts;

/* ---- sums -------------------------------------------------------------------------------------------------------- */

static u64 ceil_log2(u64 p)
{
    u64 k = 0;
    while ((u64)1 << k < p)
        k++;
    return k;
}

/* Of the depths of p leaves in the flattest binary tree: p lg p for a power of two. */
static u64 depths(u64 p)
{
    return p * ceil_log2(p) - ((u64)1 << ceil_log2(p)) + p;
}

/* Blocks that travel in a minimum-spanning tree between its root, the first or the last of p, and all others. */
static u64 tree_blocks(u64 p, int is_first)
{
    u64 low = (p + 1) / 2, high = p / 2;
    return p < 2 ? 0 : (is_first ? high : low) + tree_blocks(low, 1) + tree_blocks(high, 0);
}

static u64 bits(u64 p)
{
    u64 all = 0;
    for (u64 i = 1; i < p; i++)
        all += (u64)__builtin_popcountll(i);
    return all;
}

/* Recursive doubling with folding. */
static counts doubling(u64 p, u64 n)
{
    u64 q = (u64)1 << (ceil_log2(p + 1) - 1), messages = q * ceil_log2(q) + 2 * (p - q);
    return (counts){messages, messages * n, (q * ceil_log2(q) + p - q) * n};
}

/* Of ranks at distances 1, 2, 4...: pairs. */
static u64 distances(u64 p)
{
    u64 all = 0;
    for (u64 d = 1; d < p; d *= 2)
        all += p - d;
    return all;
}

/* ---- formulas ---------------------------------------------------------------------------------------------------- */

#define FORMULA(name) static counts name(const counts_case *c)

FORMULA(barrier_dissemination)
{
    return (counts){c->p * ceil_log2(c->p), 0, 0};
}

FORMULA(barrier_up_and_down)
{
    return (counts){2 * (c->p - 1), 0, 0};
}

FORMULA(barrier_nodes)
{
    return (counts){2 * (c->p - c->nodes) + c->nodes * ceil_log2(c->nodes), 0, 0};
}

FORMULA(tree)
{
    return (counts){c->p - 1, (c->p - 1) * c->n, 0};
}

FORMULA(tree_pieces)
{
    return (counts){COUNTS_PIECES * (c->p - 1), (c->p - 1) * c->n, 0};
}

FORMULA(bcast_bucket)
{
    u64 p = c->p;
    return (counts){(p - 1) + p * (p - 1), tree_blocks(p, 1) * (c->n / p) + (p - 1) * c->n, 0};
}

FORMULA(bcast_scatter_bde)
{
    u64 p = c->p;
    return (counts){(p - 1) + depths(p), tree_blocks(p, 1) * (c->n / p) + (p - 1) * c->n, 0};
}

FORMULA(tree_of_blocks)
{
    return (counts){c->p - 1, tree_blocks(c->p, 1) * c->n, 0};
}

/* All blocks to every rank. */
FORMULA(scatter_bcast)
{
    return (counts){c->p - 1, (c->p - 1) * c->p * c->n, 0};
}

FORMULA(tree_of_blocks_told)
{
    return (counts){2 * (c->p - 1), tree_blocks(c->p, 1) * c->n + (c->p - 1) * (c->p + 1) * sizeof(size_t), 0};
}

FORMULA(nodes_of_blocks)
{
    u64 blocks = c->nodes * tree_blocks(c->ppn, 1) + c->ppn * tree_blocks(c->nodes, 1);
    return (counts){c->p - 1, blocks * c->n, 0};
}

FORMULA(nodes_of_blocks_told)
{
    counts plain = nodes_of_blocks(c);
    return (counts){2 * (c->p - 1), plain.bytes + (c->p - 1) * (c->p + 1) * sizeof(size_t), 0};
}

FORMULA(all_pairs)
{
    u64 pairs = c->p * (c->p - 1);
    return (counts){pairs, pairs * c->n, 0};
}

FORMULA(allgather_doubling)
{
    return (counts){depths(c->p), c->p * (c->p - 1) * c->n, 0};
}

FORMULA(allgather_bruck)
{
    return (counts){c->p * ceil_log2(c->p), c->p * (c->p - 1) * c->n, 0};
}

FORMULA(allgather_mst)
{
    return (counts){2 * (c->p - 1), tree_blocks(c->p, 1) * c->n + (c->p - 1) * c->p * c->n, 0};
}

FORMULA(allgather_nodes)
{
    u64 p = c->p, nodes = c->nodes;
    u64 blocks = nodes * tree_blocks(c->ppn, 1) + p * (nodes - 1) + (p - nodes) * p;
    return (counts){2 * (p - nodes) + depths(nodes), blocks * c->n, 0};
}

FORMULA(alltoall_bruck)
{
    return (counts){c->p * ceil_log2(c->p), c->p * bits(c->p) * c->n, 0};
}

FORMULA(reduce_tree)
{
    return (counts){c->p - 1, (c->p - 1) * c->n, (c->p - 1) * c->n};
}

FORMULA(reduce_chain)
{
    return (counts){COUNTS_PIECES * (c->p - 1), (c->p - 1) * c->n, (c->p - 1) * c->n};
}

FORMULA(reduce_rabenseifner)
{
    u64 q = c->q, folded = c->p - q, lg = ceil_log2(q);
    return (counts){folded + q * lg + q - 1, folded * c->n + (q - 1) * c->n + q / 2 * lg * (c->n / q),
                    (c->p - 1) * c->n};
}

FORMULA(reduce_scatter_gather)
{
    u64 p = c->p;
    return (counts){p * (p - 1) + p - 1, (p - 1) * c->n + tree_blocks(p, 1) * (c->n / p), (p - 1) * c->n};
}

FORMULA(allreduce_mst)
{
    return (counts){2 * (c->p - 1), 2 * (c->p - 1) * c->n, (c->p - 1) * c->n};
}

FORMULA(allreduce_doubling)
{
    return doubling(c->p, c->n);
}

FORMULA(allreduce_rabenseifner)
{
    return (counts){2 * depths(c->p), 2 * (c->p - 1) * c->n, (c->p - 1) * c->n};
}

FORMULA(allreduce_bucket)
{
    return (counts){2 * c->p * (c->p - 1), 2 * (c->p - 1) * c->n, (c->p - 1) * c->n};
}

FORMULA(allreduce_nodes)
{
    counts leaders = doubling(c->nodes, c->n);
    u64 inside = c->p - c->nodes;
    return (counts){2 * inside + leaders.messages, 2 * inside * c->n + leaders.bytes, inside * c->n + leaders.reduced};
}

FORMULA(reduce_scatter_pairs)
{
    u64 pairs = c->p * (c->p - 1);
    return (counts){pairs, pairs * c->n, pairs * c->n};
}

FORMULA(reduce_scatter_halving)
{
    u64 pairs = c->p * (c->p - 1);
    return (counts){depths(c->p), pairs * c->n, pairs * c->n};
}

FORMULA(reduce_scatter_mst)
{
    u64 p = c->p;
    return (counts){2 * (p - 1), (p - 1) * p * c->n + tree_blocks(p, 1) * c->n, (p - 1) * p * c->n};
}

FORMULA(scan_doubling)
{
    return (counts){distances(c->p), distances(c->p) * c->n, distances(c->p) * c->n};
}

/* A rank combines what comes into what it hands on, unless no rank is far enough, and into its result, but the first
 * time it comes. */
FORMULA(exscan_doubling)
{
    u64 p = c->p, reduced = 0;
    for (u64 d = 1; d < p; d *= 2)
        reduced += (p > 3 * d ? p - 3 * d : 0) + (d > 1 ? p - d : 0);
    return (counts){distances(p), distances(p) * c->n, reduced * c->n};
}

FORMULA(exscan_linear)
{
    return (counts){c->p - 1, (c->p - 1) * c->n, (c->p - 2) * c->n};
}

FORMULA(scan_nbft)
{
    u64 pairs = c->p * (c->p - 1) / 2;
    return (counts){pairs, pairs * c->n, pairs * c->n};
}

FORMULA(exscan_nbft)
{
    u64 pairs = c->p * (c->p - 1) / 2;
    return (counts){pairs, pairs * c->n, (c->p - 1) * (c->p - 2) / 2 * c->n};
}

/* ---- the rows ---------------------------------------------------------------------------------------------------- */

static const struct {
    cor_primitive primitive;
    const char *names; /* with spaces around each */
    counts (*formula)(const counts_case *c);
} counts_rows[] = {
    {COR_BARRIER, " dissemination ", barrier_dissemination},
    {COR_BARRIER, " tree mst ft ", barrier_up_and_down},
    {COR_BARRIER, " nodes ", barrier_nodes},
    {COR_BCAST, " nbft bft mst binomial four knomial ", tree},
    {COR_BCAST, " chain double_tree nodes ", tree_pieces},
    {COR_BCAST, " bucket ", bcast_bucket},
    {COR_BCAST, " scatter_bde ", bcast_scatter_bde},
    {COR_GATHER, " nbft bft ", tree},
    {COR_GATHER, " mst ", tree_of_blocks},
    {COR_GATHER, " nodes ", nodes_of_blocks},
    {COR_GATHER, " allgather ", allgather_doubling},
    {COR_GATHERV, " nbft bft ", tree},
    {COR_GATHERV, " mst ", tree_of_blocks_told},
    {COR_GATHERV, " nodes ", nodes_of_blocks_told},
    {COR_SCATTER, " nbft bft ", tree},
    {COR_SCATTER, " mst ", tree_of_blocks},
    {COR_SCATTER, " nodes ", nodes_of_blocks},
    {COR_SCATTER, " bcast ", scatter_bcast},
    {COR_SCATTERV, " nbft bft ", tree},
    {COR_SCATTERV, " mst ", tree_of_blocks_told},
    {COR_SCATTERV, " nodes ", nodes_of_blocks_told},
    {COR_ALLGATHER, " bucket nbft ", all_pairs},
    {COR_ALLGATHER, " doubling bde ", allgather_doubling},
    {COR_ALLGATHER, " bruck ", allgather_bruck},
    {COR_ALLGATHER, " mst ", allgather_mst},
    {COR_ALLGATHER, " nodes ", allgather_nodes},
    {COR_ALLGATHERV, " bucket nbft ", all_pairs},
    {COR_ALLGATHERV, " doubling bde ", allgather_doubling},
    {COR_ALLGATHERV, " bruck ", allgather_bruck},
    {COR_ALLGATHERV, " mst ", allgather_mst},
    {COR_ALLGATHERV, " nodes ", allgather_nodes},
    {COR_ALLTOALL, " nbft pairwise ", all_pairs},
    {COR_ALLTOALL, " bruck ", alltoall_bruck},
    {COR_ALLTOALLV, " nbft pairwise ", all_pairs},
    {COR_ALLTOALLW, " nbft pairwise ", all_pairs},
    {COR_REDUCE, " mst bft nbft binomial nodes ", reduce_tree},
    {COR_REDUCE, " chain ", reduce_chain},
    {COR_REDUCE, " allreduce ", allreduce_doubling},
    {COR_REDUCE, " rabenseifner ", reduce_rabenseifner},
    {COR_REDUCE, " scatter_gather ", reduce_scatter_gather},
    {COR_ALLREDUCE, " mst ", allreduce_mst},
    {COR_ALLREDUCE, " doubling bde ", allreduce_doubling},
    {COR_ALLREDUCE, " rabenseifner ", allreduce_rabenseifner},
    {COR_ALLREDUCE, " bucket ", allreduce_bucket},
    {COR_ALLREDUCE, " nodes ", allreduce_nodes},
    {COR_REDUCE_SCATTER, " pairwise nbft bucket ", reduce_scatter_pairs},
    {COR_REDUCE_SCATTER, " halving bde ", reduce_scatter_halving},
    {COR_REDUCE_SCATTER, " mst ", reduce_scatter_mst},
    {COR_REDUCE_SCATTER_BLOCK, " pairwise nbft bucket ", reduce_scatter_pairs},
    {COR_REDUCE_SCATTER_BLOCK, " halving bde ", reduce_scatter_halving},
    {COR_REDUCE_SCATTER_BLOCK, " mst ", reduce_scatter_mst},
    {COR_SCAN, " linear ", reduce_tree},
    {COR_SCAN, " doubling ", scan_doubling},
    {COR_SCAN, " nbft ", scan_nbft},
    {COR_EXSCAN, " linear ", exscan_linear},
    {COR_EXSCAN, " doubling ", exscan_doubling},
    {COR_EXSCAN, " nbft ", exscan_nbft},
};

static int counts_find(const cor_algorithm *algorithm)
{
    char word[64];
    int rows = sizeof counts_rows / sizeof *counts_rows, at = 0;
    snprintf(word, sizeof word, " %s ", algorithm->name);
    while (at < rows && (counts_rows[at].primitive != algorithm->primitive || !strstr(counts_rows[at].names, word)))
        at++;
    return at < rows ? at : -1;
}

/* Pipelines are cut into COUNTS_PIECES pieces; a double tree cuts into two at least, and is given as many. */
static cor_rule counts_rule(const cor_algorithm *algorithm, u64 n)
{
    cor_rule rule = cor_sim_rule_of(algorithm);
    for (int i = 0; i < COR_PARAMETERS_MAX; i++)
        if (algorithm->parameters[i].name && strcmp(algorithm->parameters[i].name, "segment") == 0)
            rule.parameters[i] = n / COUNTS_PIECES;
    return rule;
}

static int counts_check(const cor_algorithm *algorithm, int row, u64 p, u64 ppn)
{
    counts_case c = {.p = p, .q = 1, .ppn = ppn, .nodes = p / ppn};
    while (2 * c.q <= p)
        c.q *= 2;
    int is_whole = algorithm->primitive == COR_BCAST || algorithm->primitive == COR_REDUCE ||
                   algorithm->primitive == COR_ALLREDUCE;
    c.n = algorithm->primitive == COR_BARRIER ? 0
          : is_whole                          ? COUNTS_PIECES * COUNTS_ELEMENT * p * c.q
                                              : COUNTS_ELEMENT;
    cor_rule rule = counts_rule(algorithm, c.n);
    cor_situation situation = cor_sim_situation((int)p, (int)ppn);
    cor_sim_call call = {.primitive = algorithm->primitive,
                         .ranks = (int)p,
                         .node_ranks = (int)ppn,
                         .bytes = c.n,
                         .element_bytes = COUNTS_ELEMENT,
                         .rule = &rule};
    if (!cor_sim_can_run(algorithm, &situation, c.n, COUNTS_ELEMENT))
        return 0;
    cor_sim_program program;
    cor_fault fault = {0};
    int rc = cor_sim_program_make(&program, &call, &fault);
    counts expected = counts_rows[row].formula(&c);
    if (rc != COR_OK || program.messages != expected.messages || program.bytes != expected.bytes ||
        program.reduced_bytes != expected.reduced)
        CHECK_FAIL("%s %s, cost %s, %" PRIu64 " ranks, %" PRIu64 " a node: expected %" PRIu64 " messages, %" PRIu64
                   " bytes, %" PRIu64 " combined; got %" PRIu64 ", %" PRIu64 ", %" PRIu64 " %s",
                   cor_primitive_name(algorithm->primitive), algorithm->name, algorithm->cost, p, ppn,
                   expected.messages, expected.bytes, expected.reduced, program.messages, program.bytes,
                   program.reduced_bytes, fault.text);
    cor_sim_program_free(&program);
    return 1;
}

int main(void)
{
    int checked = 0;
    for (size_t i = 0; i < cor_algorithm_count; i++) {
        const cor_algorithm *algorithm = cor_algorithms[i];
        if (!algorithm->build || algorithm->needs & COR_NEEDS_INTER || algorithm->primitive > COR_EXSCAN)
            continue;
        int row = counts_find(algorithm), done = 0;
        if (row < 0)
            CHECK_FAIL("%s %s has no formula here", cor_primitive_name(algorithm->primitive), algorithm->name);
        for (u64 p = 2; p <= COUNTS_LARGE; p = p < 64 ? p + 1 : p * 16)
            for (u64 ppn = 1; ppn <= 4; ppn *= 2)
                if (p % ppn == 0 && (algorithm->needs & COR_NEEDS_NODES ? ppn > 1 : ppn == 1))
                    done += counts_check(algorithm, row, p, ppn);
        if (done == 0)
            CHECK_FAIL("%s %s was never checked", cor_primitive_name(algorithm->primitive), algorithm->name);
        checked += done;
    }
    printf("%d programs counted\n", checked);
    return 0;
}

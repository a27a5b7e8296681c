/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A broadcast in pieces. Every member takes the pieces in their order, whichever tree they come down: so two members
 * that are neighbours in both trees agree on the order of their messages, and no cycle of waiting ranks can occur.
 */
#include "coll/pattern/coll_tree.h"
#include "coll/pattern/pieces.h"

/* Pieces that are expected, and pieces that may be on their way to a child. Enough for all to be busy, and few enough
 * that no peer has to queue a whole stream. */
enum { PIPELINE_AHEAD = 4, PIPELINE_BEHIND = 8 };

typedef struct pipeline {
    cor_plan *plan;
    const cor_party *party;
    const cor_tree *trees;
    int tree_count;
    cor_pieces pieces;
    int *received; /* by piece: the transfer */
    int *sent;     /* by piece: the first of the transfers to the children, which have consecutive numbers */
} pipeline;

static void pipeline_expect(pipeline *line, int number)
{
    const cor_tree *tree = &line->trees[number % line->tree_count];
    if (number < line->pieces.count && tree->parent >= 0)
        line->received[number] =
            cor_plan_recv(line->plan, line->party, tree->parent, cor_piece(&line->pieces, number));
}

static void pipeline_hand_on(pipeline *line, int number)
{
    const cor_tree *tree = &line->trees[number % line->tree_count];
    for (int i = 0; i < tree->child_count; i++) {
        int sent = cor_plan_send(line->plan, line->party, tree->children[i].member, cor_piece(&line->pieces, number));
        if (i == 0)
            line->sent[number] = sent;
    }
}

static void pipeline_wait_sent(pipeline *line, int number)
{
    if (number < 0)
        return;
    for (int i = 0; i < line->trees[number % line->tree_count].child_count; i++)
        cor_plan_wait(line->plan, line->sent[number] + i);
}

void cor_tree_bcast_pieces(cor_plan *plan, const cor_party *party, const cor_tree *trees, int tree_count, cor_ref data,
                           size_t segment)
{
    pipeline line = {plan, party, trees, tree_count, cor_pieces_cut(plan, data, segment), NULL, NULL};
    int count = line.pieces.count;
    line.received = cor_plan_note(plan, (size_t)count * sizeof *line.received);
    line.sent = cor_plan_note(plan, (size_t)count * sizeof *line.sent);
    if (!line.received || !line.sent)
        return;
    for (int i = 0; i < PIPELINE_AHEAD; i++)
        pipeline_expect(&line, i);
    for (int i = 0; i < count; i++) {
        if (trees[i % tree_count].parent >= 0)
            cor_plan_wait(plan, line.received[i]);
        pipeline_expect(&line, i + PIPELINE_AHEAD);
        pipeline_wait_sent(&line, i - PIPELINE_BEHIND);
        pipeline_hand_on(&line, i);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "coll/pattern/node_blocks.h"

#include "coll/plan/plan_table.h"

int cor_node_blocks_init(cor_node_blocks *blocks, cor_plan *plan, const cor_node_parties *parties)
{
    int count = parties->leaders.size, is_made;
    size_t room = (size_t)plan->size + 1 + (size_t)count + 1;
    size_t *starts = cor_plan_table(plan, "node blocks", 0, room * sizeof *starts, &is_made);
    if (!starts)
        return 0;
    size_t *nodes = starts + plan->size + 1;
    for (int i = 0; i < plan->size && !is_made; i++)
        starts[i + 1] = starts[i] + plan->starts[parties->order[i] + 1] - plan->starts[parties->order[i]];
    for (int node = 0; node <= count && !is_made; node++)
        nodes[node] = starts[parties->firsts[node]];
    *blocks = (cor_node_blocks){nodes, starts + parties->firsts[parties->node], starts};
    return 1;
}

void cor_node_blocks_sort(const cor_node_blocks *blocks, cor_plan *plan, const cor_node_parties *parties, cor_way way,
                          cor_ref sorted, cor_ref all)
{
    for (int i = 0; i < plan->size; i++) {
        cor_ref by_node = cor_ref_block(sorted, blocks->starts, i);
        cor_ref by_rank = cor_ref_block(all, plan->starts, parties->order[i]);
        cor_plan_copy(plan, way == COR_TO_ROOT ? by_node : by_rank, way == COR_TO_ROOT ? by_rank : by_node);
    }
}

/* `bundle` is what a leader has of its node; the root's is a part of `sorted`. */
void cor_blocks_nodes(cor_plan *plan, cor_way way, cor_ref all, cor_ref mine)
{
    cor_node_parties parties;
    cor_node_blocks blocks;
    if (!cor_node_parties_find(plan, plan->root, &parties) || !cor_node_blocks_init(&blocks, plan, &parties))
        return;
    int is_root = plan->rank == plan->root, is_unsorted = is_root && !parties.is_blocked;
    cor_ref sorted = is_unsorted ? cor_plan_temp(plan, all.bytes) : all, bundle = mine;
    if (is_root)
        bundle = cor_ref_block(sorted, blocks.nodes, parties.node);
    else if (parties.leaders.me >= 0)
        bundle = cor_plan_temp(plan, blocks.nodes[parties.node + 1] - blocks.nodes[parties.node]);
    if (way == COR_TO_ROOT) {
        cor_blocks_mst(plan, &parties.inside, way, parties.leader, bundle, blocks.inside, mine);
        cor_blocks_mst(plan, &parties.leaders, way, parties.top, sorted, blocks.nodes, bundle);
        if (is_unsorted)
            cor_node_blocks_sort(&blocks, plan, &parties, way, sorted, all);
    } else {
        if (is_unsorted)
            cor_node_blocks_sort(&blocks, plan, &parties, way, sorted, all);
        cor_blocks_mst(plan, &parties.leaders, way, parties.top, sorted, blocks.nodes, bundle);
        cor_blocks_mst(plan, &parties.inside, way, parties.leader, bundle, blocks.inside, mine);
    }
}

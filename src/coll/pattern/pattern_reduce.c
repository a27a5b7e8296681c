/* SPDX-License-Identifier: Apache-2.0 */
/* Up a tree, or directly to the root: values are combined on the way, in the order of the ranks. */
#include "coll/pattern/coll_tree.h"

/* Receives that are posted before the first is waited for: as many as fit in this, and two at least, so that one value
 * arrives while another is combined. */
enum { REDUCE_POSTED_BYTES = 1 << 20 };

static int reduce_window(size_t bytes, int count)
{
    size_t fitting = bytes ? REDUCE_POSTED_BYTES / bytes : (size_t)count;
    if (fitting < 2)
        fitting = 2;
    return fitting < (size_t)count ? (int)fitting : count;
}

/* What arrives, in order, in rooms that take turns. */
typedef struct reduce_inbox {
    cor_plan *plan;
    const cor_party *party;
    cor_ref *rooms;
    int *received;
    int window;
} reduce_inbox;

static int reduce_inbox_init(reduce_inbox *inbox, cor_plan *plan, const cor_party *party, size_t bytes, int count,
                             int window)
{
    *inbox = (reduce_inbox){.plan = plan, .party = party, .window = window};
    inbox->rooms = cor_plan_note(plan, (size_t)window * sizeof *inbox->rooms);
    inbox->received = cor_plan_note(plan, (size_t)count * sizeof *inbox->received);
    if (!inbox->rooms || !inbox->received)
        return 0;
    for (int i = 0; i < window; i++)
        inbox->rooms[i] = cor_plan_temp(plan, bytes);
    return 1;
}

static cor_ref *reduce_room(const reduce_inbox *inbox, int number)
{
    return &inbox->rooms[number % inbox->window];
}

static void reduce_expect(reduce_inbox *inbox, int number, int from)
{
    inbox->received[number] = cor_plan_recv(inbox->plan, inbox->party, from, *reduce_room(inbox, number));
}

/* ---- up a tree -------------------------------------------------------------------------------------------------- */

/* Combine the values in `room`; results go to `work`. The first operand may not be overwritten unless the operator is
 * commutative: work and room are then exchanged. */
static void reduce_fold(cor_plan *plan, cor_ref *value, cor_ref *work, cor_ref *room, int is_higher)
{
    int is_first = is_higher && !plan->is_commutative;
    cor_ref a = is_first ? *value : *room, b = is_first ? *room : *value;
    if (cor_plan_is_same(plan, *work, a)) {
        cor_ref spare = *work;
        *work = *room;
        *room = spare;
    }
    cor_plan_reduce(plan, a, b, *work);
    *value = *work;
}

void cor_tree_reduce(cor_plan *plan, const cor_party *party, const cor_tree *tree, cor_ref in, cor_ref out)
{
    int count = tree->child_count, window = reduce_window(in.bytes, count);
    cor_ref value = in;
    if (party->me < 0)
        return;
    if (count > 0) {
        const cor_tree_child *last = &tree->children[count - 1]; /* the one with the least below is ready first */
        cor_ref work = tree->parent < 0 ? out : cor_plan_temp(plan, in.bytes);
        reduce_inbox inbox;
        if (!reduce_inbox_init(&inbox, plan, party, in.bytes, count, window))
            return;
        for (int i = 0; i < window; i++)
            reduce_expect(&inbox, i, last[-i].member);
        for (int i = 0; i < count; i++) {
            cor_plan_wait(plan, inbox.received[i]);
            reduce_fold(plan, &value, &work, reduce_room(&inbox, i), last[-i].member > party->me);
            if (i + window < count)
                reduce_expect(&inbox, i + window, last[-i - window].member);
        }
    }
    if (tree->parent < 0)
        cor_plan_copy(plan, value, out);
    else
        cor_plan_wait(plan, cor_plan_send(plan, party, tree->parent, value));
}

void cor_reduce_mst(cor_plan *plan, const cor_party *party, int root, cor_ref in, cor_ref out)
{
    cor_tree tree = cor_tree_mst(plan, party, root);
    cor_tree_reduce(plan, party, &tree, in, out);
}

/* ---- flat ------------------------------------------------------------------------------------------------------- */

/* From the last member to the first, without the root: the sender of the value with this number. */
static int reduce_ft_sender(const cor_party *party, int root, int number)
{
    int member = party->size - 1 - number;
    return member > root ? member : member - 1;
}

/* The root combines from the last member to the first: the new operand is always the first one, and the second may be
 * written over. In place `out` is not to be written before the root's own values have been read. */
static void reduce_ft_root(cor_plan *plan, const cor_party *party, int root, cor_ref in, cor_ref out, int is_blocking)
{
    int count = party->size - 1, window = is_blocking ? 1 : reduce_window(in.bytes, count), number = 0;
    int is_in_place = cor_plan_is_same(plan, in, out);
    cor_ref value = in;
    reduce_inbox inbox;
    if (!reduce_inbox_init(&inbox, plan, party, in.bytes, count, window))
        return;
    for (int i = 0; i < window; i++)
        reduce_expect(&inbox, i, reduce_ft_sender(party, root, i));
    for (int member = count; member >= 0; member--) {
        cor_ref operand = in;
        int next = number + window; /* comes to the same room */
        if (member != root) {
            cor_plan_wait(plan, inbox.received[number]);
            operand = *reduce_room(&inbox, number);
        }
        if (member == count) {
            value = operand;
            if (member != root && next < count)
                *reduce_room(&inbox, next) = cor_plan_temp(plan, in.bytes);
        } else {
            cor_ref target = is_in_place && root <= member ? value : out;
            cor_plan_reduce(plan, operand, value, target);
            value = target;
        }
        if (member != root && next < count)
            reduce_expect(&inbox, next, reduce_ft_sender(party, root, next));
        number += member != root;
    }
    cor_plan_copy(plan, value, out);
}

void cor_reduce_ft(cor_plan *plan, const cor_party *party, int root, cor_ref in, cor_ref out, int is_blocking)
{
    if (party->me < 0)
        return;
    if (party->me != root)
        cor_plan_wait(plan, cor_plan_send(plan, party, root, in));
    else if (party->size == 1)
        cor_plan_copy(plan, in, out);
    else
        reduce_ft_root(plan, party, root, in, out, is_blocking);
}

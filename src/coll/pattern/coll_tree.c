/* SPDX-License-Identifier: Apache-2.0 */
#include "coll/pattern/coll_tree.h"

enum { TREE_LEVELS_MAX = 32 }; /* of halving an int */

static cor_tree tree_leaf(int parent, int me)
{
    return (cor_tree){.parent = parent, .low = me, .high = me};
}

/* Room for the children. */
static void tree_make_room(cor_plan *plan, cor_tree *tree, int children)
{
    if (children > 0)
        tree->children = cor_plan_note(plan, (size_t)children * sizeof *tree->children);
}

static void tree_add(cor_tree *tree, int member, int low, int high)
{
    if (tree->children)
        tree->children[tree->child_count++] = (cor_tree_child){member, low, high};
}

/* Members are often counted from the root on. */
static int tree_from_root(const cor_party *party, int root)
{
    return (party->me - root + party->size) % party->size;
}

static int tree_member(const cor_party *party, int root, long from_root)
{
    return (int)((root + from_root) % party->size);
}

static void tree_add_counted(cor_tree *tree, const cor_party *party, int root, long from_root)
{
    int member = tree_member(party, root, from_root);
    tree_add(tree, member, member, member);
}

/* ---- the papers' ------------------------------------------------------------------------------------------------ */

cor_tree cor_tree_flat(cor_plan *plan, const cor_party *party, int root)
{
    cor_tree tree = tree_leaf(party->me == root ? -1 : root, party->me);
    if (party->me < 0)
        return tree_leaf(-1, -1);
    if (party->me != root)
        return tree;
    tree_make_room(plan, &tree, party->size - 1);
    for (int member = 0; member < party->size; member++)
        if (member != root)
            tree_add(&tree, member, member, member);
    tree.low = 0;
    tree.high = party->size - 1;
    return tree;
}

cor_tree cor_tree_mst(cor_plan *plan, const cor_party *party, int root)
{
    int left = 0, right = party->size - 1, holder = root, me = party->me;
    cor_tree tree = {.parent = -1, .low = left, .high = right};
    if (me < 0)
        return tree_leaf(-1, -1);
    tree_make_room(plan, &tree, TREE_LEVELS_MAX);
    while (left < right) {
        int middle = left + (right - left) / 2;
        int is_left = holder <= middle, other = is_left ? right : left;
        int low = is_left ? middle + 1 : left, high = is_left ? right : middle; /* the other's half */
        if (me == holder)
            tree_add(&tree, other, low, high);
        if (me >= low && me <= high) {
            if (me == other) {
                tree.parent = holder;
                tree.low = low;
                tree.high = high;
            }
            holder = other;
            left = low;
            right = high;
        } else {
            left = is_left ? left : middle + 1;
            right = is_left ? middle : right;
        }
    }
    return tree;
}

cor_tree cor_tree_fan(cor_plan *plan, const cor_party *party, int root, int fan)
{
    if (party->me < 0)
        return tree_leaf(-1, -1);
    int me = tree_from_root(party, root);
    long first = (long)me * fan + 1, end = first + fan < party->size ? first + fan : party->size;
    cor_tree tree = tree_leaf(me == 0 ? -1 : tree_member(party, root, (me - 1) / fan), party->me);
    if (first < end)
        tree_make_room(plan, &tree, (int)(end - first));
    for (long child = first; child < end; child++)
        tree_add_counted(&tree, party, root, child);
    return tree;
}

cor_tree cor_tree_knomial(cor_plan *plan, const cor_party *party, int root, int radix)
{
    if (party->me < 0)
        return tree_leaf(-1, -1);
    cor_tree tree = tree_leaf(-1, party->me);
    long me = tree_from_root(party, root), unit = 1;
    int levels = 0;
    for (; unit < party->size; unit *= radix, levels++) {
        long digit = me / unit % radix;
        if (digit) {
            tree.parent = tree_member(party, root, me - digit * unit);
            break;
        }
    }
    long children = (long)levels * (radix - 1);
    tree_make_room(plan, &tree, (int)(children < party->size ? children : party->size - 1));
    for (unit /= radix; unit > 0; unit /= radix)
        for (long digit = 1; digit < radix && me + digit * unit < party->size; digit++)
            tree_add_counted(&tree, party, root, me + digit * unit);
    return tree;
}

/* ---- for pipelines ---------------------------------------------------------------------------------------------- */

cor_tree cor_tree_chain(cor_plan *plan, const cor_party *party, int root)
{
    return cor_tree_fan(plan, party, root, 1);
}

/* A binary tree over 1..count in which odd numbers are leaves: the parent of i is i with its lowest one moved up by
 * one place, or taken away; a number that does not exist is skipped. */
static int twin_parent(int place, int count)
{
    do {
        int lowest = place & -place;
        place = place & (2 * lowest) ? place - lowest : place + lowest;
    } while (place > count);
    return place;
}

/* The second tree has its places mirrored where that makes odd ones even, else shifted by one. */
static int twin_place(int from_root, int count, int which)
{
    if (!which)
        return from_root;
    return count % 2 == 0 ? count + 1 - from_root : from_root % count + 1;
}

static int twin_from_root(int place, int count, int which)
{
    if (!which)
        return place;
    return count % 2 == 0 ? count + 1 - place : (place - 2 + count) % count + 1;
}

cor_tree cor_tree_twin(cor_plan *plan, const cor_party *party, int root, int which)
{
    if (party->me < 0)
        return tree_leaf(-1, -1);
    cor_tree tree = tree_leaf(-1, party->me);
    int me = tree_from_root(party, root), count = party->size - 1, top = 1;
    if (count == 0)
        return tree;
    while (top <= count / 2)
        top *= 2;
    tree_make_room(plan, &tree, 2);
    if (me == 0) {
        tree_add_counted(&tree, party, root, twin_from_root(top, count, which));
        return tree;
    }
    int place = twin_place(me, count, which), lowest = place & -place;
    int parent = place == top ? 0 : twin_from_root(twin_parent(place, count), count, which);
    tree.parent = tree_member(party, root, parent);
    if (lowest > 1)
        tree_add_counted(&tree, party, root, twin_from_root(place - lowest / 2, count, which));
    int right = lowest / 2;
    while (right > 0 && place + right > count)
        right /= 2;
    if (right > 0)
        tree_add_counted(&tree, party, root, twin_from_root(place + right, count, which));
    return tree;
}

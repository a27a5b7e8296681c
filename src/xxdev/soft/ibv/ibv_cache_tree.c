/* SPDX-License-Identifier: Apache-2.0 */
/* Entries by address: a binary tree by start, balanced by being a heap of random weights (a treap). Every node knows
 * the last end below it, so that a search leaves out what ends too early. */
#include "xxdev/soft/ibv/ibv_cache.h"

static void tree_update(ibw_entry *node)
{
    node->last_end = node->end;
    if (node->left && node->left->last_end > node->last_end)
        node->last_end = node->left->last_end;
    if (node->right && node->right->last_end > node->last_end)
        node->last_end = node->right->last_end;
}

static int tree_is_before(const ibw_entry *a, const ibw_entry *b)
{
    return a->start < b->start || (a->start == b->start && (uintptr_t)a < (uintptr_t)b);
}

/* What comes before `at` in this order, and the rest. */
static void tree_split(ibw_entry *node, const ibw_entry *at, ibw_entry **before_p, ibw_entry **after_p)
{
    if (!node) {
        *before_p = *after_p = NULL;
        return;
    }
    if (tree_is_before(node, at)) {
        tree_split(node->right, at, &node->right, after_p);
        *before_p = node;
    } else {
        tree_split(node->left, at, before_p, &node->left);
        *after_p = node;
    }
    tree_update(node);
}

/* All of `before` comes before all of `after`. */
static ibw_entry *tree_merge(ibw_entry *before, ibw_entry *after)
{
    if (!before || !after)
        return before ? before : after;
    ibw_entry *top = before->weight > after->weight ? before : after;
    if (top == before)
        before->right = tree_merge(before->right, after);
    else
        after->left = tree_merge(before, after->left);
    tree_update(top);
    return top;
}

static ibw_entry *tree_insert(ibw_entry *node, ibw_entry *entry)
{
    if (!node || entry->weight > node->weight) {
        tree_split(node, entry, &entry->left, &entry->right);
        tree_update(entry);
        return entry;
    }
    if (tree_is_before(entry, node))
        node->left = tree_insert(node->left, entry);
    else
        node->right = tree_insert(node->right, entry);
    tree_update(node);
    return node;
}

static ibw_entry *tree_delete(ibw_entry *node, const ibw_entry *entry)
{
    if (node == entry)
        return tree_merge(node->left, node->right);
    if (tree_is_before(entry, node))
        node->left = tree_delete(node->left, entry);
    else
        node->right = tree_delete(node->right, entry);
    tree_update(node);
    return node;
}

void ibw_tree_add(ibw_cache *cache, ibw_entry *entry)
{
    cache->weights = cache->weights * 1664525u + 1013904223u;
    entry->weight = cache->weights;
    cache->root = tree_insert(cache->root, entry);
}

void ibw_tree_remove(ibw_cache *cache, ibw_entry *entry)
{
    cache->root = tree_delete(cache->root, entry);
}

static ibw_entry *tree_find(ibw_cache *cache, ibw_entry *node, uintptr_t start, uintptr_t end, int rights)
{
    if (!node || node->last_end < end)
        return NULL;
    cache->counts.steps++;
    ibw_entry *found = tree_find(cache, node->left, start, end, rights);
    if (found || node->start > start)
        return found;
    if (node->end >= end && (node->rights & rights) == rights)
        return node;
    return tree_find(cache, node->right, start, end, rights);
}

ibw_entry *ibw_tree_find(ibw_cache *cache, uintptr_t start, uintptr_t end, int rights)
{
    return tree_find(cache, cache->root, start, end, rights);
}

static ibw_entry *tree_overlap(ibw_entry *node, uintptr_t start, uintptr_t end)
{
    if (!node || node->last_end <= start)
        return NULL;
    ibw_entry *found = tree_overlap(node->left, start, end);
    if (found || node->start >= end)
        return found;
    return node->end > start ? node : tree_overlap(node->right, start, end);
}

ibw_entry *ibw_tree_overlap(const ibw_cache *cache, uintptr_t start, uintptr_t end)
{
    return tree_overlap(cache->root, start, end);
}

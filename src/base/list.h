/* SPDX-License-Identifier: Apache-2.0 */
/* Intrusive doubly linked list: a head is a link to itself, an element carries the link. All O(1). */
#ifndef COR_BASE_LIST_H
#define COR_BASE_LIST_H

#include <stddef.h>

typedef struct cor_link {
    struct cor_link *next, *prev;
} cor_link;

typedef cor_link cor_list;

static inline void cor_list_init(cor_list *list)
{
    list->next = list->prev = list;
}

static inline int cor_list_is_empty(const cor_list *list)
{
    return list->next == list;
}

static inline void cor_list_append(cor_list *list, cor_link *link)
{
    link->prev = list->prev;
    link->next = list;
    list->prev->next = link;
    list->prev = link;
}

static inline void cor_list_prepend(cor_list *list, cor_link *link)
{
    cor_list_append(list->next, link);
}

static inline void cor_list_remove(cor_link *link)
{
    link->prev->next = link->next;
    link->next->prev = link->prev;
    link->next = link->prev = link;
}

/* The object of `type` whose member `member` is `link`. */
#define COR_OWNER(link, type, member) ((type *)(void *)((char *)(link)-offsetof(type, member)))

#endif

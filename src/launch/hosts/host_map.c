/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/hosts/host_map.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cor_host_order_parse(const char *word, host_order *order_p)
{
    static const struct {
        const char *word;
        host_order order;
    } words[] = {{"slot", HOST_BY_SLOT},        {"core", HOST_BY_SLOT},        {"hwthread", HOST_BY_SLOT},
                 {"node", HOST_BY_NODE},        {"round-robin", HOST_BY_NODE}, {"rr", HOST_BY_NODE},
                 {"round_robin", HOST_BY_NODE}, {"byslot", HOST_BY_SLOT},      {"bynode", HOST_BY_NODE}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(word, words[i].word) == 0) {
            *order_p = words[i].order;
            return 0;
        }
    return -1;
}

int cor_host_map_slots(const host_list *list)
{
    long total = 0;
    for (int i = 0; i < list->count; i++)
        total += list->items[i].slots;
    return total > INT_MAX ? INT_MAX : (int)total;
}

int cor_host_map_is_stated(const host_list *list)
{
    for (int i = 0; i < list->count; i++)
        if (list->items[i].is_stated)
            return 1;
    return 0;
}

/* May this host get one more rank in this round? Every round allows as many as it has slots. */
static int map_has_room(const host_entry *host, int count, long round)
{
    return count < round * host->slots && (host->slots_max == 0 || count < host->slots_max);
}

/* One round, host by host or one rank per host in turn. Returns how many ranks were placed. */
static int map_round(const host_list *list, int left, long round, host_order order, int *counts)
{
    int placed = 0, passed;
    do {
        passed = 0;
        for (int i = 0; i < list->count; i++) {
            int most = order == HOST_BY_NODE ? 1 : left;
            for (; most > 0 && placed + passed < left && map_has_room(&list->items[i], counts[i], round); most--) {
                counts[i]++;
                passed++;
            }
        }
        placed += passed;
    } while (passed > 0);
    return placed;
}

/* How many ranks each host gets. */
static int map_count(const host_list *list, const char *command_name, int size, host_order order,
                     int may_oversubscribe, int *counts)
{
    int left = size, slots = cor_host_map_slots(list);
    if (size > slots && cor_host_map_is_stated(list) && !may_oversubscribe) {
        fprintf(stderr, "%s: %d ranks do not fit the %d slots of the hosts; --oversubscribe allows more\n",
                command_name, size, slots);
        return -1;
    }
    for (long round = 1; left > 0; round++) {
        int placed = map_round(list, left, round, order, counts);
        if (placed == 0) {
            fprintf(stderr, "%s: %d ranks do not fit the hosts, whose max_slots allow %d\n", command_name, size,
                    size - left);
            return -1;
        }
        left -= placed;
    }
    return 0;
}

static void map_deal(const host_list *list, int size, int in_turn, int *counts, int *host_of_rank)
{
    int host = 0, left = in_turn;
    for (int rank = 0; rank < size; rank++) {
        while (counts[host] == 0 || left == 0) {
            host = (host + 1) % list->count;
            left = in_turn;
        }
        host_of_rank[rank] = host;
        counts[host]--;
        left--;
    }
}

int cor_host_map(const host_list *list, const char *command_name, int size, const host_mapping *mapping,
                 int *host_of_rank)
{
    int *counts = calloc((size_t)list->count, sizeof *counts);
    if (!counts) {
        fprintf(stderr, "%s: out of memory\n", command_name);
        return -1;
    }
    int in_turn = mapping->in_turn ? mapping->in_turn : mapping->order == HOST_BY_NODE ? 1 : HOST_ALL_IN_TURN;
    int code = map_count(list, command_name, size, mapping->order, mapping->may_oversubscribe, counts);
    if (code == 0)
        map_deal(list, size, in_turn, counts, host_of_rank);
    free(counts);
    return code;
}

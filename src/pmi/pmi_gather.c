/* SPDX-License-Identifier: Apache-2.0 */
/* The values of all ranks at once: the first rank that asks makes the server write them into the table. */
#include "pmi/pmi_server_state.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GATHER_PLACE_MAX = 32 };

static const char *gather_value(const cor_pmi_server *server, const char *space, const char *key, int rank)
{
    char name[SERVER_KEY_MAX + 16];
    int length = snprintf(name, sizeof name, "%s%d", key, rank);
    return length < (int)sizeof name ? cor_pmi_store_get(&server->store, space, name) : NULL;
}

/* The values of all ranks, each with its zero; NULL: a rank has none, or there is no memory. */
static char *gather_all(const cor_pmi_server *server, const char *space, const char *key, size_t *length_p)
{
    char *bytes = NULL;
    size_t length = 0, room = 0;
    for (int rank = 0; rank < server->size; rank++) {
        const char *value = gather_value(server, space, key, rank);
        size_t more = value ? strlen(value) + 1 : 0;
        if (value && length + more > room) {
            char *grown = realloc(bytes, 2 * (length + more));
            room = grown ? 2 * (length + more) : room;
            bytes = grown ? grown : bytes;
        }
        if (!value || length + more > room) {
            free(bytes);
            return NULL;
        }
        memcpy(bytes + length, value, more);
        length += more;
    }
    *length_p = length;
    return bytes;
}

/* Where nothing is. */
#define GATHER_NOWHERE "0,0"

static int gather_keep(cor_pmi_server *server, int rank, const char *space, const char *key, const char *place)
{
    cor_fault ignored = {0};
    return cor_pmi_server_keep(server, &(server_value){rank, space, key, place}, 0, &ignored) == COR_OK;
}

/* Write them, and store their place under the key itself, so that it is done once. */
static void gather_write(cor_pmi_server *server, int rank, const char *space, const char *key,
                         char place[GATHER_PLACE_MAX])
{
    size_t length = 0, offset = server->table.end;
    char *bytes = gather_all(server, space, key, &length);
    if (!bytes || length > INT_MAX - offset) {
        free(bytes);
        return;
    }
    snprintf(place, GATHER_PLACE_MAX, "%zu,%zu", offset, length);
    if (!gather_keep(server, rank, space, key, place) || !cor_pmi_table_append(&server->table, bytes, length)) {
        snprintf(place, GATHER_PLACE_MAX, GATHER_NOWHERE);
        gather_keep(server, rank, space, key, place);
    }
    free(bytes);
}

int cor_pmi_server_gather(cor_pmi_server *server, int rank, const cor_pmi_line *line, cor_fault *fault)
{
    const char *space = cor_pmi_line_get(line, "kvsname");
    const char *key = cor_pmi_line_get(line, "key");
    const char *known = space && key ? cor_pmi_store_get(&server->store, space, key) : NULL;
    char place[GATHER_PLACE_MAX] = GATHER_NOWHERE;
    size_t offset = 0, length = 0;
    if (known)
        snprintf(place, sizeof place, "%s", known);
    else if (space && key && strlen(key) <= SERVER_KEY_MAX && server->table.fd >= 0)
        gather_write(server, rank, space, key, place);
    if (sscanf(place, "%zu,%zu", &offset, &length) != 2)
        offset = length = 0;
    return cor_pmi_server_answer(server, rank, fault, "cmd=gather_result rc=0 offset=%zu bytes=%zu\n", offset, length);
}

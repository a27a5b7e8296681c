/* SPDX-License-Identifier: Apache-2.0 */
#include "coll/plan/plan_table.h"

#include <stdlib.h>
#include <string.h>

struct plan_table {
    struct plan_table *next;
    const char *name;
    uint64_t value;
    size_t bytes;
    _Alignas(16) char memory[];
};

void cor_plan_tables_free(cor_plan_tables *tables)
{
    for (struct plan_table *table = tables->first, *next; table; table = next) {
        next = table->next;
        free(table);
    }
    tables->first = NULL;
}

static struct plan_table *table_find(const cor_plan_tables *tables, const char *name, uint64_t value, size_t bytes)
{
    struct plan_table *table = tables->first;
    while (table && (table->value != value || table->bytes != bytes || strcmp(table->name, name) != 0))
        table = table->next;
    return table;
}

void *cor_plan_table(cor_plan *plan, const char *name, uint64_t value, size_t bytes, int *is_made_p)
{
    cor_plan_tables *tables = plan->tables;
    *is_made_p = 0;
    if (!tables)
        return cor_plan_note(plan, bytes);
    struct plan_table *table = table_find(tables, name, value, bytes);
    if (table) {
        *is_made_p = 1;
        return table->memory;
    }
    table = calloc(1, sizeof *table + bytes);
    if (!table) {
        plan->error = COR_ERR_MEMORY;
        return NULL;
    }
    *table = (struct plan_table){.next = tables->first, .name = name, .value = value, .bytes = bytes};
    tables->first = table;
    return table->memory;
}

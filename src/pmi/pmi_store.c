/* SPDX-License-Identifier: Apache-2.0 */
#include "pmi/pmi_store.h"

#include "base/error.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct pmi_entry {
    struct pmi_entry *next;
    uint64_t hash;
    char *value;
    char name[]; /* space, '\n', key: a newline is in neither */
};

/* FNV-1a over space, newline and key. */
static uint64_t store_hash(const char *space, const char *key)
{
    uint64_t hash = 14695981039346656037u;
    for (; *space; space++)
        hash = (hash ^ (unsigned char)*space) * 1099511628211u;
    hash = (hash ^ '\n') * 1099511628211u;
    for (; *key; key++)
        hash = (hash ^ (unsigned char)*key) * 1099511628211u;
    return hash;
}

static struct pmi_entry *store_find(const cor_pmi_store *store, const char *space, const char *key, uint64_t hash)
{
    if (store->bucket_count == 0)
        return NULL;
    size_t length = strlen(space);
    struct pmi_entry *entry = store->buckets[hash % store->bucket_count];
    for (; entry; entry = entry->next)
        if (entry->hash == hash && strncmp(entry->name, space, length) == 0 && entry->name[length] == '\n' &&
            strcmp(entry->name + length + 1, key) == 0)
            return entry;
    return NULL;
}

/* Memory of an entry, with its share of the table and the heap's overhead for two blocks. */
static size_t store_cost(size_t name_length, size_t value_length)
{
    enum { STORE_HEAP_BYTES = 2 * 16, STORE_BUCKET_BYTES = 2 * sizeof(void *) };
    return sizeof(struct pmi_entry) + name_length + value_length + 2 + STORE_HEAP_BYTES + STORE_BUCKET_BYTES;
}

long cor_pmi_store_growth(const cor_pmi_store *store, const char *space, const char *key, const char *value)
{
    const struct pmi_entry *entry = store_find(store, space, key, store_hash(space, key));
    long length = (long)strlen(value);
    return entry ? length - (long)strlen(entry->value)
                 : (long)store_cost(strlen(space) + strlen(key) + 1, (size_t)length);
}

static int store_grow(cor_pmi_store *store)
{
    size_t bucket_count = store->bucket_count ? 2 * store->bucket_count : 64;
    struct pmi_entry **buckets = calloc(bucket_count, sizeof *buckets);
    if (!buckets)
        return COR_ERR_MEMORY;
    for (size_t i = 0; i < store->bucket_count; i++) {
        while (store->buckets[i]) {
            struct pmi_entry *entry = store->buckets[i];
            store->buckets[i] = entry->next;
            entry->next = buckets[entry->hash % bucket_count];
            buckets[entry->hash % bucket_count] = entry;
        }
    }
    free(store->buckets);
    store->buckets = buckets;
    store->bucket_count = bucket_count;
    return COR_OK;
}

int cor_pmi_store_put(cor_pmi_store *store, const char *space, const char *key, const char *value)
{
    uint64_t hash = store_hash(space, key);
    char *copy = strdup(value);
    if (!copy)
        return COR_ERR_MEMORY;
    struct pmi_entry *entry = store_find(store, space, key, hash);
    if (entry) {
        store->bytes += strlen(copy);
        store->bytes -= strlen(entry->value);
        free(entry->value);
        entry->value = copy;
        return COR_OK;
    }
    size_t space_length = strlen(space), key_length = strlen(key);
    entry = malloc(sizeof *entry + space_length + key_length + 2);
    if (!entry || (store->count >= store->bucket_count && store_grow(store) != COR_OK)) {
        free(entry);
        free(copy);
        return COR_ERR_MEMORY;
    }
    memcpy(entry->name, space, space_length);
    entry->name[space_length] = '\n';
    memcpy(entry->name + space_length + 1, key, key_length + 1);
    entry->hash = hash;
    entry->value = copy;
    entry->next = store->buckets[hash % store->bucket_count];
    store->buckets[hash % store->bucket_count] = entry;
    store->count++;
    store->bytes += store_cost(space_length + key_length + 1, strlen(copy));
    return COR_OK;
}

const char *cor_pmi_store_get(const cor_pmi_store *store, const char *space, const char *key)
{
    const struct pmi_entry *entry = store_find(store, space, key, store_hash(space, key));
    return entry ? entry->value : NULL;
}

void cor_pmi_store_fini(cor_pmi_store *store)
{
    for (size_t i = 0; i < store->bucket_count; i++) {
        while (store->buckets[i]) {
            struct pmi_entry *entry = store->buckets[i];
            store->buckets[i] = entry->next;
            free(entry->value);
            free(entry);
        }
    }
    free(store->buckets);
    memset(store, 0, sizeof *store);
}

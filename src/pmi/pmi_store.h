/* SPDX-License-Identifier: Apache-2.0 */
/* The key-value spaces of a PMI server: text by space and key, in a hash table that grows. */
#ifndef COR_PMI_STORE_H
#define COR_PMI_STORE_H

#include <stddef.h>

typedef struct cor_pmi_store {
    struct pmi_entry **buckets;
    size_t bucket_count, count;
    size_t bytes; /* of the entries */
} cor_pmi_store;  /* zero-initialise it */

/* How many bytes the store would grow by with this value; negative: it replaces a longer one. */
long cor_pmi_store_growth(const cor_pmi_store *store, const char *space, const char *key, const char *value);

/* A later value replaces an earlier one. 0 or COR_ERR_MEMORY. */
int cor_pmi_store_put(cor_pmi_store *store, const char *space, const char *key, const char *value);

/* The value, valid until it is replaced, or NULL. */
const char *cor_pmi_store_get(const cor_pmi_store *store, const char *space, const char *key);

void cor_pmi_store_fini(cor_pmi_store *store);

#endif

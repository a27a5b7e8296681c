/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file in which a launcher gives the ranks of its host the values of all ranks at once.
 *
 * If every rank fetches every other rank's value with a request, the launcher answers the square of their number. So
 * the server writes the values of an exchange, once, into a memfd that its ranks inherit, and answers with the place:
 * one request a rank, however many there are. A rank recognises the descriptor by its name in the launcher's greeting.
 * If the descriptor is missing, because a wrapper has closed it, values are fetched one by one.
 */
#ifndef COR_PMI_TABLE_H
#define COR_PMI_TABLE_H

#include <stddef.h>

/* The launcher's end. */
typedef struct cor_pmi_table {
    int fd;     /* closed on exec; -1: the kernel has no memfd */
    size_t end; /* bytes written */
} cor_pmi_table;

enum { COR_PMI_TABLE_NAME_MAX = 64 };

void cor_pmi_table_open(cor_pmi_table *table);
void cor_pmi_table_close(cor_pmi_table *table);

/* Add bytes at table->end. 0: there is no room; nothing was added. */
int cor_pmi_table_append(cor_pmi_table *table, const char *bytes, size_t length);

/* Number and identity of a descriptor as one word. 0: it is not open. */
int cor_pmi_table_name(int fd, char name[COR_PMI_TABLE_NAME_MAX]);

/* In a rank: the inherited descriptor of this name, or -1. */
int cor_pmi_table_find(const char *name);

/* These bytes, for the caller to free, with a zero behind them; NULL: they cannot be read. */
char *cor_pmi_table_read(int fd, size_t offset, size_t length);

#endif

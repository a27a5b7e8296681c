/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values that ranks publish in the exchanges of a boot, kept until it closes. For implementations of a boot.
 */
#ifndef COR_PMI_BOOT_VALUES_H
#define COR_PMI_BOOT_VALUES_H

#include "pmi/boot.h"

/* A value, and what boot_watch.h appends to the first one. */
enum { BOOT_TEXT_MAX = COR_BOOT_VALUE_MAX + 96 };

/* The values of all ranks of one exchange in one block of memory; they live until the boot closes. */
typedef struct boot_values {
    struct boot_values *next;
    const char **by_rank;
    char *block; /* where the values are, if they were adopted */
} boot_values;

/* Empty texts of at most BOOT_TEXT_MAX characters for all ranks, if key and value are valid. COR_ERR_ARG,
 * COR_ERR_MEMORY. */
int cor_boot_values_begin(const cor_boot *boot, const char *key, const char *value, boot_values **list,
                          boot_values **values_p, cor_fault *fault);
void cor_boot_values_set(boot_values *values, int rank, const char *value);
/* Append to a value. 0 if it would become longer than BOOT_TEXT_MAX. */
int cor_boot_values_append(boot_values *values, int rank, const char *more);
/* All at once: the values of all ranks are in this block, in order, each after `mark` and with a zero behind it. The
 * block must have another zero at its end. 0 if it does not have this form; then nothing has changed, and the caller
 * still owns the block. */
int cor_boot_values_adopt(boot_values *values, int size, char *block, size_t bytes, const char *mark);
void cor_boot_values_destroy(boot_values **list);

/* Is it valid: printable, no spaces, not empty and not too long? */
int cor_boot_is_token(const char *text, size_t maximum);

#endif

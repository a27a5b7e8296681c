/*
 * What all ranks tell each other in the exchanges of a boot, kept until it closes. For whoever makes a boot.
 */
#ifndef COR_PMI_BOOT_VALUES_H
#define COR_PMI_BOOT_VALUES_H

#include "pmi/boot.h"

/* A value, and what boot_watch.h puts behind the first one. */
enum { BOOT_TEXT_MAX = COR_BOOT_VALUE_MAX + 96 };

/* Everybody's values of one exchange in one block of memory; they live until the boot closes. */
typedef struct boot_values {
    struct boot_values *next;
    const char **by_rank;
} boot_values;

/* Room for a text of at most BOOT_TEXT_MAX characters of everybody, all empty, if this is a key and value that may
 * be exchanged. COR_ERR_ARG, COR_ERR_MEMORY. */
int cor_boot_values_begin(const cor_boot *boot, const char *key, const char *value, boot_values **list,
                          boot_values **values_p, cor_fault *fault);
void cor_boot_values_set(boot_values *values, int rank, const char *value);
/* More of a value, behind what is there. 0 if it would become longer than BOOT_TEXT_MAX. */
int cor_boot_values_append(boot_values *values, int rank, const char *more);
void cor_boot_values_destroy(boot_values **list);

/* May it be told: printable, no spaces, not empty and not too long? */
int cor_boot_is_word(const char *text, size_t maximum);

#endif

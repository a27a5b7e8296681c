/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the ranks of a job run, and which of its programs each is: what they publish of that with their first address,
 * so that all ranks know the same. Names of hosts are those of cor_rank_host, without characters that a text of the
 * exchange cannot have, and of limited length; ranks with the same name count as one host.
 */
#ifndef COR_MP_PLACES_H
#define COR_MP_PLACES_H

#include "mp/mp.h"

enum { COR_PLACE_NAME_MAX = 40 };

typedef struct cor_places {
    int host_count, program_count;
    char (*hosts)[COR_PLACE_NAME_MAX]; /* numbered by their first rank */
    int *programs;                     /* their numbers (cor_rank_appnum), ascending */
    int *host_of, *program_of;         /* rank of the job -> index above */
} cor_places;

/* Of a rank that was opened; stays until the rank is destroyed. */
const cor_places *cor_rank_places(const cor_rank *rank);

/* rank_device.c: the part of a rank's text that has the number of its program, with the ';' at its end. */
enum { COR_PLACE_TEXT_MAX = 10 };
void cor_place_write(const cor_rank *rank, char text[COR_PLACE_TEXT_MAX]);
/* Make the places of all ranks: the host is in the first of `texts`, which are compat.h's, the program in `programs`.
 * COR_ERR_MEMORY, COR_ERR_PROTOCOL. */
int cor_places_learn(cor_rank *rank, const char *const *texts, const char *const *programs, cor_fault *fault);
void cor_places_free(cor_places *places);

#endif

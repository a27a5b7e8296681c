/* SPDX-License-Identifier: Apache-2.0 */
#include "mp/places.h"

#include "mp/compat.h"
#include "mp/mp_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)COR_PLACE_NAME_MAX == (int)COR_COMPAT_HOST_MAX, "a name is what the text of a rank has");

const cor_places *cor_rank_places(const cor_rank *rank)
{
    return &rank->places;
}

void cor_place_write(const cor_rank *rank, char text[COR_PLACE_TEXT_MAX])
{
    snprintf(text, COR_PLACE_TEXT_MAX, "%x;", (unsigned)rank->known.appnum);
}

void cor_places_free(cor_places *places)
{
    free(places->hosts);
    free(places->programs);
    free(places->host_of);
    free(places->program_of);
    *places = (cor_places){0};
}

/* The index of a host, a new one if need be. Mostly it is the host of the rank before. */
static int places_host(cor_places *places, const char *name, int before)
{
    if (before >= 0 && strcmp(places->hosts[before], name) == 0)
        return before;
    int i = 0;
    while (i < places->host_count && strcmp(places->hosts[i], name) != 0)
        i++;
    if (i == places->host_count)
        strcpy(places->hosts[places->host_count++], name);
    return i;
}

static int places_learn_hosts(cor_places *places, const char *const *texts, int size, cor_fault *fault)
{
    char name[COR_PLACE_NAME_MAX];
    for (int i = 0; i < size; i++) {
        if (!cor_compat_host(texts[i], name))
            return cor_fault_set(fault, COR_ERR_PROTOCOL, "rank %d sent no name of its host", i);
        places->host_of[i] = places_host(places, name, i > 0 ? places->host_of[i - 1] : -1);
    }
    return COR_OK;
}

static int places_compare(const void *a, const void *b)
{
    int left = *(const int *)a, right = *(const int *)b;
    return (left > right) - (left < right);
}

/* Their numbers are read into program_of, sorted, and replaced by indexes. */
static int places_learn_programs(cor_places *places, const char *const *texts, int size, cor_fault *fault)
{
    for (int i = 0; i < size; i++) {
        unsigned number;
        int length = 0;
        if (sscanf(texts[i], "%8x%n", &number, &length) != 1 || texts[i][length] != ';')
            return cor_fault_set(fault, COR_ERR_PROTOCOL, "rank %d sent no number of its program", i);
        places->programs[i] = places->program_of[i] = (int)number;
    }
    qsort(places->programs, (size_t)size, sizeof *places->programs, places_compare);
    for (int i = 0; i < size; i++)
        if (i == 0 || places->programs[i] != places->programs[places->program_count - 1])
            places->programs[places->program_count++] = places->programs[i];
    for (int i = 0; i < size; i++) {
        const int *found = bsearch(&places->program_of[i], places->programs, (size_t)places->program_count,
                                   sizeof *places->programs, places_compare);
        places->program_of[i] = (int)(found - places->programs);
    }
    return COR_OK;
}

int cor_places_learn(cor_rank *rank, const char *const *texts, const char *const *programs, cor_fault *fault)
{
    cor_places *places = &rank->places;
    size_t size = (size_t)rank->known.size;
    places->hosts = calloc(size, sizeof *places->hosts);
    places->programs = calloc(size, sizeof *places->programs);
    places->host_of = calloc(size, sizeof *places->host_of);
    places->program_of = calloc(size, sizeof *places->program_of);
    if (!places->hosts || !places->programs || !places->host_of || !places->program_of)
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for the places of %zu ranks", size);
    int rc = places_learn_hosts(places, texts, (int)size, fault);
    if (rc == COR_OK)
        rc = places_learn_programs(places, programs, (int)size, fault);
    if (rc != COR_OK)
        return rc;
    /* There is mostly one host and one program. */
    void *hosts = realloc(places->hosts, (size_t)places->host_count * sizeof *places->hosts);
    places->hosts = hosts ? hosts : places->hosts;
    return COR_OK;
}

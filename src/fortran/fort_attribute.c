/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of attributes. To C an attribute is an address. The address of one that Fortran has set is that of its value,
 * which is kept here; Fortran reads what C has set as an address. A value goes with its attribute if the key is one of
 * Fortran. A key of C has functions of the program, which may copy the address: a value that Fortran sets under such a
 * key stays until the program ends.
 */
#include "fort.h"

#include <pthread.h>
#include <stdint.h>

typedef struct fort_value fort_value;
struct fort_value {
    union {
        int narrow; /* of MPI_Attr_put */
        MPI_Aint wide;
    } is; /* where C finds it, so the first member */
    int is_narrow;
    fort_value *next;
};

enum { VALUE_LISTS = 256 };
static fort_value *value_lists[VALUE_LISTS]; /* by address */
static pthread_mutex_t value_lock = PTHREAD_MUTEX_INITIALIZER;

static fort_value **value_list(const void *address)
{
    return &value_lists[((uintptr_t)address >> 5) % VALUE_LISTS];
}

/* The link to the value with this address, or to NULL. Under the lock. */
static fort_value **value_find(const void *address)
{
    fort_value **at = value_list(address);
    while (*at && *at != address)
        at = &(*at)->next;
    return at;
}

void *fort_value_create(MPI_Aint number, int is_narrow)
{
    fort_value *value = fort_room(NULL, 0, 1, sizeof *value);
    value->is_narrow = is_narrow;
    if (is_narrow)
        value->is.narrow = (int)number;
    else
        value->is.wide = number;
    pthread_mutex_lock(&value_lock);
    fort_value **list = value_list(value);
    value->next = *list;
    *list = value;
    pthread_mutex_unlock(&value_lock);
    return value;
}

void fort_value_destroy(void *address)
{
    pthread_mutex_lock(&value_lock);
    fort_value **at = value_find(address), *value = *at;
    if (value)
        *at = value->next;
    pthread_mutex_unlock(&value_lock);
    free(value);
}

/* Is it one of Fortran? Then what it is. */
static int value_get(const void *address, MPI_Aint *number, int *is_narrow)
{
    pthread_mutex_lock(&value_lock);
    const fort_value *value = *value_find(address);
    if (value) {
        *is_narrow = value->is_narrow;
        *number = value->is_narrow ? value->is.narrow : value->is.wide;
    }
    pthread_mutex_unlock(&value_lock);
    return value != NULL;
}

void *fort_value_copy(void *address)
{
    MPI_Aint number;
    int is_narrow;
    return value_get(address, &number, &is_narrow) ? fort_value_create(number, is_narrow) : address;
}

MPI_Aint fort_value_read(void *address)
{
    MPI_Aint number;
    int is_narrow;
    return value_get(address, &number, &is_narrow) ? number : (MPI_Aint)address;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handles as integers. A predefined handle is its own number. Any other address gets the next number on first use and
 * keeps it for good, also when the object is freed and the address reused; so the size of the table depends on the
 * objects alive at once, not on the number of calls. It needs no open rank: infos and error handlers have numbers at
 * any time.
 */
#include "mpi/face_error.h"

#include <stdlib.h>

enum { NUMBERS_FIRST = 4096 }; /* above every predefined handle */

typedef struct face_numbers {
    int count, capacity; /* capacity is a power of two */
    void **handles;      /* by number - NUMBERS_FIRST */
    int *slots;          /* twice the capacity: 1 + index into handles, 0 empty; linear probing by address */
} face_numbers;

static size_t numbers_slot(const face_numbers *numbers, const void *handle)
{
    size_t mask = 2 * (size_t)numbers->capacity - 1;
    size_t slot = ((uintptr_t)handle >> 4) * 0x9e3779b97f4a7c15u >> 20 & mask;
    while (numbers->slots[slot] && numbers->handles[numbers->slots[slot] - 1] != handle)
        slot = (slot + 1) & mask;
    return slot;
}

static int numbers_grow(face_numbers *numbers)
{
    int capacity = numbers->capacity ? 2 * numbers->capacity : 64;
    void **handles = realloc(numbers->handles, (size_t)capacity * sizeof *handles);
    if (handles)
        numbers->handles = handles;
    int *slots = calloc(2 * (size_t)capacity, sizeof *slots);
    if (!handles || !slots) {
        free(slots);
        return 0;
    }
    free(numbers->slots);
    numbers->slots = slots;
    numbers->capacity = capacity;
    for (int i = 0; i < numbers->count; i++)
        numbers->slots[numbers_slot(numbers, handles[i])] = i + 1;
    return 1;
}

/* The number of an address, or 0 when memory is out. Under the lock. */
static int numbers_of(face_rank *rank, void *handle)
{
    if (!rank->numbers && !(rank->numbers = calloc(1, sizeof *rank->numbers)))
        return 0;
    face_numbers *numbers = rank->numbers;
    if (numbers->count == numbers->capacity && !numbers_grow(numbers))
        return 0;
    size_t slot = numbers_slot(numbers, handle);
    if (!numbers->slots[slot]) {
        numbers->handles[numbers->count] = handle;
        numbers->slots[slot] = ++numbers->count;
    }
    return NUMBERS_FIRST + numbers->slots[slot] - 1;
}

static int numbers_from_handle(const char *call, void *handle)
{
    if ((uintptr_t)handle <= FACE_RESERVED_MAX)
        return (int)(uintptr_t)handle;
    face_rank *rank = face_get();
    pthread_mutex_lock(&rank->lock);
    int number = numbers_of(rank, handle);
    pthread_mutex_unlock(&rank->lock);
    if (!number)
        face_fail_early(call, MPI_ERR_NO_MEM, "no memory for the number of a handle");
    return number;
}

/* An unused number yields NULL, which is not a valid handle: the call that uses it tells, if the argument matters
 * there. */
static void *numbers_to_handle(const char *call, int number)
{
    (void)call;
    if (number >= 0 && number < NUMBERS_FIRST)
        return (void *)(uintptr_t)number;
    face_rank *rank = face_get();
    void *handle = NULL;
    pthread_mutex_lock(&rank->lock);
    face_numbers *numbers = rank->numbers;
    if (number >= NUMBERS_FIRST && numbers && number - NUMBERS_FIRST < numbers->count)
        handle = numbers->handles[number - NUMBERS_FIRST];
    pthread_mutex_unlock(&rank->lock);
    return handle;
}

void face_numbers_free(face_rank *rank)
{
    if (rank->numbers) {
        free(rank->numbers->handles);
        free(rank->numbers->slots);
        free(rank->numbers);
        rank->numbers = NULL;
    }
}

FACE_API(Comm_toint, numbers_from_handle)
FACE_API(Comm_fromint, numbers_to_handle)
FACE_API(Errhandler_toint, numbers_from_handle)
FACE_API(Errhandler_fromint, numbers_to_handle)
FACE_API(File_toint, numbers_from_handle)
FACE_API(File_fromint, numbers_to_handle)
FACE_API(Group_toint, numbers_from_handle)
FACE_API(Group_fromint, numbers_to_handle)
FACE_API(Info_toint, numbers_from_handle)
FACE_API(Info_fromint, numbers_to_handle)
FACE_API(Message_toint, numbers_from_handle)
FACE_API(Message_fromint, numbers_to_handle)
FACE_API(Op_toint, numbers_from_handle)
FACE_API(Op_fromint, numbers_to_handle)
FACE_API(Request_toint, numbers_from_handle)
FACE_API(Request_fromint, numbers_to_handle)
FACE_API(Session_toint, numbers_from_handle)
FACE_API(Session_fromint, numbers_to_handle)
FACE_API(Type_toint, numbers_from_handle)
FACE_API(Type_fromint, numbers_to_handle)
FACE_API(Win_toint, numbers_from_handle)
FACE_API(Win_fromint, numbers_to_handle)

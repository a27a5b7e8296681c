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

/* An unused number yields NULL, which is not a valid handle. */
static void *numbers_to_handle(const char *call, int number)
{
    if (number >= 0 && number < NUMBERS_FIRST)
        return (void *)(uintptr_t)number;
    face_rank *rank = face_get();
    void *handle = NULL;
    pthread_mutex_lock(&rank->lock);
    face_numbers *numbers = rank->numbers;
    if (number >= NUMBERS_FIRST && numbers && number - NUMBERS_FIRST < numbers->count)
        handle = numbers->handles[number - NUMBERS_FIRST];
    pthread_mutex_unlock(&rank->lock);
    if (!handle)
        face_fail_early(call, MPI_ERR_ARG, "%d is not an integer handle", number);
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

COR_API(int, Comm_toint, (MPI_Comm comm))
{
    return numbers_from_handle("MPI_Comm_toint", comm);
}

COR_API(MPI_Comm, Comm_fromint, (int comm))
{
    return numbers_to_handle("MPI_Comm_fromint", comm);
}

COR_API(int, Errhandler_toint, (MPI_Errhandler errhandler))
{
    return numbers_from_handle("MPI_Errhandler_toint", errhandler);
}

COR_API(MPI_Errhandler, Errhandler_fromint, (int errhandler))
{
    return numbers_to_handle("MPI_Errhandler_fromint", errhandler);
}

COR_API(int, File_toint, (MPI_File file))
{
    return numbers_from_handle("MPI_File_toint", file);
}

COR_API(MPI_File, File_fromint, (int file))
{
    return numbers_to_handle("MPI_File_fromint", file);
}

COR_API(int, Group_toint, (MPI_Group group))
{
    return numbers_from_handle("MPI_Group_toint", group);
}

COR_API(MPI_Group, Group_fromint, (int group))
{
    return numbers_to_handle("MPI_Group_fromint", group);
}

COR_API(int, Info_toint, (MPI_Info info))
{
    return numbers_from_handle("MPI_Info_toint", info);
}

COR_API(MPI_Info, Info_fromint, (int info))
{
    return numbers_to_handle("MPI_Info_fromint", info);
}

COR_API(int, Message_toint, (MPI_Message message))
{
    return numbers_from_handle("MPI_Message_toint", message);
}

COR_API(MPI_Message, Message_fromint, (int message))
{
    return numbers_to_handle("MPI_Message_fromint", message);
}

COR_API(int, Op_toint, (MPI_Op op))
{
    return numbers_from_handle("MPI_Op_toint", op);
}

COR_API(MPI_Op, Op_fromint, (int op))
{
    return numbers_to_handle("MPI_Op_fromint", op);
}

COR_API(int, Request_toint, (MPI_Request request))
{
    return numbers_from_handle("MPI_Request_toint", request);
}

COR_API(MPI_Request, Request_fromint, (int request))
{
    return numbers_to_handle("MPI_Request_fromint", request);
}

COR_API(int, Session_toint, (MPI_Session session))
{
    return numbers_from_handle("MPI_Session_toint", session);
}

COR_API(MPI_Session, Session_fromint, (int session))
{
    return numbers_to_handle("MPI_Session_fromint", session);
}

COR_API(int, Type_toint, (MPI_Datatype datatype))
{
    return numbers_from_handle("MPI_Type_toint", datatype);
}

COR_API(MPI_Datatype, Type_fromint, (int datatype))
{
    return numbers_to_handle("MPI_Type_fromint", datatype);
}

COR_API(int, Win_toint, (MPI_Win win))
{
    return numbers_from_handle("MPI_Win_toint", win);
}

COR_API(MPI_Win, Win_fromint, (int win))
{
    return numbers_to_handle("MPI_Win_fromint", win);
}

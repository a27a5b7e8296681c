/* SPDX-License-Identifier: Apache-2.0 */
/* One access to a file, by any of the functions there are. */
#ifndef TESTS_FILE_CALL_H
#define TESTS_FILE_CALL_H

#include <mpi.h>

typedef enum file_pointer { FILE_EXPLICIT, FILE_INDIVIDUAL, FILE_SHARED } file_pointer;
typedef enum file_form { FILE_PLAIN, FILE_REQUEST, FILE_SPLIT } file_form;

typedef struct file_way {
    const char *name;
    file_pointer pointer;
    int is_collective;
    file_form form;
} file_way;

extern const file_way file_ways[];
extern const int file_way_count;

/* The row, or a failed check. */
const file_way *file_way_of(file_pointer pointer, int is_collective, file_form form);

typedef struct file_call {
    MPI_File file;
    const file_way *way;
    int is_write, is_large; /* large: by the function with MPI_Count */
    MPI_Offset offset;      /* FILE_EXPLICIT */
    void *memory;
    MPI_Count count;
    MPI_Datatype type;
    /* Of the call under way. */
    MPI_Request request;
    MPI_Status status;
} file_call;

/* Start it; a plain one is complete then. */
int file_call_begin(file_call *call);
/* Complete it, once. */
int file_call_end(file_call *call);
/* Both. A failure of the first leaves nothing to complete. */
int file_call_run(file_call *call);

#endif

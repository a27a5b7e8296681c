/* SPDX-License-Identifier: Apache-2.0 */
#include "mpi/face_name.h"

#include <stdlib.h>
#include <string.h>

int face_name_set(face_rank *rank, char **name_p, const char *name)
{
    char *copy = strndup(name, MPI_MAX_OBJECT_NAME - 1);
    if (!copy)
        return 0;
    pthread_mutex_lock(&rank->lock);
    char *old = *name_p;
    *name_p = copy;
    pthread_mutex_unlock(&rank->lock);
    free(old);
    return 1;
}

int face_name_get(face_rank *rank, const char *name, const char *given, char *out)
{
    pthread_mutex_lock(&rank->lock);
    const char *source = name ? name : given;
    size_t length = strlen(source);
    memcpy(out, source, length + 1);
    pthread_mutex_unlock(&rank->lock);
    return (int)length;
}

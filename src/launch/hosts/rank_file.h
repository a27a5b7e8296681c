/* SPDX-License-Identifier: Apache-2.0 */
/* Rank files, in the form of Open MPI: `rank 0=host slot=1:0-2`, one rank a line; '#' begins a comment. */
#ifndef COR_RUN_RANK_FILE_H
#define COR_RUN_RANK_FILE_H

#include "launch/hosts/host_list.h"

typedef struct rank_file {
    int size;     /* the highest rank and 1 */
    int *hosts;   /* of each rank: which item of the host list */
    char **slots; /* of each rank, NULL-terminated; see cor_bind_slots */
} rank_file;      /* zero-initialise it */

enum { RANK_FILE_MOST = 1 << 20 };

/* Read a file. Its hosts must be in the list, by name or as +n0, +n1 by number; into an empty list they are added.
 * `size`: the number of ranks, 0: as many as the file has. Every rank needs one line. 0, or -1 after a message that
 * names file, line and word. */
int cor_rank_file_read(rank_file *file, const char *command_name, const char *path, int size, host_list *list);
void cor_rank_file_fini(rank_file *file);

#endif

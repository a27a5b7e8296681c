/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens at the end: MPI_Finalize deletes the attributes of MPI_COMM_SELF first, the last set before the others,
 * while MPI still works, and then frees whatever the program left behind (which the sanitizer sees if it does not).
 *
 *   last_words [ranks,...]  ranks are threads; without a number the process is one rank
 */
#include "rank_counts.h"

#include <corunna/threads.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct words {
    char order[8];
    int works; /* calls inside the functions that went well */
} words;

static int delete_word(MPI_Comm comm, int keyval, void *value, void *state)
{
    words *w = state;
    int rank, got = -1, flag = 1;
    (void)keyval;
    strcat(w->order, value);
    MPI_Finalized(&flag);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Sendrecv(&rank, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
    w->works += !flag && got == rank;
    return MPI_SUCCESS;
}

/* One of everything, and nothing freed. */
static void leave_everything(int rank, int size)
{
    MPI_Group group;
    MPI_Info info;
    MPI_Comm comm, inter;
    MPI_Datatype type;
    MPI_Request request;
    int key, code, dims[1] = {size}, periods[1] = {1}, index[1] = {0};
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MPI_Group_incl(group, 1, index, &group);
    MPI_Info_create(&info);
    MPI_Info_set(info, "left", "behind");
    MPI_Info_get_nkeys(MPI_INFO_ENV, &code);
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(comm, key, &inter);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, &inter);
    MPI_Comm_set_info(MPI_COMM_WORLD, info);
    MPI_Comm_dup(comm, &comm);
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &comm);
    MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &key, NULL);
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_set_attr(type, key, &inter);
    MPI_Type_set_attr(MPI_INT, key, &inter);
    MPI_Add_error_class(&code);
    MPI_Add_error_string(code, "left behind");
    if (size > 1) {
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &comm);
        MPI_Intercomm_create(comm, 0, MPI_COMM_WORLD, !(rank % 2), 0, &inter);
    }
    MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
    MPI_Request_free(&request);
}

static int body(int argc, char **argv)
{
    words w = {"", 0};
    int rank, size, keys[3];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char *letters[] = {"a", "b", "c"};
    for (int i = 0; i < 3; i++) {
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_word, &keys[i], &w);
        MPI_Comm_set_attr(MPI_COMM_SELF, keys[i], letters[i]);
    }
    /* Setting anew makes it the last. */
    MPI_Comm_set_attr(MPI_COMM_SELF, keys[0], "d");
    leave_everything(rank, size);
    MPI_Finalize();
    if (strcmp(w.order, "adcb") != 0 || w.works != 4) {
        fprintf(stderr, "rank %d: order %s, %d calls went well; expected adcb and 4\n", rank, w.order, w.works);
        return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    int status = 0;
    if (argc < 2)
        return body(argc, argv);
    for (const char *counts = argv[1]; *counts && status == 0;)
        status = corunna_threads_run(rank_counts_next(&counts), body, argc, argv);
    return status;
}

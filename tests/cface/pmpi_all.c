/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Under a tool that wraps every function (pmpi_wrap.h; pmpi.sh puts it in three ways between this program and the
 * library): are all first names the tool's, and all second names the library's? And is every call counted once, in the
 * tool and nowhere else?
 */
#define _GNU_SOURCE
#include "check.h"

#include <dlfcn.h>
#include <mpi.h>
#include <string.h>

typedef void (*any_function)(void);
typedef struct row {
    const char *name;
    any_function first, second;
} row;

static long (*calls_of)(const char *name);
static long (*calls_of_all)(void);
static long expected;

/* The call is counted once, as one of this function, and is no other's. */
#define ONCE(name, ...)                                                                                               \
    do {                                                                                                              \
        long before = calls_of(#name);                                                                                \
        CHECK(name(__VA_ARGS__) == MPI_SUCCESS);                                                                      \
        CHECK_EQUAL(before + 1, calls_of(#name));                                                                     \
        CHECK_EQUAL(++expected, calls_of_all());                                                                      \
    } while (0)

static void check_names(void)
{
    int count = 0;
    const row *(*rows)(int *) = (const row *(*)(int *))dlsym(RTLD_DEFAULT, "pmpi_rows");
    void *library = dlopen("libmpi_abi.so.1", RTLD_NOW | RTLD_NOLOAD);
    CHECK(rows && library);
    const row *all = rows(&count);
    CHECK_EQUAL(664, count);
    for (int i = 0; i < count; i++) {
        Dl_info first, second;
        char other[128];
        snprintf(other, sizeof other, "P%s", all[i].name);
        void *own = dlsym(library, other);
        CHECK(dlsym(RTLD_DEFAULT, all[i].name) == (void *)all[i].first);
        CHECK(own && own == (void *)all[i].second);
        CHECK(dlsym(library, all[i].name) == own);
        CHECK(dladdr((void *)all[i].first, &first) && !strstr(first.dli_fname, "libmpi_abi"));
        CHECK(dladdr((void *)all[i].second, &second) && strstr(second.dli_fname, "libmpi_abi"));
    }
}

static void add(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *length; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

/* Calls that the library makes of many steps of its own, or of other functions of MPI. */
static void check_calls(const char *path)
{
    int rank, ranks, one = 1, got = 0, flag, dims[1] = {0}, periods[1] = {1}, counts[64], displacements[64], key;
    MPI_Comm comm, cart, twin;
    MPI_Request request, pair[2];
    MPI_Datatype type;
    MPI_Op op;
    MPI_Win win;
    MPI_File file;
    MPI_Info info;
    int *memory, cells[64] = {0};
    ONCE(MPI_Comm_rank, MPI_COMM_WORLD, &rank);
    ONCE(MPI_Comm_size, MPI_COMM_WORLD, &ranks);
    CHECK(ranks <= 64);
    for (int i = 0; i < ranks; i++) {
        counts[i] = 1;
        displacements[i] = i;
    }
    ONCE(MPI_Comm_dup, MPI_COMM_WORLD, &comm);
    ONCE(MPI_Comm_split, comm, rank % 2, 0, &twin);
    ONCE(MPI_Comm_free, &twin);
    ONCE(MPI_Comm_split_type, comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &twin);
    ONCE(MPI_Comm_disconnect, &twin);
    ONCE(MPI_Dims_create, ranks, 1, dims);
    ONCE(MPI_Cart_create, comm, 1, dims, periods, 1, &cart);
    ONCE(MPI_Sendrecv, &one, 1, MPI_INT, rank, 1, &got, 1, MPI_INT, rank, 1, comm, MPI_STATUS_IGNORE);
    ONCE(MPI_Sendrecv_replace, &one, 1, MPI_INT, rank, 1, rank, 1, comm, MPI_STATUS_IGNORE);
    ONCE(MPI_Isend, &one, 1, MPI_INT, rank, 1, comm, &pair[0]);
    ONCE(MPI_Irecv_c, &got, 1, MPI_INT, rank, 1, comm, &pair[1]);
    ONCE(MPI_Waitall, 2, pair, MPI_STATUSES_IGNORE);
    ONCE(MPI_Psend_init, &one, 1, 1, MPI_INT, rank, 1, comm, MPI_INFO_NULL, &pair[0]);
    ONCE(MPI_Precv_init_c, &got, 1, 1, MPI_INT, rank, 1, comm, MPI_INFO_NULL, &pair[1]);
    ONCE(MPI_Startall, 2, pair);
    ONCE(MPI_Pready_range, 0, 0, pair[0]);
    ONCE(MPI_Waitall, 2, pair, MPI_STATUSES_IGNORE);
    ONCE(MPI_Request_free, &pair[0]);
    ONCE(MPI_Request_free, &pair[1]);
    ONCE(MPI_Barrier, comm);
    ONCE(MPI_Bcast, &one, 1, MPI_INT, 0, comm);
    ONCE(MPI_Op_create, add, 1, &op);
    ONCE(MPI_Allreduce, &one, &got, 1, MPI_INT, op, comm);
    CHECK_EQUAL(ranks, got);
    ONCE(MPI_Reduce_scatter_block, cells, &got, 1, MPI_INT, MPI_SUM, comm);
    ONCE(MPI_Allgatherv, &one, 1, MPI_INT, cells, counts, displacements, MPI_INT, comm);
    ONCE(MPI_Alltoall_c, MPI_IN_PLACE, 0, MPI_INT, cells, 1, MPI_INT, comm);
    ONCE(MPI_Iscan, &one, &got, 1, MPI_INT, op, comm, &request);
    ONCE(MPI_Wait, &request, MPI_STATUS_IGNORE);
    ONCE(MPI_Neighbor_allgather, &one, 1, MPI_INT, cells, 1, MPI_INT, cart);
    ONCE(MPI_Op_free, &op);
    ONCE(MPI_Type_create_darray, ranks, rank, 1, (int[]){8 * ranks}, (int[]){MPI_DISTRIBUTE_BLOCK},
         (int[]){MPI_DISTRIBUTE_DFLT_DARG}, dims, MPI_ORDER_C, MPI_INT, &type);
    ONCE(MPI_Type_commit, &type);
    ONCE(MPI_Info_create, &info);
    ONCE(MPI_Info_set, info, "collective_buffering", "true");
    ONCE(MPI_File_open, comm, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &file);
    ONCE(MPI_File_set_view, file, 0, MPI_INT, type, "native", info);
    ONCE(MPI_File_write_all, file, cells, 8, MPI_INT, MPI_STATUS_IGNORE);
    ONCE(MPI_File_close, &file);
    ONCE(MPI_Info_free, &info);
    ONCE(MPI_Type_free, &type);
    ONCE(MPI_Win_allocate, sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &memory, &win);
    ONCE(MPI_Win_fence, 0, win);
    ONCE(MPI_Put, &one, 1, MPI_INT, rank, 0, 1, MPI_INT, win);
    ONCE(MPI_Win_fence, 0, win);
    ONCE(MPI_Win_free, &win);
    ONCE(MPI_Comm_create_keyval, MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    ONCE(MPI_Comm_free_keyval, &key);
    ONCE(MPI_Comm_free, &cart);
    ONCE(MPI_Comm_free, &comm);
    ONCE(MPI_Initialized, &flag);
    /* The second names are not the tool's. */
    CHECK(PMPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS);
    CHECK_EQUAL(expected, calls_of_all());
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    calls_of = (long (*)(const char *))dlsym(RTLD_DEFAULT, "pmpi_calls");
    calls_of_all = (long (*)(void))dlsym(RTLD_DEFAULT, "pmpi_all_calls");
    CHECK(calls_of && calls_of_all);
    check_names();
    ONCE(MPI_Init, &argc, &argv);
    check_calls(argv[1]);
    ONCE(MPI_Finalize);
    CHECK_EQUAL(-1, calls_of("MPI_Nothing"));
    puts("pmpi_all: passed");
    return 0;
}

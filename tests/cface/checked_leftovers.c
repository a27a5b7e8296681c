/* SPDX-License-Identifier: Apache-2.0 */
/* A program that leaves behind what its argument names; checked_leftovers.sh looks at what is said of it. */
#include <corunna/threads.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { LONG = 1 << 18, MANY = 23 };

static const char *way;

/* What requests need until the end, of this rank. */
typedef struct rank_memory {
    int in, out[LONG], sums[2];
    MPI_Request requests[4];
} rank_memory;

static int is_way(const char *name)
{
    return strcmp(way, name) == 0;
}

static void ignore_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
}

static void add(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *length; i++)
        ((int *)inout)[i] += ((const int *)in)[i];
}

/* Short, long, many, on a communicator with a name, to itself; one more goes in a communicator that is then freed. */
static void leave_messages(rank_memory *memory, int rank, int size)
{
    MPI_Comm named, freed;
    MPI_Comm_dup(MPI_COMM_WORLD, &named);
    MPI_Comm_dup(MPI_COMM_WORLD, &freed);
    MPI_Comm_set_name(named, "halo");
    if (rank == 0) {
        int last = size - 1;
        MPI_Send(memory->out, 3, MPI_INT, last, 7, MPI_COMM_WORLD);
        MPI_Send(memory->out, 2, MPI_INT, last, 8, named);
        MPI_Send(memory->out, 1, MPI_INT, last, 9, freed);
        MPI_Isend(memory->out, LONG, MPI_INT, last, 10, named, &memory->requests[0]);
        MPI_Request_free(&memory->requests[0]);
    }
    MPI_Comm_free(&freed);
    MPI_Barrier(named);
    if (rank == size - 1) /* or its sender could not end */
        MPI_Recv(memory->out, LONG, MPI_INT, 0, 10, named, MPI_STATUS_IGNORE);
    MPI_Comm_free(&named);
}

static void leave_many(int rank, int size)
{
    if (rank == 0)
        for (int i = 0; i < MANY; i++)
            MPI_Send(&i, 1, MPI_INT, size - 1, i, MPI_COMM_WORLD);
}

/* A pending receive, a complete one, a persistent one, a collective one, a message that was probed for. */
static void leave_requests(rank_memory *memory)
{
    MPI_Message message;
    MPI_Irecv(&memory->in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &memory->requests[0]);
    MPI_Isend(&memory->in, 1, MPI_INT, MPI_PROC_NULL, 2, MPI_COMM_SELF, &memory->requests[1]);
    MPI_Send_init(&memory->in, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &memory->requests[2]);
    memory->sums[0] = 1;
    MPI_Iallreduce(&memory->sums[0], &memory->sums[1], 1, MPI_INT, MPI_SUM, MPI_COMM_SELF, &memory->requests[3]);
    MPI_Send(memory->out, 1, MPI_INT, 0, 4, MPI_COMM_SELF);
    MPI_Mprobe(0, 4, MPI_COMM_SELF, &message, MPI_STATUS_IGNORE);
}

/* One of each kind, freed or not; what is not the program's to free is made too. */
static void make_handles(int is_freed)
{
    MPI_Comm dup, split;
    MPI_Group group, empty;
    MPI_Datatype type, real;
    MPI_Op op;
    MPI_Info info, used;
    MPI_Errhandler handler, kept, found;
    MPI_Win win;
    MPI_File file;
    MPI_Comm_dup(MPI_COMM_SELF, &dup);
    MPI_Comm_set_name(dup, "grid");
    MPI_Comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, 0, &split);
    MPI_Comm_group(dup, &group);
    MPI_Group_difference(group, group, &empty);
    MPI_Type_vector(2, 1, 3, MPI_INT, &type);
    MPI_Type_create_f90_real(6, 30, &real);
    MPI_Op_create(add, 1, &op);
    MPI_Info_create(&info);
    MPI_Comm_get_info(dup, &used);
    MPI_Win_create_dynamic(MPI_INFO_NULL, dup, &win);
    MPI_Win_set_name(win, "field");
    MPI_File_open(dup, "/dev/null", MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_Comm_create_errhandler(ignore_error, &handler);
    /* A communicator keeps this one. */
    MPI_Comm_create_errhandler(ignore_error, &kept);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, kept);
    MPI_Errhandler_free(&kept);
    MPI_Comm_get_errhandler(MPI_COMM_SELF, &found);
    MPI_Errhandler_free(&found);
    if (!is_freed)
        return;
    MPI_File_close(&file);
    MPI_Win_free(&win);
    MPI_Comm_free(&dup);
    MPI_Group_free(&group);
    MPI_Type_free(&type);
    MPI_Op_free(&op);
    MPI_Info_free(&info);
    MPI_Info_free(&used);
    MPI_Errhandler_free(&handler);
}

static int body(int argc, char **argv)
{
    int rank, size;
    rank_memory *memory = calloc(1, sizeof *memory);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (is_way("messages"))
        leave_messages(memory, rank, size);
    if (is_way("many"))
        leave_many(rank, size);
    if (is_way("requests") && rank == 0)
        leave_requests(memory);
    if (is_way("handles") || is_way("clean"))
        make_handles(is_way("clean"));
    MPI_Finalize();
    free(memory);
    return 0;
}

int main(int argc, char **argv)
{
    way = argc > 1 ? argv[1] : "";
    int ranks = argc > 2 ? atoi(argv[2]) : 0;
    return ranks ? corunna_threads_run(ranks, body, argc, argv) : body(argc, argv);
}

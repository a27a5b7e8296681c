/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A job whose last rank does something else than the others, and what they are told: for disagree_test.sh.
 *
 *   disagree WHAT [return]      the first error ends the job, or is printed by those who get it and returned
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

typedef struct disagreement {
    int is_odd; /* the last rank */
    int rank;
    MPI_Comm comm;
} disagreement;

static int wait_for(int error, MPI_Request *request)
{
    return error ? error : MPI_Wait(request, MPI_STATUS_IGNORE);
}

/* What is sent and what is received are built otherwise, of the same elements in the same order. */
static int try_right_types(const disagreement *d)
{
    static const int lengths[2] = {1, 2};
    static const MPI_Aint displacements[2] = {0, 8};
    static const MPI_Datatype types[2] = {MPI_INT, MPI_INT};
    MPI_Datatype spread;
    int data[6] = {0}, all[18];
    MPI_Type_create_struct(2, lengths, displacements, types, &spread);
    MPI_Type_commit(&spread);
    int error = MPI_Bcast(data, d->is_odd ? 1 : 3, d->is_odd ? spread : MPI_INT, 0, d->comm);
    if (!error)
        error = MPI_Allgather(data, 3, d->is_odd ? MPI_UNSIGNED : MPI_INT, all, 12, MPI_BYTE, d->comm);
    if (!error)
        error = MPI_Gather(data, 12, MPI_PACKED, all, 1, spread, 0, d->comm);
    MPI_Type_free(&spread);
    return error;
}

/* Nothing is wrong with these. */
static int try_right(const disagreement *d)
{
    int in[3] = {1, 2, 3}, out[3];
    MPI_Request request = MPI_REQUEST_NULL;
    int error = MPI_Exscan(in, d->rank ? out : NULL, 3, MPI_INT, MPI_SUM, d->comm);
    if (!error)
        error = wait_for(MPI_Iexscan(in, out, 3, MPI_INT, MPI_SUM, d->comm, &request), &request);
    if (!error)
        error = try_right_types(d);
    return error ? error : MPI_Allreduce(in, out, 3, d->is_odd ? MPI_INT32_T : MPI_INT, MPI_SUM, d->comm);
}

static int try_root(const disagreement *d)
{
    int value = 0;
    return MPI_Bcast(&value, 1, MPI_INT, d->is_odd, d->comm);
}

static int try_type(const disagreement *d)
{
    int in[2] = {0}, out[2];
    return MPI_Allreduce(in, out, d->is_odd ? 1 : 2, d->is_odd ? MPI_DOUBLE : MPI_INT, MPI_SUM, d->comm);
}

/* As many bytes of something else. */
static int try_elements(const disagreement *d)
{
    int value[4] = {0};
    return MPI_Bcast(value, 4, d->is_odd ? MPI_FLOAT : MPI_INT, 0, d->comm);
}

/* Blocks that differ in their second element. */
static MPI_Datatype odd_block(const disagreement *d)
{
    static const int lengths[2] = {1, 2};
    static const MPI_Aint displacements[2] = {0, 8};
    const MPI_Datatype types[2] = {MPI_DOUBLE, d->is_odd ? MPI_INT : MPI_FLOAT};
    MPI_Datatype type;
    MPI_Type_create_struct(2, lengths, displacements, types, &type);
    MPI_Type_commit(&type);
    return type;
}

static int try_block(const disagreement *d)
{
    double mine[2] = {0}, all[6];
    MPI_Datatype type = odd_block(d);
    int error = MPI_Allgather(mine, 1, type, all, 1, type, d->comm);
    MPI_Type_free(&type);
    return error;
}

static int try_parts(const disagreement *d)
{
    static const int ones[3] = {1, 1, 1}, places[3] = {0, 1, 2};
    double mine[2] = {0}, all[6];
    MPI_Datatype type = odd_block(d);
    int error = MPI_Gatherv(mine, 1, type, all, ones, places, type, 0, d->comm);
    MPI_Type_free(&type);
    return error;
}

/* Every block with a datatype of its own; the last rank has another for the first. */
static int try_typed(const disagreement *d)
{
    static const int ones[3] = {1, 1, 1}, places[3] = {0, 8, 16};
    const MPI_Datatype expected[3] = {MPI_INT, MPI_DOUBLE, MPI_INT};
    MPI_Datatype sent[3];
    double in[3] = {0}, out[3];
    for (int i = 0; i < 3; i++)
        sent[i] = d->rank == 1 ? MPI_DOUBLE : MPI_INT;
    if (d->is_odd)
        sent[0] = MPI_FLOAT;
    return MPI_Alltoallw(in, ones, places, sent, out, ones, places, expected, d->comm);
}

/* Of what a rank keeps for itself no other rank sees anything. */
static int try_own(const disagreement *d)
{
    int mine[2] = {0}, all[6];
    return MPI_Allgather(mine, 2, d->is_odd ? MPI_FLOAT : MPI_INT, all, 2, MPI_INT, d->comm);
}

static int try_form(const disagreement *d)
{
    int value = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    if (!d->is_odd)
        return MPI_Bcast(&value, 1, MPI_INT, 0, d->comm);
    return wait_for(MPI_Ibcast(&value, 1, MPI_INT, 0, d->comm, &request), &request);
}

static int try_gone(const disagreement *d)
{
    return d->is_odd ? MPI_SUCCESS : MPI_Barrier(d->comm);
}

/* Also without the knob. */
static int try_count(const disagreement *d)
{
    int in[10] = {0}, out[10];
    MPI_Request request = MPI_REQUEST_NULL;
    return wait_for(MPI_Iallreduce(in, out, d->is_odd ? 3 : 10, MPI_INT, MPI_SUM, d->comm, &request), &request);
}

/* All fail before any rank asks. */
static void settle(int count, MPI_Request requests[])
{
    for (int i = 0; i < count; i++)
        for (int is_done = 0; !is_done;)
            MPI_Request_get_status(requests[i], &is_done, MPI_STATUS_IGNORE);
}

/* For different reasons. */
static void start_two(const disagreement *d, int data[4], MPI_Request requests[2])
{
    MPI_Ibcast(data, d->is_odd ? 2 : 1, MPI_INT, 0, d->comm, &requests[0]);
    MPI_Iallreduce(&data[2], &data[3], 1, MPI_INT, d->is_odd ? MPI_MAX : MPI_MIN, d->comm, &requests[1]);
    settle(2, requests);
}

static int try_two(const disagreement *d)
{
    int data[4] = {0};
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    start_two(d, data, requests);
    int error = MPI_Wait(&requests[0], MPI_STATUS_IGNORE), length;
    char text[MPI_MAX_ERROR_STRING];
    MPI_Error_string(error, text, &length);
    printf("rank %d heard first: %s\n", d->rank, text);
    return MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
}

static int try_all(const disagreement *d)
{
    int data[4] = {0}, length;
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status statuses[2];
    char text[MPI_MAX_ERROR_STRING];
    start_two(d, data, requests);
    int error = MPI_Waitall(2, requests, statuses);
    for (int i = 0; i < 2; i++) {
        MPI_Error_string(statuses[i].MPI_ERROR, text, &length);
        printf("rank %d finds at %d: %s\n", d->rank, i, text);
    }
    return error;
}

static int try_ignored(const disagreement *d)
{
    int data[4] = {0}, indices[2], count;
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    start_two(d, data, requests);
    return MPI_Waitsome(2, requests, &count, indices, MPI_STATUSES_IGNORE);
}

/* More than can be told of; of each reason there are two. */
static int try_many(const disagreement *d)
{
    enum { MANY = 40 };
    int data[2 * MANY] = {0};
    MPI_Request requests[MANY];
    MPI_Status statuses[MANY];
    for (int i = 0; i < MANY; i++)
        MPI_Ibcast(data, d->is_odd ? i / 2 + 2 : 1, MPI_INT, 0, d->comm, &requests[i]);
    settle(MANY, requests);
    return MPI_Waitall(MANY, requests, statuses);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(const disagreement *d);
    } rows[] = {{"right", try_right}, {"root", try_root},       {"type", try_type},   {"elements", try_elements},
                {"block", try_block}, {"parts", try_parts},     {"typed", try_typed}, {"own", try_own},
                {"form", try_form},   {"gone", try_gone},       {"count", try_count}, {"two", try_two},
                {"all", try_all},     {"ignored", try_ignored}, {"many", try_many}};
    disagreement d = {.comm = MPI_COMM_WORLD};
    int size, error = MPI_SUCCESS, length;
    char text[MPI_MAX_ERROR_STRING];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &d.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    d.is_odd = d.rank == size - 1;
    if (argc > 2)
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (size_t i = 0; argc > 1 && i < sizeof rows / sizeof *rows; i++)
        if (strcmp(argv[1], rows[i].name) == 0)
            error = rows[i].run(&d);
    if (error) {
        MPI_Error_string(error, text, &length);
        printf("rank %d heard: %s\n", d.rank, text);
    }
    MPI_Finalize();
    printf("rank %d ends\n", d.rank);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that knows the standard ABI alone: it is compiled with a header made of the facts about it (abi_stub.sh)
 * and linked to a library without code. It uses something of every part of MPI whose constants, types or structs the
 * program has compiled into itself.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEED(condition)                                                                                               \
    do {                                                                                                              \
        if (!(condition)) {                                                                                           \
            fprintf(stderr, "%s:%d: rank %d: not so: %s\n", __FILE__, __LINE__, rank, #condition);                    \
            MPI_Abort(MPI_COMM_WORLD, 9);                                                                             \
        }                                                                                                             \
    } while (0)

static int rank, ranks;

/* ---- statuses ---------------------------------------------------------------------------------------------------- */

static void use_messages(void)
{
    int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks, count = 0, flag = 0, indices[2], done = 0;
    double out[5] = {rank, 1.5, 2.5, 3.5, 4.5}, in[8] = {0};
    MPI_Status statuses[2];
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Message message;
    memset(statuses, 0x7f, sizeof statuses);
    NEED(MPI_Irecv(in, 8, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]) == MPI_SUCCESS);
    NEED(requests[0] != MPI_REQUEST_NULL);
    NEED(MPI_Issend(out, 5, MPI_DOUBLE, next, 70000, MPI_COMM_WORLD, &requests[1]) == MPI_SUCCESS);
    while (done < 2) {
        int now;
        MPI_Waitsome(2, requests, &now, indices, statuses);
        NEED(now != MPI_UNDEFINED);
        for (int i = 0; i < now; i++)
            if (indices[i] == 0) {
                NEED(statuses[i].MPI_SOURCE == before && statuses[i].MPI_TAG == 70000);
                MPI_Get_count(&statuses[i], MPI_DOUBLE, &count);
            }
        done += now;
    }
    NEED(count == 5 && in[0] == before && in[4] == 4.5);
    NEED(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);

    MPI_Isend(out, 3, MPI_DOUBLE, next, 6, MPI_COMM_WORLD, &requests[0]);
    MPI_Mprobe(before, 6, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    NEED(message != MPI_MESSAGE_NULL && message != MPI_MESSAGE_NO_PROC);
    MPI_Mrecv(in, 8, MPI_DOUBLE, &message, &statuses[0]);
    MPI_Get_elements(&statuses[0], MPI_DOUBLE, &count);
    NEED(message == MPI_MESSAGE_NULL && count == 3);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);

    MPI_Recv(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &statuses[0]);
    NEED(statuses[0].MPI_SOURCE == MPI_PROC_NULL && statuses[0].MPI_TAG == MPI_ANY_TAG);
    MPI_Irecv(in, 1, MPI_DOUBLE, before, 99, MPI_COMM_WORLD, &requests[0]);
    MPI_Cancel(&requests[0]);
    MPI_Wait(&requests[0], &statuses[0]);
    MPI_Test_cancelled(&statuses[0], &flag);
    NEED(flag);
}

static void use_partitions(void)
{
    int out[12], in[12], next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks, flag = 0;
    MPI_Request both[2];
    MPI_Psend_init(out, 4, 3, MPI_INT, next, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &both[0]);
    MPI_Precv_init(in, 2, 6, MPI_INT, before, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &both[1]);
    for (int start = 0; start < 3; start++) {
        MPI_Startall(2, both);
        for (int i = 3; i >= 0; i--) {
            for (int k = 0; k < 3; k++)
                out[3 * i + k] = 100 * rank + 10 * start + i;
            MPI_Pready(i, both[0]);
        }
        for (flag = 0; !flag;)
            MPI_Parrived(both[1], 1, &flag);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
        NEED(in[0] == 100 * before + 10 * start && in[11] == 100 * before + 10 * start + 3);
    }
    MPI_Request_free(&both[0]);
    MPI_Request_free(&both[1]);
}

/* ---- constants of datatypes and operators ------------------------------------------------------------------------ */

static void largest(void *in, void *inout, int *length, MPI_Datatype *type)
{
    const long *a = in;
    long *b = inout;
    NEED(*type == MPI_LONG);
    for (int i = 0; i < *length; i++)
        b[i] = a[i] > b[i] ? a[i] : b[i];
}

static void use_types(void)
{
    struct pair {
        double value;
        int place;
    } mine = {10.0 - rank, rank}, least;
    int size = 0, numbers = 0, addresses = 0, types = 0, combiner = 0, position = 0;
    long count = rank, most = -1;
    unsigned char bits = (unsigned char)(1 << (rank % 8)), all = 0;
    char packed[64];
    MPI_Aint lower, extent;
    MPI_Datatype vector, resized;
    MPI_Op op;
    MPI_Allreduce(&mine, &least, 1, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
    NEED(least.place == ranks - 1 && least.value == 11.0 - ranks);
    MPI_Allreduce(&bits, &all, 1, MPI_UINT8_T, MPI_BOR, MPI_COMM_WORLD);
    NEED(all & 1);
    MPI_Op_create(largest, 1, &op);
    MPI_Allreduce(&count, &most, 1, MPI_LONG, op, MPI_COMM_WORLD);
    NEED(most == ranks - 1);
    MPI_Op_free(&op);
    NEED(op == MPI_OP_NULL);
    MPI_Type_vector(3, 1, 2, MPI_INT, &vector);
    MPI_Type_create_resized(vector, -4, 40, &resized);
    MPI_Type_commit(&resized);
    MPI_Type_get_extent(resized, &lower, &extent);
    MPI_Type_size(resized, &size);
    MPI_Type_get_envelope(resized, &numbers, &addresses, &types, &combiner);
    NEED(lower == -4 && extent == 40 && size == 12 && combiner == MPI_COMBINER_RESIZED && addresses == 2);
    MPI_Pack(&count, 1, MPI_LONG, packed, sizeof packed, &position, MPI_COMM_WORLD);
    NEED(position == sizeof count);
    MPI_Type_free(&vector);
    MPI_Type_free(&resized);
    NEED(resized == MPI_DATATYPE_NULL);
    MPI_Type_size(MPI_WCHAR, &size);
    NEED(size == (int)sizeof L' ');
    MPI_Type_size(MPI_INTEGER8, &size);
    NEED(size == 8);
}

/* ---- communicators, groups, attributes --------------------------------------------------------------------------- */

static int copies;

static int copy_it(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)keyval, (void)extra;
    copies++;
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

static void use_communicators(void)
{
    MPI_Comm half, cart, twin;
    MPI_Group group, none;
    int dims[2] = {0, 0}, periods[2] = {1, 0}, result, key, flag, status = 0, *value, low, high, length;
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2 ? 1 : MPI_UNDEFINED, -rank, &half);
    NEED((half == MPI_COMM_NULL) == (rank % 2 == 0));
    if (half != MPI_COMM_NULL)
        MPI_Comm_free(&half);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &half);
    MPI_Comm_compare(half, MPI_COMM_WORLD, &result); /* containers may be hosts of their own */
    NEED(result == MPI_CONGRUENT || result == MPI_UNEQUAL);
    MPI_Comm_free(&half);
    MPI_Dims_create(ranks, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
    MPI_Topo_test(cart, &status);
    NEED(status == MPI_CART);
    MPI_Cart_shift(cart, 1, ranks, &low, &high);
    NEED(low == MPI_PROC_NULL && high == MPI_PROC_NULL);
    MPI_Comm_create_keyval(copy_it, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(cart, key, &copies);
    MPI_Comm_dup(cart, &twin);
    MPI_Comm_get_attr(twin, key, &value, &flag);
    NEED(flag && value == &copies && copies == 1);
    MPI_Comm_free_keyval(&key);
    NEED(key == MPI_KEYVAL_INVALID);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag);
    NEED(flag && *value >= 32767);
    MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
    NEED(strcmp(name, "MPI_COMM_WORLD") == 0);
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MPI_Group_excl(group, 0, NULL, &none);
    MPI_Group_compare(group, none, &result);
    NEED(result == MPI_IDENT);
    MPI_Group_free(&none);
    MPI_Group_difference(group, group, &none);
    NEED(none == MPI_GROUP_EMPTY);
    MPI_Group_free(&group);
    NEED(group == MPI_GROUP_NULL);
    MPI_Comm_free(&twin);
    MPI_Comm_free(&cart);
}

/* ---- errors, infos ----------------------------------------------------------------------------------------------- */

static int errors;

static void count_error(MPI_Comm *comm, int *code, ...)
{
    int class;
    MPI_Error_class(*code, &class);
    errors += *comm == MPI_COMM_WORLD && class == MPI_ERR_RANK;
}

static void use_errors(void)
{
    MPI_Errhandler handler, old;
    char text[MPI_MAX_ERROR_STRING];
    int code, class, length;
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &old);
    NEED(old == MPI_ERRORS_ARE_FATAL);
    MPI_Comm_create_errhandler(count_error, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    code = MPI_Send(NULL, 0, MPI_BYTE, ranks, 0, MPI_COMM_WORLD);
    MPI_Error_class(code, &class);
    MPI_Error_string(code, text, &length);
    NEED(errors == 1 && class == MPI_ERR_RANK && length > 0);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Error_class(MPI_Type_contiguous(-1, MPI_INT, NULL), &class);
    NEED(class == MPI_ERR_COUNT || class == MPI_ERR_ARG);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, old);
    MPI_Errhandler_free(&handler);
}

static void use_infos(void)
{
    MPI_Info info;
    char value[MPI_MAX_INFO_VAL];
    int flag, length = sizeof value, major, minor;
    MPI_Info_create(&info);
    MPI_Info_set(info, "color", "blue");
    MPI_Info_get_string(info, "color", &length, value, &flag);
    NEED(flag && length == 5 && strcmp(value, "blue") == 0);
    MPI_Info_free(&info);
    NEED(info == MPI_INFO_NULL);
    MPI_Abi_get_version(&major, &minor);
    NEED(major == MPI_ABI_VERSION && minor == MPI_ABI_SUBVERSION);
    MPI_Get_version(&major, &minor);
    NEED(major == MPI_VERSION && minor == MPI_SUBVERSION);
    NEED(MPI_Comm_fromint(MPI_Comm_toint(MPI_COMM_SELF)) == MPI_COMM_SELF);
    MPI_Query_thread(&major);
    NEED(major == MPI_THREAD_SERIALIZED || major == MPI_THREAD_MULTIPLE);
}

/* ---- windows and files ------------------------------------------------------------------------------------------- */

static void use_windows(void)
{
    MPI_Win win;
    long *cell, one = 1, before = -1;
    int *model, flag;
    MPI_Win_allocate(sizeof *cell, sizeof *cell, MPI_INFO_NULL, MPI_COMM_WORLD, &cell, &win);
    MPI_Win_get_attr(win, MPI_WIN_MODEL, &model, &flag);
    NEED(flag && (*model == MPI_WIN_UNIFIED || *model == MPI_WIN_SEPARATE));
    *cell = 0;
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    MPI_Accumulate(&one, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    NEED(rank != 0 || *cell == ranks);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Fetch_and_op(&one, &before, MPI_LONG, 0, 0, MPI_NO_OP, win);
    MPI_Win_unlock(0, win);
    NEED(before == ranks);
    MPI_Win_free(&win);
    NEED(win == MPI_WIN_NULL);
}

static void use_files(const char *path)
{
    MPI_File file;
    MPI_Status status;
    MPI_Offset end = 0;
    int value = 500 + rank, got = 0, count = 0;
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &file);
    MPI_File_set_view(file, (MPI_Offset)sizeof value * rank, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_write_at_all(file, 0, &value, 1, MPI_INT, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    MPI_File_read(file, &got, 1, MPI_INT, MPI_STATUS_IGNORE);
    NEED(count == 1 && got == value);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_get_size(file, &end);
    NEED(end == (MPI_Offset)sizeof value * ranks);
    MPI_File_close(&file);
    NEED(file == MPI_FILE_NULL);
}

/* ---- collectives, and large counts ------------------------------------------------------------------------------- */

static void use_collectives(void)
{
    int *all = malloc(sizeof *all * (size_t)ranks), sum = 0, after = 0;
    MPI_Count big = 1;
    MPI_Request request;
    for (int i = 0; i < ranks; i++)
        all[i] = i == rank ? rank : -1;
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < ranks; i++)
        NEED(all[i] == i);
    MPI_Iallreduce_c(&rank, &sum, big, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    NEED(sum == ranks * (ranks - 1) / 2);
    MPI_Exscan(&rank, &after, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    NEED(rank == 0 || after == rank * (rank - 1) / 2);
    PMPI_Barrier(MPI_COMM_WORLD);
    free(all);
}

int main(int argc, char **argv)
{
    int provided, flag;
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    NEED(argc == 2 && provided >= MPI_THREAD_SERIALIZED);
    use_messages();
    use_partitions();
    use_types();
    use_communicators();
    use_errors();
    use_infos();
    use_windows();
    use_files(argv[1]);
    use_collectives();
    MPI_Get_library_version(library, &provided);
    if (rank == 0)
        printf("%d ranks passed with %.7s\n", ranks, library);
    MPI_Finalize();
    MPI_Finalized(&flag);
    return !flag;
}

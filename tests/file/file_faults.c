/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of the system fail under parallel files: the first, the second, ... until none fails any more, at one rank or
 * another. Each time either every byte is right, or the access says that it failed, a collective one at every rank with
 * the same class; then what its status tells of is in the file.
 *
 *   file_faults --threads 1,3 | file_faults            as a rank of a job
 *   file_faults --full FOLDER [--threads ...]          no calls are made to fail: FOLDER is on a small full disk
 */
#define _GNU_SOURCE
#include "failing_calls.h"
#include "file_call.h"
#include "file_suite.h"

#include "corunna/threads.h"
#include "rank_counts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCKS = 24, BLOCK = 1000, BYTES = BLOCKS * BLOCK };

/* How the ranks share the file. */
typedef enum fault_view { FAULT_CONTIGUOUS, FAULT_INTERLEAVED, FAULT_WINDOWS, FAULT_VIEWS } fault_view;
static const char *const fault_views[] = {"contiguous", "interleaved", "interleaved, in windows of 7000 bytes"};

typedef struct fault {
    failing_kind kind;
    int error, many, class;
    const char *name;
} fault;

/* The class that each errno must have; EINTR and less than was asked for are no errors. */
static const fault faults[] = {
    {FAILING_WRITE, EIO, 1, MPI_ERR_IO, "a write fails with EIO"},
    {FAILING_WRITE, ENOSPC, 1 << 30, MPI_ERR_NO_SPACE, "writes fail with ENOSPC"},
    {FAILING_WRITE, EDQUOT, 1, MPI_ERR_QUOTA, "a write fails with EDQUOT"},
    {FAILING_WRITE, EINTR, 3, MPI_SUCCESS, "writes are interrupted"},
    {FAILING_WRITE, FAILING_SHORT, 5, MPI_SUCCESS, "writes are short"},
    {FAILING_READ, EIO, 1, MPI_ERR_IO, "a read fails with EIO"},
    {FAILING_READ, EINTR, 3, MPI_SUCCESS, "reads are interrupted"},
    {FAILING_READ, FAILING_SHORT, 5, MPI_SUCCESS, "reads are short"},
};

/* Byte i of a rank's stream in the file. */
static long long fault_place(const test *t, fault_view view, int rank, int i)
{
    return view == FAULT_CONTIGUOUS ? (long long)rank * BYTES + i
                                    : ((long long)(i / BLOCK) * t->size + rank) * BLOCK + i % BLOCK;
}

static void fault_set_view(const test *t, MPI_File file, fault_view view)
{
    MPI_Datatype type;
    CHECK_OK(MPI_Type_vector(BLOCKS, BLOCK, view == FAULT_CONTIGUOUS ? BLOCK : BLOCK * t->size, MPI_BYTE, &type));
    CHECK_OK(MPI_Type_commit(&type));
    test_view(file, fault_place(t, view, t->rank, 0), MPI_BYTE, type);
    CHECK_OK(MPI_Type_free(&type));
}

/* FAULT_WINDOWS: in two phases, and in many rounds, which a failure stops. */
static MPI_File fault_open(test *t, fault_view view)
{
    MPI_Info info;
    MPI_File file;
    CHECK_OK(MPI_Info_create(&info));
    if (view == FAULT_WINDOWS) {
        CHECK_OK(MPI_Info_set(info, "collective_buffering", "true"));
        CHECK_OK(MPI_Info_set(info, "cb_buffer_size", "7000"));
    }
    CHECK_OK(MPI_File_open(t->comm, test_path(t, "faults"), MPI_MODE_RDWR, info, &file));
    CHECK_OK(MPI_Info_free(&info));
    fault_set_view(t, file, view);
    return file;
}

/* The first `moved` bytes of this rank's stream are in the file. */
static void fault_check_disk(test *t, fault_view view, const unsigned char *stream, long long moved)
{
    unsigned char *all = calloc((size_t)t->size, BYTES);
    CHECK(all);
    test_disk_read(t, "faults", 0, all, (size_t)t->size * BYTES);
    for (int i = 0; i < moved; i++)
        if (all[fault_place(t, view, t->rank, i)] != stream[i])
            CHECK_FAIL("%lld bytes were told, and byte %d is wrong", moved, i);
    free(all);
}

/* The bytes a status tells of; -1: of none that makes sense. */
static long long fault_moved(const MPI_Status *status)
{
    MPI_Count count = -1;
    CHECK_OK(MPI_Get_elements_x(status, MPI_BYTE, &count));
    CHECK(count >= 0 && count <= BYTES);
    return count;
}

/* The class that a call returned, the same at all ranks if it is collective. */
static int fault_class(const test *t, const file_way *way, int rc)
{
    int class = rc == MPI_SUCCESS ? MPI_SUCCESS : test_class(rc);
    if (way->is_collective)
        test_check_alike(t, "the class", class);
    return class;
}

static file_call fault_call(const file_way *way, MPI_File file, int is_write, void *memory)
{
    file_call call = {.file = file, .way = way, .is_write = is_write, .memory = memory, .count = BYTES};
    call.type = MPI_BYTE;
    return call;
}

/* One access of all ranks, the n-th call at `victim` fails. Did it? */
static int fault_once(test *t, const fault *f, const file_way *way, fault_view view, int victim, int n)
{
    int is_write = f->kind == FAILING_WRITE, failed = 0, somewhere = 0;
    unsigned char *stream = test_alloc(BYTES), *buffer = test_alloc(BYTES);
    test_detail(t, "%s%s, form %d, %s: %s, number %d, at rank %d", is_write ? "write" : "read", way->name, way->form,
                fault_views[view], f->name, n, victim);
    test_fill(stream, BYTES, test_key(t, (uint64_t)t->rank, (uint64_t)n, (uint64_t)f->error, (uint64_t)is_write));
    test_disk_make(t, "faults", NULL, 0);
    MPI_File file = fault_open(t, view);
    if (!is_write)
        CHECK_OK(MPI_File_write_at_all(file, 0, stream, BYTES, MPI_BYTE, MPI_STATUS_IGNORE));
    test_sync(t, file);
    if (t->rank == victim || (t->ranks_are_threads && t->rank == 0))
        failing_arm(t->folder, f->kind, n, f->many, f->error);
    CHECK_OK(MPI_Barrier(t->comm));
    memcpy(buffer, stream, BYTES);
    if (!is_write)
        memset(buffer, 0, BYTES);
    file_call call = fault_call(way, file, is_write, buffer);
    int class = fault_class(t, way, file_call_run(&call));
    CHECK_OK(MPI_Barrier(t->comm));
    if (t->rank == victim || (t->ranks_are_threads && t->rank == 0))
        failed = failing_disarm();
    CHECK_OK(MPI_Allreduce(&failed, &somewhere, 1, MPI_INT, MPI_MAX, t->comm));
    if (class != MPI_SUCCESS && (!somewhere || class != f->class))
        CHECK_FAIL("class %d, %d calls have failed, and that has class %d", class, somewhere, f->class);
    int worst = 0; /* classes are positive */
    CHECK_OK(MPI_Allreduce(&class, &worst, 1, MPI_INT, MPI_MAX, t->comm));
    if (somewhere && worst != f->class)
        CHECK_FAIL("%d calls have failed, but nobody was told", somewhere);
    long long moved = fault_moved(&call.status);
    if (class == MPI_SUCCESS)
        CHECK_EQUAL(BYTES, moved);
    CHECK_SAME("what was moved", stream, buffer, (size_t)moved);
    if (is_write)
        fault_check_disk(t, view, stream, moved);
    /* The file goes on as before. */
    CHECK_OK(MPI_Barrier(t->comm));
    CHECK_OK(MPI_File_write_at_all(file, 0, stream, BYTES, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_close(&file));
    fault_check_disk(t, view, stream, BYTES);
    CHECK_OK(MPI_Barrier(t->comm));
    test_free(stream);
    test_free(buffer);
    return somewhere;
}

static int fault_accesses(test *t)
{
    int total = 0;
    for (int i = 0; i < file_way_count; i++)
        for (size_t k = 0; k < sizeof faults / sizeof faults[0]; k++)
            for (int view = 0; view < FAULT_VIEWS; view++) {
                const file_way *way = &file_ways[i];
                int victim = (i + (int)k) % t->size, n = 1;
                if (way->pointer == FILE_SHARED) /* the order of the parts is another matter */
                    continue;
                if (view == FAULT_WINDOWS && !way->is_collective)
                    continue;
                /* Nobody knows who aggregates; each rank is the victim until none fails. */
                for (int tries = 0; tries < (t->ranks_are_threads ? 1 : t->size); tries++, victim++, n = 1)
                    while (fault_once(t, &faults[k], way, (fault_view)view, victim % t->size, n))
                        n += 1 + (test_is_slow() ? n : n / 4), total++;
            }
    return total;
}

/* ---- other calls ------------------------------------------------------------------------------------------------ */

/* Sync, sizes and close: collective, each says so everywhere. */
static int fault_collective(test *t, failing_kind kind, int error, int class)
{
    int total = 0;
    for (int victim = 0; victim < (t->ranks_are_threads ? 1 : t->size); victim++)
        for (int is_second = 0; is_second < (kind == FAILING_SIZE ? 2 : 1); is_second++) {
            MPI_File file;
            int failed = 0, somewhere = 0;
            test_detail(t, "kind %d, errno %d at rank %d", (int)kind, error, victim);
            test_disk_make(t, "faults", NULL, 0);
            file = test_open(t, "faults", MPI_MODE_RDWR);
            CHECK_OK(MPI_File_write_at_all(file, t->rank, "x", 1, MPI_BYTE, MPI_STATUS_IGNORE));
            CHECK_OK(MPI_Barrier(t->comm));
            if (t->rank == victim)
                failing_arm(t->folder, kind, 1, 1, error);
            CHECK_OK(MPI_Barrier(t->comm));
            int rc = kind == FAILING_SYNC    ? MPI_File_sync(file)
                     : kind == FAILING_CLOSE ? MPI_File_close(&file)
                     : is_second             ? MPI_File_preallocate(file, 5000)
                                             : MPI_File_set_size(file, 5000);
            CHECK_OK(MPI_Barrier(t->comm));
            if (t->rank == victim)
                failed = failing_disarm();
            CHECK_OK(MPI_Allreduce(&failed, &somewhere, 1, MPI_INT, MPI_MAX, t->comm));
            int got = rc == MPI_SUCCESS ? MPI_SUCCESS : test_class(rc);
            test_check_alike(t, "the class", got);
            CHECK_EQUAL(somewhere ? class : MPI_SUCCESS, got);
            if (kind == FAILING_CLOSE)
                CHECK(file == MPI_FILE_NULL);
            else
                CHECK_OK(MPI_File_close(&file));
            total += somewhere;
            CHECK_OK(MPI_Barrier(t->comm));
        }
    return total;
}

/* ---- a full disk ------------------------------------------------------------------------------------------------ */

/* Write, in each way, until there is no room; what was told is there, and deleting makes room again. */
static void full_disk(test *t)
{
    const int bytes = 3 << 20;
    unsigned char *stream = test_alloc((size_t)bytes), *got = test_alloc((size_t)bytes);
    test_fill(stream, (size_t)bytes, test_key(t, 9, (uint64_t)t->rank, 0, 0));
    for (int i = 0; i < file_way_count; i++) {
        const file_way *way = &file_ways[i];
        if (way->pointer == FILE_SHARED && !way->is_collective)
            continue;
        test_detail(t, "a full disk, write%s, form %d", way->name, way->form);
        MPI_File file = test_open(t, "full", MPI_MODE_RDWR | MPI_MODE_CREATE);
        long long place = way->pointer == FILE_SHARED ? (long long)t->rank * bytes : 0;
        if (way->pointer != FILE_SHARED)
            test_view(file, t->rank * (MPI_Offset)bytes, MPI_BYTE, MPI_BYTE);
        file_call call = {.file = file, .way = way, .is_write = 1, .memory = stream, .count = bytes, .type = MPI_BYTE};
        int rc = file_call_run(&call), class = fault_class(t, way, rc), all = 0;
        CHECK_OK(MPI_Allreduce(&class, &all, 1, MPI_INT, MPI_MAX, t->comm));
        CHECK_EQUAL(MPI_ERR_NO_SPACE, all); /* somebody had no room, and all others have theirs */
        CHECK(class == MPI_SUCCESS || class == MPI_ERR_NO_SPACE);
        MPI_Count moved = -1;
        CHECK_OK(MPI_Get_elements_x(&call.status, MPI_BYTE, &moved));
        CHECK(moved >= 0 && moved <= bytes && (class != MPI_SUCCESS || moved == bytes));
        place += way->pointer == FILE_SHARED ? 0 : (long long)t->rank * bytes;
        if (moved) {
            CHECK_EQUAL(moved, test_disk_read(t, "full", place, got, (size_t)moved));
            CHECK_SAME("what was told", stream, got, (size_t)moved);
        }
        rc = MPI_File_preallocate(file, (MPI_Offset)1 << 30);
        CHECK(rc != MPI_SUCCESS && test_class(rc) == MPI_ERR_NO_SPACE);
        CHECK_OK(MPI_File_close(&file));
        CHECK_OK(MPI_Barrier(t->comm));
        if (t->rank == 0)
            CHECK_OK(MPI_File_delete(test_path(t, "full"), MPI_INFO_NULL));
        CHECK_OK(MPI_Barrier(t->comm));
    }
    test_free(stream);
    test_free(got);
}

/* ---- the ranks -------------------------------------------------------------------------------------------------- */

static int fault_rank(int argc, char **argv)
{
    test t = {.name = "faults", .is_threaded = 1};
    int provided, is_full = 0, total = 0;
    const char *base = getenv("FILE_TEST_FOLDER"), *seed = getenv("CORUNNA_TEST_SEED");
    for (int i = 1; i < argc; i++) {
        t.ranks_are_threads |= strcmp(argv[i], "--threads") == 0;
        is_full |= strcmp(argv[i], "--full") == 0;
        if (i > 1 && strcmp(argv[i - 1], "--full") == 0)
            base = argv[i];
    }
    check_me = (check_who){test_tell, &t};
    CHECK(base && strlen(base) < sizeof t.folder - 16);
    CHECK_OK(MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided));
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &t.comm));
    MPI_Comm_set_errhandler(t.comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(t.comm, &t.rank);
    MPI_Comm_size(t.comm, &t.size);
    t.seed = seed ? strtoull(seed, NULL, 0) : 1;
    strcpy(t.folder, base);
    if (is_full) {
        full_disk(&t);
    } else {
        total = fault_accesses(&t);
        total += fault_collective(&t, FAILING_SYNC, EIO, MPI_ERR_IO);
        total += fault_collective(&t, FAILING_SIZE, EIO, MPI_ERR_IO);
        total += fault_collective(&t, FAILING_SIZE, ENOSPC, MPI_ERR_NO_SPACE);
        total += fault_collective(&t, FAILING_SIZE, EINTR, MPI_SUCCESS);
        total += fault_collective(&t, FAILING_CLOSE, EIO, MPI_ERR_IO);
        CHECK(total > 100); /* else the calls are not those that the library makes */
    }
    CHECK_OK(MPI_Comm_free(&t.comm));
    CHECK_OK(MPI_Finalize());
    if (t.rank == 0)
        printf("file_faults: %d ranks as %s, %s: %d faults\n", t.size, t.ranks_are_threads ? "threads" : "processes",
               is_full ? "a full disk" : "calls that fail", total);
    return 0;
}

int main(int argc, char **argv)
{
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], "--threads") == 0) {
            int status = 0;
            for (const char *counts = argv[i + 1]; *counts && status == 0;)
                status = corunna_threads_run(rank_counts_next(&counts), fault_rank, argc, argv);
            return status;
        }
    return fault_rank(argc, argv);
}

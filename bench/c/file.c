/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of parallel files. All ranks write or read one file, again and again the same bytes of it, FILE_SHARE each at a
 * time, in records of the case's size. The mode says where the records of a rank are:
 *
 *   block   one behind the other, a part of the file for each rank.
 *   rows    those of all ranks in turn.
 *   gap     the same, with a hole as long as a record after each.
 *   cube    rows of a part of a four-dimensional array whose second and third dimensions are spread over the ranks.
 *
 *   file_write, file_read           each rank by itself.
 *   file_write_all, file_read_all   collective.
 *   file_by_hand                    what a program does without parallel files: all ranks exchange their records, so
 *                                   that each has one piece of the file, and write it with a system call.
 *
 * The time is that of one record of a rank. The file is in the folder TMPDIR, or /tmp, and has no name as soon as it
 * is open.
 */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_SHARE = 2 << 20, FILE_NAME_MAX = 512, FILE_DIMS = 4 };

typedef struct file_bench file_bench;

struct file_bench {
    const bench_case *c;
    void (*step)(file_bench *f);
    MPI_File file;
    MPI_Datatype view;
    int records; /* of this rank, in one access */
    int whole[FILE_DIMS], part[FILE_DIMS],
        from[FILE_DIMS]; /* cube: the array's, and this rank's, in bytes at the end */
    char *mine;          /* the records of this rank */
    /* By hand: */
    int plain;                           /* descriptor */
    char *slab;                          /* this rank's part of the file */
    int *counts, *starts, *ones, *zeros; /* bytes sent to each rank, and where they are */
    MPI_Datatype *bytes, *places;        /* of what is sent, and where a rank's records lie in the slab */
};

static int file_is(const file_bench *f, const char *mode)
{
    return strcmp(f->c->mode, mode) == 0;
}

static char file_fill(int rank)
{
    return (char)('a' + rank % 26);
}

/* ---- views ------------------------------------------------------------------------------------------------------ */

/* The records of all ranks as an array of four dimensions, of which `rank` has a part. Of `cube` the first three
 * lengths of a part are powers of two. */
static void file_cut_array(file_bench *f, int rank)
{
    int bits = 0, grid[2] = {1, f->c->ranks}, part[2] = {1, 1};
    if (file_is(f, "cube")) {
        while (1 << bits < f->records)
            bits++;
        if (1 << bits != f->records)
            bench_fail("%s cube: %d is not %zu by a power of two", f->c->test->name, FILE_SHARE, f->c->bytes);
        grid[1] = 0;
        grid[0] = 0;
        MPI_Dims_create(f->c->ranks, 2, grid);
        int rest = bits > 3 ? (bits - 3) * 2 / 3 : 0;
        part[0] = 1 << rest / 2;
        part[1] = 1 << (rest - rest / 2);
    }
    const int first = f->records / (part[0] * part[1]), bytes = (int)f->c->bytes;
    const int places[2] = {rank / grid[1], rank % grid[1]};
    memcpy(f->whole, (int[]){first, part[0] * grid[0], part[1] * grid[1], bytes}, sizeof f->whole);
    memcpy(f->part, (int[]){first, part[0], part[1], bytes}, sizeof f->part);
    memcpy(f->from, (int[]){0, part[0] * places[0], part[1] * places[1], 0}, sizeof f->from);
}

/* Where the records of this rank are. */
static void file_make_view(file_bench *f, MPI_Aint *displacement_p)
{
    int bytes = (int)f->c->bytes, rank = f->c->b->rank, ranks = f->c->ranks;
    *displacement_p = 0;
    if (file_is(f, "block")) {
        *displacement_p = (MPI_Aint)FILE_SHARE * rank;
        MPI_Type_contiguous(bytes, MPI_BYTE, &f->view);
    } else if (file_is(f, "cube")) {
        file_cut_array(f, rank);
        MPI_Type_create_subarray(FILE_DIMS, f->whole, f->part, f->from, MPI_ORDER_C, MPI_BYTE, &f->view);
    } else {
        MPI_Aint step = (MPI_Aint)bytes * (file_is(f, "gap") ? 2 : 1);
        MPI_Datatype record;
        *displacement_p = step * rank;
        MPI_Type_contiguous(bytes, MPI_BYTE, &record);
        MPI_Type_create_resized(record, 0, step * ranks, &f->view);
        MPI_Type_free(&record);
    }
    MPI_Type_commit(&f->view);
}

/* ---- the file --------------------------------------------------------------------------------------------------- */

/* The name is that of rank 0's process, and the same everywhere. */
static void file_name(char name[FILE_NAME_MAX])
{
    const char *folder = getenv("TMPDIR");
    snprintf(name, FILE_NAME_MAX, "%s/corunna-bench-%ld", folder && *folder ? folder : "/tmp", (long)getpid());
    MPI_Bcast(name, FILE_NAME_MAX, MPI_CHAR, 0, MPI_COMM_WORLD);
}

static void file_check(int error, const char *call)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (error == MPI_SUCCESS)
        return;
    MPI_Error_string(error, text, &length);
    bench_fail("%s: %s", call, text);
}

static void file_open(file_bench *f, const bench_case *c)
{
    char name[FILE_NAME_MAX];
    MPI_Aint displacement;
    *f = (file_bench){.c = c, .records = c->bytes < FILE_SHARE ? (int)(FILE_SHARE / c->bytes) : 1, .plain = -1};
    f->mine = bench_memory((size_t)f->records * c->bytes);
    memset(f->mine, file_fill(c->b->rank), (size_t)f->records * c->bytes);
    file_name(name);
    file_check(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f->file),
               "MPI_File_open");
    f->plain = open(name, O_RDWR);
    if (f->plain < 0)
        bench_fail("%s cannot be opened", name);
    MPI_Barrier(MPI_COMM_WORLD);
    if (c->b->rank == 0)
        unlink(name);
    file_make_view(f, &displacement);
    file_check(MPI_File_set_view(f->file, displacement, MPI_BYTE, f->view, "native", MPI_INFO_NULL),
               "MPI_File_set_view");
}

static void file_close(file_bench *f)
{
    MPI_Type_free(&f->view);
    close(f->plain);
    file_check(MPI_File_close(&f->file), "MPI_File_close");
    free(f->mine);
}

/* ---- accesses --------------------------------------------------------------------------------------------------- */

static int file_bytes(const file_bench *f)
{
    return f->records * (int)f->c->bytes;
}

static void write_step(file_bench *f)
{
    file_check(MPI_File_write_at(f->file, 0, f->mine, file_bytes(f), MPI_BYTE, MPI_STATUS_IGNORE),
               "MPI_File_write_at");
}

static void write_all_step(file_bench *f)
{
    file_check(MPI_File_write_at_all(f->file, 0, f->mine, file_bytes(f), MPI_BYTE, MPI_STATUS_IGNORE),
               "MPI_File_write_at_all");
}

static void read_step(file_bench *f)
{
    file_check(MPI_File_read_at(f->file, 0, f->mine, file_bytes(f), MPI_BYTE, MPI_STATUS_IGNORE), "MPI_File_read_at");
}

static void read_all_step(file_bench *f)
{
    file_check(MPI_File_read_at_all(f->file, 0, f->mine, file_bytes(f), MPI_BYTE, MPI_STATUS_IGNORE),
               "MPI_File_read_at_all");
}

/* A barrier at both ends: the time is that until all are done. */
static double file_batch(void *state, long steps)
{
    file_bench *f = state;
    MPI_Barrier(MPI_COMM_WORLD);
    double start = bench_now();
    for (long i = 0; i < steps; i++)
        f->step(f);
    MPI_Barrier(MPI_COMM_WORLD);
    return bench_now() - start;
}

/* Read the records of this rank back. */
static void file_verify(file_bench *f)
{
    int bytes = file_bytes(f);
    MPI_Status status;
    int got = 0;
    memset(f->mine, 0, (size_t)bytes);
    file_check(MPI_File_sync(f->file), "MPI_File_sync");
    MPI_Barrier(MPI_COMM_WORLD);
    file_check(MPI_File_read_at(f->file, 0, f->mine, bytes, MPI_BYTE, &status), "MPI_File_read_at");
    MPI_Get_count(&status, MPI_BYTE, &got);
    if (got != bytes)
        bench_fail("%s %s of %zu bytes: %d of %d bytes are there", f->c->test->name, f->c->mode, f->c->bytes, got,
                   bytes);
    for (int i = 0; i < bytes; i++)
        if (f->mine[i] != file_fill(f->c->b->rank))
            bench_fail("%s %s of %zu bytes: byte %d is '%c' instead of '%c'", f->c->test->name, f->c->mode,
                       f->c->bytes, i, f->mine[i], file_fill(f->c->b->rank));
}

static void file_run(const bench_case *c, void (*step)(file_bench *), int is_read)
{
    file_bench f;
    file_open(&f, c);
    if (is_read) {
        write_step(&f);
        file_check(MPI_File_sync(f.file), "MPI_File_sync");
    }
    f.step = step;
    bench_print_time(c, c->test->name, bench_measure(c, file_batch, &f), f.records);
    file_verify(&f);
    file_close(&f);
}

static void write_run(const bench_case *c)
{
    file_run(c, write_step, 0);
}

static void write_all_run(const bench_case *c)
{
    file_run(c, write_all_step, 0);
}

static void read_run(const bench_case *c)
{
    file_run(c, read_step, 1);
}

static void read_all_run(const bench_case *c)
{
    file_run(c, read_all_step, 1);
}

/* ---- by hand ---------------------------------------------------------------------------------------------------- */

/*
 * The file is the array of the records, cut by its first dimension: each rank has as much of it as the others. What
 * goes to a rank is one piece of memory; what comes from one is a part of the slab, in a datatype.
 */
static MPI_Datatype hand_place(const file_bench *f, int source)
{
    file_bench theirs = *f;
    MPI_Datatype type;
    file_cut_array(&theirs, source);
    theirs.whole[0] /= f->c->ranks;
    theirs.part[0] /= f->c->ranks;
    MPI_Type_create_subarray(FILE_DIMS, theirs.whole, theirs.part, theirs.from, MPI_ORDER_C, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    return type;
}

static void hand_open(file_bench *f)
{
    int ranks = f->c->ranks;
    size_t list = (size_t)ranks * sizeof(int);
    file_cut_array(f, f->c->b->rank);
    if (f->part[0] % ranks)
        bench_fail("%s %s of %zu bytes: %d ranks cannot share the file", f->c->test->name, f->c->mode, f->c->bytes,
                   ranks);
    f->slab = bench_memory(FILE_SHARE);
    f->counts = bench_memory(list);
    f->starts = bench_memory(list);
    f->ones = bench_memory(list);
    f->zeros = bench_memory(list);
    f->bytes = bench_memory((size_t)ranks * sizeof(MPI_Datatype));
    f->places = bench_memory((size_t)ranks * sizeof(MPI_Datatype));
    for (int i = 0; i < ranks; i++) {
        f->counts[i] = file_bytes(f) / ranks;
        f->starts[i] = i * f->counts[i];
        f->ones[i] = 1;
        f->zeros[i] = 0;
        f->bytes[i] = MPI_BYTE;
        f->places[i] = hand_place(f, i);
    }
}

static void hand_close(file_bench *f)
{
    for (int i = 0; i < f->c->ranks; i++)
        MPI_Type_free(&f->places[i]);
    free(f->slab);
    free(f->counts);
    free(f->starts);
    free(f->ones);
    free(f->zeros);
    free(f->bytes);
    free(f->places);
}

static void hand_step(file_bench *f)
{
    MPI_Alltoallw(f->mine, f->counts, f->starts, f->bytes, f->slab, f->ones, f->zeros, f->places, MPI_COMM_WORLD);
    if (pwrite(f->plain, f->slab, FILE_SHARE, (off_t)FILE_SHARE * f->c->b->rank) != FILE_SHARE)
        bench_fail("%s: the file system did not take all bytes", f->c->test->name);
}

static void hand_run(const bench_case *c)
{
    file_bench f;
    file_open(&f, c);
    hand_open(&f);
    f.step = hand_step;
    bench_print_time(c, c->test->name, bench_measure(c, file_batch, &f), f.records);
    file_verify(&f);
    hand_close(&f);
    file_close(&f);
}

#define FILE_MODES "block rows gap cube"

const bench_test bench_file_tests[] = {
    {"file_write", FILE_MODES, 0, 1, 0, write_run},   {"file_write_all", FILE_MODES, 0, 1, 0, write_all_run},
    {"file_read", FILE_MODES, 0, 1, 0, read_run},     {"file_read_all", FILE_MODES, 0, 1, 0, read_all_run},
    {"file_by_hand", "rows cube", 0, 1, 0, hand_run}, {0},
};

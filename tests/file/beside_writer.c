/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One of several jobs that write one file at the same time: this one every JOBS-th cell, and between them cells of the
 * others. A library that reads, changes and writes back more than its own loses some.
 *
 *   beside_writer FILE JOBS JOB ROUNDS       write; begins when all jobs are there, by folders beside the file
 *   beside_writer FILE JOBS check ROUNDS     alone: every byte is that of its job and rank of the last round
 *
 * The cells of a round lie one behind the other: of job 0 rank 0, job 1 rank 0, ..., job 0 rank 1, ...
 */
#define _GNU_SOURCE
#include "check.h"

#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RANKS = 2, CELLS = 400, MOST = 64 };

/* Cells have 1 to MOST bytes, by round, so that those of several share pages and blocks. */
static int cell_bytes(int round)
{
    return 1 + round * 7 % MOST;
}

static char cell_byte(int job, int rank, int round, int i)
{
    return (char)(1 + (job * 101 + rank * 37 + round * 11 + i) % 250);
}

static MPI_Offset round_place(int jobs, int round)
{
    return (MPI_Offset)round * jobs * RANKS * CELLS * MOST;
}

/* All jobs are there. */
static void meet(const char *file, int jobs, int job)
{
    char path[4096];
    snprintf(path, sizeof path, "%s.job.%d", file, job);
    CHECK_EQUAL(0, mkdir(path, 0700));
    for (int i = 0; i < jobs; i++) {
        snprintf(path, sizeof path, "%s.job.%d", file, i);
        CHECK_UNTIL(access(path, F_OK) == 0, check_nap());
    }
}

static void write_round(MPI_File file, int jobs, int job, int rank, int round)
{
    int bytes = cell_bytes(round), total = bytes * CELLS, collective = round % 2, is_view = round / 2 % 2;
    char *data = malloc((size_t)total);
    MPI_Datatype cell, view;
    MPI_Status status;
    CHECK(data);
    for (int i = 0; i < total; i++)
        data[i] = cell_byte(job, rank, round, i);
    CHECK_OK(MPI_Type_contiguous(bytes, MPI_BYTE, &cell));
    CHECK_OK(MPI_Type_create_resized(cell, 0, (MPI_Aint)bytes * jobs * RANKS, &view));
    CHECK_OK(MPI_Type_commit(&view));
    MPI_Offset at = round_place(jobs, round) + (MPI_Offset)bytes * (rank * jobs + job);
    if (is_view || collective) {
        CHECK_OK(MPI_File_set_view(file, at, MPI_BYTE, view, "native", MPI_INFO_NULL));
        CHECK_OK(collective ? MPI_File_write_all(file, data, total, MPI_BYTE, &status)
                            : MPI_File_write(file, data, total, MPI_BYTE, &status));
    } else {
        CHECK_OK(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
        for (int i = 0; i < CELLS; i++)
            CHECK_OK(MPI_File_write_at(file, at + (MPI_Offset)i * bytes * jobs * RANKS, data + i * bytes, bytes,
                                       MPI_BYTE, &status));
    }
    CHECK_OK(MPI_Type_free(&cell));
    CHECK_OK(MPI_Type_free(&view));
    free(data);
}

static void check_round(int fd, int jobs, int round)
{
    int bytes = cell_bytes(round), row = bytes * jobs * RANKS;
    char *got = malloc((size_t)row * CELLS);
    CHECK(got);
    CHECK_EQUAL(row * CELLS, pread(fd, got, (size_t)row * CELLS, round_place(jobs, round)));
    for (int at = 0; at < row * CELLS; at++) {
        int cell = at % row / bytes, job = cell % jobs, rank = cell / jobs, i = at / row * bytes + at % bytes;
        if (got[at] != cell_byte(job, rank, round, i))
            CHECK_FAIL("round %d, cell %d of job %d, rank %d: byte %d is lost", round, at / row, job, rank,
                       at % bytes);
    }
    free(got);
}

int main(int argc, char **argv)
{
    CHECK_EQUAL(5, argc);
    const char *name = argv[1];
    int jobs = atoi(argv[2]), rounds = atoi(argv[4]), rank, size;
    if (strcmp(argv[3], "check") == 0) {
        int fd = open(name, O_RDONLY);
        CHECK(fd >= 0);
        for (int i = 0; i < rounds; i++)
            check_round(fd, jobs, i);
        close(fd);
        printf("%d rounds of %d jobs: nothing is lost\n", rounds, jobs);
        return 0;
    }
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK_EQUAL(RANKS, size);
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file));
    if (rank == 0)
        meet(name, jobs, atoi(argv[3]));
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < rounds; i++)
        write_round(file, jobs, atoi(argv[3]), rank, i);
    CHECK_OK(MPI_File_close(&file));
    MPI_Finalize();
    return 0;
}

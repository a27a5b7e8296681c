/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transfers KIND COUNT: rank 0 sends COUNT messages to rank 1, one after the other; costs.sh counts what they took.
 *
 *   eager      1000 bytes
 *   answered   500 bytes, which rank 1 sends back; with or without them both exchange a message first
 *   long       100000 bytes, from one buffer to one buffer
 *   constant   16384 bytes of constant data
 *   packed     200000 bytes with as many gaps between
 *   spread     100000 bytes, each from another place, and one short message to the last rank in the end
 */
#include "check.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER_BYTES = 4000000 };

#define SIXTEEN(x) x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x
static const int constants[] = {SIXTEEN(SIXTEEN(SIXTEEN(7)))};

typedef struct kind {
    const char *name;
    int bytes, stride;
} kind;

static const kind kinds[] = {{"eager", 1000, 0},    {"answered", 500, 0},  {"long", 100000, 0}, {"constant", 16384, 0},
                             {"packed", 200000, 2}, {"spread", 100000, 0}, {NULL, 0, 0}};

static unsigned char transfers_value(int i, int at)
{
    return (unsigned char)(i * 31 + at * 7 + at / 256);
}

static void transfers_check(const kind *k, int i, const unsigned char *buffer)
{
    int step = k->stride ? k->stride : 1;
    for (int at = 0; at < k->bytes; at++) {
        unsigned char expected =
            strcmp(k->name, "constant") == 0 ? (unsigned char)(at % 4 == 0 ? 7 : 0) : transfers_value(i, at);
        if (buffer[at * step] != expected)
            CHECK_FAIL("%s, message %d, byte %d: %d, not %d", k->name, i, at, buffer[at * step], expected);
    }
}

int main(int argc, char **argv)
{
    int rank, size, count;
    unsigned char *memory = calloc(1, BUFFER_BYTES), *buffer = memory;
    const kind *k = kinds;
    MPI_Datatype type;
    CHECK(argc == 3 && memory);
    while (k->name && strcmp(k->name, argv[1]) != 0)
        k++;
    CHECK(k->name);
    count = atoi(argv[2]);
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (k->stride)
        MPI_Type_vector(k->bytes, 1, k->stride, MPI_BYTE, &type);
    else
        MPI_Type_contiguous(k->bytes, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    int is_answered = strcmp(k->name, "answered") == 0;
    if (is_answered && rank < 2)
        MPI_Sendrecv(NULL, 0, MPI_BYTE, 1 - rank, 0, NULL, 0, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    for (int i = 0; i < count; i++) {
        if (strcmp(k->name, "spread") == 0)
            buffer = memory + (size_t)i * (size_t)k->bytes % (BUFFER_BYTES - (size_t)k->bytes);
        if (rank == 0) {
            for (int at = 0; at < k->bytes; at++)
                buffer[at * (k->stride ? k->stride : 1)] = transfers_value(i, at);
            MPI_Send(strcmp(k->name, "constant") == 0 ? (const void *)constants : buffer, 1, type, 1, 1,
                     MPI_COMM_WORLD);
        } else if (rank == 1) {
            memset(memory, 0, BUFFER_BYTES);
            MPI_Recv(buffer, 1, type, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            transfers_check(k, i, buffer);
        }
        if (is_answered && rank == 1)
            MPI_Send(buffer, 1, type, 0, 1, MPI_COMM_WORLD);
        else if (is_answered && rank == 0)
            MPI_Recv(buffer, 1, type, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (size > 2 && rank == 0)
        MPI_Send(memory, 1, MPI_BYTE, size - 1, 2, MPI_COMM_WORLD);
    else if (size > 2 && rank == size - 1)
        MPI_Recv(memory, 1, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
    MPI_Finalize();
    free(memory);
    return 0;
}

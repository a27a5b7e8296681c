/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A member dies in the middle of a collective access, which it has begun and advanced by a random number of steps. The
 * others, as processes under a launcher that does not end the job, get COR_ERR_PEER from this access, whichever way
 * they call, and from later ones, and can still write by themselves and close the file. Arguments: path, way, seed.
 */
#include "base/error.h"
#include "check.h"
#include "coll/coll.h"
#include "file/file.h"
#include "unit_random.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { BYTE = 0x247, PIECE = 20, BYTES = 40000, STEPS = 3000 };

typedef enum way { WAY_BLOCKING, WAY_STARTED, WAY_SPLIT, WAY_ALONE, WAYS } way;

static cor_file_access access_of(int is_write, int is_collective, void *memory, size_t bytes)
{
    return (cor_file_access){.is_write = (uint8_t)is_write,
                             .is_collective = (uint8_t)is_collective,
                             .pointer = COR_FILE_EXPLICIT,
                             .memory = cor_payload_plain(memory, bytes),
                             .type = cor_dtype_predefined(BYTE),
                             .count = bytes,
                             .base = memory};
}

static cor_file *open_file(cor_rank *rank, const char *path, way how)
{
    cor_comm *world = cor_rank_world(rank);
    const cor_dtype *byte = cor_dtype_predefined(BYTE), *piece, *type;
    cor_info *hints = cor_info_create();
    cor_file *file;
    CHECK(hints != NULL);
    CHECK_OK(cor_info_set(hints, "romio_cb_write", how == WAY_ALONE ? "disable" : "enable"));
    CHECK_OK(cor_info_set(hints, "cb_buffer_size", "500"));
    CHECK_OK(cor_info_set(hints, "cb_nodes", "2"));
    CHECK_OK(cor_file_open(world, path, COR_FILE_RDWR | COR_FILE_CREATE, hints, &file));
    CHECK_OK(cor_dtype_contiguous(PIECE, byte, &piece));
    CHECK_OK(cor_dtype_resized(piece, 0, (ptrdiff_t)PIECE * cor_comm_size(world), &type));
    cor_file_view view = {(int64_t)PIECE * cor_comm_rank(world), byte, type, &cor_file_native};
    CHECK_OK(cor_file_set_view(file, &view));
    cor_dtype_unref(type);
    cor_dtype_unref(piece);
    cor_info_destroy(hints);
    return file;
}

static int call(cor_rank *rank, cor_file *file, way how, const cor_file_access *access)
{
    cor_request *request;
    cor_status status;
    int rc;
    if (how == WAY_STARTED) {
        rc = cor_file_start(file, access, &request);
        return rc == COR_OK ? cor_wait(rank, &request, &status) : rc;
    }
    if (how == WAY_SPLIT) {
        rc = cor_file_begin(file, access);
        return rc == COR_OK ? cor_file_end(file, access, &status) : rc;
    }
    return cor_file_run(file, access, &status);
}

static void die(cor_rank *rank, cor_file *file, const cor_file_access *access, uint64_t seed)
{
    cor_request *request;
    CHECK_OK(cor_file_start(file, access, &request));
    for (uint64_t steps = unit_random(&seed) % STEPS; steps > 0; steps--)
        cor_rank_step(rank);
    raise(SIGKILL);
}

int main(int argc, char **argv)
{
    static uint8_t memory[BYTES];
    cor_fault fault = {0};
    cor_rank *rank;
    CHECK_EQUAL(4, argc);
    way how = (way)atoi(argv[2]);
    if (cor_rank_open(&(cor_rank_options){.prepare = cor_coll_open}, &rank, &fault) != COR_OK)
        CHECK_FAIL("cor_rank_open: %s", fault.text);
    cor_file *file = open_file(rank, argv[1], how);
    int me = cor_rank_number(rank), last = cor_rank_size(rank) - 1;
    memset(memory, me + 1, sizeof memory);
    cor_file_access access = access_of(1, 1, memory, sizeof memory), alone = access_of(1, 0, memory, sizeof memory);
    CHECK_OK(call(rank, file, how, &access));
    CHECK_OK(cor_barrier(cor_rank_world(rank)));
    if (me == last)
        die(rank, file, &access, strtoull(argv[3], NULL, 0));
    /* The victim may have done its part before it died. */
    int rc = COR_OK;
    while (rc == COR_OK)
        rc = call(rank, file, how, &access);
    CHECK_EQUAL(COR_ERR_PEER, rc);
    CHECK(strstr(cor_rank_fault(rank)->text, "rank ") != NULL);
    CHECK_EQUAL(COR_ERR_PEER, call(rank, file, how, &access));
    CHECK_OK(cor_file_run(file, &alone, NULL));
    CHECK_EQUAL(COR_ERR_PEER, cor_file_close(&file));
    CHECK(file == NULL);
    printf("survived\n");
    fflush(stdout);
    cor_rank_close(rank, &fault);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Trials (file_trial.h) of every way to access a file, shape, element and size. */
#include "file_trial.h"

#include <stdlib.h>

/* Each way to write with each way to read. */
void case_transfer_ways(test *t)
{
    for (int i = 0; i < file_way_count; i++)
        for (int k = 0; k < file_way_count; k++) {
            trial what = trial_any();
            if (test_is_slow() && (i + k) % 3)
                continue;
            what.write = &file_ways[i];
            what.read = &file_ways[k];
            trial_run(t, what, test_key(t, 1, (uint64_t)i, (uint64_t)k, 0));
        }
}

/* Each shape of a view with each shape of memory. */
void case_transfer_shapes(test *t)
{
    for (int view = 0; view < SHAPE_FILE_KINDS; view++)
        for (int memory = 0; memory < SHAPE_KINDS; memory++) {
            trial what = trial_any();
            what.view = view;
            what.memory = memory;
            if (!test_is_slow() || (view + memory) % 4 == 0)
                trial_run(t, what, test_key(t, 2, (uint64_t)view, (uint64_t)memory, 0));
        }
}

void case_transfer_cells(test *t)
{
    for (int kind = 0; kind < CELL_KINDS; kind++)
        for (int round = 0; round < test_volume(t, 6); round++) {
            trial what = trial_any();
            what.cell = kind;
            trial_run(t, what, test_key(t, 3, (uint64_t)kind, (uint64_t)round, 0));
        }
}

/* Each rank has a part of the file. */
void case_transfer_apart(test *t)
{
    for (int round = 0; round < test_volume(t, 60); round++) {
        trial what = trial_any();
        what.is_apart = 1;
        trial_run(t, what, test_key(t, 4, (uint64_t)round, 0, 0));
    }
}

void case_transfer_atomic(test *t)
{
    for (int round = 0; round < test_volume(t, 60); round++) {
        trial what = trial_any();
        what.is_atomic = 1;
        what.is_apart = round % 2;
        trial_run(t, what, test_key(t, 5, (uint64_t)round, 0, 0));
    }
}

/* Behind holes of more than 4 GiB. */
void case_transfer_far(test *t)
{
    for (int round = 0; round < test_volume(t, 40); round++) {
        trial what = trial_any();
        what.origin = ((MPI_Offset)1 << (32 + round % 9)) + round * 1001 - 17;
        what.is_apart = round % 2;
        trial_run(t, what, test_key(t, 6, (uint64_t)round, 0, 0));
    }
}

void case_transfer_any(test *t)
{
    for (int round = 0; round < test_volume(t, 100); round++) {
        trial what = trial_any();
        what.elements = round % 10 == 0 ? 300 : 20;
        trial_run(t, what, test_key(t, 7, (uint64_t)round, 0, 0));
    }
}

/* ---- filetypes that overlap the next one ------------------------------------------------------------------------ */

/* All that a rank accesses is described by one filetype, an int in each row of `size`, which reaches into the next. */
enum { TILE_ROWS = 40, TILE_STEP = 7 /* rows to the next filetype */, TILES = 3 };

static int *tile_of(int *rows, int size, int tile, int row, int rank)
{
    return &rows[(tile * TILE_STEP + row) * size + rank];
}

static void tiles_run(test *t, MPI_Info info, const file_way *write, const file_way *read)
{
    size_t ints = (size_t)((TILES - 1) * TILE_STEP + TILE_ROWS) * (size_t)t->size;
    int *model = calloc(ints, sizeof *model), mine[TILE_ROWS], back[2 * TILE_ROWS];
    MPI_Aint row = (MPI_Aint)sizeof(int) * t->size;
    MPI_Datatype rows, view;
    MPI_File file;
    CHECK(model != NULL);
    test_detail(t, "write%s, read%s", write->name, read->name);
    CHECK_OK(MPI_Type_create_hvector(TILE_ROWS, 1, row, MPI_INT, &rows));
    CHECK_OK(MPI_Type_create_resized(rows, 0, TILE_STEP * row, &view));
    CHECK_OK(MPI_Type_commit(&view));
    CHECK_OK(MPI_File_open(t->comm, test_path(t, "tiles"), MPI_MODE_RDWR | MPI_MODE_CREATE, info, &file));
    test_view(file, (MPI_Offset)sizeof(int) * t->rank, MPI_INT, view);
    for (int tile = 0; tile < TILES; tile++) {
        for (int i = 0; i < TILE_ROWS; i++) {
            mine[i] = 1000 * tile + i + 100000 * t->rank;
            for (int rank = 0; rank < t->size; rank++)
                *tile_of(model, t->size, tile, i, rank) = 1000 * tile + i + 100000 * rank;
        }
        file_call call = {.file = file, .way = write, .is_write = 1, .memory = mine, .count = TILE_ROWS};
        call.type = MPI_INT;
        call.offset = (MPI_Offset)tile * TILE_ROWS;
        CHECK_OK(file_call_run(&call));
        CHECK_MOVED((long long)sizeof mine, &call.status);
    }
    test_sync(t, file);
    CHECK_DISK(t, "tiles", 0, model, ints * sizeof *model, 1);
    CHECK_OK(MPI_File_seek(file, 0, MPI_SEEK_SET));
    file_call call = {.file = file, .way = read, .memory = back, .count = 2 * TILE_ROWS, .type = MPI_INT};
    CHECK_OK(file_call_run(&call));
    for (int i = 0; i < 2 * TILE_ROWS; i++)
        CHECK_EQUAL(*tile_of(model, t->size, i / TILE_ROWS, i % TILE_ROWS, t->rank), back[i]);
    CHECK_CLASS(MPI_ERR_ARG, MPI_File_write_at_all(file, 1, mine, TILE_ROWS, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_close(&file));
    CHECK_OK(MPI_Type_free(&rows));
    CHECK_OK(MPI_Type_free(&view));
    free(model);
}

void case_transfer_tiles(test *t)
{
    static const char *const choices[] = {"automatic", "enable", "disable"};
    for (int i = 0; i < 3; i++)
        for (int collective = 0; collective < 2; collective++) {
            MPI_Info info;
            CHECK_OK(MPI_Info_create(&info));
            CHECK_OK(MPI_Info_set(info, "romio_cb_write", choices[i]));
            CHECK_OK(MPI_Info_set(info, "romio_cb_read", choices[i]));
            CHECK_OK(MPI_Info_set(info, "cb_buffer_size", i ? "64" : "16777216"));
            for (int form = 0; form < 2; form++)
                tiles_run(t, info, file_way_of(form ? FILE_EXPLICIT : FILE_INDIVIDUAL, collective, form),
                          file_way_of(FILE_EXPLICIT, !collective, form));
            CHECK_OK(MPI_Info_free(&info));
        }
}

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

/* Around the sizes at which something else may happen: each rank its own blocks of a file, contiguous or one of `size`
 * blocks in turn. */
static void sizes_one(test *t, size_t bytes, int is_spread, const file_way *write, const file_way *read)
{
    size_t block = is_spread ? (bytes / 7 > 0 ? bytes / 7 : 1) : bytes, blocks = is_spread ? bytes / block : 1;
    unsigned char *mine = test_alloc(bytes), *all;
    MPI_Datatype view;
    MPI_File file = test_open(t, "sizes", MPI_MODE_CREATE | MPI_MODE_RDWR);
    bytes = blocks * block;
    test_detail(t, "%zu bytes in %zu blocks, write%s, read%s", bytes, blocks, write->name, read->name);
    CHECK_OK(MPI_Type_vector((int)blocks, (int)block, (int)block * t->size, MPI_BYTE, &view));
    CHECK_OK(MPI_Type_commit(&view));
    test_fill(mine, bytes, test_key(t, 8, (uint64_t)t->rank, bytes, 0));
    test_view(file, t->rank * (MPI_Offset)block, MPI_BYTE, bytes ? view : MPI_BYTE);
    file_call call = {.file = file, .way = write, .is_write = 1, .memory = mine, .count = (MPI_Count)bytes};
    call.type = MPI_BYTE;
    CHECK_OK(file_call_run(&call));
    CHECK_MOVED((long long)bytes, &call.status);
    test_sync(t, file);
    int other = (t->rank + 1) % t->size;
    test_view(file, other * (MPI_Offset)block, MPI_BYTE, bytes ? view : MPI_BYTE);
    all = test_alloc(bytes + 1);
    call = (file_call){.file = file, .way = read, .memory = all, .count = (MPI_Count)bytes, .type = MPI_BYTE};
    CHECK_OK(file_call_run(&call));
    CHECK_MOVED((long long)bytes, &call.status);
    CHECK_BYTES(all, bytes, test_key(t, 8, (uint64_t)other, bytes, 0));
    CHECK_OK(MPI_File_close(&file));
    if (t->rank == 0)
        CHECK_EQUAL(blocks * block * (size_t)t->size, test_disk_size(t, "sizes"));
    CHECK_OK(MPI_Barrier(t->comm));
    if (t->rank == 0)
        CHECK_OK(MPI_File_delete(test_path(t, "sizes"), MPI_INFO_NULL));
    CHECK_OK(MPI_Barrier(t->comm));
    CHECK_OK(MPI_Type_free(&view));
    test_free(mine);
    test_free(all);
}

void case_transfer_sizes(test *t)
{
    static const size_t sizes[] = {0,     1,      7,      512,    4095,        4096,   4097,
                                   65536, 100001, 524288, 524291, 1048576 + 7, 5000011};
    uint64_t random = test_key(t, 9, 0, 0, 0);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int round = 0; round < 6; round++) {
            int collective = round % 2, form = round / 2;
            if ((test_is_slow() || t->size > 4) && sizes[i] > 1000000)
                continue;
            const file_way *write = file_way_of(FILE_INDIVIDUAL, collective, collective ? form : form % 2);
            collective = test_below(&random, 2);
            form = test_below(&random, collective ? 3 : 2);
            const file_way *read = file_way_of(FILE_EXPLICIT, collective, form);
            sizes_one(t, sizes[i], test_below(&random, 3) > 0, write, read);
        }
}

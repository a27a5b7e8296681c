/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A random program: phases in which all ranks access one of several files, each in its own parts or all only reading,
 * and steps that change views, sizes, modes and hints. After each phase one rank compares the file with the model.
 */
#include "file_play.h"

#include <stdlib.h>
#include <string.h>

enum { FILES = 3, PHASE = 8 };

/* What others have written so far can be read. */
static void play_meet(play *p, play_file *f)
{
    if (f->is_atomic)
        CHECK_OK(MPI_Barrier(p->t->comm));
    else
        test_sync(p->t, f->file);
}

static void play_check(play *p, play_file *f, uint64_t key)
{
    play_meet(p, f);
    if ((int)(key % (uint64_t)p->t->size) == p->t->rank)
        model_check(&f->m, p->t, f->name);
    CHECK_OK(MPI_Barrier(p->t->comm));
}

/* ---- phases ------------------------------------------------------------------------------------------------------ */

static const file_way *play_way(uint64_t *random, int is_collective)
{
    file_pointer pointer = test_below(random, 2) ? FILE_EXPLICIT : FILE_INDIVIDUAL;
    return file_way_of(pointer, is_collective, (file_form)test_below(random, is_collective ? 3 : 2));
}

/* Writes that are under way may not have made the file longer yet: they are completed before a read that needs that.
 * `known` is how long it is in any case. */
static void phase_await_size(play *p, play_file *f, const play_access *what, size_t *known)
{
    const layout *view = &f->views[p->t->rank];
    unsigned char *stream = play_stream(what);
    size_t size = f->m.size;
    f->m.size = *known;
    if (model_read(&f->m, view, (uint64_t)what->offset * view->of.bytes, stream, what->bytes) < what->bytes) {
        f->m.size = size;
        play_complete(p, f);
        *known = size;
    }
    f->m.size = size;
    free(stream);
}

/* Each rank writes and reads its own cells, in its own time. */
static void phase_own(play *p, play_file *f, uint64_t key)
{
    size_t known = f->m.size;
    for (int i = 0; i < p->t->size; i++) {
        int rank = (p->t->rank + i) % p->t->size, position = -1, is_lost = 0; /* oneself first */
        uint64_t random = test_mix(key + (uint64_t)rank);
        for (int count = 1 + test_below(&random, PHASE); count > 0; count--) {
            const file_way *way = play_way(&random, 0);
            int is_write = test_below(&random, 3) > 0;
            play_access what = play_draw(p, f, rank, way, is_write, &position, &random);
            unsigned char *stream = play_stream(&what);
            const layout *view = &f->views[rank];
            uint64_t place = (uint64_t)what.offset * view->of.bytes;
            if (i > 0 && is_write)
                model_write(&f->m, view, place, stream, what.bytes);
            /* What reaches beyond what one knows of the file is not read, as its end depends on others. */
            if (i == 0 && (is_write || model_read(&f->m, view, place, stream, what.bytes) == what.bytes)) {
                if (way->pointer == FILE_INDIVIDUAL) {
                    what.is_sought |= is_lost;
                    is_lost = 0;
                }
                if (!is_write)
                    phase_await_size(p, f, &what, &known);
                play_begin(p, f, &what);
            } else if (i == 0) {
                is_lost |= way->pointer == FILE_INDIVIDUAL;
            }
            free(stream);
        }
        if (i == 0)
            play_complete(p, f);
    }
    play_check(p, f, key);
}

/* All together, each its own cells. */
static void phase_collective(play *p, play_file *f, uint64_t key)
{
    uint64_t common = key;
    const file_way *way = play_way(&common, 1);
    int is_write = test_below(&common, 3) > 0;
    for (int i = 0; i < p->t->size; i++) {
        int rank = (p->t->rank + i) % p->t->size, position = -1;
        uint64_t random = test_mix(key + (uint64_t)rank);
        play_access what = play_draw(p, f, rank, way, is_write, &position, &random);
        if (i == 0) {
            play_begin(p, f, &what);
            play_complete(p, f);
        } else if (is_write) {
            unsigned char *stream = play_stream(&what);
            model_write(&f->m, &f->views[rank], (uint64_t)what.offset * f->views[rank].of.bytes, stream, what.bytes);
            free(stream);
        }
    }
    play_check(p, f, key);
}

/* Anybody reads anything. */
static void phase_read(play *p, play_file *f, uint64_t key)
{
    uint64_t random = test_mix(key + (uint64_t)p->t->rank), common = key;
    int position = -1;
    for (int count = 1 + test_below(&random, PHASE); count > 0; count--) {
        play_access what =
            play_draw(p, f, test_below(&random, p->t->size), play_way(&random, 0), 0, &position, &random);
        position = -1;
        if (what.way->pointer == FILE_INDIVIDUAL)
            what.is_sought = 1;
        play_begin(p, f, &what);
    }
    play_complete(p, f);
    play_access what = play_draw(p, f, test_below(&random, p->t->size), play_way(&common, 1), 0, &position, &random);
    play_begin(p, f, &what);
    play_complete(p, f);
    CHECK_OK(MPI_Barrier(p->t->comm));
}

/* One behind the other, by the shared pointer; needs a common view. */
static void phase_ordered(play *p, play_file *f, uint64_t key)
{
    uint64_t common = key;
    int form = test_below(&common, 2) ? FILE_SPLIT : FILE_PLAIN, start = test_below(&common, f->chunk), end = start;
    play_access mine = {0};
    CHECK_OK(MPI_File_seek_shared(f->file, start, MPI_SEEK_SET));
    for (int rank = 0; rank < p->t->size; rank++) {
        uint64_t random = test_mix(key + (uint64_t)rank);
        play_access what = play_draw(p, f, rank, file_way_of(FILE_SHARED, 1, (file_form)form), 1, NULL, &random);
        unsigned char *stream = play_stream(&what);
        what.offset = end;
        model_write(&f->m, &f->views[rank], (uint64_t)end * f->views[rank].of.bytes, stream, what.bytes);
        end += what.elements * what.memory->shape.cells;
        if (rank == p->t->rank)
            mine = what;
        free(stream);
    }
    MPI_Offset at = -1;
    play_begin(p, f, &mine);
    play_complete(p, f);
    CHECK_OK(MPI_Barrier(p->t->comm));
    CHECK_OK(MPI_File_get_position_shared(f->file, &at));
    CHECK_EQUAL(end, at);
    play_check(p, f, key);
}

/* ---- between phases ---------------------------------------------------------------------------------------------- */

static void play_open(play *p, play_file *f, uint64_t key)
{
    static const char *const values[] = {"enable", "disable", "automatic"};
    uint64_t random = key;
    MPI_Info info;
    CHECK_OK(MPI_Info_create(&info));
    if (test_below(&random, 2)) {
        CHECK_OK(MPI_Info_set(info, "romio_cb_write", values[test_below(&random, 3)]));
        CHECK_OK(MPI_Info_set(info, "romio_cb_read", values[test_below(&random, 3)]));
        CHECK_OK(MPI_Info_set(info, "romio_ds_read", values[test_below(&random, 3)]));
        CHECK_OK(MPI_Info_set(info, "cb_buffer_size", test_below(&random, 2) ? "4096" : "100"));
        CHECK_OK(MPI_Info_set(info, "cb_nodes", test_below(&random, 2) ? "1" : "2"));
    }
    CHECK_OK(MPI_File_open(p->t->comm, test_path(p->t, f->name), MPI_MODE_RDWR | MPI_MODE_CREATE, info, &f->file));
    CHECK_OK(MPI_Info_free(&info));
    f->is_atomic = 0;
    play_set_view(p, f, test_random(&random));
}

static void play_change(play *p, play_file *f, uint64_t key)
{
    uint64_t random = key;
    int size = test_below(&random, PLAY_REACH);
    switch (test_below(&random, 5)) {
    case 0:
        test_detail(p->t, "MPI_File_set_size(%d)", size);
        CHECK_OK(MPI_File_set_size(f->file, size));
        model_resize(&f->m, (size_t)size);
        break;
    case 1:
        test_detail(p->t, "MPI_File_preallocate(%d)", size);
        CHECK_OK(MPI_File_preallocate(f->file, size));
        model_resize(&f->m, (size_t)size > f->m.size ? (size_t)size : f->m.size);
        break;
    case 2:
        CHECK_OK(MPI_File_sync(f->file));
        f->is_atomic ^= 1;
        CHECK_OK(MPI_File_set_atomicity(f->file, f->is_atomic));
        break;
    case 3:
        CHECK_OK(MPI_File_close(&f->file));
        play_open(p, f, test_random(&random));
        break;
    default:
        play_set_view(p, f, test_random(&random));
    }
    play_check(p, f, key);
}

void case_random_play(test *t)
{
    const char *text = getenv("CORUNNA_TEST_COUNT");
    long long count = text ? atoll(text) : test_volume(t, 3000), all = 0;
    play_file files[FILES] = {0};
    uint64_t random = test_key(t, 2, 0, 0, 0);
    play *p = malloc(sizeof *p);
    CHECK(p);
    play_make(p, t);
    for (int i = 0; i < FILES; i++) {
        snprintf(files[i].name, sizeof files[i].name, "play %d", i);
        model_make(&files[i].m, 0);
        play_open(p, &files[i], test_random(&random));
    }
    for (int step = 0; all < count; step++) {
        play_file *f = &files[test_below(&random, FILES)];
        uint64_t key = test_random(&random);
        int kind = test_below(&random, 12);
        if (kind < 4)
            phase_own(p, f, key);
        else if (kind < 7)
            phase_collective(p, f, key);
        else if (kind < 9)
            phase_read(p, f, key);
        else if (kind < 10 && f->is_common)
            phase_ordered(p, f, key);
        else
            play_change(p, f, key);
        if (step % 20 == 0)
            CHECK_OK(MPI_Allreduce(&p->accesses, &all, 1, MPI_LONG_LONG, MPI_SUM, t->comm));
    }
    for (int i = 0; i < FILES; i++) {
        for (int k = 0; k < t->size; k++)
            layout_free(&files[i].views[k]);
        free(files[i].views);
        CHECK_OK(MPI_File_close(&files[i].file));
        if (t->rank == 0)
            model_check(&files[i].m, t, files[i].name);
        model_free(&files[i].m);
    }
    play_free(p);
    free(p);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "file_trial.h"

#include "file_model.h"

#include <stdlib.h>
#include <string.h>

/* What one rank does in a step; every rank knows those of all. */
typedef struct part {
    layout view, memory;
    int offset, elements;  /* in cells; elements of memory */
    size_t bytes;          /* of the stream */
    unsigned char *buffer; /* the memory, filled by a key */
    unsigned char *stream; /* what the buffer holds */
    size_t reach;
} part;

typedef struct step {
    const file_way *way;
    int is_write;
    cell of;
    part *parts; /* of all ranks */
    int start;   /* of the shared pointer */
} step;

trial trial_any(void)
{
    return (trial){.view = -1, .memory = -1, .cell = -1, .info = MPI_INFO_NULL};
}

/* ---- what each rank does ----------------------------------------------------------------------------------------- */

static void step_parts(const test *t, const trial *what, step *s, uint64_t key)
{
    int is_common = s->way->pointer == FILE_SHARED;
    MPI_Aint span = 1;
    MPI_Offset region = 1;
    for (int i = 0; i < t->size; i++) {
        part *p = &s->parts[i];
        uint64_t random = test_mix(key + (is_common ? 0 : (uint64_t)i)), own = test_mix(key ^ (uint64_t)(i + 1));
        int view = what->view >= 0 ? what->view : test_below(&random, SHAPE_FILE_KINDS);
        int memory = what->memory >= 0 ? what->memory : test_below(&own, SHAPE_KINDS);
        layout_make(&p->view, (shape_kind)view, s->of, &random);
        layout_make(&p->memory, (shape_kind)memory, s->of, &own);
        p->offset = test_below(&own, 30);
        p->elements = test_below(&own, what->elements ? what->elements + 1 : 9);
        p->bytes = (size_t)p->elements * layout_bytes(&p->memory);
        p->reach = layout_reach(&p->memory, (size_t)p->elements);
        p->buffer = test_alloc(p->reach);
        test_fill(p->buffer, p->reach, own);
        p->stream = malloc(p->bytes + 1);
        CHECK(p->stream);
        layout_pack(&p->memory, p->buffer, p->bytes, p->stream);
        if (p->view.shape.end > span)
            span = p->view.shape.end;
        MPI_Offset end = layout_at(&p->view, (size_t)p->offset * s->of.bytes + p->bytes) + 1;
        region = end > region ? end : region;
    }
    if (is_common)
        for (int i = 0, at = s->start; i < t->size; i++) {
            s->parts[i].offset = at;
            at += (int)(s->parts[i].bytes / s->of.bytes);
        }
    for (int i = 0; i < t->size; i++) {
        part *p = &s->parts[i];
        p->view.displacement = what->origin;
        if (!is_common && what->is_apart)
            p->view.displacement += i * region;
        if (!is_common && !what->is_apart) {
            p->view.displacement += i * span;
            layout_spread(&p->view, t->size * span);
        }
    }
}

static void step_free(const test *t, step *s)
{
    for (int i = 0; i < t->size; i++) {
        layout_free(&s->parts[i].view);
        layout_free(&s->parts[i].memory);
        free(s->parts[i].stream);
        test_free(s->parts[i].buffer);
    }
    free(s->parts);
    cell_free(&s->of);
}

static void step_tell(test *t, const step *s, uint64_t key)
{
    const part *p = &s->parts[t->rank];
    test_detail(
        t, "%s%s%s, form %d: view of %s of %s at %lld, extent %lld; %d elements of %s from cell %d on; key %llx",
        s->way->form == FILE_REQUEST ? "i" : "", s->is_write ? "write" : "read", s->way->name, s->way->form,
        shape_names[p->view.shape.kind], s->of.name, (long long)p->view.displacement, (long long)p->view.shape.extent,
        p->elements, shape_names[p->memory.shape.kind], p->offset, (unsigned long long)key);
}

/* ---- doing it ---------------------------------------------------------------------------------------------------- */

static void step_call(const test *t, const step *s, MPI_File file, void *buffer, file_call *call, int is_large)
{
    const part *p = &s->parts[t->rank];
    *call = (file_call){.file = file, .way = s->way, .is_write = s->is_write, .is_large = is_large};
    call->offset = p->offset;
    call->memory = buffer;
    call->count = p->elements;
    call->type = p->memory.shape.type;
    if (s->way->pointer == FILE_SHARED && !s->way->is_collective) { /* the order must be known */
        for (int turn = 0; turn < t->size; turn++) {
            if (turn == t->rank)
                CHECK_OK(file_call_run(call));
            CHECK_OK(MPI_Barrier(t->comm));
        }
        return;
    }
    CHECK_OK(file_call_run(call));
}

/* The pointers have moved by what was asked for; at the end of the file an individual one may say what there was. */
static void step_check_pointers(const test *t, const step *s, MPI_File file, size_t moved)
{
    const part *p = &s->parts[t->rank], *last = &s->parts[t->size - 1];
    MPI_Offset at = -1;
    if (s->way->pointer == FILE_SHARED) {
        CHECK_OK(MPI_Barrier(t->comm));
        CHECK_OK(MPI_File_get_position_shared(file, &at));
        CHECK_EQUAL(last->offset + (long long)(last->bytes / s->of.bytes), at);
        CHECK_OK(MPI_Barrier(t->comm));
        return;
    }
    CHECK_OK(MPI_File_get_position(file, &at));
    if (s->way->pointer == FILE_EXPLICIT)
        CHECK_EQUAL(p->offset, at); /* of the seek before */
    else if (moved == p->bytes)
        CHECK_EQUAL(p->offset + (long long)(p->bytes / s->of.bytes), at);
}

static void step_do(test *t, const trial *what, step *s, MPI_File file, model *m, uint64_t key)
{
    const part *p = &s->parts[t->rank];
    unsigned char *buffer = test_alloc(p->reach), *stream = malloc(p->bytes + 1);
    size_t moved = p->bytes, origin = (size_t)p->offset * s->of.bytes;
    file_call call;
    CHECK(stream);
    step_tell(t, s, key);
    memcpy(buffer, p->buffer, p->reach);
    CHECK_OK(MPI_File_set_view(file, p->view.displacement, s->of.type, p->view.shape.type, "native", what->info));
    CHECK_OK(MPI_File_seek(file, p->offset, MPI_SEEK_SET));
    if (s->way->pointer == FILE_SHARED)
        CHECK_OK(MPI_File_seek_shared(file, s->start, MPI_SEEK_SET));
    step_call(t, s, file, buffer, &call, (int)(key >> 20 & 1));
    if (s->is_write) {
        for (int i = 0; i < t->size; i++)
            model_write(m, &s->parts[i].view, (size_t)s->parts[i].offset * s->of.bytes, s->parts[i].stream,
                        s->parts[i].bytes);
    } else {
        moved = model_read(m, &p->view, origin, stream, p->bytes);
        layout_unpack(&p->memory, p->buffer, moved, stream);
        /* What was asked for beyond the end of the file may hold anything. */
        layout_pack(&p->memory, buffer, p->bytes, stream);
        for (size_t i = moved; i < p->bytes; i++)
            p->buffer[layout_at(&p->memory, i)] = stream[i];
    }
    CHECK_MOVED((long long)moved, &call.status);
    CHECK_SAME("the memory", p->buffer, buffer, p->reach);
    step_check_pointers(t, s, file, moved);
    free(stream);
    test_free(buffer);
}

static void trial_step(test *t, trial *what, int is_write, MPI_File file, model *m, uint64_t key)
{
    const file_way *way = is_write ? what->write : what->read;
    uint64_t random = key;
    step s = {.way = way, .is_write = is_write, .parts = calloc((size_t)t->size, sizeof(part))};
    CHECK(s.parts);
    s.of = cell_make(what->cell >= 0 ? what->cell : test_below(&random, CELL_KINDS));
    s.start = test_below(&random, 50);
    if (!s.way)
        s.way = &file_ways[test_below(&random, file_way_count)];
    step_parts(t, what, &s, test_random(&random));
    step_do(t, what, &s, file, m, key);
    step_free(t, &s);
}

void trial_run(test *t, trial what, uint64_t key)
{
    const char *name = what.name ? what.name : "trial";
    uint64_t random = key;
    MPI_File file = MPI_FILE_NULL;
    model m;
    model_make(&m, what.origin);
    if (what.origin == 0)
#ifdef MPI_ABI_VERSION
        model_resize(&m, (size_t)test_below(&random, 2000));
#else /* others have garbage in holes, and statuses that do not know the end of the file */
        model_resize(&m, 400000);
#endif
    if (m.size)
        test_fill(m.bytes, m.size, key);
    test_disk_make(t, name, m.bytes, m.size);
    CHECK_OK(MPI_File_open(t->comm, test_path(t, name), MPI_MODE_RDWR, what.info, &file));
    if (what.is_atomic)
        CHECK_OK(MPI_File_set_atomicity(file, 1));
    for (int round = 0; round < 2; round++) {
        trial_step(t, &what, 1, file, &m, test_random(&random));
        test_sync(t, file);
        if (t->rank == 0)
            model_check(&m, t, name);
        CHECK_OK(MPI_Barrier(t->comm));
        trial_step(t, &what, 0, file, &m, test_random(&random));
        CHECK_OK(MPI_Barrier(t->comm));
    }
    CHECK_OK(MPI_File_close(&file));
    CHECK(file == MPI_FILE_NULL);
    if (t->rank == 0)
        model_check(&m, t, name);
    CHECK_OK(MPI_Barrier(t->comm));
    model_free(&m);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "file_play.h"

#include <stdlib.h>
#include <string.h>

void play_make(play *p, test *t)
{
    uint64_t random = test_key(t, 1, 0, 0, 0);
    *p = (play){.t = t};
    for (int i = 0; i < CELL_KINDS; i++) {
        p->cells[i] = cell_make(i);
        for (int k = 0; k < PLAY_MEMORIES; k++) {
            shape_kind kind = k == 0 ? SHAPE_ONE : (shape_kind)test_below(&random, SHAPE_KINDS);
            layout_make(&p->memories[i][k], kind, p->cells[i], &random);
        }
    }
}

void play_free(play *p)
{
    for (int i = 0; i < CELL_KINDS; i++) {
        for (int k = 0; k < PLAY_MEMORIES; k++)
            layout_free(&p->memories[i][k]);
        cell_free(&p->cells[i]);
    }
}

void play_set_view(play *p, play_file *f, uint64_t key)
{
    const test *t = p->t;
    uint64_t random = key;
    MPI_Aint span = 1;
    for (int i = 0; f->views && i < t->size; i++)
        layout_free(&f->views[i]);
    f->views = realloc(f->views, (size_t)t->size * sizeof *f->views);
    CHECK(f->views);
    f->cell = test_below(&random, CELL_KINDS);
    f->is_common = test_below(&random, 3) == 0;
    f->chunk = PLAY_CHUNK;
    MPI_Offset displacement = test_below(&random, 50);
    for (int i = 0; i < t->size; i++) {
        uint64_t own = f->is_common ? key : test_mix(key + (uint64_t)i);
        layout_make(&f->views[i], (shape_kind)test_below(&own, SHAPE_FILE_KINDS), p->cells[f->cell], &own);
        f->views[i].displacement = displacement;
        if (f->views[i].shape.end > span)
            span = f->views[i].shape.end;
    }
    for (int i = 0; i < t->size; i++) {
        layout *view = &f->views[i];
        if (!f->is_common) {
            layout_spread(view, t->size * span);
            view->displacement += i * span;
        }
        long long tiles = PLAY_REACH / view->shape.extent + 1, cells = tiles * view->shape.cells;
        if (f->is_common)
            cells /= t->size;
        if (cells < f->chunk)
            f->chunk = cells > 0 ? (int)cells : 1;
    }
    const layout *mine = &f->views[t->rank];
    test_view(f->file, mine->displacement, mine->of.type, mine->shape.type);
}

/* ---- drawing ----------------------------------------------------------------------------------------------------- */

play_access play_draw(const play *p, const play_file *f, int rank, const file_way *way, int is_write, int *position,
                      uint64_t *random)
{
    play_access what = {.way = way, .is_write = is_write};
    what.memory = &p->memories[f->cell][test_below(random, PLAY_MEMORIES)];
    if (what.memory->shape.cells > f->chunk)
        what.memory = &p->memories[f->cell][0];
    what.elements = test_below(random, f->chunk / what.memory->shape.cells + 1);
    if (test_below(random, 4))
        what.elements = what.elements > 5 ? what.elements / 5 : what.elements;
    what.bytes = (size_t)what.elements * layout_bytes(what.memory);
    int cells = what.elements * what.memory->shape.cells, first = f->is_common ? rank * f->chunk : 0;
    what.offset = first + test_below(random, f->chunk - cells + 1);
    what.is_large = test_below(random, 2);
    what.key = test_random(random);
    if (way->pointer == FILE_INDIVIDUAL) {
        what.is_sought = test_below(random, 3) == 0 || *position < first || *position + cells > first + f->chunk;
        if (!what.is_sought)
            what.offset = *position;
        *position = what.offset + cells;
    }
    return what;
}

unsigned char *play_stream(const play_access *what)
{
    unsigned char *stream = malloc(what->bytes + 8);
    CHECK(stream);
    test_fill(stream, what->bytes, what->key);
    return stream;
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

static void play_tell(play *p, const play_file *f, const play_access *what)
{
    const layout *view = &f->views[p->t->rank];
    test_detail(p->t,
                "access %lld, of '%s'%s: %s%s, form %d, %d elements of %s from cell %d on, view of %s of %s at %lld, "
                "extent %lld",
                p->accesses, f->name, f->is_atomic ? ", atomic" : "", what->is_write ? "write" : "read",
                what->way->name, what->way->form, what->elements, shape_names[what->memory->shape.kind], what->offset,
                shape_names[view->shape.kind], view->of.name, (long long)view->displacement,
                (long long)view->shape.extent);
}

static void call_complete(play *p, play_file *f, play_call *c)
{
    const layout *view = &f->views[p->t->rank];
    const play_access *what = &c->what;
    size_t moved = what->bytes, reach = layout_reach(what->memory, (size_t)what->elements);
    if (!c->is_under_way)
        return;
    play_tell(p, f, what);
    CHECK_OK(file_call_end(&c->call));
    c->is_under_way = 0;
    if (!what->is_write) {
        unsigned char *stream = play_stream(what);
        moved = model_read(&f->m, view, (size_t)what->offset * view->of.bytes, stream, what->bytes);
        layout_unpack(what->memory, c->before, moved, stream);
        layout_pack(what->memory, c->buffer, what->bytes, stream);
        for (size_t i = moved; i < what->bytes; i++) /* beyond the end of the file */
            c->before[layout_at(what->memory, i)] = stream[i];
        free(stream);
    }
    CHECK_MOVED((long long)moved, &c->call.status);
    CHECK_SAME("the memory", c->before, c->buffer, reach);
    test_free(c->buffer);
    test_free(c->before);
}

void play_complete(play *p, play_file *f)
{
    for (int i = 0; i < PLAY_PENDING; i++)
        call_complete(p, f, &p->pending[i]);
}

/* Would the order of the two matter? */
static int play_meets(const play_access *a, const play_access *b)
{
    return (a->is_write || b->is_write) && a->offset < b->offset + b->elements * b->memory->shape.cells &&
           b->offset < a->offset + a->elements * a->memory->shape.cells;
}

void play_begin(play *p, play_file *f, const play_access *what)
{
    play_call *c = NULL;
    size_t reach = layout_reach(what->memory, (size_t)what->elements);
    int is_met = 0;
    for (int i = 0; i < PLAY_PENDING; i++) {
        if (!p->pending[i].is_under_way)
            c = &p->pending[i];
        else
            is_met |= play_meets(what, &p->pending[i].what);
    }
    if (is_met || !c)
        play_complete(p, f);
    c = c ? c : &p->pending[0];
    *c = (play_call){.what = *what, .is_under_way = 1, .buffer = test_alloc(reach), .before = test_alloc(reach)};
    play_tell(p, f, what);
    test_fill(c->before, reach, what->key ^ 1);
    if (what->is_write) {
        unsigned char *stream = play_stream(what);
        layout_unpack(what->memory, c->before, what->bytes, stream);
        model_write(&f->m, &f->views[p->t->rank], (size_t)what->offset * f->views[0].of.bytes, stream, what->bytes);
        free(stream);
    }
    memcpy(c->buffer, c->before, reach);
    c->call = (file_call){.file = f->file, .way = what->way, .is_write = what->is_write, .is_large = what->is_large};
    c->call.offset = what->offset;
    c->call.memory = c->buffer;
    c->call.count = what->elements;
    c->call.type = what->memory->shape.type;
    if (what->is_sought)
        CHECK_OK(MPI_File_seek(f->file, what->offset, MPI_SEEK_SET));
    p->accesses++;
    CHECK_OK(file_call_begin(&c->call));
    if (what->way->form == FILE_PLAIN)
        call_complete(p, f, c);
}

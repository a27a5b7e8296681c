/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A random program against a model of all windows. It has phases, each an epoch of some kind, in which each rank starts
 * random operations; every rank draws those of all ranks, plays them in its model, and executes its own. After each
 * phase all bytes of its window, and all results, must be those of the model.
 *
 *   parts    each rank has parts of all windows to itself: any operation, at places that follow on each other
 *   shared   all ranks accumulate anywhere, with one operator on one kind of integers
 *
 * CORUNNA_TEST_COUNT: operations of all ranks together.
 */
#include "win_sync.h"

#include <stdlib.h>
#include <string.h>

enum {
    PLAY_ELEMENTS = 6,
    PLAY_SHAPES = 4,
    PLAY_MOST = 40,   /* operations of a rank in a phase */
    PLAY_PHASES = 60, /* with the same types */
    PLAY_PART = 4096, /* bytes of a part */
    PLAY_SPAN = 200000,
};

typedef struct play {
    test *t;
    field f;
    unsigned char **models; /* the windows of all ranks */
    const element *kinds[PLAY_ELEMENTS];
    layout shapes[PLAY_ELEMENTS][PLAY_SHAPES];
    /* The phase. */
    uint64_t phase;
    trial_sync sync;
    int is_shared, shift;
    const operator_row *op; /* of a shared one */
    int kind;               /* of its elements */
    size_t *cursors;        /* how far my parts are used, by target */
    long played;
} play;

/* An operation under way. */
typedef struct move {
    trial_kind kind;
    const element *e;
    const layout *origin, *target;
    const operator_row *op;
    int to;
    size_t count; /* elements */
    size_t place; /* of the window */
    uint64_t key;
    unsigned char *from, *result, *expected, *compare, *memories[3];
    size_t result_bytes;
    MPI_Request request;
} move;

/* ---- types ------------------------------------------------------------------------------------------------------ */

static const operator_row *play_operator(uint64_t *random)
{
    static const char *const names[] = {"SUM", "BXOR", "MIN", "MAX", "BAND", "BOR"};
    const char *name = names[test_below(random, 6)];
    int i = 0;
    while (strcmp(operators[i].name, name) != 0)
        i++;
    return &operators[i];
}

/* Integers that all operators take, and others for what copies; nothing with bytes that mean nothing. */
static int play_takes(const element *e)
{
    return !strstr(e->name, "LONG_DOUBLE") && e->class != ELEMENT_LOGICAL && e->class != ELEMENT_PAIR;
}

/* In shared phases elements are at multiples of their size: half of the shapes are so. */
static void play_types(play *p, uint64_t *random)
{
    static const shape even[] = {SHAPE_VECTOR, SHAPE_INDEXED, SHAPE_STRUCT, SHAPE_SUBARRAY, SHAPE_BACKWARDS};
    unsigned seed = (unsigned)test_random(random);
    for (int i = 0; i < PLAY_ELEMENTS; i++) {
        do
            p->kinds[i] = &elements[test_below(random, element_count)];
        while (!play_takes(p->kinds[i]) || (i < 3 && p->kinds[i]->class != ELEMENT_INTEGER));
        p->shapes[i][0] = layout_make(SHAPE_ONE, p->kinds[i], &seed);
        p->shapes[i][1] = layout_make(even[test_below(random, 5)], p->kinds[i], &seed);
        p->shapes[i][2] = layout_make((shape)test_below(random, SHAPE_MANY), p->kinds[i], &seed);
        p->shapes[i][3] = layout_make(SHAPE_RANDOM, p->kinds[i], &seed);
    }
}

static void play_drop_types(play *p)
{
    for (int i = 0; i < PLAY_ELEMENTS; i++)
        for (int k = 0; k < PLAY_SHAPES; k++)
            layout_free(&p->shapes[i][k]);
}

/* ---- operations ------------------------------------------------------------------------------------------------- */

static void play_phase(play *p, uint64_t *random)
{
    static const trial_sync syncs[] = {SYNC_FENCE,    SYNC_PSCW,  SYNC_LOCK_SHARED, SYNC_LOCK_EXCLUSIVE,
                                       SYNC_LOCK_ALL, SYNC_FLUSH, SYNC_FLUSH_ALL};
    p->sync = syncs[test_below(random, 7)];
    p->is_shared = test_below(random, 3) == 0;
    p->shift = test_below(random, p->t->size);
    p->op = play_operator(random);
    p->kind = test_below(random, 3);
    memset(p->cursors, 0, (size_t)p->t->size * sizeof *p->cursors);
}

static size_t play_common(size_t a, size_t b)
{
    size_t step = a;
    while (step % b)
        step += a;
    return step;
}

/* Where it goes, or 0: there is no room for it. */
static int move_place(const play *p, move *m, int origin, size_t *cursor, uint64_t *random)
{
    ptrdiff_t low, high;
    size_t unit = (size_t)p->f.units[m->to], step = unit, place, begin, end, repeats = m->count / m->target->per;
    plan_reach(&m->target->map, repeats, &low, &high);
    size_t before = low < 0 ? (size_t)-low : 0, behind = high > 0 ? (size_t)high : 0;
    if (before + behind > PLAY_SPAN || layout_repeats(m->target, repeats) < repeats)
        return 0;
    if (p->is_shared) {
        step = play_common(unit, m->e->basic.extent);
        begin = 0;
        end = p->f.bytes;
        if (before + behind + 2 * step > end)
            return 0;
        place = (before + test_random(random) % (end - before - behind - step) + step - 1) / step * step;
    } else {
        int part = (origin + p->shift) % p->t->size;
        begin = (size_t)part * PLAY_PART;
        end = begin + PLAY_PART;
        if (test_below(random, 2))
            step = play_common(unit, 8);
        place = (begin + *cursor + before + step - 1) / step * step;
    }
    if (place < before || place + behind > end)
        return 0;
    m->place = place;
    if (!p->is_shared)
        *cursor = place + behind - begin;
    return 1;
}

/* The next operation of an origin; 0: none this time. */
static int move_draw(const play *p, move *m, int origin, int to, size_t *cursor, uint64_t *random)
{
    int is_passive = p->sync >= SYNC_LOCK_SHARED, kind = p->is_shared ? p->kind : test_below(random, PLAY_ELEMENTS);
    *m = (move){.to = to, .e = p->kinds[kind], .request = MPI_REQUEST_NULL};
    int target = test_below(random, p->is_shared ? 2 : PLAY_SHAPES);
    m->target = &p->shapes[kind][target];
    m->origin = &p->shapes[kind][test_below(random, PLAY_SHAPES)];
    m->kind = (trial_kind)test_below(random, is_passive ? TRIAL_KINDS : TRIAL_RPUT);
    m->op = p->is_shared ? p->op : play_operator(random);
    if (m->e->class != ELEMENT_INTEGER || (!p->is_shared && test_below(random, 4) == 0))
        m->op = &operators[0];
    if (p->is_shared)
        m->kind = test_below(random, 3) ? TRIAL_ACCUMULATE : TRIAL_GET_ACCUMULATE;
    m->key = test_random(random);
    m->count = play_common(m->target->per, m->origin->per);
    m->count *= 1 + (size_t)test_below(random, 4);
    if (m->kind == TRIAL_FETCH_AND_OP || m->kind == TRIAL_COMPARE_AND_SWAP) {
        m->target = m->origin = &p->shapes[kind][0];
        m->count = 1;
        if (m->kind == TRIAL_COMPARE_AND_SWAP && !element_is_swappable(m->e))
            return 0;
    }
    size_t repeats = m->count / m->origin->per;
    return m->count * m->e->basic.extent <= PLAY_PART && layout_repeats(m->origin, repeats) == repeats &&
           move_place(p, m, origin, cursor, random);
}

/* Play it in the model; what it returns is expected. */
static void move_play(const play *p, move *m)
{
    size_t bytes = m->count * m->e->basic.extent;
    unsigned char *model = p->models[m->to] + m->place, *old = malloc(bytes), *new = malloc(bytes);
    unsigned char *with = element_values(m->e, m->key, m->count, 1);
    layout_gather(m->target, m->e, model, old, m->count);
    memcpy(new, old, bytes);
    m->compare = malloc(bytes);
    memcpy(m->compare, old, bytes);
    if (m->key % 3 == 0)
        m->compare[0] ^= 1;
    if (m->kind == TRIAL_PUT || m->kind == TRIAL_RPUT)
        memcpy(new, with, bytes);
    else if (m->kind == TRIAL_COMPARE_AND_SWAP)
        memcpy(new, m->key % 3 ? with : old, bytes);
    else if (m->kind != TRIAL_GET && m->kind != TRIAL_RGET)
        element_combine(m->e, m->op->op, with, new, m->count);
    layout_scatter(m->target, m->e, model, new, m->count);
    m->expected = old;
    free(new);
    free(with);
}

/* Buffers: the origin in its layout, the result in a row, with canaries. */
static void move_buffers(move *m)
{
    ptrdiff_t low, high;
    plan_reach(&m->origin->map, m->count / m->origin->per, &low, &high);
    size_t before = low < 0 ? (size_t)-low : 0;
    m->memories[0] = test_alloc(before + (size_t)(high > 0 ? high : 0));
    m->from = m->memories[0] + before;
    unsigned char *with = element_values(m->e, m->key, m->count, 1);
    layout_scatter(m->origin, m->e, m->from, with, m->count);
    free(with);
    m->result_bytes = m->count * m->e->basic.extent;
    m->memories[1] = m->result = test_alloc(m->result_bytes);
    memset(m->result, 0x77, m->result_bytes);
}

static void move_start(const play *p, move *m)
{
    MPI_Aint at = field_displacement(&p->f, m->to, m->place);
    MPI_Datatype otype = m->origin->type, type = m->target->type, rtype = element_type(m->e);
    int ocount = (int)(m->count / m->origin->per), count = (int)(m->count / m->target->per), n = (int)m->count;
    MPI_Win win = p->f.win;
    MPI_Request *q = &m->request;
    switch (m->kind) {
    case TRIAL_PUT:
        CHECK_OK(MPI_Put(m->from, ocount, otype, m->to, at, count, type, win));
        break;
    case TRIAL_GET:
        CHECK_OK(MPI_Get(m->result, n, rtype, m->to, at, count, type, win));
        break;
    case TRIAL_ACCUMULATE:
        CHECK_OK(MPI_Accumulate(m->from, ocount, otype, m->to, at, count, type, m->op->op, win));
        break;
    case TRIAL_GET_ACCUMULATE:
        CHECK_OK(
            MPI_Get_accumulate(m->from, ocount, otype, m->result, n, rtype, m->to, at, count, type, m->op->op, win));
        break;
    case TRIAL_FETCH_AND_OP:
        CHECK_OK(MPI_Fetch_and_op(m->from, m->result, rtype, m->to, at, m->op->op, win));
        break;
    case TRIAL_COMPARE_AND_SWAP:
        CHECK_OK(MPI_Compare_and_swap(m->from, m->compare, m->result, rtype, m->to, at, win));
        break;
    case TRIAL_RPUT:
        CHECK_OK(MPI_Rput(m->from, ocount, otype, m->to, at, count, type, win, q));
        break;
    case TRIAL_RGET:
        CHECK_OK(MPI_Rget(m->result, n, rtype, m->to, at, count, type, win, q));
        break;
    case TRIAL_RACCUMULATE:
        CHECK_OK(MPI_Raccumulate(m->from, ocount, otype, m->to, at, count, type, m->op->op, win, q));
        break;
    default:
        CHECK_OK(MPI_Rget_accumulate(m->from, ocount, otype, m->result, n, rtype, m->to, at, count, type, m->op->op,
                                     win, q));
    }
    /* Some requests are completed before the synchronization, the others by it. */
    if (m->key % 5 < 3)
        CHECK_OK(MPI_Wait(&m->request, MPI_STATUS_IGNORE));
}

static void move_end(const play *p, move *m)
{
    int has_result =
        m->kind != TRIAL_PUT && m->kind != TRIAL_RPUT && m->kind != TRIAL_ACCUMULATE && m->kind != TRIAL_RACCUMULATE;
    CHECK_OK(MPI_Wait(&m->request, MPI_STATUS_IGNORE));
    if (has_result && !p->is_shared && memcmp(m->expected, m->result, m->result_bytes) != 0) {
        test_detail(p->t, "phase %llu, sync %d, kind %d of %s, operator %s, %zu elements, byte %zu of rank %d",
                    (unsigned long long)p->phase, (int)p->sync, (int)m->kind, m->e->name, m->op->name, m->count,
                    m->place, m->to);
        CHECK_SAME("the result", m->expected, m->result, NULL, m->result_bytes);
    }
    test_free(m->memories[0]);
    test_free(m->memories[1]);
}

/* ---- phases ----------------------------------------------------------------------------------------------------- */

/* Draw and play what all origins do; keep my own operations. */
static int play_draw(play *p, move *mine)
{
    int count = 0;
    for (int origin = 0; origin < p->t->size; origin++) {
        uint64_t random = test_key(p->t, p->phase, (uint64_t)origin, 1, 1);
        int most = test_below(&random, PLAY_MOST);
        memset(p->cursors, 0, (size_t)p->t->size * sizeof *p->cursors);
        for (int i = 0; i < most; i++) {
            move m;
            int to = (i * p->t->size / PLAY_MOST + origin) % p->t->size;
            if (!move_draw(p, &m, origin, to, &p->cursors[to], &random))
                continue;
            move_play(p, &m);
            p->played++;
            if (origin == p->t->rank) {
                mine[count++] = m;
            } else {
                free(m.expected);
                free(m.compare);
            }
        }
    }
    return count;
}

static void play_epoch(play *p, move *mine, int count)
{
    test *t = p->t;
    int *all = malloc((size_t)t->size * sizeof *all), next = 0;
    for (int i = 0; i < t->size; i++)
        all[i] = (t->rank + i) % t->size;
    epoch e = {t, p->f.win, p->sync, all, all, t->size, t->size};
    epoch_begin(&e);
    for (int i = 0; i < t->size; i++) {
        epoch_enter(&e, i);
        while (next < count && mine[next].to == all[i])
            move_start(p, &mine[next++]);
        epoch_leave(&e, i);
    }
    CHECK_EQUAL(count, next);
    epoch_flush(&e);
    epoch_end(&e);
    free(all);
}

static void play_one(play *p)
{
    test *t = p->t;
    move mine[PLAY_MOST];
    int count = play_draw(p, mine);
    test_detail(t, "phase %llu, synchronization %d, %s, %d operations of this rank", (unsigned long long)p->phase,
                (int)p->sync, p->is_shared ? "shared" : "parts", count);
    for (int i = 0; i < count; i++)
        move_buffers(&mine[i]);
    play_epoch(p, mine, count);
    for (int i = 0; i < count; i++) {
        move_end(p, &mine[i]);
        free(mine[i].expected);
        free(mine[i].compare);
    }
    CHECK_OK(MPI_Barrier(t->comm));
    memcpy(p->f.expected, p->models[t->rank], p->f.bytes);
    field_check(t, &p->f);
    CHECK_OK(MPI_Barrier(t->comm));
}

static long play_count(const test *t)
{
    const char *text = getenv("CORUNNA_TEST_COUNT");
    return text && *text ? strtol(text, NULL, 10) : test_volume(t, 20000);
}

/* A window of each flavour takes its share of the operations. */
static void play_flavour(test *t, field_flavour flavour, long count)
{
    play p = {.t = t};
    uint64_t random = test_key(t, flavour, 2, 2, 2);
    if (!field_make(t, flavour, (size_t)t->size * PLAY_PART, &p.f))
        return;
    p.models = calloc((size_t)t->size, sizeof *p.models);
    p.cursors = calloc((size_t)t->size, sizeof *p.cursors);
    for (int i = 0; i < t->size; i++) {
        p.models[i] = malloc(p.f.bytes);
        test_fill(p.models[i], p.f.bytes, test_key(t, flavour, (uint64_t)i, 3, 3));
    }
    field_reset(&p.f, test_key(t, flavour, (uint64_t)t->rank, 3, 3));
    field_load(t, &p.f);
    CHECK_OK(MPI_Barrier(t->comm));
    for (p.phase = (uint64_t)flavour << 40; p.played < count; p.phase++) {
        if (p.phase % PLAY_PHASES == 0 || p.phase == (uint64_t)flavour << 40) {
            if (p.kinds[0])
                play_drop_types(&p);
            play_types(&p, &random);
        }
        play_phase(&p, &random);
        play_one(&p);
    }
    play_drop_types(&p);
    field_free(&p.f);
    for (int i = 0; i < t->size; i++)
        free(p.models[i]);
    free(p.models);
    free(p.cursors);
}

void case_random_play(test *t)
{
    long count = play_count(t);
    for (int flavour = 0; flavour < FIELD_FLAVOURS; flavour++)
        play_flavour(t, (field_flavour)flavour, count / FIELD_FLAVOURS);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "win_trial.h"

#include "win_sync.h"

#include <stdlib.h>
#include <string.h>

const trial trial_any = {.kind = (trial_kind)-1,
                         .sync = (trial_sync)-1,
                         .targets = (trial_targets)-1,
                         .origin = (shape)-1,
                         .target = (shape)-1,
                         .result = (shape)-1,
                         .elements = (size_t)-1,
                         .is_aligned = -1};

static const char *const kind_names[] = {
    "put",  "get",  "accumulate",  "get_accumulate", "fetch_and_op", "compare_and_swap",
    "rput", "rget", "raccumulate", "rget_accumulate"};
static const char *const sync_names[] = {"fence", "pscw",      "lock_shared", "lock_exclusive", "lock_all",
                                         "flush", "flush_all", "flush_local", "flush_local_all"};
static const char *const targets_names[] = {"self", "next", "all", "none"};

/* ---- what a trial is -------------------------------------------------------------------------------------------- */

/* The kind without its request. */
static trial_kind plain_kind(trial_kind kind)
{
    static const trial_kind kinds[] = {TRIAL_PUT, TRIAL_GET, TRIAL_ACCUMULATE, TRIAL_GET_ACCUMULATE};
    return kind >= TRIAL_RPUT ? kinds[kind - TRIAL_RPUT] : kind;
}

static int kind_has_op(trial_kind kind)
{
    kind = plain_kind(kind);
    return kind == TRIAL_ACCUMULATE || kind == TRIAL_GET_ACCUMULATE || kind == TRIAL_FETCH_AND_OP;
}

static int kind_has_result(trial_kind kind)
{
    kind = plain_kind(kind);
    return kind != TRIAL_PUT && kind != TRIAL_ACCUMULATE;
}

static int kind_is_single(trial_kind kind)
{
    return kind == TRIAL_FETCH_AND_OP || kind == TRIAL_COMPARE_AND_SWAP;
}

int trial_is_legal(const trial *p)
{
    if (p->kind >= TRIAL_RPUT && p->sync <= SYNC_PSCW)
        return 0;
    if (kind_has_op(p->kind) && !operator_is_for(p->op, p->element))
        return 0;
    /* Accumulating without an effect needs no call: only those with a result have it. */
    if (plain_kind(p->kind) == TRIAL_ACCUMULATE && p->op->op == MPI_NO_OP)
        return 0;
    return p->kind != TRIAL_COMPARE_AND_SWAP || element_is_swappable(p->element);
}

trial trial_drawn(trial from, uint64_t *random)
{
    static const size_t sizes[] = {0, 1, 2, 3, 7, 20, 60, 150, 400, 1000};
    trial p;
    do {
        p = from;
        p.kind = (int)p.kind < 0 ? (trial_kind)test_below(random, TRIAL_KINDS) : p.kind;
        p.sync = (int)p.sync < 0 ? (trial_sync)test_below(random, SYNCS) : p.sync;
        if ((int)p.targets < 0)
            p.targets = test_below(random, 12) == 0 ? TARGETS_NONE : (trial_targets)test_below(random, TARGETS_NONE);
        p.element = p.element ? p.element : &elements[test_below(random, element_count)];
        p.op = p.op ? p.op : &operators[test_below(random, operator_count)];
        p.origin = (int)p.origin < 0 ? (shape)test_below(random, SHAPES) : p.origin;
        p.target = (int)p.target < 0 ? (shape)test_below(random, SHAPES) : p.target;
        p.result = (int)p.result < 0 ? (shape)test_below(random, SHAPES) : p.result;
        if (p.elements == (size_t)-1)
            p.elements = sizes[test_below(random, sizeof sizes / sizeof sizes[0])];
        p.is_aligned = p.is_aligned < 0 ? test_below(random, 3) > 0 : p.is_aligned;
    } while (!trial_is_legal(&p));
    return p;
}

/* ---- a trial under way ------------------------------------------------------------------------------------------ */

/* Memory of an origin: elements of a layout amid random bytes. */
typedef struct side {
    layout layout;
    int count;         /* of the layout's type */
    plan_field memory; /* the real one */
    unsigned char *expected, *mask;
} side;

typedef struct run {
    test *t;
    field *f;
    const trial *p;
    uint64_t number;
    trial_kind kind;
    size_t elements;
    layout target;
    int target_count;      /* of the target's type */
    side origin, *results; /* one a target */
    MPI_Request *requests;
    unsigned char **compares; /* likewise; of COMPARE_AND_SWAP */
    int *targets, *origins;
    int targets_count, origins_count;
    size_t area_bytes; /* of the target's window, for each origin */
    ptrdiff_t low;     /* the first byte of the target's elements, if before them */
    int is_raw;
} run;

enum { KEY_INITIAL = 1, KEY_ORIGIN, KEY_WINDOW, KEY_MARGIN, KEY_COMPARE, ALIGNMENT = 16, SLACK = 64 };

static size_t least_common(size_t a, size_t b)
{
    size_t x = a, y = b;
    while (y) {
        size_t rest = x % y;
        x = y;
        y = rest;
    }
    return a / x * b;
}

static void run_rank_sets(run *r)
{
    const test *t = r->t;
    r->targets = calloc((size_t)t->size, sizeof(int));
    r->origins = calloc((size_t)t->size, sizeof(int));
    for (int i = 0; i < t->size; i++) {
        int is_target = r->p->targets == TARGETS_ALL || (r->p->targets == TARGETS_SELF && i == t->rank) ||
                        (r->p->targets >= TARGETS_NEXT && i == (t->rank + 1) % t->size);
        int is_origin = r->p->targets == TARGETS_ALL || (r->p->targets == TARGETS_SELF && i == t->rank) ||
                        (r->p->targets >= TARGETS_NEXT && i == (t->rank + t->size - 1) % t->size);
        if (is_target)
            r->targets[r->targets_count++] = i;
        if (is_origin)
            r->origins[r->origins_count++] = i;
    }
}

static size_t round_up(size_t value, size_t to)
{
    return (value + to - 1) / to * to;
}

/* Where the elements of an origin's area begin in a target's window. */
static size_t run_place(const run *r, int rank, int origin_number)
{
    size_t unit = (size_t)r->f->units[rank], start = (size_t)origin_number * r->area_bytes + SLACK + (size_t)-r->low;
    return round_up(start, r->p->is_aligned ? least_common(unit, ALIGNMENT) : unit);
}

/* The number of an origin's area at that target. */
static int run_area(const run *r, int origin)
{
    return r->p->targets == TARGETS_ALL ? origin : 0;
}

/* How many elements: as many as wanted, a multiple of what is in each layout, and as fit the window. */
static int run_fit(run *r, size_t wanted, size_t step)
{
    ptrdiff_t low, high;
    r->elements = wanted == 0 ? 0 : round_up(wanted, step);
    size_t repeats = r->elements / r->target.per;
    if (r->elements && layout_repeats(&r->target, repeats) < repeats)
        return 0;
    plan_reach(&r->target.map, repeats, &low, &high);
    r->low = low < 0 ? low : 0;
    r->area_bytes = (size_t)((high > 0 ? high : 0) - r->low) + 2 * SLACK + 24 * ALIGNMENT;
    r->target_count = (int)repeats;
    return r->area_bytes * (size_t)(r->p->targets == TARGETS_ALL ? r->t->size : 1) <= r->f->bytes;
}

static void side_make(run *r, side *s, uint64_t key)
{
    s->count = (int)(r->elements / s->layout.per);
    s->memory = plan_field_make(&s->layout.map, (size_t)s->count);
    s->expected = malloc(s->memory.bytes);
    s->mask = malloc(s->memory.bytes);
    CHECK(s->memory.memory && s->expected && s->mask);
    test_fill(s->expected, s->memory.bytes, key);
    memset(s->mask, 1, s->memory.bytes);
    layout_mask(&s->layout, r->p->element, s->mask + (s->memory.element - s->memory.memory), r->elements);
}

static unsigned char *side_image(const side *s)
{
    return s->expected + (s->memory.element - s->memory.memory);
}

static void side_check(const char *what, const side *s)
{
    CHECK_SAME(what, s->expected, s->memory.memory, s->mask, s->memory.bytes);
}

static void side_free(side *s)
{
    free(s->memory.memory);
    free(s->expected);
    free(s->mask);
}

/* Layouts for all sides that together fit; simpler ones, and fewer elements, until they do. */
static void run_layouts(run *r)
{
    const element *e = r->p->element;
    unsigned seed = (unsigned)test_key(r->t, r->number, 9, 9, 9);
    int is_single = kind_is_single(r->kind);
    size_t wanted = is_single ? 1 : r->p->elements;
    layout result;
    for (int round = 0;; round++) {
        int is_plain = is_single || round > 6;
        r->target = layout_make(is_plain ? SHAPE_ONE : r->p->target, e, &seed);
        r->origin.layout = layout_make(is_plain ? SHAPE_ONE : r->p->origin, e, &seed);
        result = layout_make(is_plain ? SHAPE_ONE : r->p->result, e, &seed);
        size_t step = least_common(least_common(r->target.per, r->origin.layout.per), result.per);
        if (step * e->basic.extent < 60000 && run_fit(r, wanted, step) &&
            layout_repeats(&result, r->elements / result.per) == r->elements / result.per &&
            layout_repeats(&r->origin.layout, r->elements / r->origin.layout.per) ==
                r->elements / r->origin.layout.per)
            break;
        layout_free(&r->target);
        layout_free(&r->origin.layout);
        layout_free(&result);
        wanted = wanted > 1 && round % 2 ? wanted / 2 : wanted;
    }
    r->results = calloc((size_t)r->targets_count + 1, sizeof *r->results);
    for (int i = 0; i <= r->targets_count; i++)
        r->results[i].layout = result;
}

/* What was in the elements of the area of that origin at that target. */
static unsigned char *run_initial(const run *r, int target, int origin)
{
    return element_values(r->p->element, test_key(r->t, r->number, (uint64_t)target, (uint64_t)origin, KEY_INITIAL),
                          r->elements, r->is_raw);
}

static unsigned char *run_values(const run *r, int origin)
{
    return element_values(r->p->element, test_key(r->t, r->number, (uint64_t)origin, 0, KEY_ORIGIN), r->elements,
                          r->is_raw);
}

/* What that origin compares with: mostly what is there. */
static unsigned char *run_compare(const run *r, int origin, int target)
{
    if (test_key(r->t, r->number, (uint64_t)origin, (uint64_t)target, KEY_COMPARE) % 3 > 0)
        return run_initial(r, target, origin);
    return element_values(r->p->element, test_key(r->t, r->number, (uint64_t)origin, 1, KEY_COMPARE), 1, r->is_raw);
}

static void run_window(run *r)
{
    const element *e = r->p->element;
    field_reset(r->f, test_key(r->t, r->number, (uint64_t)r->t->rank, 0, KEY_WINDOW));
    for (int i = 0; i < r->origins_count; i++) {
        int area = run_area(r, r->origins[i]);
        unsigned char *values = run_initial(r, r->t->rank, r->origins[i]);
        layout_scatter(&r->target, e, r->f->expected + run_place(r, r->t->rank, area), values, r->elements);
        layout_mask(&r->target, e, r->f->mask + run_place(r, r->t->rank, area), r->elements);
        free(values);
    }
    field_load(r->t, r->f);
}

static void run_buffers(run *r)
{
    const element *e = r->p->element;
    uint64_t rank = (uint64_t)r->t->rank;
    unsigned char *values = run_values(r, r->t->rank);
    side_make(r, &r->origin, test_key(r->t, r->number, rank, 0, KEY_MARGIN));
    layout_scatter(&r->origin.layout, e, side_image(&r->origin), values, r->elements);
    memcpy(r->origin.memory.memory, r->origin.expected, r->origin.memory.bytes);
    free(values);
    for (int i = 0; i < r->targets_count; i++) {
        side_make(r, &r->results[i], test_key(r->t, r->number, rank, (uint64_t)i + 1, KEY_MARGIN));
        memcpy(r->results[i].memory.memory, r->results[i].expected, r->results[i].memory.bytes);
        if (r->kind == TRIAL_COMPARE_AND_SWAP)
            r->compares[i] = run_compare(r, r->t->rank, r->targets[i]);
    }
}

/* ---- the operation ---------------------------------------------------------------------------------------------- */

static void run_start(run *r, int i)
{
    const trial *p = r->p;
    int target = p->targets == TARGETS_NONE ? MPI_PROC_NULL : r->targets[i], count = r->target_count;
    size_t place = run_place(r, r->targets[i], run_area(r, r->t->rank));
    MPI_Aint at = field_displacement(r->f, r->targets[i], place);
    const side *o = &r->origin, *s = &r->results[i];
    MPI_Datatype type = r->target.type, otype = o->layout.type, stype = s->layout.type;
    MPI_Win win = r->f->win;
    MPI_Op op = p->op->op;
    /* Nothing is read of the origin without an operator. */
    int is_nothing = kind_has_op(r->kind) && op == MPI_NO_OP && r->number % 2;
    const void *from = is_nothing ? NULL : o->memory.element;
    int ocount = is_nothing ? 0 : o->count;
    void *to = s->memory.element;
    MPI_Request *q = &r->requests[i];
    switch (p->kind) {
    case TRIAL_PUT:
        CHECK_OK(MPI_Put(from, ocount, otype, target, at, count, type, win));
        break;
    case TRIAL_GET:
        CHECK_OK(MPI_Get(to, s->count, stype, target, at, count, type, win));
        break;
    case TRIAL_ACCUMULATE:
        CHECK_OK(MPI_Accumulate(from, ocount, otype, target, at, count, type, op, win));
        break;
    case TRIAL_GET_ACCUMULATE:
        CHECK_OK(MPI_Get_accumulate(from, ocount, otype, to, s->count, stype, target, at, count, type, op, win));
        break;
    case TRIAL_FETCH_AND_OP:
        CHECK_OK(MPI_Fetch_and_op(from, to, type, target, at, op, win));
        break;
    case TRIAL_COMPARE_AND_SWAP:
        CHECK_OK(MPI_Compare_and_swap(from, r->compares[i], to, type, target, at, win));
        break;
    case TRIAL_RPUT:
        CHECK_OK(MPI_Rput(from, ocount, otype, target, at, count, type, win, q));
        break;
    case TRIAL_RGET:
        CHECK_OK(MPI_Rget(to, s->count, stype, target, at, count, type, win, q));
        break;
    case TRIAL_RACCUMULATE:
        CHECK_OK(MPI_Raccumulate(from, ocount, otype, target, at, count, type, op, win, q));
        break;
    default:
        CHECK_OK(MPI_Rget_accumulate(from, ocount, otype, to, s->count, stype, target, at, count, type, op, win, q));
    }
}

/* The values at a target after that origin's operation. */
static void run_combine(const run *r, int origin, int target, unsigned char *values)
{
    const element *e = r->p->element;
    unsigned char *with = run_values(r, origin);
    if (r->kind == TRIAL_PUT) {
        memcpy(values, with, r->elements * e->basic.extent);
    } else if (r->kind == TRIAL_COMPARE_AND_SWAP) {
        unsigned char *compare = run_compare(r, origin, target);
        if (memcmp(compare, values, e->basic.extent) == 0)
            memcpy(values, with, e->basic.extent);
        free(compare);
    } else if (r->kind != TRIAL_GET) {
        element_combine(e, r->p->op->op, with, values, r->elements);
    }
    free(with);
}

static void run_check_result(run *r, int i)
{
    if (kind_has_result(r->kind) && r->p->targets != TARGETS_NONE) {
        unsigned char *values = run_initial(r, r->targets[i], r->t->rank);
        layout_scatter(&r->results[i].layout, r->p->element, side_image(&r->results[i]), values, r->elements);
        free(values);
    }
    side_check("the result", &r->results[i]);
}

/* The buffers are the program's again. */
static void run_check_buffers(run *r)
{
    side_check("the origin", &r->origin);
    for (int i = 0; i < r->targets_count; i++)
        run_check_result(r, i);
}

static void run_epoch(run *r)
{
    epoch e = {r->t, r->f->win, r->p->sync, r->targets, r->origins, r->targets_count, r->origins_count};
    epoch_begin(&e);
    for (int i = 0; i < r->targets_count; i++) {
        epoch_enter(&e, i);
        run_start(r, i);
        if (r->p->sync == SYNC_LOCK_EXCLUSIVE && r->kind != r->p->kind)
            CHECK_OK(MPI_Wait(&r->requests[i], MPI_STATUS_IGNORE));
        epoch_leave(&e, i);
    }
    CHECK_OK(MPI_Waitall(r->targets_count, r->requests, MPI_STATUSES_IGNORE));
    epoch_flush(&e);
    if (r->kind != r->p->kind || epoch_has_flushed(&e)) {
        run_check_buffers(r);
        memset(r->origin.memory.memory, 0xee, r->origin.memory.bytes);
        epoch_end(&e);
    } else {
        epoch_end(&e);
        run_check_buffers(r);
    }
}

static void run_check_window(run *r)
{
    for (int i = 0; i < r->origins_count && r->p->targets != TARGETS_NONE; i++) {
        unsigned char *values = run_initial(r, r->t->rank, r->origins[i]);
        run_combine(r, r->origins[i], r->t->rank, values);
        layout_scatter(&r->target, r->p->element,
                       r->f->expected + run_place(r, r->t->rank, run_area(r, r->origins[i])), values, r->elements);
        free(values);
    }
    field_check(r->t, r->f);
}

void trial_run(test *t, field *f, const trial *p, uint64_t number)
{
    run r = {.t = t, .f = f, .p = p, .number = number, .kind = plain_kind(p->kind)};
    r.is_raw = !kind_has_op(p->kind) || p->op->is_bitwise;
    run_rank_sets(&r);
    run_layouts(&r);
    test_detail(t, "trial %llu: %s, %s, %s window, targets %s, %s, %s, %s to %s, result %s, %zu elements%s",
                (unsigned long long)number, kind_names[p->kind], sync_names[p->sync], field_flavour_names[f->flavour],
                targets_names[p->targets], p->element->name, kind_has_op(p->kind) ? p->op->name : "no operator",
                shape_names[p->origin], shape_names[p->target], shape_names[p->result], r.elements,
                p->is_aligned ? "" : ", at any address");
    r.requests = malloc((size_t)t->size * sizeof *r.requests);
    r.compares = calloc((size_t)t->size, sizeof *r.compares);
    for (int i = 0; i < t->size; i++)
        r.requests[i] = MPI_REQUEST_NULL;
    run_window(&r);
    run_buffers(&r);
    CHECK_OK(MPI_Barrier(t->comm));
    run_epoch(&r);
    CHECK_OK(MPI_Barrier(t->comm));
    run_check_window(&r);
    layout_free(&r.target);
    layout_free(&r.origin.layout);
    layout_free(&r.results[r.targets_count].layout);
    side_free(&r.origin);
    for (int i = 0; i < r.targets_count; i++) {
        side_free(&r.results[i]);
        free(r.compares[i]);
    }
    free(r.results);
    free(r.requests);
    free(r.compares);
    free(r.targets);
    free(r.origins);
}

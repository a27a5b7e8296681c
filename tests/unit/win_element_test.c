/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Updates of elements in windows: every operator on every predefined type does what its kernel does, wherever the
 * element lies, and touches nothing beside it; and threads that hammer on elements of all widths, aligned and not, lose
 * no update and no old value.
 */
#include "check.h"
#include "unit_random.h"

#include "dtype/layout.h"
#include "dtype/op_kernels.h"
#include "win/win_state.h"

#include <float.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    TYPE_FIRST = 0x200, /* numbers of the MPI ABI */
    TYPE_LAST = 0x2ff,
    OP_FIRST = 0x20,
    OP_SUM = 0x21,
    OP_LAST = 0x3f,
    OP_REPLACE = 0x3c,
    OP_NO_OP = 0x3d,
    COUNT = 7, /* elements of a row */
    SKEWS = 9, /* places of an element */
    ROOM = 1024,
    MARGIN = 64,
    THREADS = 4,
    ROUNDS = 20000,
};

static int is_updated_by(uint32_t op, uint32_t number)
{
    return op == OP_REPLACE || op == OP_NO_OP || cor_op_kernel(op, number) != NULL;
}

static int has_gap(const cor_dtype *element)
{
    return element->true_ub - element->true_lb != (ptrdiff_t)element->size;
}

/* The type at hand, for failures. */
static const cor_dtype *present;

static void fill(unsigned char *memory, size_t bytes, uint64_t *seed)
{
    for (size_t i = 0; i < bytes; i++)
        memory[i] = (unsigned char)unit_random(seed);
}

/* A small number of a floating kind: sums and products are exact, and there is no NaN, whose bits are anybody's. */
static void fill_floating(unsigned char *to, const cor_value *value, uint64_t *seed)
{
    unsigned number = 1 + (unsigned)(unit_random(seed) & 1); /* 1 or 2 */
    float single = (float)number;
    double twofold = number;
    long double longest = number;
    uint16_t half = number == 1 ? 0x3c00 : 0x4000, quad = number == 1 ? 0x3fff : 0x4000;
    memset(to, 0, value->bytes);
    if (value->kind == COR_VALUE_EXTENDED)
        memcpy(to, &longest, LDBL_MANT_DIG == 64 ? 10 : sizeof longest);
    else if (value->bytes == sizeof half)
        memcpy(to, &half, sizeof half);
    else if (value->bytes == sizeof single)
        memcpy(to, &single, sizeof single);
    else if (value->bytes == sizeof twofold)
        memcpy(to, &twofold, sizeof twofold);
    else
        memcpy(to + value->bytes - sizeof quad, &quad, sizeof quad);
}

/* Packed elements. */
static void fill_elements(unsigned char *to, const cor_dtype *element, size_t count, uint64_t *seed)
{
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < element->basic->count; k++) {
            const cor_value *value = &element->basic->values[k];
            for (int part = 0; part < value->parts; part++, to += value->bytes)
                if (value->kind == COR_VALUE_FLOATING || value->kind == COR_VALUE_EXTENDED)
                    fill_floating(to, value, seed);
                else
                    fill(to, value->bytes, seed);
        }
}

/* ---- alone ------------------------------------------------------------------------------------------------------ */

typedef struct place {
    _Alignas(64) unsigned char memory[ROOM], before[ROOM];
    unsigned char in[ROOM], out[ROOM], expected[ROOM];
} place;

/* What the kernel makes of the packed elements, one by one. */
static void expect(place *p, const cor_dtype *element, uint32_t op, const unsigned char *old, size_t count)
{
    size_t size = element->size;
    cor_combine_fn combine = op == OP_REPLACE || op == OP_NO_OP ? NULL : cor_op_kernel(op, element->number);
    memcpy(p->expected, op == OP_REPLACE ? p->in : old, size * count);
    for (size_t i = 0; i < count && combine; i++)
        combine(old + i * size, p->in + i * size, p->expected + i * size, 1);
}

/* Elements of a row follow each other without the gaps that an array of them has. */
static void row_move(const cor_dtype *element, unsigned char *at, size_t count, unsigned char *packed, int is_written)
{
    for (size_t i = 0; i < count; i++)
        if (is_written)
            cor_dtype_unpack(element, at + i * element->size, 1, 0, packed + i * element->size, element->size);
        else
            cor_dtype_pack(element, at + i * element->size, 1, 0, packed + i * element->size, element->size);
}

/* A row of elements `skew` bytes behind an aligned address; elements with gaps inside make one row each. */
static cor_win lone; /* a member by itself */

static void check_row(place *p, const cor_dtype *element, uint32_t op, size_t skew, int is_alone, uint64_t *seed)
{
    win_control control = {0};
    win_update update;
    size_t count = has_gap(element) ? 1 : COUNT, size = element->size;
    unsigned char *at = p->memory + MARGIN + skew, old[ROOM], now[ROOM];
    CHECK(count * (size_t)element->extent + MARGIN + skew < ROOM);
    CHECK_OK(win_update_init(&update, COR_WIN_GET_ACCUMULATE, element, op));
    update.win = &lone;
    update.control = &control;
    update.is_alone = is_alone;
    fill(p->memory, ROOM, seed);
    fill(p->out, ROOM, seed);
    fill_elements(p->in, element, count, seed);
    fill_elements(old, element, count, seed);
    row_move(element, at, count, old, 1);
    memcpy(p->before, p->memory, ROOM);
    expect(p, element, op, old, count);
    win_update_row(&update, (char *)at, size * count, op == OP_NO_OP ? NULL : (char *)p->in, (char *)p->out);
    row_move(element, at, count, now, 0);
    CHECK(memcmp(now, p->expected, size * count) == 0);
    CHECK(memcmp(p->out, old, size * count) == 0);
    row_move(element, at, count, old, 1);
    CHECK(memcmp(p->memory, p->before, ROOM) == 0);
    CHECK_EQUAL(0, atomic_load(&control.wide));
}

/* The old value comes back; only an equal one is replaced. */
static void check_swap(place *p, const cor_dtype *element, size_t skew, uint64_t *seed)
{
    win_control control = {0};
    win_update update;
    unsigned char *at = p->memory + MARGIN + skew, old[MARGIN], compare[MARGIN];
    for (int is_equal = 0; is_equal < 2; is_equal++) {
        CHECK_OK(win_update_init(&update, COR_WIN_COMPARE_SWAP, element, 0));
        update.win = &lone;
        fill(p->memory, ROOM, seed);
        fill(p->in, ROOM, seed);
        memcpy(p->before, p->memory, ROOM);
        cor_dtype_pack(element, at, 1, 0, old, element->size);
        memcpy(compare, old, element->size);
        if (!is_equal)
            compare[unit_random(seed) % element->size] ^= 0x10;
        update.control = &control;
        update.compare = compare;
        win_update_row(&update, (char *)at, element->size, (char *)p->in, (char *)p->out);
        CHECK(memcmp(p->out, old, element->size) == 0);
        if (is_equal)
            cor_dtype_unpack(element, p->before + MARGIN + skew, 1, 0, p->in, element->size);
        CHECK(memcmp(p->memory, p->before, ROOM) == 0);
    }
}

static int check_type(const cor_dtype *element, uint64_t *seed)
{
    static place p;
    int operators = 0;
    present = element;
    for (uint32_t op = OP_FIRST; op <= OP_LAST; op++)
        if (is_updated_by(op, element->number)) {
            operators++;
            for (size_t skew = 0; skew < 2 * SKEWS; skew++)
                check_row(&p, element, op, skew / 2, skew % 2, seed);
        }
    for (size_t skew = 0; skew < SKEWS; skew++)
        check_swap(&p, element, skew, seed);
    return operators;
}

static void check_all_types(uint64_t *seed)
{
    int types = 0, pairs = 0;
    for (uint32_t number = TYPE_FIRST; number <= TYPE_LAST; number++) {
        const cor_dtype *element = cor_dtype_predefined(number);
        if (!element || element->size == 0)
            continue;
        pairs += has_gap(element);
        types += check_type(element, seed) > 2;
    }
    CHECK(types > 30);
    CHECK(pairs > 0); /* MPI_SHORT_INT */
}

/* ---- rows of elements with gaps ---------------------------------------------------------------------------------- */

/* Rows of any part of an array become the beginnings of the elements that are complete. */
static void check_merge(const cor_dtype *element)
{
    enum { ELEMENTS = 12, ROWS = 2 * ELEMENTS + 1 };
    cor_dtype_row rows[ROWS];
    win_update update = {.element = element};
    for (size_t room = 1; room <= ROWS; room++)
        for (size_t first = 0; first < ELEMENTS; first++) {
            size_t bytes, whole;
            size_t count = cor_dtype_rows(element, ELEMENTS, first * element->size, SIZE_MAX, rows, room, &bytes);
            whole = bytes / element->size;
            count = win_update_merge(&update, rows, count);
            if (!has_gap(element))
                continue;
            CHECK_EQUAL(whole, count);
            for (size_t i = 0; i < count; i++) {
                CHECK_EQUAL((first + i) * (size_t)element->extent, rows[i].at);
                CHECK_EQUAL(element->size, rows[i].bytes);
            }
        }
}

static void check_merges(void)
{
    for (uint32_t number = TYPE_FIRST; number <= TYPE_LAST; number++) {
        const cor_dtype *element = cor_dtype_predefined(number);
        if (element && element->size > 0)
            check_merge(element);
    }
}

/* ---- threads ---------------------------------------------------------------------------------------------------- */

/* What all threads update: one element, `skew` bytes behind an aligned address. */
typedef struct target {
    win_control control;
    const cor_dtype *element;
    uint32_t op;
    size_t skew;
    int is_swap;
    _Atomic int ready;
    cor_win members[THREADS]; /* of which only the number is used, and the device, by which nobody is lost */
    win_target targets[THREADS];
    cor_device device;
    cor_host host;
    _Alignas(64) char memory[4 * MARGIN];
} target;

typedef struct worker {
    pthread_t thread;
    target *target;
    int number;
    unsigned char *olds; /* the value before each update */
} worker;

static void update_begin(target *t, int owner, cor_win_kind kind, win_update *update)
{
    CHECK_OK(win_update_init(update, kind, t->element, t->op));
    t->members[owner].me = owner;
    t->members[owner].size = THREADS;
    t->members[owner].targets = t->targets;
    t->members[owner].device = &t->device;
    update->control = &t->control;
    update->win = &t->members[owner];
}

static void start_together(target *t)
{
    atomic_fetch_add(&t->ready, 1);
    while (atomic_load(&t->ready) < THREADS)
        cor_cpu_relax();
}

static void *work_replace(void *argument)
{
    worker *w = argument;
    target *t = w->target;
    size_t size = t->element->size;
    win_update update;
    char in[MARGIN];
    update_begin(t, w->number, COR_WIN_GET_ACCUMULATE, &update);
    start_together(t);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint32_t name = (uint32_t)w->number * ROUNDS + i + 1;
        for (size_t k = 0; k < size; k++)
            in[k] = (char)(name >> k % sizeof name * 8);
        win_update_row(&update, t->memory + MARGIN + t->skew, size, in, (char *)w->olds + i * size);
    }
    return NULL;
}

/* One is added in each round: by the operator, or by comparing and swapping until that succeeds. */
static void add_by_swaps(target *t, win_update *update, char *at)
{
    size_t size = t->element->size;
    char compare[MARGIN] = {0}, next[MARGIN], old[MARGIN];
    update->compare = compare;
    for (;;) {
        memcpy(next, compare, size);
        for (size_t k = 0; k < size && ++next[k] == 0; k++) {
        }
        win_update_row(update, at, size, next, old);
        if (memcmp(old, compare, size) == 0)
            return;
        memcpy(compare, old, size);
    }
}

static void *work_add(void *argument)
{
    worker *w = argument;
    target *t = w->target;
    win_update update;
    double one[4] = {1, 0, 0, 0};
    float one_float[2] = {1, 0};
    long double one_long[2] = {1, 0};
    int64_t one_integer[4] = {1}; /* little endian */
    uint8_t kind = t->element->basic->values[0].kind;
    size_t part = t->element->basic->values[0].bytes;
    const void *in = kind != COR_VALUE_FLOATING && kind != COR_VALUE_EXTENDED ? (const void *)one_integer
                     : part == sizeof(float)                                  ? (const void *)one_float
                     : part == sizeof(double)                                 ? (const void *)one
                                                                              : (const void *)one_long;
    update_begin(t, w->number, t->is_swap ? COR_WIN_COMPARE_SWAP : COR_WIN_ACCUMULATE, &update);
    start_together(t);
    for (int i = 0; i < ROUNDS; i++)
        if (t->is_swap)
            add_by_swaps(t, &update, t->memory + MARGIN + t->skew);
        else
            win_update_row(&update, t->memory + MARGIN + t->skew, t->element->size, in, NULL);
    return NULL;
}

static void run_threads(target *t, worker *workers, void *(*work)(void *))
{
    for (int i = 0; i < THREADS; i++) {
        workers[i].target = t;
        workers[i].number = i;
        CHECK_EQUAL(0, pthread_create(&workers[i].thread, NULL, work, &workers[i]));
    }
    for (int i = 0; i < THREADS; i++)
        CHECK_EQUAL(0, pthread_join(workers[i].thread, NULL));
    CHECK_EQUAL(0, atomic_load(&t->control.wide));
    for (size_t i = 0; i < MARGIN + t->skew; i++)
        CHECK_EQUAL(0, t->memory[i]);
    for (size_t i = MARGIN + t->skew + (size_t)t->element->true_ub; i < sizeof t->memory; i++)
        CHECK_EQUAL(0, t->memory[i]);
}

static target *target_make(const cor_dtype *element, uint32_t op, size_t skew, int is_swap)
{
    static target t;
    memset(&t, 0, sizeof t);
    t.device.host = &t.host;
    t.element = present = element;
    t.op = op;
    t.skew = skew;
    t.is_swap = is_swap;
    return &t;
}

/* The sum is what all have added, as the kernel adds it. */
static void check_sum(const cor_dtype *element, size_t skew, int is_swap)
{
    worker workers[THREADS];
    target *t = target_make(element, OP_SUM, skew, is_swap);
    const char *at = t->memory + MARGIN + skew;
    uint8_t kind = element->basic->values[0].kind;
    run_threads(t, workers, work_add);
    if (is_swap || (kind != COR_VALUE_FLOATING && kind != COR_VALUE_EXTENDED)) {
        uint64_t expected = (uint64_t)THREADS * ROUNDS;
        CHECK(memcmp(at, &expected, element->size < 8 ? element->size : 8) == 0);
    } else if (element->basic->values[0].bytes == sizeof(float)) {
        float got;
        memcpy(&got, at, sizeof got);
        CHECK(got == (float)THREADS * ROUNDS);
    } else if (element->basic->values[0].bytes == sizeof(double)) {
        double got;
        memcpy(&got, at, sizeof got);
        CHECK(got == (double)THREADS * ROUNDS);
    } else {
        long double got;
        memcpy(&got, at, sizeof got);
        CHECK(got == (long double)THREADS * ROUNDS);
    }
}

static int compare_names(const void *a, const void *b)
{
    uint32_t left, right;
    memcpy(&left, a, sizeof left);
    memcpy(&right, b, sizeof right);
    return left < right ? -1 : left > right;
}

/* Every value that was put in comes out once, or is the last; each whole, not made of two. */
static void check_replace(const cor_dtype *element, size_t skew)
{
    worker workers[THREADS];
    target *t = target_make(element, OP_REPLACE, skew, 0);
    size_t size = element->size, all = (size_t)THREADS * ROUNDS;
    unsigned char *olds = malloc((all + 1) * size), last[MARGIN];
    for (int i = 0; i < THREADS; i++)
        workers[i].olds = olds + (size_t)i * ROUNDS * size;
    run_threads(t, workers, work_replace);
    cor_dtype_pack(element, t->memory + MARGIN + skew, 1, 0, last, size);
    memcpy(olds + all * size, last, size);
    qsort(olds, all + 1, size, compare_names);
    for (uint32_t name = 0; name <= all; name++)
        for (size_t k = 0; k < size; k++)
            CHECK_EQUAL((unsigned char)(name >> k % sizeof name * 8), olds[name * size + k]);
    free(olds);
}

/* Of some floating types C has no numbers of its own. */
static int has_c_numbers(const cor_dtype *element)
{
    const cor_value *value = &element->basic->values[0];
    return value->kind != COR_VALUE_FLOATING || value->bytes == sizeof(float) || value->bytes == sizeof(double);
}

static void check_threads(void)
{
    for (uint32_t number = TYPE_FIRST; number <= TYPE_LAST; number++) {
        const cor_dtype *element = cor_dtype_predefined(number);
        if (!element || element->size == 0)
            continue;
        for (size_t skew = 0; skew < 2; skew++) {
            if (cor_op_kernel(OP_SUM, number) && has_c_numbers(element))
                check_sum(element, skew, 0);
            if (element->size >= 2 && !has_gap(element))
                check_sum(element, skew, 1);
            if (element->size >= sizeof(uint32_t))
                check_replace(element, skew);
        }
    }
}

static void tell(FILE *to, const void *context)
{
    const cor_dtype *const *element = context;
    if (*element)
        fprintf(to, "  %s\n", (*element)->name);
}

int main(void)
{
    uint64_t seed = unit_seed();
    check_me = (check_who){tell, &present};
    check_all_types(&seed);
    check_merges();
    check_threads();
    return 0;
}

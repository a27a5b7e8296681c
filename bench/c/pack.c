/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory with gaps: what a loop written by hand takes to pack it, what MPI_Pack takes, and half a round trip of a
 * message of that type. A test for each shape, at sizes n that are not bytes:
 *
 *   column    a column of a matrix of n by n doubles. From about 1000 on every number lies on a page of its own and
 *             the processor is busy finding pages, whatever the library.
 *   triangle  n times blocks of 8, 7, .. 1 doubles at 0, 1, .. 7. They overlap, so they are received as plain doubles.
 *   upper     n times the upper triangle of a matrix of 8 by 8 doubles
 *   face      the last plane of a cube of n by n by n doubles, in which no two numbers are neighbours
 *
 * Printed are hand-, pack- and send-<shape>.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PACK_TAG = 4, PACK_SYNC = 4, PACK_ROWS = 8, PACK_TRIANGLE = 36 };

/* ---- loops written by hand -------------------------------------------------------------------------------------- */

static void hand_column(const double *from, double *to, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = from[i * n];
}

static void hand_triangle(const double *from, double *to, size_t n)
{
    for (size_t k = 0; k < n; k++, from += PACK_ROWS)
        for (int i = 0; i < PACK_ROWS; i++)
            for (int j = 0; j < PACK_ROWS - i; j++)
                *to++ = from[i + j];
}

static void hand_upper(const double *from, double *to, size_t n)
{
    for (size_t k = 0; k < n; k++, from += PACK_ROWS * PACK_ROWS)
        for (int i = 0; i < PACK_ROWS; i++)
            for (int j = i; j < PACK_ROWS; j++)
                *to++ = from[i * PACK_ROWS + j];
}

static void hand_face(const double *from, double *to, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            to[i * n + j] = from[(i * n + j) * n + n - 1];
}

/* ---- the same as datatypes -------------------------------------------------------------------------------------- */

static void type_column(int n, MPI_Datatype *type)
{
    MPI_Type_vector(n, 1, n, MPI_DOUBLE, type);
}

static void type_rows(int distance, MPI_Datatype *type)
{
    int lengths[PACK_ROWS], places[PACK_ROWS];
    for (int i = 0; i < PACK_ROWS; i++) {
        lengths[i] = PACK_ROWS - i;
        places[i] = i * distance;
    }
    MPI_Type_indexed(PACK_ROWS, lengths, places, MPI_DOUBLE, type);
}

static void type_triangle(int n, MPI_Datatype *type)
{
    (void)n;
    type_rows(1, type);
}

static void type_upper(int n, MPI_Datatype *type)
{
    (void)n;
    type_rows(PACK_ROWS + 1, type);
}

static void type_face(int n, MPI_Datatype *type)
{
    int sizes[] = {n, n, n}, part[] = {n, n, 1}, starts[] = {0, 0, n - 1};
    MPI_Type_create_subarray(3, sizes, part, starts, MPI_ORDER_C, MPI_DOUBLE, type);
}

typedef struct {
    const char *name;
    size_t n_min, n_max;
    int power;      /* elements are n (1) or one (0) ... */
    size_t doubles; /* ... and of each this many are sent; 0: n to the power of `packed` */
    int packed;
    size_t room; /* doubles in memory of each; 0: n to the power of `full` */
    int full;
    int is_overlapping;
    void (*hand)(const double *from, double *to, size_t n);
    void (*make)(int n, MPI_Datatype *type);
} pack_shape;

static const pack_shape pack_shapes[] = {
    {"column", 200, 4096, 0, 0, 1, 0, 2, 0, hand_column, type_column},
    {"triangle", 1, 262144, 1, PACK_TRIANGLE, 0, PACK_ROWS, 0, 1, hand_triangle, type_triangle},
    {"upper", 200, 65536, 1, PACK_TRIANGLE, 0, PACK_ROWS *PACK_ROWS, 0, 0, hand_upper, type_upper},
    {"face", 2, 256, 0, 0, 2, 0, 3, 0, hand_face, type_face},
};

static size_t pack_power(size_t n, int exponent)
{
    size_t value = 1;
    while (exponent-- > 0)
        value *= n;
    return value;
}

/* ---- measuring -------------------------------------------------------------------------------------------------- */

typedef struct {
    const bench_case *c;
    const pack_shape *shape;
    size_t n, doubles, room;
    int count;
    MPI_Datatype type;
    double *field;    /* the memory with gaps, numbered */
    double *incoming; /* such memory, or plain doubles where the type overlaps */
    double *packed;
} pack_run;

static double pack_hand_batch(void *state, long rounds)
{
    const pack_run *p = state;
    if (p->c->b->rank != 0)
        return 0;
    double start = bench_now();
    for (long i = 0; i < rounds; i++)
        p->shape->hand(p->field, p->packed, p->n);
    return bench_now() - start;
}

static double pack_call_batch(void *state, long rounds)
{
    const pack_run *p = state;
    if (p->c->b->rank != 0)
        return 0;
    double start = bench_now();
    for (long i = 0; i < rounds; i++) {
        int position = 0;
        MPI_Pack(p->field, p->count, p->type, p->packed, (int)(p->doubles * sizeof(double)), &position,
                 MPI_COMM_WORLD);
    }
    return bench_now() - start;
}

static void pack_send(const pack_run *p)
{
    MPI_Send(p->field, p->count, p->type, 1 - p->c->b->rank, PACK_TAG, MPI_COMM_WORLD);
}

static void pack_receive(const pack_run *p)
{
    if (p->shape->is_overlapping)
        MPI_Recv(p->incoming, (int)p->doubles, MPI_DOUBLE, 1 - p->c->b->rank, PACK_TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    else
        MPI_Recv(p->incoming, p->count, p->type, 1 - p->c->b->rank, PACK_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void pack_rounds(const pack_run *p, long rounds)
{
    for (long i = 0; i < rounds; i++) {
        if (p->c->b->rank == 0)
            pack_send(p);
        pack_receive(p);
        if (p->c->b->rank == 1)
            pack_send(p);
    }
}

static double pack_send_batch(void *state, long rounds)
{
    const pack_run *p = state;
    /* A few untimed rounds, so that the other rank is in its loop when the clock starts. */
    pack_rounds(p, PACK_SYNC);
    double start = bench_now();
    pack_rounds(p, rounds);
    return bench_now() - start;
}

/* ---- one size ---------------------------------------------------------------------------------------------------- */

static double *pack_doubles(size_t doubles)
{
    double *memory = bench_memory(doubles * sizeof *memory);
    memset(memory, 0, doubles * sizeof *memory);
    return memory;
}

static void pack_expect(const pack_run *p, const char *what, const double *got)
{
    double *expected = pack_doubles(p->doubles);
    p->shape->hand(p->field, expected, p->n);
    if (memcmp(expected, got, p->doubles * sizeof *got) != 0)
        bench_fail("%s-%s: rank %d has other numbers than were sent", what, p->shape->name, p->c->b->rank);
    free(expected);
}

static void pack_print(const pack_run *p, const char *what, bench_time time, double parts)
{
    char name[32];
    snprintf(name, sizeof name, "%s-%s", what, p->shape->name);
    bench_print_time(p->c, name, time, parts);
}

static void pack_measure(pack_run *p)
{
    pack_print(p, "hand", bench_measure(p->c, pack_hand_batch, p), 1);
    memset(p->packed, 0, p->doubles * sizeof *p->packed);
    pack_print(p, "pack", bench_measure(p->c, pack_call_batch, p), 1);
    if (p->c->b->rank == 0)
        pack_expect(p, "pack", p->packed);
    pack_print(p, "send", bench_measure(p->c, pack_send_batch, p), 2);
    if (!p->shape->is_overlapping)
        p->shape->hand(p->incoming, p->packed, p->n);
    pack_expect(p, "send", p->shape->is_overlapping ? p->incoming : p->packed);
}

static const pack_shape *pack_find(const char *name)
{
    const pack_shape *shape = pack_shapes;
    while (strcmp(shape->name, name) != 0)
        shape++;
    return shape;
}

static void pack_test_run(const bench_case *c)
{
    const pack_shape *shape = pack_find(c->test->name);
    size_t n = c->bytes;
    if (n < shape->n_min || n > shape->n_max)
        bench_fail("%s has sizes from %zu to %zu", shape->name, shape->n_min, shape->n_max);
    pack_run p = {.c = c, .shape = shape, .n = n, .count = shape->power ? (int)n : 1};
    p.doubles = (size_t)p.count * (shape->doubles ? shape->doubles : pack_power(n, shape->packed));
    p.room = (size_t)p.count * (shape->room ? shape->room : pack_power(n, shape->full));
    p.field = pack_doubles(p.room);
    p.incoming = pack_doubles(shape->is_overlapping ? p.doubles : p.room);
    p.packed = pack_doubles(p.doubles);
    for (size_t i = 0; i < p.room; i++)
        p.field[i] = (double)i;
    shape->make((int)n, &p.type);
    MPI_Type_commit(&p.type);
    pack_measure(&p);
    MPI_Type_free(&p.type);
    free(p.field);
    free(p.incoming);
    free(p.packed);
}

const bench_test bench_pack_tests[] = {
    {"column", "", 2, 1, 1, pack_test_run},
    {"triangle", "", 2, 1, 1, pack_test_run},
    {"upper", "", 2, 1, 1, pack_test_run},
    {"face", "", 2, 1, 1, pack_test_run},
    {0},
};

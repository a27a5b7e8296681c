/* SPDX-License-Identifier: Apache-2.0 */
/* Cartesian topologies. */
#include "comm_suite.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { DIMS_MOST = 5 };

/* A grid in `dim_count` dimensions of as many of the ranks as it takes; dimension i is periodic if bit i is set. */
static MPI_Comm make_grid(const test *t, int dim_count, int fewer, unsigned periodic, int *dims, int *periods)
{
    MPI_Comm grid;
    memset(dims, 0, (size_t)dim_count * sizeof *dims);
    CHECK_OK(MPI_Dims_create(t->size - fewer, dim_count, dims));
    for (int i = 0; i < dim_count; i++)
        periods[i] = (int)(periodic >> i & 1);
    CHECK_OK(MPI_Cart_create(t->comm, dim_count, dims, periods, 1, &grid));
    CHECK_EQUAL(t->rank >= t->size - fewer, grid == MPI_COMM_NULL);
    return grid;
}

void case_cart_grids(const test *t)
{
    int dims[DIMS_MOST], periods[DIMS_MOST], got[3][DIMS_MOST], coords[DIMS_MOST], number, rank;
    for (int dim_count = 1; dim_count <= DIMS_MOST; dim_count++)
        for (int fewer = 0; fewer < 2 && fewer < t->size; fewer++) {
            MPI_Comm grid = make_grid(t, dim_count, fewer, 0x15, dims, periods);
            CHECK_OK(MPI_Cart_map(t->comm, dim_count, dims, periods, &number));
            CHECK_EQUAL(grid == MPI_COMM_NULL ? MPI_UNDEFINED : t->rank, number);
            if (grid == MPI_COMM_NULL)
                continue;
            CHECK_OK(MPI_Topo_test(grid, &number));
            CHECK_EQUAL(MPI_CART, number);
            CHECK_OK(MPI_Cartdim_get(grid, &number));
            CHECK_EQUAL(dim_count, number);
            CHECK_OK(MPI_Cart_get(grid, dim_count, got[0], got[1], got[2]));
            CHECK_EQUAL(0, memcmp(got[0], dims, (size_t)dim_count * sizeof *dims));
            CHECK_EQUAL(0, memcmp(got[1], periods, (size_t)dim_count * sizeof *dims));
            CHECK_OK(MPI_Cart_coords(grid, t->rank, dim_count, coords));
            CHECK_EQUAL(0, memcmp(got[2], coords, (size_t)dim_count * sizeof *dims));
            /* Row-major, there and back. */
            for (int other = 0; other < t->size - fewer; other++) {
                CHECK_OK(MPI_Cart_coords(grid, other, dim_count, coords));
                int expected = 0;
                for (int i = 0; i < dim_count; i++)
                    expected = expected * dims[i] + coords[i];
                CHECK_EQUAL(other, expected);
                /* Out of range where it is periodic. */
                for (int i = 0; i < dim_count; i++)
                    if (periods[i])
                        coords[i] += (other - 1) * dims[i];
                CHECK_OK(MPI_Cart_rank(grid, coords, &rank));
                CHECK_EQUAL(other, rank);
            }
            /* Out of range where it is not. */
            CHECK_OK(MPI_Cart_coords(grid, 0, dim_count, coords));
            if (dim_count > 1) {
                coords[1] = dims[1];
                CHECK_EQUAL(MPI_ERR_ARG, MPI_Cart_rank(grid, coords, &rank));
            }
            /* A dup is a grid too; a split is none. */
            MPI_Comm dup, split;
            CHECK_OK(MPI_Comm_dup(grid, &dup));
            CHECK_OK(MPI_Cartdim_get(dup, &number));
            CHECK_EQUAL(dim_count, number);
            CHECK_OK(MPI_Comm_split(grid, 0, 0, &split));
            CHECK_OK(MPI_Comm_free(&grid));
            CHECK_OK(MPI_Topo_test(split, &number));
            CHECK_EQUAL(MPI_UNDEFINED, number);
            CHECK_EQUAL(MPI_ERR_TOPOLOGY, MPI_Cartdim_get(split, &number));
            CHECK_OK(MPI_Cart_coords(dup, t->rank, dim_count, coords));
            CHECK_OK(MPI_Comm_free(&dup));
            CHECK_OK(MPI_Comm_free(&split));
        }
    dims[0] = t->size + 1;
    CHECK_EQUAL(MPI_ERR_DIMS, MPI_Cart_create(t->comm, 1, dims, periods, 0, &(MPI_Comm){0}));
}

void case_cart_shifts(const test *t)
{
    int dims[3], periods[3], mine[3], source, dest, got;
    for (unsigned periodic = 0; periodic < 8; periodic++) {
        MPI_Comm grid = make_grid(t, 3, 0, periodic, dims, periods);
        CHECK_OK(MPI_Cart_coords(grid, t->rank, 3, mine));
        for (int dim = 0; dim < 3; dim++)
            for (int distance = -3; distance <= 3; distance++) {
                CHECK_OK(MPI_Cart_shift(grid, dim, distance, &source, &dest));
                for (int way = -1; way <= 1; way += 2) {
                    int there[3] = {mine[0], mine[1], mine[2]}, expected = MPI_PROC_NULL;
                    there[dim] += way * distance;
                    if (periods[dim] || (there[dim] >= 0 && there[dim] < dims[dim]))
                        CHECK_OK(MPI_Cart_rank(grid, there, &expected));
                    CHECK_EQUAL(expected, way < 0 ? source : dest);
                }
                /* What the grid says is what messages do. */
                got = -1;
                CHECK_OK(
                    MPI_Sendrecv(&t->rank, 1, MPI_INT, dest, 0, &got, 1, MPI_INT, source, 0, grid, MPI_STATUS_IGNORE));
                CHECK_EQUAL(source == MPI_PROC_NULL ? -1 : source, got);
            }
        CHECK_EQUAL(MPI_ERR_DIMS, MPI_Cart_shift(grid, 3, 1, &source, &dest));
        CHECK_OK(MPI_Cart_shift(grid, 0, INT_MIN, &source, &dest));
        CHECK_OK(MPI_Comm_free(&grid));
    }
}

void case_cart_subgrids(const test *t)
{
    int dims[3], periods[3], mine[3], got[3][3], number, rank;
    MPI_Comm grid = make_grid(t, 3, 0, 5, dims, periods), sub;
    CHECK_OK(MPI_Cart_coords(grid, t->rank, 3, mine));
    for (int mask = 0; mask < 8; mask++) {
        int remain[3] = {mask & 1, mask & 2, mask & 4}, at = 0, size = 1;
        CHECK_OK(MPI_Cart_sub(grid, remain, &sub));
        CHECK_OK(MPI_Cartdim_get(sub, &number));
        CHECK_OK(MPI_Cart_get(sub, 3, got[0], got[1], got[2]));
        for (int i = 0; i < 3; i++)
            if (remain[i]) {
                CHECK_EQUAL(dims[i], got[0][at]);
                CHECK_EQUAL(periods[i], got[1][at]);
                CHECK_EQUAL(mine[i], got[2][at]);
                size *= dims[i];
                at++;
            }
        CHECK_EQUAL(at, number);
        CHECK_OK(MPI_Comm_size(sub, &number));
        CHECK_EQUAL(size, number);
        CHECK_OK(MPI_Comm_rank(sub, &rank));
        CHECK_OK(MPI_Cart_rank(sub, got[2], &number));
        CHECK_EQUAL(rank, number);
        test_ring(sub);
        CHECK_OK(MPI_Comm_free(&sub));
    }
    CHECK_OK(MPI_Comm_free(&grid));
}

void case_cart_no_dimension(const test *t)
{
    MPI_Comm grid, sub;
    int number;
    CHECK_OK(MPI_Cart_create(t->comm, 0, NULL, NULL, 0, &grid));
    CHECK_EQUAL(t->rank == 0, grid != MPI_COMM_NULL);
    if (grid == MPI_COMM_NULL)
        return;
    CHECK_OK(MPI_Cartdim_get(grid, &number));
    CHECK_EQUAL(0, number);
    CHECK_OK(MPI_Cart_get(grid, 0, NULL, NULL, NULL));
    CHECK_OK(MPI_Cart_coords(grid, 0, 0, NULL));
    CHECK_OK(MPI_Cart_rank(grid, NULL, &number));
    CHECK_EQUAL(0, number);
    CHECK_OK(MPI_Cart_sub(grid, NULL, &sub));
    CHECK_OK(MPI_Comm_size(sub, &number));
    CHECK_EQUAL(1, number);
    CHECK_OK(MPI_Comm_free(&sub));
    CHECK_OK(MPI_Comm_free(&grid));
}

/* ---- dims_create, against all factorizations -------------------------------------------------------------------- */

/* The smallest difference of largest and smallest factor among all products of `count` factors, not above `limit`. */
static int least_spread(int number, int count, int limit, int largest)
{
    if (count == 1)
        return number <= limit ? (largest ? largest : number) - number : INT_MAX;
    int best = INT_MAX;
    for (int factor = 1; factor <= number && factor <= limit; factor++)
        if (number % factor == 0) {
            int spread = least_spread(number / factor, count - 1, factor, largest ? largest : factor);
            best = spread < best ? spread : best;
        }
    return best;
}

static void expect_dims(int nodes, int count)
{
    int dims[DIMS_MOST] = {0};
    CHECK_OK(MPI_Dims_create(nodes, count, dims));
    int product = 1;
    for (int i = 0; i < count; i++) {
        product *= dims[i];
        if (i > 0 && dims[i] > dims[i - 1])
            CHECK_FAIL("dimensions of %d in %d increase: %d after %d", nodes, count, dims[i], dims[i - 1]);
    }
    CHECK_EQUAL(nodes, product);
    int spread = dims[0] - dims[count - 1], least = least_spread(nodes, count, INT_MAX, 0);
    if (spread != least)
        CHECK_FAIL("dimensions of %d in %d differ by %d, which could be %d", nodes, count, spread, least);
}

void case_cart_dims_create(const test *t)
{
    static const struct {
        int nodes, count, given[4], expected[4]; /* expected[0] 0: impossible */
    } rows[] = {
        {6, 2, {0, 0}, {3, 2}},
        {7, 2, {0, 0}, {7, 1}},
        {6, 3, {0, 3, 0}, {2, 3, 1}},
        {7, 3, {0, 3, 0}, {0}},
        {12, 3, {0, 2, 0}, {3, 2, 2}},
        {16, 4, {0, 0, 0, 0}, {2, 2, 2, 2}},
        {36, 3, {0, 0, 0}, {4, 3, 3}},
        {6000, 3, {0, 0, 0}, {20, 20, 15}},
        {8, 2, {4, 2}, {4, 2}},
        {8, 2, {4, 3}, {0}},
        {8, 2, {4, 1}, {0}},
        {1, 3, {0, 0, 0}, {1, 1, 1}},
        {2147483647, 2, {0, 0}, {2147483647, 1}},
        {2147483646, 1, {0}, {2147483646}},
        {1073741824, 3, {0, 0, 0}, {1024, 1024, 1024}},
        {2095133040, 4, {0, 0, 0, 0}, {221, 216, 210, 209}},
    };
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        int dims[4];
        memcpy(dims, rows[row].given, sizeof dims);
        int code = MPI_Dims_create(rows[row].nodes, rows[row].count, dims);
        if (!rows[row].expected[0]) {
            CHECK_EQUAL(MPI_ERR_DIMS, code);
            continue;
        }
        CHECK_OK(code);
        for (int i = 0; i < rows[row].count; i++)
            if (rows[row].expected[i] != dims[i])
                CHECK_FAIL("dimension %d of %d nodes: expected %d, got %d", i, rows[row].nodes, rows[row].expected[i],
                           dims[i]);
    }
    /* The naive search is slow, so the ranks share the numbers. */
    for (int nodes = 1 + t->rank; nodes <= 600; nodes += t->size)
        for (int count = 1; count <= DIMS_MOST; count++)
            expect_dims(nodes, count);
    CHECK_OK(MPI_Dims_create(5, 0, NULL));
}

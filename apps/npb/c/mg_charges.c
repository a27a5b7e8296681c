/* SPDX-License-Identifier: Apache-2.0 */
#include "mg_charges.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Numbers differ, and a number is a state of the generator: 46 bits, which doubles hold. With their sign turned the
 * smallest are the largest. */
typedef struct charges_chosen {
    double values[2 * MG_CHARGE_COUNT];
    double cells[2 * MG_CHARGE_COUNT];
} charges_chosen;

/* Puts a value into its place among the ten from here on, which ascend; the first falls out. */
static void charges_insert(charges_chosen *chosen, int first, double value, double cell)
{
    int at = first;
    while (at + 1 < first + MG_CHARGE_COUNT && chosen->values[at + 1] < value) {
        chosen->values[at] = chosen->values[at + 1];
        chosen->cells[at] = chosen->cells[at + 1];
        at++;
    }
    chosen->values[at] = value;
    chosen->cells[at] = cell;
}

static void charges_clear(charges_chosen *chosen)
{
    memset(chosen, 0, sizeof *chosen);
    for (int i = 0; i < 2 * MG_CHARGE_COUNT; i++)
        chosen->values[i] = -INFINITY;
}

static void charges_draw(const mg_grid *grid, charges_chosen *chosen)
{
    int64_t side = grid->side;
    for (int i3 = 0; i3 < grid->n3; i3++)
        for (int i2 = 0; i2 < grid->n2; i2++) {
            int64_t cell = ((mg_grid_start(grid, 2) + i3) * side + mg_grid_start(grid, 1) + i2) * side;
            cell += mg_grid_start(grid, 0);
            uint64_t x = lcg_times(LCG_SEED, lcg_power(LCG_A, (uint64_t)cell));
            for (int i1 = 0; i1 < grid->n1; i1++, cell++) {
                x = lcg_next(x);
                double value = (double)(int64_t)x;
                if (value > chosen->values[0])
                    charges_insert(chosen, 0, value, (double)cell);
                if (-value > chosen->values[MG_CHARGE_COUNT])
                    charges_insert(chosen, MG_CHARGE_COUNT, -value, (double)cell);
            }
        }
}

void mg_charges_init(mg_charges *charges, const npb_job *job, const mg_grid *grid)
{
    enum { NUMBERS = sizeof(charges_chosen) / sizeof(double) };
    charges_chosen own, best, *all = npb_alloc(job, (size_t)job->size, sizeof *all);
    charges->grid = grid;
    charges_clear(&own);
    charges_clear(&best);
    charges_draw(grid, &own);
    MPI_Allgather(&own, NUMBERS, MPI_DOUBLE, all, NUMBERS, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int rank = 0; rank < job->size; rank++)
        for (int i = 0; i < 2 * MG_CHARGE_COUNT; i++) {
            int first = i < MG_CHARGE_COUNT ? 0 : MG_CHARGE_COUNT;
            if (all[rank].values[i] > best.values[first])
                charges_insert(&best, first, all[rank].values[i], all[rank].cells[i]);
        }
    for (int i = 0; i < MG_CHARGE_COUNT; i++) {
        charges->largest[i] = (int64_t)best.cells[i];
        charges->smallest[i] = (int64_t)best.cells[MG_CHARGE_COUNT + i];
    }
    free(all);
}

static void charges_put_one(const mg_grid *grid, double *v, int64_t cell, double charge)
{
    int64_t side = grid->side;
    int i1 = (int)(cell % side) - mg_grid_start(grid, 0);
    int i2 = (int)(cell / side % side) - mg_grid_start(grid, 1);
    int i3 = (int)(cell / side / side) - mg_grid_start(grid, 2);
    if (i1 >= 0 && i1 < grid->n1 && i2 >= 0 && i2 < grid->n2 && i3 >= 0 && i3 < grid->n3)
        v[mg_grid_row(grid, i2 + 1, i3 + 1) + (size_t)i1 + 1] = charge;
}

void mg_charges_put(const mg_charges *charges, double *v)
{
    memset(v, 0, charges->grid->cells * sizeof(double));
    for (int i = 0; i < MG_CHARGE_COUNT; i++) {
        charges_put_one(charges->grid, v, charges->smallest[i], -1);
        charges_put_one(charges->grid, v, charges->largest[i], 1);
    }
    mg_grid_fill_halo(charges->grid, v);
}

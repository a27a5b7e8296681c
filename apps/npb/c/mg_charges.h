/* SPDX-License-Identifier: Apache-2.0 */
/* The right-hand side of MG: random numbers are drawn for all cells of the finest grid; the ten largest become 1, the
 * ten smallest -1, all others 0. */
#ifndef MG_CHARGES_H
#define MG_CHARGES_H

#include "mg_grid.h"

enum { MG_CHARGE_COUNT = 10 };

typedef struct mg_charges {
    const mg_grid *grid;
    int64_t largest[MG_CHARGE_COUNT]; /* the cells, in the order of the whole grid */
    int64_t smallest[MG_CHARGE_COUNT];
} mg_charges;

void mg_charges_init(mg_charges *charges, const npb_job *job, const mg_grid *grid);
void mg_charges_put(const mg_charges *charges, double *v);

#endif
